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
from rum.model.notes import Importance, MatchedNote, Note, Otherwise
from rum.text import patterns as match
from rum.text import terms
from rum.text.claim_comparison import contradict
from rum.text.claims import Claim, claims_in
from rum.text.fence import fenced
from rum.text.patterns import Match, Pattern, Text
from rum.text.sentences import closes, open_fence, opening
from rum.text.shorten import one_line

VERSION = f"5.{terms.VERSION}"  # To be changed whenever the head of the same note would differ
HEADING = "## Background Knowledge from Previous Runs\n\n"
LONGEST = 500  # Characters of a note that go into a prompt
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_SENTENCE = re.compile(r"(.*?)[.!](?:\s+|$)")
_MARKS = re.compile(r"[*`]+")
_OWN, _LOWEST = 3, 6  # The level of a note's own heading in a prompt, and the lowest level
_NAMED = 60
MOST_SHOWN = 3  # Contradicting statements that are shown with one note


class Head(Struct, frozen=True, array_like=True):
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
    otherwise: tuple[Otherwise, ...]
    remarks: tuple[str, ...]


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
    head: Head
    match: Match
    scored: Scored


def note_head(note: Note) -> Head:
    """The head of a note: its newest entry, and the statements of earlier ones that contradict it."""
    entry = note.newest
    own = claims_in(entry.content)
    return Head(
        slug=note.slug,
        newest=entry.n,
        entries=len(note.entries),
        title=entry.title,
        title_words=match.content_words(entry.title),
        patterns=tuple(map(match.compiled, entry.when_to_use)),
        tags=entry.tags,
        importance=entry.importance,
        discovered_at=entry.discovered_at,
        discovered_by=entry.discovered_by,
        related=tuple(dict.fromkeys(slug for one in note.entries for slug in one.related_memories)),
        retired="deprecated" if entry.deprecated else None,
        superseded_by=entry.superseded_by,
        line=entry.line,
        claims=tuple(claim.key for claim in own),
        stances=tuple(claim.stance for claim in own),
        otherwise=tuple(_earlier(note, own)),
        remarks=tuple(remark for one in note.entries for remark in one.remarks),
    )


def with_successors(heads: Mapping[str, Head]) -> dict[str, Head]:
    """The heads, with those retired that another existing note supersedes, cycles excepted."""
    slugs = {slug.casefold(): slug for slug in heads}
    found: dict[str, Head] = {}
    for slug, head in heads.items():
        found[slug] = head
        if head.superseded_by is not None:
            odd = _no_successor(head, heads, slugs)
            remarks = (*head.remarks, f"line {head.line}: `supersededBy` {odd}; it is ignored.")
            found[slug] = (
                replace(head, remarks=remarks)
                if odd
                else replace(head, retired=f"superseded by {head.superseded_by}")
            )
    return found


def _no_successor(head: Head, heads: Mapping[str, Head], slugs: Mapping[str, str]) -> str | None:
    """Why the successor of a note is ignored; None if it is valid."""
    passed: set[str] = set()
    name = head.superseded_by
    while name is not None and (slug := slugs.get(name.casefold())) is not None and slug not in passed:
        if slug == head.slug:
            return "leads back to this note itself"
        passed.add(slug)
        name = heads[slug].superseded_by
    return None if passed else f"names `{one_line(str(head.superseded_by), _NAMED)}`, which does not exist"


def _earlier(note: Note, own: list[Claim]) -> list[Otherwise]:
    found = [
        one
        for entry in reversed(note.entries)
        if entry.n != note.newest.n
        for one in contradictions(own, entry.content, f"{note.slug}#{entry.n}", entry.discovered_at)
    ]
    return found[:MOST_SHOWN]


def contradictions(own: list[Claim], content: str, other: str, at: int | None) -> list[Otherwise]:
    """What another entry says that cannot hold together with these statements."""
    theirs: dict[int, list[Claim]] = {}
    for claim in claims_in(content):
        theirs.setdefault(claim.key, []).append(claim)
    return [
        Otherwise(mine.text, other, claim.text, at)
        for mine in own
        for claim in theirs.get(mine.key, ())
        if contradict(mine, claim)
    ]


def possible_contradictions(head: Head, heads: Iterable[Head]) -> list[Head]:
    """The other notes with a different stance on the same claim."""
    own = set(head.claims)
    said = set(zip(head.claims, head.stances, strict=True))
    alike = (other for other in heads if not own.isdisjoint(other.claims))
    return [
        other
        for other in alike
        if other.slug != head.slug and not other.retired and _differs(other, own, said)
    ]


def _differs(other: Head, own: set[int], said: set[tuple[int, int]]) -> bool:
    theirs = zip(other.claims, other.stances, strict=True)
    return any(key in own and (key, stance) not in said for key, stance in theirs)


