"""Chapters of memories and wisdom of chapters as two kinds of group: what differs, and how they are created.

Texts are written outside of any transaction: a language model may be asked, and extracting takes time too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.chapters.words import GIVEN_FIELDS, NAMES, draw_with_vectors, sanitise_fields
from rum.app.project import Project
from rum.capture.tombstones import chapter_marks, wisdom_marks
from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.by_model import ModelWords, ask_for_chapter, ask_for_wisdom, check_given
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.evidence import EvidenceFinder
from rum.consolidate.chapters.members import by_time
from rum.llm.base import CannotComplete, LanguageModel
from rum.model.chapters import (
    MAX_MEMBERS,
    MAX_TAGS,
    MIN_CHAPTERS,
    MIN_MEMORIES,
    Chapter,
    ChapterOrigin,
    ChapterText,
    Evidence,
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

MAX_TRIES = 5  # How often a text is written again if the parts change meanwhile
_CHANGED = "The {} changed while the words were made; these are drawn from them as they are now."


class Pick(NamedTuple, Generic[G, P]):
    """What a group will be created from.

    `members` are all memories its text is written from; for a chapter these are its parts. The parts were
    chosen by the tags `found_by`, or by ids with extra tags; `note` is about that.
    """

    parts: Sequence[P]
    members: Mapping[str, Memory]
    found_by: tuple[str, ...] = ()
    own_tags: tuple[str, ...] = ()
    note: str | None = None
    new_text: Mapping[str, Any] = {}  # The fields that the caller writes now
    old: G | None = None  # The group that will be replaced
    old_id: str | None = None  # Its id, if the caller named it
    origin: ChapterOrigin | None = None  # None keeps the origin of a chapter

    @property
    def given(self) -> dict[str, Any]:
        """The fields that the caller writes now or wrote before, always in the same order."""
        before = self.old.given if self.old else ()
        fields = {**{name: getattr(self.old, name) for name in before}, **self.new_text}
        return {name: fields[name] for name in GIVEN_FIELDS if name in fields}

    @property
    def former(self) -> tuple[str, ...]:
        """Memories that are not picked, but may be quoted in a text that the caller wrote before."""
        if self.old is None or set(self.old.given) <= set(self.new_text):
            return ()
        return tuple(sorted({*self.old.former, *self.old.memory_ids} - self.members.keys()))


class GroupKind(msgspec.Struct, Generic[G, P, W], frozen=True, kw_only=True):
    """What differs between chapters, whose parts are memories, and wisdom, whose parts are chapters."""

    name: Literal["chapter", "wisdom"]
    part: Literal["memory", "chapter"]
    parts: str
    ids_field: str  # The field of a request that names parts
    minimum_field: str
    minimum: int  # With fewer parts, a refresh by tags keeps the old ones
    group_type: type[G]
    store: Callable[[Project], Groups[G]]
    # The parts with these ids, as far as they exist.
    get_parts: Callable[[Project, Sequence[str]], list[P]]
    # The newest `MAX_MEMBERS` parts with all the tags and from that time, oldest first; how many there are.
    tagged_parts: Callable[[Project, tuple[str, ...], Range, Chapters], tuple[list[P], int]]
    # All memories of some parts, in the order in which a group lists them.
    members: Callable[[Project, Sequence[P]], dict[str, Memory]]
    # The tombstone hashes of a group of these parts, and of its id.
    marks: Callable[[Iterable[str], bytes, str | None], list[str]]
    ask_model: Callable[[LanguageModel, Pick[G, P]], ModelWords[W]]
    draw: Callable[[Pick[G, P], Similarity | None], W]  # The text extracted from the members
    # The parts and the memories of a group without the forgotten memories.
    remaining: Callable[[Project, G, frozenset[str]], tuple[Sequence[P], Sequence[Memory]]]
    # The texts that can be extracted quickly, from the parts and the number of their memories.
    headline: Callable[[Sequence[P], int], dict[str, Any]]


def _tagged_memories(
    project: Project, tags: tuple[str, ...], within: Range, _: Chapters
) -> tuple[list[Memory], int]:
    filters = Filters(tags=tags, since=within.since, before=within.before)
    rows, total = project.store.search.by_filters(filters, MAX_MEMBERS)
    return by_time(project.store.memories.get([row[0] for row in rows], ReadMode.SKIP_DAMAGED)), total


# A damaged memory is left out of those that remain: it must not prevent forgetting another one.
def _remaining_memories(
    project: Project, group: Chapter, forgotten: frozenset[str]
) -> tuple[Sequence[Memory], Sequence[Memory]]:
    ids = [one for one in group.memory_ids if one not in forgotten]
    memories = by_time(project.store.memories.get(ids, ReadMode.BEST_EFFORT))
    return memories, memories


def _chapter_headline(parts: Sequence[Memory], _: int) -> dict[str, Any]:
    words = msgspec.to_builtins(chapter_words.draw_headline(parts))
    return {name: words[name] for name in ("title", "summary", "topics")}


CHAPTERS = GroupKind[Chapter, Memory, ChapterText](
    name="chapter",
    part="memory",
    parts="memories",
    ids_field="memory_ids",
    minimum_field="min_memories",
    minimum=MIN_MEMORIES,
    group_type=Chapter,
    store=lambda project: project.store.chapters,
    get_parts=lambda project, ids: project.store.memories.get(list(ids), ReadMode.SKIP_DAMAGED),
    tagged_parts=_tagged_memories,
    members=lambda _, memories: {memory.id: memory for memory in memories},
    marks=chapter_marks,
    ask_model=lambda model, pick: ask_for_chapter(model, pick.parts),
    draw=lambda pick, similarity: chapter_words.draw_chapter(pick.parts, similarity),
    remaining=_remaining_memories,
    headline=_chapter_headline,
)


def _tagged_chapters(
    project: Project, tags: tuple[str, ...], within: Range, refreshed: Chapters
) -> tuple[list[Chapter], int]:
    ids, total = project.store.chapters.matching(tags, within, MAX_MEMBERS)
    found = {one.id: one for one in project.store.chapters.get(ids)} | dict(refreshed)
    fitting = (one for one in found.values() if set(tags) <= set(one.tags))
    return sorted(fitting, key=lambda one: (one.end_ts, one.id))[-MAX_MEMBERS:], total


def _memories_of(project: Project, chapters: Sequence[Chapter]) -> dict[str, Memory]:
    ids = sorted({one for chapter in chapters for one in chapter.memory_ids})
    return {memory.id: memory for memory in project.store.memories.get(ids, ReadMode.SKIP_DAMAGED)}


def _remaining_chapters(
    project: Project, group: Wisdom, forgotten: frozenset[str]
) -> tuple[Sequence[Chapter], Sequence[Memory]]:
    chapters = project.store.chapters.get(group.chapter_ids)
    ids = {*group.memory_ids, *(one for chapter in chapters for one in chapter.memory_ids)} - forgotten
    return chapters, project.store.memories.get(sorted(ids), ReadMode.BEST_EFFORT)


WISDOM = GroupKind[Wisdom, Chapter, WisdomText](
    name="wisdom",
    part="chapter",
    parts="chapters",
    ids_field="chapter_ids",
    minimum_field="min_chapters",
    minimum=MIN_CHAPTERS,
    group_type=Wisdom,
    store=lambda project: project.store.wisdom,
    get_parts=lambda project, ids: project.store.chapters.get(list(ids)),
    tagged_parts=_tagged_chapters,
    members=_memories_of,
    marks=wisdom_marks,
    ask_model=lambda model, pick: ask_for_wisdom(model, pick.parts, pick.members),
    draw=lambda pick, similarity: wisdom_words.draw_wisdom(
        pick.parts, pick.members, similarity, pick.found_by
    ),
    remaining=_remaining_chapters,
    headline=lambda chapters, memories: {"summary": wisdom_words.draw_headline(chapters, memories)},
)


class SourcedText(NamedTuple, Generic[W]):
    """A text, who wrote it, and a note about that."""

    text: W
    source: TextSource
    note: str | None = None


class Written(NamedTuple, Generic[G]):
    """A group that was written, whether it is new, and a note about it."""

    group: G
    created: bool
    note: str


def text_for(
    project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P], *, ask: bool = True
) -> SourcedText[W]:
    """The text by the configured language model; extracted if there is none, or if it fails.

    No model is asked if the caller wrote everything. This may take long: call it without the
    lock and outside of transactions.
    """
    note = None
    try:
        wanted = ask and {"summary", *kind.group_type.CLAIM_LISTS} - pick.given.keys()
        model = project.language_model if wanted else None
        if model is not None:
            text, dropped = kind.ask_model(model, pick)
            claims = f"{len(dropped)} claims" if len(dropped) != 1 else "1 claim"
            left_out = f"{claims} of the language model left out, as no memory supports it."
            return SourcedText(text, TextSource.MODEL, left_out if dropped else None)
    except CannotComplete as error:
        note = f"The words are drawn from the memories, as the language model was no help: {error.message}"
    drawn = draw_with_vectors(project, lambda similarity: kind.draw(pick, similarity))
    return SourcedText(drawn, TextSource.DRAWN, note)


def with_given_text(
    project: Project, pick: Pick[G, P], text: SourcedText[W], cited: Mapping[str, Evidence] | None = None
) -> SourcedText[W]:
    """A text with the fields that the caller wrote, now or before, and with evidence for their claims.

    `cited` is the evidence that the caller gave now; that given before holds while its memories are the same.
    """
    given = pick.given
    known = {**_evidence_in_force(pick), **(cited or {})}

    def compose(similarity: Similarity | None) -> W:
        finder = EvidenceFinder(pick.members.values(), similarity)
        evidence: list[Evidence] = []
        for name, claims in text.text.claims_by_list.items():
            if name in given:
                found = ((claim, finder.evidence(claim)) for claim in given[name])
                evidence += (one if one.supporting else known.get(claim, one) for claim, one in found)
            else:
                evidence += (found for _, found in claims)
        return replace(text.text, **given, evidence=tuple(evidence))

    # A title and topics are only names.
    source = TextSource.GIVEN if given.keys() - NAMES else text.source
    return text._replace(text=draw_with_vectors(project, compose), source=source)


def _evidence_in_force(pick: Pick[G, P]) -> dict[str, Evidence]:
    """The evidence of earlier claims whose memories have not changed since."""
    if pick.old is None:
        return {}
    current = {one.id: one.version for one in pick.members.values() if not one.superseded_by}
    same = {one.memory_id for one in pick.old.members if current.get(one.memory_id) == one.version}
    pairs = zip(pick.old.claims, pick.old.evidence, strict=True)
    return {claim: one for claim, one in pairs if one.supporting and same.issuperset(one.memory_ids)}


def with_text(
    project: Project, kind: GroupKind[G, P, W], group: G, text: SourcedText[W], pick: Pick[G, P]
) -> G:
    """A group with this text, cleaned for storing, and these parts."""
    fields = sanitise_fields(project, msgspec.to_builtins(text.text))
    clean = msgspec.convert(fields, type(text.text))
    own: dict[str, Any] = {}
    if kind is WISDOM:
        own["sources"] = tuple(Source(chapter.id, chapter.version) for chapter in pick.parts)
    elif pick.origin:
        own["origin"] = pick.origin
    return replace(
        group,
        **{name: getattr(clean, name) for name in clean.__struct_fields__},
        **part_fields(group, pick.parts),
        **own,
        words=text.source,
        members=tuple(Member(one.id, one.version, bool(one.superseded_by)) for one in pick.members.values()),
        former=pick.former,
        forgotten=0,
    )


def part_fields(group: Chapter | Wisdom, parts: Sequence[Memory | Chapter]) -> dict[str, Any]:
    """The fields of a group that follow from its parts: the time span, and tags, the most common first."""
    counts = Counter(tag for part in parts for tag in dict.fromkeys(part.tags))
    common = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return {
        "tags": tuple(dict.fromkeys((*group.found_by, *group.own_tags, *common)))[:MAX_TAGS],
        "start_ts": min(one.start_ts if isinstance(one, Chapter) else one.created_at for one in parts),
        "end_ts": max(one.end_ts if isinstance(one, Chapter) else one.created_at for one in parts),
    }


def next_version(old: G, new: G, now: int) -> G:
    """The new state of a group; its version grows if the content changes."""
    version = old.version + (old.content != new.content)
    return replace(new, version=version, updated_at=max(now, old.updated_at), stale=())


def find_one(project: Project, kind: GroupKind[G, P, W], name: str) -> G:
    """The group with this id, or whose id ends so."""
    return kind.store(project).get([project.find_id(kind.name, name)])[0]


def find_group(project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P], parts: Sequence[P]) -> G | None:
    """The group that the caller named, or else that of the same parts, or of the same tags."""
    if pick.old_id:
        return find_one(project, kind, pick.old_id)
    store = kind.store(project)
    ids = store.same((one.id for one in parts), pick.found_by)
    return store.get(ids[:1])[0] if ids else None


def is_forgotten(project: Project, kind: GroupKind[G, P, W], ids: Sequence[str]) -> bool:
    """Whether a group of these parts was forgotten."""
    return bool(project.store.memories.tombstones(kind.marks(ids, project.tombstone_key, None)))


def write_group(
    caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], *, ask: bool = True
) -> Written[G]:
    """Create a group from what was picked, or replace the existing one, and store it.

    The text is written without the lock. If parts, members or the given text changed meanwhile, it is
    written again, without asking a model.
    """
    project = caller.project
    checked = check_given(pick.new_text, pick.members.values()) if pick.old_id else None
    if checked and checked.dropped:
        left_out = f"Left out: {'; '.join(checked.dropped)}."
        pick = pick._replace(new_text=checked.fields, note=" ".join(filter(None, (pick.note, left_out))))
    elif checked:
        pick = pick._replace(new_text=checked.fields)
    cited = checked.evidence if checked else {}
    text = text_for(project, kind, pick, ask=ask)
    for _ in range(MAX_TRIES):
        complete = with_given_text(project, pick, text, cited)
        with project.locked(), caller.undo_identity_on_error(), project.store.transaction():
            parts = kind.get_parts(project, [one.id for one in pick.parts])
            if not parts:
                raise NotFound(f"All of these {kind.parts} were forgotten meanwhile.")
            old, members = find_group(project, kind, pick, parts), kind.members(project, parts)
            current = pick._replace(parts=parts, members=members, old=old)
            if current == pick:
                return _write(caller, kind, pick, complete)
        if (current.parts, current.members) != (pick.parts, pick.members):
            text = text_for(project, kind, current, ask=False)
            text = text._replace(note=_CHANGED.format(kind.parts))
        pick = current
    raise StorageError(f"The {kind.parts} are being changed all the time; try again in a moment.")


def _write(caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], text: SourcedText[W]) -> Written[G]:
    """Write a group, inside a transaction: over the existing one, or as a new one of the acting agent."""
    project, old, now = caller.project, pick.old, caller.project.now()
    agent, _ = ensure_agent(caller)
    project.store.agents.update(agent.id, last_active=now)
    empty: dict[str, Any] = dict.fromkeys(kind.group_type.TEXTS, "")
    group = old or kind.group_type(
        id=new_id(kind.name),
        project_id=project.location.id,
        agent_id=agent.id,
        created_at=now,
        updated_at=now,
        **empty,
    )
    own_tags = tuple(dict.fromkeys((*group.own_tags, *pick.own_tags)))[:MAX_TAGS]
    group = replace(group, found_by=pick.found_by, own_tags=own_tags, given=tuple(pick.given))
    new = with_text(project, kind, group, text, pick)
    if old is None:
        kind.store(project).put(new)
    else:
        new = next_version(old, new, now)
        may_change = caller.may_change(old.agent_id, imported=old.imported_at is not None)
        if old.content != new.content or may_change:
            check_permission(caller, kind, old)
            kind.store(project).put(new)
    return Written(new, old is None, " ".join(filter(None, (pick.note, text.note))))


def check_permission(caller: Caller, kind: GroupKind[G, P, W], group: G) -> None:
    """Refuse an agent that may not change a group."""
    instead = f"Make one of other {kind.parts} instead."
    imported = group.imported_at is not None
    caller.check_author(group.id, group.agent_id, imported=imported, instead=instead)
