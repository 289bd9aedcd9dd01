"""Create chapters and wisdom from parts chosen by ids or tags; suggest chapters, and create the surest."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.groups import (
    CHAPTERS,
    WISDOM,
    G,
    GroupKind,
    P,
    Pick,
    W,
    find_group,
    is_forgotten,
    write_group,
)
from rum.app.chapters.staleness import with_staleness
from rum.app.chapters.words import given_text
from rum.app.memories.hints import unknown_tags
from rum.app.project import Project
from rum.capture.tombstones import member_marks
from rum.consolidate.suggest.groups import Suggestion, suggest
from rum.model.chapters import (
    MAX_MEMBERS,
    Chapter,
    ChapterOrigin,
    CreateChapterRequest,
    CreateChapterResult,
    SynthesizeRequest,
    SynthesizeResult,
    view_of,
)
from rum.model.errors import InvalidQuery
from rum.model.memory import Memory

MAX_NAMED_PARTS = 3  # Parts that an error names
DEFAULT_LIMIT = 10
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
    )


def _pick(
    caller: Caller, kind: GroupKind[G, P, W], request: CreateChapterRequest | SynthesizeRequest
) -> Pick[G, P]:
    """The parts that the request names, or those with all its tags, oldest first; and their group."""
    project, note = caller.project, None
    clean: list[str] = project.clean({"tags": list(request.tags)})["tags"]
    tags = tuple(sorted({tag for tag in clean if tag.strip()}))
    names, minimum = getattr(request, kind.ids_field), getattr(request, kind.minimum_field)
    if names:
        ids = dict.fromkeys(project.find_id(kind.part, name) for name in names)
        # A chapter may be of a single memory that was named; wisdom of one chapter would only repeat it.
        if kind is WISDOM and len(ids) < minimum:
            _refuse_few(caller, kind, len(ids), "named", minimum, field=kind.ids_field)
        parts = kind.get_parts(project, list(ids))
    elif tags:
        parts, total = kind.tagged_parts(project, tags, {})
        if total < minimum:
            _refuse_few(caller, kind, total, f"with {tags_text(tags)}", minimum, tags=tags)
        if kind is CHAPTERS and total > MAX_MEMBERS:
            note = f"Of {total} memories the newest {MAX_MEMBERS} were taken."
    else:
        by_ids, by_tags = caller.parameter_name(kind.ids_field), caller.parameter_name("tags")
        raise InvalidQuery(
            f"Name the {kind.parts} (`{by_ids}`), or the tags that all of them have (`{by_tags}`).",
            field=kind.ids_field,
        )
    pick = Pick[G, P](
        parts=parts,
        members=kind.members(project, parts),
        found_by=() if names else tags,
        own_tags=tags if names else (),
        note=note,
        new_text=given_text(caller, request),
        origin=ChapterOrigin.MANUAL if names else ChapterOrigin.AUTO,
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
    old = find_group(caller.project, kind, pick.parts, pick.found_by)
    ids = [one.id for one in pick.parts]
    if old is not None or not is_forgotten(caller.project, kind, ids):
        return pick._replace(old=old)
    what = f"What was made of these {len(ids)} {kind.parts} was forgotten"
    if again or not pick.found_by:
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


def suggestions(project: Project, limit: int = DEFAULT_LIMIT) -> list[Suggestion]:
    """Groups of related memories, surest first, without those that are or were a chapter."""
    if not isinstance(limit, int) or limit < 1:  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
        raise InvalidQuery(f"`limit` must be a number from 1 on, not {limit!r}.", field="limit")
    chapters = [one.memory_ids for batch in project.store.chapters.pages() for one in batch]
    edges = list(project.store.links.of())
    memories = (one for batch in project.store.memories.pages() for one in batch)
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
