"""What the episodic layer keeps of a run: that it began, and how it ended; its memory has the rest."""

from __future__ import annotations

from typing import Any

from rum.model.runs import Result, Unsaid, Verdict
from rum.text.shorten import one_line

LONGEST = 500
"""Characters of what an event says."""
WORDS = {Result.SUCCESS: "completed", Result.PARTIAL: "ended in part", Result.FAILURE: "failed"}

Json = dict[str, Any]


def started(agent: str, agent_id: str | None, task: str) -> Json:
    """The entry for the beginning."""
    shown = one_line(task, LONGEST)
    about = {"agentId": agent_id, "agent": agent, "task": shown}
    return {"content": f"{agent} started: {shown}", "metadata": about}


def ended(start: Json, verdict: Verdict, memory_id: str | None, prompt_tokens: int) -> Json:
    """The entry for the end; of the prompt it says how long it was, as what was in it is kept already."""
    about = start["metadata"]
    word = "ended" if isinstance(verdict, Unsaid) else WORDS[verdict.result]
    content = f"{about['agent']} {word}: {one_line(verdict.summary, LONGEST)}"
    more = {"result": verdict.result.value, "memoryId": memory_id, "promptTokens": prompt_tokens}
    return {"content": content, "metadata": about | more}
