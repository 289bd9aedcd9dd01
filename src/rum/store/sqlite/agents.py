"""Agents in SQLite."""

from __future__ import annotations

from typing import Any

import msgspec

from rum.model.agents import Agent
from rum.model.ids import tail_of
from rum.store.base import AgentFigures
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL


class SqliteAgents:
    """The agents of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, agent: Agent) -> None:
        """Write a new agent."""
        row = msgspec.to_builtins(agent) | {"metadata": msgspec.json.encode(agent.metadata).decode()}
        with self._database.transaction() as db:
            db.execute(SQL["insert_agent"], row)

    def get(self, agent_id: str) -> Agent | None:
        """The agent with this id."""
        row = self._database.connection.execute(SQL["agent_by_id"], (agent_id,)).fetchone()
        return _agent(row) if row else None

    def named(self, name: str) -> list[str]:
        """The ids that an id, a tail of one, or an agent's name can mean."""
        db = self._database.connection
        if self.get(name):
            return [name]
        if by_name := db.execute(SQL["agent_by_name"], (name,)).fetchone():
            return [by_name[0]]
        tail = tail_of(name)
        if tail is None:
            return []
        return [found for (found,) in db.execute(SQL["agents_by_tail"], (tail,))]

    def last_main(self, client: str | None) -> Agent | None:
        """The main agent of a client that was active last; never an imported one."""
        row = self._database.connection.execute(SQL["last_main_agent"], (client,)).fetchone()
        return self.get(row[0]) if row else None

    def all(self) -> list[Agent]:
        """Every agent, oldest first."""
        return [_agent(row) for row in self._database.connection.execute(SQL["all_agents"])]

    def rename(self, agent_id: str, name: str) -> None:
        """Call an agent otherwise."""
        with self._database.transaction() as db:
            db.execute(SQL["rename_agent"], (name, agent_id))

    def touch(self, agent_id: str, now: int) -> None:
        """Note that an agent is active."""
        with self._database.transaction() as db:
            db.execute(SQL["touch_agent"], (now, agent_id))

    def figures(self, agent_id: str) -> AgentFigures:
        """How much an agent remembers, how often it succeeded, in how many sessions, and its children."""
        db = self._database.connection
        memories, successes, sessions = db.execute(SQL["agent_figures"], (agent_id,)).fetchone()
        children = [child for (child,) in db.execute(SQL["children_of"], (agent_id,))]
        return AgentFigures(memories, successes, sessions, children)

    def is_ancestor(self, ancestor_id: str, agent_id: str) -> bool:
        """Whether one agent is above another."""
        ends = {"agent_id": agent_id, "ancestor_id": ancestor_id}
        return self._database.connection.execute(SQL["is_ancestor"], ends).fetchone() is not None


def _agent(row: tuple[Any, ...]) -> Agent:
    names = (
        "id",
        "type",
        "parent_id",
        "project_id",
        "name",
        "client",
        "created_at",
        "last_active",
        "imported_at",
    )
    values = dict(zip(names, row, strict=False)) | {"metadata": msgspec.json.decode(row[-1])}
    return msgspec.convert(values, Agent)
