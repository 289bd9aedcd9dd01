"""Wisdom by id, by tags, and by the question that it answers."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.match_wisdom import Match, arranged, by_meaning, by_words
from rum.app.chapters.staleness import judged_wisdom
from rum.app.project import Project
from rum.model.chapter_answers import RecallWisdomQuestion, RecallWisdomResult, WisdomView, wisdom_view
from rum.model.chapters import Wisdom
from rum.model.errors import NO_RESULTS
from rum.store.chapters import Range

_EVERY = 10**9


def recall(caller: Caller, question: RecallWisdomQuestion) -> RecallWisdomResult:
    """What was asked for: the surest answer first, without a question the newest."""
    fuzzy, found = False, dict[str, Match | None]()
    if question.wisdom_id:
        found[known(caller.project, question.wisdom_id).id] = None
    elif question.query and question.query.strip():
        sure = by_words(caller.project, question.query)
        fuzzy = not sure
        found |= sure or by_meaning(caller.project, question.query)
    else:
        found |= dict.fromkeys(caller.project.store.wisdom.matching(question.tags, Range(), _EVERY)[0])
    wisdom = [
        one for one in caller.project.store.wisdom.get(list(found)) if set(question.tags) <= set(one.tags)
    ]
    shown = judged_wisdom(caller.project, wisdom[: question.limit])
    return RecallWisdomResult(
        wisdom=[_view(one, found[one.id], question.include_chapters, fuzzy) for one in shown],
        total=len(wisdom),
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else _hint(caller.project),
    )


def _view(one: Wisdom, match: Match | None, chapters: bool, fuzzy: bool) -> WisdomView:
    """Wisdom as callers see it; where it answers a question, what answers it comes first."""
    if match is None:
        return wisdom_view(one, chapters=chapters)
    first, places = arranged(one, match.places)
    match_kind = {"match": "fuzzy"} if fuzzy else {}
    return wisdom_view(first, chapters=chapters, confidence=match.confidence, matching=places, **match_kind)


def _hint(project: Project) -> str:
    count = project.store.wisdom.count()
    if count:
        what = (
            "The one piece of wisdom there is says"
            if count == 1
            else f"The {count} pieces of wisdom there are say"
        )
        return f"{what} nothing about this; ask with other words, or with fewer tags."
    return "There is no wisdom yet; synthesize makes it of chapters, create_chapter makes those of memories."


def known(project: Project, name: str) -> Wisdom:
    """The one wisdom that an id or a tail of one means."""
    kept = project.store.wisdom
    return kept.get([project.one("wisdom", name, kept.named(name))])[0]
