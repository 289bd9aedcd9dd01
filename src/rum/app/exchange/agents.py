"""Agents that an import brings: nobody here can be one of them, and no name is taken twice."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from rum.app.project import Project
from rum.model.agents import Agent, AgentType


def take_agent(project: Project, agent: Agent) -> None:
    """Keep an agent that is not known here, as one whom nobody can resume."""
    agents = project.store.agents
    if agents.get(agent.id):
        return
    agent = msgspec.convert(project.clean(msgspec.to_builtins(agent)), Agent)
    name = agent.name
    if name and agents.named(name):
        name = f"{name}-{agent.id[-8:]}"
    known_parent = agent.parent_id if agent.parent_id and agents.get(agent.parent_id) else None
    agents.add(
        replace(
            agent,
            name=name,
            parent_id=known_parent,
            project_id=project.location.id,
            imported_at=project.now(),
        )
    )


def take_author(project: Project, agent_id: str, at: int) -> None:
    """See to it that the author of something is known, though the export does not introduce them."""
    if project.store.agents.get(agent_id) is None:
        author = Agent(id=agent_id, type=AgentType.MAIN, project_id="", created_at=at, last_active=at)
        take_agent(project, author)
