"""The words of wisdom by a language model: the question, its answer's form, and what may be kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from rum.consolidate.chapters import wisdom_words
from rum.consolidate.chapters.members import in_order, shortened
from rum.consolidate.chapters.model_claims import Claims, Sources, Worded
from rum.consolidate.chapters.model_prompt import as_data, numbered, shown
from rum.llm.base import BadAnswer, LanguageModel
from rum.model.chapters import Chapter
from rum.model.memory import Memory
from rum.model.wisdom import WisdomWords
from rum.text.shorten import one_line

_CHAPTERS = 8000
"""Characters of all chapters in one question."""


class Answer(Struct, frozen=True, kw_only=True):
    """What a model is to answer."""

    summary: Annotated[str, Meta(min_length=1, max_length=1200)]
    insights: Claims = ()
    patterns: Claims = ()
    best_practices: Claims = ()


QUESTION = """\
Below are chapters of the work on a software project, and memories of that work, oldest first, each under \
its number. Say what the project should know for good: in `insights` what holds, in `patterns` what \
repeats, in `best_practices` what to do or to avoid; at most {most} of each, one sentence each, with the \
numbers of all memories that say it in `sources`. Prefer what several memories or chapters say. The \
`summary` has two to four sentences. Use the names, paths and numbers of the memories; add nothing that \
they do not say; where they contradict each other, give both sides.

"""


def asked(
    model: LanguageModel, chapters: Sequence[Chapter], members: Mapping[str, Memory]
) -> Worded[WisdomWords]:
    """The words that a model finds, as far as the members say them, and what was dropped.

    `BadAnswer` where nothing of it could be traced.
    """
    everyone = in_order(members[one] for chapter in chapters for one in chapter.memory_ids if one in members)
    seen = shown(everyone)
    lines = [*_headed(chapters), "", *numbered(seen)]
    answer = model.complete(QUESTION.format(most=wisdom_words.MOST_INSIGHTS) + as_data(lines), Answer)
    drawn = wisdom_words.draw(chapters, members)
    sources = Sources(seen, everyone)
    insights = sources.kept(answer.insights)[: wisdom_words.MOST_INSIGHTS]
    patterns = sources.kept(answer.patterns)[: wisdom_words.MOST_PATTERNS]
    practices = sources.kept(answer.best_practices)[: wisdom_words.MOST_PRACTICES]
    kept = [*insights, *patterns, *practices]
    if drawn.evidence and not kept:
        raise BadAnswer(
            f"No claim that the language model {model.name} gave is said by the memories it names. "
            "Nothing was kept of its answer."
        )
    words = WisdomWords(
        summary=one_line(answer.summary) if sources.says(answer.summary) else drawn.summary,
        insights=tuple(one.text for one in insights),
        patterns=tuple(one.text for one in patterns),
        best_practices=tuple(one.text for one in practices),
        evidence=tuple(one.evidence for one in kept),
        contradictions=drawn.contradictions,
    )
    return Worded(words, tuple(sources.dropped))


def _headed(chapters: Sequence[Chapter]) -> Iterator[str]:
    """A line for each chapter: its title, and what was learned in it."""
    each = _CHAPTERS // (len(chapters) or 1)
    for chapter in sorted(chapters, key=lambda one: (one.start_ts, one.id)):
        said = " ".join((chapter.summary, *chapter.learnings))
        yield shortened(f"Chapter “{chapter.title}”: {said}", max(each, 100))
