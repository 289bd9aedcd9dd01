"""The claims of a memory: learnings, patterns noticed, the chosen approach, sentences of its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from rum.consolidate.chapters.members import goal_line, short_line
from rum.consolidate.chapters.sentence_weight import (
    ENOUGH,
    LONGEST,
    SHORTEST,
    begins_with_connective,
    is_rule,
    names_something,
    needs_context,
    sentence_weight,
    without_connective,
)
from rum.model.memory import Memory
from rum.model.memory_layers import TaskType
from rum.text.fence import gives_orders
from rum.text.sentences import is_prose, prose_sentences
from rum.text.shorten import one_line
from rum.text.word_weights import telling_words

LONGEST_CLAIM = 360
"""Characters of a claim."""
LONGEST_GOAL = 120
"""Characters of a goal inside a claim."""
WORK_MARK = " — "
"""Separates, in a claim, the work from what is said of it."""
FEWEST_WORDS = 2
"""Telling words of a claim."""
MOST = 8
"""Claims of one memory."""


class ClaimKind(StrEnum):
    """Where a claim comes from: the given words of a chapter, or a field of a memory."""

    GIVEN = "given"
    LEARNED = "learned"
    NOTICED = "noticed"
    FAILED = "failed"
    CHOSEN = "chosen"
    STORY = "story"


class Statement(NamedTuple):
    """A claim with its weight and the memories that make it."""

    text: str
    kind: ClaimKind
    weight: float
    memory_ids: tuple[str, ...]


_WEIGHT = {
    ClaimKind.GIVEN: 3.5,
    ClaimKind.LEARNED: 3.0,
    ClaimKind.NOTICED: 2.0,
    ClaimKind.FAILED: 2.5,
    ClaimKind.CHOSEN: 1.5,
    ClaimKind.STORY: 0.0,
}
_HIGHEST_WEIGHT = 4.0
_MOST_READ = 20
_READ = 2000
"""Characters that are read of a text too long for a claim."""
_SMALL = (TaskType.REFACTOR, TaskType.DOCUMENTATION, TaskType.TEST_WRITE)
_SMALLER = 0.3
"""Taken off for the reasons of small work, which are seldom asked for again."""
_RULE = 0.25
"""Added for a sentence that holds without the work around it."""
_LATER = 0.05
"""Taken off for each sentence before it: the most important comes first."""


def statements_of(memory: Memory) -> list[Statement]:
    """The claims of a memory, best first."""
    found = [Statement(text, kind, weight, (memory.id,)) for kind, text, weight in _claims(memory)]
    best = sorted(found, key=lambda one: (-one.weight, one.text))
    different = {one.text: one for one in reversed(best) if is_meaningful(one.text)}
    return list(reversed(different.values()))[:MOST]


def goal_of(memory: Memory) -> str:
    """A memory's goal, short enough for a claim."""
    return goal_line(memory, LONGEST_GOAL).rstrip(".")


def _claims(memory: Memory) -> Iterator[tuple[ClaimKind, str, float]]:
    """Every claim with its kind and weight."""
    for text in memory.outcome.learnings[:_MOST_READ]:
        yield weigh_claim(ClaimKind.LEARNED, _claim_text(text))
    for text in memory.perception.patterns_noticed[:_MOST_READ]:
        yield weigh_claim(ClaimKind.NOTICED, _claim_text(text))
    if not memory.outcome.success:
        return  # the reasons for the approach have been refuted
    reasoning = memory.reasoning
    approach = short_line(reasoning.approach_chosen, LONGEST_GOAL).rstrip(".")
    why = _claim_text(reasoning.why_chosen)
    if approach and is_meaningful(why):
        yield weigh_claim(ClaimKind.CHOSEN, f"{approach}{WORK_MARK}{why}")
    small = _SMALLER if memory.intent.task_type in _SMALL else 0.0
    for sentence, weight in _best(memory.intent.context, ENOUGH)[:2]:
        alone = is_rule(sentence)
        text = sentence if alone else f"{goal_of(memory)}{WORK_MARK}{sentence}"
        yield ClaimKind.STORY, text, weight / 2 - small + (_RULE if alone else 0.0)


def weigh_claim(kind: ClaimKind, text: str) -> tuple[ClaimKind, str, float]:
    """A claim with its kind and weight."""
    return kind, text, _WEIGHT[kind] + max(0.0, min(sentence_weight(text), _HIGHEST_WEIGHT)) / 4


def is_meaningful(text: str) -> bool:
    """Whether a text has enough words for a claim, and does not instruct a model."""
    return len(telling_words(text)) >= FEWEST_WORDS and not gives_orders(text)


def _claim_text(text: str) -> str:
    """A text that was written as a claim; of a long one the weightiest sentence."""
    line = one_line(text[: 4 * LONGEST_CLAIM])
    if len(line) <= LONGEST_CLAIM:
        return line
    found = _best(text[:_READ], 0.0)
    return found[0][0] if found else short_line(text, LONGEST_CLAIM)


def _best(text: str, least: float) -> list[tuple[str, float]]:
    """The weightiest sentences of a text, best first, each with those it refers to."""
    lines = [one_line(sentence) for sentence in prose_sentences(text)]
    found = [
        # The sentence before may name the subject.
        (
            whole,
            sentence_weight(sentence)
            + (names_something(whole) - names_something(sentence))
            - _LATER * number,
        )
        for number, sentence in enumerate(lines)
        if SHORTEST <= len(sentence) <= LONGEST
        and is_prose(sentence)
        and (whole := _with_context(lines, number))
    ]
    return sorted((one for one in found if one[1] >= least), key=lambda one: (-one[1], one[0]))


def _with_context(lines: Sequence[str], number: int) -> str:
    """A sentence with those before it that it refers to; if that is too long, alone without its connective.

    Empty where it cannot be read alone.
    """
    whole = lines[number]
    for before in reversed(lines[:number]):
        if not needs_context(whole):
            break
        both = f"{before} {whole}"
        if len(both) > LONGEST or not is_prose(before) or not before.endswith((".", "!", ")")):
            return _alone(whole)
        whole = both
    return _alone(whole) if begins_with_connective(whole) else whole


def _alone(text: str) -> str:
    """A text without the connective that it begins with; empty where it needs more context than that."""
    rest = without_connective(text)
    return rest if rest and not needs_context(rest) else ""
