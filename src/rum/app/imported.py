"""What every importer needs: authors whom nobody can resume, and what is neither here nor forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rum.app.context import Context
from rum.capture.tombstones import marks
from rum.model.agent import Agent, AgentType
from rum.model.memory import Memory

TAIL = 8


def here(context: Context, ids: Iterable[str]) -> set[str]:
    """Which of these memories there are."""
    return {memory.id for memory in context.store.memories.headlines(list(ids))}


def unforgotten(context: Context, memories: Sequence[Memory], counted: Counter[str]) -> set[str]:
    """The ids of those that were not forgotten; the others are counted."""
    marked = {memory.id: marks(memory, context.tombstone_key) for memory in memories}
    buried = context.store.memories.buried(mark for found in marked.values() for mark in found)
    kept = {one for one, found in marked.items() if buried.isdisjoint(found)}
    counted["forgotten"] += len(marked) - len(kept)
    return kept


def add_author(context: Context, agent_id: str, name: str, at: int, client: str) -> None:
    """See to it that an author is known; a name that is taken gets a tail."""
    agents = context.store.agents
    if agents.get(agent_id) is not None:
        return
    agents.add(
        Agent(
            id=agent_id,
            type=AgentType.MAIN,
            project_id=context.project.id,
            created_at=at,
            last_active=at,
            name=f"{name[:70]}-{agent_id[-TAIL:]}" if agents.named(name) else name,
            client=client,
            imported_at=context.now(),
        )
    )
