"""Who remembers: main agents and subagents, whose identity outlives sessions."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.fields import Stamp


class AgentType(StrEnum):
    """A main agent, or a subagent of one."""

    MAIN = "main"
    SUBAGENT = "subagent"


SKILL_FIELDS = ("specialties", "capabilities")  # What an agent says of itself, kept in its metadata
Skills = Annotated[tuple[Annotated[str, Meta(pattern=r"\S", max_length=80)], ...], Meta(max_length=50)]


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

    def skills(self, *fields: str) -> tuple[str, ...]:
        """Its specialties, its capabilities, or both."""
        return tuple(str(one) for field in fields for one in self.metadata.get(field) or ())


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
    specialties: tuple[str, ...] | UnsetType = UNSET
    capabilities: tuple[str, ...] | UnsetType = UNSET
    children: list[str] | UnsetType = UNSET
    success_rate: float | UnsetType | None = UNSET
    sessions: int | UnsetType = UNSET

    @property
    def label(self) -> str:
        """Its name; of an agent without one, the name of the client that registered it. May be empty."""
        return self.name or self.client or ""
