"""Run the command line on a pseudo-terminal: in this process or as a program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import pytest

from rum.surfaces.cli.main import main

needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")


class Screen(NamedTuple):
    """The exit code, and the text on the screen."""

    code: int
    text: str


def on_terminal(*arguments: str, wait_for: str = "", typed: str = "", **environment: str) -> Screen:
    """Run a command in this process on a terminal; type something once `wait_for` is printed."""
    screen, theirs = os.openpty()
    with ExitStack() as after:
        output = after.enter_context(
            _watched(screen, wait_for, lambda: os.write(screen, typed.encode() + b"\n"))
        )
        patch = after.enter_context(pytest.MonkeyPatch.context())
        for name, value in _environment(environment).items():
            patch.setenv(name, value)
        for name in ("stdin", "stdout", "stderr"):
            stream = open(os.dup(theirs), "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115
            patch.setattr(sys, name, after.enter_context(stream))
        os.close(theirs)
        code = main(list(arguments))
    return Screen(code, output.decode().replace("\r\n", "\n"))


def interrupted_on_terminal(*arguments: str, wait_for: str) -> Screen:
    """Run `python -m rum` on a terminal; press Ctrl-C once `wait_for` is printed."""
    screen, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rum", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **_environment({})},
        # A shell starts background jobs with Ctrl-C ignored, and the tests may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    os.close(theirs)
    with _watched(screen, wait_for, lambda: process.send_signal(signal.SIGINT)) as output:
        code = process.wait()
    return Screen(code, output.decode().replace("\r\n", "\n"))


def _environment(more: dict[str, str]) -> dict[str, str]:
    return {"TERM": "xterm-256color", "COLUMNS": "100", **more}


@contextmanager
def _watched(screen: int, wait_for: str, react: Callable[[], object]) -> Iterator[bytearray]:
    """Collect what is printed until the other side is closed, and react once `wait_for` is there."""
    output = bytearray()

    def watch() -> None:
        waiting = bool(wait_for)
        while chunk := _read(screen):
            output.extend(chunk)
            if waiting and wait_for.encode() in output:
                waiting = False
                react()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield output
    finally:
        watcher.join()
        os.close(screen)


def _read(screen: int) -> bytes:
    try:
        return os.read(screen, 4096)
    except OSError:  # Linux says EIO when the other side is closed
        return b""
