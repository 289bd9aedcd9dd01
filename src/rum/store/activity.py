"""What every store offers for how memories are used, and for what failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from rum.model.answers import Use


class Activity(Protocol):
    """How memories are used; never on the path of a memory's own write."""

    def add_uses(self, times: Mapping[str, int], now: int) -> bool:
        """Count retrievals; False when it could not be written now, and the caller may try later."""
        ...

    def set_use(self, memory_id: str, use: Use) -> None:
        """Take over a count from elsewhere; the larger one stands."""
        ...

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """The use of each memory that has any."""
        ...

    def most_used(self) -> list[tuple[str, int]]:
        """(memory id, times), most used first."""
        ...

    def delete(self, memory_id: str) -> None:
        """Forget how a memory was used."""
        ...

    def fail(self, part: str, why: str, now: int) -> bool:
        """Note what failed and why, where it can be written at once; whether it could."""
        ...

    def failure(self, part: str) -> tuple[int, str] | None:
        """When and why a part failed last, unless it works again."""
        ...

    def works(self, part: str) -> None:
        """Note that a part works again."""
        ...
