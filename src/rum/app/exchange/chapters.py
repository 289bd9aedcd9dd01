"""Chapters and wisdom in and out, as lines of an export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.agents import import_author
from rum.app.chapters.forget import ForgottenCutter
from rum.app.chapters.groups import CHAPTERS, WISDOM, G, GroupKind, P, W
from rum.app.chapters.words import GIVEN_FIELDS, sanitise_fields
from rum.app.exchange.layers import Counts
from rum.app.project import Project
from rum.consolidate.chapters.evidence import (
    HALF_SUPPORTED,
    MOST_NAMED,
    EvidenceFinder,
    evidence_problems,
    word_coverage,
)
from rum.model.chapters import Chapter, Evidence, Group, Member, Wisdom
from rum.model.memory import Memory
from rum.store.base import ReadMode
from rum.text.shorten import without_invisible

Known = Mapping[str, Memory]


class ChapterLine(Struct, frozen=True, tag="chapter", tag_field="kind"):
    """A chapter."""

    chapter: Chapter

    def __post_init__(self) -> None:
        _check_visible(self.chapter)


class WisdomLine(Struct, frozen=True, tag="wisdom", tag_field="kind"):
    """Wisdom."""

    wisdom: Wisdom

    def __post_init__(self) -> None:
        _check_visible(self.wisdom)


GroupLine = ChapterLine | WisdomLine


def _check_visible(group: Group) -> None:
    """Refuse a text without visible characters."""
    texts = [getattr(group, name) for name in group.TEXTS]
    if not all(without_invisible(text).strip() for text in (*texts, *group.claims)):
        raise ValueError("a text shows nothing")


class ChapterImport(Counts, frozen=True, kw_only=True):
    """The counts of chapters and wisdom; those made only of memories that are not here are `forgotten`."""


def chapter_lines(project: Project) -> Iterator[bytes]:
    """Every chapter, then all wisdom."""
    for batch in project.store.chapters.pages():
        yield from (msgspec.json.encode({"kind": "chapter", "chapter": one}) for one in batch)
    for batch in project.store.wisdom.pages():
        yield from (msgspec.json.encode({"kind": "wisdom", "wisdom": one}) for one in batch)


class ChapterImporter:
    """Imports the chapters and wisdom of one export.

    `alike` are the memories that are here as the export has them.
    """

    def __init__(self, project: Project, alike: Mapping[str, int]) -> None:
        self._project = project
        self._alike = alike
        self._counts: Counter[str] = Counter()
        self._different: set[str] = set()
        """Groups that are not here as the export has them."""

    def result(self) -> ChapterImport | None:
        """The counts; None if there were no chapters and no wisdom."""
        return ChapterImport(**self._counts) if self._counts else None

    def take(self, line: GroupLine) -> None:
        """Import a line, inside a transaction."""
        if isinstance(line, ChapterLine):
            outcome = self._import(CHAPTERS, self._sanitised(line.chapter))
        else:
            outcome = self._import(WISDOM, self._sanitised(line.wisdom))
        self._counts[outcome] += 1

    def _sanitised(self, group: G) -> G:
        """A group as this project would store it: without secrets, within limits, its own."""
        clean = msgspec.convert(sanitise_fields(self._project, msgspec.to_builtins(group)), type(group))
        return replace(
            clean,
            project_id=self._project.location.id,
            given=tuple(name for name in GIVEN_FIELDS if name in clean.given and hasattr(clean, name)),
            members=tuple({member.memory_id: member for member in clean.members}.values()),
            imported_at=None,
            stale=(),
        )

    def _import(self, kind: GroupKind[G, P, W], group: G) -> str:
        """Store a group that is neither here nor forgotten, without what its members do not support here."""
        project, store, memories = self._project, kind.store(self._project), self._project.store.memories
        parts = kind.get_parts(project, group.part_ids)
        if isinstance(group, Wisdom):
            # Exports of early versions name no members.
            chapters = project.store.chapters.get(group.part_ids)
            members = group.members or [Member(one, 0) for chapter in chapters for one in chapter.memory_ids]
            ordered = sorted(dict.fromkeys(members), key=lambda member: member.memory_id)
            group = replace(group, members=tuple(ordered))
        known = {memory.id: memory for memory in memories.get(group.memory_ids)}
        if here := store.get([group.id]):
            if replace(here[0], imported_at=None) in (group, self._verified(group, known)):
                return "unchanged"
            self._different.add(group.id)
            return "different"
        marks = kind.marks(group.part_ids, project.tombstone_key, group.id)
        if memories.tombstones(marks) or not parts:
            return "forgotten"
        import_author(project, group.agent_id, group.created_at)
        group = self._verified(group, known)
        # Memories that it, or some words of it, was made of, and that are not here.
        ids = [*group.memory_ids, *group.former]
        existing = {memory.id for memory in memories.get(ids, ReadMode.HEADLINE)}
        missing = [one for one in ids if one not in existing]
        if missing or len(parts) < len(group.part_ids) or not self._different.isdisjoint(group.part_ids):
            self._different.add(group.id)
            group = ForgottenCutter(project, missing, None).cut(kind, group) or group
        store.put(replace(group, imported_at=project.now()))
        return "added"

    def _verified(self, group: G, known: Known) -> G:
        """A group with evidence that memories here support; members that differ here are marked."""
        members = tuple(
            member if member.memory_id in self._alike else replace(member, version=0)
            for member in group.members
        )
        # Evidence stays as it came where all members are alike and it is plausible, else it is found again.
        alike = all(member.memory_id in self._alike for member in group.members)
        finder = EvidenceFinder(known.values())
        evidence = tuple(
            given if alike and _is_plausible(claim, given, known) else finder.evidence(claim)
            for claim, given in zip(group.claims, group.evidence, strict=True)
        )
        new = replace(group, members=members, evidence=evidence)
        if not isinstance(new, Wisdom):
            return new
        supported = tuple(
            two
            for two in new.contradictions
            if _is_supported(two.claim, two.memory_ids, known)
            and _is_supported(two.against, two.against_ids, known)
        )
        return replace(new, contradictions=supported)


def _is_plausible(claim: str, evidence: Evidence, known: Known) -> bool:
    """Whether the named memories are here, have enough of the claim's words, and are as many as counted."""
    if evidence_problems([claim], [evidence], known, HALF_SUPPORTED):
        return False
    newest = max(known[one].created_at for one in evidence.memory_ids)
    return (
        evidence.last_confirmed == newest
        and _is_count(evidence.memory_ids, evidence.supporting, len(known))
        and _is_count(evidence.against_ids, evidence.against, len(known))
    )


def _is_count(named: Sequence[str], count: int, most: int) -> bool:
    """Whether a count fits the memories that are named: of very many not all are."""
    return len(set(named)) == len(named) and (
        count == len(named) or (len(named) == MOST_NAMED and MOST_NAMED < count <= most)
    )


def _is_supported(claim: str, ids: Sequence[str], known: Known) -> bool:
    sources = [known[one] for one in ids if one in known]
    return len(sources) == len(ids) and word_coverage(claim, sources) >= HALF_SUPPORTED
