"""Read a hook's payload, and end the hook in time; another process then finishes its work."""

from __future__ import annotations

# Not `threading`, which takes longer to load.
import _thread
import os
import sys
import time

from rum.surfaces.hooks.child_process import start_successor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

# Maximum size in bytes; of a larger payload only the beginning and the end are kept.
LARGEST = 8 * 1024 * 1024
QUICK_TO_PARSE = 512 * 1024  # Bytes that can be parsed within a hook's time limit, whatever they hold
END_SIZE = 16 * 1024  # Bytes kept of the end of a larger payload, and searched at both ends

_CHUNK = 64 * 1024
_LOCK_TIMEOUT = 0.02  # Seconds to wait for a read in progress
# Seconds after which a hook ends, by the name of the client's hook; the start of the interpreter is not
# included. The agent waits for each tool call, so those hooks end within 0.2 s. A person waits seconds for an
# answer to a prompt or the start of a session, and a busy machine needs that time.
TIME_LIMIT = 0.14
TIME_LIMITS = {
    b"SessionStart": 1.7,
    b"sessionStart": 1.7,
    b"UserPromptSubmit": 1.2,
    b"userPromptSubmit": 1.2,
    b"BeforeAgent": 1.2,
    b"Stop": 1.2,
}
_HOOK_NAME = rb'(?<!\\)"hook_?[eE]vent_?[nN]ame"\s*:\s*"(\w+)"'
_GRACE = 0.25  # Additional seconds after which it ends even if handing over hangs
_SWITCH_INTERVAL = 0.0001  # Thread switch interval in seconds once the time is up, so that the watchdog runs


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
        if os.name != "nt":  # where only sockets can be waited for
            import select  # noqa: PLC0415 (Windows has no use for it)

            select.select([source], [], [])  # outside the lock, as it may take long
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


class Watchdog:
    """A timer in a thread. Until `recorded` is set it hands the work over to another process.

    `record_muted` is called if the time is up after that, before an answer was printed.
    """

    def __init__(self, client: str, at: float) -> None:
        self.reader = PayloadReader()
        self.recorded = False
        self.record_muted: Callable[[], object] | None = None
        self._client = client
        self._at = at
        self._once = _thread.allocate_lock()

    def start(self) -> None:
        """Start the timer."""
        _thread.start_new_thread(self._wait, ())

    def _wait(self) -> NoReturn:
        time.sleep(TIME_LIMIT)
        # Only now: most hooks have ended, and the payload has been read.
        if (more := time_limit(self.reader.payload) - TIME_LIMIT) > 0:
            time.sleep(more)
        end_after(_GRACE)
        sys.setswitchinterval(_SWITCH_INTERVAL)
        self.hand_over()

    def hand_over(self) -> NoReturn:
        """End this process; unless its work is done, another one continues."""
        self._once.acquire()  # never released: the thread that holds it ends the process
        try:
            if self.recorded:
                if self.record_muted is not None:
                    self.record_muted()
            elif self.reader.stop():
                start_successor(self._client, self._at, self.reader.payload, is_whole=self.reader.is_whole)
        finally:
            os._exit(0)


def time_limit(payload: bytes) -> float:
    """The seconds that a hook may take, by the first name of a hook in its payload."""
    import re  # noqa: PLC0415 (most hooks end before they need it)

    found = re.search(_HOOK_NAME, payload)
    return TIME_LIMITS.get(found[1], TIME_LIMIT) if found else TIME_LIMIT


def end_after(seconds: float) -> None:
    """End this process after some seconds, even if it is busy or waiting."""
    _thread.start_new_thread(_end, (seconds,))


def _end(seconds: float) -> NoReturn:
    time.sleep(seconds)
    os._exit(0)
