"""Texts and shards on S3, through a stand-in on this machine: read, written, checked, and made again in part."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import fs

import bytepair as bp
from scale import sharding
from scale.sharding import END, TEXTS


@pytest.fixture(scope="module")
def options() -> Iterator[str]:
    """What follows the `?` of an address."""
    try:
        from moto.server import ThreadedMotoServer  # noqa: PLC0415 - it need not be there
    except ImportError as error:
        warnings.warn(f"NOT TESTED: S3, since there is no moto: {error}", stacklevel=1)
        pytest.skip(f"no moto: {error}")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    options = f"endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
    system, _ = fs.FileSystem.from_uri(f"s3://key:secret@bucket?{options}&allow_bucket_creation=true")
    system.create_dir("bucket")
    for number in range(3):
        with system.open_output_stream(f"bucket/corpus/{number}.jsonl") as file:
            file.write(sharding.jsonl_lines(TEXTS))
    yield options
    server.stop()


def test_from_s3_to_s3(options: str, tok: bp.Tokenizer, tmp_path: Path) -> None:
    files, out = f"s3://key:secret@bucket/corpus/*.jsonl?{options}", f"s3://key:secret@bucket/shards?{options}"
    manifest = bp.write_shards(tok, out, files=files, append=END, workers=2, format="npy")
    assert manifest.documents == 3 * len(TEXTS)
    assert bp.verify_shards(out, tok, workers=1).faults == ()
    near = bp.write_shards(tok, tmp_path / "near", files=files, append=END, workers=1, format="npy")
    assert near == manifest
    system, _ = fs.FileSystem.from_uri(out)
    written = system.open_input_file("bucket/shards/manifest.json").read()
    assert written == (tmp_path / "near" / "manifest.json").read_bytes()
    assert b"secret" not in written
    name = manifest.shards[0].files[0].name
    system.delete_file(f"bucket/shards/{name}")
    (fault,) = bp.verify_shards(out, workers=1).faults
    assert fault.message == f"a file of the shard `s3://bucket/shards/{name}` is not there"
    bp.write_shards(tok, out, files=files, append=END, workers=1, format="npy")
    assert system.open_input_file(f"bucket/shards/{name}").read() == (tmp_path / "near" / name).read_bytes()


def test_what_cannot_be_reached(tok: bp.Tokenizer, tmp_path: Path) -> None:
    """One error, which shows no keys."""
    address = "s3://key:secret@bucket/{}?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1"
    sharding.jsonl(tmp_path / "a.jsonl", ["low"])
    for files, out in ((address.format("a.txt"), tmp_path / "out"), (tmp_path / "a.jsonl", address.format("out"))):
        with pytest.raises(bp.TextError, match=r"`s3://bucket/[^`]*` cannot be reached: ") as caught:
            bp.write_shards(tok, out, files=files)
        assert "secret" not in str(caught.value)
