"""How texts are read is said in the same words, with the same defaults, wherever it can be said."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

import bytepair as bp
from bytepair.data import corpus
from bytepair.data.options import Options, Reading

WRITTEN_OUT: list[Callable[..., Any]] = [corpus, bp.count_pretokens, bp.count_into, bp.train]
"""Those with a parameter for each, so that help and completion show them; all others take `Unpack[Reading]`."""


@pytest.mark.parametrize("function", WRITTEN_OUT)
def test_the_signature_has_all_options_of_reading(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    assert Reading.__annotations__.keys() == {field.name for field in fields(Options)}
    kinds = {name: getattr(kind, "__forward_arg__", kind) for name, kind in Reading.__annotations__.items()}
    for field in fields(Options):
        assert parameters[field.name].default == field.default
        assert parameters[field.name].annotation == kinds[field.name]
