#!/bin/sh
# Makes the virtual environment that every `make` verb uses: `scripts/make-venv.sh .venv`.
#
# A fresh machine needs python3 (3.11 or newer), cargo and make, nothing else. This script finds them, says in two
# lines what is missing where one of them is, and leaves a virtual environment with the pinned pip. PYTHON=... chooses
# another interpreter.
set -eu

venv=$1
minimum_python="3, 11"
minimum_rust_minor=88

fail() {
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

new_enough() {
    "$1" -c "import sys; sys.exit(sys.version_info < ($minimum_python))" 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        new_enough "$PYTHON" && echo "$PYTHON" && return
        fail "PYTHON=\`$PYTHON\` is not a Python 3.11 or newer" "give the path of a newer interpreter, or leave PYTHON out"
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null 2>&1 && new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer was found (looked for python3, python3.11 to python3.14)" \
        "install one, or name it: make PYTHON=/path/to/python3.12 demo"
}

check_cargo() {
    command -v cargo >/dev/null 2>&1 || fail "cargo was not found" "install Rust 1.$minimum_rust_minor or newer (rustup is the usual way)"
    version=$(cargo --version | cut -d ' ' -f 2)
    major=${version%%.*}
    rest=${version#*.}
    minor=${rest%%.*}
    [ "$major" -gt 1 ] || [ "$minor" -ge "$minimum_rust_minor" ] ||
        fail "cargo $version is too old; 1.$minimum_rust_minor is the oldest that builds bytepair" "run: rustup update stable"
}

python=$(find_python)
check_cargo
echo "Setting up $venv with $("$python" --version) (once; the first build takes a minute or two)" >&2
# Without ensurepip (Debian ships it apart) a pip that is already there can still install into the new environment.
if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$venv" || fail "\`$python -m venv $venv\` failed" "read the lines above"
elif "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m venv --clear --without-pip "$venv"
    "$python" -m pip --python "$venv/bin/python" install --quiet pip
else
    fail "\`$python\` has neither ensurepip nor pip, so no virtual environment can be made" \
        "install them (on Debian and Ubuntu: apt install python3-venv)"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip
