"""One journal on disk: read at any time, changed by one writer at a time, replaced whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.journal import VERSION, Kind, is_newer, moment
from rum.model.journal_answers import Finding
from rum.model.journal_check import problems
from rum.store.files.atomic_write import inside, locked, make_folder, read, replace
from rum.store.files.journal.outline import outline
from rum.store.files.journal.text import JournalText, begun
from rum.store.files.journal.verification import Part, Said, more, one_changed, proven
from rum.store.files.yaml import LIMIT, field_name, locate
from rum.store.files.yaml_edit import merged

READ = 8 * LIMIT
"""Bytes of a journal that are still read where little of it is parsed; nothing is written beyond LIMIT."""
LONGEST = 64 * 1024
"""Characters of an entry: more than that nobody reads again."""

Changes = Callable[[Kind, dict[str, Any]], dict[str, Any]]
_BLOCKS = (True, False)
"""Texts are written as blocks; where that reads back as something else, in quotes."""


class JournalFile:
    """The journal of an agent in a session; it need not exist yet."""

    def __init__(self, folder: str, path: str, session: str, agent: str) -> None:
        self.folder = folder
        """The folder of all sessions, which a link must not lead out of."""
        self.path = path
        self.session = session
        self.agent = agent

    @property
    def is_full(self) -> bool:
        """Whether there may be no room for one more entry."""
        return self.exists and os.path.getsize(self.path) + LONGEST > LIMIT

    @property
    def exists(self) -> bool:
        """Whether anything was written down yet."""
        return os.path.isfile(self.path)

    def read(self) -> JournalText:
        """What it holds now; an empty text where there is none."""
        return JournalText(text_of(inside(self.folder, self.path)), self.path)

    def add(
        self, kind: Kind, entry_id: str | None, entry: Mapping[str, Any], now: float
    ) -> tuple[str, JournalText]:
        """Append an entry to its section; its id, made where none was given, and the journal until then."""
        made: list[str] = []

        def with_entry(journal: JournalText) -> JournalText:
            if entry_id and journal.find(entry_id):
                raise InvalidQuery(
                    f"{self.path} has an entry `{entry_id}` already; update it, or give another id.",
                    field="id",
                )
            made.append(entry_id or journal.next_id(kind))
            whole = {"id": made[0], **entry}
            texts = (journal.with_entry(kind.section, whole, blocks=blocks) for blocks in _BLOCKS)
            return _proven(journal, texts, {kind.section: more(journal, kind.section, [whole])})

        before = self._change(with_entry, now)
        return made[0], before

    def update(self, entry_id: str, changes: Changes, now: float) -> JournalText:
        """Set some fields of an entry, as `changes` says for what it holds now; the journal until then."""
        if not self.exists:
            raise NotFound(f"{self.path} is not there, so it has no entry `{entry_id}`.", id=entry_id)

        def with_changes(journal: JournalText) -> JournalText:
            kind, entry = journal.one(entry_id)
            fields = changes(kind, entry.value)
            new = merged(entry.value, fields)
            texts = (journal.with_changes(entry, fields, blocks=blocks) for blocks in _BLOCKS)
            wanted = {kind.section: one_changed(journal, kind.section, entry.start, new)}
            return _proven(journal, texts, wanted)

        return self._change(with_changes, now)

    def set_context(self, changes: Mapping[str, Any], now: float) -> JournalText:
        """Set some fields of the context; maps in it are merged; the journal until then."""

        def with_context(journal: JournalText) -> JournalText:
            texts = (journal.with_context(changes, blocks=blocks) for blocks in _BLOCKS)
            wanted = {"context": [Said({"context": merged(journal.context or {}, changes)})]}
            return _proven(journal, texts, wanted)

        return self._change(with_context, now)

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong with it, with lines and fields."""
        try:
            text = text_of(inside(self.folder, self.path))
            located = locate(text, self.path)
            outline(text, self.path)  # it may be valid YAML, and yet nothing that could be written into
        except RumError as error:
            line, field = error.details.get("line", 1), error.details.get("field", "")
            yield Finding(int(str(line)), str(field), error.message)
            return
        for path, message in problems(located.value):
            yield Finding(located.line(path), field_name(path), message)

    def _change(self, make: Callable[[JournalText], JournalText], now: float) -> JournalText:
        path = inside(self.folder, self.path)
        make_folder(os.path.dirname(path))
        with locked(path):
            journal = JournalText(text_of(path), self.path)
            self.refuse_newer(journal)
            if not journal.outline.sections:
                text = begun(journal.text, self.session, self.agent, moment(now))
                journal = JournalText(text, self.path)
            replace(path, make(journal.ended()).text.encode())
            return journal

    def refuse_newer(self, journal: JournalText) -> None:
        """A format that is not known yet is read as far as it goes, and never written."""
        version = journal.scalar("version")
        if is_newer(version):
            raise StorageError(
                f"{self.path} has version {version}, and this RUM writes version {VERSION}: it is only read. "
                "Nothing was changed; install a newer RUM.",
                path=self.path,
            )


def text_of(path: str) -> str:
    """The text of a journal, empty where there is none."""
    try:
        return (read(path, READ) or b"").decode()
    except UnicodeDecodeError as error:
        line = (error.object[: error.start]).count(b"\n") + 1
        raise InvalidQuery(f"{path}, line {line}: it is not UTF-8.", file=path, line=line) from None


def _proven(before: JournalText, texts: Iterable[str], changed: Mapping[str, Sequence[Part]]) -> JournalText:
    return proven(before, (_within(before, text) for text in texts), changed)


def _within(before: JournalText, after: str) -> str:
    """Refuse what would make a journal too long to be read."""
    if len(after) - len(before.text) > LONGEST:
        raise InvalidQuery(
            f"An entry has at most {LONGEST // 1024} kB; name the file that holds the rest.", limit=LONGEST
        )
    if len(after.encode()) > LIMIT and len(after) > len(before.text):
        raise StorageError(
            f"{before.where} would have more than {LIMIT // 1024} kB, and nothing in it is old enough to be "
            "archived; go on in another session.",
            path=before.where,
        )
    return after