def rank(heads: Iterable[Head], query: NoteQuery) -> list[Ranked]:
    """The notes that match, best first; ties by date, newest first, then by file name."""
    task, whole = Text(query.task), Text(query.task, query.plan)
    found = [one for head in heads if (one := _rank(head, task, whole, query)) is not None]
    return sorted(found, key=lambda one: (-one.total, -(one.head.discovered_at or 0), one.head.slug))


def _rank(head: Head, task: Text, whole: Text, query: NoteQuery) -> Ranked | None:
    if head.retired or not note_score.is_important_enough(head.importance, query.min_importance):
        return None
    matched = match.best(head.patterns, whole)
    if matched is None or not note_score.is_close_enough(head.importance, matched):
        return None
    scored = note_score.score(
        importance=head.importance,
        age=None if head.discovered_at is None else query.now - head.discovered_at,
        title_words=head.title_words,
        tags=head.tags,
        discovered_by=head.discovered_by,
        task=task,
        agent=query.agent,
        specialties=query.specialties,
    )
    return Ranked(note_score.total(scored.points), head, matched, scored)


def prompt_text(notes: Iterable[MatchedNote], date: Callable[[int], str]) -> str:
    """The notes for a prompt, fenced as background."""
    return fenced(FENCE, background(notes, date), NOTICE)


def background(notes: Iterable[MatchedNote], date: Callable[[int], str]) -> str:
    """The notes for a prompt, without a fence; empty if there are none."""
    blocks = [_block(note, date) for note in notes]
    return HEADING + "".join(blocks) if blocks else ""


def _block(note: MatchedNote, date: Callable[[int], str]) -> str:
    block = f"### {note.title}\n*Importance: {note.importance.value.upper()}*\n"
    block += f"*Discovered by: {note.discovered_by}*\n\n{note.content}\n\n"
    for other in note.otherwise or ():
        at = f", {date(other.discovered_at)}" if other.discovered_at is not None else ""
        block += f"*Contradicted by ({other.id}{at}): {other.says}*\n\n"
    return block


def under_title(title: str, content: str) -> str:
    """A note's text to follow its title: without repeating it, and with headings below its level."""
    lines = content.strip("\n").split("\n")
    first = _HEADING.match(lines[0])
    if first and len(lines) > 1 and _flat(first[2]) == _flat(title):
        lines = "\n".join(lines[1:]).strip("\n").split("\n")
    lines = _without(title, lines)
    headings = {at: found for at in _outside_fences(lines) if (found := _HEADING.match(lines[at]))}
    lower = _OWN + 1 - min((len(found[1]) for found in headings.values()), default=_LOWEST)
    for at, found in headings.items():
        depth = min(_LOWEST, len(found[1]) + max(0, lower))
        lines[at] = f"{'#' * depth} {found[2]}".rstrip()
    return "\n".join(lines)


def _without(title: str, lines: list[str]) -> list[str]:
    """Lines without a first sentence that repeats the title, unless there is nothing else."""
    first = _SENTENCE.match(lines[0])
    if not first or _flat(_MARKS.sub("", first[1])) != _flat(_MARKS.sub("", title).rstrip(".!")):
        return lines
    left = [lines[0][first.end() :], *lines[1:]]
    return "\n".join(left).strip("\n").split("\n") if any(map(str.strip, left)) else lines


def _outside_fences(lines: list[str]) -> Iterator[int]:
    fence: str | None = None
    for at, line in enumerate(lines):
        if fence is not None:
            fence = None if closes(line, fence) else fence
        elif (fence := opening(line)) is None:
            yield at


def _flat(text: str) -> str:
    return " ".join(text.rstrip("# \t").casefold().split())


def cut(text: str, most: int = LONGEST) -> str:
    """A text cut at a word to this many characters; a code fence that is left open is closed."""
    short = text if len(text) <= most else _cut(text, most)
    fence = open_fence(short)
    if fence and len(short) + len(fence) >= most:
        short = _cut(text, most - len(fence) - 1)
        fence = open_fence(short)
    return f"{short}\n{fence}" if fence else short


def _cut(text: str, most: int) -> str:
    room = text[: most - 1]
    if not text[most - 1].isspace():
        word = len(room) - len(room.rstrip())
        last = max(room.rfind(" "), room.rfind("\n")) if not word else len(room)
        room = room[:last] if last > 0 else room
    room = room.rstrip()
    kept = _without_beginnings(room)
    return f"{kept}\n…" if kept and kept != room else f"{room.rstrip(',.;:') or room}…"


def _without_beginnings(text: str) -> str:
    """A text without headings and an opening code fence at its end that nothing follows."""
    while text:
        before, _, last = text.rpartition("\n")
        begun = _HEADING.match(last) or (opening(last) and open_fence(text) and not open_fence(before))
        if not begun or (open_fence(before) and not opening(last)):
            break
        text = before.rstrip()
    return text
