"""Run the program on a pseudo-terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import NamedTuple

import pytest

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")


class Screen(NamedTuple):
    """The exit code, and the text on the screen."""

    code: int
    text: str


CTRL_C = "\x03"


def on_terminal(*arguments: str, wait_for: str = "", typed: str = "", **environment: str) -> Screen:
    """Run `python -m rum` on a terminal; type something or press Ctrl-C once `wait_for` is printed."""
    screen, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rum", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
        # A shell starts background jobs with Ctrl-C ignored, and the tests may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    os.close(theirs)
    output = b""
    answered = not wait_for
    while chunk := _read(screen):
        output += chunk
        if not answered and wait_for.encode() in output:
            answered = True
            if typed == CTRL_C:
                process.send_signal(signal.SIGINT)
            else:
                os.write(screen, typed.encode() + b"\n")
    os.close(screen)
    return Screen(process.wait(), output.decode().replace("\r\n", "\n"))


def _read(screen: int) -> bytes:
    try:
        return os.read(screen, 4096)
    except OSError:  # Linux says EIO when the other side is closed
        return b""
