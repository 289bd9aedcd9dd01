"""Chapters by id, tags and time, each with why it may need renewal."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.chapters.staleness import judged
from rum.app.project import Context
from rum.model.chapter_answers import ListChaptersQuestion, ListChaptersResult, chapter_view
from rum.model.chapters import Chapter
from rum.model.errors import NO_RESULTS
from rum.model.times import seconds
from rum.store.chapters import Range

USUAL = 10
"""How many are given when nobody says."""


def listing(context: Context, question: ListChaptersQuestion) -> ListChaptersResult:
    """The chapters that were asked for, by id in that order, else the last to end first."""
    kept, most = context.store.chapters, question.limit or len(question.chapter_ids) or USUAL
    if question.chapter_ids:
        named = [context.one("chapter", name, kept.named(name)) for name in question.chapter_ids]
        chapters = [one for one in kept.get(list(dict.fromkeys(named))) if _passes(one, question)]
        total = len(chapters)
    else:
        ids, total = kept.matching(question.tags, _range(question), most)
        chapters = kept.get(ids)
    shown = judged(context, chapters[:most])
    return ListChaptersResult(
        chapters=[chapter_view(one, members=bool(question.chapter_ids)) for one in shown],
        total=total,
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else _hint(context),
    )


def _range(question: ListChaptersQuestion) -> Range:
    since = 0 if question.since is None else seconds(question.since)
    return Range(since) if question.before is None else Range(since, seconds(question.before))


def _passes(chapter: Chapter, question: ListChaptersQuestion) -> bool:
    within = _range(question)
    return (
        set(question.tags) <= set(chapter.tags)
        and chapter.start_ts >= within.since
        and chapter.end_ts <= within.before
    )


def _hint(context: Context) -> str:
    count = context.store.chapters.count()
    if count:
        return f"None of the {count} chapters is like that; ask for fewer tags, or another time."
    return "There are no chapters yet; create_chapter makes one of memories."


def known(context: Context, name: str) -> Chapter:
    """The one chapter that an id or a tail of one means."""
    kept = context.store.chapters
    return kept.get([context.one("chapter", name, kept.named(name))])[0]
