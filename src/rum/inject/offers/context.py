"""The context of an offer: the event, the project's memories, and the earlier offers of the session."""

from __future__ import annotations

import json
import os
import time

from rum.capture.events.event import from_line
from rum.capture.events.spool import MAX_FILE, MAX_LINE, files_of, folders
from rum.model.errors import InvalidQuery
from rum.repo.files import relative_path
from rum.store.sqlite.readonly import ReadOnlyStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rum.capture.events.event import Event, FileAccess
    from rum.inject.offers.text import Offer

    # (memory id, confidence, created at, goal, task type, result, reason or summary, first learning).
    Similar = tuple[str, float, int, str, str, str, str, str | None]

_TAIL_BYTES = 512 * 1024  # Bytes read at the end of a session's file to find its recent work
# The newest files of a session, which are searched for offers: a long turn fills more than one.
_MAX_FILES = 4
_MAX_FILE_BYTES = MAX_FILE + 2 * MAX_LINE
_MAX_TEXT = 1024 * 1024  # Bytes of a file of the project in which lines are searched
_TOLD = 40  # Characters by which a text is recognised in an offer, which may have shortened it
_OFFERED_MARK = b'"kind":"offered"'
_WORK_KINDS = ("prompt", "after", "failed")


class OfferContext:
    """One event with the project's files, each of which is read only when needed."""

    def __init__(
        self,
        event: Event,
        folder: str,
        root: str | None,
        store: ReadOnlyStore | None = None,
        server: object = None,
    ) -> None:
        """`server` is a store that is not in files."""
        self.event = event
        self.folder = folder
        self.root = root
        self.store = store or ReadOnlyStore(folder, server)
        self.similar: list[Similar] | None = None
        """Memories similar to the prompt; None before the search."""
        self._offered: list[dict[str, object]] | None = None
        self._last_offered_at = 0.0

    @property
    def offered(self) -> list[dict[str, object]]:
        """The earlier offers of this session, from the spool and from the store."""
        if self._offered is None:
            offers: list[dict[str, object]] = []
            for path in self._session_files():
                for line in _offer_lines(_read_end(path, _MAX_FILE_BYTES)):
                    if event := from_line(line):
                        offers += event.get("offers", [])
                        self._last_offered_at = max(self._last_offered_at, event["at"])
            for data in self._stored_events(("offered",)):
                stored = json.loads(data)
                offers += stored.get("offers", [])
                self._last_offered_at = max(self._last_offered_at, stored.get("at", 0))
            self._offered = offers
        return self._offered

    @property
    def last_offered_at(self) -> float:
        """When something was last offered in this session; 0 if nothing was."""
        return self._last_offered_at if self.offered else 0.0

    def was_offered(self, memory_id: str, kind: str | None = None) -> bool:
        """Whether a memory was offered in this session, in an offer of this kind or of any."""
        return any(kind in (None, offer.get("kind")) for offer in self._offers_of(memory_id))

    def was_mentioned(self, memory_id: str, text: str) -> bool:
        """Whether an offer of a memory in this session said this; yes if its words are no longer kept."""
        beginning = " ".join(text.split())[:_TOLD].rstrip(" .:;,")  # as offers cut the end
        return any(beginning in str(offer.get("text") or beginning) for offer in self._offers_of(memory_id))

    def _offers_of(self, memory_id: str) -> Iterator[dict[str, object]]:
        for offer in self.offered:
            memory_ids = offer.get("memories")
            if isinstance(memory_ids, list) and memory_id in memory_ids:
                yield offer

    def offer(
        self,
        kind: str,
        memory_ids: Sequence[str],
        text: str,
        parts: Sequence[str],
        call: str = "",
        *,
        shorter: str = "",
        important_part: int = -1,
    ) -> Offer:
        """An offer; by default the call for more is the recall of its first memory. See `text.offer`."""
        # Loaded late: most events get no offer, and a hook has little time.
        from rum.inject.offers.text import offer, recall_of  # noqa: PLC0415

        call = call or (recall_of(memory_ids[0]) if memory_ids else "")
        if len(memory_ids) == 1 and (remark := self.code_remarks(memory_ids).get(memory_ids[0])):
            # As a sentence of its own, as the templates end with one.
            ending = f" {remark[0].upper()}{remark[1:]}."
            text, shorter = text + ending, shorter and shorter + ending
        return offer(kind, memory_ids, text, parts, call, shorter=shorter, important_part=important_part)

    def code_remarks(self, memory_ids: Sequence[str]) -> dict[str, str]:
        """What must be said of memories whose code is not what it was, in a few words."""
        known = self.store.anchors(memory_ids) if self.root else {}
        if not known or not self.root:
            return {}
        from rum.repo.anchors.checkout import remarks  # noqa: PLC0415 (most events get no offer)

        return remarks(known, self.root, self.folder, self.store.later_names)

    def count(self, kind: str) -> int:
        """The number of offers of a kind in this session."""
        return sum(offer.get("kind") == kind for offer in self.offered)

    def session_events(self) -> list[Event]:
        """The known prompts and tool calls of this session, oldest first."""
        rows = self._stored_events(_WORK_KINDS)
        lines = [data.encode() for data in reversed(rows)]
        for path in self._session_files()[-1:]:
            lines += _read_end(path, _TAIL_BYTES).split(b"\n")
        events = map(from_line, lines)
        return [event for event in events if event and event["kind"] in _WORK_KINDS]

    @property
    def spool_folders(self) -> tuple[str, ...]:
        """The folders in which hooks spool events of this project."""
        home, name = os.path.dirname(os.path.dirname(self.folder)), os.path.basename(self.folder)
        return folders(home, name, self.folder)

    def _session_files(self) -> list[str]:
        """The session's files in all spool folders, as the folder may change within a session."""
        paths = [path for folder in self.spool_folders for path in files_of(folder, self.event["session"])]
        return paths[-_MAX_FILES:]

    def _stored_events(self, kinds: tuple[str, ...]) -> list[str]:
        """The stored events of this session that are of these kinds, newest first."""
        return self.store.session_events(self.event["client"], self.event["session"], kinds)

    def path_of(self, file: FileAccess) -> str | None:
        """A file's path as in memories; None if it is not a path."""
        try:
            return relative_path(file["path"], self.root, self.event["cwd"])
        except InvalidQuery:
            return None

    def text_of(self, path: str) -> str | None:
        """What is in a file of the project now; None if it cannot be read."""
        try:
            with open(os.path.join(self.root or self.event["cwd"], path), "rb") as opened:
                return opened.read(_MAX_TEXT).decode("utf-8", "replace").replace("\r\n", "\n")
        except (OSError, ValueError):
            return None


def has_line(text: str, line: str) -> bool:
    """Whether a line of code, without its indentation, is in a text."""
    return bool(line) and any(one.strip() == line for one in text.splitlines())


def _read_end(path: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - limit))
            return file.read(limit)
    except OSError:
        return b""


def _offer_lines(data: bytes) -> Iterator[bytes]:
    """The lines that record offers, without splitting the rest of the data."""
    at = data.find(_OFFERED_MARK)
    while at >= 0:
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield data[data.rfind(b"\n", 0, at) + 1 : end]
        at = data.find(_OFFERED_MARK, end)


def day(at: float) -> str:
    """A time in Unix seconds as a date."""
    return time.strftime("%Y-%m-%d", time.gmtime(at))
