"""Sees to it that there is a Chromium for the tests, and says what it does: `python -m web.get_browser`.

Where none is found, playwright fetches its own into the user's cache (a network is needed), and Debian's is asked for
where that cannot be had and we are root, as in a container. Where neither can be had, that is said, and the tests that
need it are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import Error, sync_playwright

from web.browser import executable

SECONDS = 900


def ways() -> Iterator[list[str]]:
    """Commands that bring one."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    libraries = ["--with-deps"] if is_root and shutil.which("apt-get") else []
    yield [sys.executable, "-m", "playwright", "install", "--no-shell", *libraries, "chromium"]
    if libraries:
        yield ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]


def problem() -> str:
    """Why there is none that starts; nothing where there is one."""
    with sync_playwright() as playwright:
        program = executable(playwright.chromium.executable_path)
        if program is None:
            return "no Chromium was found"
        try:
            playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]).close()
        except Error as error:
            return f"{program} does not start: {error.message.splitlines()[0]}"
    return ""


def said(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def get() -> None:
    """Tries one way after the other."""
    reason = problem()
    for command in ways():
        if not reason:
            return
        said(f"{reason[0].upper()}{reason[1:]}: running `{' '.join(command)}` for the tests in a browser")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            said(f"It could not be run: {error}")
            continue
        if done.returncode:
            lines = [*done.stderr.splitlines(), *done.stdout.splitlines(), f"exit code {done.returncode}"]
            said(f"It failed: {next((line for line in lines if 'error' in line.lower()), lines[-1])}")
        reason = problem()
    if reason:
        said(f"warning: NOT TESTED: whatever needs a browser, for {reason}")
        said("hint: install Chromium, or name one: BYTEPAIR_CHROMIUM=/path/to/chromium")


if __name__ == "__main__":
    get()
