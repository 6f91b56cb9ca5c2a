"""Everything that judges a text reads it in parts: four times the text takes no more memory.

In a process of its own for each size, whose largest memory is looked at. `make soak` does it with a gigabyte.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

ALICE = resources.files("bytepair.demo_data").joinpath("alice_body.txt").read_text("utf-8")
MEGABYTE = 1 << 20
JUDGE = """
import json, resource, sys
import bytepair as bp
from bytepair.data import batches

path, batches.PART = sys.argv[1], int(sys.argv[2])
small, large = (bp.train(files=bp.bundled_texts()["en"], vocab_size=size) for size in (1000, 2000))
tokens = {
    "measure": bp.measure([small, large], files=path).figures[0].tokens,
    "sweep": bp.sweep(small, files=path).at(1000).tokens,
    "zipf": int(bp.zipf(small, files=path).counts["tokenizer"].sum()),
    "kinds": bp.kinds(small, files=path).text_tokens["tokenizer"],
    "gap": bp.gap_to_optimal(small, files=path).tokens,
    "audit": bp.audit(small, files=path).texts_tokens,
    "compare": bp.compare(small, large, files=path).tokens[0],
    "baselines": bp.baselines(files=path, tok=small).systems[-1].length,
    "losses": bp.losses(1.0, small, files=path).losses[0].tokens,
}
print(json.dumps({"tokens": tokens, "kilobytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""


def write(path: Path, size: int) -> None:
    """One document of about so many bytes: the paragraphs of a book in ever another order."""
    paragraphs = ALICE.split("\n\n")
    chosen = random.Random(5)
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            chosen.shuffle(paragraphs)
            written += file.write("\n\n".join(paragraphs))


def judged(path: Path, part: int) -> tuple[int, int]:
    """The tokens of the text, on which all agree, and the most memory that was used, in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, str(path), str(part)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(set(found["tokens"].values())) == 1, found["tokens"]
    return found["tokens"]["measure"], found["kilobytes"] << 10


def check(folder: Path, *, part: int, small: int, large: int, room: int) -> None:
    """With parts of this size, a large text takes as much memory as a small one."""
    tokens, memory = [], []
    for size in (small, large):
        write(folder / "text.txt", size)
        one = judged(folder / "text.txt", part)
        tokens.append(one[0])
        memory.append(one[1])
    assert tokens[1] > tokens[0] * large / small * 0.9
    assert memory[1] < memory[0] + room, memory


def test_four_times_the_text_takes_no_more_memory(tmp_path: Path) -> None:
    check(tmp_path, part=MEGABYTE // 2, small=2 * MEGABYTE, large=8 * MEGABYTE, room=5 * MEGABYTE)


@pytest.mark.soak
def test_a_gigabyte(tmp_path: Path) -> None:
    check(tmp_path, part=8 * MEGABYTE, small=100 * MEGABYTE, large=1000 * MEGABYTE, room=60 * MEGABYTE)
