"""Chapters: groups of memories that tell one story, what they say, and what each claim rests on."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from rum.model.memory import Name, Number
from rum.model.times import Stamp


class Origin(StrEnum):
    """Who picked the members: a caller by their ids, or RUM by what they have in common."""

    MANUAL = "manual"
    AUTO = "auto"


class Wording(StrEnum):
    """Where the words came from: handed in by the caller, a language model, or the members themselves."""

    GIVEN = "given"
    MODEL = "model"
    DRAWN = "drawn"


Count = Annotated[int, Meta(ge=0, le=10**9)]

MOST_MEMBERS = 500
"""Members of a chapter, and chapters of a wisdom; more than that tell no one story."""
MOST_CLAIMS = 50
MOST_TAGS = 50
LONGEST_TITLE, LONGEST_TEXT, LONGEST_CLAIM = 200, 4000, 1000

Title = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,199}[^\x00-\x20\x7f]\Z")]
"""A text of one line that says something."""
Said = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_TEXT)]
Claim = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_CLAIM)]
Claims = Annotated[tuple[Claim, ...], Meta(max_length=MOST_CLAIMS)]
Tags = Annotated[tuple[str, ...], Meta(max_length=MOST_TAGS)]


class Evidence(Struct, frozen=True, kw_only=True):
    """The memories that say what a claim says, and those that say otherwise.

    `last_confirmed` is the time of the newest memory that supports it; 0 where none does.
    """

    memory_ids: tuple[Name, ...] = ()
    supporting: Count = 0
    against: Count = 0
    against_ids: tuple[Name, ...] = ()
    last_confirmed: Stamp = 0


class ChapterWords(Struct, frozen=True, kw_only=True):
    """What can be said of a group of memories; `evidence` runs parallel to `learnings`."""

    title: str
    summary: str
    learnings: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    topics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        parallel(self.evidence, len(self.learnings))


class Member(Struct, frozen=True):
    """A memory as it was when words were made of it: its version, and whether it was outdated.

    Version 0 stands for one that is not here as it was there.
    """

    memory_id: Name
    version: Count = 1
    superseded: bool = False


class Chapter(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A group of memories as it is kept; members in the order of their position."""

    id: Name
    project_id: str
    agent_id: Name
    created_at: Stamp
    updated_at: Stamp
    version: Number = 1
    """Grows when it comes to say something else."""
    title: Title
    summary: Said
    learnings: Claims = ()
    evidence: tuple[Evidence, ...] = ()
    start_ts: Stamp = 0
    end_ts: Stamp = 0
    tags: Tags = ()
    topics: Tags = ()
    origin: Origin = Origin.MANUAL
    words: Wording = Wording.DRAWN
    given: Tags = ()
    """The parts that were handed in: they stay until they are handed in anew."""
    found_by: Tags = ()
    """The tags that found its members, sorted; empty where they were named."""
    own_tags: Tags = ()
    """Tags that were handed in beside the ids."""
    members: Annotated[tuple[Member, ...], Meta(max_length=MOST_MEMBERS)] = ()
    former: tuple[Name, ...] = ()
    """Memories that are no longer its members, but were when words that are still there were handed in."""
    forgotten: Count = 0
    """How many members were forgotten since the words were made."""
    imported_at: Stamp | None = None
    stale: tuple[str, ...] = ()
    """Why it needs renewal: known only after a look at its members, never kept."""

    def __post_init__(self) -> None:
        parallel(self.evidence, len(self.learnings))

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Its members, in the order of their position."""
        return tuple(member.memory_id for member in self.members)

    @property
    def part_ids(self) -> tuple[str, ...]:
        """What it is made of."""
        return self.memory_ids

    @property
    def claims(self) -> tuple[str, ...]:
        """What it claims, as its evidence runs."""
        return self.learnings

    @property
    def said(self) -> tuple[object, ...]:
        """All that it says, and of whom."""
        words = (self.title, self.summary, self.learnings, self.evidence, self.tags, self.topics)
        return (*words, self.memory_ids)


def parallel(evidence: tuple[Evidence, ...], claims: int) -> None:
    """Refuse evidence that does not run parallel to its claims."""
    if len(evidence) != claims:
        raise ValueError(f"there are {claims} claims and evidence for {len(evidence)}")
