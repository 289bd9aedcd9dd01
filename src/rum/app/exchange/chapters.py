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
from rum.app.chapters.words import CLAIM_LISTS, TEXTS, sanitise_fields
from rum.app.project import Project
from rum.consolidate.chapters.evidence import (
    HALF_SUPPORTED,
    MOST_NAMED,
    EvidenceFinder,
    evidence_problems,
    word_coverage,
)
from rum.model.chapters import Chapter, Contradiction, Evidence, Group, Member, Wisdom
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


class ChapterImport(Struct, frozen=True, kw_only=True):
    """How many chapters and wisdom were added, already there, different here (and left), or forgotten here.

    Those made only of memories that are not here count as forgotten.
    """

    added: int = 0
    unchanged: int = 0
    different: int = 0
    forgotten: int = 0


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
            given=tuple(
                name for name in (*TEXTS, *CLAIM_LISTS) if name in clean.given and hasattr(clean, name)
            ),
            members=tuple({member.memory_id: member for member in clean.members}.values()),
            imported_at=None,
            stale=(),
        )

    def _import(self, kind: GroupKind[G, P, W], group: G) -> str:
        """Store a group that is neither here nor forgotten, without what its members do not support here."""
        project, store, memories = self._project, kind.store(self._project), self._project.store.memories
        parts = kind.get_parts(project, group.part_ids)
        if isinstance(group, Wisdom):
            group = replace(group, members=_sorted_members(group, project.store.chapters.get(group.part_ids)))
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
        missing = self._missing(group)
        if missing or len(parts) < len(group.part_ids) or not self._different.isdisjoint(group.part_ids):
            self._different.add(group.id)
            group = ForgottenCutter(project, missing, None).cut(kind, group) or group
        store.put(replace(group, imported_at=project.now()))
        return "added"

    def _verified(self, group: G, known: Known) -> G:
        """A group with evidence that memories here support; members that differ here are marked."""
        alike = all(member.memory_id in self._alike for member in group.members)
        members = tuple(
            member if member.memory_id in self._alike else replace(member, version=0)
            for member in group.members
        )
        new = replace(group, members=members, evidence=_verified_evidence(group, known, trusted=alike))
        if isinstance(new, Wisdom):
            return replace(new, contradictions=_supported_contradictions(new, known))
        return new

    def _missing(self, group: Group) -> list[str]:
        """Memories that it, or some words of it, was made of, and that are not here."""
        ids = [*group.memory_ids, *group.former]
        known = {memory.id for memory in self._project.store.memories.get(ids, ReadMode.HEADLINE)}
        return [memory_id for memory_id in ids if memory_id not in known]


def _sorted_members(wisdom: Wisdom, chapters: Sequence[Chapter]) -> tuple[Member, ...]:
    """The members of wisdom, sorted; exports of early versions have none."""
    members = wisdom.members or [Member(one, 0) for chapter in chapters for one in chapter.memory_ids]
    return tuple(sorted(dict.fromkeys(members), key=lambda member: member.memory_id))


def _verified_evidence(group: Group, known: Known, *, trusted: bool) -> tuple[Evidence, ...]:
    """The evidence as it came where it is trusted and plausible, else found again in the memories here."""
    finder = EvidenceFinder(known.values())
    return tuple(
        evidence if trusted and _is_plausible(claim, evidence, known) else finder.evidence(claim)
        for claim, evidence in zip(group.claims, group.evidence, strict=True)
    )


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


def _supported_contradictions(wisdom: Wisdom, known: Known) -> tuple[Contradiction, ...]:
    """The contradictions of which memories here support both sides."""
    return tuple(
        two
        for two in wisdom.contradictions
        if _is_supported(two.claim, two.memory_ids, known)
        and _is_supported(two.against, two.against_ids, known)
    )


def _is_supported(claim: str, ids: Sequence[str], known: Known) -> bool:
    sources = [known[one] for one in ids if one in known]
    return len(sources) == len(ids) and word_coverage(claim, sources) >= HALF_SUPPORTED
