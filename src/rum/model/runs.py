"""A run: what an agent is about to do, and the outcome."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from rum.model.brief import USUAL_TOKENS, Tokens
from rum.model.fields import about
from rum.model.memory_layers import ActionType, FailureCategory, Layer, TaskType, Text, Verification


class Result(StrEnum):
    """How a run, or an attempt in it, ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class RunRequest(Layer, frozen=True):
    """The agent, the task, the plan and the files of a run, and how it is recorded."""

    agent: Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,79}[^\x00-\x20\x7f]\Z")]
    task: Text
    plan: str = ""
    files: Annotated[tuple[str, ...], about("The files at hand.", metavar="PATH")] = ()
    task_type: TaskType = TaskType.OTHER
    tags: tuple[str, ...] = ()
    system: str = ""
    tokens: Tokens = USUAL_TOKENS
    session: str | None = None
    extract: bool = True


class Step(Layer, frozen=True):
    """A step of a run: on a file, by a command, or another."""

    description: Text
    file: Annotated[str | None, about("The file it was done to.", metavar="PATH")] = None
    command: str | None = None
    action: ActionType | None = None
    success: bool | None = None
    output: str | None = None
    error: str | None = None


class Verdict(Layer, frozen=True):
    """The outcome of a run, from the agent loop or from an exception."""

    result: Result
    summary: Text
    learnings: tuple[str, ...] = ()
    reason: str | None = None
    category: FailureCategory | None = None
    follow_ups: tuple[str, ...] = ()
    verified_by: Verification | None = None
    output: str = ""  # The agent's last message, from which knowledge is extracted


class InferredVerdict(Verdict, frozen=True):
    """The outcome of a run whose agent loop reported none, inferred from how it ended."""
