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
try:
    print("started", flush=True)
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
    os.kill(process.pid, signal.SIGINT)
    # None of them would end within it.
    assert process.communicate(timeout=60)[0] == "interrupted\n"


INSIDE = {
    "counting one document": ("", "bp.train(texts=[text], num_merges=1)"),
    "encoding one text": ("", "tok.encode_to_numpy(text)"),
    "encoding one text to a list": ("", "tok.encode(text)"),
    "counting the tokens of one text": ("", "tok.count(text)"),
    "splitting one text": ("", "tok.split(text)"),
    "encoding a batch of few": ("", "tok.encode_batch_to_numpy([text, text[:10**6], text])"),
    "encoding one pretoken": (
        "tok = bp.train(texts=['low' * 9], num_merges=4, pattern=None)",
        "tok.count(text[:120_000_000])",
    ),
    "a backtracking pattern": (
        r"tok = bp.train(texts=['low'], num_merges=1, pattern=r'(?<!x)\w+|\s')",
        "tok.count(text)",
    ),
    "before the first merge": (
        """from bytepair import _core
table = _core.Counts(None, 'bytes', None, False, [])
for n in range(1_500_000): table.add('%x' % (n * 2654435761 % 2**61) * 4, 1)""",
        "_core.train(table, tokens=None, merges=9**9, ties='lowest', min_count=1, max_token_bytes=None, progress=None)",
    ),
}


@pytest.mark.parametrize("job", INSIDE)
def test_ctrl_c_ends_one_long_call(job: str) -> None:
    before, call = INSIDE[job]
    code = f"""
import time
import bytepair as bp
tok = bp.train(texts=["low lower lowest newest widest"], num_merges=16)
# What the calls import is imported now: an interrupt inside an import that runs `exec` makes CPython exit with SIGINT.
tok.encode("low"), tok.split("low"), tok.count("low"), tok.encode_to_numpy("low"), tok.encode_batch_to_numpy(["low"])
text = "low lower lowest newest widest " * 9_000_000
{before}
began = time.process_time()
try:
    print("started", flush=True)
    {call}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.process_time() - began, flush=True)
assert tok.count("low lower") < 9
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    # Into the call, of which the quickest takes five times as long.
    time.sleep(0.03)
    os.kill(process.pid, signal.SIGINT)
    said, seconds = process.stdout.readline().split()
    # Of the processor's time a tenth of a second, however busy the machine is; the calls themselves take seconds.
    assert said == "interrupted"
    assert float(seconds) < 2
    assert process.wait(timeout=60) == 0
