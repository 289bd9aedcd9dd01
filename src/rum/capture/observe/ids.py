"""How what was seen is called in memories: the same name each time, by a hook or from a transcript."""

from __future__ import annotations

from rum.capture.observe.turns import Key
from rum.model.ids import id_of
from rum.text.invisible import without_unseen

_LONGEST = 60


def memory_id(key: Key) -> str:
    """The id of a turn's memory.

    It has no date: the clocks of a hook and of a transcript differ by a moment, and there must be one id.
    """
    return id_of("mem", " ".join(("turn", *key)))


def subagent_id(main_id: str, agent_type: str) -> str:
    """The id of a kind of subagent below a main agent."""
    return id_of("agent", f"{main_id} {agent_type}")


def subagent_name(agent_type: str) -> str:
    """What a kind of subagent is called."""
    plain = " ".join(without_unseen(agent_type).replace("/", "-").split())
    return plain[:_LONGEST].strip() or "subagent"
