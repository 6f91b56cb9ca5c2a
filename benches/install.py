"""Installs the peers into the environment that runs this, one by one: `python benches/install.py`.

One that cannot be had here (no wheel for this platform, say) does not stop the others; what was tried and what pip said
is printed, and the benchmark later shows that peer as not installed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]


def main() -> None:
    """Installs what it can, says what it cannot."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    if subprocess.run([*PIP, *wanted], capture_output=True, check=False).returncode == 0:
        return
    for requirement in wanted:
        done = subprocess.run([*PIP, requirement], capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            print(f"not installed: {requirement} (tried: pip install --only-binary :all:): {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
