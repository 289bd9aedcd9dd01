"""Which notes go into a prompt, and their text there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rum.inject import note_score
from rum.inject.brief import FENCE, NOTICE
from rum.inject.note_score import Scored
from rum.model.anchors import remark, text_mark
from rum.model.notes import Contradiction, Importance, MatchedNote, Note
from rum.text import patterns as match
from rum.text import terms
from rum.text.claim_comparison import contradict
from rum.text.claims import Claim, claims_in
from rum.text.fence import fenced
from rum.text.patterns import Match, Pattern, Text
from rum.text.sentences import closes_fence, fence_marker, open_fence
from rum.text.shorten import one_line

VERSION = f"8.{terms.VERSION}"  # Change it whenever the same note would get another summary
HEADING = "## Background Knowledge from Previous Runs\n\n"
MAX_MEANING = 800  # Characters of a note that are embedded
MAX_CONTENT = 500  # Characters of a note that go into a prompt
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_SENTENCE = re.compile(r"(.*?)[.!](?:\s+|$)")
_MARKS = re.compile(r"[*`]+")
MEANING = "meaning"  # How a note matched that is near in meaning, though no pattern matches
_TITLE_LEVEL, _LOWEST_LEVEL = 3, 6  # The level of a note's own heading in a prompt, and the lowest level
_MAX_NAME = 60
MAX_CONTRADICTIONS = 3  # Contradicting statements that are shown with one note


class NoteSummary(Struct, frozen=True, array_like=True):
    """What is needed to decide whether a note goes into a prompt; stored in the index."""

    slug: str
    newest: int
    entries: int
    title: str
    title_words: tuple[tuple[str, ...], ...]
    patterns: tuple[Pattern, ...]
    tags: tuple[str, ...]
    importance: Importance
    discovered_at: int | None
    discovered_by: str
    related: tuple[str, ...]
    retired: str | None
    superseded_by: str | None
    line: int
    claims: tuple[int, ...]
    stances: tuple[int, ...]
    contradictions: tuple[Contradiction, ...]
    remarks: tuple[str, ...]
    meaning: str  # What the note says, to be embedded
    origin: str  # The task in which it was found out
    mark: str  # Of its text, by which it is tied to code


class NoteQuery(NamedTuple):
    """The task and plan, the agent with its settings, and the time."""

    task: str
    plan: str
    agent: str | None
    now: int
    min_importance: str
    specialties: tuple[str, ...]


class Ranked(NamedTuple):
    """A note that matched, with its points."""

    total: float
    summary: NoteSummary
    match: Match
    scored: Scored


def note_summary(note: Note) -> NoteSummary:
    """The summary of a note: its newest entry, and the statements of earlier ones that contradict it."""
    newest = note.newest
    claims = claims_in(newest.content)
    return NoteSummary(
        slug=note.slug,
        newest=newest.n,
        entries=len(note.entries),
        title=newest.title,
        title_words=match.content_words(newest.title),
        patterns=tuple(map(match.compiled, newest.when_to_use)),
        tags=newest.tags,
        importance=newest.importance,
        discovered_at=newest.discovered_at,
        discovered_by=newest.discovered_by,
        related=tuple(dict.fromkeys(slug for entry in note.entries for slug in entry.related_memories)),
        retired="deprecated" if newest.deprecated else None,
        superseded_by=newest.superseded_by,
        line=newest.line,
        claims=tuple(claim.key for claim in claims),
        stances=tuple(claim.stance for claim in claims),
        contradictions=tuple(_earlier_contradictions(note, claims)),
        remarks=tuple(remark for entry in note.entries for remark in entry.remarks),
        meaning=" ".join(f"{newest.title}. {newest.content}".split())[:MAX_MEANING],
        origin=" ".join((newest.discovered_in or "").removeprefix("Task:").split())[:MAX_MEANING],
        mark=text_mark(newest.content),
    )


def with_successors(summaries: Mapping[str, NoteSummary]) -> dict[str, NoteSummary]:
    """The summaries, with those retired that another existing note supersedes, cycles excepted."""
    slugs = {slug.casefold(): slug for slug in summaries}
    result: dict[str, NoteSummary] = {}
    for slug, summary in summaries.items():
        result[slug] = summary
        if summary.superseded_by is not None:
            if problem := _invalid_successor(summary, summaries, slugs):
                remark = f"line {summary.line}: `supersededBy` {problem}; it is ignored."
                result[slug] = replace(summary, remarks=(*summary.remarks, remark))
            else:
                result[slug] = replace(summary, retired=f"superseded by {summary.superseded_by}")
    return result


def _invalid_successor(
    summary: NoteSummary, summaries: Mapping[str, NoteSummary], slugs: Mapping[str, str]
) -> str | None:
    """Why the successor of a note is ignored; None if it is valid."""
    visited: set[str] = set()
    name = summary.superseded_by
    while name is not None and (slug := slugs.get(name.casefold())) is not None and slug not in visited:
        if slug == summary.slug:
            return "leads back to this note itself"
        visited.add(slug)
        name = summaries[slug].superseded_by
    if visited:
        return None
    return f"names `{one_line(str(summary.superseded_by), _MAX_NAME)}`, which does not exist"


def _earlier_contradictions(note: Note, claims: list[Claim]) -> list[Contradiction]:
    statements = [
        statement
        for entry in reversed(note.entries)
        if entry.n != note.newest.n
        for statement in contradictions(claims, entry.content, f"{note.slug}#{entry.n}", entry.discovered_at)
    ]
    return statements[:MAX_CONTRADICTIONS]


def contradictions(claims: list[Claim], content: str, other: str, at: int | None) -> list[Contradiction]:
    """What another entry says that cannot hold together with these statements."""
    others_by_key: dict[int, list[Claim]] = {}
    for other_claim in claims_in(content):
        others_by_key.setdefault(other_claim.key, []).append(other_claim)
    return [
        Contradiction(claim.text, other, other_claim.text, at)
        for claim in claims
        for other_claim in others_by_key.get(claim.key, ())
        if contradict(claim, other_claim)
    ]


def possible_contradictions(summary: NoteSummary, summaries: Iterable[NoteSummary]) -> list[NoteSummary]:
    """The other notes with a different stance on the same claim."""
    keys = set(summary.claims)
    stances = set(zip(summary.claims, summary.stances, strict=True))
    same_topic = (other for other in summaries if not keys.isdisjoint(other.claims))
    found: list[NoteSummary] = []
    for other in same_topic:
        others = zip(other.claims, other.stances, strict=True)
        differs = any(key in keys and (key, stance) not in stances for key, stance in others)
        if differs and other.slug != summary.slug and not other.retired:
            found.append(other)
    return found


def rank(
    summaries: Iterable[NoteSummary], query: NoteQuery, nearest: tuple[str, float] | None = None
) -> list[Ranked]:
    """The notes that match, best first; ties by date, newest first, then by file name.

    `nearest` is a note that is near in meaning, and how near. It comes after those whose patterns match.
    """
    task, task_and_plan = Text(query.task), Text(query.task, query.plan)
    ranked: list[Ranked] = []
    for summary in summaries:
        if summary.retired or not note_score.is_important_enough(summary.importance, query.min_importance):
            continue
        matched = match.best(summary.patterns, task_and_plan)
        share = 1.0
        if matched is None or not note_score.is_close_enough(summary.importance, matched):
            if nearest is None or nearest[0] != summary.slug:
                continue
            matched, share = Match(MEANING, ""), nearest[1]
        scored = note_score.score(
            importance=summary.importance,
            age=None if summary.discovered_at is None else query.now - summary.discovered_at,
            title_words=summary.title_words,
            tags=summary.tags,
            discovered_by=summary.discovered_by,
            task=task,
            agent=query.agent,
            specialties=query.specialties,
        )
        total = round(note_score.total(scored.points) * share, 2)
        ranked.append(Ranked(total, summary, matched, scored))
    ranked.sort(
        key=lambda note: (
            note.match.kind == MEANING,
            -note.total,
            -(note.summary.discovered_at or 0),
            note.summary.slug,
        )
    )
    return ranked


def prompt_text(notes: Iterable[MatchedNote], date: Callable[[int], str]) -> str:
    """The notes for a prompt, fenced as background."""
    return fenced(FENCE, background(notes, date), NOTICE)


def background(notes: Iterable[MatchedNote], date: Callable[[int], str]) -> str:
    """The notes for a prompt, without a fence; empty if there are none."""
    text = ""
    for note in notes:
        text += f"### {note.title}\n*Importance: {note.importance.value.upper()}*\n"
        text += f"*Discovered by: {note.discovered_by}*\n\n{note.content}\n\n"
        for other in note.contradictions or ():
            at = f", {date(other.discovered_at)}" if other.discovered_at is not None else ""
            text += f"*Contradicted by ({other.id}{at}): {other.says}*\n\n"
        if said := remark(note.freshness):
            text += f"*{said[0].upper()}{said[1:]}: {note.code_at}*\n\n"
        elif note.gone:
            text += f"*Perhaps outdated: {', '.join(note.gone)} no longer exists*\n\n"
    return HEADING + text if text else ""


def under_title(title: str, content: str) -> str:
    """A note's text to follow its title: without repeating it, and with headings below its level."""
    lines = content.strip("\n").split("\n")
    first = _HEADING.match(lines[0])
    if first and len(lines) > 1 and _flat(first[2]) == _flat(title):
        lines = "\n".join(lines[1:]).strip("\n").split("\n")
    lines = _without_repeated_title(title, lines)
    headings = {at: found for at in _outside_fences(lines) if (found := _HEADING.match(lines[at]))}
    lower = _TITLE_LEVEL + 1 - min((len(found[1]) for found in headings.values()), default=_LOWEST_LEVEL)
    for at, found in headings.items():
        depth = min(_LOWEST_LEVEL, len(found[1]) + max(0, lower))
        lines[at] = f"{'#' * depth} {found[2]}".rstrip()
    return "\n".join(lines)


