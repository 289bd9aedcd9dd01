"""Keep a journal short: older entries go to a file beside it, and leave a line each in `history`."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple, cast

from rum.model.journal import Kind, Result, moment, seconds_of
from rum.store.files.journal import JournalFile, prove, text_of
from rum.store.files.journal_text import Entry, JournalText, begun, shifted
from rum.store.files.outline import Section
from rum.store.files.writing import inside, locked, replace
from rum.store.files.yaml_edit import Edit, apply
from rum.store.files.yaml_text import STEP, flow, item

ARCHIVE = "agent-memory-archive.yaml"
LARGE = 100 * 1024
"""Bytes from which on a journal is long."""
LONG = 4 * 3600
"""Seconds from its beginning to its last entry from which on it is long, too."""
KEPT = 2 * 3600
"""Seconds before its last entry that always stay."""
_TITLES = 200
"""Archived entries that `history` still names; of older ones it has only the count."""
_TITLE = 100
_KEEPING = re.compile(r"[|>][1-9]?\+")
"""A text to which the blank lines after it belong: it cannot be moved line by line."""


class Old(NamedTuple):
    """An entry that is to be moved, and which of its section it is."""

    kind: Kind
    number: int
    entry: Entry


class Archiving(NamedTuple):
    """What was moved, by section, and whether the journal was long at all."""

    due: bool
    moved: dict[str, int]


def is_long(journal: JournalText) -> bool:
    """Whether a journal is over 100 KB, or covers more than four hours."""
    entries = [entry for kind in Kind for entry in journal.entries(kind.section)]
    times = [at for entry in entries if (at := entry.time) is not None]
    if (created := seconds_of(journal.scalar("createdAt"))) is not None:
        times.append(created)
    return len(journal.text.encode()) > LARGE or (bool(times) and max(times) - min(times) > LONG)


def may_be_due(journal: JournalText) -> bool:
    """Whether there is something to move, as far as the first and the last entries tell."""
    ends = [entry for kind in Kind for entry in journal.ends(kind.section)]
    times = [at for entry in ends if (at := entry.time) is not None]
    span = max(times) - min(times) if times else 0.0
    return span > (KEPT if len(journal.text) > LARGE else LONG)


def archive(file: JournalFile, now: float) -> Archiving:
    """Move what is old out of a long journal; an attempt that is still going on stays.

    The archive is written first: whoever is interrupted in between has entries twice, and none lost.
    """
    if not file.exists:
        return Archiving(False, {})
    path = inside(file.folder, file.path)
    with locked(path):
        journal = JournalText(text_of(path), file.path)
        file.refuse_newer(journal)
        long = is_long(journal)
        old = _old(journal, now) if long else []
        if old:
            beside = inside(file.folder, os.path.join(os.path.dirname(path), ARCHIVE))
            archived = _archived(file, JournalText(text_of(beside), beside), journal, old, now)
            replace(beside, archived.encode())
            replace(path, _shortened(journal, old, now).encode())
    return Archiving(long, _counts(old))


def _old(journal: JournalText, now: float) -> list[Old]:
    everything = [Old(kind, *one) for kind in Kind for one in enumerate(journal.entries(kind.section))]
    times = [at for one in everything if (at := one.entry.time) is not None]
    cutoff = min(max(times, default=0.0), now) - KEPT  # somebody's clock may have run ahead
    return [
        one
        for one in everything
        if ((at := one.entry.time) is not None and at < cutoff)
        and (one.kind is not Kind.ATTEMPT or one.entry.field("result") != Result.IN_PROGRESS)
        and isinstance(one.entry.field("id"), str)
    ]


def _whereabouts(journal: JournalText, one: Old) -> tuple[int, int]:
    """An entry's lines, with blank ones and comments above it, which are about it."""
    before = journal.entries(one.kind.section)[one.number - 1] if one.number else None
    start = before.start + len(before.lines) if before else one.entry.start
    return start, one.entry.start + len(one.entry.lines)


def _archived(
    file: JournalFile, archive: JournalText, journal: JournalText, old: list[Old], now: float
) -> str:
    """The archive with these entries as they were written, but for those it has already."""
    if not archive.outline.sections:
        text = begun(archive.text, file.session, file.agent, moment(now))
        archive = JournalText(text, archive.where)
    for kind in Kind:
        # By all they say: another entry may have been given the id of one that went before.
        known = [entry.value for entry in archive.entries(kind.section)]
        new = [one for one in old if one.kind is kind and one.entry.value not in known]
        if new:
            archive = _with_all(archive, kind.section, journal, new)
    return archive.text


def _with_all(archive: JournalText, section: str, journal: JournalText, new: list[Old]) -> JournalText:
    values = [one.entry.value for one in new]
    lines = "\n\n".join(_at_the_edge(journal, one) for one in new)
    after = JournalText(archive.with_lines(section, lines), archive.where)
    prove([entry.value for entry in after.entries(section)[-len(new) :]] == values, archive.where)
    return after


def _at_the_edge(journal: JournalText, one: Old) -> str:
    """An entry as it was written, with its dash at the left edge."""
    if one.entry.in_brackets or _KEEPING.search(one.entry.text):
        return item(one.entry.value, 0)
    start, end = _whereabouts(journal, one)
    column = len(one.entry.text) - len(one.entry.text.lstrip(" "))
    return shifted(journal.text[start:end].replace("\r\n", "\n").strip("\n"), -column)


def _shortened(journal: JournalText, old: list[Old], now: float) -> str:
    """The journal without these entries, which are told of in its history."""
    edits: list[Edit] = []
    for kind in Kind:
        section = journal.outline.sections.get(kind.section)
        if section and any(one.kind is kind for one in old):
            edits += _taken_out(journal, section, [one for one in old if one.kind is kind])
    text = _with_period(JournalText(apply(journal.text, edits), journal.where), _period(old, now))
    after = JournalText(text, journal.where)
    left = {kind: journal.count(kind) - sum(one.kind is kind for one in old) for kind in Kind}
    prove(all(after.count(kind) == left[kind] for kind in Kind), journal.where)
    return text


def _taken_out(journal: JournalText, section: Section, old: list[Old]) -> list[Edit]:
    gone = {one.number for one in old}
    if section.flow:
        entries = enumerate(journal.entries(section.name))
        kept = [entry.value for number, entry in entries if number not in gone]
        return [Edit(section.flow[0], section.flow[1] + 1, flow(kept))]
    edits = [Edit(*_whereabouts(journal, one), "") for one in old]
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


def _with_period(journal: JournalText, period: dict[str, Any]) -> str:
    """One more period in the history; when it names too many entries, the oldest lose their names."""
    text = journal.with_entry("history", period)
    after = JournalText(text, journal.where)
    periods = [entry.value for entry in after.entries("history")]
    if sum(map(_names, periods)) <= _TITLES:
        return text
    room = _TITLES
    for one in reversed(periods):
        kept = min(_names(one), room)
        room -= kept
        if not kept:
            one.pop("entries", None)
        else:  # the newest of them, by whose numbers the next id is found
            one["entries"] = one["entries"][-kept:]
    section = after.outline.sections["history"]
    lines = "history:\n" + "\n\n".join(item(one, STEP) for one in periods) + "\n"
    return apply(text, [Edit(section.start, section.end, lines)])


def _names(period: dict[str, Any]) -> int:
    entries = period.get("entries")
    return len(cast("list[object]", entries)) if isinstance(entries, list) else 0
