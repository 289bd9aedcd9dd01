"""One journal on disk: read at any time, changed by one writer at a time, replaced whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.journal import VERSION, Kind, is_newer, moment
from rum.model.journal_answers import Finding
from rum.model.journal_check import problems
from rum.store.files.journal_text import JournalText, begun
from rum.store.files.outline import outline
from rum.store.files.writing import inside, locked, make_folder, read, replace
from rum.store.files.yaml import field_name, locate
from rum.store.files.yaml_edit import merged

LIMIT = 8 * 1024 * 1024
"""Bytes of a journal that are still looked at."""
LONGEST = 64 * 1024
"""Characters of an entry: more than that nobody reads again."""

Changes = Callable[[Kind, dict[str, Any]], dict[str, Any]]


class JournalFile:
    """The journal of an agent in a session; it need not exist yet."""

    def __init__(self, folder: str, path: str, session: str, agent: str) -> None:
        self.folder = folder
        """The folder of all sessions, which a link must not lead out of."""
        self.path = path
        self.session = session
        self.agent = agent

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
        """Append an entry to its section; its id, made where none was given, and the journal then."""
        made: list[str] = []

        def with_entry(journal: JournalText) -> JournalText:
            if entry_id and journal.find(entry_id):
                raise InvalidQuery(
                    f"{self.path} has an entry `{entry_id}` already; update it, or give another id.",
                    field="id",
                )
            made.append(entry_id or journal.next_id(kind))
            whole = {"id": made[0], **entry}
            text = _within(journal, journal.with_entry(kind.section, whole))
            grown = text.count(kind) == journal.count(kind) + 1
            prove(grown and text.ends(kind.section)[-1].value == whole, self.path)
            return text

        after = self._change(with_entry, now)
        return made[0], after

    def update(self, entry_id: str, changes: Changes, now: float) -> JournalText:
        """Set some fields of an entry, as `changes` says for what it is and holds now; the journal then."""
        if not self.exists:
            raise NotFound(f"{self.path} is not there, so it has no entry `{entry_id}`.", id=entry_id)

        def with_changes(journal: JournalText) -> JournalText:
            kind, entry = journal.one(entry_id)
            wanted = changes(kind, entry)
            text = _within(journal, journal.with_changes(entry_id, wanted))
            prove(text.one(entry_id) == (kind, merged(entry, wanted)), self.path)
            return text

        return self._change(with_changes, now)

    def set_context(self, changes: Mapping[str, Any], now: float) -> JournalText:
        """Set some fields of the context; maps in it are merged."""

        def with_context(journal: JournalText) -> JournalText:
            text = _within(journal, journal.with_context(changes))
            prove(text.context == merged(journal.context or {}, changes), self.path)
            return text

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
            after = make(journal)
            replace(path, after.text.encode())
            return after

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
        return (read(path, LIMIT) or b"").decode()
    except UnicodeDecodeError as error:
        line = (error.object[: error.start]).count(b"\n") + 1
        raise InvalidQuery(f"{path}, line {line}: it is not UTF-8.", file=path, line=line) from None


def _within(before: JournalText, after: str) -> JournalText:
    """Refuse what would make a journal too long to be read."""
    if len(after) - len(before.text) > LONGEST:
        raise InvalidQuery(
            f"An entry has at most {LONGEST // 1024} kB; name the file that holds the rest.", limit=LONGEST
        )
    if len(after.encode()) > LIMIT:
        raise StorageError(
            f"{before.where} would have more than {LIMIT // 1024} kB; archive it first.", path=before.where
        )
    return JournalText(after, before.where)


def prove(holds: bool, path: str) -> None:
    """Write only what reads back: a file may be so odd that lines put into it mean something else."""
    if not holds:
        raise StorageError(
            f"{path} is written in a way that RUM cannot add to safely; nothing was changed. "
            "Check it with `rum journal validate`.",
            path=path,
        )
