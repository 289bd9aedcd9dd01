"""Create chapters and wisdom by ids or tags, suggest chapters, and refresh those whose members changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.groups import (
    CHAPTERS,
    WISDOM,
    G,
    GroupKind,
    P,
    Pick,
    W,
    check_permission,
    find_group,
    find_one,
    is_forgotten,
    next_version,
    text_for,
    with_given_text,
    with_text,
    write_group,
)
from rum.app.chapters.read import time_range
from rum.app.chapters.staleness import with_staleness
from rum.app.chapters.words import given_text
from rum.app.memories.hints import unknown_tags
from rum.app.project import Project
from rum.capture.tombstones import member_marks
from rum.consolidate.chapters.by_model import material
from rum.consolidate.chapters.members import short_line
from rum.consolidate.chapters.titles import LONGEST_TITLE
from rum.consolidate.suggest import Suggestion, suggest
from rum.model.chapters import (
    MAX_MEMBERS,
    Change,
    Chapter,
    ChapterOrigin,
    CreateChapterRequest,
    CreateChapterResult,
    RefreshedGroup,
    RefreshResult,
    SynthesizeRequest,
    SynthesizeResult,
    TextSource,
    Wisdom,
    view_of,
)
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied
from rum.model.memory import Memory
from rum.store.chapters import Range

MAX_NAMED_PARTS = 3  # Parts that an error names
DEFAULT_LIMIT = 10
EVER = Range()
MAX_AUTOMATIC_CHAPTERS = 20  # Created in one run
MIN_SURENESS = 0.5  # For creating a chapter automatically


def create_chapter(caller: Caller, request: CreateChapterRequest) -> CreateChapterResult:
    """Create a chapter, or replace the existing one of the same memories or the same tags."""
    with caller.locked_call():
        pick = _pick(caller, CHAPTERS, request)
    written = write_group(caller, CHAPTERS, pick)
    return view_of(
        CreateChapterResult,
        written.group,
        chapter_id=written.group.id,
        created=written.created,
        memory_count=len(written.group.members),
        note=written.note or UNSET,
        material=_material(caller, "create_chapter", written.group, (), pick.members),
    )


def synthesize(caller: Caller, request: SynthesizeRequest) -> SynthesizeResult:
    """Create wisdom, or replace the existing one of the same chapters or the same tags."""
    with caller.locked_call():
        pick = _pick(caller, WISDOM, request)
        stale = [chapter.id for chapter in with_staleness(caller.project, pick.parts) if chapter.stale]
        if stale and not pick.note:
            pick = pick._replace(note=f"Run `rum refresh` first; it updates: {', '.join(stale)}.")
    written = write_group(caller, WISDOM, pick)
    return view_of(
        SynthesizeResult,
        written.group,
        wisdom_id=written.group.id,
        created=written.created,
        contradictions=written.group.contradictions or UNSET,
        chapter_count=len(written.group.sources),
        note=written.note or UNSET,
        material=_material(caller, "synthesize", written.group, pick.parts, pick.members),
    )


def _material(
    caller: Caller,
    call: str,
    group: Chapter | Wisdom,
    chapters: Sequence[Chapter],
    members: Mapping[str, Memory],
) -> str | UnsetType:
    """What the calling agent needs to write a better text; unset where somebody wrote one already."""
    if group.words is not TextSource.DRAWN or caller.project.language_model is not None:
        return UNSET
    kind = "wisdom" if chapters else "chapter"
    return material(call, f"{kind}_id", chapters, members.values())


def _pick(
    caller: Caller, kind: GroupKind[G, P, W], request: CreateChapterRequest | SynthesizeRequest
) -> Pick[G, P]:
    """The parts that the request names or describes, oldest first; and their group."""
    project, note = caller.project, None
    clean: list[str] = project.clean({"tags": list(request.tags)})["tags"]
    tags, within = tuple(sorted({tag for tag in clean if tag.strip()})), time_range(request)
    names, minimum = getattr(request, kind.ids_field), getattr(request, kind.minimum_field)
    group_id: str | None = getattr(request, f"{kind.name}_id")
    auto: bool = getattr(request, "auto", False)
    ways = {kind.ids_field: names, f"{kind.name}_id": group_id, "auto": auto}
    used = [name for name, value in ways.items() if value]
    timed = [name for name in ("since", "before") if getattr(request, name) is not None]
    if used and not auto:
        used += timed
    if len(used) > 1:
        both = " and ".join(f"`{caller.parameter_name(name)}`" for name in used[:2])
        raise InvalidQuery(f"{both} exclude each other; leave one out.", field=used[1])
    found_by = () if names or group_id or auto or timed else tags
    if group_id:
        old = find_one(project, kind, group_id)
        parts, found_by = kind.get_parts(project, old.part_ids), old.found_by
        if not parts:
            raise NotFound(f"All {kind.parts} of {old.id} are gone; forget it.", id=old.id)
        group_id = old.id
    elif auto:
        found = suggestions(project, sys.maxsize, tags, within)
        found = [one for one in found if len(one.memory_ids) >= minimum]
        if not found:
            raise InvalidQuery(
                f"No group of {minimum} or more memories looks like one story and is in no chapter yet. "
                f"Name memories or tags, or give a lower `{caller.parameter_name(kind.minimum_field)}`.",
                field="auto",
            )
        more = len(found) - 1
        note = f"{found[0].reason}{f' {more} more such groups are left.' if more else ''}"
        parts = kind.get_parts(project, found[0].memory_ids)
    elif names:
        ids = dict.fromkeys(project.find_id(kind.part, name) for name in names)
        # A chapter may be of a single memory that was named; wisdom of one chapter would only repeat it.
        if kind is WISDOM and len(ids) < minimum:
            _refuse_few(caller, kind, len(ids), "named", minimum, field=kind.ids_field)
        parts = kind.get_parts(project, list(ids))
    elif tags or timed:
        parts, total = kind.tagged_parts(project, tags, within, {})
        if total < minimum:
            when = "of that time" if timed else ""
            what = f"{when} with {tags_text(tags)}".strip() if tags else when
            _refuse_few(caller, kind, total, what, minimum, tags=tags)
        if kind is CHAPTERS and total > MAX_MEMBERS:
            note = f"Of {total} memories the newest {MAX_MEMBERS} were taken."
    else:
        by_ids, by_tags, since = map(caller.parameter_name, (kind.ids_field, "tags", "since"))
        raise InvalidQuery(
            f"Name the {kind.parts} (`{by_ids}`), the tags that all of them have (`{by_tags}`), "
            f"or their time (`{since}`).",
            field=kind.ids_field,
        )
    pick = Pick[G, P](
        parts=parts,
        members=kind.members(project, parts),
        found_by=found_by,
        own_tags=() if tags == found_by else tags,
        note=note,
        new_text=given_text(caller, request),
        origin=None if group_id else ChapterOrigin.MANUAL if names else ChapterOrigin.AUTO,
        old_id=group_id,
    )
    return _with_old(caller, kind, pick, again=request.again)


def _refuse_few(
    caller: Caller,
    kind: GroupKind[G, P, W],
    count: int,
    what: str,
    minimum: int,
    *,
    tags: Sequence[str] = (),
    field: str = "tags",
) -> None:
    option = f"`{caller.parameter_name(kind.minimum_field)}`"
    if kind is CHAPTERS:
        hints = "".join(f" Try {one}." for one in unknown_tags(caller.project.store.search, tags))
        advice = f"a chapter needs {minimum}. Take fewer or other tags, or a lower {option}.{hints}"
    else:
        advice = f"wisdom needs {minimum}. Make more, or give a lower {option}."
    message = f"{count_text(count, kind)} {what}; {advice}"
    raise InvalidQuery(message, field=field, count=count, **{kind.minimum_field: minimum})


def tags_text(tags: Sequence[str]) -> str:
    """Tags as they follow "with"."""
    return f"the tag {tags[0]}" if len(tags) == 1 else f"all the tags {', '.join(tags)}"


def count_text(count: int, kind: GroupKind[G, P, W]) -> str:
    """A number of parts that is too small, as the beginning of a sentence."""
    if not count:
        return f"There are no {kind.parts}"
    return f"There is only 1 {kind.part}" if count == 1 else f"There are only {count} {kind.parts}"


def _with_old(caller: Caller, kind: GroupKind[G, P, W], pick: Pick[G, P], *, again: bool) -> Pick[G, P]:
    """The pick with its existing group. A forgotten group is not created again from tags, unless `again`."""
    old = find_group(caller.project, kind, pick, pick.parts)
    ids = [one.id for one in pick.parts]
    if isinstance(old, Chapter) and old.origin is ChapterOrigin.MANUAL and pick.origin is ChapterOrigin.AUTO:
        # Tags or a search that find the members of a chapter made by hand do not make it another's.
        pick = pick._replace(origin=None, found_by=old.found_by)
    if old is not None or not is_forgotten(caller.project, kind, ids):
        return pick._replace(old=old)
    what = f"What was made of these {len(ids)} {kind.parts} was forgotten"
    if again or pick.origin is ChapterOrigin.MANUAL:
        reason = "asked for" if again else "they were named"
        return pick._replace(note=f"{what}; as {reason}, it was made again.")
    by, flag = caller.parameter_name(kind.ids_field), caller.parameter_name("again")
    named = f"{', '.join(ids[:MAX_NAMED_PARTS])}{', …' if len(ids) > MAX_NAMED_PARTS else ''}"
    raise InvalidQuery(
        f"{what} ({named}). To make it again, say so with `{flag}`, or name them with `{by}`.",
        field="tags",
        count=len(ids),
        **{kind.ids_field: ids[:MAX_NAMED_PARTS]},
    )


def suggestions(
    project: Project, limit: int = DEFAULT_LIMIT, tags: Sequence[str] = (), within: Range = EVER
) -> list[Suggestion]:
    """Groups of related memories, surest first, without those that are or were a chapter.

    Only memories with all the tags, and from a range of time, are looked at.
    """
    if not isinstance(limit, int) or limit < 1:  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
        raise InvalidQuery(f"`limit` must be a number from 1 on, not {limit!r}.", field="limit")
    chapters = [one.memory_ids for batch in project.store.chapters.pages() for one in batch]
    edges = list(project.store.links.of())
    memories = (
        one
        for batch in project.store.memories.pages()
        for one in batch
        if set(tags) <= set(one.tags) and within.since <= one.created_at < within.before
    )
    found = suggest(memories, edges, most=sys.maxsize, chapters=chapters)
    return list(islice((one for one in found if not _was_forgotten(project, one.memory_ids)), limit))


def _was_forgotten(project: Project, ids: Sequence[str]) -> bool:
    """Whether more than half of these memories were members of forgotten chapters."""
    forgotten = project.store.memories.tombstones(member_marks(ids, project.tombstone_key))
    return 2 * len(forgotten) > len(ids) or is_forgotten(project, CHAPTERS, ids)


def make_chapters(caller: Caller) -> int:
    """Create chapters from the surest suggestions, without a language model; return their number."""
    count = 0
    for one in suggestions(caller.project, MAX_AUTOMATIC_CHAPTERS):
        memories = CHAPTERS.get_parts(caller.project, one.memory_ids)
        if one.sureness >= MIN_SURENESS and len(memories) == len(one.memory_ids):
            members = CHAPTERS.members(caller.project, memories)
            pick = Pick[Chapter, Memory](memories, members, origin=ChapterOrigin.AUTO)
            count += write_group(caller, CHAPTERS, pick, ask=False).created
    return count


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
            parts, _ = kind.tagged_parts(project, old.found_by, EVER, self.chapters)
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
