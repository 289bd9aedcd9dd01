"""`rum-hook CLIENT`: take in what a hook is told, say what is worth knowing, and never stand in the way."""

from __future__ import annotations

import os
import sys
import time

from rum.surfaces.hooks.watchdog import Watchdog, end_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

LATE = "--late"
LARGEST = 8 * 1024 * 1024
"""Bytes of a payload that are kept in mind as a whole."""
ENDS = 16 * 1024
"""Bytes that are kept of the end of a larger one."""

_PATIENCE = 30.0
"""Seconds that a process may take which goes on for one whose time was up; nobody waits for it."""
_AT_ONCE = 1024 * 1024


def main() -> NoReturn:
    """The console script."""
    run(sys.argv[1:])


def run(arguments: list[str]) -> NoReturn:
    """Do the work of one hook and end the process with 0, whatever happens and within the time.

    With `--late TIME` it goes on for another process that began at TIME, and says nothing. It ends abruptly,
    as ending an interpreter in good order takes time, too.
    """
    try:
        _take(arguments[0] if arguments else "", arguments[2] if arguments[1:2] == [LATE] else None)
    finally:
        # The outer edge: of whatever went wrong nothing may reach the client.
        os._exit(0)


def _take(client: str, began: str | None) -> None:
    at = time.time() if began is None else float(began)
    watchdog = Watchdog(client, at)
    if began is None:
        watchdog.start()
    else:
        end_after(_PATIENCE)
    watchdog.payload = _read(watchdog)
    # Loading it takes time, too: by now the payload can be handed over.
    from rum.surfaces.hooks.taking import take  # noqa: PLC0415

    take(client, at, watchdog, speak=began is None)


def _read(watchdog: Watchdog) -> bytes:
    """Everything there is to read, so that the client's writing ends well; of too much, both ends."""
    head, tail = bytearray(), b""
    while piece := os.read(0, _AT_ONCE):
        watchdog.begun = True
        if len(head) <= LARGEST:
            head += piece
        else:
            tail = (tail + piece)[-ENDS:]
    return bytes(head) + tail
