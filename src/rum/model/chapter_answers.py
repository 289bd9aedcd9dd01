"""Questions about chapters and wisdom, and their answers."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.chapters import (
    MOST_MEMBERS,
    Chapter,
    Claims,
    Contradiction,
    Evidence,
    Group,
    Origin,
    Summary,
    Tags,
    Title,
    Wisdom,
    Wording,
)
from rum.model.fields import about
from rum.model.memory_layers import Layer
from rum.model.questions import WITH_TAG, Limit
from rum.model.times import Time

Ids = Annotated[tuple[str, ...], Meta(max_length=MOST_MEMBERS)]
LEAST_MEMORIES, LEAST_CHAPTERS = 3, 2
"""How many memories tags must find for a chapter, and how many chapters make wisdom, by default."""
Least = Annotated[int, Meta(ge=1, le=MOST_MEMBERS)]


class CreateChapterQuestion(Layer, frozen=True):
    """Which memories: by their ids, or all that have these tags; and the words, where the caller has them.

    Beside `memory_ids`, `tags` are further tags of the chapter. `again` makes one of tagged memories though
    what was made of them was forgotten.
    """

    memory_ids: Ids = ()
    tags: Annotated[
        Tags, about("All memories with this tag (repeat: all of them).", option="--tag", metavar="TAG")
    ] = ()
    min_memories: Annotated[Least, about("With tags: minimum number of memories.")] = LEAST_MEMORIES
    again: Annotated[bool, about("With tags: even if it was forgotten once.", tool=False)] = False
    title: Annotated[Title | None, about("Its title.", metavar="TEXT")] = None
    summary: Annotated[Summary | None, about("What it is about.", metavar="TEXT")] = None
    learnings: Annotated[
        Claims | None, about("What was learned (repeat).", option="--learning", metavar="TEXT")
    ] = None


class CreateChapterResult(Struct, frozen=True, kw_only=True):
    """What the chapter is and says; `note` tells of what went otherwise than asked."""

    chapter_id: str
    created: bool
    title: str
    memory_count: int
    summary: str
    learnings: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    start_ts: int
    end_ts: int
    origin: Origin
    words: Wording
    note: str | UnsetType = UNSET


class ListChaptersQuestion(Layer, frozen=True):
    """Which chapters: with all the tags, begun not before `since`, ended not after `before`; or these.

    At most `limit`: 10 where nobody says, and all of those that are named.
    """

    chapter_ids: Ids = ()
    tags: Annotated[Tags, about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    since: Annotated[Time | None, about("Begun not earlier: Unix seconds, ISO date, or 7d, 12h, 2w.")] = None
    before: Annotated[Time | None, about("Ended not later than that.")] = None
    limit: Annotated[Limit | None, about("Maximum number of chapters.")] = None


class ChapterView(Struct, frozen=True, kw_only=True):
    """A chapter as callers see it; its members only where chapters were asked for by id."""

    id: str
    title: str
    summary: str
    learnings: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    start_ts: int
    end_ts: int
    memory_count: int
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    origin: Origin
    words: Wording
    memory_ids: tuple[str, ...] | UnsetType = UNSET
    stale: tuple[str, ...] | UnsetType = UNSET


class ListChaptersResult(Struct, frozen=True, kw_only=True):
    """The answer of `list_chapters`; `code` is NO_RESULTS, with a hint, when there is none."""

    chapters: list[ChapterView]
    total: int
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class SynthesizeQuestion(Layer, frozen=True):
    """Which chapters: by their ids, or all that have these tags; and the words, where the caller has them.

    Beside `chapter_ids`, `tags` are further tags of the wisdom. `again` makes it of tagged chapters though
    what was made of them was forgotten.
    """

    chapter_ids: Ids = ()
    tags: Annotated[
        Tags, about("All chapters with this tag (repeat: all of them).", option="--tag", metavar="TAG")
    ] = ()
    min_chapters: Annotated[Least, about("Minimum number of chapters.")] = LEAST_CHAPTERS
    again: Annotated[bool, about("With tags: even if it was forgotten once.", tool=False)] = False
    summary: Annotated[Summary | None, about("What they say together.", metavar="TEXT")] = None
    insights: Annotated[Claims | None, about("What holds (repeat).", option="--insight", metavar="TEXT")] = (
        None
    )
    patterns: Annotated[
        Claims | None, about("What repeats (repeat).", option="--pattern", metavar="TEXT")
    ] = None
    best_practices: Annotated[
        Claims | None, about("What to do (repeat).", option="--practice", metavar="TEXT")
    ] = None


class SynthesizeResult(Struct, frozen=True, kw_only=True):
    """What the wisdom is and says; `note` tells of what went otherwise than asked."""

    wisdom_id: str
    created: bool
    summary: str
    insights: tuple[str, ...]
    patterns: tuple[str, ...]
    best_practices: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    contradictions: tuple[Contradiction, ...] | UnsetType = UNSET
    chapter_count: int
    start_ts: int
    end_ts: int
    words: Wording
    note: str | UnsetType = UNSET


class RecallWisdomQuestion(Layer, frozen=True):
    """Which wisdom: one by its id, with all the tags, or what answers a question; by itself the newest."""

    wisdom_id: str | None = None
    tags: Annotated[Tags, about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    query: str | None = None
    limit: Annotated[Limit, about("Maximum number.")] = 5
    include_chapters: Annotated[bool, about("Show the chapters each was made of.", option="--chapters")] = (
        False
    )


class WisdomView(Struct, frozen=True, kw_only=True):
    """Wisdom as callers see it; `confidence` where it answers a question."""

    id: str
    confidence: float | UnsetType = UNSET
    match: str | UnsetType = UNSET
    """`fuzzy`: found by the meaning of its claims."""
    matching: tuple[int, ...] | UnsetType = UNSET
    """The places of the claims that answer the question, as `evidence` runs; they stand first."""
    summary: str
    insights: tuple[str, ...]
    patterns: tuple[str, ...]
    best_practices: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    contradictions: tuple[Contradiction, ...] | UnsetType = UNSET
    tags: tuple[str, ...]
    start_ts: int
    end_ts: int
    words: Wording
    chapter_ids: tuple[str, ...] | UnsetType = UNSET
    stale: tuple[str, ...] | UnsetType = UNSET


class RecallWisdomResult(Struct, frozen=True, kw_only=True):
    """The answer of `recall_wisdom`; `code` is NO_RESULTS, with a hint, when there is none."""

    wisdom: list[WisdomView]
    total: int
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class Change(Struct, frozen=True):
    """What a renewal took away from one part of the words, and what it put there."""

    part: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class Renewed(Struct, frozen=True, kw_only=True):
    """A chapter or wisdom that was renewed, or would be: why, what changed, and what to know about it."""

    id: str
    kind: str
    title: str
    stale: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    words: Wording = Wording.DRAWN
    note: str | UnsetType = UNSET


class RefreshResult(Struct, frozen=True, kw_only=True):
    """What `refresh` renewed, chapters first; `skipped` says of the rest why not."""

    renewed: list[Renewed]
    skipped: list[str]
    dry_run: bool = False


V = TypeVar("V", bound=Struct)


def answer_of(answer: type[V], group: Group, **others: Any) -> V:
    """An answer about a group: the fields that they share, and `others`."""
    shared = set(answer.__struct_fields__).intersection(group.__struct_fields__).difference(others)
    return answer(**{name: getattr(group, name) for name in shared}, **others)


def chapter_view(chapter: Chapter, *, members: bool = False) -> ChapterView:
    """A chapter as callers see it."""
    return answer_of(
        ChapterView,
        chapter,
        memory_count=len(chapter.members),
        memory_ids=chapter.memory_ids if members else UNSET,
        stale=chapter.stale or UNSET,
    )


def wisdom_view(wisdom: Wisdom, *, chapters: bool = False, **match: Any) -> WisdomView:
    """Wisdom as callers see it; `match` says how it answers a question."""
    return answer_of(
        WisdomView,
        wisdom,
        contradictions=wisdom.contradictions or UNSET,
        chapter_ids=wisdom.chapter_ids if chapters else UNSET,
        stale=wisdom.stale or UNSET,
        **match,
    )
