"""The words of a chapter by a language model: the question, its answer's form, and what may be kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from rum.consolidate.chapters import chapter_words
from rum.consolidate.chapters.model_claims import Claims, Sources, Worded
from rum.consolidate.chapters.model_prompt import as_data, numbered, shown
from rum.consolidate.chapters.titles import LONGEST_TITLE
from rum.llm.base import BadAnswer, LanguageModel
from rum.model.chapters import ChapterWords
from rum.model.memory import Memory
from rum.text.shorten import one_line


class Answer(Struct, frozen=True, kw_only=True):
    """What a model is to answer."""

    title: Annotated[str, Meta(min_length=1, max_length=LONGEST_TITLE)]
    summary: Annotated[str, Meta(min_length=1, max_length=1200)]
    learnings: Claims = ()


QUESTION = """\
Below are memories of work on a software project, oldest first, each under its number. Together they are \
one chapter. Give it a `title`; a `summary` of two to four sentences: what the work was about, how it \
went, and how it led from the first memory to the last; and at most {most} `learnings` that will help \
whoever works on this next: causes, constraints, decisions with their reasons, what failed and what worked \
instead. Each learning is one sentence, with the numbers of all memories that say it in `sources`. Use the \
names, paths and numbers of the memories; add nothing that they do not say; where they contradict each \
other, give both sides. No learning is better than one that tells nothing.

"""


def asked(model: LanguageModel, members: Sequence[Memory]) -> Worded[ChapterWords]:
    """The words that a model finds, as far as the members say them, and what was dropped.

    `BadAnswer` where nothing of it could be traced.
    """
    seen = shown(members)
    most = chapter_words.MOST_LEARNINGS
    answer = model.complete(QUESTION.format(most=most) + as_data(numbered(seen)), Answer)
    drawn = chapter_words.draw(members)
    sources = Sources(seen, members)
    kept = sources.kept(answer.learnings)[:most]
    if drawn.learnings and not kept:
        raise BadAnswer(
            f"No learning that the language model {model.name} gave is said by the memories it names. "
            "Nothing was kept of its answer."
        )
    words = ChapterWords(
        title=one_line(answer.title) if sources.says(answer.title) else drawn.title,
        summary=one_line(answer.summary) if sources.says(answer.summary) else drawn.summary,
        learnings=tuple(one.text for one in kept),
        evidence=tuple(one.evidence for one in kept),
        topics=drawn.topics,
    )
    return Worded(words, tuple(sources.dropped))
