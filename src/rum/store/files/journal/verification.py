"""What a changed journal must say: it is read back before it is written, where its text is not the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from rum.model.errors import InvalidQuery, StorageError
from rum.store.files.journal.text import JournalText
from rum.store.files.yaml import load, locate


class Said(NamedTuple):
    """What an entry must say, however it is written; of a section that is no list of entries, all of it."""

    value: object


Part = str | Said
"""An entry that stays: by its text; or one that is new: by what it says."""


def more(journal: JournalText, name: str, entries: Sequence[Mapping[str, object]]) -> list[Part]:
    """A section after some entries more."""
    section = journal.outline.sections.get(name)
    if section is None or journal.is_empty(name):
        return [*map(Said, entries)]
    if section.indent is None:
        return [Said({name: [*(one.value for one in journal.entries(name)), *entries]})]
    return [*journal.slices(name), *map(Said, entries)]


def one_changed(journal: JournalText, name: str, start: int, new: Mapping[str, object]) -> list[Part]:
    """A section after the entry that begins there was changed."""
    entries = journal.entries(name)
    if journal.outline.sections[name].indent is None:
        return [Said({name: [new if one.start == start else one.value for one in entries]})]
    return [
        Said(new) if one.start == start else text
        for one, text in zip(entries, journal.slices(name), strict=True)
    ]


def proven(before: JournalText, texts: Iterable[str], changed: Mapping[str, Sequence[Part]]) -> JournalText:
    """The first of some ways to write a change down that reads back as it should.

    In some sections it says what is wanted, in all others what it said before; only such a text is written.
    """
    for text in texts:
        after = JournalText(text, before.where)
        if _holds(before, after, changed):
            return after
    locate(before.text, before.where)  # where something is broken, that is what has to be told
    raise StorageError(
        f"{before.where} is written in a way that RUM cannot change safely; nothing was changed. "
        "Check it with `rum journal validate`.",
        path=before.where,
    )


def _holds(before: JournalText, after: JournalText, changed: Mapping[str, Sequence[Part]]) -> bool:
    kept = {name: before.slices(name) for name in before.outline.sections}
    wanted: dict[str, Sequence[Part]] = {**kept, **changed}
    try:
        same_sections = wanted.keys() == after.outline.sections.keys()
        return same_sections and all(_alike(after.slices(name), parts) for name, parts in wanted.items())
    except InvalidQuery:
        return False


def _alike(found: Sequence[str], wanted: Sequence[Part]) -> bool:
    return len(found) == len(wanted) and all(
        text == part or _value(text) == (part.value if isinstance(part, Said) else _value(part))
        for text, part in zip(found, wanted, strict=True)
    )


def _value(text: str) -> object:
    found = load(text, "a part of the journal")
    return cast("list[object]", found)[0] if isinstance(found, list) else found
