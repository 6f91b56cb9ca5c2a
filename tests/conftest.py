"""What all tests share: the real vocabularies, the hypothesis profiles, and what runs only when asked for.

`make soak` sets BYTEPAIR_SOAK (tests marked `soak` run, and ten times as many generated inputs), `make fuzz` sets
BYTEPAIR_FUZZ (fifty times as many).
"""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import vocabularies

# A job in the background of a shell ignores Ctrl-C, and so would every process that the tests start to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("quick", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("soak", parent=settings.get_profile("quick"), max_examples=1_000)
settings.register_profile("fuzz", parent=settings.get_profile("quick"), max_examples=5_000)
settings.load_profile("fuzz" if "BYTEPAIR_FUZZ" in os.environ else "soak" if "BYTEPAIR_SOAK" in os.environ else "quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves the long tests out unless they are asked for, and says so."""
    if "BYTEPAIR_SOAK" in os.environ:
        return
    skip = pytest.mark.skip(reason="takes long: `make soak` runs it")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def vocabulary_file() -> Callable[[str], Path]:
    """`vocabulary_file("cl100k_base")`: the real file, or a loud skip; in CI, where it must be had, a failure."""

    def find(name: str) -> Path:
        try:
            return vocabularies.path(name)
        except vocabularies.UnavailableError as error:
            if os.environ.get("CI"):
                pytest.fail(f"in CI every vocabulary must be had: {error}")
            warnings.warn(f"NOT TESTED: {error}", stacklevel=2)
            pytest.skip(str(error))

    return find
