"""What a hook reads of what it is told, so that another process can go on reading where it stopped."""

from __future__ import annotations

import _thread
import os

LARGEST = 8 * 1024 * 1024
"""Bytes of a payload that are kept in mind as a whole."""
QUICK = 512 * 1024
"""Bytes of a payload that can be understood in the time of a hook, whatever they say."""
ENDS = 16 * 1024
"""Bytes that are kept of the end of a larger one."""

_AT_ONCE = 64 * 1024
_HOLD = 0.02
"""Seconds within which whoever reads has put down what it read."""


class Reading:
    """A payload that comes in; of too much, both ends."""

    def __init__(self) -> None:
        self.is_whole = False
        self._head, self._tail = bytearray(), b""
        self._lock = _thread.allocate_lock()

    @property
    def payload(self) -> bytes:
        """What was read by now."""
        return bytes(self._head) + self._tail

    def read(self, *sources: int, most: int | None = None) -> None:
        """Read everything there is, one source after the other, so that the client's writing ends well.

        With `most` it stops after about so many bytes, and is whole only if that was everything.
        """
        for source in sources:
            while self._read(source):
                if most is not None and len(self._head) > most:
                    return
        self.is_whole = True

    def _read(self, source: int) -> bool:
        _await(source)
        with self._lock:
            piece = os.read(source, _AT_ONCE)
            if len(self._head) <= LARGEST:
                self._head += piece
            else:
                self._tail = (self._tail + piece)[-ENDS:]
        return bool(piece)

    def stop(self) -> bool:
        """Read no more from now on; False if nobody can tell what a read that goes on will take."""
        return self._lock.acquire(timeout=_HOLD)


def _await(source: int) -> None:
    """Wait until there is something to read: outside the lock, as that may take any time."""
    if os.name != "nt":  # where only sockets can be waited for
        import select  # noqa: PLC0415 (Windows has no use for it)

        select.select([source], [], [])
