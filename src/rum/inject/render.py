"""Memories as lines of plain text, for prompts, pipes and people; made of plain values only."""

from __future__ import annotations

import time

from rum.text.shorten import one_line


def memory_line(memory_id: str, goal: str, success: bool, summary: str, confidence: float = 1) -> str:
    """A memory in one line: what was tried, whether it worked, what came of it; how sure, if not certain."""
    worked = "ok  " if success else "FAIL"
    sure = f"{confidence:.2f}"
    doubt = "" if sure == "1.00" else f" {sure}"
    return f"{worked} {one_line(goal, 90)} — {one_line(summary, 160)} [{short_id(memory_id)}]{doubt}"


def short_id(memory_id: str) -> str:
    """The tail that is enough to name a memory; a foreign id stays whole."""
    body = memory_id.rpartition("_")[2]
    return body[-8:] if len(body) == 26 else memory_id


def when(created_at: int) -> str:
    """A time as people read it, in local time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(created_at))
