"""Fit an answer into a token limit: the best memories in more depth, the others in less, or left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rum.model.answers import DEPTHS, RetrievedMemory, to_json
from rum.model.requests import Depth
from rum.text.tokens import estimate_tokens

View = Callable[[Depth], RetrievedMemory]  # One memory, shown at the depth asked for


def fitted(views: Sequence[View], depth: Depth, budget: int) -> list[tuple[RetrievedMemory, Depth]]:
    """The first memories as far as they fit, each with the depth it got.

    A memory that is too long at any depth is skipped.
    """
    depths = DEPTHS[: DEPTHS.index(depth) + 1]
    given: list[View] = []
    for view in [view for view in views if min_tokens(view) <= budget]:
        if min_tokens(view) > budget:
            break
        given.append(view)
        budget -= min_tokens(view)
    shown: list[tuple[RetrievedMemory, Depth]] = []
    for view in given:
        room = budget + min_tokens(view)
        got = next((depth for depth in reversed(depths) if _cost(view(depth)) <= room), depths[0])
        budget = room - _cost(view(got))
        shown.append((view(got), got))
    return shown


def min_tokens(view: View) -> int:
    """The number of tokens of a memory at the smallest depth."""
    return _cost(view(DEPTHS[0]))


def _cost(memory: RetrievedMemory) -> int:
    return estimate_tokens(to_json(memory)) + 1
