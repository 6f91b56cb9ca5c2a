"""`bytepair play`: the playground, in the browser."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bytepair.cli import output
from bytepair.cli.failures import InputError, UsageFailure, one_line
from bytepair.cli.reports import names_of
from bytepair.cli.tokenizers import load, pattern_option
from bytepair.cli.unused import refuse
from bytepair.told import Told, gathered

if TYPE_CHECKING:
    from bytepair.tokenizer import Tokenizer

PORT = 8765
"""Where it is, unless it is told otherwise."""


@click.command(
    "play",
    epilog="""\b
Examples:
  bytepair play
  bytepair play tokenizer.json
  bytepair play mine=tokenizer.json cl100k_base --port 9000
  bytepair play ranks.tiktoken --pattern cl100k --no-browser

The page is served to this machine alone, unless --host says otherwise, and asks nothing of a network. It needs
`pip install 'bytepair[play]'`. Ctrl-C ends it.""",
)
@click.argument("tokenizers", metavar="[[NAME=]TOKENIZER]...", nargs=-1, type=click.Path(readable=False))
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 is any.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address; others can reach another one.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@pattern_option("The pattern, where files hold none (.tiktoken).")
def command(*, tokenizers: tuple[str, ...], port: int, host: str, no_browser: bool, pattern: str | None) -> None:
    """See tokenizers at work, in the browser."""
    serving = _serving()
    loaded: dict[str, Tokenizer] = {}
    warned: dict[str, list[Told]] = {}
    named = {name: path for name, path in names_of(tokenizers).items() if path is not None}
    if all(Path(path).suffix != ".tiktoken" for path in named.values()):
        refuse(("pattern",), "without a rank file", "other files hold theirs: leave it out")
    for name, path in named.items():
        with gathered() as warned[name]:
            loaded[name] = load(path, pattern if Path(path).suffix == ".tiktoken" else None, ())
        for what, hint in warned[name]:
            output.note(f"warning: {one_line(what)}\nhint: {one_line(hint)}")
    try:
        listening = serving.bound(host, port)
    except OSError as error:
        raise InputError(
            f"nothing can be served at {host}, port {port}: {(error.strerror or str(error)).lower()}",
            "choose another port with `--port`; 0 is any that is free",
        ) from None
    url = serving.address(host, listening.getsockname()[1])
    if not serving.is_local(host):
        output.note(f"warning: everyone who can reach {host} can use this page\nhint: leave `--host` out")

    def ready(_: object) -> None:
        output.note(f"The playground is at {url} (Ctrl-C ends it)")
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    with suppress(KeyboardInterrupt):  # how it ends
        serving.serve(loaded, host, listening, ready, warned)


def _serving() -> Any:  # noqa: ANN401 - what it needs is optional
    try:
        from bytepair.playground import serving  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in {"anyio", "starlette", "uvicorn"}:
            raise
        raise UsageFailure(f"the playground needs {missing.name}", "pip install 'bytepair[play]'") from None
    return serving
