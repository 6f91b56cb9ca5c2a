"""Ctrl-C, which a terminal gives to all processes of a command, is for the driver, and not for half-started engines.

The idea: a signal that is blocked stays blocked in the processes and threads that are started then; and what an engine
starts (a Java, a cluster) is never left half-started, where nobody could end it: the interrupt comes when it is there.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["not_for_children", "put_off"]


@contextlib.contextmanager
def not_for_children() -> Iterator[None]:
    """A process that is started in the block never gets Ctrl-C, not even while it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def put_off() -> Iterator[None]:
    """The same; and Ctrl-C in the block is for its end, and for who is asked then otherwise.

    Raises:
        KeyboardInterrupt: it came; or what somebody's own handler raises.
    """
    before = signal.getsignal(signal.SIGINT)
    # No other thread is interrupted. And a signal may be ignored (of what runs in the background of a shell), or for a
    # program that Python is a part of, whose handler Python could not put back.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        with not_for_children():
            yield
        return
    came = list[int]()
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        with not_for_children():
            yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            before(signal.SIGINT, None)
