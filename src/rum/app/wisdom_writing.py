"""Making wisdom: the chapters picked, the words made, and all of it written as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.chapter_making import settled
from rum.app.chapter_picking import Tagged, picked_chapters
from rum.app.context import Context
from rum.app.handed_in import Given, handed_in, handed_in_before
from rum.app.identity import somebody
from rum.app.staleness import judged
from rum.app.wisdom_making import composed, members_of, said_by, words_for
from rum.app.wording import Made
from rum.capture.tombstones import wisdom_marks
from rum.consolidate import wisdom_words
from rum.consolidate.evidence import Tracing
from rum.model.chapter import Chapter, Wording
from rum.model.errors import InvalidQuery, NotFound
from rum.model.ids import new_id
from rum.model.memory import Memory
from rum.model.wisdom import Wisdom, WisdomWords
from rum.model.wisdom_answers import SynthesizeQuestion, SynthesizeResult

_INSTEAD = "Make one of other chapters instead."
_AGAIN = "Wisdom of these chapters was forgotten; as they were named, it was made again."


class Pick(NamedTuple):
    """The chapters that wisdom is to be made of, with their memories, and what was handed in."""

    chapters: Sequence[Chapter]
    members: dict[str, Memory]
    tagged: Tagged
    given: Given


def synthesize(context: Context, question: SynthesizeQuestion) -> SynthesizeResult:
    """Make wisdom of chapters, or renew what there is of the same chapters or found by the same tags.

    Nobody else waits for the language model: it is asked between two turns, and outside of a transaction.
    """
    with context.turn():
        pick = _picked(context, question)
    made = words_for(context, pick.chapters, pick.members, pick.given)
    with context.turn(counted=False), context.identity_undone_on_error(), context.store.transaction():
        return kept(context, *_of_now(context, pick, made))


def _picked(context: Context, question: SynthesizeQuestion) -> Pick:
    chapters, tagged = picked_chapters(context, question)
    old = same(context, chapters, tagged)
    if old is None and is_forgotten(context, chapters):
        if tagged.found_by:
            raise InvalidQuery(
                f"Wisdom of these {len(chapters)} chapters was forgotten. "
                "To make it again, name them with `chapter_ids`.",
                field="tags",
                chapter_ids=[chapter.id for chapter in chapters],
            )
        tagged = tagged._replace(note=_AGAIN)
    stale = [chapter.id for chapter in judged(context, chapters) if chapter.stale]
    if stale and tagged.note is None:
        tagged = tagged._replace(note=f"To be renewed first, with `rum refresh`: {', '.join(stale)}.")
    given = handed_in(context, question).over(handed_in_before(old) if old else Given())
    return Pick(chapters, members_of(context, chapters), tagged, given)


def same(context: Context, chapters: Sequence[Chapter], tagged: Tagged) -> Wisdom | None:
    """The wisdom there is of the same chapters, or else what was found by the same tags."""
    kept = context.store.wisdom
    ids = kept.made_of(chapter.id for chapter in chapters)
    if not ids and tagged.found_by:
        ids = kept.found_by(tagged.found_by)
    return kept.get(ids[:1])[0] if ids else None


def _of_now(context: Context, pick: Pick, made: Made[WisdomWords]) -> tuple[Pick, Made[WisdomWords]]:
    """The same, unless a chapter or a memory was changed or forgotten while the words were made."""
    chapters = context.store.chapters.get([chapter.id for chapter in pick.chapters])
    members = members_of(context, chapters)
    if chapters == list(pick.chapters) and members == pick.members:
        return pick, made
    if not chapters:
        raise NotFound("All of these chapters were forgotten meanwhile.")
    words = wisdom_words.draw(chapters, members, None)
    words = composed(words, pick.given, Tracing(members.values()))
    note = "The chapters changed while the words were made; these are drawn from them as they are now."
    return pick._replace(chapters=chapters, members=members), Made(words, Wording.DRAWN, note)


def kept(context: Context, pick: Pick, made: Made[WisdomWords]) -> SynthesizeResult:
    """Write wisdom down, in a transaction of the caller's."""
    old = same(context, pick.chapters, pick.tagged)
    now = context.now()
    wisdom = said_by(context, _shell(context, pick, old, now), made, pick.chapters)
    if old is None:
        context.store.wisdom.put(wisdom)
    else:
        wisdom = settled(old, wisdom, now)
        if old.said != wisdom.said or is_over(context, old):
            may_change(context, old)
            context.store.wisdom.put(wisdom)
    notes = " ".join(filter(None, (pick.tagged.note, made.note)))
    return _result(wisdom, created=old is None, note=notes)


def _shell(context: Context, pick: Pick, old: Wisdom | None, now: int) -> Wisdom:
    """Wisdom without its words: what there is, or new one of whoever acts."""
    agent, _ = somebody(context)
    context.store.agents.touch(agent.id, now)
    wisdom = old or Wisdom(
        id=new_id("wisdom"),
        project_id=context.project.id,
        agent_id=agent.id,
        created_at=now,
        updated_at=now,
        summary="",
    )
    return replace(
        wisdom,
        found_by=pick.tagged.found_by,
        own_tags=tuple(dict.fromkeys((*wisdom.own_tags, *pick.tagged.own))),
        given=pick.given.names,
    )


def _result(wisdom: Wisdom, *, created: bool, note: str) -> SynthesizeResult:
    return SynthesizeResult(
        wisdom_id=wisdom.id,
        created=created,
        summary=wisdom.summary,
        insights=wisdom.insights,
        patterns=wisdom.patterns,
        best_practices=wisdom.best_practices,
        evidence=wisdom.evidence,
        contradictions=wisdom.contradictions or UNSET,
        chapter_count=len(wisdom.sources),
        start_ts=wisdom.start_ts,
        end_ts=wisdom.end_ts,
        words=wisdom.words,
        note=note or UNSET,
    )


def is_over(context: Context, wisdom: Wisdom) -> bool:
    """Whether whoever acts may change this."""
    return context.is_over(wisdom.agent_id, imported=wisdom.imported_at is not None)


def may_change(context: Context, wisdom: Wisdom) -> None:
    """Refuse an agent that may not change it."""
    imported = wisdom.imported_at is not None
    context.may_change_of(wisdom.id, wisdom.agent_id, imported=imported, instead=_INSTEAD)


def is_forgotten(context: Context, chapters: Sequence[Chapter]) -> bool:
    """Whether wisdom of these chapters was forgotten."""
    ids = [chapter.id for chapter in chapters]
    return bool(context.store.memories.buried(wisdom_marks(ids, context.tombstone_key)))
