"""Wisdom: what chapters say together, what each claim rests on, and where memories contradict each other."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from rum.model.chapters import (
    MOST_CLAIMS,
    MOST_MEMBERS,
    Claim,
    Claims,
    Count,
    Evidence,
    Member,
    Said,
    Tags,
    Wording,
    parallel,
)
from rum.model.memory import Name, Number
from rum.model.times import Stamp


class Contradiction(Struct, frozen=True, kw_only=True):
    """Two claims that cannot both hold, each with the memories that make it; neither is preferred."""

    claim: Claim
    memory_ids: tuple[Name, ...]
    against: Claim
    against_ids: tuple[Name, ...]


class WisdomWords(Struct, frozen=True, kw_only=True):
    """What chapters say; `evidence` is for insights, patterns and best practices, in that order."""

    summary: str
    insights: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    best_practices: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()

    def __post_init__(self) -> None:
        parallel(self.evidence, len(self.claims))

    @property
    def claims(self) -> tuple[str, ...]:
        """Insights, patterns and best practices, as their evidence runs."""
        return (*self.insights, *self.patterns, *self.best_practices)


class Source(Struct, frozen=True):
    """A chapter that wisdom was made of, and its version then."""

    chapter_id: Name
    version: Number = 1


class Wisdom(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Project knowledge as it is kept, with the chapters it was made of."""

    id: Name
    project_id: str
    agent_id: Name
    created_at: Stamp
    updated_at: Stamp
    version: Number = 1
    """Grows when it comes to say something else."""
    summary: Said
    insights: Claims = ()
    patterns: Claims = ()
    best_practices: Claims = ()
    evidence: tuple[Evidence, ...] = ()
    """Parallel to insights, patterns and best practices, in that order."""
    contradictions: Annotated[tuple[Contradiction, ...], Meta(max_length=MOST_CLAIMS)] = ()
    tags: Tags = ()
    start_ts: Stamp = 0
    end_ts: Stamp = 0
    words: Wording = Wording.DRAWN
    given: Tags = ()
    """The parts that were handed in: they stay until they are handed in anew."""
    found_by: Tags = ()
    """The tags that found its chapters, sorted; empty where they were named."""
    own_tags: Tags = ()
    """Tags that were handed in beside the ids."""
    sources: Annotated[tuple[Source, ...], Meta(max_length=MOST_MEMBERS)] = ()
    members: tuple[Member, ...] = ()
    """All memories its words were made of, sorted by id: those of its chapters as these were then."""
    former: tuple[Name, ...] = ()
    """Memories that are no longer among them, but were when words that are still there were handed in."""
    forgotten: Count = 0
    """How many chapters, and memories of them, were forgotten since the words were made."""
    imported_at: Stamp | None = None
    stale: tuple[str, ...] = ()
    """Why it needs renewal: known only after a look at its sources, never kept."""

    def __post_init__(self) -> None:
        parallel(self.evidence, len(self.claims))

    @property
    def chapter_ids(self) -> tuple[str, ...]:
        """The chapters it was made of, oldest first."""
        return tuple(source.chapter_id for source in self.sources)

    @property
    def part_ids(self) -> tuple[str, ...]:
        """What it is made of."""
        return self.chapter_ids

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories its words were made of."""
        return tuple(member.memory_id for member in self.members)

    @property
    def said(self) -> tuple[object, ...]:
        """All that it says, and of what."""
        words = (self.summary, self.insights, self.patterns, self.best_practices)
        return (*words, self.evidence, self.contradictions, self.tags, self.chapter_ids)

    @property
    def claims(self) -> tuple[str, ...]:
        """Insights, patterns and best practices, as their evidence runs."""
        return (*self.insights, *self.patterns, *self.best_practices)
