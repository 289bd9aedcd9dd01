"""The section `history` of a journal: what was archived, as a period each time, the newest with titles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from rum.store.files.journal.text import JournalText
from rum.store.files.journal.verification import Said, more, proven
from rum.store.files.yaml_edit import Edit, apply
from rum.store.files.yaml_text import STEP, item

NAME = "history"
TITLES = 200
"""Archived entries that it still names; of older ones it has only the count."""

Period = dict[str, Any]


def one_more_period(journal: JournalText, period: Period) -> JournalText:
    """The journal with one more period; when too many entries are named, the oldest lose their names.

    Periods that name nothing any more are counted together.
    """
    wanted = {NAME: more(journal, NAME, [period])}
    after = proven(journal, [journal.with_entry(NAME, period)], wanted)
    periods = [entry.value for entry in after.entries(NAME)]
    if sum(map(_names, periods)) <= TITLES:
        return after
    shorter = list(_together(_with_fewer_names(periods)))
    section = after.outline.sections[NAME]
    lines = f"{NAME}:\n" + "\n\n".join(item(one, STEP) for one in shorter) + "\n"
    text = apply(after.text, [Edit(section.start, section.end, lines)])
    return proven(after, [text], {NAME: [*map(Said, shorter)]})


def _with_fewer_names(periods: list[Period]) -> list[Period]:
    room, fewer = TITLES, list[Period]()
    for one in reversed(periods):
        kept = min(_names(one), room)
        room -= kept
        # The newest of them, by whose numbers the next id is found.
        named = {"entries": one["entries"][-kept:]} if kept else {}
        fewer.append({name: told for name, told in one.items() if name != "entries"} | named)
    return fewer[::-1]


def _together(periods: list[Period]) -> Iterator[Period]:
    nameless = [one for one in periods if not _names(one)]
    if nameless:
        counts = Counter[str]()
        for one in nameless:
            counts.update(_counts(one))
        since, until = _times(nameless, "since"), _times(nameless, "until")
        bounds = {"since": min(since, default=None), "until": max(until, default=None)}
        told = {name: at for name, at in bounds.items() if at is not None}
        yield {**nameless[-1], **told, "counts": dict(counts)}
    yield from (one for one in periods if _names(one))


def _counts(period: Period) -> dict[str, int]:
    counts = period.get("counts")
    told = cast("dict[str, object]", counts) if isinstance(counts, dict) else {}
    return {name: one for name, one in told.items() if isinstance(one, int)}


def _times(periods: list[Period], name: str) -> list[str]:
    return [one[name] for one in periods if isinstance(one.get(name), str)]


def _names(period: Period) -> int:
    entries = period.get("entries")
    return len(cast("list[object]", entries)) if isinstance(entries, list) else 0
