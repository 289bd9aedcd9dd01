"""Make a group of what was picked: its words, its fields, and writing it.

Words are made outside of any transaction: a language model may be asked for them, and drawing takes time too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Generic, NamedTuple

from msgspec.structs import replace

from rum.app.agents.identity import somebody
from rum.app.caller import Caller
from rum.app.chapters.kinds import G, GroupKind, P, Pick, W
from rum.app.chapters.words import SourcedWords, by_model, draw_with_vectors, make_words, sanitise_words
from rum.app.project import Project
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.evidence import EvidenceFinder
from rum.llm.base import LanguageModel
from rum.model.chapters import MOST_TAGS, Evidence, Group, Member, Wording
from rum.model.errors import NotFound, StorageError
from rum.model.ids import new_id
from rum.model.memory import Memory

TRIES = 5
"""How often words are made again when the parts change meanwhile."""
_CHANGED = "The {} changed while the words were made; these are drawn from them as they are now."


class Written(NamedTuple, Generic[G]):
    """A group that was written, whether it is new, and a note about it."""

    group: G
    created: bool
    note: str


def words_for(
    project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P], *, ask: bool = True
) -> SourcedWords[W]:
    """The words that are not given, by a model or drawn; no model is asked if all words are given."""

    def ask_model(model: LanguageModel) -> SourcedWords[W]:
        answer = kind.ask_model(model, pick)
        return by_model(answer.words, answer.dropped)

    wanted = ask and {"summary", *kind.group_type.CLAIM_LISTS} - pick.given.without_title
    return make_words(project, ask_model if wanted else None, lambda similarity: kind.draw(pick, similarity))


def with_given(project: Project, pick: Pick[G, P], words: SourcedWords[W]) -> SourcedWords[W]:
    """The same words with those that are given, now or before; the evidence of given claims is looked for."""
    given = pick.given

    def compose(similarity: Similarity | None) -> W:
        finder = EvidenceFinder(pick.members.values(), similarity)
        evidence: list[Evidence] = []
        for name, claims in words.words.claims_by_list.items():
            if name in given.claims:
                evidence += map(finder.evidence, given.claims[name])
            else:
                evidence += (found for _, found in claims)
        return replace(words.words, **given.texts, **given.claims, evidence=tuple(evidence))

    source = Wording.GIVEN if given.without_title else words.source
    return words._replace(words=draw_with_vectors(project, compose), source=source)


def with_words(
    project: Project, kind: GroupKind[G, P, W], group: G, words: SourcedWords[W], pick: Pick[G, P]
) -> G:
    """A group with these words, made of these parts."""
    clean = sanitise_words(project, words.words)
    return replace(
        group,
        **{name: getattr(clean, name) for name in clean.__struct_fields__},
        **part_fields(kind, group, pick.parts),
        **kind.own_fields(pick),
        words=words.source,
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
        "tags": tuple(dict.fromkeys((*group.found_by, *group.own_tags, *common)))[:MOST_TAGS],
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
    """The group of the same parts, or else the one that was found by the same tags."""
    store = kind.store(project)
    ids = store.made_of(one.id for one in parts)
    if not ids and found_by:
        ids = store.found_by(found_by)
    return store.get(ids[:1])[0] if ids else None


def is_forgotten(project: Project, kind: GroupKind[G, P, W], ids: Sequence[str]) -> bool:
    """Whether a group of these parts was forgotten."""
    return bool(project.store.memories.buried(kind.marks(ids, project.tombstone_key)))


def write_group(
    caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], *, ask: bool = True
) -> Written[G]:
    """Make a group of what was picked, or replace the one there is, and write it.

    The words are made between two turns. If parts, members or given words changed meanwhile, they are made
    again, without asking a model.
    """
    project = caller.project
    words = words_for(project, kind, pick, ask=ask)
    for _ in range(TRIES):
        complete = with_given(project, pick, words)
        with project.turn(), caller.identity_undone_on_error(), project.store.transaction():
            current = _current(project, kind, pick)
            if current == pick:
                return _write(caller, kind, pick, complete)
        if (current.parts, current.members) != (pick.parts, pick.members):
            words = words_for(project, kind, current, ask=False)
            words = words._replace(note=_CHANGED.format(kind.parts))
        pick = current
    raise StorageError(f"The {kind.parts} are being changed all the time; try again in a moment.")


def _current(project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P]) -> Pick[G, P]:
    """The same pick as everything is now."""
    parts = kind.get_parts(project, [one.id for one in pick.parts])
    if not parts:
        raise NotFound(f"All of these {kind.parts} were forgotten meanwhile.")
    old = find_group(project, kind, parts, pick.choice.found_by)
    return pick._replace(parts=parts, members=kind.members(project, parts), old=old)


def _write(caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], words: SourcedWords[W]) -> Written[G]:
    """Write a group, inside a transaction."""
    old, now, store = pick.old, caller.project.now(), kind.store(caller.project)
    new = with_words(caller.project, kind, _without_words(caller, kind, pick, now), words, pick)
    if old is None:
        store.put(new)
    else:
        new = next_version(old, new, now)
        if old.content != new.content or _may_change(caller, old):
            check_permission(caller, kind, old)
            store.put(new)
    return Written(new, old is None, " ".join(filter(None, (pick.choice.note, words.note))))


def _without_words(caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], now: int) -> G:
    """The group there is, or an empty one of the acting agent."""
    agent, _ = somebody(caller)
    caller.project.store.agents.touch(agent.id, now)
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
        own_tags=tuple(dict.fromkeys((*group.own_tags, *pick.choice.own_tags)))[:MOST_TAGS],
        given=pick.given.names,
    )


def _may_change(caller: Caller, group: Group) -> bool:
    return caller.is_over(group.agent_id, imported=group.imported_at is not None)


def check_permission(caller: Caller, kind: GroupKind[G, P, W], group: G) -> None:
    """Refuse an agent that may not change a group."""
    instead = f"Make one of other {kind.parts} instead."
    imported = group.imported_at is not None
    caller.may_change_of(group.id, group.agent_id, imported=imported, instead=instead)
