"""`rum-hook CLIENT`: record the event, print offers, never block or break the client."""

from __future__ import annotations

import gc
import os
import sys
import time

from rum.surfaces.hooks.child_process import LATE, REST, can_pass_large_payload
from rum.surfaces.hooks.watchdog import QUICK_TO_PARSE, Watchdog, end_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_LATE_TIME_LIMIT = 30.0  # Seconds for a process that continues a hook; nobody waits for it


def main() -> NoReturn:
    """Run the console script `rum-hook`."""
    run(sys.argv[1:])


def run(arguments: list[str]) -> NoReturn:
    """Do the work of one hook and exit with 0, whatever happens, within the time limit.

    `--late TIME` continues a hook that began at TIME, without output; `--rest HANDLE` is where the rest of
    its payload is read from. It ends with `os._exit`, as the normal shutdown of the interpreter takes time.
    """
    gc.disable()  # it ends within moments, and its modules alone would set off several collections
    # Where it is installed, msgspec loads it, which takes as long as the start of the interpreter.
    # It does the same without it.
    sys.modules.setdefault("typing_extensions", None)  # pyright: ignore[reportArgumentType]
    try:
        options = dict(zip(arguments[1::2], arguments[2::2], strict=False))
        _run(arguments[0] if arguments else "", options.get(LATE), options.get(REST))
    finally:
        # The outer edge: no error may reach the client.
        os._exit(0)


def _run(client: str, began: str | None, rest: str | None) -> None:
    at = time.time() if began is None else float(began)
    watchdog = Watchdog(client, at)
    if began is None:
        watchdog.start()
        # The watchdog cannot interrupt the parser: a payload that is too large to parse in time goes to
        # another process at once.
        watchdog.reader.read(0, most=QUICK_TO_PARSE if can_pass_large_payload() else None)
        if not watchdog.reader.is_whole:
            watchdog.hand_over()
    else:
        end_after(_LATE_TIME_LIMIT)
        watchdog.reader.read(0, *([int(rest)] if rest else []))
    # Loaded late: from here on the watchdog can hand the payload over.
    from rum.surfaces.hooks.handle import handle_hook  # noqa: PLC0415

    handle_hook(client, at, watchdog, answer=began is None)
