"""Making chapters: the members picked, the words made, and all of it written as one."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.given_words import handed_in
from rum.app.chapters.make_chapter import CHAPTERS, ChapterPick
from rum.app.chapters.members import picked_memories
from rum.app.chapters.write_group import Kept, beside_old, keep
from rum.model.chapter_answers import CreateChapterQuestion, CreateChapterResult
from rum.model.chapters import Chapter, Origin


def create(caller: Caller, question: CreateChapterQuestion) -> CreateChapterResult:
    """Make a chapter, or renew the one there is of the same memories or found by the same tags."""
    with caller.turn():
        pick = _picked(caller, question)
    return _result(keep(caller, CHAPTERS, pick))


def _picked(caller: Caller, question: CreateChapterQuestion) -> ChapterPick:
    members, tagged = picked_memories(caller, question)
    origin = Origin.AUTO if tagged.found_by else Origin.MANUAL
    underneath = CHAPTERS.members(caller, members)
    pick = ChapterPick(members, underneath, tagged, handed_in(caller, question), None, origin)
    return beside_old(caller, CHAPTERS, pick, again=question.again)


def _result(kept: Kept[Chapter]) -> CreateChapterResult:
    chapter = kept.one
    return CreateChapterResult(
        chapter_id=chapter.id,
        created=kept.created,
        title=chapter.title,
        memory_count=len(chapter.members),
        summary=chapter.summary,
        learnings=chapter.learnings,
        evidence=chapter.evidence,
        start_ts=chapter.start_ts,
        end_ts=chapter.end_ts,
        origin=chapter.origin,
        words=chapter.words,
        note=kept.note or UNSET,
    )
