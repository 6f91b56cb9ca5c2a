# The verbs people use; CI calls the same ones. A fresh machine needs python3 (3.11+), cargo and make: everything else
# goes into .venv, with the versions of constraints.txt. Stamp files in .venv remember what is done, so the second
# time nothing is installed or built that has not changed.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# maturin installs into this environment, whichever one the shell is in; PyO3 builds for its interpreter.
ENVIRONMENT := env -u CONDA_PREFIX -u PYTHONHOME VIRTUAL_ENV=$(CURDIR)/$(VENV) PYO3_PYTHON=$(CURDIR)/$(BIN)/python \
  PIP_CONSTRAINT=$(CURDIR)/constraints.txt PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1
PEERS := .cache/bench/venv
PARITY := .cache/parity/venv
PYTEST := $(BIN)/python -m pytest
# Tests run in a process a processor; the rest of a file's tests go to whoever has nothing to do.
WORKERS := --numprocesses auto --maxprocesses 4 --dist worksteal
# Looks for a Chromium and gets one where there is none; where it cannot, it says so and the tests go on without.
BROWSER := PYTHONPATH=tests $(BIN)/python -m web.get_browser
RUST := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

.PHONY: help demo test check bench parity soak fuzz docs wheel clean
.DELETE_ON_ERROR:

help:  ## what can be made
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /|/' | awk -F'|' '{ printf "  make %-8s %s\n", $$1, $$2 }'

demo: $(VENV)/.extension  ## set everything up, train on the bundled text and show what happened
	@$(BIN)/bytepair demo -o tokenizer.json

test: $(VENV)/.extension $(VENV)/.test  ## set everything up and run every test
	$(ENVIRONMENT) cargo test --locked --quiet -p bytepair
	@$(BROWSER)
	$(PYTEST) $(WORKERS)

check: $(VENV)/.extension $(VENV)/.test  ## formatters, linters and types; warnings are errors
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || \
	  { printf 'error: cargo fmt or cargo clippy is missing\nhint: rustup component add rustfmt clippy\n' >&2; exit 1; }
	cargo fmt --all --check
	$(ENVIRONMENT) cargo clippy --locked --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check python tests benches scripts
	$(BIN)/ruff check python tests benches scripts
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --concise bytepair._core
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --quiet --no-deps

bench: $(VENV)/.extension $(PEERS)/.made  ## bytepair and its peers, measured: twenty minutes (BENCH=--full for all, --help for more)
	PYTHONPATH=python:tests:. $(PEERS)/bin/python -m benches $(BENCH)

parity: $(VENV)/.extension $(PARITY)/.made  ## every published vocabulary against its own libraries; writes the table in docs/design/parity.md
	PYTHONPATH=python:tests:. $(PARITY)/bin/python -m parity $(PARITY_ROWS)

soak: $(VENV)/.extension $(VENV)/.test  ## the tests that take long, and many more generated inputs (an hour or two)
	$(ENVIRONMENT) PROPTEST_CASES=20000 cargo test --locked -p bytepair
	@$(BROWSER)
	BYTEPAIR_SOAK=1 $(PYTEST) -m 'soak or hypothesis' --timeout 0

fuzz: $(VENV)/.extension $(VENV)/.test  ## the fuzz targets for longer: FUZZ_CASES=200000 inputs each, FUZZ_SECONDS=600 for each reader of files
	PROPTEST_CASES=$(FUZZ_CASES) cargo test --locked -p bytepair --test 'fuzz_*'
	BYTEPAIR_FUZZ=1 BYTEPAIR_FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTEST) tests/props tests/unit --timeout 0
FUZZ_CASES ?= 200000
FUZZ_SECONDS ?= 600

docs: $(VENV)/.extension $(VENV)/.test  ## run the examples of the documentation, build the engine's
	$(PYTEST) tests/docs
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --quiet --no-deps

wheel: $(VENV)/.extension  ## build a wheel and an sdist into dist/, install each into an environment of its own and run the demo
	@rm -rf dist
	$(ENVIRONMENT) $(BIN)/maturin build --release --locked --quiet --out dist
	$(ENVIRONMENT) $(BIN)/maturin sdist --out dist
	$(ENVIRONMENT) $(BIN)/python scripts/check_dist.py dist/*

clean:  ## remove everything that was made here, the downloaded vocabularies included
	rm -rf $(VENV) target .cache dist .mypy_cache .ruff_cache .pytest_cache .hypothesis tokenizer.json
	find python tests benches -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f python/bytepair/_core*.so python/bytepair/_core*.pyd

$(VENV)/.made: scripts/make-venv.sh
	@PYTHON="$(PYTHON)" scripts/make-venv.sh $(VENV)
	@touch $@

# The peers have an environment of their own: what they need may contradict what we need.
$(PEERS)/.made: scripts/make-venv.sh benches/requirements.txt
	@PYTHON="$(PYTHON)" scripts/make-venv.sh $(PEERS)
	@$(PEERS)/bin/python benches/install.py
	@touch $@

# mistral-common wants an older NumPy than the tests have.
$(PARITY)/.made: scripts/make-venv.sh tests/parity/requirements.txt
	@PYTHON="$(PYTHON)" scripts/make-venv.sh $(PARITY)
	@$(PARITY)/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/parity/requirements.txt
	@touch $@

$(VENV)/.demo: $(VENV)/.made constraints.txt pyproject.toml
	@$(PIP) --group demo
	@touch $@

$(VENV)/.test: $(VENV)/.made constraints.txt pyproject.toml
	@$(PIP) --group test
	@touch $@

$(VENV)/.extension: $(VENV)/.demo pyproject.toml $(RUST)
	@echo "Building the extension module (release)" >&2
	@$(ENVIRONMENT) $(BIN)/maturin develop --release --locked --quiet
	@touch $@
