"""Trains, runs and explains byte-pair tokenizers.

>>> import bytepair as bp
>>> tok = bp.train(texts=["low lower lowest"], num_merges=2)
>>> tok.encode("low")
[257]
>>> tok.decode([257])
'low'

These are all public names. Each is loaded when it is first used, so that importing the package does nothing else and
takes no time; and what needs no compiled module, such as `bytepair.reference`, works without it.
"""

from importlib import import_module

# Type checkers take it for true; importing `typing` for it would take longer than the rest of this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from bytepair.auditing.auditor import Audit, audit
    from bytepair.bundled import bundled_parallel, bundled_texts
    from bytepair.compat.adopting import from_huggingface, from_tiktoken
    from bytepair.counter import Counter
    from bytepair.counts.count import count_pretokens
    from bytepair.counts.file import load_counts
    from bytepair.counts.pretoken_counts import Dropped, PretokenCounts
    from bytepair.editing.edited import Edited
    from bytepair.errors import (
        BytepairError,
        EngineError,
        FormatError,
        FormatWarning,
        PatternError,
        SpecialTokenError,
        TextError,
        TextWarning,
        TrainingError,
        TrainingWarning,
        UnavailableError,
        UnknownSymbolError,
        UnknownTokenError,
        VocabularyError,
    )
    from bytepair.getting import fetch, get
    from bytepair.measuring.alternatives import Alternative, Alternatives, alternatives
    from bytepair.measuring.baselines import Baseline, Baselines, Trap, baselines
    from bytepair.measuring.comparing import Comparison, compare
    from bytepair.measuring.kinds import Group, Kinds, kinds
    from bytepair.measuring.loss import (
        Loss,
        Losses,
        Perplexities,
        bits_per_byte,
        losses,
        nats_per_character,
        perplexities,
    )
    from bytepair.measuring.measuring import Difference, Figures, Measurement, measure
    from bytepair.measuring.oddities import Oddities, oddities
    from bytepair.measuring.optimal import Gap, Saving, gap_to_optimal
    from bytepair.measuring.pruning import PruningEffect, pruning_effect
    from bytepair.measuring.stretches import Stretch
    from bytepair.measuring.superwords import Superwords, superwords
    from bytepair.measuring.sweeping import Size, Sweep, sweep
    from bytepair.measuring.zipf import Rank, Zipf, zipf
    from bytepair.parts import Parts, Special, SpecialToken, TrainingRecord
    from bytepair.patterns import PATTERNS
    from bytepair.prefixes import Trie
    from bytepair.progress import LearnedMerge, Progress
    from bytepair.reporting.report import Report, report
    from bytepair.scale.counting import count_into
    from bytepair.scale.counts_folder import CountsFolder
    from bytepair.shards.reading import Shards, open_shards
    from bytepair.shards.verifying import Verified, verify_shards
    from bytepair.shards.writing import write_shards
    from bytepair.streaming import StreamDecoder
    from bytepair.tax.curve import TaxCurve, tax_curve
    from bytepair.tax.languages import LanguageTax, language_tax
    from bytepair.tokenizer import Tokenizer, load
    from bytepair.trace import MergeTree, Step, Steps, Trace, TracedPretoken, TracedToken
    from bytepair.training.balance import Balance
    from bytepair.training.train import train
    from bytepair.vocabulary import Info

__version__ = "0.1.0"

__all__ = [
    "PATTERNS",
    "Alternative",
    "Alternatives",
    "Audit",
    "Balance",
    "Baseline",
    "Baselines",
    "BytepairError",
    "Comparison",
    "Counter",
    "CountsFolder",
    "Difference",
    "Dropped",
    "Edited",
    "EngineError",
    "Figures",
    "FormatError",
    "FormatWarning",
    "Gap",
    "Group",
    "Info",
    "Kinds",
    "LanguageTax",
    "LearnedMerge",
    "Loss",
    "Losses",
    "Measurement",
    "MergeTree",
    "Oddities",
    "Parts",
    "PatternError",
    "Perplexities",
    "PretokenCounts",
    "Progress",
    "PruningEffect",
    "Rank",
    "Report",
    "Saving",
    "Shards",
    "Size",
    "Special",
    "SpecialToken",
    "SpecialTokenError",
    "Step",
    "Steps",
    "StreamDecoder",
    "Stretch",
    "Superwords",
    "Sweep",
    "TaxCurve",
    "TextError",
    "TextWarning",
    "Tokenizer",
    "Trace",
    "TracedPretoken",
    "TracedToken",
    "TrainingError",
    "TrainingRecord",
    "TrainingWarning",
    "Trap",
    "Trie",
    "UnavailableError",
    "UnknownSymbolError",
    "UnknownTokenError",
    "Verified",
    "VocabularyError",
    "Zipf",
    "alternatives",
    "audit",
    "baselines",
    "bits_per_byte",
    "bundled_parallel",
    "bundled_texts",
    "compare",
    "count_into",
    "count_pretokens",
    "fetch",
    "from_huggingface",
    "from_tiktoken",
    "gap_to_optimal",
    "get",
    "kinds",
    "language_tax",
    "load",
    "load_counts",
    "losses",
    "measure",
    "nats_per_character",
    "oddities",
    "open_shards",
    "perplexities",
    "pruning_effect",
    "report",
    "superwords",
    "sweep",
    "tax_curve",
    "train",
    "verify_shards",
    "write_shards",
    "zipf",
]

