"""Make an answer fit in so many tokens: the best memories in more depth, the rest in less or left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rum.model.answers import DEPTHS, RetrievedMemory, to_json
from rum.model.requests import Depth
from rum.text.tokens import estimate_tokens

View = Callable[[Depth], RetrievedMemory]  # One memory, shown at the depth asked for


def fitted(views: Sequence[View], depth: Depth, budget: int) -> list[tuple[RetrievedMemory, Depth]]:
    """The first memories as far as they fit, each with the depth it got.

    One that is too long to be given at all does not keep the others out.
    """
    depths = DEPTHS[: DEPTHS.index(depth) + 1]
    given: list[View] = []
    for view in [view for view in views if least(view) <= budget]:
        if least(view) > budget:
            break
        given.append(view)
        budget -= least(view)
    shown: list[tuple[RetrievedMemory, Depth]] = []
    for view in given:
        room = budget + least(view)
        got = next((one for one in reversed(depths) if _cost(view(one)) <= room), depths[0])
        budget = room - _cost(view(got))
        shown.append((view(got), got))
    return shown


def least(view: View) -> int:
    """The fewest tokens a memory can be given in."""
    return _cost(view(DEPTHS[0]))


def _cost(memory: RetrievedMemory) -> int:
    return estimate_tokens(to_json(memory)) + 1
