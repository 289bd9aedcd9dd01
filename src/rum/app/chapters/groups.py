"""Chapters of memories and wisdom of chapters as two kinds of group: what differs, and how they are created.

Texts are written outside of any transaction: a language model may be asked, and extracting takes time too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.chapters.words import (
    GivenText,
    SourcedText,
    by_model,
    draw_with_vectors,
    previously_given_text,
    sanitise_text,
    write_text,
)
from rum.app.project import Project
from rum.capture.tombstones import chapter_marks, wisdom_marks
from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.by_model import ModelWords, ask_for_chapter, ask_for_wisdom
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.evidence import EvidenceFinder
from rum.consolidate.chapters.members import by_time
from rum.llm.base import LanguageModel
from rum.model.chapters import (
    MAX_MEMBERS,
    MAX_TAGS,
    MIN_CHAPTERS,
    MIN_MEMORIES,
    Chapter,
    ChapterOrigin,
    ChapterText,
    Evidence,
    Group,
    Member,
    Source,
    TextSource,
    Wisdom,
    WisdomText,
)
from rum.model.errors import NotFound, StorageError
from rum.model.ids import new_id
from rum.model.memory import Memory
from rum.store.base import ReadMode
from rum.store.chapters import Groups, Range
from rum.store.filters import Filters

G = TypeVar("G", Chapter, Wisdom)
P = TypeVar("P", Memory, Chapter)
W = TypeVar("W", ChapterText, WisdomText)
# Chapters as they would be after a refresh, by id; they are used instead of the stored ones.
Chapters = Mapping[str, Chapter]
NO_CHAPTERS: Chapters = MappingProxyType({})


class Choice(NamedTuple):
    """How parts were chosen: by tags, or by ids with extra tags; and a note about it."""

    found_by: tuple[str, ...] = ()
    own_tags: tuple[str, ...] = ()
    note: str | None = None


class Pick(NamedTuple, Generic[G, P]):
    """What a group will be created from.

    `members` are all memories its text is written from; for a chapter these are its parts. `old` is the
    group that will be replaced.
    """

    parts: Sequence[P]
    members: Mapping[str, Memory]
    choice: Choice = Choice()
    new_text: GivenText = GivenText()
    old: G | None = None
    origin: ChapterOrigin | None = None  # None keeps the origin of a chapter

    @property
    def given(self) -> GivenText:
        """The text that the caller writes now, and otherwise the one written before."""
        return self.new_text.merged_over(previously_given_text(self.old))

    @property
    def former(self) -> tuple[str, ...]:
        """Memories that are not picked, but may be quoted in a text that the caller wrote before."""
        if self.old is None or set(self.old.given) <= set(self.new_text.names):
            return ()
        return tuple(sorted({*self.old.former, *self.old.memory_ids} - self.members.keys()))


class GroupKind(ABC, Generic[G, P, W]):
    """What differs between chapters, whose parts are memories, and wisdom, whose parts are chapters."""

    name: ClassVar[str]
    part: ClassVar[Literal["memory", "chapter"]]
    parts: ClassVar[str]
    ids_field: ClassVar[str]  # The field of a request that names parts
    minimum_field: ClassVar[str]
    minimum: ClassVar[int]  # With fewer parts, a refresh by tags keeps the old ones
    group_type: type[G]

    @abstractmethod
    def store(self, project: Project) -> Groups[G]:
        """The stored groups."""

    @abstractmethod
    def get_parts(self, project: Project, ids: Sequence[str], refreshed: Chapters = NO_CHAPTERS) -> list[P]:
        """The parts with these ids, as far as they exist."""

    @abstractmethod
    def tagged_parts(
        self, project: Project, tags: tuple[str, ...], refreshed: Chapters = NO_CHAPTERS
    ) -> tuple[list[P], int]:
        """The newest `MAX_MEMBERS` parts with all the tags, oldest first, and how many there are."""

    @abstractmethod
    def members(self, project: Project, parts: Sequence[P]) -> dict[str, Memory]:
        """All memories of some parts, in the order in which a group lists them."""

    @abstractmethod
    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        """The tombstone hashes of a group of these parts."""

    @abstractmethod
    def ask_model(self, model: LanguageModel, pick: Pick[G, P]) -> ModelWords[W]:
        """The text by a language model."""

    @abstractmethod
    def draw(self, pick: Pick[G, P], similarity: Similarity | None) -> W:
        """The text extracted from the members."""

    @abstractmethod
    def span(self, part: P) -> tuple[int, int]:
        """When a part began and ended."""

    @abstractmethod
    def own_fields(self, pick: Pick[G, P]) -> dict[str, Any]:
        """Fields that only this kind of group has, besides its text."""

    @abstractmethod
    def remaining(
        self, project: Project, group: G, forgotten: frozenset[str]
    ) -> tuple[Sequence[P], Sequence[Memory]]:
        """The parts and the memories of a group without the forgotten memories.

        A damaged memory is left out: it must not prevent forgetting another one.
        """

    @abstractmethod
    def headline(self, parts: Sequence[P], memories: int) -> dict[str, Any]:
        """The texts that can be extracted quickly; `memories` is the number of memories of the parts."""


class _Chapters(GroupKind[Chapter, Memory, ChapterText]):
    name = "chapter"
    part = "memory"
    parts = "memories"
    ids_field = "memory_ids"
    minimum_field = "min_memories"
    minimum = MIN_MEMORIES
    group_type = Chapter

    def store(self, project: Project) -> Groups[Chapter]:
        return project.store.chapters

    def get_parts(
        self,
        project: Project,
        ids: Sequence[str],
        refreshed: Chapters = NO_CHAPTERS,  # noqa: ARG002
    ) -> list[Memory]:
        return project.store.memories.get(list(ids))

    def tagged_parts(
        self,
        project: Project,
        tags: tuple[str, ...],
        refreshed: Chapters = NO_CHAPTERS,  # noqa: ARG002
    ) -> tuple[list[Memory], int]:
        rows, total = project.store.search.by_filters(Filters(tags=tags), MAX_MEMBERS)
        return by_time(project.store.memories.get([row[0] for row in rows])), total

    def members(self, project: Project, parts: Sequence[Memory]) -> dict[str, Memory]:  # noqa: ARG002
        return {memory.id: memory for memory in parts}

    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        return chapter_marks(ids, key, one)

    def ask_model(self, model: LanguageModel, pick: Pick[Chapter, Memory]) -> ModelWords[ChapterText]:
        return ask_for_chapter(model, pick.parts)

    def draw(self, pick: Pick[Chapter, Memory], similarity: Similarity | None) -> ChapterText:
        return chapter_words.draw_chapter(pick.parts, similarity)

    def span(self, part: Memory) -> tuple[int, int]:
        return part.created_at, part.created_at

    def own_fields(self, pick: Pick[Chapter, Memory]) -> dict[str, Any]:
        return {"origin": pick.origin} if pick.origin else {}

    def remaining(
        self, project: Project, group: Chapter, forgotten: frozenset[str]
    ) -> tuple[Sequence[Memory], Sequence[Memory]]:
        ids = [one for one in group.memory_ids if one not in forgotten]
        memories = by_time(project.store.memories.get(ids, ReadMode.BEST_EFFORT))
        return memories, memories

    def headline(self, parts: Sequence[Memory], memories: int) -> dict[str, Any]:  # noqa: ARG002
        words = msgspec.to_builtins(chapter_words.draw_headline(parts))
        return {name: words[name] for name in ("title", "summary", "topics")}


class _Wisdom(GroupKind[Wisdom, Chapter, WisdomText]):
    name = "wisdom"
    part = "chapter"
    parts = "chapters"
    ids_field = "chapter_ids"
    minimum_field = "min_chapters"
    minimum = MIN_CHAPTERS
    group_type = Wisdom

    def store(self, project: Project) -> Groups[Wisdom]:
        return project.store.wisdom

    def get_parts(
        self, project: Project, ids: Sequence[str], refreshed: Chapters = NO_CHAPTERS
    ) -> list[Chapter]:
        return [refreshed.get(one.id, one) for one in project.store.chapters.get(list(ids))]

    def tagged_parts(
        self, project: Project, tags: tuple[str, ...], refreshed: Chapters = NO_CHAPTERS
    ) -> tuple[list[Chapter], int]:
        ids, total = project.store.chapters.matching(tags, Range(), MAX_MEMBERS)
        found = {one.id: one for one in project.store.chapters.get(ids)} | dict(refreshed)
        fitting = (one for one in found.values() if set(tags) <= set(one.tags))
        return sorted(fitting, key=lambda one: (one.end_ts, one.id))[-MAX_MEMBERS:], total

    def members(self, project: Project, parts: Sequence[Chapter]) -> dict[str, Memory]:
        ids = sorted({one for chapter in parts for one in chapter.memory_ids})
        return {memory.id: memory for memory in project.store.memories.get(ids)}

    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        return wisdom_marks(ids, key, one)

    def ask_model(self, model: LanguageModel, pick: Pick[Wisdom, Chapter]) -> ModelWords[WisdomText]:
        return ask_for_wisdom(model, pick.parts, pick.members)

    def draw(self, pick: Pick[Wisdom, Chapter], similarity: Similarity | None) -> WisdomText:
        return wisdom_words.draw_wisdom(pick.parts, pick.members, similarity, pick.choice.found_by)

    def span(self, part: Chapter) -> tuple[int, int]:
        return part.start_ts, part.end_ts

    def own_fields(self, pick: Pick[Wisdom, Chapter]) -> dict[str, Any]:
        return {"sources": tuple(Source(chapter.id, chapter.version) for chapter in pick.parts)}

    def remaining(
        self, project: Project, group: Wisdom, forgotten: frozenset[str]
    ) -> tuple[Sequence[Chapter], Sequence[Memory]]:
        chapters = project.store.chapters.get(group.chapter_ids)
        ids = {*group.memory_ids, *(one for chapter in chapters for one in chapter.memory_ids)} - forgotten
        return chapters, project.store.memories.get(sorted(ids), ReadMode.BEST_EFFORT)

    def headline(self, parts: Sequence[Chapter], memories: int) -> dict[str, Any]:
        return {"summary": wisdom_words.draw_headline(parts, memories)}


CHAPTERS = _Chapters()
WISDOM = _Wisdom()


MAX_TRIES = 5  # How often a text is written again if the parts change meanwhile
_CHANGED = "The {} changed while the words were made; these are drawn from them as they are now."


class Written(NamedTuple, Generic[G]):
    """A group that was written, whether it is new, and a note about it."""

    group: G
    created: bool
    note: str


def text_for(
    project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P], *, ask: bool = True
) -> SourcedText[W]:
    """The text by a model or extracted; no model is asked if the caller wrote everything."""

    def ask_model(model: LanguageModel) -> SourcedText[W]:
        answer = kind.ask_model(model, pick)
        return by_model(answer.words, answer.dropped)

    wanted = ask and {"summary", *kind.group_type.CLAIM_LISTS} - pick.given.without_title
    return write_text(project, ask_model if wanted else None, lambda similarity: kind.draw(pick, similarity))


def with_given_text(project: Project, pick: Pick[G, P], text: SourcedText[W]) -> SourcedText[W]:
    """A text with the fields that the caller wrote, now or before, and with evidence for their claims."""
    given = pick.given

    def compose(similarity: Similarity | None) -> W:
        finder = EvidenceFinder(pick.members.values(), similarity)
        evidence: list[Evidence] = []
        for name, claims in text.text.claims_by_list.items():
            if name in given.claims:
                evidence += map(finder.evidence, given.claims[name])
            else:
                evidence += (found for _, found in claims)
        return replace(text.text, **given.texts, **given.claims, evidence=tuple(evidence))

    source = TextSource.GIVEN if given.without_title else text.source
    return text._replace(text=draw_with_vectors(project, compose), source=source)


def with_text(
    project: Project, kind: GroupKind[G, P, W], group: G, text: SourcedText[W], pick: Pick[G, P]
) -> G:
    """A group with this text and these parts."""
    clean = sanitise_text(project, text.text)
    return replace(
        group,
        **{name: getattr(clean, name) for name in clean.__struct_fields__},
        **part_fields(kind, group, pick.parts),
        **kind.own_fields(pick),
        words=text.source,
        members=_as_members(pick.members.values()),
        former=pick.former,
        forgotten=0,
    )


def part_fields(kind: GroupKind[G, P, W], group: G, parts: Sequence[P]) -> dict[str, Any]:
    """The fields of a group that follow from its parts: the time span, and tags, the most common first."""
    counts = Counter(tag for part in parts for tag in dict.fromkeys(part.tags))
    common = sorted(counts, key=lambda tag: (-counts[tag], tag))
    spans = [kind.span(part) for part in parts]
    return {
        "tags": tuple(dict.fromkeys((*group.found_by, *group.own_tags, *common)))[:MAX_TAGS],
        "start_ts": min(start for start, _ in spans),
        "end_ts": max(end for _, end in spans),
    }


def _as_members(memories: Iterable[Memory]) -> tuple[Member, ...]:
    return tuple(Member(one.id, one.version, bool(one.superseded_by)) for one in memories)


def next_version(old: G, new: G, now: int) -> G:
    """The new state of a group; its version grows if the content changes."""
    version = old.version + (old.content != new.content)
    return replace(new, version=version, updated_at=max(now, old.updated_at), stale=())


def find_group(
    project: Project, kind: GroupKind[G, P, W], parts: Sequence[P], found_by: Sequence[str]
) -> G | None:
    """The group of the same parts, or else the one of the same tags."""
    store = kind.store(project)
    ids = store.same((one.id for one in parts), found_by)
    return store.get(ids[:1])[0] if ids else None


def is_forgotten(project: Project, kind: GroupKind[G, P, W], ids: Sequence[str]) -> bool:
    """Whether a group of these parts was forgotten."""
    return bool(project.store.memories.tombstones(kind.marks(ids, project.tombstone_key)))


def write_group(
    caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], *, ask: bool = True
) -> Written[G]:
    """Create a group from what was picked, or replace the existing one, and store it.

    The text is written between two turns. If parts, members or the given text changed meanwhile, it is
    written again, without asking a model.
    """
    project = caller.project
    text = text_for(project, kind, pick, ask=ask)
    for _ in range(MAX_TRIES):
        complete = with_given_text(project, pick, text)
        with project.locked(), caller.undo_identity_on_error(), project.store.transaction():
            current = _current(project, kind, pick)
            if current == pick:
                return _write(caller, kind, pick, complete)
        if (current.parts, current.members) != (pick.parts, pick.members):
            text = text_for(project, kind, current, ask=False)
            text = text._replace(note=_CHANGED.format(kind.parts))
        pick = current
    raise StorageError(f"The {kind.parts} are being changed all the time; try again in a moment.")


def _current(project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P]) -> Pick[G, P]:
    """The same pick with the current parts, members and group."""
    parts = kind.get_parts(project, [one.id for one in pick.parts])
    if not parts:
        raise NotFound(f"All of these {kind.parts} were forgotten meanwhile.")
    old = find_group(project, kind, parts, pick.choice.found_by)
    return pick._replace(parts=parts, members=kind.members(project, parts), old=old)


def _write(caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], text: SourcedText[W]) -> Written[G]:
    """Write a group, inside a transaction."""
    old, now, store = pick.old, caller.project.now(), kind.store(caller.project)
    new = with_text(caller.project, kind, _without_text(caller, kind, pick, now), text, pick)
    if old is None:
        store.put(new)
    else:
        new = next_version(old, new, now)
        if old.content != new.content or _may_change(caller, old):
            check_permission(caller, kind, old)
            store.put(new)
    return Written(new, old is None, " ".join(filter(None, (pick.choice.note, text.note))))


def _without_text(caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], now: int) -> G:
    """The existing group, or an empty one of the acting agent."""
    agent, _ = ensure_agent(caller)
    caller.project.store.agents.update(agent.id, last_active=now)
    empty: dict[str, Any] = dict.fromkeys(kind.group_type.TEXTS, "")
    group = pick.old or kind.group_type(
        id=new_id(kind.name),
        project_id=caller.project.location.id,
        agent_id=agent.id,
        created_at=now,
        updated_at=now,
        **empty,
    )
    return replace(
        group,
        found_by=pick.choice.found_by,
        own_tags=tuple(dict.fromkeys((*group.own_tags, *pick.choice.own_tags)))[:MAX_TAGS],
        given=pick.given.names,
    )


def _may_change(caller: Caller, group: Group) -> bool:
    return caller.may_change(group.agent_id, imported=group.imported_at is not None)


def check_permission(caller: Caller, kind: GroupKind[G, P, W], group: G) -> None:
    """Refuse an agent that may not change a group."""
    instead = f"Make one of other {kind.parts} instead."
    imported = group.imported_at is not None
    caller.check_author(group.id, group.agent_id, imported=imported, instead=instead)
