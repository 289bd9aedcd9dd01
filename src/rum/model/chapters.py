"""Chapters and wisdom: the groups, the evidence for each claim, and what can be asked of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.fields import Stamp, Time, about
from rum.model.memory import Name, Number
from rum.model.memory_layers import Layer
from rum.model.questions import WITH_TAG, Limit


class ChapterOrigin(StrEnum):
    """Who picked the members: a caller by their ids, or RUM by what they have in common."""

    MANUAL = "manual"
    AUTO = "auto"


class Wording(StrEnum):
    """Where the words came from: the caller, a language model, or the members themselves."""

    GIVEN = "given"
    MODEL = "model"
    DRAWN = "drawn"


Count = Annotated[int, Meta(ge=0, le=10**9)]

MOST_MEMBERS = 500  # Memories of a chapter, and chapters of wisdom
MOST_CLAIMS = 50
MOST_TAGS = 50
LONGEST_TITLE, LONGEST_TEXT, LONGEST_CLAIM = 200, 4000, 1000

# A text of one line that is not blank.
Title = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,199}[^\x00-\x20\x7f]\Z")]
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
    OTHERS: ClassVar[tuple[str, ...]] = ()  # Fields of words that are neither

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
    """The text of a group, with the evidence of its claims."""

    summary: str
    evidence: tuple[Evidence, ...] = ()


class ChapterWords(Words, frozen=True, kw_only=True):
    """The text of a chapter."""

    TEXTS: ClassVar = ("title", "summary")
    CLAIM_LISTS: ClassVar = ("learnings",)
    OTHERS: ClassVar = ("topics",)

    title: str
    learnings: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


class WisdomWords(Words, frozen=True, kw_only=True):
    """The text of wisdom."""

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
    version: Number = 1  # Grows when the words or the parts change
    summary: Summary
    evidence: tuple[Evidence, ...] = ()
    start_ts: Stamp = 0
    end_ts: Stamp = 0
    tags: Tags = ()
    words: Wording = Wording.DRAWN
    given: Tags = ()  # The fields that the caller gave: they stay until they are given again
    found_by: Tags = ()  # The tags that found its parts, sorted; empty where they were named
    own_tags: Tags = ()  # Tags that were given beside the ids
    # All memories its words were made of: of a chapter in their order, of wisdom sorted by id.
    members: tuple[Member, ...] = ()
    # Memories that are no longer members, but were when words that are still there were given.
    former: tuple[Name, ...] = ()
    forgotten: Count = 0  # How many members and parts were forgotten since the words were made
    imported_at: Stamp | None = None
    stale: tuple[str, ...] = ()  # Why it needs a refresh. Found by looking at the members, never stored.

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
    origin: ChapterOrigin = ChapterOrigin.MANUAL
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


Ids = Annotated[tuple[str, ...], Meta(max_length=MOST_MEMBERS)]
# How many memories tags must find for a chapter, and how many chapters make wisdom, by default.
LEAST_MEMORIES, LEAST_CHAPTERS = 3, 2
Least = Annotated[int, Meta(ge=1, le=MOST_MEMBERS)]


class CreateChapterQuestion(Layer, frozen=True):
    """Which memories: by their ids, or all that have these tags; and the words, where the caller has them.

    Beside `memory_ids`, `tags` are further tags of the chapter. `again` makes one of tagged memories though
    what was made of them was forgotten.
    """

    memory_ids: Ids = ()
    tags: Annotated[
        Tags, about("All memories with this tag (repeat to require several).", option="--tag", metavar="TAG")
    ] = ()
    min_memories: Annotated[Least, about("With tags: minimum number of memories.")] = LEAST_MEMORIES
    again: Annotated[bool, about("With tags: create it even if it was forgotten.", tool=False)] = False
    title: Annotated[Title | None, about("The title.", metavar="TEXT")] = None
    summary: Annotated[Summary | None, about("The summary.", metavar="TEXT")] = None
    learnings: Annotated[
        Claims | None, about("Something learned (repeat).", option="--learning", metavar="TEXT")
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
    origin: ChapterOrigin
    words: Wording
    note: str | UnsetType = UNSET


class ListChaptersQuestion(Layer, frozen=True):
    """Which chapters: with all the tags, begun not before `since`, ended not after `before`; or these.

    At most `limit`: 10 where nobody says, and all of those that are named.
    """

    chapter_ids: Ids = ()
    tags: Annotated[Tags, about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    since: Annotated[
        Time | None, about("Begun at or after this: Unix seconds, ISO date, or 7d, 12h, 2w.")
    ] = None
    before: Annotated[Time | None, about("Ended at or before this.")] = None
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
    origin: ChapterOrigin
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
        Tags, about("All chapters with this tag (repeat to require several).", option="--tag", metavar="TAG")
    ] = ()
    min_chapters: Annotated[Least, about("Minimum number of chapters.")] = LEAST_CHAPTERS
    again: Annotated[bool, about("With tags: create it even if it was forgotten.", tool=False)] = False
    summary: Annotated[Summary | None, about("The summary.", metavar="TEXT")] = None
    insights: Annotated[Claims | None, about("An insight (repeat).", option="--insight", metavar="TEXT")] = (
        None
    )
    patterns: Annotated[Claims | None, about("A pattern (repeat).", option="--pattern", metavar="TEXT")] = (
        None
    )
    best_practices: Annotated[
        Claims | None, about("A best practice (repeat).", option="--practice", metavar="TEXT")
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
    """Which wisdom: one by its id, with all the tags, or what answers a question; by default the newest."""

    wisdom_id: str | None = None
    tags: Annotated[Tags, about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    query: str | None = None
    limit: Annotated[Limit, about("Maximum number of results.")] = 5
    include_chapters: Annotated[
        bool, about("Show the chapters of each piece of wisdom.", option="--chapters")
    ] = False


class WisdomView(Struct, frozen=True, kw_only=True):
    """Wisdom as callers see it; `confidence` where it answers a question."""

    id: str
    confidence: float | UnsetType = UNSET
    match: str | UnsetType = UNSET  # `fuzzy`: found by the meaning of its claims
    # The places of the claims that answer the question, as `evidence` runs; they stand first.
    matching: tuple[int, ...] | UnsetType = UNSET
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
    """What a refresh removed from one part of the text, and what it added."""

    part: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class RefreshedGroup(Struct, frozen=True, kw_only=True):
    """A chapter or wisdom that was refreshed, or would be: why, and what changed."""

    id: str
    kind: str
    title: str
    stale: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    words: Wording = Wording.DRAWN
    note: str | UnsetType = UNSET


class RefreshResult(Struct, frozen=True, kw_only=True):
    """What `refresh` changed, chapters first; `skipped` gives the reasons for the rest."""

    refreshed: list[RefreshedGroup]
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
