"""The moment at which something may be offered: what happens, what is known, and what was said already."""

from __future__ import annotations

import json
import os
import time

from rum.capture.events.event import from_line
from rum.capture.events.spool import MAX_FILE, MAX_LINE, files_of, folders
from rum.model.errors import InvalidQuery
from rum.store.sqlite.readonly import ReadOnlyStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rum.capture.events.event import Event, FileAccess
    from rum.inject.offers.text import Offer

    # (memory id, confidence, created at, goal, task type, success, summary, first learning).
    Similar = tuple[str, float, int, str, str, bool, str, str | None]

_LOOKED_AT = 512 * 1024  # Bytes at the end of a session's file in which its work is looked for
# Files of a session, the newest, in which offers are looked for: a long turn fills more than one.
_MOST_FILES = 4
_WHOLE = MAX_FILE + 2 * MAX_LINE
_MARK = b'"kind":"offered"'
_WORK = ("prompt", "after")


class Moment:
    """One event with the project's files, each looked into only when something asks for it."""

    def __init__(self, event: Event, folder: str, root: str | None) -> None:
        self.event = event
        self.folder = folder
        self.root = root
        self.store = ReadOnlyStore(folder)
        self.similar: list[Similar] | None = None
        """Memories like what the event says, once they were looked for."""
        self._offered: list[dict[str, object]] | None = None

    @property
    def offered(self) -> list[dict[str, object]]:
        """What was offered in this session: still in the spool, or taken in."""
        if self._offered is None:
            taken = [
                one for data in self._taken_in(("offered",)) for one in json.loads(data).get("offers", [])
            ]
            self._offered = [*self._in_spool(), *taken]
        return self._offered

    def was_offered(self, memory_id: str, kind: str | None = None) -> bool:
        """Whether a memory was offered in this session, in any way or in one."""
        for one in self.offered:
            named = one.get("memories")
            if isinstance(named, list) and memory_id in named and kind in (None, one.get("kind")):
                return True
        return False

    def offer(
        self,
        kind: str,
        memory_ids: Sequence[str],
        text: str,
        parts: Sequence[str],
        call: str = "",
        *,
        shorter: str = "",
        dear: int = -1,
    ) -> Offer:
        """An offer; by default the call for more is the recall of its first memory. See `text.offer`."""
        # Loaded late: most events get no offer, and a hook has little time.
        from rum.inject.offers.text import offer, recall_of  # noqa: PLC0415

        call = call or (recall_of(memory_ids[0]) if memory_ids else "")
        return offer(kind, memory_ids, text, parts, call, shorter=shorter, dear=dear)

    def count(self, kind: str) -> int:
        """How often something of a kind was offered in this session."""
        return sum(one.get("kind") == kind for one in self.offered)

    def session_events(self) -> list[Event]:
        """Prompts and calls of tools in this session, as far as they are at hand, oldest first."""
        rows = self._taken_in(_WORK)
        events = [from_line(data.encode()) for data in reversed(rows)]
        events += [from_line(line) for line in self._spooled()]
        return [event for event in events if event and event["kind"] in _WORK]

    @property
    def places(self) -> tuple[str, ...]:
        """Where hooks keep what they are told of this project."""
        home, name = os.path.dirname(os.path.dirname(self.folder)), os.path.basename(self.folder)
        return folders(home, name, self.folder)

    def _in_spool(self) -> list[dict[str, object]]:
        lines = (line for path in self._files() for line in _marked(_end_of(path, _WHOLE)))
        events = (from_line(line) for line in lines)
        return [one for event in events if event for one in event.get("offers", [])]

    def _spooled(self) -> list[bytes]:
        """The last lines of the session's spool."""
        return [line for path in self._files()[-1:] for line in _end_of(path, _LOOKED_AT).split(b"\n")]

    def _files(self) -> list[str]:
        """The session's files in all places, as which place is used may change within a session."""
        found = [path for place in self.places for path in files_of(place, self.event["session"])]
        return found[-_MOST_FILES:]

    def _taken_in(self, kinds: tuple[str, ...]) -> list[str]:
        """What is kept of this session's events of some kinds, newest first."""
        return self.store.session_events(self.event["client"], self.event["session"], kinds)

    def path_of(self, file: FileAccess) -> str | None:
        """A file as memories name it; None for what is no path."""
        from rum.repo.files import relative_path  # noqa: PLC0415

        try:
            return relative_path(file["path"], self.root, self.event["cwd"])
        except InvalidQuery:
            return None


def _end_of(path: str, most: int) -> bytes:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most))
            return file.read(most)
    except OSError:
        return b""


def _marked(data: bytes) -> Iterator[bytes]:
    """The lines that tell of offers; most of the data is not even split."""
    at = data.find(_MARK)
    while at >= 0:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield data[data.rfind(b"\n", 0, at) + 1 : end]
        at = data.find(_MARK, end)


def day(at: float) -> str:
    """A time in Unix seconds as a date."""
    return time.strftime("%Y-%m-%d", time.gmtime(at))
