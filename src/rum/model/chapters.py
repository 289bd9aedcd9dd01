"""Chapters and wisdom: the stored groups, the evidence for their claims, and the requests and results."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.fields import Stamp, Time, about
from rum.model.memory import Id, VersionNumber
from rum.model.memory_layers import Layer
from rum.model.requests import WITH_TAG, Limit


class ChapterOrigin(StrEnum):
    """Who selected the members: a caller by ids, or RUM by tags or similarity."""

    MANUAL = "manual"
    AUTO = "auto"


class TextSource(StrEnum):
    """Who wrote the text: the caller, a language model, or RUM, by quoting the members."""

    GIVEN = "given"
    MODEL = "model"
    DRAWN = "drawn"


Count = Annotated[int, Meta(ge=0, le=10**9)]

MAX_MEMBERS = 500  # Memories of a chapter, and chapters of wisdom
MAX_CLAIMS = 50
MAX_TAGS = 50
MAX_TITLE_LENGTH, MAX_TEXT_LENGTH, MAX_CLAIM_LENGTH = 200, 4000, 1000

# A text of one line that is not blank.
Title = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,199}[^\x00-\x20\x7f]\Z")]
Summary = Annotated[str, Meta(pattern=r"\S", max_length=MAX_TEXT_LENGTH)]
Claim = Annotated[str, Meta(pattern=r"\S", max_length=MAX_CLAIM_LENGTH)]
Claims = Annotated[tuple[Claim, ...], Meta(max_length=MAX_CLAIMS)]
Tags = Annotated[tuple[str, ...], Meta(max_length=MAX_TAGS)]
Topics = Annotated[tuple[Title, ...], Meta(max_length=MAX_TAGS)]


class Evidence(Struct, frozen=True, kw_only=True):
    """The memories that support a claim, and those that contradict it.

    `last_confirmed` is the time of the newest memory that supports it, or 0.
    """

    memory_ids: tuple[Id, ...] = ()
    supporting: Count = 0
    against: Count = 0
    against_ids: tuple[Id, ...] = ()
    last_confirmed: Stamp = 0


class Contradiction(Struct, frozen=True, kw_only=True):
    """Two claims that cannot both hold, each with the memories that state it; neither is preferred."""

    claim: Claim
    memory_ids: tuple[Id, ...]
    against: Claim
    against_ids: tuple[Id, ...]


class Member(Struct, frozen=True):
    """The state of a memory when the text was written: its version, and whether it was superseded.

    Version 0 is for imported groups: the memory here differs from the one the text was written from.
    """

    memory_id: Id
    version: Count = 1
    superseded: bool = False


class Source(Struct, frozen=True):
    """A chapter that wisdom was created from, and its version at that time."""

    chapter_id: Id
    version: VersionNumber = 1


class _HasClaims(Struct, frozen=True):
    """Has texts and lists of claims; `evidence` has one item per claim, in the order of the lists."""

    TEXTS: ClassVar[tuple[str, ...]] = ("summary",)
    CLAIM_LISTS: ClassVar[tuple[str, ...]] = ()
    OTHER_FIELDS: ClassVar[tuple[str, ...]] = ()  # Further fields of the text

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


class GroupText(_HasClaims, frozen=True, kw_only=True):
    """The text of a group, with the evidence of its claims."""

    summary: str
    evidence: tuple[Evidence, ...] = ()


class ChapterText(GroupText, frozen=True, kw_only=True):
    """The text of a chapter."""

    TEXTS: ClassVar = ("title", "summary")
    CLAIM_LISTS: ClassVar = ("learnings",)
    OTHER_FIELDS: ClassVar = ("topics",)

    title: str
    learnings: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


class WisdomText(GroupText, frozen=True, kw_only=True):
    """The text of wisdom."""

    CLAIM_LISTS: ClassVar = ("insights", "patterns", "best_practices")
    OTHER_FIELDS: ClassVar = ("contradictions",)

    insights: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    best_practices: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


class Group(_HasClaims, frozen=True, kw_only=True, omit_defaults=True):
    """What chapters and wisdom have in common. The parts of a group are memories, or chapters."""

    id: Id
    project_id: str
    agent_id: Id
    created_at: Stamp
    updated_at: Stamp
    version: VersionNumber = 1  # Grows when the text or the parts change
    summary: Summary
    evidence: tuple[Evidence, ...] = ()
    start_ts: Stamp = 0
    end_ts: Stamp = 0
    tags: Tags = ()
    words: TextSource = TextSource.DRAWN
    given: Tags = ()  # Fields that the caller wrote; only the caller replaces them
    found_by: Tags = ()  # The tags its parts were selected by, sorted; empty if they were selected by id
    own_tags: Tags = ()  # Tags that the caller gave in addition to ids
    # All memories the text was written from: in order for a chapter, sorted by id for wisdom.
    members: tuple[Member, ...] = ()
    # Former members, from the time when the caller wrote a text that is still in use.
    former: tuple[Id, ...] = ()
    forgotten: Count = 0  # Number of members and parts forgotten since the text was written
    imported_at: Stamp | None = None
    stale: tuple[str, ...] = ()  # Why it needs a refresh. Found by looking at the members, never stored.

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories its text was written from."""
        return tuple(member.memory_id for member in self.members)

    @property
    def part_ids(self) -> tuple[str, ...]:
        """The ids of its parts: memories or chapters."""
        return self.memory_ids

    @property
    def content(self) -> tuple[object, ...]:
        """All values that make a new version when they change."""
        names = (*self.TEXTS, *self.CLAIM_LISTS, *self.OTHER_FIELDS, "evidence", "tags", "part_ids")
        return tuple(getattr(self, name) for name in names)


