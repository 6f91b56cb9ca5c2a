"""Ctrl-C ends whatever runs long, soon, with KeyboardInterrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

JOBS = {
    "counting": "bp.train(texts=('low lower %d' % n * 20 for n in range(10**9)), num_merges=1)",
    "merging": "bp.train(counts={'%x' % (n * 2654435761 % 2**61) * 2: 1 for n in range(400_000)}, num_merges=10**6)",
    "merging with progress": (
        "bp.train(counts={'%x' % (n * 2654435761 % 2**61) * 2: 1 for n in range(400_000)}, num_merges=10**6,"
        " progress=lambda event: None)"
    ),
    "encoding a batch": "bp.train(texts=[], vocab_size=256).encode_batch_to_numpy(['low lower lowest ' * 10**6] * 400)",
}


@pytest.mark.parametrize("job", JOBS)
def test_ctrl_c_ends_it(job: str) -> None:
    code = f"""
import bytepair as bp
print("started", flush=True)
try:
    {JOBS[job]}
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(1.5)
    assert process.poll() is None
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
    assert time.monotonic() - began < 2
