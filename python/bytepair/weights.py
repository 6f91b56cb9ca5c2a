"""Weights of sources, exact.

The idea: a weight is a fraction. An int, a Fraction and a Decimal say which; a float says the shortest decimal that it
prints as, so 0.1 is a tenth and not 0.1000000000000000055. Weights of several sources become integers by their common
denominator, so that weighted counts are integers again, and nothing is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

from bytepair.errors import TrainingError

__all__ = ["Weight", "common", "exact", "for_sources", "plain"]

_DIGITS = 400

Weight = int | float | Fraction | Decimal
"""What a weight may be."""


def exact(name: str, weight: Weight) -> Fraction:
    """The fraction that a weight is.

    >>> exact("weight", 0.1), exact("weight", 3)
    (Fraction(1, 10), Fraction(3, 1))

    Raises:
        TypeError: it is no number.
        TrainingError: it is below 0, infinite, or no number.
    """
    if isinstance(weight, bool) or not isinstance(weight, (Rational, float, Decimal)):
        if not hasattr(weight, "__index__") or isinstance(weight, bool):
            raise TypeError(f"{name} is of type `{type(weight).__name__}`\nhint: it is a number, such as 0.3")
        weight = weight.__index__()
    if not (weight.is_finite() if isinstance(weight, Decimal) else math.isfinite(weight)):
        raise TrainingError(f"{name} is {weight}", "a weight is a number from 0")
    if isinstance(weight, Decimal) and abs(weight.adjusted()) > _DIGITS:  # its fraction would fill the memory
        raise TrainingError(f"{name} is {weight}", "counts have 64 bits: take a number nearer to 1")
    # `float` first: the text of NumPy's floats is not that of a number.
    fraction = Fraction(repr(float(weight))) if isinstance(weight, float) else Fraction(weight)
    if fraction < 0:
        raise TrainingError(f"{name} is {weight}", "a weight is a number from 0")
    return fraction


def common(weights: Iterable[Fraction]) -> tuple[list[int], int]:
    """The weights as integers, and what they have been multiplied by.

    >>> common([Fraction(3, 10), Fraction(1)])
    ([3, 10], 10)
    """
    given = list(weights)
    scale = math.lcm(*(weight.denominator for weight in given))
    return [int(weight * scale) for weight in given], scale


def plain(weights: Mapping[str, Weight]) -> dict[str, str]:
    """The weights as text.

    >>> plain({"en": 0.3})
    {'en': '3/10'}
    """
    _check(weights)
    return {name: str(exact(f"the weight of {name!r}", weight)) for name, weight in weights.items()}


def _check(weights: Mapping[str, Weight]) -> None:
    if not isinstance(weights, Mapping):
        raise TypeError(f'weights is of type `{type(weights).__name__}`\nhint: pass a mapping, such as {{"en": 0.3}}')


def for_sources(weights: Mapping[str, Weight], sources: Iterable[str]) -> list[Fraction]:
    """The weight of each source; 1 where none is given.

    Raises:
        TypeError: weights is no mapping, or holds what is no weight.
        TrainingError: a weight for a source that does not exist; all sources weigh nothing.
    """
    _check(weights)
    names = list(sources)
    if not names:
        raise TrainingError(
            "weights are given, but the sources have no names",
            'name them: files={"en": "en/*.txt", "ru": "ru/*.txt"}, or source_field= for a field of the rows',
        )
    for name in weights:
        if name not in names:
            known = ", ".join(map(str, names[:10])) + (", ..." if len(names) > 10 else "")  # noqa: PLR2004
            raise TrainingError(f"weights has {name!r}, and no source is called so", f"the sources are {known}")
    found = [exact(f"the weight of {name!r}", weights.get(name, 1)) for name in names]
    if not any(found):
        raise TrainingError("every source weighs 0", "give one of them more")
    return found
