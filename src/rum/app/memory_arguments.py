"""Types of what `Rum.store` and `Rum.update_memory` take, for type checkers; models check it at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from rum.model.links import Links
from rum.model.memory import ActionInput
from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning

Given = Mapping[str, Any]  # A layer as plain JSON values


class Nothing(TypedDict):
    """No further names; one that is given all the same is answered with the nearest right one."""


class Changes(TypedDict, total=False):
    """What `update_memory` may change; None clears what is optional."""

    intent: Intent | Given
    outcome: Outcome | Given
    perception: Perception | Given | None
    reasoning: Reasoning | Given | None
    actions: Sequence[Action | ActionInput | Given] | None
    links: Links | Given | None
    tags: Sequence[str] | None
    importance: float | None
