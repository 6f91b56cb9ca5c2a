"""The commands that judge tokenizers: drawn, as JSON, as CSV, and what they refuse."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.cells import cell_len

import bytepair as bp
from cli.running import ESCAPE, Run

TEXT = "the cat sat on the mat\n\nthe dog ate the rat\n\na cat, a hat: 1234 “quoted”\n\nкот\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reports")
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    for name, merges in (("small", 4), ("large", 12)):
        bp.train(texts=[TEXT], num_merges=merges).save(folder / f"{name}.json")
    bp.train(files=bp.bundled_texts()["en"], vocab_size=1000).save(folder / "book.json")
    return {name: str(folder / name) for name in ("text.txt", "small.json", "large.json", "book.json")}


def lines(files: dict[str, str]) -> dict[str, list[str]]:
    small, large, text = files["small.json"], files["large.json"], files["text.txt"]
    return {
        "measure": ["measure", "-t", small, "-t", f"big={large}", "--separator", r"\n\n", text],
        "sweep": ["sweep", "-t", large, "--width", "8", f"en={text}"],
        "compare": ["compare", "-t", small, "-t", large, text],
        "zipf": ["zipf", "-t", small, "-t", large, text],
        "kinds": ["kinds", "-t", large],
        "kinds of a text": ["kinds", "-t", large, text],
        "oddities": ["oddities", "-t", large, "--word", "cat"],
        "several oddities": ["oddities", "-t", small, "-t", large],
        "every size": ["sweep", "-t", small, "--every", text],
        "several sweeps": ["sweep", "-t", small, "-t", large, "-n", "258", text],
        "gap": ["gap", "-t", files["book.json"], "--examples", "3", "bundled:en"],
        "baselines": ["baselines", text, "--min-count", "1", "--held-out", "bundled:en"],
        "baselines and tokens": ["baselines", text, "-t", small, "-t", large],
        "loss": ["loss", "-t", small, "--nats", "2.5", "-t", large, "--nats", "3", text],
        "bundled": ["measure", "-t", large, "bundled"],
    }


NAMES = (
    *("measure", "sweep", "compare", "zipf", "kinds", "kinds of a text", "oddities", "several oddities"),
    *("every size", "several sweeps", "gap", "baselines", "baselines and tokens", "loss", "bundled"),
)
WHOLE = ("compare", "oddities", "several oddities", "gap")


@pytest.mark.parametrize("name", NAMES)
def test_every_form(name: str, files: dict[str, str], run: Run) -> None:
    line = lines(files)[name]
    drawn, plain, rows = run(*line), run(*line, "--json"), run(*line, "--csv")
    assert (drawn.code, plain.code, rows.code) == (0, 0, 0)
    assert max(map(len, drawn.out.splitlines())) <= 80
    assert drawn.err == ""
    read = list(csv.DictReader(io.StringIO(rows.out)))
    if name in WHOLE:
        assert len(read) > 0
        return
    given = json.loads(plain.out)
    reports = list(given.values()) if name.startswith("several") else [given]
    given_rows = [row for one in reports for row in one["rows"]]
    assert len(read) == len(given_rows) > 0
    assert [column for column in read[0] if column != "tokenizer"] == [
        column for column in given_rows[0] if column != "tokenizer"
    ]


def csv_of(run: Run, line: list[str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(*line, "--csv").out)))


def test_the_csv_of_compare_has_all(files: dict[str, str], run: Run) -> None:
    line = lines(files)["compare"]
    plain, rows = json.loads(run(*line, "--json").out), csv_of(run, line)
    by_kind = {
        kind: [row for row in rows if row["kind"] == kind] for kind in dict.fromkeys(row["kind"] for row in rows)
    }
    totals = {row["text"]: int(row["count"]) for row in by_kind.pop("total")}
    assert totals == {name: value for name, value in plain.items() if isinstance(value, int)} | {
        f"{one} {of}": value
        for of in ("tokens", "vocab_sizes")
        for one, value in zip(plain["names"], plain[of], strict=True)
    }
    for kind in ("frequent", "earliest"):
        found = [
            (
                row["text"],
                row["first"].split("|"),
                row["second"].split("|"),
                int(row["count"]),
                int(row["document"]),
                int(row["offset"]),
            )
            for row in by_kind.pop(kind)
        ]
        wanted = [
            tuple(one[key] for key in ("text", "first", "second", "count", "document", "offset")) for one in plain[kind]
        ]
        assert found == wanted
    moved = [(row["text"], [int(row["first_id"]), int(row["second_id"])]) for row in by_kind.pop("moved", [])]
    assert moved == [(one["token"], one["ids"]) for one in plain["moved"]]
    assert {kind: [row["text"] for row in found] for kind, found in by_kind.items()} == {
        kind: plain[kind] for kind in ("only_first", "only_second") if plain[kind]
    }


def test_the_csv_of_gap_has_all(files: dict[str, str], run: Run) -> None:
    line = lines(files)["gap"]
    plain, rows = json.loads(run(*line, "--json").out), csv_of(run, line)
    assert [(row["kind"], int(row["count"])) for row in rows[:2]] == [
        (kind, plain[kind]) for kind in ("tokens", "fewest")
    ]
    assert [
        (row["pretoken"], int(row["count"]), row["tokens"].split("|"), row["fewest"].split("|")) for row in rows[2:]
    ] == [(one["pretoken"], one["count"], one["tokens"], one["fewest"]) for one in plain["rows"]]


def test_the_csv_of_oddities_has_all(files: dict[str, str], run: Run) -> None:
    for name in ("oddities", "several oddities"):
        line = lines(files)[name]
        plain, rows = json.loads(run(*line, "--json").out), csv_of(run, line)
        reports = plain if name.startswith("several") else {None: plain}
        wanted = [
            (tokenizer, table, str(at), figure)
            for tokenizer, report in reports.items()
            for table, found in report.items()
            for at, item in enumerate(found if isinstance(found, list) else [found])
            for figure in item
        ]
        assert [(row.get("tokenizer"), row["table"], row["line"], row["figure"]) for row in rows] == wanted
    word = next(row for row in rows if row["table"] == "spelling" and row["figure"] == "word")
    assert word["value"] == reports["small"]["spelling"][0]["word"]


def test_measure_says_what_python_says(files: dict[str, str], run: Run) -> None:
    done = run(*lines(files)["measure"], "--json")
    toks = {"small": bp.load(files["small.json"]), "big": bp.load(files["large.json"])}
    assert json.loads(done.out) == bp.measure(toks, files=files["text.txt"], separator="\n\n").to_dict()


def test_the_other_commands_say_what_python_says(files: dict[str, str], run: Run) -> None:
    text, line = files["text.txt"], lines(files)
    toks = {name: bp.load(files[f"{name}.json"]) for name in ("small", "large")}
    large, book = toks["large"], bp.bundled_texts()["en"]
    wanted = {
        "zipf": bp.zipf(toks, files=text),
        "kinds": bp.kinds({"large": large}),
        "kinds of a text": bp.kinds({"large": large}, files=text),
        "oddities": bp.oddities(large, words=["cat"]),
        "gap": bp.gap_to_optimal(bp.load(files["book.json"]), files=book, examples=3),
        "baselines": bp.baselines(files=text, held_out_files=book, min_count=1),
        "baselines and tokens": bp.baselines(files=text, tok=toks),
        "loss": bp.losses({"small": 2.5, "large": 3.0}, toks, files=text),
        "bundled": bp.measure({"large": large}, files=bp.bundled_texts()),
    }
    for name, report in wanted.items():
        assert json.loads(run(*line[name], "--json").out) == json.loads(json.dumps(report.to_dict())), name
    several = json.loads(run(*line["several oddities"], "--json").out)
    assert several["small"] == json.loads(json.dumps(bp.oddities(toks["small"]).to_dict()))


def test_sizes_and_languages(files: dict[str, str], run: Run) -> None:
    line = ["sweep", "-t", files["large.json"], f"en={files['text.txt']}", f"ru={files['text.txt']}"]
    done = run(*line, "-n", "258", "-n", "260", "--json")
    rows = json.loads(done.out)["rows"]
    assert [(row["language"], row["vocab_size"]) for row in rows] == [
        (language, size) for language in (None, "en", "ru") for size in (258, 260)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_on_a_terminal(name: str, files: dict[str, str], drawn: Run) -> None:
    done = drawn(*lines(files)[name])
    assert (done.code, done.err) == (0, "")
    assert max(map(cell_len, ESCAPE.sub("", done.out).splitlines())) <= 80
    assert "\x1b[" in done.out


def test_on_a_real_one(files: dict[str, str], terminal: Run, drawn: Run) -> None:
    assert terminal(*lines(files)["measure"]).out == drawn(*lines(files)["measure"]).out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (["measure", "TEXT"], 2, "no tokenizer given"),
        (["measure", "-t", "SMALL"], 2, "no files to read"),
        (["measure", "-t", "SMALL", "-t", "SMALL", "TEXT"], 2, "the same name"),
        (["measure", "-t", "SMALL", "--json", "--csv", "TEXT"], 2, "both `--json` and `--csv`"),
        (["measure", "-t", "SMALL", "NOTHING"], 1, "there is no file"),
        (["sweep", "-t", "SMALL", "-n", "9999", "TEXT"], 1, "from 256 to 260"),
        (["sweep", "-t", "SMALL", "-n", "258", "--every", "TEXT"], 2, "both `--every` and `-n`"),
        (["compare", "-t", "SMALL", "TEXT"], 2, "2 tokenizers are wanted, not 1"),
        (["zipf", "-t", "SMALL"], 2, "no files to read"),
        (["kinds"], 2, "no tokenizer given"),
        (["oddities"], 2, "no tokenizer given"),
        (["oddities", "-t", "SMALL", "--word", ""], 2, "`--word` is empty"),
        (["oddities", "-t", "SMALL", "--csv", "--json"], 2, "both `--json` and `--csv`"),
        (["baselines"], 2, "no files to read"),
        (["loss", "-t", "SMALL", "TEXT"], 2, "0 losses for 1 tokenizers"),
        (["measure", "-t", "SMALL", "bundled:xx"], 2, "no text in `xx` comes with bytepair"),
        (["measure", "-t", "SMALL", "bundled", "TEXT"], 2, "some files are of a source and some are not"),
    ],
)
def test_refusals(line: list[str], code: int, message: str, files: dict[str, str], run: Run) -> None:
    known = {"TEXT": files["text.txt"], "SMALL": files["small.json"], "LARGE": files["large.json"]}
    done = run(*(known.get(word, word) for word in line))
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 2
