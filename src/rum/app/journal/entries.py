"""The entries of journals, archived ones too: search, trace, and what an arbiter should know of a task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from rum.inject.journal import attempt_line, discovery_line, outcome_line
from rum.model.journal import JournalFound, Kind, Result, TracedEntry
from rum.model.layers import MemoryEntry
from rum.recall.entries import found, values_of
from rum.store.files.journal.archive import archived_texts
from rum.store.files.journal.file import JournalFile
from rum.text.terms import content_words

Json = dict[str, Any]
MAX_LINES = 5  # Of each section of an arbiter's prompt
_ALIKE = 0.6  # The share of common words from which on two failures are the same
_ABOUT = 0.5  # The share of a task's words that an entry about it has
_NAME = re.compile(r"[\w-]+(?:[./:#][\w-]+)*")


def entries_of(file: JournalFile) -> Iterator[JournalFound]:
    """All entries of a journal, oldest first; of an id that was used again, only the last entry."""
    journal = file.read()
    whole: dict[object, JournalFound] = {}
    for text in (*archived_texts(file), journal):
        for kind in Kind:
            for entry in text.entries(kind.section):
                name = entry.field("id")
                whole.pop(name, None)
                whole[name] = JournalFound(
                    file.session, file.agent, kind, archived=text is not journal, entry=entry.value
                )
    yield from whole.values()


def search_entries(
    entries: Iterable[JournalFound], query: str, limit: int, times: Sequence[float], now: float
) -> list[JournalFound]:
    """The entries with most of the words, best first; `times` are those of the entries, in seconds."""
    known = list(entries)
    scored = [
        MemoryEntry(id=str(number), timestamp=at * 1000, content="", metadata=one.entry)
        for number, (one, at) in enumerate(zip(known, times, strict=True))
    ]
    return [known[int(one.id)] for one in found(scored, query, limit, now * 1000)]


def trace_entry(entries: Iterable[JournalFound], start: str, max_depth: int) -> list[TracedEntry]:
    """What an entry names and what names it, and so on; each entry once, at its shortest distance."""
    known = {str(one.entry.get("id")): one for one in entries}
    names = {
        one: [other for other in _named(found_entry.entry) if other in known and other != one]
        for one, found_entry in known.items()
    }
    chain: dict[str, TracedEntry] = {}
    reached = [start]
    for distance in range(1, max_depth + 1):
        steps = [("names", other) for one in reached for other in names[one]]
        steps += [("named_by", other) for one in reached for other in known if one in names[other]]
        reached = list[str]()
        for relationship, other in steps:
            if other != start and other not in chain:
                one = known[other]
                chain[other] = TracedEntry(
                    relationship, distance, one.kind, archived=one.archived, entry=one.entry
                )
                reached.append(other)
    return list(chain.values())


def _named(entry: Json) -> Iterator[str]:
    """The words of an entry that may be ids of others."""
    fields = {name: value for name, value in entry.items() if name != "id"}
    yield from dict.fromkeys(word for text in values_of(fields) for word in _NAME.findall(text))


def task_sections(entries: Iterable[JournalFound], task: str) -> dict[str, list[str]]:
    """What an arbiter should know before it gives a task to an agent, as lines by heading."""
    known = list(entries)
    attempts = [one for one in known if one.kind is Kind.ATTEMPT]
    tried = [
        f"{one.agent} ({one.entry.get('result')}): {attempt_line(one.entry)}"
        for one in _about(attempts, task, ("description", "approach"))
    ]
    facts = [
        discovery_line(one.entry)
        for one in _about([one for one in known if one.kind is Kind.DISCOVERY], task, ("content",))
    ]
    failed = [one for one in attempts if one.entry.get("result") == Result.FAILURE]
    return {"Recurring Failures": _recurring(failed), "Already Tried": tried, "Already Known": facts}


def _about(entries: Sequence[JournalFound], task: str, fields: Sequence[str]) -> list[JournalFound]:
    """The entries that have half of a task's words, or half of whose words the task has; best first."""
    wanted = _words(task)
    scored: list[tuple[float, int, JournalFound]] = []
    for number, one in enumerate(entries):
        words = _words(*(str(one.entry.get(name) or "") for name in fields))
        common = len(wanted & words) / max(1, min(len(wanted), len(words)))
        if common >= _ABOUT:
            scored.append((-common, number, one))
    return [one for *_, one in sorted(scored, key=lambda each: each[:2])[:MAX_LINES]]


def _recurring(failed: Sequence[JournalFound]) -> list[str]:
    """Failures that happened more than once, the most frequent first."""
    groups: list[tuple[frozenset[object], list[JournalFound]]] = []
    for one in failed:
        words = _words(str(one.entry.get("description") or ""), outcome_line(one.entry))
        same = (group for known, group in groups if _share(known, words) >= _ALIKE)
        if (group := next(same, None)) is not None:
            group.append(one)
        else:
            groups.append((words, [one]))
    often = sorted((group for _, group in groups if group[1:]), key=len, reverse=True)
    return [
        f"{attempt_line(group[-1].entry)} ({len(group)} times: "
        f"{', '.join(dict.fromkeys(one.agent for one in group))})"
        for group in often[:MAX_LINES]
    ]


def _words(*texts: str) -> frozenset[object]:
    return frozenset(cast("tuple[object, ...]", content_words("\n".join(texts))))


def _share(one: frozenset[object], other: frozenset[object]) -> float:
    return len(one & other) / max(1, len(one | other))
