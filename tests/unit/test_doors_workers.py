"""Tokenizers and their doors in other processes: pools, data loaders, `datasets.map`; without a warning or a variable.

Each program runs alone, with warnings as errors, and may print nothing but what it is expected to.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

MADE = """
import bytepair as bp
TEXTS = ["low lower lowest", "", "naïve 日本語 🌱", "low<|end|>"] * 250
def make():
    return bp.train(texts=["low lower lowest naïve"] * 4, vocab_size=268, special_tokens=["<|end|>", "<|pad|>"])
def doors(tok):
    hf = tok.as_huggingface(pad_token="<|pad|>", chat_template="{{ messages }}")
    return tok.encode, tok.as_tiktoken("own").encode_ordinary, hf.encode, hf.apply_chat_template
"""


def run(program: str, folder: Path) -> str:
    """What a program prints, on both streams."""
    file = folder / "program.py"
    file.write_text(MADE + program, encoding="utf-8")
    left = {name: value for name, value in os.environ.items() if not name.startswith(("TOKENIZERS", "PYTHONWARN"))}
    command = [sys.executable, "-W", "error", str(file)]
    given = {**left, "HF_HOME": str(folder), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given, cwd=folder)
    return done.stdout + done.stderr


def needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        warnings.warn(f"NOT TESTED: {module} is not installed", stacklevel=2)
        pytest.skip(f"{module} is not installed")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools(method: str, tmp_path: Path) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    program = f"""
import multiprocessing
def given(job):
    encode, text = job
    return encode(text)
if __name__ == "__main__":
    tok = make()
    tok.encode_batch(TEXTS * 20, threads=2)
    encoders = doors(tok)[:3]
    jobs = [(encode, text) for encode in encoders for text in TEXTS[:8]]
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        assert pool.map(given, jobs) == [encode(text) for encode, text in jobs]
    print("same")
"""
    assert run(program, tmp_path) == "same\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_data_loader_of_pytorch(method: str, tmp_path: Path) -> None:
    needs("torch")
    program = f"""
import torch
from torch.utils.data import DataLoader
class Collate:
    def __init__(self, tok):
        self.hf = tok.as_huggingface(pad_token="<|pad|>", padding_side="left")
    def __call__(self, texts):
        return self.hf(texts, padding=True, return_tensors="pt", max_length=9, truncation=True)
class Rows(torch.utils.data.Dataset):
    def __init__(self, tok):
        self.tok = tok
    def __len__(self):
        return len(TEXTS)
    def __getitem__(self, index):
        return TEXTS[index], self.tok.encode_to_numpy(TEXTS[index])
def collate(rows):
    return [ids.tolist() for _, ids in rows]
if __name__ == "__main__":
    tok = make()
    tok.encode_batch(TEXTS * 20, threads=2)
    options = dict(batch_size=100, num_workers=2, multiprocessing_context={method!r})
    batches = list(DataLoader(TEXTS, collate_fn=Collate(tok), **options))
    expected = [Collate(tok)(TEXTS[start : start + 100]) for start in range(0, len(TEXTS), 100)]
    assert len(batches) == len(expected)
    for batch, other in zip(batches, expected, strict=True):
        assert batch.input_ids.dtype == torch.int64 and batch.keys() == other.keys()
        assert all(torch.equal(batch[name], other[name]) for name in batch)
    rows = [ids for batch in DataLoader(Rows(tok), collate_fn=collate, **options) for ids in batch]
    assert rows == [tok.encode(text) for text in TEXTS]
    assert Collate(tok)(["low"]).to("cpu").input_ids.tolist() == [tok.encode("low")]
    assert tok.as_huggingface().decode(torch.tensor([[97, 98], [99, 100]])) == ["ab", "cd"]
    print("same")
"""
    assert run(program, tmp_path) == "same\n"


@pytest.mark.parametrize("processes", [None, 2])
def test_datasets(processes: int | None, tmp_path: Path) -> None:
    needs("datasets")
    program = f"""
import datasets
from datasets import Dataset
if __name__ == "__main__":
    datasets.disable_progress_bars()
    tok, data = make(), Dataset.from_dict({{"text": TEXTS}})
    hf, enc = tok.as_huggingface(pad_token="<|pad|>"), tok.as_tiktoken()
    for work in (
        lambda rows: {{"ids": tok.encode_batch(rows["text"], allowed_special="all")}},
        lambda rows: {{"ids": enc.encode_batch(rows["text"], allowed_special="all")}},
        lambda rows: {{"ids": hf(rows["text"])["input_ids"]}},
        lambda rows: hf(rows["text"]),
    ):
        made = data.map(work, batched=True, num_proc={processes})
        ids = made["ids"] if "ids" in made.column_names else made["input_ids"]
        assert list(ids) == [tok.encode(text, allowed_special="all") for text in TEXTS]
    arrow = data.with_format("arrow")
    def with_ids(table):
        return table.append_column("ids", tok.encode_arrow(table["text"]))
    made = arrow.map(with_ids, batched=True, num_proc={processes})
    assert list(made.with_format(None)["ids"]) == [tok.encode(text) for text in TEXTS]
    print("same")
"""
    assert run(program, tmp_path) == "same\n"