_HOMES = {
    "auditing.auditor": ("Audit", "audit"),
    "bundled": ("bundled_parallel", "bundled_texts"),
    "compat.adopting": ("from_huggingface", "from_tiktoken"),
    "counter": ("Counter",),
    "counts.count": ("count_pretokens",),
    "counts.file": ("load_counts",),
    "counts.pretoken_counts": ("Dropped", "PretokenCounts"),
    "editing.edited": ("Edited",),
    "errors": (
        "BytepairError",
        "EngineError",
        "FormatError",
        "FormatWarning",
        "PatternError",
        "SpecialTokenError",
        "TextError",
        "TextWarning",
        "TrainingError",
        "TrainingWarning",
        "UnavailableError",
        "UnknownSymbolError",
        "UnknownTokenError",
        "VocabularyError",
    ),
    "getting": ("fetch", "get"),
    "measuring.alternatives": ("Alternative", "Alternatives", "alternatives"),
    "measuring.baselines": ("Baseline", "Baselines", "Trap", "baselines"),
    "measuring.comparing": ("Comparison", "compare"),
    "measuring.kinds": ("Group", "Kinds", "kinds"),
    "measuring.loss": (
        "Loss",
        "Losses",
        "Perplexities",
        "bits_per_byte",
        "losses",
        "nats_per_character",
        "perplexities",
    ),
    "measuring.measuring": ("Difference", "Figures", "Measurement", "measure"),
    "measuring.oddities": ("Oddities", "oddities"),
    "measuring.optimal": ("Gap", "Saving", "gap_to_optimal"),
    "measuring.stretches": ("Stretch",),
    "measuring.pruning": ("PruningEffect", "pruning_effect"),
    "measuring.superwords": ("Superwords", "superwords"),
    "measuring.sweeping": ("Size", "Sweep", "sweep"),
    "measuring.zipf": ("Rank", "Zipf", "zipf"),
    "parts": ("Parts", "Special", "SpecialToken", "TrainingRecord"),
    "patterns": ("PATTERNS",),
    "prefixes": ("Trie",),
    "progress": ("LearnedMerge", "Progress"),
    "reporting.report": ("Report", "report"),
    "scale.counting": ("count_into",),
    "scale.counts_folder": ("CountsFolder",),
    "shards.reading": ("Shards", "open_shards"),
    "shards.verifying": ("Verified", "verify_shards"),
    "shards.writing": ("write_shards",),
    "streaming": ("StreamDecoder",),
    "tax.curve": ("TaxCurve", "tax_curve"),
    "tax.languages": ("LanguageTax", "language_tax"),
    "tokenizer": ("Tokenizer", "load"),
    "trace": ("MergeTree", "Step", "Steps", "Trace", "TracedPretoken", "TracedToken"),
    "training.balance": ("Balance",),
    "training.train": ("train",),
    "vocabulary": ("Info",),
}


def __getattr__(name: str) -> object:
    """Loads a public name from its module when it is first used."""
    if name == "_core":
        return _compiled()
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'bytepair' has no attribute {name!r}")
    value: object = getattr(import_module(f"bytepair.{home}"), name)
    globals()[name] = value
    return value


def _compiled() -> object:
    """The compiled module, which all others get by `from bytepair import _core`; so here it is missed."""
    try:
        return import_module("bytepair._core")
    except ModuleNotFoundError as problem:
        if problem.name != "bytepair._core":
            raise
        raise ImportError(
            "the compiled module of bytepair is missing: run `pip install .` in a clone of bytepair",
            name="bytepair._core",
        ) from None


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return [*__all__, "__version__"]
