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
from numbers import Rational, Real

from bytepair.errors import TrainingError
from bytepair.integers import MOST_COUNT
from bytepair.wording import shortened

__all__ = ["Weight", "checked_scale", "common", "exact", "for_sources", "plain", "too_large"]

_DIGITS = 400
_FEW = (
    "counts are below 2^64: take weights of few digits, such as 0.3, or fractions with small denominators, such as "
    "Fraction(1, 3)"
)

Weight = int | float | Fraction | Decimal
"""What a weight may be."""


def exact(name: str, weight: Weight) -> Fraction:
    """The fraction that a weight is.

    >>> exact("weight", 0.1), exact("weight", 3)
    (Fraction(1, 10), Fraction(3, 1))

    Raises:
        TypeError: it is no number.
        TrainingError: it is below 0, infinite, no number, or has more digits than counts of 64 bits can use.
    """
    if isinstance(weight, bool) or not isinstance(weight, (Real, Decimal)):
        raise TypeError(f"{name} is of type `{type(weight).__name__}`\nhint: it is a number, such as 0.3")
    if not _is_finite(weight):
        raise TrainingError(f"{name} is {weight}", "a weight is a number from 0")
    if (
        isinstance(weight, Decimal) and weight and abs(weight.adjusted()) > _DIGITS
    ):  # its fraction would fill the memory
        raise TrainingError(f"{name} is {shortened(_text(weight))}", _FEW)
    fraction = _fraction(weight)
    if fraction < 0:
        raise TrainingError(f"{name} is {shortened(_text(weight))}", "a weight is a number from 0")
    if (
        fraction.denominator > MOST_COUNT or fraction.numerator > MOST_COUNT**2
    ):  # counts may have a scale, which divides it
        raise TrainingError(f"{name} is {shortened(_text(weight))}", _FEW)
    return fraction


def _is_finite(weight: Weight) -> bool:
    if isinstance(weight, Decimal):
        return weight.is_finite()
    return isinstance(weight, Rational) or math.isfinite(weight)


def _fraction(weight: Weight) -> Fraction:
    if isinstance(weight, (Rational, Decimal)):
        return Fraction(weight)
    # The text of NumPy's 64-bit floats may be that of a call, and `float` of its others is not as they are written.
    return Fraction(repr(float(weight)) if isinstance(weight, float) else str(weight))


def _text(weight: Weight) -> str:
    """The weight as text, if that can be had at all."""
    try:
        return str(weight)
    except ValueError:  # Python writes no integers of thousands of digits
        return "a number of thousands of digits"


def common(weights: Iterable[Fraction]) -> tuple[list[int], int]:
    """The weights as integers, and what they have been multiplied by.

    >>> common([Fraction(3, 10), Fraction(1)])
    ([3, 10], 10)

    Raises:
        TrainingError: their common denominator does not fit 64 bits, and a file of the counts could not be read.
    """
    given = list(weights)
    scale = checked_scale(math.lcm(*(weight.denominator for weight in given)))
    return [int(weight * scale) for weight in given], scale


def checked_scale(scale: int) -> int:
    """What counts have been multiplied by, which fits 64 bits.

    Raises:
        TrainingError: it does not.
    """
    if scale > MOST_COUNT:
        raise TrainingError("the common denominator of the weights passes 2^64 - 1", _FEW)
    return scale


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


def too_large(factor: int) -> TrainingError:
    """The error that counts do not fit 64 bits any more."""
    return TrainingError(
        f"the counts pass 2^64 - 1 when they are multiplied by {factor}",
        _FEW,
    )
