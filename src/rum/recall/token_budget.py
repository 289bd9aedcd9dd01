"""Fit an answer into a token limit: the best memories in more depth, the others in less, or left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rum.model.answers import DEPTHS, RetrievedMemory, to_json
from rum.model.requests import Depth
from rum.text.tokens import estimate_tokens

Render = Callable[[Depth], RetrievedMemory]  # Returns one memory at a depth


def fitted(renders: Sequence[Render], depth: Depth, budget: int) -> list[tuple[RetrievedMemory, Depth]]:
    """The first memories as far as they fit, each with the depth it got.

    A memory that is too long at any depth is skipped.
    """
    depths = DEPTHS[: DEPTHS.index(depth) + 1]
    chosen: list[Render] = []
    for render in [render for render in renders if min_tokens(render) <= budget]:
        if min_tokens(render) > budget:
            break
        chosen.append(render)
        budget -= min_tokens(render)
    fit: list[tuple[RetrievedMemory, Depth]] = []
    for render in chosen:
        room = budget + min_tokens(render)
        deepest = next((depth for depth in reversed(depths) if _cost(render(depth)) <= room), depths[0])
        budget = room - _cost(render(deepest))
        fit.append((render(deepest), deepest))
    return fit


def min_tokens(render: Render) -> int:
    """The number of tokens of a memory at the smallest depth."""
    return _cost(render(DEPTHS[0]))


def _cost(memory: RetrievedMemory) -> int:
    return estimate_tokens(to_json(memory)) + 1
