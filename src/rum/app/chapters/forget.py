"""Forget chapters and wisdom, and cut forgotten memories out of them.

Cutting blocks other writers, so texts are not written again: claims that do not depend on forgotten memories
stay, others go, and title and summary are extracted quickly. The group is marked for a refresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    next_version,
    part_fields,
)
from rum.app.chapters.read import find_chapter, find_wisdom
from rum.app.chapters.words import sanitise_fields
from rum.app.memories.forget import Counts, Kind
from rum.app.project import Project
from rum.capture.tombstones import member_marks
from rum.model.chapters import Chapter, Evidence, Group, TextSource, Wisdom
from rum.model.memory import Memory
from rum.store.derived import indexed_text
from rum.text.terms import says_little, terms

Terms = frozenset[str]


def _find_chapters(caller: Caller, name: str) -> list[str]:
    return caller.project.store.chapters.find_ids(name)


def _chapter(caller: Caller, name: str) -> Chapter:
    chapter = find_chapter(caller.project, name)
    check_permission(caller, CHAPTERS, chapter)
    return chapter


def _count_chapter(caller: Caller, chapter_id: str) -> Counts:
    return {"chapters": 1, "members": len(_chapter(caller, chapter_id).members)}


def _remove_chapter(caller: Caller, chapter_id: str) -> Counts:
    """Delete a chapter, and cut what only it stated out of wisdom."""
    project, store, chapter = caller.project, caller.project.store, _chapter(caller, chapter_id)
    ids, key = chapter.memory_ids, project.tombstone_key
    marks = [*CHAPTERS.marks(ids, key, chapter.id), *member_marks(ids, key)]
    store.memories.add_tombstones(marks, "chapter", project.now())
    wisdom = store.wisdom.get(store.wisdom.made_of(parts=[chapter.id]))
    store.chapters.delete([chapter.id])
    for one in wisdom:
        others = store.chapters.get(one.chapter_ids)
        still_there = {memory_id for other in others for memory_id in other.memory_ids}
        cutter = ForgottenCutter(project, set(ids) - still_there, _chapter_terms([chapter]))
        cutter.cut_stored(WISDOM, [one.id])
    return {"chapters": 1, "members": len(ids)}


CHAPTER = Kind("chapter", _find_chapters, _count_chapter, _remove_chapter)


def _find_wisdom(caller: Caller, name: str) -> list[str]:
    return caller.project.store.wisdom.find_ids(name)


def _wisdom(caller: Caller, name: str) -> Wisdom:
    wisdom = find_wisdom(caller.project, name)
    check_permission(caller, WISDOM, wisdom)
    return wisdom


def _count_wisdom(caller: Caller, wisdom_id: str) -> Counts:
    return {"wisdom": 1, "sources": len(_wisdom(caller, wisdom_id).sources)}


def _remove_wisdom(caller: Caller, wisdom_id: str) -> Counts:
    project, wisdom = caller.project, _wisdom(caller, wisdom_id)
    marks = WISDOM.marks(wisdom.chapter_ids, project.tombstone_key, wisdom.id)
    project.store.memories.add_tombstones(marks, "wisdom", project.now())
    project.store.wisdom.delete([wisdom.id])
    return {"wisdom": 1, "sources": len(wisdom.sources)}


WISDOM_KIND = Kind("wisdom", _find_wisdom, _count_wisdom, _remove_wisdom)


def cut_memory(project: Project, versions: Sequence[Memory]) -> None:
    """Cut a memory, which is deleted already, out of all groups.

    `versions` are the last version of the memory and the earlier ones.
    """
    memory_id, store = versions[0].id, project.store
    cutter = ForgottenCutter(project, [memory_id], _memory_terms(versions))
    chapters = store.chapters.made_of(memories=[memory_id])
    wisdom = store.wisdom.made_of(memories=[memory_id], parts=chapters)
    cutter.cut_stored(CHAPTERS, chapters)
    cutter.cut_stored(WISDOM, sorted(wisdom))


class ForgottenCutter:
    """Cuts forgotten memories out of groups.

    `forgotten` are the words of these memories. None means that they are unknown: then only words of the
    other memories may stay.
    """

    def __init__(self, project: Project, ids: Iterable[str], forgotten: Terms | None) -> None:
        self._project = project
        self._ids = frozenset(ids)
        self._forgotten = forgotten
        self._terms: dict[str, Terms] = {}

    def cut_stored(self, kind: GroupKind[G, P, W], ids: Sequence[str]) -> None:
        """Cut the stored groups with these ids; delete those with no parts left."""
        store = kind.store(self._project)
        for group in store.get(ids):
            if left := self.cut(kind, group):
                store.put(left)
            else:
                store.delete([group.id])

    def cut(self, kind: GroupKind[G, P, W], group: G) -> G | None:
        """The group with its remaining parts; None if there are none."""
        parts, memories = kind.remaining(self._project, group, self._ids)
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
        given = tuple(name for name in group.given if name not in lost)
        # The text counts as extracted if nothing by the caller or a model is left.
        remains = set(given) - {"title"} if group.words is TextSource.GIVEN else evidence
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
        texts += (*group.claims, *group.own_tags, *group.found_by)
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
