"""`--config FILE`: the options of a command from a TOML file.

The idea: a key is an option's name without its dashes, and its value goes through the same checks as on the command
line, which wins where both say something. A key that is no option is refused by its name. A table is written for what
is NAME=VALUE on the command line: `weight = { en = 0.3 }`, `files = { en = "en/*.txt" }`.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from bytepair.cli.failures import UsageFailure

__all__ = ["config_option", "override"]

_TABLES = ("weight", "files", "development")
_NUMBERS = ("weight", "sample")


def config_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--config`, which is read before the other options."""
    return click.option(
        "--config",
        type=click.Path(readable=False),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_read,
        help="A TOML file with these options; the command line wins.",
    )(command)


def override(context: click.Context, *names: str) -> dict[str, Any]:
    """The values of options that exclude each other: what the file says gives way to what the command line says."""
    written = [name for name in names if _is_written(context, name)]
    empty = {name: () if isinstance(context.params[name], tuple) else None for name in names}
    return {name: context.params[name] if not written or name in written else empty[name] for name in names}


def _is_written(context: click.Context, name: str) -> bool:
    is_from = context.get_parameter_source(name)
    return is_from is click.core.ParameterSource.COMMANDLINE and context.params[name] not in (None, ())


def _read(context: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    try:
        content = tomllib.loads(Path(path).read_bytes().decode("utf-8"), parse_float=Decimal)
    except UnicodeDecodeError as problem:
        raise UsageFailure(f"`{path}`: byte {problem.start} is not UTF-8", "TOML is UTF-8: save it as such") from None
    except tomllib.TOMLDecodeError as problem:
        raise UsageFailure(
            f"`{path}` is no TOML: {problem}", 'a line is `name = value`; texts stand in "quotes"'
        ) from None
    keys = {_key(option): option for option in context.command.params if option.expose_value and option.name}
    context.default_map = {}
    for key, value in content.items():
        if key not in keys:
            near = difflib.get_close_matches(key.replace("_", "-"), keys, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"the options are {', '.join(sorted(keys))}"
            raise UsageFailure(f"`{path}`: `{key}` is no option of `{context.command_path}`", hint)
        option = keys[key]
        given = _value(f"`{path}`: `{key}`", option, value)
        try:
            option.process_value(context, given)  # as click does later, when it does not know the file
        except click.BadParameter as problem:
            what = problem.message.rstrip(".")
            raise UsageFailure(f"`{path}`: `{key}`: {what}", f"see `{context.command_path} --help`") from None
        context.default_map[str(option.name)] = given


def _key(option: click.Parameter) -> str:
    """How the option is called in the file."""
    long = [name for name in option.opts if name.startswith("--")]
    return (long[0] if long else str(option.name)).removeprefix("--")


def _value(place: str, option: click.Parameter, value: object) -> Any:  # noqa: ANN401 - as click takes it
    """The value as it would be written on the command line."""
    if isinstance(option, click.Option) and option.is_flag:
        if not isinstance(value, bool):
            raise UsageFailure(f"{place} is {_shown(value)}", "it is true or false")
        return value
    if not (option.multiple if isinstance(option, click.Option) else option.nargs == -1):
        return _one(place, option, value)
    if isinstance(value, dict):
        if _key(option) not in _TABLES:
            raise UsageFailure(f"{place} is a table", "give a list")
        return [
            f"{name}={_one(place, option, one)}"
            for name, many in value.items()
            for one in (many if isinstance(many, list) else [many])
        ]
    return [_one(place, option, one) for one in (value if isinstance(value, list) else [value])]


def _one(place: str, option: click.Parameter, value: object) -> str:
    is_number = isinstance(option.type, click.IntRange) or _key(option) in _NUMBERS
    if isinstance(value, str) or (is_number and isinstance(value, (int, Decimal)) and not isinstance(value, bool)):
        return str(value)
    raise UsageFailure(f"{place} is {_shown(value)}", "it is a number" if is_number else 'it is a text: "..."')


def _shown(value: object) -> str:
    kinds = {dict: "a table", list: "a list", str: "a text", bool: "true or false"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), str(value))
