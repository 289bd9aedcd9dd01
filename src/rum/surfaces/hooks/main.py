"""`rum-hook CLIENT`: take in what a hook is told, say what is worth knowing, and never stand in the way."""

from __future__ import annotations

import os
import sys
import time

from rum.surfaces.hooks.child_process import LATE, REST, can_hand_over_much
from rum.surfaces.hooks.stdin import QUICK
from rum.surfaces.hooks.watchdog import Watchdog, end_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_PATIENCE = 30.0
"""Seconds that a process may take which goes on for one whose time was up; nobody waits for it."""


def main() -> NoReturn:
    """The console script."""
    run(sys.argv[1:])


def run(arguments: list[str]) -> NoReturn:
    """Do the work of one hook and end the process with 0, whatever happens and within the time.

    With `--late TIME` it goes on for another process that began at TIME, and says nothing; with `--rest FILE`
    too, what that one had not read yet comes from there. It ends abruptly, as ending an interpreter in good
    order takes time, too.
    """
    try:
        options = dict(zip(arguments[1::2], arguments[2::2], strict=False))
        _take(arguments[0] if arguments else "", options.get(LATE), options.get(REST))
    finally:
        # The outer edge: of whatever went wrong nothing may reach the client.
        os._exit(0)


def _take(client: str, began: str | None, rest: str | None) -> None:
    at = time.time() if began is None else float(began)
    watchdog = Watchdog(client, at)
    if began is None:
        watchdog.start()
        _read_in_time(watchdog)
    else:
        end_after(_PATIENCE)
        watchdog.reading.read(0, *([int(rest)] if rest else []))
    # Loading it takes time, too: by now the payload can be handed over.
    from rum.surfaces.hooks.handle import take  # noqa: PLC0415

    take(client, at, watchdog, speak=began is None)


def _read_in_time(watchdog: Watchdog) -> None:
    """Read what the hook is told; with more than can be understood in time another process goes on at once.

    Taking a large payload apart is one step that no watchdog can break off.
    """
    watchdog.reading.read(0, most=QUICK if can_hand_over_much() else None)
    if not watchdog.reading.is_whole:
        watchdog.hand_over()
