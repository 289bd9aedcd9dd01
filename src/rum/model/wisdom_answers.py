"""What can be asked of wisdom, and what comes back."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from rum.model.chapter_answers import Ids, Least
from rum.model.chapters import Claims, Evidence, Said, Tags, Wording
from rum.model.memory_layers import Layer
from rum.model.questions import Limit
from rum.model.wisdom import Contradiction, Wisdom

LEAST_CHAPTERS = 2
"""How many chapters make wisdom, where nobody says."""


class SynthesizeQuestion(Layer, frozen=True):
    """Which chapters: by their ids, or all that have these tags; and the words, where the caller has them.

    Beside `chapter_ids`, `tags` are further tags of the wisdom. `again` makes it of tagged chapters though
    what was made of them was forgotten.
    """

    chapter_ids: Ids = ()
    tags: Tags = ()
    min_chapters: Least = LEAST_CHAPTERS
    again: bool = False
    summary: Said | None = None
    insights: Claims | None = None
    patterns: Claims | None = None
    best_practices: Claims | None = None


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
    tags: Tags = ()
    query: str | None = None
    limit: Limit = 5
    include_chapters: bool = False


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


def wisdom_view(
    wisdom: Wisdom,
    *,
    chapters: bool = False,
    confidence: float | None = None,
    matching: tuple[int, ...] | None = None,
    fuzzy: bool = False,
) -> WisdomView:
    """Wisdom as callers see it."""
    return WisdomView(
        id=wisdom.id,
        confidence=UNSET if confidence is None else confidence,
        match="fuzzy" if fuzzy else UNSET,
        matching=UNSET if matching is None else matching,
        summary=wisdom.summary,
        insights=wisdom.insights,
        patterns=wisdom.patterns,
        best_practices=wisdom.best_practices,
        evidence=wisdom.evidence,
        contradictions=wisdom.contradictions or UNSET,
        tags=wisdom.tags,
        start_ts=wisdom.start_ts,
        end_ts=wisdom.end_ts,
        words=wisdom.words,
        chapter_ids=wisdom.chapter_ids if chapters else UNSET,
        stale=wisdom.stale or UNSET,
    )
