"""A worker of the `local` engine: the other end of the pipe.

The idea: one thread reads items, so that the end of the driver is seen at once, even in the middle of an item; the main
thread works on them. Answers have the first stdout for themselves: what is printed goes to stderr.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any

from bytepair.scale.engines.guarded import Failed, portable

__all__ = ["serve"]


def serve() -> None:
    """Answers until the driver ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, which ends its workers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    messages: queue.SimpleQueue[tuple[bytes | None, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(messages,), daemon=True).start()
    guarded: Any = None
    while True:
        function, item = messages.get()
        try:
            if function is not None:  # the same as before is not sent again
                guarded = pickle.loads(function)  # noqa: S301 - of the driver
            answer = pickle.dumps(guarded(pickle.loads(item)))  # noqa: S301
        except Exception as error:  # noqa: BLE001 - what cannot be pickled
            answer = pickle.dumps(Failed(portable(error)))
        answers.write(answer)
        answers.flush()


def _read(messages: queue.SimpleQueue[tuple[bytes | None, bytes]]) -> None:
    try:
        while True:
            messages.put(pickle.load(sys.stdin.buffer))  # noqa: S301 - of the driver
    finally:  # the pipe has ended, maybe within a message
        os._exit(0)  # in the middle of an item, too
