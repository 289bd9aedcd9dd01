"""Patterns in memories, counted: approaches, kinds of failure, files that fail or change together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from rum.consolidate.chapters.clusters import cluster_claims
from rum.consolidate.chapters.members import short_line
from rum.consolidate.chapters.statements import LONGEST_CLAIM, ClaimKind, Statement, is_meaningful
from rum.consolidate.counting import (
    belong_together,
    changed_files,
    file_counts,
    is_incidental,
    kind_name,
    largest,
    memories,
    times,
)
from rum.model.memory import Memory
from rum.model.memory_layers import FailureCategory, TaskType

FEWEST, FEWEST_FAILURES = 3, 2
"""Memories, and failures, from which on something is a pattern."""
_OFTEN = 0.6
"""The share of the changes to a file that another file is changed with."""
_SWEEPING = 20
"""A change of more files says nothing about any two of them."""
_OFTEN_ENOUGH = 0.1
"""The share of work that must fail for a pattern."""
_EACH = 3
"""Patterns of one kind."""
_MANY = 20
"""Memories from which on one can tell whether a file is changed with another or with everything."""
_OFTENER = 2
"""The factor by which two files must be changed together more often than by chance."""


class Pattern(NamedTuple):
    """Something that repeats, the memories that show it, and those that show the opposite."""

    text: str
    memory_ids: tuple[str, ...]
    against_ids: tuple[str, ...] = ()


def find_patterns(ordered: Sequence[Memory]) -> list[Pattern]:
    """Patterns in memories, oldest first, by kind; the most frequent first."""
    return [
        *_approaches(ordered),
        *_categories(ordered),
        *_failing(ordered),
        *_together(ordered),
    ]


def _ids(members: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(memory.id for memory in members)


def _approaches(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Approaches that were chosen more than once, with how often they worked."""
    chosen = {memory.id: memory for memory in ordered if memory.reasoning.approach_chosen}
    statements = [
        Statement(
            short_line(memory.reasoning.approach_chosen, LONGEST_CLAIM), ClaimKind.CHOSEN, 0.0, (memory.id,)
        )
        for memory in chosen.values()
    ]
    found = cluster_claims(one for one in statements if is_meaningful(one.text))
    repeated = [cluster for cluster in found if len(cluster.memory_ids) >= FEWEST_FAILURES]
    for cluster in repeated[:_EACH]:
        worked = [one for one in cluster.memory_ids if chosen[one].outcome.success]
        failed = [one for one in cluster.memory_ids if not chosen[one].outcome.success]
        text = cluster.best.text.rstrip(".")
        if len(worked) >= len(failed):
            yield Pattern(
                f"Worked {times(len(worked))}{_otherwise(failed, 'failed')}: {text}.",
                tuple(worked),
                tuple(failed),
            )
        else:
            yield Pattern(
                f"Failed {times(len(failed))}{_otherwise(worked, 'worked')}: {text}.",
                tuple(failed),
                tuple(worked),
            )


def _otherwise(others: Sequence[str], result: str) -> str:
    return f", {result} {times(len(others))}" if others else ""


def _categories(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Failure categories, and task types, that come up again and again."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    reasons = Counter(category.value for memory in failed if (category := memory.outcome.failure_category))
    del reasons[FailureCategory.OTHER.value]
    for name, count in largest(reasons, FEWEST_FAILURES, _EACH):
        ids = _ids(memory for memory in failed if memory.outcome.failure_category == name)
        yield Pattern(f"{memories(count)} failed by {name.replace('_', ' ')}.", ids)
    kinds = Counter(memory.intent.task_type.value for memory in ordered)
    failing = Counter(memory.intent.task_type.value for memory in failed)
    for name, count in largest(failing, FEWEST_FAILURES, len(TaskType)):
        label = kind_name(TaskType(name), kinds[name])
        # Only where the kind fails now and then, and at least twice as often as all work does.
        often = count >= _OFTEN_ENOUGH * kinds[name] and count * len(ordered) >= 2 * len(failed) * kinds[name]
        if label and often:
            ids = _ids(memory for memory in failed if memory.intent.task_type == name)
            yield Pattern(f"{count} of {kinds[name]} {label} failed.", ids)


def _failing(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Files on which work failed more than once."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    changes = file_counts(ordered)
    often = Counter(
        {path: n for path, n in file_counts(failed).items() if n >= _OFTEN_ENOUGH * changes[path]}
    )
    for path, count in largest(often, FEWEST_FAILURES, _EACH):
        ids = _ids(memory for memory in failed if path in changed_files(memory))
        yield Pattern(f"{count} of {memories(changes[path])} that changed {path} failed.", ids)


def _together(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Files that are seldom changed without another, unless their names or sheer frequency explain it."""
    sets = [changed_files(memory) for memory in ordered]
    changes = Counter({path: n for path, n in file_counts(ordered).items() if not is_incidental(path)})
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
