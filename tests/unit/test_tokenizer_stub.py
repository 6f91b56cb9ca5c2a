"""The stub `_core.pyi` says what the compiled module has: names, and signatures as far as they can be seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_stub_and_the_module_agree(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "bytepair._core"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
