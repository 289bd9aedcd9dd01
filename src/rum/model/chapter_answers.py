"""What can be asked of chapters, and what comes back."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.chapters import (
    MOST_MEMBERS,
    Chapter,
    Claims,
    Evidence,
    Origin,
    Said,
    Tags,
    Title,
    Wording,
)
from rum.model.memory_layers import Layer
from rum.model.questions import Limit
from rum.model.times import Time

Ids = Annotated[tuple[str, ...], Meta(max_length=MOST_MEMBERS)]
LEAST_MEMORIES = 3
"""How many memories tags must find, where nobody says."""
Least = Annotated[int, Meta(ge=1, le=MOST_MEMBERS)]


class CreateChapterQuestion(Layer, frozen=True):
    """Which memories: by their ids, or all that have these tags; and the words, where the caller has them.

    Beside `memory_ids`, `tags` are further tags of the chapter. `again` makes one of tagged memories though
    what was made of them was forgotten.
    """

    memory_ids: Ids = ()
    tags: Tags = ()
    min_memories: Least = LEAST_MEMORIES
    again: bool = False
    title: Title | None = None
    summary: Said | None = None
    learnings: Claims | None = None


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
    tags: Tags = ()
    since: Time | None = None
    before: Time | None = None
    limit: Limit | None = None


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


def chapter_view(chapter: Chapter, *, members: bool = False) -> ChapterView:
    """A chapter as callers see it."""
    return ChapterView(
        id=chapter.id,
        title=chapter.title,
        summary=chapter.summary,
        learnings=chapter.learnings,
        evidence=chapter.evidence,
        start_ts=chapter.start_ts,
        end_ts=chapter.end_ts,
        memory_count=len(chapter.members),
        tags=chapter.tags,
        topics=chapter.topics,
        origin=chapter.origin,
        words=chapter.words,
        memory_ids=chapter.memory_ids if members else UNSET,
        stale=chapter.stale or UNSET,
    )
