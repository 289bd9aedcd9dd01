"""What the calls of `Rum` take by name, for type checkers; the models check it when a call is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NotRequired, TypedDict

from rum.model.links import Links
from rum.model.memory import GivenAction
from rum.model.memory_layers import Action, ActionType, Intent, Outcome, Perception, Reasoning, TaskType
from rum.model.questions import Depth, Direction, Strategy

Given = Mapping[str, Any]
"""A layer as plain JSON values."""


class Nothing(TypedDict):
    """No further names; one that is given all the same is answered with the nearest right one."""


class Changes(TypedDict, total=False):
    """What `update_memory` may change; None clears what is optional."""

    intent: Intent | Given
    outcome: Outcome | Given
    perception: Perception | Given | None
    reasoning: Reasoning | Given | None
    actions: Sequence[Action | GivenAction | Given] | None
    links: Links | Given | None
    tags: Sequence[str] | None
    importance: float | None


class Recalled(TypedDict, total=False):
    """What `recall` may be asked."""

    memory_id: str | None
    file: str | PathLike[str] | Sequence[str | PathLike[str]] | None
    intent: str | None
    query: str | None
    task_type: TaskType | str | None
    agent_id: str | None
    session_id: str | None
    success_only: bool
    failures_only: bool
    since: float | None
    before: float | None
    tags: Sequence[str]
    depth: Depth | str
    limit: int
    strategy: Strategy | str
    min_confidence: float | None
    max_tokens: int | None
    include_links: bool
    explain: bool
    include_superseded: bool


class Briefed(TypedDict, total=False):
    """What `brief` may be asked."""

    task: str | None
    plan: str | None
    file: str | PathLike[str] | Sequence[str | PathLike[str]] | None
    agent: str | None
    session: str | None
    tokens: int


class Traced(TypedDict, total=False):
    """What `trace` may be asked beside the memory."""

    direction: Direction | str
    max_depth: int
    depth: Literal["summary", "outcome", "reasoning"]


class Identified(TypedDict, total=False):
    """What `identity` may be told beside the action."""

    type: Literal["main", "subagent"]
    parent_id: str | None
    name: str | None
    agent_id: str | None


class Running(TypedDict, total=False):
    """What `run` may be told beside agent and task."""

    plan: str
    files: Sequence[str | PathLike[str]]
    task_type: TaskType | str
    tags: Sequence[str]
    system: str
    tokens: int
    session: str | None
    extract: bool


class Stepped(TypedDict, total=False):
    """What a run may be told of a step beside its description."""

    file: str | PathLike[str] | None
    command: str | None
    action: ActionType | str | None
    success: bool | None
    output: str | None
    error: str | None


class Ran(TypedDict):
    """A finished run, as `extract` is told of it; what is known already has a title and a content each."""

    agent: str
    task: str
    agent_output: str
    result: Literal["success", "failure", "partial"]
    error: NotRequired[str | None]
    existing_memories: NotRequired[Sequence[Given]]


class Chosen(TypedDict, total=False):
    """Which commits `import_git` takes: those since a time, the newest, those that touched paths, or all."""

    since: float | None
    max_commits: int | None
    paths: str | Sequence[str]
    dry_run: bool


class CreatedChapter(TypedDict, total=False):
    """What `chapters.create` may be told."""

    memory_ids: Sequence[str]
    tags: Sequence[str]
    min_memories: int
    again: bool
    title: str | None
    summary: str | None
    learnings: Sequence[str] | None


class ListedChapters(TypedDict, total=False):
    """What `chapters.list` may be asked."""

    chapter_ids: Sequence[str]
    tags: Sequence[str]
    since: float | None
    before: float | None
    limit: int


class Synthesized(TypedDict, total=False):
    """What `wisdom.synthesize` may be told."""

    chapter_ids: Sequence[str]
    tags: Sequence[str]
    min_chapters: int
    again: bool
    summary: str | None
    insights: Sequence[str] | None
    patterns: Sequence[str] | None
    best_practices: Sequence[str] | None


class RecalledWisdom(TypedDict, total=False):
    """What `wisdom.recall` may be asked."""

    wisdom_id: str | None
    tags: Sequence[str]
    query: str | None
    limit: int
    include_chapters: bool


class Sought(TypedDict, total=False):
    """Which events `seen` is asked for."""

    session: str | None
    client: str | None
    kind: str | None
    memory: str | None
    since: float | None
    became: str | None
    limit: int


class Offered(TypedDict, total=False):
    """Which offers are asked for."""

    session: str | None
    memory: str | None
    kind: str | None
    since: float | None
    limit: int
