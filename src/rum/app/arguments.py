"""Types of the keyword arguments of Python's methods, for type checkers.

Made by `make generate` from the requests in `rum.model`; change those instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Required, TypedDict

from rum.model.agents import AgentType
from rum.model.memory_layers import ActionType, TaskType
from rum.model.requests import Depth, Direction, Strategy

Path = str | PathLike[str]


class RecallArguments(TypedDict, total=False):
    """See RecallRequest."""

    memory_id: str | None
    file: Path | Sequence[Path] | None
    symbol: str | None
    intent: str | Sequence[str] | None
    query: str | Sequence[str] | None
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
    fresh_only: bool
    include_links: bool
    include_superseded: bool
    include_similar: bool
    explain: bool


class TraceArguments(TypedDict, total=False):
    """See TraceRequest."""

    direction: Direction | str
    max_depth: int
    depth: Literal["summary", "outcome", "reasoning"]


class ListArguments(TypedDict, total=False):
    """See ListRequest."""

    session_id: str | None
    since: float | None
    before: float | None
    limit: int
    sort: Literal["recent", "importance", "access_count"]
    stale: bool


class IdentityArguments(TypedDict, total=False):
    """See IdentityRequest."""

    type: AgentType | str
    parent_id: str | None
    name: str | None
    agent_id: str | None
    specialties: Sequence[str] | None
    capabilities: Sequence[str] | None


class BriefArguments(TypedDict, total=False):
    """See BriefRequest."""

    task: str | None
    plan: str | None
    file: Path | Sequence[Path] | None
    agent: str | None
    session: str | None
    tokens: int


class RunArguments(TypedDict, total=False):
    """See RunRequest."""

    plan: str
    files: Sequence[Path]
    task_type: TaskType | str
    tags: Sequence[str]
    system: str
    tokens: int
    session: str | None
    extract: bool


class StepArguments(TypedDict, total=False):
    """See Step."""

    file: Path | None
    command: str | None
    action: ActionType | str | None
    success: bool | None
    output: str | None
    error: str | None


class FinishedRunArguments(TypedDict, total=False):
    """See FinishedRun."""

    agent: Required[str]
    task: Required[str]
    agent_output: Required[str]
    result: Required[Literal["success", "failure", "partial"]]
    error: str | None
    existing_memories: Sequence[Mapping[str, Any]]


class GitImportArguments(TypedDict, total=False):
    """See Chosen."""

    since: float | None
    max_commits: int | None
    paths: str | Sequence[str]
    dry_run: bool


class CreateChapterArguments(TypedDict, total=False):
    """See CreateChapterRequest."""

    memory_ids: Sequence[str]
    chapter_id: str | None
    tags: Sequence[str]
    since: float | None
    before: float | None
    auto: bool
    min_memories: int
    again: bool
    title: str | None
    summary: str | None
    learnings: Sequence[str] | None
    topics: Sequence[str] | None


class ListChaptersArguments(TypedDict, total=False):
    """See ListChaptersRequest."""

    chapter_ids: Sequence[str]
    tags: Sequence[str]
    since: float | None
    before: float | None
    limit: int | None
    sort: Literal["recent", "oldest", "size"]


class SynthesizeArguments(TypedDict, total=False):
    """See SynthesizeRequest."""

    chapter_ids: Sequence[str]
    wisdom_id: str | None
    tags: Sequence[str]
    since: float | None
    before: float | None
    min_chapters: int
    again: bool
    summary: str | None
    insights: Sequence[str] | None
    patterns: Sequence[str] | None
    best_practices: Sequence[str] | None


class RecallWisdomArguments(TypedDict, total=False):
    """See RecallWisdomRequest."""

    wisdom_id: str | None
    tags: Sequence[str]
    query: str | None
    since: float | None
    before: float | None
    limit: int
    include_chapters: bool
