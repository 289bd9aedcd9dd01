"""Memories as lines of plain text, for prompts, pipes and people."""

from __future__ import annotations

import time

from rum.text.shorten import one_line

MAX_LINE = 600  # Characters of a summary in one line: id, author, and two sentences of a reason


def memory_line(
    memory_id: str, goal: str, success: bool, summary: str, confidence: float = 1, at: int | None = None
) -> str:
    """A memory in one line: result, goal, outcome, id, the day, and the confidence if it is below 1."""
    result = "ok  " if success else "FAIL"
    rounded = f"{confidence:.2f}"
    doubt = "" if rounded == "1.00" else f" {rounded}"
    day = "" if at is None else f" {local_time(at)[:10]}"
    return (
        f"{result} {one_line(goal, 90)} — {one_line(summary, MAX_LINE)} [{short_id(memory_id)}{day}]{doubt}"
    )


def short_id(memory_id: str) -> str:
    """The last characters of an id, enough to name a memory; a foreign id stays whole."""
    body = memory_id.rpartition("_")[2]
    return body[-8:] if len(body) == 26 else memory_id


def local_time(created_at: int) -> str:
    """A time in Unix seconds, as date and time of the local zone."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(created_at))
