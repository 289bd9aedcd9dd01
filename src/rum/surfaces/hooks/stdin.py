"""Read the payload so that another process can continue where this one stopped."""

from __future__ import annotations

# Not `threading`, which takes longer to load.
import _thread
import os

# Maximum size in bytes; of a larger payload only the beginning and the end are kept.
LARGEST = 8 * 1024 * 1024
QUICK_TO_PARSE = 512 * 1024  # Bytes that can be parsed within a hook's time limit, whatever they hold
END_SIZE = 16 * 1024  # Bytes kept of the end of a larger payload, and searched at both ends

_CHUNK = 64 * 1024
_LOCK_TIMEOUT = 0.02  # Seconds to wait for a read in progress


class PayloadReader:
    """Reads a payload; of one larger than LARGEST it keeps the beginning and the end."""

    def __init__(self) -> None:
        self.is_whole = False
        self._head, self._tail = bytearray(), b""
        self._lock = _thread.allocate_lock()

    @property
    def payload(self) -> bytes:
        """The bytes read so far."""
        return bytes(self._head) + self._tail

    def read(self, *sources: int, most: int | None = None) -> None:
        """Read all sources to their end, so that the client's write does not fail.

        With `most` it stops after about that many bytes; `is_whole` says whether that was everything.
        """
        for source in sources:
            while self._read(source):
                if most is not None and len(self._head) > most:
                    return
        self.is_whole = True

    def _read(self, source: int) -> bool:
        _wait_readable(source)
        with self._lock:
            piece = os.read(source, _CHUNK)
            if len(self._head) <= LARGEST:
                self._head += piece
            else:
                self._tail = (self._tail + piece)[-END_SIZE:]
        return bool(piece)

    def stop(self) -> bool:
        """Stop reading; False if a read is in progress and may still consume bytes."""
        return self._lock.acquire(timeout=_LOCK_TIMEOUT)


def _wait_readable(source: int) -> None:
    """Wait until there is something to read; outside the lock, as it may take long."""
    if os.name != "nt":  # where only sockets can be waited for
        import select  # noqa: PLC0415 (Windows has no use for it)

        select.select([source], [], [])
