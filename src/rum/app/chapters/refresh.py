"""Refresh chapters and wisdom whose members changed, and report what changed in their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.create import count_text, tags_text
from rum.app.chapters.groups import (
    CHAPTERS,
    WISDOM,
    G,
    GroupKind,
    P,
    Pick,
    W,
    check_permission,
    next_version,
    text_for,
    with_given_text,
    with_text,
)
from rum.app.chapters.staleness import with_staleness
from rum.app.project import Project
from rum.consolidate.chapters.members import short_line
from rum.consolidate.chapters.titles import LONGEST_TITLE
from rum.model.chapters import Change, Chapter, RefreshedGroup, RefreshResult, Wisdom
from rum.model.errors import NotFound, PermissionDenied

_COMPARED = {
    Chapter: ("title", "summary", "learnings", "topics", "tags", "memory_ids"),
    Wisdom: ("summary", "insights", "patterns", "best_practices", "tags", "chapter_ids"),
}


def refresh(
    caller: Caller, names: Sequence[str] = (), *, kind: str | None = None, dry_run: bool = False
) -> RefreshResult:
    """Refresh the groups that are named, or all that are stale: chapters first, then the wisdom of them."""
    refreshing, store = _Refresh(caller, strict=bool(names), dry_run=dry_run), caller.project.store
    with caller.locked_call():
        if names:
            chapters, wisdom = _named(caller.project, names, kind)
        else:
            batches = store.chapters.pages() if kind != "wisdom" else ()
            stale = (one for batch in batches for one in with_staleness(caller.project, batch))
            chapters, wisdom = [one for one in stale if one.stale], None
    for chapter in chapters:
        refreshing.refresh(CHAPTERS, chapter)
    if wisdom is None:
        with caller.project.locked():
            batches = store.wisdom.pages() if kind != "chapter" else ()
            refreshed = refreshing.chapters
            found = (one for batch in batches for one in with_staleness(caller.project, batch, refreshed))
            wisdom = [one for one in found if one.stale]
    for one in wisdom:
        refreshing.refresh(WISDOM, one)
    return RefreshResult(refreshed=refreshing.refreshed, skipped=refreshing.skipped, dry_run=dry_run)


def _named(project: Project, names: Sequence[str], kind: str | None) -> tuple[list[Chapter], list[Wisdom]]:
    ids: list[str] = []
    for name in dict.fromkeys(names):
        chapters = [] if kind == "wisdom" else project.store.chapters.find_ids(name)
        wisdom = [] if kind == "chapter" else project.store.wisdom.find_ids(name)
        ids.append(project.single_id(kind or "chapter or wisdom", name, [*chapters, *wisdom]))
    found = project.store.chapters.get(ids), project.store.wisdom.get(ids)
    return with_staleness(project, found[0]), with_staleness(project, found[1])


class _Refresh:
    """One refresh of several groups. In a dry run, later groups use the refreshed earlier ones too."""

    def __init__(self, caller: Caller, *, strict: bool, dry_run: bool) -> None:
        self._caller = caller
        self._project = caller.project
        self._strict = strict
        self._dry_run = dry_run
        self.chapters: dict[str, Chapter] = {}
        """The refreshed chapters, by id."""
        self._part_ids: dict[str, frozenset[str]] = {}
        """The parts of each refreshed group, by its id."""
        self.refreshed: list[RefreshedGroup] = []
        self.skipped: list[str] = []

    def refresh(self, kind: GroupKind[G, P, W], old: G) -> None:
        """Refresh one group if possible, else record why it is skipped."""
        try:
            with self._project.locked():
                check_permission(self._caller, kind, old)
                pick = self._pick(kind, old)
            self._write(kind, old, pick)
        except (NotFound, PermissionDenied) as error:
            if self._strict and isinstance(error, PermissionDenied):
                raise
            self.skipped.append(error.message)

    def _pick(self, kind: GroupKind[G, P, W], old: G) -> Pick[G, P]:
        """The parts that its tags find now; if these are too few, the parts it has, and a note."""
        project, parts, note = self._project, list[P](), None
        if old.found_by:
            parts, _ = kind.tagged_parts(project, old.found_by, self.chapters)
            if len(parts) < min(kind.minimum, len(old.part_ids)):
                few = f"{count_text(len(parts), kind)} with {tags_text(old.found_by)}"
                note = f"{few} by now; it stays with the {kind.parts} it had."
        if note or not old.found_by:
            stored = kind.get_parts(project, old.part_ids)
            parts = [cast("P", self.chapters.get(one.id, one)) for one in stored]
        ids = frozenset(one.id for one in parts)
        if not ids:
            raise NotFound(f"All {kind.parts} of {old.id} are gone; forget it.", id=old.id)
        if ids != frozenset(old.part_ids):
            # Groups that were refreshed have their new parts, even if a dry run does not store them.
            here = kind.store(project).same(ids)
            others = [one for one in here if one not in self._part_ids]
            others += [one for one, known in self._part_ids.items() if known == ids]
            if others:
                raise NotFound(
                    f"{old.id} would come to be of the same {kind.parts} as {others[0]}; forget one of them.",
                    id=old.id,
                )
        members = kind.members(project, parts)
        return Pick(parts, members, found_by=old.found_by, note=note, old=replace(old, stale=()))

    def _write(self, kind: GroupKind[G, P, W], old: G, pick: Pick[G, P]) -> None:
        """Write the text without the lock, as a model may be asked; then store it, if nothing changed."""
        project = self._project
        text = with_given_text(project, pick, text_for(project, kind, pick))
        new = next_version(old, with_text(project, kind, old, text, pick), project.now())
        if not self._dry_run:
            with project.locked(), project.store.transaction():
                parts = kind.get_parts(project, [one.id for one in pick.parts])
                if (parts, kind.members(project, parts), kind.store(project).get([old.id])) != (
                    pick.parts,
                    pick.members,
                    [pick.old],
                ):
                    raise NotFound(f"{old.id} was changed meanwhile; refresh it again.", id=old.id)
                kind.store(project).put(new)
        self._part_ids[new.id] = frozenset(new.part_ids)
        if isinstance(new, Chapter):
            self.chapters[new.id] = new
        self.refreshed.append(
            RefreshedGroup(
                id=old.id,
                kind=kind.name,
                title=old.title if isinstance(old, Chapter) else short_line(old.summary, LONGEST_TITLE),
                stale=old.stale,
                changes=tuple(_changes(old, new)),
                words=new.words,
                note=" ".join(filter(None, (pick.note, text.note))) or UNSET,
            )
        )


def _changes(old: Chapter | Wisdom, new: Chapter | Wisdom) -> Iterator[Change]:
    """The fields that changed, and the claims that stayed and whose evidence changed."""
    for name in _COMPARED[type(old)]:
        values: list[str | tuple[str, ...]] = [getattr(old, name), getattr(new, name)]
        before, after = (value if isinstance(value, tuple) else (value,) for value in values)
        removed = tuple(one for one in before if one not in after)
        added = tuple(one for one in after if one not in before)
        if removed or added:
            yield Change(name, removed, added)
    before, after = (
        {
            claim: f"{claim} [{evidence.supporting} for, {evidence.against} against]"
            for claim, evidence in zip(group.claims, group.evidence, strict=True)
        }
        for group in (old, new)
    )
    changed = [one for one in after if one in before and before[one] != after[one]]
    if changed:
        yield Change("evidence", tuple(before[one] for one in changed), tuple(after[one] for one in changed))