def _without_repeated_title(title: str, lines: list[str]) -> list[str]:
    """Lines without a first sentence that repeats the title, unless there is nothing else."""
    first = _SENTENCE.match(lines[0])
    if not first or _flat(_MARKS.sub("", first[1])) != _flat(_MARKS.sub("", title).rstrip(".!")):
        return lines
    rest = [lines[0][first.end() :], *lines[1:]]
    return "\n".join(rest).strip("\n").split("\n") if any(map(str.strip, rest)) else lines


def _outside_fences(lines: list[str]) -> Iterator[int]:
    fence: str | None = None
    for at, line in enumerate(lines):
        if fence is not None:
            fence = None if closes_fence(line, fence) else fence
        elif (fence := fence_marker(line)) is None:
            yield at


def _flat(text: str) -> str:
    return " ".join(text.rstrip("# \t").casefold().split())


def cut(text: str, max_length: int = MAX_CONTENT) -> str:
    """A text cut at a word to this many characters; a code fence that is left open is closed."""
    short = text if len(text) <= max_length else _cut_at_word(text, max_length)
    fence = open_fence(short)
    if fence and len(short) + len(fence) >= max_length:
        short = _cut_at_word(text, max_length - len(fence) - 1)
        fence = open_fence(short)
    return f"{short}\n{fence}" if fence else short


def _cut_at_word(text: str, max_length: int) -> str:
    start = text[: max_length - 1]
    if not text[max_length - 1].isspace():
        spaces = len(start) - len(start.rstrip())
        last = max(start.rfind(" "), start.rfind("\n")) if not spaces else len(start)
        start = start[:last] if last > 0 else start
    start = trimmed = start.rstrip()
    # Nothing follows headings and an opening code fence at the end, so they are left out.
    while trimmed:
        before, _, last = trimmed.rpartition("\n")
        opens_fence = fence_marker(last) and open_fence(trimmed) and not open_fence(before)
        is_opening = _HEADING.match(last) or opens_fence
        if not is_opening or (open_fence(before) and not fence_marker(last)):
            break
        trimmed = before.rstrip()
    return f"{trimmed}\n…" if trimmed and trimmed != start else f"{start.rstrip(',.;:') or start}…"
