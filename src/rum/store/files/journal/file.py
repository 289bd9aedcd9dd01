"""One journal on disk: read at any time, changed by one writer at a time, always replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.journal import VERSION, Finding, Kind, format_timestamp, is_newer, problems
from rum.store.files.atomic_write import inside, locked, make_folder, read, replace
from rum.store.files.journal.outline import outline
from rum.store.files.journal.text import JournalText, with_header
from rum.store.files.yaml import LIMIT, field_name, load, locate
from rum.store.files.yaml_edit import merged

# Bytes of a journal that is still read, as little of it is parsed; nothing is written beyond LIMIT.
READ = 8 * LIMIT
LONGEST_ENTRY = 64 * 1024  # Characters of an entry

Changes = Callable[[Kind, dict[str, Any]], dict[str, Any]]
# How texts of several lines are tried: as blocks; if that reads back differently, in quotes.
_BLOCKS = (True, False)


class JournalFile:
    """The journal of an agent in a session; it need not exist yet."""

    def __init__(self, folder: str, path: str, session: str, agent: str) -> None:
        self.folder = folder
        """The folder of all sessions; no link may lead out of it."""
        self.path = path
        self.session = session
        self.agent = agent

    @property
    def is_full(self) -> bool:
        """Whether there may be no space for one more entry."""
        return self.exists and os.path.getsize(self.path) + LONGEST_ENTRY > LIMIT

    @property
    def exists(self) -> bool:
        """Whether anything was written yet."""
        return os.path.isfile(self.path)

    def read(self) -> JournalText:
        """Its content; an empty text if there is no file."""
        return JournalText(text_of(inside(self.folder, self.path)), self.path)

    def add(
        self, kind: Kind, entry_id: str | None, entry: Mapping[str, Any], now: float
    ) -> tuple[str, JournalText]:
        """Append an entry to its section. Returns its id, generated if None, and the journal before it."""
        ids: list[str] = []

        def with_entry(journal: JournalText) -> JournalText:
            if entry_id and journal.find(entry_id):
                raise InvalidQuery(
                    f"{self.path} has an entry `{entry_id}` already; update it, or use another id.",
                    field="id",
                )
            ids.append(entry_id or journal.next_id(kind))
            whole = {"id": ids[0], **entry}
            texts = (journal.with_entry(kind.section, whole, blocks=blocks) for blocks in _BLOCKS)
            return _first_valid(journal, texts, {kind.section: with_more(journal, kind.section, [whole])})

        before = self._change(with_entry, now)
        return ids[0], before

    def update(self, entry_id: str, changes: Changes, now: float) -> JournalText:
        """Set the fields that `changes` returns for the entry's current value. Returns the journal before."""
        if not self.exists:
            raise NotFound(f"There is no file {self.path}, so no entry `{entry_id}`.", id=entry_id)

        def with_changes(journal: JournalText) -> JournalText:
            kind, entry = journal.get(entry_id)
            fields = changes(kind, entry.value)
            new = merged(entry.value, fields)
            texts = (journal.with_changes(entry, fields, blocks=blocks) for blocks in _BLOCKS)
            wanted = {kind.section: with_one_changed(journal, kind.section, entry.start, new)}
            return _first_valid(journal, texts, wanted)

        return self._change(with_changes, now)

    def set_context(self, changes: Mapping[str, Any], now: float) -> JournalText:
        """Set some fields of the context; maps in it are merged. Returns the journal before."""

        def with_context(journal: JournalText) -> JournalText:
            texts = (journal.with_context(changes, blocks=blocks) for blocks in _BLOCKS)
            wanted = {"context": [Value({"context": merged(journal.context or {}, changes)})]}
            return _first_valid(journal, texts, wanted)

        return self._change(with_context, now)

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong with it, with lines and fields."""
        try:
            text = text_of(inside(self.folder, self.path))
            located = locate(text, self.path)
            outline(text, self.path)  # valid YAML may still have a layout that RUM cannot edit
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
                text = with_header(journal.text, self.session, self.agent, format_timestamp(now))
                journal = JournalText(text, self.path)
            replace(path, make(journal.with_line_end()).text.encode())
            return journal

    def refuse_newer(self, journal: JournalText) -> None:
        """A newer format is read as far as possible, and never written."""
        version = journal.scalar("version")
        if is_newer(version):
            raise StorageError(
                f"{self.path} has version {version}, and this RUM writes version {VERSION}: it is only read. "
                "Nothing was changed; install a newer RUM.",
                path=self.path,
            )


def text_of(path: str) -> str:
    """The text of a file; empty if there is none."""
    try:
        return (read(path, READ) or b"").decode()
    except UnicodeDecodeError as error:
        line = (error.object[: error.start]).count(b"\n") + 1
        raise InvalidQuery(f"{path}, line {line}: it is not UTF-8.", file=path, line=line) from None


def _first_valid(
    before: JournalText, texts: Iterable[str], changed: Mapping[str, Sequence[Part]]
) -> JournalText:
    return first_valid(before, (_checked_size(before, text) for text in texts), changed)


def _checked_size(before: JournalText, after: str) -> str:
    """The text after a change; an error if the entry or the journal is too large."""
    if len(after) - len(before.text) > LONGEST_ENTRY:
        raise InvalidQuery(
            f"An entry has at most {LONGEST_ENTRY // 1024} kB; put the rest in a file and name it.",
            limit=LONGEST_ENTRY,
        )
    if len(after.encode()) > LIMIT and len(after) > len(before.text):
        raise StorageError(
            f"{before.where} would have more than {LIMIT // 1024} kB, and nothing in it is old enough to be "
            "archived; continue in another session.",
            path=before.where,
        )
    return after


class Value(NamedTuple):
    """The value of an entry, however it is written; of a section that is no block list, its whole value."""

    value: object


Part = str | Value  # An entry that stays, by its text; or one that is new, by its value


def with_more(journal: JournalText, name: str, entries: Sequence[Mapping[str, object]]) -> list[Part]:
    """The parts of a section after some entries are appended."""
    section = journal.outline.sections.get(name)
    if section is None or journal.is_empty(name):
        return [*map(Value, entries)]
    if section.indent is None:
        return [Value({name: [*(entry.value for entry in journal.entries(name)), *entries]})]
    return [*journal.slices(name), *map(Value, entries)]


def with_one_changed(journal: JournalText, name: str, start: int, value: Mapping[str, object]) -> list[Part]:
    """The parts of a section after the entry at `start` has a new value."""
    entries = journal.entries(name)
    if journal.outline.sections[name].indent is None:
        return [Value({name: [value if entry.start == start else entry.value for entry in entries]})]
    texts = journal.slices(name)
    return [
        Value(value) if entry.start == start else text for entry, text in zip(entries, texts, strict=True)
    ]


def first_valid(
    before: JournalText, texts: Iterable[str], changed: Mapping[str, Sequence[Part]]
) -> JournalText:
    """The first of several texts in which the `changed` sections hold these parts, and no other changed.

    StorageError if none does: RUM writes no text that it has not read back.
    """
    for text in texts:
        after = JournalText(text, before.where)
        if _holds(before, after, changed):
            return after
    locate(before.text, before.where)  # if the journal is broken, that is the error to report
    raise StorageError(
        f"{before.where} is written in a way that RUM cannot change safely; nothing was changed. "
        "Check it with `rum journal validate`.",
        path=before.where,
    )


def _holds(before: JournalText, after: JournalText, changed: Mapping[str, Sequence[Part]]) -> bool:
    unchanged = {name: before.slices(name) for name in before.outline.sections}
    expected: dict[str, Sequence[Part]] = {**unchanged, **changed}
    try:
        same_sections = expected.keys() == after.outline.sections.keys()
        return same_sections and all(_same(after.slices(name), parts) for name, parts in expected.items())
    except InvalidQuery:
        return False


def _same(texts: Sequence[str], expected: Sequence[Part]) -> bool:
    return len(texts) == len(expected) and all(
        text == part or _value(text) == (part.value if isinstance(part, Value) else _value(part))
        for text, part in zip(texts, expected, strict=True)
    )


def _value(text: str) -> object:
    found = load(text, "a part of the journal")
    return cast("list[object]", found)[0] if isinstance(found, list) else found
