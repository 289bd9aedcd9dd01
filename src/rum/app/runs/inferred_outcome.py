"""How a run ended of which nobody said so: what can be seen of it, and no more than that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rum.app.runs.run_memory import Child, Record
from rum.model.memory_layers import FailureCategory
from rum.model.runs import Result, Unsaid
from rum.text.shorten import one_line

NOT_SAID = "(nobody said whether it worked)"
_HOW = {Result.FAILURE: "failed", Result.PARTIAL: "was done in part"}


_LONGEST = 500


class _Trouble(NamedTuple):
    """Something that did not work, and was not done again with success."""

    what: str
    category: FailureCategory | None = None


def unsaid(record: Record) -> Unsaid:
    """Work that ended without an error is no failure, and unless something in it went wrong a success.

    Neither is verified: it says so, for people, and by a tag.
    """
    troubles = list(_troubles(record))
    if not troubles:
        return Unsaid(result=Result.SUCCESS, summary=f"{record.last_words()} {NOT_SAID}")
    return Unsaid(
        result=Result.PARTIAL,
        summary=f"{troubles[0].what} {NOT_SAID}",
        reason="; ".join(one.what for one in troubles),
        category=next((one.category for one in troubles if one.category), FailureCategory.OTHER),
    )


def _troubles(record: Record) -> Iterator[_Trouble]:
    """What did not work: of child runs with one task the last counts, of attempts and steps the very last."""
    last: dict[tuple[str, str], Child] = {(one.agent, one.task): one for one in record.children}
    for one in last.values():
        if (verdict := one.verdict).result is not Result.SUCCESS:
            told = f"Run of {one.agent} {_HOW[verdict.result]} ({one.task})"
            why = verdict.reason or verdict.summary
            yield _Trouble(one_line(f"{told}: {why}", _LONGEST), verdict.category)
    for attempt in record.attempts[-1:]:
        result = attempt.get("result")
        if result in (Result.FAILURE, Result.PARTIAL):
            why = attempt.get("error") or attempt.get("output") or "nobody said why"
            told = f"Attempt {_HOW[Result(result)]} ({attempt['description']})"
            yield _Trouble(one_line(f"{told}: {why}", _LONGEST))
    for step in record.steps[-1:]:
        if not step["result"]["success"]:
            why = step["result"].get("error") or "nobody said why"
            told = f"Step failed ({step.get('diff_summary') or step.get('query')})"
            yield _Trouble(one_line(f"{told}: {why}", _LONGEST))
