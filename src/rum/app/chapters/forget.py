"""Forget chapters and wisdom, and cut forgotten memories out of them.

Cutting blocks other writers, so texts are not written again: claims that do not depend on forgotten memories
stay, others go, and title and summary are extracted quickly. The group is marked for a refresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.groups import (
    CHAPTERS,
    WISDOM,
    G,
    GroupKind,
    P,
    W,
    check_permission,
    find_one,
    next_version,
    part_fields,
)
from rum.app.chapters.words import NAMES, sanitise_fields
from rum.app.memories.forget import Counts, Kind, Removal, TrashedMemory, find_in, refuse_existing
from rum.app.project import Project
from rum.capture.tombstones import member_marks
from rum.model.chapters import Chapter, Evidence, Group, TextSource, Wisdom
from rum.model.errors import NotFound
from rum.model.memory import Memory
from rum.store.base import ReadMode
from rum.store.derived import indexed_text
from rum.store.trash import TrashItem
from rum.text.terms import says_little, terms

Terms = frozenset[str]


class CutGroups(Struct, frozen=True):
    """Groups from which something forgotten was cut: each as it was, and as it is since; None if deleted."""

    chapters: list[tuple[Chapter, Chapter | None]] = []
    wisdom: list[tuple[Wisdom, Wisdom | None]] = []


class TrashedChapter(Struct, frozen=True):
    """A chapter in the trash."""

    chapter: Chapter
    groups: CutGroups


Trashed = TrashedMemory | TrashedChapter | Wisdom
_TRASHED: dict[str, type[Trashed]] = {"memory": TrashedMemory, "chapter": TrashedChapter, "wisdom": Wisdom}


def _permitted(caller: Caller, kind: GroupKind[G, P, W], name: str) -> G:
    group = find_one(caller.project, kind, name)
    check_permission(caller, kind, group)
    return group


def _counts(group: Chapter | Wisdom) -> Counts:
    is_chapter = isinstance(group, Chapter)
    names = ("chapters", "members") if is_chapter else ("wisdom", "sources")
    return {names[0]: 1, names[1]: len(group.part_ids)}


def _remove(kind: GroupKind[G, P, W], caller: Caller, group_id: str) -> Removal:
    """Delete a group; what only a chapter stated is cut out of wisdom."""
    project, store, group = caller.project, caller.store, _permitted(caller, kind, group_id)
    key, data = project.tombstone_key, group
    wisdom = store.wisdom.get(store.wisdom.made_of(parts=[group.id]))
    kind.store(project).delete([group.id])
    marks = kind.marks(group.part_ids, key, group.id)
    if isinstance(group, Chapter):
        cut = CutGroups()
        for one in wisdom:
            others = store.chapters.get(one.chapter_ids)
            still_there = {memory_id for other in others for memory_id in other.memory_ids}
            lost = set(group.memory_ids) - still_there
            cutter = ForgottenCutter(project, lost, _chapter_terms([group]))
            cut.wisdom.extend(cutter.cut_stored(WISDOM, [one.id]))
        data, marks = TrashedChapter(group, cut), [*marks, *member_marks(group.memory_ids, key)]
    return Removal(
        _counts(group),
        label=group.title if isinstance(group, Chapter) else group.summary,
        author=group.agent_id,
        imported=group.imported_at is not None,
        marks=marks,
        data=data,
    )


def _restore_chapter(project: Project, data: bytes) -> list[str]:
    kept = msgspec.json.decode(data, type=TrashedChapter)
    _restore_group(project, CHAPTERS, kept.chapter)
    return _restore_cut(project, kept.chapter.id, kept.groups)


def _restore_wisdom(project: Project, data: bytes) -> list[str]:
    _restore_group(project, WISDOM, msgspec.json.decode(data, type=Wisdom))
    return []


def _kind(table: str, kind: GroupKind[G, P, W], restore: Callable[[Project, bytes], list[str]]) -> Kind:
    def counts(caller: Caller, name: str) -> Counts:
        return _counts(_permitted(caller, kind, name))

    return Kind(kind.name, find_in(table), counts, partial(_remove, kind), restore)


CHAPTER = _kind("chapters", CHAPTERS, _restore_chapter)
WISDOM_KIND = _kind("wisdom", WISDOM, _restore_wisdom)


def _restore_group(project: Project, kind: GroupKind[G, P, W], group: G) -> None:
    """Store a group again, without what is in the trash or gone by now."""
    store = kind.store(project)
    refuse_existing(group.id, group.id, exists=bool(store.get([group.id])))
    found = _without_missing(project, kind, group)
    if found is None:
        raise NotFound(f"All {kind.parts} of {group.id} are gone; restore them first.", id=group.id)
    store.put(replace(found, project_id=project.location.id))


def _without_missing(project: Project, kind: GroupKind[G, P, W], group: G) -> G | None:
    """A group without the memories and chapters that are not here; None if none of its parts is."""
    ids = [*group.memory_ids, *group.former]
    here = {memory.id for memory in project.store.memories.get(ids, ReadMode.HEADLINE)}
    parts = kind.get_parts(project, group.part_ids)
    missing = [one for one in ids if one not in here]
    if not missing and len(parts) == len(group.part_ids):
        return group
    return ForgottenCutter(project, missing, None).cut(kind, group) if parts else None


def restore_groups(project: Project, memory_id: str, cut: bytes) -> list[str]:
    """Undo what `cut_memory` did; the ids of the groups that need a refresh instead."""
    return _restore_cut(project, memory_id, msgspec.json.decode(cut, type=CutGroups))


def _restore_cut(project: Project, restored: str, cut: CutGroups) -> list[str]:
    found = [_put_back(project, CHAPTERS, restored, *one) for one in cut.chapters]
    found += [_put_back(project, WISDOM, restored, *one) for one in cut.wisdom]
    return [group_id for group_id in found if group_id]


def _put_back(
    project: Project, kind: GroupKind[G, P, W], restored: str, before: G, after: G | None
) -> str | None:
    """Make a group what it was; one that was changed since gets the part back, and its id is returned."""
    store = kind.store(project)
    current = next(iter(store.get([before.id])), None)
    if current is None:
        own_marks = kind.marks((), project.tombstone_key, before.id)
        was_forgotten = project.store.memories.tombstones(own_marks[1:])
        left = None if after is not None or was_forgotten else _without_missing(project, kind, before)
    elif current == after:
        left = _without_missing(project, kind, before)
    else:
        # Version 0 is that of no memory or chapter, so the group counts as stale.
        members = (replace(one, version=0) for one in before.members if one.memory_id == restored)
        new = {one.memory_id: one for one in (*members, *current.members)}
        left = replace(current, members=tuple(new.values()))
        if isinstance(left, Wisdom) and isinstance(before, Wisdom):
            sources = (replace(one, version=0) for one in before.sources if one.chapter_id == restored)
            own = {one.chapter_id: one for one in (*sources, *left.sources)}
            left = replace(left, sources=tuple(own.values()))
    if left is not None:
        store.put(left)
    return before.id if current is not None and current != after else None


def cut_trash(project: Project, gone: Set[str], others: Iterable[TrashItem]) -> None:
    """Delete the words of what was deleted for good from other items in the trash."""
    trash = project.store.trash
    for item in sorted(others, key=lambda one: one.kind):  # chapters first: wisdom keeps words of theirs
        kept = msgspec.json.decode(item.data, type=_TRASHED[item.kind])
        changed = _cut_item(project, gone, kept)
        if changed is None:
            trash.delete([item.number] if item.number is not None else [], bury=project.now())
        elif changed != kept:
            trash.put(item._replace(data=msgspec.json.encode(changed)))


def _cut_item(project: Project, gone: Set[str], kept: Trashed) -> Trashed | None:
    """An item without the words of what is gone; None if nothing is left of it."""
    if isinstance(kept, TrashedMemory):
        groups = _cut_groups(gone, msgspec.json.decode(kept.groups, type=CutGroups))
        return replace(kept, groups=msgspec.Raw(msgspec.json.encode(groups)))
    cutter = ForgottenCutter(project, gone, None, with_trash=True)
    if isinstance(kept, Wisdom):
        return cutter.cut(WISDOM, kept) if _names(kept, gone) else kept
    chapter = cutter.cut(CHAPTERS, kept.chapter) if _names(kept.chapter, gone) else kept.chapter
    return chapter and TrashedChapter(chapter, _cut_groups(gone, kept.groups))


def _cut_groups(gone: Set[str], groups: CutGroups) -> CutGroups:
    return CutGroups(
        [_cut_pair(gone, pair) for pair in groups.chapters if pair[0].id not in gone],
        [_cut_pair(gone, pair) for pair in groups.wisdom if pair[0].id not in gone],
    )


def _cut_pair(gone: Set[str], pair: tuple[G, G | None]) -> tuple[G, G | None]:
    """A group as it was and is; without any words if some may be of what is gone, so that it is refreshed."""
    if not any(group is not None and _names(group, gone) for group in pair):
        return pair
    group = pair[0]
    lists = (*group.CLAIM_LISTS, *group.OTHER_FIELDS, "evidence", "tags", "given", "found_by", "own_tags")
    empty: Any = {**dict.fromkeys(lists, ()), **dict.fromkeys(group.TEXTS, "-")}
    members = tuple(one for one in group.members if one.memory_id not in gone)
    empty |= {"members": members, "former": ()}
    if isinstance(group, Wisdom):
        empty["sources"] = tuple(one for one in group.sources if one.chapter_id not in gone)
    return (without := replace(group, **empty)), without


def _names(group: Group, ids: Set[str]) -> bool:
    """Whether something was made of any of these."""
    return not ids.isdisjoint((*group.part_ids, *group.memory_ids, *group.former))


def cut_memory(project: Project, versions: Sequence[Memory]) -> msgspec.Raw:
    """Cut a memory, which is deleted already, out of all groups; returns these for `restore_groups`.

    `versions` are the last version of the memory and the earlier ones.
    """
    memory_id, store = versions[0].id, project.store
    cutter = ForgottenCutter(project, [memory_id], _memory_terms(versions))
    chapters = store.chapters.made_of(memories=[memory_id])
    wisdom = store.wisdom.made_of(memories=[memory_id], parts=chapters)
    cut = CutGroups(cutter.cut_stored(CHAPTERS, chapters), cutter.cut_stored(WISDOM, sorted(wisdom)))
    return msgspec.Raw(msgspec.json.encode(cut))


def _given_topics(group: Group) -> tuple[str, ...]:
    return group.topics if isinstance(group, Chapter) and "topics" in group.given else ()


class ForgottenCutter:
    """Cuts forgotten memories out of groups.

    `forgotten` are the words of these memories. None means that they are unknown: then only words of the
    other memories may stay. With `with_trash`, memories and chapters in the trash count as remaining.
    """

    def __init__(
        self, project: Project, ids: Iterable[str], forgotten: Terms | None, *, with_trash: bool = False
    ) -> None:
        self._project = project
        self._with_trash = with_trash
        self._ids = frozenset(ids)
        self._forgotten = forgotten
        self._terms: dict[str, Terms] = {}

    def cut_stored(self, kind: GroupKind[G, P, W], ids: Sequence[str]) -> list[tuple[G, G | None]]:
        """Cut the stored groups with these ids; delete those with no parts left.

        Returns each as it was before, and as it is stored now.
        """
        store = kind.store(self._project)
        done: list[tuple[G, G | None]] = []
        for group in store.get(ids):
            if left := self.cut(kind, group):
                store.put(left)
            else:
                store.delete([group.id])
            done.append((group, next(iter(store.get([group.id])), None)))
        return done

    def cut(self, kind: GroupKind[G, P, W], group: G) -> G | None:
        """The group with its remaining parts; None if there are none."""
        parts, memories = kind.remaining(self._project, group, self._ids)
        if self._with_trash:
            here = {part.id for part in (*parts, *memories)}
            memories = [*memories, *self._trashed("memory", group.memory_ids, here)]
            parts = [*parts, *self._trashed(kind.part, group.part_ids, here)]
        if not parts:
            return None
        chapters = [part for part in parts if isinstance(part, Chapter)]
        banned = self._banned_terms(group, memories, _chapter_terms(chapters))
        cut = self._cut_claims(group, memories, banned)
        headline = sanitise_fields(self._project, kind.headline(parts, len(memories)))
        drawn = {name: value for name, value in headline.items() if name not in cut.given}
        if "topics" in drawn:
            drawn["topics"] = tuple(drawn["topics"])
        lost = max(1, len(group.part_ids) - len(parts))
        new = replace(cut, **drawn, **part_fields(cut, parts), forgotten=group.forgotten + lost)
        if isinstance(new, Wisdom):
            contradictions = tuple(
                pair
                for pair in new.contradictions
                if self._ids.isdisjoint((*pair.memory_ids, *pair.against_ids))
                and _is_free(f"{pair.claim} \n {pair.against}", banned)
            )
            left = {chapter.id for chapter in chapters}
            sources = tuple(source for source in new.sources if source.chapter_id in left)
            new = replace(new, contradictions=contradictions, sources=sources)
        return next_version(group, new, self._project.now())

    def _trashed(self, part: str, ids: Iterable[str], here: Set[str]) -> list[Any]:
        """The memories or chapters in the trash that have one of the ids and are not here."""
        found: list[Any] = []
        for one in ids:
            if one not in here and one not in self._ids:
                items = [item for item in self._project.store.trash.find(one, part) if item.id == one]
                found += [
                    getattr(msgspec.json.decode(item.data, type=_TRASHED[part]), part) for item in items[:1]
                ]
        return found

    def _cut_claims(self, group: G, left: Sequence[Memory], banned: Terms) -> G:
        """The group without the claims, tags and members that must be removed."""
        times = {memory.id: memory.created_at for memory in left}
        claims: dict[str, tuple[str, ...]] = {}
        evidence: list[Evidence] = []
        for name, pairs in group.claims_by_list.items():
            kept: list[str] = []
            for claim, found in pairs:
                reduced = self._reduced(found, times)
                # If the caller wrote the claims, it is enough that another memory supports them.
                supported = reduced.memory_ids == found.memory_ids or (
                    name in group.given and reduced.supporting > 0
                )
                if supported and _is_free(claim, banned):
                    kept.append(claim)
                    evidence.append(reduced)
            claims[name] = tuple(kept)
        lost = {name for name, kept in claims.items() if not kept}
        lost |= {name for name in group.TEXTS if not _is_free(getattr(group, name), banned)}
        if not _is_free(" ".join(_given_topics(group)), banned):
            lost.add("topics")
        given = tuple(name for name in group.given if name not in lost)
        # The text counts as extracted if nothing by the caller or a model is left.
        remains = set(given) - NAMES if group.words is TextSource.GIVEN else evidence
        return replace(
            group,
            **claims,
            evidence=tuple(evidence),
            given=given,
            words=group.words if remains else TextSource.DRAWN,
            found_by=group.found_by if _is_free(" ".join(group.found_by), banned) else (),
            own_tags=tuple(tag for tag in group.own_tags if _is_free(tag, banned)),
            members=tuple(member for member in group.members if member.memory_id in times),
            former=tuple(memory_id for memory_id in group.former if memory_id not in self._ids),
        )

    def _banned_terms(self, group: Group, left: Iterable[Memory], in_chapters: Terms) -> Terms:
        """The words of a group that only forgotten memories had."""
        # Texts that are extracted again do not count.
        texts = [getattr(group, name) for name in group.TEXTS]
        texts += (*group.claims, *group.own_tags, *group.found_by, *_given_topics(group))
        for pair in group.contradictions if isinstance(group, Wisdom) else ():
            texts += (pair.claim, pair.against)
        used = {term for text in texts for term in terms(text)} - in_chapters
        banned = {term for term in used if self._forgotten is None or term in self._forgotten}
        banned -= {term for term in banned if says_little((term,))}
        for memory in left:
            if not banned:
                break
            if memory.id not in self._terms:
                self._terms[memory.id] = _memory_terms([memory])
            banned -= self._terms[memory.id]
        return frozenset(banned)

    def _reduced(self, evidence: Evidence, times: Mapping[str, int]) -> Evidence:
        """Evidence without the forgotten memories."""
        named = tuple(one for one in evidence.memory_ids if one not in self._ids)
        against = tuple(one for one in evidence.against_ids if one not in self._ids)
        lost = len(evidence.memory_ids) - len(named)
        latest = max((times[one] for one in named if one in times), default=0)
        return replace(
            evidence,
            memory_ids=named,
            supporting=evidence.supporting - lost,
            against=evidence.against - (len(evidence.against_ids) - len(against)),
            against_ids=against,
            last_confirmed=latest if lost else evidence.last_confirmed,
        )


def _is_free(text: str, banned: Terms) -> bool:
    return banned.isdisjoint(terms(text))


def _memory_terms(memories: Iterable[Memory]) -> Terms:
    """All words of memories, as the index has them."""
    return frozenset(term for one in memories for field in indexed_text(one) for term in field.split())


def _chapter_terms(chapters: Iterable[Chapter]) -> Terms:
    """All words of chapters themselves."""
    return frozenset(
        term
        for chapter in chapters
        for text in (chapter.title, chapter.summary, *chapter.learnings, *chapter.tags)
        for term in terms(text)
    )
