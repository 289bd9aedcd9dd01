"""Keep a journal short: older entries go to a file beside it, and leave a line each in `history`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from rum.model.journal import Kind, Result, moment, seconds_of
from rum.store.files.atomic_write import inside, locked, replace
from rum.store.files.journal.entry import Entry
from rum.store.files.journal.file import JournalFile, text_of
from rum.store.files.journal.history import one_more_period
from rum.store.files.journal.outline import Section
from rum.store.files.journal.text import JournalText, begun, shifted
from rum.store.files.journal.verification import Part, Said, more, proven
from rum.store.files.yaml import LIMIT
from rum.store.files.yaml_edit import Edit, apply
from rum.store.files.yaml_text import flow, item

ARCHIVE = "agent-memory-archive.yaml"
LARGE = 100 * 1024
"""Bytes from which on a journal is long."""
LONG = 4 * 3600
"""Seconds from its beginning to its last entry from which on it is long, too."""
KEPT = 2 * 3600
"""Seconds before its last entry that always stay."""
_TITLE = 100
PATIENCE = 1800
"""Seconds that something is over its time before it is worth being moved by itself."""
HALF = LIMIT // 2
"""Bytes that are moved at once, and from which on an archive is full: both together can still be checked."""


class Old(NamedTuple):
    """An entry that is to be moved, and which of its section it is."""

    kind: Kind
    number: int
    entry: Entry


class Archiving(NamedTuple):
    """What was moved, by section and where to, and whether the journal was long at all."""

    due: bool
    moved: dict[str, int]
    path: str


def is_long(journal: JournalText) -> bool:
    """Whether a journal is over 100 KB, or covers more than four hours."""
    entries = [entry for kind in Kind for entry in journal.entries(kind.section)]
    times = [at for entry in entries if (at := entry.time) is not None]
    if (created := seconds_of(journal.scalar("createdAt"))) is not None:
        times.append(created)
    return _is_large(journal) or (bool(times) and max(times) - min(times) > LONG)


def may_be_due(journal: JournalText) -> bool:
    """Whether there is something to move, as far as the first and the last entries tell."""
    ends = [entry for kind in Kind for entry in journal.ends(kind.section)]
    times = [at for entry in ends if (at := entry.time) is not None]
    span = max(times) - min(times) if times else 0.0
    return span > (KEPT + PATIENCE if _is_large(journal) else LONG)


def archive(file: JournalFile, now: float, patience: float = 0.0, *, to_follow: bool = False) -> Archiving:
    """Move what is old out of a long journal; an attempt that is still going on stays.

    With `patience` nothing is moved before the oldest of it is so many seconds over its time. An entry that
    is `to_follow` will be the last one. The archive is written first: whoever is interrupted in between has
    entries twice, and none lost.
    """
    path = inside(file.folder, file.path)
    long, moved, beside = False, Counter[str](), _archives(file, path)[-1]
    if not file.exists:
        return Archiving(long, {}, beside)
    with locked(path):
        while True:
            journal = JournalText(text_of(path), file.path).ended()
            file.refuse_newer(journal)
            long = long or is_long(journal)
            batch = _batch(_old(journal, now, patience, to_follow=to_follow)) if long else []
            if not batch:
                return Archiving(long, dict(moved), beside)
            beside = _move(file, path, journal, batch, now)
            moved.update(_counts(batch))


def _move(file: JournalFile, path: str, journal: JournalText, batch: list[Old], now: float) -> str:
    """Write both files anew; where the archive is."""
    archives = [JournalText(text_of(one), one).ended() for one in _archives(file, path)[-2:]]
    archived = _archived(file, archives, journal, batch, now)
    shortened = _shortened(journal, batch, now)
    replace(archived.where, archived.text.encode())
    replace(path, shortened.encode())
    return archived.where


def _is_large(journal: JournalText) -> bool:
    return len(journal.text.encode()) > LARGE


def _archives(file: JournalFile, path: str) -> list[str]:
    """The archives beside a journal, the last of which takes what comes next: one that is not full yet."""
    stem, ending = os.path.splitext(ARCHIVE)
    found: list[str] = []
    for number in count(1):
        name = ARCHIVE if number == 1 else f"{stem}-{number}{ending}"
        found.append(inside(file.folder, os.path.join(os.path.dirname(path), name)))
        if not os.path.isfile(found[-1]) or os.path.getsize(found[-1]) <= HALF:
            break
    return found


def _old(journal: JournalText, now: float, patience: float, *, to_follow: bool) -> list[Old]:
    everything = [Old(kind, *one) for kind in Kind for one in enumerate(journal.entries(kind.section))]
    times = [at for one in everything if (at := one.entry.time) is not None]
    # Somebody's clock may have run ahead.
    cutoff = (now if to_follow else min(max(times, default=0.0), now)) - KEPT
    old = [
        one
        for one in everything
        if ((at := _over_at(one)) is not None and at < cutoff)
        and (one.kind is not Kind.ATTEMPT or one.entry.field("result") != Result.IN_PROGRESS)
        and isinstance(one.entry.field("id"), str)
    ]
    oldest = min((at for one in old if (at := _over_at(one)) is not None), default=cutoff)
    return old if oldest <= cutoff - patience else []


def _over_at(one: Old) -> float | None:
    """When an entry was last true: an attempt is as old as its end, where it says how long it took."""
    begun = one.entry.time
    if begun is None or one.kind is not Kind.ATTEMPT:
        return begun
    try:
        return begun + float(str(one.entry.field("duration_ms") or 0)) / 1000
    except ValueError:
        return begun


def _batch(old: list[Old]) -> list[Old]:
    """As many of them as are moved at once."""
    size, batch = 0, list[Old]()
    for one in old:
        size += len(one.entry.text.encode())
        if batch and size > HALF:
            break
        batch.append(one)
    return batch


def _whereabouts(journal: JournalText, one: Old) -> tuple[int, int]:
    """An entry's lines, with blank ones and comments above it, which are about it."""
    before = journal.entries(one.kind.section)[one.number - 1] if one.number else None
    start = before.start + len(before.lines) if before else one.entry.start
    return start, one.entry.start + len(one.entry.lines)


