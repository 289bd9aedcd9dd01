"""Read everything a memory contains from its export."""

from __future__ import annotations

import json
from typing import Any

from rum import Rum


def memories(rum: Rum) -> dict[str, dict[str, Any]]:
    """Every memory by its goal, oldest first."""
    told = (json.loads(line) for line in rum.export())
    return {line["memory"]["intent"]["goal"]: line["memory"] for line in told if line["kind"] == "memory"}


def links(rum: Rum) -> set[tuple[str, str, str]]:
    """Every link as (goal, kind, goal)."""
    goals = {memory["id"]: goal for goal, memory in memories(rum).items()}
    told = (json.loads(line) for line in rum.export())
    return {
        (goals[line["source_id"]], line["link_type"], goals[line["target_id"]])
        for line in told
        if line["kind"] == "link"
    }
