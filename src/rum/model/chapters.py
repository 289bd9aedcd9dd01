"""Groups: chapters of memories and wisdom of chapters, with the evidence for each of their claims."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from rum.model.memory import Name, Number
from rum.model.times import Stamp


class Origin(StrEnum):
    """Who picked the members: a caller by their ids, or RUM by what they have in common."""

    MANUAL = "manual"
    AUTO = "auto"


class Wording(StrEnum):
    """Where the words came from: the caller, a language model, or the members themselves."""

    GIVEN = "given"
    MODEL = "model"
    DRAWN = "drawn"


Count = Annotated[int, Meta(ge=0, le=10**9)]

MOST_MEMBERS = 500
"""Memories of a chapter, and chapters of wisdom."""
MOST_CLAIMS = 50
MOST_TAGS = 50
LONGEST_TITLE, LONGEST_TEXT, LONGEST_CLAIM = 200, 4000, 1000

Title = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,199}[^\x00-\x20\x7f]\Z")]
"""A text of one line that is not blank."""
Summary = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_TEXT)]
Claim = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_CLAIM)]
Claims = Annotated[tuple[Claim, ...], Meta(max_length=MOST_CLAIMS)]
Tags = Annotated[tuple[str, ...], Meta(max_length=MOST_TAGS)]


class Evidence(Struct, frozen=True, kw_only=True):
    """The memories that support a claim, and those that contradict it.

    `last_confirmed` is the time of the newest memory that supports it; 0 where none does.
    """

    memory_ids: tuple[Name, ...] = ()
    supporting: Count = 0
    against: Count = 0
    against_ids: tuple[Name, ...] = ()
    last_confirmed: Stamp = 0


class Contradiction(Struct, frozen=True, kw_only=True):
    """Two claims that cannot both hold, each with the memories that make it; neither is preferred."""

    claim: Claim
    memory_ids: tuple[Name, ...]
    against: Claim
    against_ids: tuple[Name, ...]


class Member(Struct, frozen=True):
    """A memory as it was when words were made of it: its version, and whether it was superseded.

    Version 0 marks a memory that differs here from what the words were made of elsewhere.
    """

    memory_id: Name
    version: Count = 1
    superseded: bool = False


class Source(Struct, frozen=True):
    """A chapter that wisdom was made of, and its version then."""

    chapter_id: Name
    version: Number = 1


class _Claiming(Struct, frozen=True):
    """What has texts and lists of claims; `evidence` runs parallel to the claims of all lists."""

    TEXTS: ClassVar[tuple[str, ...]] = ("summary",)
    CLAIM_LISTS: ClassVar[tuple[str, ...]] = ()
    OTHERS: ClassVar[tuple[str, ...]] = ()
    """Fields of words that are neither."""

    def __post_init__(self) -> None:
        if len(self._evidence) != len(self.claims):
            raise ValueError(f"there are {len(self.claims)} claims and evidence for {len(self._evidence)}")

    @property
    def _evidence(self) -> tuple[Evidence, ...]:
        return getattr(self, "evidence", ())

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims of all lists, parallel to the evidence."""
        return tuple(claim for name in self.CLAIM_LISTS for claim in getattr(self, name))

    @property
    def claims_by_list(self) -> dict[str, list[tuple[str, Evidence]]]:
        """For each list its claims with their evidence."""
        evidence = iter(self._evidence)
        return {name: [(claim, next(evidence)) for claim in getattr(self, name)] for name in self.CLAIM_LISTS}


class Words(_Claiming, frozen=True, kw_only=True):
    """What can be said of the members of a group."""

    summary: str
    evidence: tuple[Evidence, ...] = ()


class ChapterWords(Words, frozen=True, kw_only=True):
    """What can be said of memories."""

    TEXTS: ClassVar = ("title", "summary")
    CLAIM_LISTS: ClassVar = ("learnings",)
    OTHERS: ClassVar = ("topics",)

    title: str
    learnings: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


class WisdomWords(Words, frozen=True, kw_only=True):
    """What can be said of chapters."""

    CLAIM_LISTS: ClassVar = ("insights", "patterns", "best_practices")
    OTHERS: ClassVar = ("contradictions",)

    insights: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    best_practices: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


class Group(_Claiming, frozen=True, kw_only=True, omit_defaults=True):
    """What chapters and wisdom have in common. A group is made of parts: memories, or chapters."""

    id: Name
    project_id: str
    agent_id: Name
    created_at: Stamp
    updated_at: Stamp
    version: Number = 1
    """Grows when the words or the parts change."""
    summary: Summary
    evidence: tuple[Evidence, ...] = ()
    start_ts: Stamp = 0
    end_ts: Stamp = 0
    tags: Tags = ()
    words: Wording = Wording.DRAWN
    given: Tags = ()
    """The fields that the caller gave: they stay until they are given again."""
    found_by: Tags = ()
    """The tags that found its parts, sorted; empty where they were named."""
    own_tags: Tags = ()
    """Tags that were given beside the ids."""
    members: tuple[Member, ...] = ()
    """All memories its words were made of: of a chapter in their order, of wisdom sorted by id."""
    former: tuple[Name, ...] = ()
    """Memories that are no longer members, but were when words that are still there were given."""
    forgotten: Count = 0
    """How many members and parts were forgotten since the words were made."""
    imported_at: Stamp | None = None
    stale: tuple[str, ...] = ()
    """Why it needs a refresh. Found by looking at the members, never stored."""

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories its words were made of."""
        return tuple(member.memory_id for member in self.members)

    @property
    def part_ids(self) -> tuple[str, ...]:
        """What it is made of: memories or chapters."""
        return self.memory_ids

    @property
    def content(self) -> tuple[object, ...]:
        """Everything whose change makes a new version."""
        names = (*self.TEXTS, *self.CLAIM_LISTS, *self.OTHERS, "evidence", "tags", "part_ids")
        return tuple(getattr(self, name) for name in names)


class Chapter(Group, frozen=True, kw_only=True, omit_defaults=True):
    """A group of memories that tell one story."""

    TEXTS: ClassVar = ("title", "summary")
    CLAIM_LISTS: ClassVar = ("learnings",)
    OTHERS: ClassVar = ("topics",)

    title: Title
    learnings: Claims = ()
    topics: Tags = ()
    origin: Origin = Origin.MANUAL
    members: Annotated[tuple[Member, ...], Meta(max_length=MOST_MEMBERS)] = ()


class Wisdom(Group, frozen=True, kw_only=True, omit_defaults=True):
    """What chapters say together, with the chapters it was made of, oldest first."""

    CLAIM_LISTS: ClassVar = ("insights", "patterns", "best_practices")
    OTHERS: ClassVar = ("contradictions",)

    insights: Claims = ()
    patterns: Claims = ()
    best_practices: Claims = ()
    contradictions: Annotated[tuple[Contradiction, ...], Meta(max_length=MOST_CLAIMS)] = ()
    sources: Annotated[tuple[Source, ...], Meta(max_length=MOST_MEMBERS)] = ()

    @property
    def chapter_ids(self) -> tuple[str, ...]:
        """The chapters it was made of, oldest first."""
        return tuple(source.chapter_id for source in self.sources)

    @property
    def part_ids(self) -> tuple[str, ...]:
        """What it is made of."""
        return self.chapter_ids
