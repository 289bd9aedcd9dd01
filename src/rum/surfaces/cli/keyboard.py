"""Single keys and short lines from a terminal; what was typed ahead is not lost."""

from __future__ import annotations

import os
import sys

import click

if sys.platform != "win32":
    import select
    import termios
    import tty

END = "\x04"  # Ctrl-D, and the end of input
_ESCAPE = b"\x1b"
_SOON = 0.05  # Seconds in which the rest of an arrow key's sequence arrives


def read_key() -> str:
    """Wait for a key; `END` at the end of input, empty for arrow and function keys."""
    if sys.platform == "win32":
        try:
            key = click.getchar()
        except EOFError:
            return END
        return key if len(key) == 1 else ""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        # `click.getchar` drops what was typed ahead; TCSADRAIN does not.
        tty.setcbreak(terminal, termios.TCSADRAIN)
        key = os.read(terminal, 1)
        if key == _ESCAPE:
            while select.select([terminal], [], [], _SOON)[0] and os.read(terminal, 1):
                key = b"\xff"  # part of a longer sequence, in which letters are no keys
        return key.decode(errors="ignore") if key else END
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def read_line(question: str) -> str:
    """Ask for a line of a few words; empty at the end of input."""
    click.echo(f"{question} ", err=True, nl=False)
    line = ""
    while (key := read_key()) not in ("\r", "\n", END):
        if key in ("\x7f", "\b"):
            line = line[:-1]
            click.echo("\b \b", err=True, nl=False)
        elif key.isprintable():
            line += key
            click.echo(key, err=True, nl=False)
    click.echo(err=True)
    return "" if key == END else line.strip()
