"""Create chapters and wisdom from parts chosen by ids or tags; suggest chapters, and create the surest."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.groups import (
    CHAPTERS,
    WISDOM,
    Choice,
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


def create_chapter(caller: Caller, request: CreateChapterRequest) -> CreateChapterResult:
    """Create a chapter, or replace the existing one of the same memories or the same tags."""
    with caller.turn():
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
    with caller.turn():
        pick = _pick(caller, WISDOM, request)
        stale = [chapter.id for chapter in with_staleness(caller.project, pick.parts) if chapter.stale]
        if stale and not pick.choice.note:
            note = f"Run `rum refresh` first; it updates: {', '.join(stale)}."
            pick = pick._replace(choice=pick.choice._replace(note=note))
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
    parts, choice = _choose_parts(caller, kind, request)
    pick = Pick[G, P](
        parts=parts,
        members=kind.members(caller.project, parts),
        choice=choice,
        new_text=given_text(caller, request),
        origin=ChapterOrigin.AUTO if choice.found_by else ChapterOrigin.MANUAL,
    )
    return _with_old(caller, kind, pick, again=request.again)


def _choose_parts(
    caller: Caller, kind: GroupKind[G, P, W], request: CreateChapterRequest | SynthesizeRequest
) -> tuple[list[P], Choice]:
    """The parts that the request names, or those with all its tags, oldest first."""
    project, spell = caller.project, caller.spell
    tags, names = _clean_tags(project, request.tags), getattr(request, kind.ids_field)
    minimum: int = getattr(request, kind.minimum_field)
    if names:
        ids = dict.fromkeys(project.find_id(kind.part, name) for name in names)
        # A chapter may be of a single memory that was named; wisdom of one chapter would only repeat it.
        if kind is WISDOM and len(ids) < minimum:
            _refuse_few(caller, kind, len(ids), "named", minimum, field=kind.ids_field)
        return kind.get_parts(project, list(ids)), Choice(own_tags=tags)
    if not tags:
        by = f"`{spell(kind.ids_field)}`), or the tags that all of them have (`{spell('tags')}`"
        raise InvalidQuery(f"Name the {kind.parts} ({by}).", field=kind.ids_field)
    parts, total = kind.tagged_parts(project, tags)
    if total < minimum:
        _refuse_few(caller, kind, total, f"with {tags_text(tags)}", minimum, tags=tags)
    limited = f"Of {total} memories the newest {MAX_MEMBERS} were taken." if total > MAX_MEMBERS else None
    return parts, Choice(found_by=tags, note=limited if kind is CHAPTERS else None)


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
    option = f"`{caller.spell(kind.minimum_field)}`"
    if kind is CHAPTERS:
        hints = "".join(f" Try {one}." for one in unknown_tags(caller.project.store.search, tags))
        advice = f"a chapter needs {minimum}. Take fewer or other tags, or a lower {option}.{hints}"
    else:
        advice = f"wisdom needs {minimum}. Make more, or give a lower {option}."
    raise InvalidQuery(
        f"{count_text(count, kind)} {what}; {advice}",
        field=field,
        count=count,
        **{kind.minimum_field: minimum},
    )


def _clean_tags(project: Project, tags: Sequence[str]) -> tuple[str, ...]:
    clean: list[str] = project.clean({"tags": list(tags)})["tags"]
    return tuple(sorted({tag for tag in clean if tag.strip()}))


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
    old = find_group(caller.project, kind, pick.parts, pick.choice.found_by)
    ids = [one.id for one in pick.parts]
    if old is not None or not is_forgotten(caller.project, kind, ids):
        return pick._replace(old=old)
    what = f"What was made of these {len(ids)} {kind.parts} was forgotten"
    if again or not pick.choice.found_by:
        reason = "asked for" if again else "they were named"
        return pick._replace(choice=pick.choice._replace(note=f"{what}; as {reason}, it was made again."))
    by, flag = caller.spell(kind.ids_field), caller.spell("again")
    named = f"{', '.join(ids[:MAX_NAMED_PARTS])}{', …' if len(ids) > MAX_NAMED_PARTS else ''}"
    raise InvalidQuery(
        f"{what} ({named}). To make it again, say so with `{flag}`, or name them with `{by}`.",
        field="tags",
        count=len(ids),
        **{kind.ids_field: ids[:MAX_NAMED_PARTS]},
    )


DEFAULT_LIMIT = 10
MAX_AUTOMATIC_CHAPTERS = 20  # Created in one run
MIN_SURENESS = 0.5  # For creating a chapter automatically


def suggestions(project: Project, limit: int = DEFAULT_LIMIT) -> list[Suggestion]:
    """Groups of related memories, surest first, without those that are or were a chapter."""
    if not isinstance(limit, int) or limit < 1:  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
        raise InvalidQuery(f"`limit` must be a number from 1 on, not {limit!r}.", field="limit")
    chapters = [one.memory_ids for batch in project.store.chapters.pages() for one in batch]
    edges = list(project.store.links.of())
    found = suggest(_memories(project), edges, most=sys.maxsize, chapters=chapters)
    return list(islice((one for one in found if not _was_forgotten(project, one.memory_ids)), limit))


def _memories(project: Project) -> Iterator[Memory]:
    for batch in project.store.memories.pages():
        yield from batch


def _was_forgotten(project: Project, ids: Sequence[str]) -> bool:
    """Whether more than half of these memories were members of forgotten chapters."""
    forgotten = project.store.memories.tombstones(member_marks(ids, project.tombstone_key))
    return 2 * len(forgotten) > len(ids) or is_forgotten(project, CHAPTERS, ids)


def make_chapters(caller: Caller) -> int:
    """Create chapters from the surest suggestions, without a language model; return their number."""
    sure = (
        one for one in suggestions(caller.project, MAX_AUTOMATIC_CHAPTERS) if one.sureness >= MIN_SURENESS
    )
    return sum(_make_chapter(caller, one) for one in sure)


def _make_chapter(caller: Caller, suggestion: Suggestion) -> bool:
    memories = CHAPTERS.get_parts(caller.project, suggestion.memory_ids)
    if len(memories) < len(suggestion.memory_ids):
        return False
    members = CHAPTERS.members(caller.project, memories)
    pick = Pick[Chapter, Memory](memories, members, origin=ChapterOrigin.AUTO)
    return write_group(caller, CHAPTERS, pick, ask=False).created
