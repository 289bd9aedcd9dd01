"""Chapters by id, tags and time, each with why it may need renewal."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.staleness import judged
from rum.app.project import Project
from rum.model.chapter_answers import ListChaptersQuestion, ListChaptersResult, chapter_view
from rum.model.chapters import Chapter
from rum.model.errors import NO_RESULTS
from rum.model.times import seconds
from rum.store.chapters import Range

USUAL = 10
"""How many are given when nobody says."""


def listing(caller: Caller, question: ListChaptersQuestion) -> ListChaptersResult:
    """The chapters that were asked for, by id in that order, else the last to end first."""
    kept, most = caller.project.store.chapters, question.limit or len(question.chapter_ids) or USUAL
    if question.chapter_ids:
        named = [caller.project.one("chapter", name, kept.named(name)) for name in question.chapter_ids]
        chapters = [one for one in kept.get(list(dict.fromkeys(named))) if _passes(one, question)]
        total = len(chapters)
    else:
        ids, total = kept.matching(question.tags, _range(question), most)
        chapters = kept.get(ids)
    shown = judged(caller.project, chapters[:most])
    return ListChaptersResult(
        chapters=[chapter_view(one, members=bool(question.chapter_ids)) for one in shown],
        total=total,
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else _hint(caller.project),
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


def _hint(project: Project) -> str:
    count = project.store.chapters.count()
    if count:
        return f"None of the {count} chapters is like that; ask for fewer tags, or another time."
    return "There are no chapters yet; create_chapter makes one of memories."


def known(project: Project, name: str) -> Chapter:
    """The one chapter that an id or a tail of one means."""
    kept = project.store.chapters
    return kept.get([project.one("chapter", name, kept.named(name))])[0]