class Chapter(Group, frozen=True, kw_only=True, omit_defaults=True):
    """A group of related memories."""

    TEXTS: ClassVar = ("title", "summary")
    CLAIM_LISTS: ClassVar = ("learnings",)
    OTHER_FIELDS: ClassVar = ("topics",)

    title: Title
    learnings: Claims = ()
    topics: Tags = ()
    origin: ChapterOrigin = ChapterOrigin.MANUAL
    members: Annotated[tuple[Member, ...], Meta(max_length=MAX_MEMBERS)] = ()


class Wisdom(Group, frozen=True, kw_only=True, omit_defaults=True):
    """Conclusions from several chapters, with the chapters they were drawn from, oldest first."""

    CLAIM_LISTS: ClassVar = ("insights", "patterns", "best_practices")
    OTHER_FIELDS: ClassVar = ("contradictions",)

    insights: Claims = ()
    patterns: Claims = ()
    best_practices: Claims = ()
    contradictions: Annotated[tuple[Contradiction, ...], Meta(max_length=MAX_CLAIMS)] = ()
    sources: Annotated[tuple[Source, ...], Meta(max_length=MAX_MEMBERS)] = ()

    @property
    def chapter_ids(self) -> tuple[str, ...]:
        """Its chapters, oldest first."""
        return tuple(source.chapter_id for source in self.sources)

    @property
    def part_ids(self) -> tuple[str, ...]:
        """The ids of its chapters."""
        return self.chapter_ids


Ids = Annotated[tuple[str, ...], Meta(max_length=MAX_MEMBERS)]
# Default minimum number of tagged memories for a chapter, and of chapters for wisdom.
MIN_MEMORIES, MIN_CHAPTERS = 3, 2
Minimum = Annotated[int, Meta(ge=1, le=MAX_MEMBERS)]


NOT_BEFORE = "Begun at or after this: Unix seconds, ISO date, or 7d, 12h, 2w."


class CreateChapterRequest(Layer, frozen=True):
    """The memories to group, and the text if the caller writes it.

    They are named (`memory_ids`), have all of `tags`, are from a range of time, or are the surest group that
    RUM finds (`auto`), among those with the tags and from that time. `chapter_id` is an existing chapter, to
    give it a text. With ids, `tags` are added to the tags of the chapter. `again` creates a chapter from tags
    even if an earlier one from these tags was forgotten.
    """

    memory_ids: Ids = ()
    chapter_id: Annotated[
        str | None, about("An existing chapter, to give it a text.", option="--id", metavar="ID")
    ] = None
    tags: Annotated[
        Tags, about("All memories with this tag (repeat to require several).", option="--tag", metavar="TAG")
    ] = ()
    since: Annotated[Time | None, about("Only memories not older than this.")] = None
    before: Annotated[Time | None, about("Only memories older than this.")] = None
    auto: Annotated[bool, about("Take the surest group of related memories that is in no chapter yet.")] = (
        False
    )
    min_memories: Annotated[Minimum, about("Minimum number of memories, unless named.")] = MIN_MEMORIES
    again: Annotated[bool, about("With tags: create it even if it was forgotten.", tool=False)] = False
    title: Annotated[Title | None, about("The title.", metavar="TEXT")] = None
    summary: Annotated[Summary | None, about("The summary.", metavar="TEXT")] = None
    learnings: Annotated[
        Claims | None, about("Something learned (repeat).", option="--learning", metavar="TEXT")
    ] = None
    topics: Annotated[Topics | None, about("A topic (repeat).", option="--topic", metavar="TEXT")] = None


class CreateChapterResult(Struct, frozen=True, kw_only=True):
    """The chapter; `note` explains what was not done as requested."""

    chapter_id: str
    project_id: str
    created: bool
    created_at: int
    updated_at: int
    title: str
    memory_count: int
    summary: str
    learnings: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    start_ts: int
    end_ts: int
    tags: tuple[str, ...]
    topics: tuple[str, ...]
    origin: ChapterOrigin
    words: TextSource
    note: str | UnsetType = UNSET
    material: str | UnsetType = UNSET  # For an agent that writes a better text in a second call


