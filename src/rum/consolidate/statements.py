"""What a memory claims: its learnings, what it noticed, why it was done so, and what its story tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from rum.consolidate.chapters.members import aim_of, shortened
from rum.consolidate.sentence_weight import (
    ENOUGH,
    LONGEST,
    SHORTEST,
    begins_with_tie,
    is_anchored,
    is_rule,
    leans,
    untied,
    weight_of,
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
SAID_OF = " — "
"""Stands in a claim between the work that it is said of, and what is said."""
FEWEST_WORDS = 2
"""Words that say something; with fewer it is no claim."""
MOST = 8
"""Claims of one memory."""


class Kind(StrEnum):
    """Where a claim stands: in a chapter whose words were handed in, or somewhere in a memory."""

    GIVEN = "given"
    LEARNED = "learned"
    NOTICED = "noticed"
    FAILED = "failed"
    CHOSEN = "chosen"
    TOLD = "told"


class Statement(NamedTuple):
    """A claim, the memories that make it, and what it weighs."""

    text: str
    kind: Kind
    weight: float
    memory_ids: tuple[str, ...]


_WEIGHT = {
    Kind.GIVEN: 3.5,
    Kind.LEARNED: 3.0,
    Kind.NOTICED: 2.0,
    Kind.FAILED: 2.5,
    Kind.CHOSEN: 1.5,
    Kind.TOLD: 0.0,
}
_MOST_TELLING = 4.0
_MOST_READ = 20
_READ = 2000
"""Characters of a text that should be a claim, but is long."""
_SMALL = (TaskType.REFACTOR, TaskType.DOCUMENTATION, TaskType.TEST_WRITE)
_SMALLER = 0.3
"""So much less counts why something was tidied up, as that is seldom asked again."""
_RULE = 0.25
"""So much more counts what holds without the story around it."""
_LATER = 0.05
"""The most important is told first: so much less counts each sentence after it."""


def statements_of(memory: Memory) -> list[Statement]:
    """What a memory claims, best first."""
    made = [Statement(text, kind, weight, (memory.id,)) for kind, text, weight in _claims(memory)]
    best = sorted(made, key=lambda one: (-one.weight, one.text))
    different = {one.text: one for one in reversed(best) if says_something(one.text)}
    return list(reversed(different.values()))[:MOST]


def goal_of(memory: Memory) -> str:
    """What a memory's work was for, short enough to be said in a claim."""
    return aim_of(memory, LONGEST_GOAL).rstrip(".")


def _claims(memory: Memory) -> Iterator[tuple[Kind, str, float]]:
    """Every claim with its kind and weight."""
    for text in memory.outcome.learnings[:_MOST_READ]:
        yield weighed(Kind.LEARNED, _whole(text))
    for text in memory.perception.patterns_noticed[:_MOST_READ]:
        yield weighed(Kind.NOTICED, _whole(text))
    if not memory.outcome.success:
        return  # what spoke for it has been refuted
    thought = memory.reasoning
    approach, why = shortened(thought.approach_chosen, LONGEST_GOAL).rstrip("."), _whole(thought.why_chosen)
    if approach and says_something(why):
        yield weighed(Kind.CHOSEN, f"{approach}{SAID_OF}{why}")
    small = _SMALLER if memory.intent.task_type in _SMALL else 0.0
    for sentence, weight in _best(memory.intent.context, ENOUGH)[:2]:
        alone = is_rule(sentence)
        text = sentence if alone else f"{goal_of(memory)}{SAID_OF}{sentence}"
        yield Kind.TOLD, text, weight / 2 - small + (_RULE if alone else 0.0)


def weighed(kind: Kind, text: str) -> tuple[Kind, str, float]:
    """A claim with what it weighs by its kind and its words."""
    return kind, text, _WEIGHT[kind] + max(0.0, min(weight_of(text), _MOST_TELLING)) / 4


def says_something(text: str) -> bool:
    """Whether a text has words enough for a claim, and speaks to people."""
    return len(telling_words(text)) >= FEWEST_WORDS and not gives_orders(text)


def _whole(text: str) -> str:
    """A text that was written as a claim; of a long one the sentence that tells most."""
    line = one_line(text[: 4 * LONGEST_CLAIM])
    if len(line) <= LONGEST_CLAIM:
        return line
    told = _best(text[:_READ], 0.0)
    return told[0][0] if told else shortened(text, LONGEST_CLAIM)


def _best(text: str, least: float) -> list[tuple[str, float]]:
    """The telling sentences of a story, best first, each with what it leans on."""
    told = [one_line(sentence) for sentence in prose_sentences(text)]
    weighed = [
        # What it leans on may name the thing that it is about.
        (whole, weight_of(sentence) + (is_anchored(whole) - is_anchored(sentence)) - _LATER * number)
        for number, sentence in enumerate(told)
        if SHORTEST <= len(sentence) <= LONGEST and is_prose(sentence) and (whole := _leant(told, number))
    ]
    return sorted((one for one in weighed if one[1] >= least), key=lambda one: (-one[1], one[0]))


def _leant(told: Sequence[str], number: int) -> str:
    """A sentence with those before it that it leans on; where that is too long, without what ties it to them.

    Nothing where it cannot be read alone.
    """
    whole = told[number]
    for before in reversed(told[:number]):
        if not leans(whole):
            break
        both = f"{before} {whole}"
        if len(both) > LONGEST or not is_prose(before) or not before.endswith((".", "!", ")")):
            return _alone(whole)
        whole = both
    return _alone(whole) if begins_with_tie(whole) else whole


def _alone(text: str) -> str:
    """A text without the "but" that it begins with; nothing where it leans on more than that."""
    rest = untied(text)
    return rest if rest and not leans(rest) else ""
