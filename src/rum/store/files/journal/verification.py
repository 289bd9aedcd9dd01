"""What a changed journal must hold: where its text differs, it is read back before it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from rum.model.errors import InvalidQuery, StorageError
from rum.store.files.journal.text import JournalText
from rum.store.files.yaml import load, locate


class Value(NamedTuple):
    """The value of an entry, however it is written; of a section that is no block list, its whole value."""

    value: object


Part = str | Value
"""An entry that stays, by its text; or one that is new, by its value."""


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
