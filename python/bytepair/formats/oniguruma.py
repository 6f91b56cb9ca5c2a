r"""Patterns in Oniguruma's dialect, which is what a `tokenizer.json` holds, and in ours.

`translate` writes a pattern of ours for Oniguruma; `read` says in ours what one of theirs means there. Both go through
a tree in which nothing is ambiguous. Where a pattern means the same in both dialects it is left as it stands, letter
by letter, so that other programs recognise the published patterns; otherwise the tree is written out. A pattern that
is not understood for certain is refused.

Properties (`\p{L}`) stay properties: every program follows the Unicode version that it carries. Of the published
strings, those that tiktoken has for cl100k and gpt2 are changed (`{1,3}+` and `$`); o200k, llama3 and qwen2 are not.
Read from a file, a pattern means what it means to Oniguruma: `\p{N}{1,3}+` is a run of digits of any length.
"""

from __future__ import annotations

from typing import Final

from bytepair.formats.invisible import is_invisible
from bytepair.formats.pattern_parser import Dialect, UntranslatableError, parse
from bytepair.formats.pattern_tree import (
    EVERYTHING,
    Atomic,
    Char,
    Choice,
    Edge,
    Look,
    Node,
    Property,
    Range,
    Repeat,
    Sequence,
    Set,
    may_be_bare,
)

__all__ = ["UntranslatableError", "read", "translate"]

_META: Final = frozenset(r"\.+*?()|[]{}^$")
_SET_META: Final = frozenset(r"\[]^-&~")
_NAMED: Final = {9: r"\t", 10: r"\n", 13: r"\r"}
_SHORT: Final = {(0, None): "*", (1, None): "+", (0, 1): "?"}


def translate(pattern: str) -> str:
    r"""The pattern for Oniguruma, with the same matches.

    Raises:
        UntranslatableError: it is not known to be expressible there; the text says why.

    >>> translate(r"\p{N}{1,3}+|\s++$"), translate(r"\p{N}{1,3}|\s+(?!\S)")
    ('(?>\\p{N}{1,3})|\\s++\\z', '\\p{N}{1,3}|\\s+(?!\\S)')
    """
    return _between(pattern, "rust", "oniguruma")


def read(regex: str) -> str:
    r"""What a pattern of Oniguruma's means, as a pattern of ours.

    Raises:
        UntranslatableError: it is not understood for certain; the text says why.

    >>> read(r"\p{N}{1,3}+|\s+$")
    '(?:\\p{N}{1,3})+|\\s+(?=\\n|\\z)'
    """
    return _between(regex, "oniguruma", "rust")


def _between(pattern: str, source: Dialect, target: Dialect) -> str:
    tree = parse(pattern, source)
    try:
        if parse(pattern, target) == tree:
            return pattern
    except UntranslatableError:
        pass
    written = _write(tree, target)
    if parse(written, target) != tree:
        raise UntranslatableError("its translation does not read back")
    return written


def _write(node: Node, dialect: Dialect) -> str:  # noqa: PLR0911 - one return for each kind of node
    match node:
        case Char(code):
            return _character(code, _META)
        case Set():
            return _set(node, dialect)
        case Edge(end):
            return r"\z" if end else r"\A"
        case Look(behind, negated, body):
            return f"(?{'<' if behind else ''}{'!' if negated else '='}{_write(body, dialect)})"
        case Atomic(Repeat(_, least, most, False) as body) if (least, most) in _SHORT:
            return _repeat(body, dialect) + "+"
        case Atomic(body):
            return f"(?>{_write(body, dialect)})"
        case Repeat():
            return _repeat(node, dialect)
        case Sequence(parts):
            return "".join(_grouped(part, dialect, Choice) for part in parts)
        case Choice(branches):
            return "|".join(_write(branch, dialect) for branch in branches)


def _grouped(node: Node, dialect: Dialect, *kinds: type) -> str:
    text = _write(node, dialect)
    return f"(?:{text})" if isinstance(node, kinds) else text


def _repeat(node: Repeat, dialect: Dialect) -> str:
    bounds = (node.least, node.most)
    if dialect == "oniguruma" and may_be_bare(node.body):
        body = f"({_write(node.body, dialect)})"
    else:
        body = _grouped(node.body, dialect, Choice, Sequence, Repeat, Atomic)
    lazy = "?" if node.lazy else ""
    if bounds in _SHORT:
        return body + _SHORT[bounds] + lazy
    most = "" if node.most is None else str(node.most)
    braces = f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{most}}}"
    return body + braces + lazy


def _set(node: Set, dialect: Dialect) -> str:
    if node == EVERYTHING:
        return "(?m:.)" if dialect == "oniguruma" else "(?s:.)"
    if not node.negated and not node.within and len(node.items) == 1 and isinstance(node.items[0], Property):
        return _property(node.items[0])
    within = "".join("&&" + _bracketed(other, dialect) for other in node.within)
    inside = "".join(_item(item, dialect) for item in node.items)
    return f"[{'^' if node.negated else ''}{inside}{within}]"


def _bracketed(node: Set, dialect: Dialect) -> str:
    text = _set(node, dialect)
    return text if text.startswith("[") else f"[{text}]"


def _item(item: Range | Property | Set, dialect: Dialect) -> str:
    match item:
        case Range(first, last):
            low, high = _character(first, _SET_META), _character(last, _SET_META)
            return low if first == last else f"{low}-{high}"
        case Property():
            return _property(item)
        case Set():
            return _bracketed(item, dialect)


def _property(item: Property) -> str:
    if item.name == "White_Space":
        return r"\S" if item.negated else r"\s"
    return rf"\{'P' if item.negated else 'p'}{{{item.name}}}"


def _character(code: int, meta: frozenset[str]) -> str:
    character = chr(code)
    if code in _NAMED:
        return _NAMED[code]
    if character in meta:
        return "\\" + character
    return f"\\x{{{code:x}}}" if is_invisible(code) else character
