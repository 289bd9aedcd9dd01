"""One kind of thing that can be forgotten, as its own file describes it to `forget`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rum.app.caller import Caller
from rum.model.answers import ForgetResult

Counts = dict[str, int]
"""How many rows, entries or files of each sort."""


class Kind(NamedTuple):
    """What is called so, what hangs on it, and how it goes.

    `held` and `removed` take an id that `found` gave, and refuse whoever may not change it. `removed` leaves
    tombstones; it runs in a transaction of the store.
    """

    name: str
    found: Callable[[Caller, str], list[str]]
    held: Callable[[Caller, str], Counts]
    removed: Callable[[Caller, str], Counts]


def forgotten(caller: Caller, kind: Kind, one: str) -> ForgetResult:
    """Delete one thing of a kind, all of it or nothing."""
    with caller.project.store.transaction():
        return ForgetResult(id=one, forgotten=True, removed=kind.removed(caller, one))
