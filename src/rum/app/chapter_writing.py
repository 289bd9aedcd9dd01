"""Making chapters: the members picked, the words made, and all of it written as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.chapter_making import composed, said_by, settled, words_for
from rum.app.chapter_picking import Tagged, picked_memories
from rum.app.context import Context
from rum.app.handed_in import Given, handed_in, handed_in_before
from rum.app.identity import somebody
from rum.app.wording import Made
from rum.capture.tombstones import chapter_marks
from rum.consolidate import chapter_words
from rum.consolidate.evidence import Tracing
from rum.model.chapter import Chapter, ChapterWords, Origin, Wording
from rum.model.chapter_answers import CreateChapterQuestion, CreateChapterResult
from rum.model.errors import InvalidQuery, NotFound
from rum.model.ids import new_id
from rum.model.memory import Memory

_INSTEAD = "Make one of other memories instead."
_AGAIN = "These memories were a chapter that was forgotten; as they were named, it was made again."


class Pick(NamedTuple):
    """The members of a chapter that is to be made, how they were picked, and what was handed in."""

    members: Sequence[Memory]
    tagged: Tagged
    given: Given
    origin: Origin


def create(context: Context, question: CreateChapterQuestion) -> CreateChapterResult:
    """Make a chapter, or renew the one there is of the same memories or found by the same tags.

    Nobody else waits for the language model: it is asked between two turns, and outside of a transaction.
    """
    with context.turn():
        pick = _picked(context, question)
    made = words_for(context, pick.members, pick.given)
    with context.turn(counted=False), context.identity_undone_on_error(), context.store.transaction():
        return kept(context, *_of_now(context, pick, made))


def _picked(context: Context, question: CreateChapterQuestion) -> Pick:
    members, tagged = picked_memories(context, question)
    origin = Origin.AUTO if tagged.found_by else Origin.MANUAL
    old = same(context, members, tagged)
    if old is None and is_forgotten(context, members):
        if origin is Origin.AUTO:
            raise InvalidQuery(
                f"These {len(members)} memories were a chapter that was forgotten. "
                "To make it again, name them with `memory_ids`.",
                field="tags",
                memory_ids=[memory.id for memory in members],
            )
        tagged = tagged._replace(note=_AGAIN)
    before = handed_in_before(old) if old else Given()
    return Pick(members, tagged, handed_in(context, question).over(before), origin)


def same(context: Context, members: Sequence[Memory], tagged: Tagged) -> Chapter | None:
    """The chapter there is of the same memories, or else the one that was found by the same tags."""
    kept = context.store.chapters
    ids = kept.made_of(memory.id for memory in members)
    if not ids and tagged.found_by:
        ids = kept.found_by(tagged.found_by)
    return kept.get(ids[:1])[0] if ids else None


def _of_now(context: Context, pick: Pick, made: Made[ChapterWords]) -> tuple[Pick, Made[ChapterWords]]:
    """The same, unless a member was changed or forgotten while the words were made."""
    members = context.store.memories.get([memory.id for memory in pick.members])
    if members == list(pick.members):
        return pick, made
    if not members:
        raise NotFound("All of these memories were forgotten meanwhile.")
    words = composed(chapter_words.draw(members, None), pick.given, Tracing(members))
    note = "The memories changed while the words were made; these are drawn from them as they are now."
    return pick._replace(members=members), Made(words, Wording.DRAWN, note)


def kept(context: Context, pick: Pick, made: Made[ChapterWords]) -> CreateChapterResult:
    """Write a chapter down, in a transaction of the caller's."""
    old = same(context, pick.members, pick.tagged)
    now = context.now()
    chapter = said_by(context, _shell(context, pick, old, now), made, pick.members)
    if old is None:
        context.store.chapters.put(chapter)
    else:
        chapter = settled(old, chapter, now)
        if old.said != chapter.said or _is_over(context, old):
            may_change(context, old)
            context.store.chapters.put(chapter)
    notes = " ".join(filter(None, (pick.tagged.note, made.note)))
    return _result(chapter, created=old is None, note=notes)


def _shell(context: Context, pick: Pick, old: Chapter | None, now: int) -> Chapter:
    """A chapter without its words: the one there is, or a new one of whoever acts."""
    agent, _ = somebody(context)
    context.store.agents.touch(agent.id, now)
    chapter = old or Chapter(
        id=new_id("chapter"),
        project_id=context.project.id,
        agent_id=agent.id,
        created_at=now,
        updated_at=now,
        title="",
        summary="",
    )
    return replace(
        chapter,
        origin=pick.origin,
        found_by=pick.tagged.found_by,
        own_tags=tuple(dict.fromkeys((*chapter.own_tags, *pick.tagged.own))),
        given=pick.given.names,
    )


def _result(chapter: Chapter, *, created: bool, note: str) -> CreateChapterResult:
    return CreateChapterResult(
        chapter_id=chapter.id,
        created=created,
        title=chapter.title,
        memory_count=len(chapter.members),
        summary=chapter.summary,
        learnings=chapter.learnings,
        evidence=chapter.evidence,
        start_ts=chapter.start_ts,
        end_ts=chapter.end_ts,
        origin=chapter.origin,
        words=chapter.words,
        note=note or UNSET,
    )


def _is_over(context: Context, chapter: Chapter) -> bool:
    return context.is_over(chapter.agent_id, imported=chapter.imported_at is not None)


def may_change(context: Context, chapter: Chapter) -> None:
    """Refuse an agent that may not change a chapter."""
    imported = chapter.imported_at is not None
    context.may_change_of(chapter.id, chapter.agent_id, imported=imported, instead=_INSTEAD)


def is_forgotten(context: Context, members: Sequence[Memory]) -> bool:
    """Whether a chapter of these memories was forgotten."""
    ids = [memory.id for memory in members]
    return bool(context.store.memories.buried(chapter_marks(ids, context.tombstone_key)))
