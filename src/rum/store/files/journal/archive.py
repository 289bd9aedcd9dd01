"""Keep a journal short: older entries go to a file beside it, and leave a line each in `history`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple, cast

from rum.model.journal import Kind, Result, format_timestamp, seconds_of
from rum.store.files.atomic_write import inside, locked, replace
from rum.store.files.journal.file import JournalFile, Part, Value, first_valid, text_of, with_more
from rum.store.files.journal.outline import Section
from rum.store.files.journal.text import Entry, JournalText, reindent, with_header
from rum.store.files.yaml import LIMIT
from rum.store.files.yaml_edit import Edit, apply
from rum.store.files.yaml_text import STEP, flow, item

ARCHIVE = "agent-memory-archive.yaml"
SMALL = 50 * 1024  # Bytes that a journal of less than two hours should have at most
LARGE = 100 * 1024  # Bytes from which on a journal is long
LONG = 4 * 3600  # Seconds from its beginning to its last entry from which on it is long, too
KEPT = 2 * 3600  # Seconds before its last entry that always stay
GRACE = 1800  # Seconds past its time that the oldest entry waits before a write archives on its own
# Bytes moved at once, and from which on an archive is full: both together can still be checked.
HALF = LIMIT // 2
HISTORY = "history"
MOST_TITLES = 200  # Archived entries that the history still names; older ones are only counted
_TITLE = 100

Period = dict[str, Any]  # One item of the history: what one archiving moved


class Old(NamedTuple):
    """An entry to be moved, and its position in its section."""

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
    return _is_large(journal) or _span(journal) > LONG


def _span(journal: JournalText) -> float:
    """Seconds from the beginning of a journal to its last entry."""
    entries = [entry for kind in Kind for entry in journal.entries(kind.section)]
    times = [at for entry in entries if (at := entry.time) is not None]
    if (created := seconds_of(journal.scalar("createdAt"))) is not None:
        times.append(created)
    return max(times) - min(times) if times else 0.0


def size_remarks(journal: JournalText) -> list[str]:
    """A remark on a journal that is larger than it should be for its time."""
    size = len(journal.text.encode())
    is_short = size > SMALL and _span(journal) < KEPT
    if size <= (SMALL if is_short else LARGE):
        return []
    most, time = (SMALL, "less than 2 hours") if is_short else (LARGE, "up to 4 hours")
    return [
        f"It has {size // 1024} KB; a journal of {time} should have at most {most // 1024} KB. Write shorter "
        "entries; `rum journal archive` moves old ones away."
    ]


def archived_texts(file: JournalFile) -> list[JournalText]:
    """The archives of a journal, oldest first."""
    paths = _archives(file, inside(file.folder, file.path))
    return [JournalText(text_of(path), path) for path in paths if os.path.isfile(path)]


def may_be_due(journal: JournalText) -> bool:
    """Whether there may be something to move, judged by the first and the last entry of each section."""
    ends = [entry for kind in Kind for entry in journal.first_and_last(kind.section)]
    times = [at for entry in ends if (at := entry.time) is not None]
    span = max(times) - min(times) if times else 0.0
    return span > (KEPT + GRACE if _is_large(journal) else LONG)


def archive(file: JournalFile, now: float, grace: float = 0.0, *, entry_follows: bool = False) -> Archiving:
    """Move what is old out of a long journal; an attempt in progress stays.

    Nothing is moved before the oldest entry is `grace` seconds past its time. If an `entry_follows`, ages are
    counted from now instead of from the last entry. The archive is written first: an interruption in between
    leaves entries in both files, and loses none.
    """
    path = inside(file.folder, file.path)
    long, moved, beside = False, Counter[str](), _archives(file, path)[-1]
    if not file.exists:
        return Archiving(long, {}, beside)
    with locked(path):
        while True:
            journal = JournalText(text_of(path), file.path).with_line_end()
            file.refuse_newer(journal)
            long = long or is_long(journal)
            batch = _batch(_old(journal, now, grace, entry_follows=entry_follows)) if long else []
            if not batch:
                return Archiving(long, dict(moved), beside)
            beside = _move(file, path, journal, batch, now)
            moved.update(_counts(batch))


def _move(file: JournalFile, path: str, journal: JournalText, batch: list[Old], now: float) -> str:
    """Write both files; the path of the archive."""
    archives = [JournalText(text_of(one), one).with_line_end() for one in _archives(file, path)[-2:]]
    archived = _archived(file, archives, journal, batch, now)
    shortened = _shortened(journal, batch, now)
    replace(archived.where, archived.text.encode())
    replace(path, shortened.encode())
    return archived.where


def _is_large(journal: JournalText) -> bool:
    return len(journal.text.encode()) > LARGE


def _archives(file: JournalFile, path: str) -> list[str]:
    """The archives beside a journal; the last, which may not exist yet, is the one that is not full."""
    stem, ending = os.path.splitext(ARCHIVE)
    found: list[str] = []
    for number in count(1):
        name = ARCHIVE if number == 1 else f"{stem}-{number}{ending}"
        found.append(inside(file.folder, os.path.join(os.path.dirname(path), name)))
        if not os.path.isfile(found[-1]) or os.path.getsize(found[-1]) <= HALF:
            break
    return found


def _old(journal: JournalText, now: float, grace: float, *, entry_follows: bool) -> list[Old]:
    everything = [Old(kind, *one) for kind in Kind for one in enumerate(journal.entries(kind.section))]
    times = [at for one in everything if (at := one.entry.time) is not None]
    # A clock may have run ahead.
    cutoff = (now if entry_follows else min(max(times, default=0.0), now)) - KEPT
    old = [
        one
        for one in everything
        if ((at := _end_time(one)) is not None and at < cutoff)
        and (one.kind is not Kind.ATTEMPT or one.entry.field("result") != Result.IN_PROGRESS)
        and isinstance(one.entry.field("id"), str)
    ]
    oldest = min((at for one in old if (at := _end_time(one)) is not None), default=cutoff)
    return old if oldest <= cutoff - grace else []


def _end_time(one: Old) -> float | None:
    """The time from which an entry's age counts: an attempt's end, where it has a duration."""
    start = one.entry.time
    if start is None or one.kind is not Kind.ATTEMPT:
        return start
    try:
        return start + float(str(one.entry.field("duration_ms") or 0)) / 1000
    except ValueError:
        return start


def _batch(old: list[Old]) -> list[Old]:
    """Those that are moved at once: up to HALF bytes, and at least one."""
    size, batch = 0, list[Old]()
    for one in old:
        size += len(one.entry.text.encode())
        if batch and size > HALF:
            break
        batch.append(one)
    return batch


def _bounds(journal: JournalText, one: Old) -> tuple[int, int]:
    """Where an entry begins and ends, with the blank lines and comments above it, which are about it."""
    before = journal.entries(one.kind.section)[one.number - 1] if one.number else None
    start = before.start + len(before.lines) if before else one.entry.start
    return start, one.entry.start + len(one.entry.lines)


def _archived(
    file: JournalFile, archives: list[JournalText], journal: JournalText, old: list[Old], now: float
) -> JournalText:
    """The last archive with these entries as they were written, but for those that are archived already."""
    archive = archives[-1]
    if not archive.outline.sections:
        text = with_header(archive.text, file.session, file.agent, format_timestamp(now))
        archive = JournalText(text, archive.where)
    for kind in Kind:
        ids = {one.entry.field("id") for one in old if one.kind is kind}
        entries = [one for text in archives for one in text.entries(kind.section)]
        # An id may have been used again after archiving, so the values are compared.
        known = [one.value for one in entries if one.field("id") in ids]
        new = [one for one in old if one.kind is kind and one.entry.value not in known]
        if new:
            wanted = {kind.section: with_more(archive, kind.section, [one.entry.value for one in new])}
            archive = first_valid(archive, _with_all(archive, kind.section, journal, new), wanted)
    return archive


def _with_all(archive: JournalText, section: str, journal: JournalText, new: list[Old]) -> Iterator[str]:
    """The archive with these entries: with their text kept, else as RUM writes them."""
    yield archive.with_entry_lines(section, "\n\n".join(_unindented(journal, one) for one in new))
    for blocks in (True, False):
        lines = "\n\n".join(item(one.entry.value, 0, blocks=blocks) for one in new)
        yield archive.with_entry_lines(section, lines)


def _unindented(journal: JournalText, one: Old) -> str:
    """The text of an entry with its dash at the left edge."""
    if one.entry.in_brackets:
        return item(one.entry.value, 0)
    start, end = _bounds(journal, one)
    column = len(one.entry.text) - len(one.entry.text.lstrip(" "))
    return reindent(journal.text[start:end].replace("\r\n", "\n").strip("\n"), -column)


def _shortened(journal: JournalText, old: list[Old], now: float) -> str:
    """The journal without these entries, which its history names instead."""
    gone: dict[str, set[int]] = {}
    for one in old:
        gone.setdefault(one.kind.section, set()).add(one.number)
    wanted = {name: _remaining(journal, name, numbers) for name, numbers in gone.items()}
    # Comments after an entry stay where they do not become part of a block before it.
    cut = first_valid(journal, (_without(journal, old, after=after) for after in (False, True)), wanted)
    return _with_period(cut, _period(old, now)).text


def _without(journal: JournalText, old: list[Old], *, after: bool) -> str:
    """The text without these entries, and if `after` without the lines up to the next one either."""
    edits: list[Edit] = []
    for kind in Kind:
        section = journal.outline.sections.get(kind.section)
        if section and any(one.kind is kind for one in old):
            edits += _removals(journal, section, [one for one in old if one.kind is kind], after=after)
    return apply(journal.text, edits)


def _remaining(journal: JournalText, name: str, gone: set[int]) -> list[Part]:
    """The parts of a section without some of its entries."""
    section = journal.outline.sections[name]
    if section.indent is None or len(gone) == len(section.items):
        kept = [one.value for number, one in enumerate(journal.entries(name)) if number not in gone]
        return [Value({name: kept})]
    return [text for number, text in enumerate(journal.slices(name)) if number not in gone]


def _removals(journal: JournalText, section: Section, old: list[Old], *, after: bool) -> list[Edit]:
    gone = {one.number for one in old}
    if section.flow:
        entries = enumerate(journal.entries(section.name))
        kept = [entry.value for number, entry in entries if number not in gone]
        return [Edit(section.flow[0], section.flow[1] + 1, flow(kept))]
    edits: list[Edit] = []
    for one in old:
        start, end = _bounds(journal, one)
        reached = edits[-1].end if edits else start  # what comes after one is what comes before the next
        edits.append(Edit(max(start, reached), one.entry.end if after else end, ""))
    return edits if len(gone) < len(section.items) else [*edits, Edit(section.value, section.value, " []")]


def _period(old: list[Old], now: float) -> dict[str, Any]:
    times = sorted(at for one in old if (at := one.entry.time) is not None)
    return {
        "archivedAt": format_timestamp(now),
        "since": format_timestamp(times[0]),
        "until": format_timestamp(times[-1]),
        "counts": _counts(old),
        "entries": [_title(one) for one in old],
    }


def _counts(old: list[Old]) -> dict[str, int]:
    found = {kind.section: sum(one.kind is kind for one in old) for kind in Kind}
    return {name: count for name, count in found.items() if count}


def _title(one: Old) -> dict[str, str]:
    value = one.entry.value
    text = str(value.get("content" if one.kind is Kind.DISCOVERY else "description") or "").strip()
    title = text.split("\n", 1)[0][:_TITLE]
    fields = {
        "id": str(value["id"]),
        "title": f"[{value.get('type')}] {title}" if one.kind is Kind.DISCOVERY else title,
    }
    return fields | ({"result": str(value.get("result"))} if one.kind is Kind.ATTEMPT else {})


def _with_period(journal: JournalText, period: Period) -> JournalText:
    """The journal with one more period in its history; beyond MOST_TITLES the oldest titles go.

    Periods without titles are merged into one.
    """
    wanted = {HISTORY: with_more(journal, HISTORY, [period])}
    after = first_valid(journal, [journal.with_entry(HISTORY, period)], wanted)
    periods = [entry.value for entry in after.entries(HISTORY)]
    if sum(map(_titles, periods)) <= MOST_TITLES:
        return after
    shorter = list(_merged(_with_fewer_titles(periods)))
    section = after.outline.sections[HISTORY]
    lines = f"{HISTORY}:\n" + "\n\n".join(item(one, STEP) for one in shorter) + "\n"
    text = apply(after.text, [Edit(section.start, section.end, lines)])
    return first_valid(after, [text], {HISTORY: [*map(Value, shorter)]})


def _with_fewer_titles(periods: list[Period]) -> list[Period]:
    room, fewer = MOST_TITLES, list[Period]()
    for one in reversed(periods):
        kept = min(_titles(one), room)
        room -= kept
        # The newest of them: the next id is counted on from theirs.
        named = {"entries": one["entries"][-kept:]} if kept else {}
        fewer.append({name: value for name, value in one.items() if name != "entries"} | named)
    return fewer[::-1]


def _merged(periods: list[Period]) -> Iterator[Period]:
    untitled = [one for one in periods if not _titles(one)]
    if untitled:
        counts = Counter[str]()
        for one in untitled:
            named = cast("dict[str, object]", one["counts"]) if isinstance(one.get("counts"), dict) else {}
            counts.update({name: count for name, count in named.items() if isinstance(count, int)})
        known: dict[str, str] = {}
        for name, outermost in (("since", min), ("until", max)):
            if times := [one[name] for one in untitled if isinstance(one.get(name), str)]:
                known[name] = outermost(times)
        yield {**untitled[-1], **known, "counts": dict(counts)}
    yield from (one for one in periods if _titles(one))


def _titles(period: Period) -> int:
    entries = period.get("entries")
    return len(cast("list[object]", entries)) if isinstance(entries, list) else 0
