"""Shared by tests of runs: a task, and what a run stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rum import Rum
from rum.app.runs.run import Run
from rum.model.journal import Kind

TASK = "Refresh the login token"
FILE = "src/auth/refresh.ts"


def memory_of(rum: Rum, run: Run) -> Any:
    """The memory of a finished run."""
    assert run.memory_id is not None
    return rum.show(run.memory_id)


def attempts(rum: Rum, agent: str = "developer") -> list[dict[str, Any]]:
    """The attempts in an agent's journal."""
    return rum.journal(agent=agent).entries(Kind.ATTEMPT)


def ended_by(error: BaseException, run: Run, before: Callable[[], None]) -> None:
    """A run with one step, ended by an exception."""
    with run:
        before()
        raise error