def _archived(
    file: JournalFile, archives: list[JournalText], journal: JournalText, old: list[Old], now: float
) -> JournalText:
    """The last archive with these entries as they were written, but for those that are archived already."""
    archive = archives[-1]
    if not archive.outline.sections:
        text = begun(archive.text, file.session, file.agent, moment(now))
        archive = JournalText(text, archive.where)
    for kind in Kind:
        known = _known(archives, kind, {one.entry.field("id") for one in old if one.kind is kind})
        new = [one for one in old if one.kind is kind and one.entry.value not in known]
        if new:
            wanted = {kind.section: more(archive, kind.section, [one.entry.value for one in new])}
            archive = proven(archive, _with_all(archive, kind.section, journal, new), wanted)
    return archive


def _known(archives: list[JournalText], kind: Kind, ids: set[object]) -> list[dict[str, Any]]:
    """All that archived entries with some ids say: another may have been given the id of one before."""
    entries = [one for archive in archives for one in archive.entries(kind.section)]
    return [one.value for one in entries if one.field("id") in ids]


def _with_all(archive: JournalText, section: str, journal: JournalText, new: list[Old]) -> Iterator[str]:
    """The archive with these entries too: as they were written, else as they would be written now."""
    yield archive.with_lines(section, "\n\n".join(_at_the_edge(journal, one) for one in new))
    for blocks in (True, False):
        lines = "\n\n".join(item(one.entry.value, 0, blocks=blocks) for one in new)
        yield archive.with_lines(section, lines)


def _at_the_edge(journal: JournalText, one: Old) -> str:
    """An entry as it was written, with its dash at the left edge."""
    if one.entry.in_brackets:
        return item(one.entry.value, 0)
    start, end = _whereabouts(journal, one)
    column = len(one.entry.text) - len(one.entry.text.lstrip(" "))
    return shifted(journal.text[start:end].replace("\r\n", "\n").strip("\n"), -column)


def _shortened(journal: JournalText, old: list[Old], now: float) -> str:
    """The journal without these entries, which are told of in its history."""
    gone = {kind.section: {one.number for one in old if one.kind is kind} for kind in Kind}
    touched = {name: numbers for name, numbers in gone.items() if numbers}
    wanted = {name: _left(journal, name, numbers) for name, numbers in touched.items()}
    # Comments after an entry stay where they do not become part of a block before it.
    cut = proven(journal, (_without(journal, old, after=after) for after in (False, True)), wanted)
    return one_more_period(cut, _period(old, now)).text


def _without(journal: JournalText, old: list[Old], *, after: bool) -> str:
    """The text without these entries, and without what comes after each if that is said."""
    edits: list[Edit] = []
    for kind in Kind:
        section = journal.outline.sections.get(kind.section)
        if section and any(one.kind is kind for one in old):
            edits += _taken_out(journal, section, [one for one in old if one.kind is kind], after=after)
    return apply(journal.text, edits)


def _left(journal: JournalText, name: str, gone: set[int]) -> list[Part]:
    """What is left of a section without some of its entries."""
    section = journal.outline.sections[name]
    if section.indent is None or len(gone) == len(section.items):
        kept = [one.value for number, one in enumerate(journal.entries(name)) if number not in gone]
        return [Said({name: kept})]
    return [text for number, text in enumerate(journal.slices(name)) if number not in gone]


def _taken_out(journal: JournalText, section: Section, old: list[Old], *, after: bool) -> list[Edit]:
    gone = {one.number for one in old}
    if section.flow:
        entries = enumerate(journal.entries(section.name))
        kept = [entry.value for number, entry in entries if number not in gone]
        return [Edit(section.flow[0], section.flow[1] + 1, flow(kept))]
    edits: list[Edit] = []
    for one in old:
        start, end = _whereabouts(journal, one)
        reached = edits[-1].end if edits else start  # what comes after one is what comes before the next
        edits.append(Edit(max(start, reached), one.entry.end if after else end, ""))
    return edits if len(gone) < len(section.items) else [*edits, Edit(section.value, section.value, " []")]


def _period(old: list[Old], now: float) -> dict[str, Any]:
    times = sorted(at for one in old if (at := one.entry.time) is not None)
    return {
        "archivedAt": moment(now),
        "since": moment(times[0]),
        "until": moment(times[-1]),
        "counts": _counts(old),
        "entries": [_title(one) for one in old],
    }


def _counts(old: list[Old]) -> dict[str, int]:
    found = {kind.section: sum(one.kind is kind for one in old) for kind in Kind}
    return {name: count for name, count in found.items() if count}


def _title(one: Old) -> dict[str, str]:
    value = one.entry.value
    said = str(value.get("content" if one.kind is Kind.DISCOVERY else "description") or "").strip()
    title = said.split("\n", 1)[0][:_TITLE]
    told = {
        "id": str(value["id"]),
        "title": f"[{value.get('type')}] {title}" if one.kind is Kind.DISCOVERY else title,
    }
    return told | ({"result": str(value.get("result"))} if one.kind is Kind.ATTEMPT else {})
