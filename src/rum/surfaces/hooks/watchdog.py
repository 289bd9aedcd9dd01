"""Ends a hook in time, whatever it waits for, and lets another process finish what it could not."""

from __future__ import annotations

import _thread
import os
import sys
import time

from rum.surfaces.hooks.child_process import go_on
from rum.surfaces.hooks.stdin import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

TIME = 0.14
"""Seconds after which a hook gives up. The interpreter's own start comes before, so all stays below 0.2."""
_AT_LAST = 0.25
"""Seconds after which it ends even if handing over hangs, which it has no reason to do."""
_EAGER = 0.0001
"""Seconds after which the work makes room for the watchdog, once its time is up."""


class Watchdog:
    """A clock that runs beside the work: `reading` what the hook is told, until that is safely `kept`."""

    def __init__(self, client: str, at: float) -> None:
        self.reading = Reading()
        self.kept = False
        self._client = client
        self._at = at
        self._once = _thread.allocate_lock()

    def start(self) -> None:
        """Let the time run, after which another process goes on."""
        _thread.start_new_thread(self._wait, ())
        end_after(TIME + _AT_LAST)

    def _wait(self) -> NoReturn:
        time.sleep(TIME)
        sys.setswitchinterval(_EAGER)
        self.hand_over()

    def hand_over(self) -> NoReturn:
        """End this process; unless its work is done, have another one go on."""
        self._once.acquire()  # whoever has it ends the process
        try:
            if not self.kept and self.reading.stop():
                go_on(self._client, self._at, self.reading.payload, is_whole=self.reading.is_whole)
        finally:
            os._exit(0)


def end_after(seconds: float) -> None:
    """End this process then, whatever it does."""
    _thread.start_new_thread(_end, (seconds,))


def _end(seconds: float) -> NoReturn:
    time.sleep(seconds)
    os._exit(0)
