"""Refresh chapters and wisdom whose members changed, and report what changed in their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.create import count_text, tags_text
from rum.app.chapters.groups import (
    CHAPTERS,
    WISDOM,
    Choice,
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
from rum.model.chapters import Change, Chapter, Evidence, Group, RefreshedGroup, RefreshResult, Wisdom
from rum.model.errors import NotFound, PermissionDenied

_COMPARED = {
    Chapter: ("title", "summary", "learnings", "topics", "tags", "memory_ids"),
    Wisdom: ("summary", "insights", "patterns", "best_practices", "tags", "chapter_ids"),
}


def refresh(
    caller: Caller, names: Sequence[str] = (), *, kind: str | None = None, dry_run: bool = False
) -> RefreshResult:
    """Refresh the groups that are named, or all that are stale: chapters first, then the wisdom of them."""
    refreshing = _Refresh(caller, strict=bool(names), dry_run=dry_run)
    with caller.turn():
        chapters, wisdom = (
            _named(caller.project, names, kind) if names else (_stale_chapters(caller.project, kind), None)
        )
    for chapter in chapters:
        refreshing.refresh(CHAPTERS, chapter)
    if wisdom is None:
        with caller.project.locked():
            wisdom = _stale_wisdom(caller.project, kind, refreshing.chapters)
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


def _stale_chapters(project: Project, kind: str | None) -> list[Chapter]:
    batches = project.store.chapters.pages() if kind != "wisdom" else ()
    return [one for batch in batches for one in with_staleness(project, batch) if one.stale]


def _stale_wisdom(project: Project, kind: str | None, refreshed: dict[str, Chapter]) -> list[Wisdom]:
    batches = project.store.wisdom.pages() if kind != "chapter" else ()
    return [one for batch in batches for one in with_staleness(project, batch, refreshed) if one.stale]


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
                parts, note = self._parts(kind, old)
                pick = self._pick(kind, old, parts)
            self._write(kind, old, pick, note)
        except (NotFound, PermissionDenied) as error:
            if self._strict and isinstance(error, PermissionDenied):
                raise
            self.skipped.append(error.message)

    def _parts(self, kind: GroupKind[G, P, W], old: G) -> tuple[list[P], str | None]:
        """The parts that its tags find now; if these are too few, the parts it has, and a note."""
        note = None
        if old.found_by:
            found, _ = kind.tagged_parts(self._project, old.found_by, self.chapters)
            if len(found) >= min(kind.minimum, len(old.part_ids)):
                return found, None
            few = f"{count_text(len(found), kind)} with {tags_text(old.found_by)}"
            note = f"{few} by now; it stays with the {kind.parts} it had."
        return kind.get_parts(self._project, old.part_ids, self.chapters), note

    def _pick(self, kind: GroupKind[G, P, W], old: G, parts: Sequence[P]) -> Pick[G, P]:
        ids = frozenset(one.id for one in parts)
        if not ids:
            raise NotFound(f"All {kind.parts} of {old.id} are gone; forget it.", id=old.id)
        if ids != frozenset(old.part_ids) and (other := self._group_of(kind, ids)):
            raise NotFound(
                f"{old.id} would come to be of the same {kind.parts} as {other}; forget one of them.",
                id=old.id,
            )
        members = kind.members(self._project, parts)
        return Pick(parts, members, Choice(found_by=old.found_by), old=replace(old, stale=()))

    def _group_of(self, kind: GroupKind[G, P, W], ids: frozenset[str]) -> str | None:
        """The id of the group with exactly these parts, given what was refreshed so far."""
        found = [one for one in kind.store(self._project).same(ids) if one not in self._part_ids]
        found += [one for one, parts in self._part_ids.items() if parts == ids]
        return found[0] if found else None

    def _write(self, kind: GroupKind[G, P, W], old: G, pick: Pick[G, P], note: str | None) -> None:
        """Write the text between two turns, as a model may be asked; then store it, if nothing changed."""
        project = self._project
        text = with_given_text(project, pick, text_for(project, kind, pick))
        new = next_version(old, with_text(project, kind, old, text, pick), project.now())
        if not self._dry_run:
            with project.locked(), project.store.transaction():
                if not _is_current(project, kind, pick):
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
                changes=(*_changed_fields(old, new), *_changed_evidence(old, new)),
                words=new.words,
                note=" ".join(filter(None, (note, text.note))) or UNSET,
            )
        )


def _is_current(project: Project, kind: GroupKind[G, P, W], pick: Pick[G, P]) -> bool:
    """Whether nothing changed since the text was written."""
    parts = kind.get_parts(project, [one.id for one in pick.parts])
    return (
        parts == list(pick.parts)
        and kind.members(project, parts) == pick.members
        and pick.old is not None
        and kind.store(project).get([pick.old.id]) == [pick.old]
    )


def _changed_fields(old: Chapter | Wisdom, new: Chapter | Wisdom) -> Iterator[Change]:
    for name in _COMPARED[type(old)]:
        before, after = _texts(getattr(old, name)), _texts(getattr(new, name))
        removed = tuple(one for one in before if one not in after)
        added = tuple(one for one in after if one not in before)
        if removed or added:
            yield Change(name, removed, added)


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,)


def _changed_evidence(old: Group, new: Group) -> Iterator[Change]:
    """The claims that stayed and whose evidence changed."""
    before, after = (dict(zip(one.claims, one.evidence, strict=True)) for one in (old, new))
    lines = [(_line(one, before[one]), _line(one, after[one])) for one in after if one in before]
    changed = [(old_line, new_line) for old_line, new_line in lines if old_line != new_line]
    if changed:
        yield Change("evidence", tuple(one for one, _ in changed), tuple(one for _, one in changed))


def _line(claim: str, evidence: Evidence) -> str:
    return f"{claim} [{evidence.supporting} for, {evidence.against} against]"
