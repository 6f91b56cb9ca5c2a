"""On what a command works that may be too much for one process: `--engine`, `--workers` and `--address`."""

from __future__ import annotations

from collections.abc import Callable

import click

__all__ = ["engine_options"]


def engine_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command gets `engine`, `workers` and `address`."""
    for option in (
        click.option("--address", metavar="URL", help="A cluster that runs, such as ray://host:10001."),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            metavar="N",
            help="How many items are worked on at one time; as many as there are processors if left out.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "ray", "spark", "dask"]),
            default="local",
            show_default=True,
            help="What runs the work: processes of this machine, or a cluster.",
        ),
    ):
        command = option(command)
    return command
