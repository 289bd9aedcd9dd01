"""Renewing chapters and wisdom whose members changed, with what that changes in their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.diff import changes
from rum.app.chapters.grouping import Craft, G, P, Pick, W, composed, settled, worded
from rum.app.chapters.make_chapter import CHAPTERS
from rum.app.chapters.make_wisdom import WISDOM
from rum.app.chapters.members import Tagged, all_of, counted, tagged_chapters, tagged_memories
from rum.app.chapters.staleness import judged, judged_wisdom
from rum.app.chapters.write_group import may_change
from rum.app.project import Project
from rum.consolidate.chapters.members import short_line
from rum.consolidate.chapters.titles import LONGEST_TITLE
from rum.model.chapter_answers import RefreshResult, Renewed
from rum.model.chapters import Chapter, Wisdom
from rum.model.errors import NotFound, PermissionDenied
from rum.model.memory import Memory


def refresh(
    caller: Caller, names: Sequence[str] = (), *, kind: str | None = None, dry_run: bool = False
) -> RefreshResult:
    """Renew what is named, or else all that is stale: chapters first, then the wisdom made of them."""
    renewal = _Renewal(caller, strict=bool(names), dry_run=dry_run)
    with caller.turn():
        chapters, wisdom = (
            _named(caller.project, names, kind) if names else (_stale_chapters(caller.project, kind), None)
        )
    for chapter in chapters:
        renewal.take(CHAPTERS, chapter, renewal.memories)
    if wisdom is None:
        with caller.project.turn():
            wisdom = _stale_wisdom(caller.project, kind, renewal.chapters)
    for one in wisdom:
        renewal.take(WISDOM, one, renewal.chapters_of)
    return RefreshResult(renewed=renewal.renewed, skipped=renewal.skipped, dry_run=dry_run)


def _named(project: Project, names: Sequence[str], kind: str | None) -> tuple[list[Chapter], list[Wisdom]]:
    meant: list[str] = []
    for name in dict.fromkeys(names):
        chapters = [] if kind == "wisdom" else project.store.chapters.named(name)
        wisdom = [] if kind == "chapter" else project.store.wisdom.named(name)
        meant.append(project.one(kind or "chapter or wisdom", name, [*chapters, *wisdom]))
    found = project.store.chapters.get(meant), project.store.wisdom.get(meant)
    return judged(project, found[0]), judged_wisdom(project, found[1])


def _stale_chapters(project: Project, kind: str | None) -> list[Chapter]:
    batches = project.store.chapters.all() if kind != "wisdom" else ()
    return [one for batch in batches for one in judged(project, batch) if one.stale]


def _stale_wisdom(project: Project, kind: str | None, renewed: dict[str, Chapter]) -> list[Wisdom]:
    batches = project.store.wisdom.all() if kind != "chapter" else ()
    return [one for batch in batches for one in judged_wisdom(project, batch, renewed) if one.stale]


class _Renewal:
    """A renewal under way. What it would change, if it is only tried, is known to what comes after it."""

    def __init__(self, caller: Caller, *, strict: bool, dry_run: bool) -> None:
        self._caller = caller
        self._strict = strict
        self._dry_run = dry_run
        self.chapters: dict[str, Chapter] = {}
        """Those that were renewed, as they are now or would be."""
        self._sets: dict[str, frozenset[str]] = {}
        """What each that was renewed is made of."""
        self.renewed: list[Renewed] = []
        self.skipped: list[str] = []

    def take(
        self, craft: Craft[G, P, W], old: G, find: Callable[[G], tuple[Sequence[P], str | None]]
    ) -> None:
        """Renew one, if that can be; `find` says what it is made of from now on, and what to know of that."""
        try:
            with self._caller.project.turn():
                may_change(self._caller, craft, old)
                parts, note = find(old)
                pick = self._picked(craft, old, parts)
            self._renew(craft, old, pick, note)
        except (NotFound, PermissionDenied) as error:
            if self._strict and isinstance(error, PermissionDenied):
                raise
            self.skipped.append(error.message)

    def memories(self, old: Chapter) -> tuple[Sequence[Memory], str | None]:
        """The members of a chapter: where tags found them, whatever the tags find now."""
        found = tagged_memories(self._caller.project, old.found_by)[0] if old.found_by else None
        return self._enough(CHAPTERS, old, found)

    def chapters_of(self, old: Wisdom) -> tuple[Sequence[Chapter], str | None]:
        """The chapters of wisdom: where tags found them, whatever the tags find now."""
        found = (
            tagged_chapters(self._caller.project, old.found_by, self.chapters)[0] if old.found_by else None
        )
        parts, note = self._enough(WISDOM, old, found)
        return [self.chapters.get(one.id, one) for one in parts], note

    def _enough(
        self, craft: Craft[G, P, W], old: G, found: Sequence[P] | None
    ) -> tuple[Sequence[P], str | None]:
        """What tags found, unless that is so little that it would become something else."""
        if found is not None and len(found) >= min(craft.least, len(old.part_ids)):
            return found, None
        parts = craft.parts(self._caller, old.part_ids)
        if found is None:
            return parts, None
        few = counted(len(found), craft.part_called, craft.parts_called)
        return (
            parts,
            f"{few} with {all_of(old.found_by)} by now; it stays with the {craft.parts_called} it had.",
        )

    def _picked(self, craft: Craft[G, P, W], old: G, parts: Sequence[P]) -> Pick[G, P]:
        ids = frozenset(one.id for one in parts)
        if not ids:
            raise NotFound(f"All {craft.parts_called} of {old.id} are gone; forget it.", id=old.id)
        if ids != frozenset(old.part_ids) and (other := self._made_of(craft, ids)):
            raise NotFound(
                f"{old.id} would come to be of the same {craft.parts_called} as {other}; forget one of them.",
                id=old.id,
            )
        tagged = Tagged(found_by=old.found_by)
        return Pick(parts, craft.members(self._caller, parts), tagged, old=replace(old, stale=()))

    def _made_of(self, craft: Craft[G, P, W], ids: frozenset[str]) -> str | None:
        """The one that is made of exactly these, or is by now."""
        kept = [one for one in craft.kept(self._caller).made_of(ids) if one not in self._sets]
        kept += [one for one, parts in self._sets.items() if parts == ids]
        return kept[0] if kept else None

    def _renew(self, craft: Craft[G, P, W], old: G, pick: Pick[G, P], note: str | None) -> None:
        """Make the words between two turns, as a model may be asked; then write, if all still holds."""
        caller = self._caller
        made = composed(caller.project, craft, pick, worded(caller.project, craft, pick))
        new = settled(old, craft.saying(caller, old, made, pick), caller.project.now())
        if not self._dry_run:
            with caller.project.turn(), caller.project.store.transaction():
                if not _holds(caller, craft, pick):
                    raise NotFound(f"{old.id} was changed meanwhile; refresh it again.", id=old.id)
                craft.kept(caller).put(new)
        self._sets[new.id] = frozenset(new.part_ids)
        if isinstance(new, Chapter):
            self.chapters[new.id] = new
        self.renewed.append(
            Renewed(
                id=old.id,
                kind=craft.kind,
                title=old.title if isinstance(old, Chapter) else short_line(old.summary, LONGEST_TITLE),
                stale=old.stale,
                changes=changes(old, new),
                words=new.words,
                note=" ".join(filter(None, (note, made.note))) or UNSET,
            )
        )


def _holds(caller: Caller, craft: Craft[G, P, W], pick: Pick[G, P]) -> bool:
    """Whether everything still is as it was when words were made of it."""
    parts = craft.parts(caller, [one.id for one in pick.parts])
    return (
        parts == list(pick.parts)
        and craft.members(caller, parts) == pick.members
        and pick.old is not None
        and craft.kept(caller).get([pick.old.id]) == [pick.old]
    )
