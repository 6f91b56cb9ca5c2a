"""Where the benchmark keeps what it prepares: beside the tests' vocabularies, outside of version control."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "bench"
RECORDS = ROOT / "benches" / "records"
