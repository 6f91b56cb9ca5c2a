"""The engines, for tests: each is started once, when it is first needed, and runs until the end of the tests."""

from __future__ import annotations

import functools
import importlib
import os
import shutil
import sys
import warnings
from typing import Any

import pytest

__all__ = ["ENGINES", "run_on"]

ENGINES = ("local", "ray", "spark", "dask")
WORKERS = 2


def run_on(name: str) -> dict[str, Any]:
    """What `opened` and `count_into` are told of an engine that runs; skips the test, loudly, where there is none."""
    missing = _missing(name)
    if missing is not None:
        if os.environ.get("CI"):
            pytest.fail(f"in CI every engine must be there: {missing}")
        warnings.warn(f"NOT TESTED: {missing}", stacklevel=2)
        pytest.skip(missing)
    return {"workers": WORKERS, "address": _started(name)}


def _missing(name: str) -> str | None:
    modules = {"local": "sys", "ray": "ray", "spark": "pyspark", "dask": "distributed"}
    try:
        importlib.import_module(modules[name])
    except ImportError as error:
        return f"engine {name}: {error}"
    if name == "spark" and "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        return "engine spark: no Java"
    return None


@functools.cache
def _started(name: str) -> str | None:
    """Starts an engine; its address, where it is found by that, and not by being there."""
    if name == "local":
        return None
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # workers find what tests define
    if name == "ray":
        os.environ.setdefault("RAY_AUTH_MODE", "disabled")
        ray = importlib.import_module("ray")
        ray.init("local", num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        return None
    if name == "spark":
        from bytepair.scale.engines.on_spark import Spark  # noqa: PLC0415

        Spark(WORKERS, None)  # stays as the one of this process
        return None
    distributed = importlib.import_module("distributed")
    cluster = distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
    )
    _kept.append(cluster)
    return str(cluster.scheduler_address)


_kept: list[object] = []
