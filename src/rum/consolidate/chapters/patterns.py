"""What repeats in memories, counted: approaches, kinds of failure, files that fail or change together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from rum.consolidate.chapters.members import shortened
from rum.consolidate.clusters import clustered
from rum.consolidate.counting import (
    belong_together,
    changed_files,
    file_counts,
    is_by_the_way,
    kind_name,
    memories,
    most,
    times,
)
from rum.consolidate.statements import LONGEST_CLAIM, Kind, Statement, says_something
from rum.model.memory import Memory
from rum.model.memory_layers import FailureCategory, TaskType

FEWEST = 3
"""Memories that make a habit; failures make one from two on."""
FEWEST_FAILURES = 2
_OFTEN = 0.6
"""The share of the changes to a file that another file is changed with."""
_SWEEPING = 20
"""A change of more files says nothing about two of them."""
_NOW_AND_THEN = 0.1
_EACH = 3
_MANY = 20
"""Among so many memories one can tell whether a file is changed with another or with everything."""
_OFTENER = 2
"""So much more often than otherwise a file must be changed where the other one is."""


class Pattern(NamedTuple):
    """Something that repeats, where it was seen, and where the contrary was."""

    text: str
    memory_ids: tuple[str, ...]
    against_ids: tuple[str, ...] = ()


def patterns(ordered: Sequence[Memory]) -> list[Pattern]:
    """What repeats in memories given in the order of time, by kind, the most frequent first."""
    return [
        *_approaches(ordered),
        *_categories(ordered),
        *_failing(ordered),
        *_together(ordered),
    ]


def _ids(members: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(memory.id for memory in members)


def _approaches(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Approaches that were taken more than once, with how often they worked."""
    chosen = {memory.id: memory for memory in ordered if memory.reasoning.approach_chosen}
    made = [
        Statement(shortened(memory.reasoning.approach_chosen, LONGEST_CLAIM), Kind.CHOSEN, 0.0, (memory.id,))
        for memory in chosen.values()
    ]
    found = clustered(one for one in made if says_something(one.text))
    again = [cluster for cluster in found if len(cluster.memory_ids) >= FEWEST_FAILURES]
    for cluster in again[:_EACH]:
        worked = [one for one in cluster.memory_ids if chosen[one].outcome.success]
        failed = [one for one in cluster.memory_ids if not chosen[one].outcome.success]
        text = cluster.best.text.rstrip(".")
        if len(worked) >= len(failed):
            yield Pattern(
                f"Worked {times(len(worked))}{_but(failed, 'failed')}: {text}.", tuple(worked), tuple(failed)
            )
        else:
            yield Pattern(
                f"Failed {times(len(failed))}{_but(worked, 'worked')}: {text}.", tuple(failed), tuple(worked)
            )


def _but(others: Sequence[str], went: str) -> str:
    return f", {went} {times(len(others))}" if others else ""


def _categories(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Kinds of failure, and kinds of work, that fail again and again."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    why = Counter(category.value for memory in failed if (category := memory.outcome.failure_category))
    del why[FailureCategory.OTHER.value]
    for name, count in most(why, FEWEST_FAILURES, _EACH):
        ids = _ids(memory for memory in failed if memory.outcome.failure_category == name)
        yield Pattern(f"{memories(count)} failed by {name.replace('_', ' ')}.", ids)
    kinds = Counter(memory.intent.task_type.value for memory in ordered)
    failing = Counter(memory.intent.task_type.value for memory in failed)
    for name, count in most(failing, FEWEST_FAILURES, len(TaskType)):
        label = kind_name(TaskType(name), kinds[name])
        # Only where the kind fails now and then, and at least twice as often as all work does.
        often = count >= _NOW_AND_THEN * kinds[name] and count * len(ordered) >= 2 * len(failed) * kinds[name]
        if label and often:
            ids = _ids(memory for memory in failed if memory.intent.task_type == name)
            yield Pattern(f"{count} of {kinds[name]} {label} failed.", ids)


def _failing(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Files on which work failed more than once."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    changes = file_counts(ordered)
    often = Counter(
        {path: n for path, n in file_counts(failed).items() if n >= _NOW_AND_THEN * changes[path]}
    )
    for path, count in most(often, FEWEST_FAILURES, _EACH):
        ids = _ids(memory for memory in failed if path in changed_files(memory))
        yield Pattern(f"{count} of {memories(changes[path])} that changed {path} failed.", ids)


def _together(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Files that are seldom changed without another, as one would not know by their names.

    Of those that belong to everything nothing is told.
    """
    sets = [changed_files(memory) for memory in ordered]
    changes = Counter({path: n for path, n in file_counts(ordered).items() if not is_by_the_way(path)})
    pairs = Counter(
        pair
        for files in sets
        if len(files) <= _SWEEPING
        for pair in combinations(sorted(path for path in files if changes[path] >= FEWEST), 2)
        if not belong_together(*pair)
    )
    named = set[str]()
    for one, other in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        led, leads = sorted((one, other), key=lambda path: (changes[path], path))
        by_chance = changes[led] * changes[leads] / len(ordered) if len(ordered) >= _MANY else 0
        fewest = max(FEWEST, _OFTEN * changes[led], _OFTENER * by_chance)
        if named & {led, leads} or pairs[one, other] < fewest:
            continue
        named |= {led, leads}
        both = [
            memory for memory, files in zip(ordered, sets, strict=True) if led in files and leads in files
        ]
        often = f"{len(both)} of {memories(changes[led])} that changed the former"
        yield Pattern(f"{led} and {leads} change together ({often}).", _ids(both))
        if len(named) == 2 * _EACH:
            return
