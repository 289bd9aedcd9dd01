"""End a hook in time, even if it is waiting, and start a process that finishes its work."""

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

TIME_LIMIT = 0.14  # Seconds after which a hook ends; with the start of the interpreter it takes less than 0.2
_GRACE = 0.25  # Additional seconds after which it ends even if handing over hangs
_SWITCH_INTERVAL = 0.0001  # Thread switch interval in seconds once the time is up, so that the watchdog runs


class Watchdog:
    """A timer in a thread. Until `recorded` is set it hands the work over to another process."""

    def __init__(self, client: str, at: float) -> None:
        self.reader = PayloadReader()
        self.recorded = False
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
        self._once.acquire()  # never released: the thread that holds it ends the process
        try:
            if not self.recorded and self.reader.stop():
                start_successor(self._client, self._at, self.reader.payload, is_whole=self.reader.is_whole)
        finally:
            os._exit(0)


def end_after(seconds: float) -> None:
    """End this process after some seconds, even if it is busy or waiting."""
    _thread.start_new_thread(_end, (seconds,))


def _end(seconds: float) -> NoReturn:
    time.sleep(seconds)
    os._exit(0)