class ListChaptersRequest(Layer, frozen=True):
    """The chapters with all of `tags`, begun at or after `since`, ended at or before `before`; or by id.

    `limit` is 10 by default; with `chapter_ids` there is no default limit, and they keep their order.
    """

    chapter_ids: Ids = ()
    tags: Annotated[Tags, about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    since: Annotated[Time | None, about(NOT_BEFORE)] = None
    before: Annotated[Time | None, about("Ended at or before this.")] = None
    limit: Annotated[Limit | None, about("Maximum number of chapters.")] = None
    sort: Annotated[Literal["recent", "oldest", "size"], about("Sort order.")] = "recent"


class ChapterView(Struct, frozen=True, kw_only=True):
    """A chapter as callers see it; its members only if chapters were requested by id."""

    id: str
    project_id: str
    created_at: int
    updated_at: int
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
    words: TextSource
    memory_ids: tuple[str, ...] | UnsetType = UNSET
    stale: tuple[str, ...] | UnsetType = UNSET


class ListChaptersResult(Struct, frozen=True, kw_only=True):
    """The answer of `list_chapters`; `code` is NO_RESULTS, with a hint, when there is none."""

    chapters: list[ChapterView]
    total: int
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class SynthesizeRequest(Layer, frozen=True):
    """The chapters to combine, by ids, tags or time, and the text if the caller writes it.

    `wisdom_id` is existing wisdom, to give it a text. With ids, `tags` are added to the tags of the wisdom.
    `again` creates wisdom from tags even if earlier wisdom from these tags was forgotten.
    """

    chapter_ids: Ids = ()
    wisdom_id: Annotated[
        str | None, about("Existing wisdom, to give it a text.", option="--id", metavar="ID")
    ] = None
    tags: Annotated[
        Tags, about("All chapters with this tag (repeat to require several).", option="--tag", metavar="TAG")
    ] = ()
    since: Annotated[Time | None, about("Only chapters begun at or after this.")] = None
    before: Annotated[Time | None, about("Only chapters ended at or before this.")] = None
    min_chapters: Annotated[Minimum, about("Minimum number of chapters.")] = MIN_CHAPTERS
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
    """The wisdom; `note` explains what was not done as requested."""

    wisdom_id: str
    project_id: str
    created: bool
    created_at: int
    updated_at: int
    summary: str
    insights: tuple[str, ...]
    patterns: tuple[str, ...]
    best_practices: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    contradictions: tuple[Contradiction, ...] | UnsetType = UNSET
    chapter_count: int
    start_ts: int
    end_ts: int
    tags: tuple[str, ...]
    words: TextSource
    note: str | UnsetType = UNSET
    material: str | UnsetType = UNSET  # For an agent that writes a better text in a second call


class RecallWisdomRequest(Layer, frozen=True):
    """Wisdom by id, by tags (all must match), time, or query; by default the newest."""

    wisdom_id: str | None = None
    tags: Annotated[Tags, about(WITH_TAG, option="--tag", metavar="TAG")] = ()
    query: str | None = None
    since: Annotated[Time | None, about(NOT_BEFORE)] = None
    before: Annotated[Time | None, about("Ended at or before this.")] = None
    limit: Annotated[Limit, about("Maximum number of results.")] = 5
    include_chapters: Annotated[
        bool, about("Show the chapters of each piece of wisdom.", option="--chapters")
    ] = False


class WisdomView(Struct, frozen=True, kw_only=True):
    """Wisdom as callers see it; `confidence` only for a query."""

    id: str
    project_id: str
    created_at: int
    updated_at: int
    confidence: float | UnsetType = UNSET
    match: str | UnsetType = UNSET  # `fuzzy`: found by the meaning of its claims
    # The indexes, as in `evidence`, of the claims that match the query; these claims are listed first.
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
    words: TextSource
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
    words: TextSource = TextSource.DRAWN
    note: str | UnsetType = UNSET


class RefreshResult(Struct, frozen=True, kw_only=True):
    """What `refresh` changed, chapters first; `skipped` gives the reasons for the rest."""

    refreshed: list[RefreshedGroup]
    skipped: list[str]
    dry_run: bool = False


V = TypeVar("V", bound=Struct)


def view_of(answer: type[V], group: Group, **others: Any) -> V:
    """Create an `answer` from the fields it shares with a group, and from `others`."""
    shared = set(answer.__struct_fields__).intersection(group.__struct_fields__).difference(others)
    return answer(**{name: getattr(group, name) for name in shared}, **others)


def chapter_view(chapter: Chapter, *, include_members: bool = False) -> ChapterView:
    """A chapter as callers see it."""
    return view_of(
        ChapterView,
        chapter,
        memory_count=len(chapter.members),
        memory_ids=chapter.memory_ids if include_members else UNSET,
        stale=chapter.stale or UNSET,
    )


def wisdom_view(wisdom: Wisdom, *, include_chapters: bool = False, **match: Any) -> WisdomView:
    """Wisdom as callers see it; `match` are the fields about the match with a query."""
    return view_of(
        WisdomView,
        wisdom,
        contradictions=wisdom.contradictions or UNSET,
        chapter_ids=wisdom.chapter_ids if include_chapters else UNSET,
        stale=wisdom.stale or UNSET,
        **match,
    )
