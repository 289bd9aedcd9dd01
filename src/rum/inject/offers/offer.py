"""One thing that RUM says by itself."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Offer(NamedTuple):
        """A kind, the memories it is about, and what is said: data, inside a fence."""

        kind: str
        memory_ids: tuple[str, ...]
        text: str

else:
    # `typing` is slow to load.
    Offer = namedtuple("Offer", ("kind", "memory_ids", "text"))
