"""Builders of memories and chapters for tests of consolidation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rum.consolidate.chapters import chapter_words
from rum.model.chapters import Chapter, ChapterText, Member
from rum.model.memory import Memory
from support.builders import NOON, make_file, make_intent, make_memory, make_outcome

DAY = 86400


def make_work(
    number: int,
    goal: str = "Fix the login",
    *learnings: str,
    failed: str | None = None,
    files: Sequence[str] = (),
    superseded_by: Sequence[str] = (),
    **more: Any,
) -> Memory:
    """A memory; `failed` is the reason of a failure."""
    names = ("kind", "context", "category", "approach", "why", "noticed", "summary", "tags")
    told = {name: more.pop(name) for name in names if name in more}
    reason = {"failure_reason": failed, "failure_category": told.get("category")}
    return make_memory(
        f"mem_{number:03}",
        created_at=NOON + number * DAY,
        intent=make_intent(goal, context=told.get("context", ""))
        | {"task_type": told.get("kind", "bug_fix")},
        outcome=make_outcome(
            told.get("summary", "It works"), failed is None, learnings=list(learnings), **reason
        ),
        reasoning={"approach_chosen": told.get("approach", ""), "why_chosen": told.get("why", "")},
        perception={"patterns_noticed": list(told.get("noticed", ()))},
        files=[make_file(path) for path in files],
        superseded_by=list(superseded_by),
        tags=list(told.get("tags", ())),
        **more,
    )


def make_chapter(number: int, members: Sequence[Memory], **more: Any) -> Chapter:
    """A chapter of these memories; without a summary its text is drawn from them."""
    words = ChapterText(title="", summary="") if "summary" in more else chapter_words.draw_chapter(members)
    said = {"title": words.title, "summary": words.summary, "learnings": words.learnings}
    times = [memory.created_at for memory in members]
    return Chapter(
        id=f"chapter_{number:03}",
        project_id="demo-00000000",
        agent_id="agent_ann",
        created_at=NOON,
        updated_at=NOON,
        start_ts=min(times, default=0),
        end_ts=max(times, default=0),
        members=tuple(Member(memory.id, memory.version) for memory in members),
        **({**said, "evidence": words.evidence} | more),
    )


def by_id(*members: Memory) -> dict[str, Memory]:
    return {memory.id: memory for memory in members}


# Five related memories: three have the same learning, one failed, and the next did it differently.
LOGINS = (
    make_work(
        1,
        "Fix random logouts after token refresh",
        "Refresh tokens must be rotated on every use",
        "The refresh endpoint has no lock, so two tabs race",
        files=["src/refresh.py", "tests/test_refresh.py"],
    ),
    make_work(
        2,
        "Lock the refresh endpoint with a database row lock",
        failed="Row locks deadlocked under load: every request held a connection. The pool ran dry.",
        category="race_condition",
        files=["src/refresh.py"],
    ),
    make_work(
        3,
        "Lock the refresh endpoint with an advisory lock",
        "Advisory locks do not hold a pool connection",
        files=["src/refresh.py"],
    ),
    make_work(
        4,
        "Rotate refresh tokens",
        "Refresh tokens must be rotated on each use, or a stolen one lives for ever",
        files=["src/refresh.py", "src/tokens.py", "tests/test_refresh.py"],
        kind="feature_add",
    ),
    make_work(
        5,
        "Refresh token rotation for mobile clients",
        "rotate refresh tokens on every use",
        files=["src/tokens.py", "tests/test_refresh.py"],
        summary="Mobile clients keep their session over a restart of the server",
    ),
)
