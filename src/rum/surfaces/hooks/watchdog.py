"""Ends a hook in time, whatever it waits for, and starts a process that finishes its work."""

from __future__ import annotations

import _thread
import os
import sys
import time

from rum.surfaces.hooks.child_process import start_successor
from rum.surfaces.hooks.stdin import PayloadReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

TIME_LIMIT = 0.14
"""Seconds after which a hook gives up; with the interpreter's start it stays below 0.2."""
_GRACE = 0.25
"""More seconds after which it ends even if handing over hangs."""
_SWITCH_INTERVAL = 0.0001
"""Thread switch interval in seconds once the time is up, so that the watchdog runs."""


class Watchdog:
    """A timer beside the work. `kept` is set once the event is recorded; until then it hands over."""

    def __init__(self, client: str, at: float) -> None:
        self.reader = PayloadReader()
        self.kept = False
        self._client = client
        self._at = at
        self._once = _thread.allocate_lock()

    def start(self) -> None:
        """Start the timer."""
        _thread.start_new_thread(self._wait, ())
        end_after(TIME_LIMIT + _GRACE)

    def _wait(self) -> NoReturn:
        time.sleep(TIME_LIMIT)
        sys.setswitchinterval(_SWITCH_INTERVAL)
        self.hand_over()

    def hand_over(self) -> NoReturn:
        """End this process; unless its work is done, another one continues."""
        self._once.acquire()  # the thread that has it ends the process
        try:
            if not self.kept and self.reader.stop():
                start_successor(self._client, self._at, self.reader.payload, is_whole=self.reader.is_whole)
        finally:
            os._exit(0)


def end_after(seconds: float) -> None:
    """End this process then, whatever it does."""
    _thread.start_new_thread(_end, (seconds,))


def _end(seconds: float) -> NoReturn:
    time.sleep(seconds)
    os._exit(0)
