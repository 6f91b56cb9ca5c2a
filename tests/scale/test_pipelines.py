"""The examples of docs/guide/scale.md that put `encode_arrow` into pipelines of Ray Data and Spark, as they stand.

Each runs in a process of its own, since Ray and Spark are not easily ended. That of `datasets` runs with its page.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "scale.md"
BEFORE = """
import bytepair as bp
texts = ["the cat sat on the mat", "", "the rat ran", "\u00e9"] * 50
tok = bp.train(texts=texts, num_merges=20)
"""
WITH_SPARK = """
from pyspark.sql import SparkSession
settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
"""
AFTER = """
found = [(row["text"], list(row["input_ids"])) for row in rows.{collect}()]
assert len(found) == 200
assert sorted(found) == sorted((text, tok.encode(text)) for text in texts), found[:3]
print("as expected")
"""


def example(word: str) -> str:
    """The block of the page that has a word."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    [found] = [block for block in blocks if word in block]
    return str(found)


def run(program: str, folder: Path) -> None:
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYSPARK_PYTHON": sys.executable,
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    script = folder / "pipeline.py"
    script.write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.stdout.endswith("as expected\n"), done.stderr[-4000:]


def needs(module: str, *, java: bool = False) -> None:
    """A loud skip where something is missing."""
    missing = module if importlib.util.find_spec(module) is None else None
    if missing is None and java and "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        missing = "Java"
    if missing is not None:
        warnings.warn(f"NOT TESTED: {missing} is not installed, and {module} in a pipeline was not tried", stacklevel=2)
        pytest.skip(f"{missing} is not installed")


def test_ray_data(tmp_path: Path) -> None:
    needs("ray")
    run(BEFORE + example("import ray") + AFTER.format(collect="take_all"), tmp_path)


def test_spark(tmp_path: Path) -> None:
    needs("pyspark", java=True)
    run(BEFORE + WITH_SPARK + example("mapInArrow") + AFTER.format(collect="collect"), tmp_path)
