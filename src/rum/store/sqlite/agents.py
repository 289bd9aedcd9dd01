"""Agents in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from rum.model.agents import Agent, AgentType
from rum.model.ids import tail_of
from rum.store.base import AgentFigures
from rum.store.sqlite.records import SQL, Table

if TYPE_CHECKING:
    from rum.store.sqlite.records import Row


_object = msgspec.json.Decoder(dict[str, Any])


class SqliteAgents(Table):
    """The agents of one project."""

    def add(self, agent: Agent) -> None:
        row = msgspec.to_builtins(agent) | {"metadata": msgspec.json.encode(agent.metadata).decode()}
        with self._database.transaction() as db:
            db.execute(SQL["insert_agent"], row)

    def get(self, agent_id: str) -> Agent | None:
        return next((self._agent(row) for row in self._rows("agent_by_id", (agent_id,))), None)

    def _agent(self, row: Row) -> Agent:
        """The agent of a row; damaged metadata read as empty, a damaged type as that of a main agent."""
        damaged, fields = self._database.damaged_rows, {name: row[name] for name in Agent.__struct_fields__}
        fields["metadata"] = damaged.read("agent", row["id"], lambda: _object.decode(row["metadata"]), {})
        fields["type"] = damaged.read("agent", row["id"], lambda: AgentType(row["type"]), AgentType.MAIN)
        plain = Agent(**fields)
        return damaged.read("agent", row["id"], lambda: msgspec.convert(fields, Agent), plain)

    def find_ids(self, name: str) -> list[str]:
        if self.get(name):
            return [name]
        if by_name := self._values("agent_by_name", (name,)):
            return by_name
        tail = tail_of(name)
        return [] if tail is None else self._values("agents_by_tail", (tail,))

    def last_main(self, client: str | None) -> Agent | None:
        return next((self._agent(row) for row in self._rows("last_main_agent", (client,))), None)

    def all(self) -> list[Agent]:
        return [self._agent(row) for row in self._rows("all_agents")]

    def update(self, agent_id: str, *, name: str | None = None, last_active: int = 0) -> bool:
        values = {"id": agent_id, "name": name, "last_active": last_active}
        with self._database.transaction() as db:
            return db.execute(SQL["update_agent"], values).rowcount > 0

    def figures(self, ids: Iterable[str]) -> dict[str, AgentFigures]:
        rows = self._rows("agent_figures", (json.dumps(list(ids)),))
        return {
            row["id"]: AgentFigures(
                row["memories"], row["successes"], row["sessions"], json.loads(row["children"])
            )
            for row in rows
        }

    def is_ancestor(self, ancestor_id: str, agent_id: str) -> bool:
        return bool(self._rows("is_ancestor", {"agent_id": agent_id, "ancestor_id": ancestor_id}))
