"""The summary of a chapter: what the work was, when, how it went, on which files, and from where to where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rum.consolidate.chapters.failures import failure_of
from rum.consolidate.chapters.members import day, shortened
from rum.consolidate.counting import file_counts, is_by_the_way, kind_name, listed, memories, most, went
from rum.consolidate.statements import goal_of
from rum.model.memory import Memory
from rum.model.memory_layers import TaskType
from rum.text.word_weights import telling_words

_KINDS = 2
_TOPICS = 4
_FILES = 3
_FAILED = 2
_LONGEST_RESULT = 160
_BOOKKEEPING = re.compile(r"[0-9a-f]{7,40}: ")
"""How a summary begins that only names a commit and counts its lines."""
_TELLS = 4
"""Words of a summary that its goal has not, so that it is worth repeating."""


def summary_of(ordered: Sequence[Memory], topics: Sequence[str]) -> str:
    """Two to four sentences about memories, oldest first, that share these topics."""
    if not ordered:
        return ""
    if len(ordered) == 1:
        return _single(ordered[0])
    told = (_what(ordered, topics[:_TOPICS]), _how(ordered), _where(ordered), _arc(ordered))
    return " ".join(sentence for sentence in told if sentence)


def _single(memory: Memory) -> str:
    how = "succeeded" if memory.outcome.success else "failed"
    reason = failure_of(memory) or _result(memory)
    said = f": {reason.rstrip('.')}" if reason else ""
    return f"“{goal_of(memory)}” of {day(memory.created_at)} {how}{said}."


def _what(ordered: Sequence[Memory], topics: Sequence[str]) -> str:
    """How many memories there are, of when, and about what."""
    first, last = day(ordered[0].created_at), day(ordered[-1].created_at)
    span = f"on {first}" if first == last else f"from {first} to {last}"
    kinds = most(Counter(memory.intent.task_type.value for memory in ordered), 1, len(TaskType))
    names = [f"{count} {name}" for kind, count in kinds if (name := kind_name(TaskType(kind), count))]
    told = sum(count for kind, count in kinds[:_KINDS] if kind_name(TaskType(kind), count))
    among = "" if told == len(ordered) else "among them "
    sort = f" ({among}{listed(names[:_KINDS])})" if names else ""
    return f"{memories(len(ordered))} {span}{sort}{f', about {listed(topics)}' if topics else ''}."


def _how(ordered: Sequence[Memory]) -> str:
    """What succeeded and what failed, the latest failures by name."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    how = went(len(ordered), len(failed))
    if not failed:
        return f"{how}."
    shown = [f"“{goal_of(memory)}”" for memory in failed[-_FAILED:]]
    more = len(failed) - len(shown)
    rest = f" and {more} more" if more else ""
    return f"{how}: {listed(shown) if not more else ', '.join(shown)}{rest}."


def _where(ordered: Sequence[Memory]) -> str:
    """The files that were changed most."""
    counts = Counter({path: n for path, n in file_counts(ordered).items() if not is_by_the_way(path)})
    found = most(counts, 2, _FILES)
    return f"Changed most: {listed([f'{path} ({count})' for path, count in found])}." if found else ""


def _arc(ordered: Sequence[Memory]) -> str:
    """From the first work to the last, with what came of it."""
    first, last = goal_of(ordered[0]), goal_of(ordered[-1])
    result = _result(ordered[-1])
    said = f": {result.rstrip('.')}" if result else ""
    return f"From “{first}” to “{last}”{said}." if first != last else ""


def _result(memory: Memory) -> str:
    """What came of a memory's work, where its summary says more than its goal."""
    summary = memory.outcome.summary
    new = telling_words(summary[:_LONGEST_RESULT]) - telling_words(memory.intent.goal)
    if _BOOKKEEPING.match(summary) or len(new) < _TELLS:
        return ""
    return shortened(summary, _LONGEST_RESULT)
