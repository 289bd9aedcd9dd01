"""Who remembers: main agents and subagents, whose identity outlives sessions."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from rum.model.fields import Stamp


class AgentType(StrEnum):
    """A main agent, or a subagent of one."""

    MAIN = "main"
    SUBAGENT = "subagent"


class Agent(Struct, frozen=True, kw_only=True):
    """An agent as it is kept; `imported_at` marks an author whom nobody can resume."""

    id: str
    type: AgentType
    project_id: str
    created_at: Stamp
    last_active: Stamp
    parent_id: str | None = None
    name: str | None = None
    client: str | None = None
    imported_at: Stamp | None = None
    metadata: dict[str, Any] = {}


class Identity(Struct, frozen=True, kw_only=True):
    """The answer of `identity`; `info` adds children, success_rate and sessions."""

    agent_id: str
    type: AgentType
    created_at: int
    memory_count: int
    last_active: int
    name: str | UnsetType = UNSET
    parent_id: str | UnsetType = UNSET
    client: str | UnsetType = UNSET
    children: list[str] | UnsetType = UNSET
    success_rate: float | UnsetType | None = UNSET
    sessions: int | UnsetType = UNSET
