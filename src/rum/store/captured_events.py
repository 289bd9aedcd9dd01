"""What every store offers for what was seen of agents at work, and for what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol


class TurnKey(NamedTuple):
    """One agent's work on one prompt, by its client's names; `agent` is empty for the main one."""

    client: str
    session: str
    agent: str
    turn: str


class SeenEvent(NamedTuple):
    """One event, with all that it tells as JSON."""

    id: str
    key: TurnKey
    kind: str
    at: float
    data: str


class SeenTurn(NamedTuple):
    """A turn, and what became of it: `memory`, `completed`, `nothing`, `forgotten`, or nothing yet."""

    key: TurnKey
    first: float
    last: float
    is_open: bool
    became: str = ""
    memory_id: str | None = None
    why: str = ""
    concluded_at: int | None = None


class Sought(NamedTuple):
    """Which events are asked for."""

    limit: int
    session: str | None = None
    client: str | None = None
    kind: str | None = None
    memory: str | None = None
    since: float = 0


class Found(NamedTuple):
    """An event with what became of its turn."""

    event: SeenEvent
    became: str
    memory_id: str | None
    why: str
    is_open: bool


class Proposal(NamedTuple):
    """A rule that somebody may have meant, how often it was told, and when last."""

    id: str
    condition: str
    action: str
    said: str
    client: str
    session: str
    at: float
    times: int = 1


class Seen(Protocol):
    """Events and turns of one project; no part of a transaction over its memories."""

    def add(self, events: Iterable[SeenEvent], now: int) -> list[str]:
        """Keep events that are not here yet, and open their turns; the ids of those that were new."""
        ...

    def fill(self, events: Iterable[SeenEvent], now: int) -> None:
        """Keep events as they are known by now, and leave turns as they are."""
        ...

    def of_turn(self, key: TurnKey) -> list[SeenEvent]:
        """The events of a turn in their order."""
        ...

    def of_session(self, client: str, session: str, kinds: Sequence[str]) -> list[SeenEvent]:
        """The events of a session that are of some kinds, in their order."""
        ...

    def open_turns(self, most: int) -> list[SeenTurn]:
        """Turns of which something was seen since they were concluded, the quietest first."""
        ...

    def turn(self, key: TurnKey) -> SeenTurn | None:
        """One turn, if it is known."""
        ...

    def turns_of(self, client: str, session: str) -> list[SeenTurn]:
        """The turns of a session in their order."""
        ...

    def turns_of_memory(self, memory_id: str) -> list[SeenTurn]:
        """The turns that a memory was made of."""
        ...

    def conclude(self, turn: SeenTurn, now: int) -> None:
        """Note what became of a turn."""
        ...

    def reopen(self, key: TurnKey) -> None:
        """Have a turn looked at again."""
        ...

    def count_of(self, memory_id: str) -> int:
        """How many events a memory was made of."""
        ...

    def forget(self, memory_id: str) -> int:
        """Delete the events that a memory was made of, and make nothing of their turns any more; how many."""
        ...

    def drop(self, before: int) -> int:
        """Delete events whose turns were concluded before then; how many there were."""
        ...

    def find(self, sought: Sought) -> list[Found]:
        """Events with what became of them, newest first."""
        ...

    def count(self) -> tuple[int, int]:
        """How many events there are, and how many turns are open."""
        ...

    def stamp_of(self, path: str) -> str | None:
        """What a transcript looked like when it was read last."""
        ...

    def stamp(self, path: str, stamp: str, now: int) -> None:
        """Note that a transcript was read."""
        ...

    def propose(self, proposals: Iterable[tuple[Proposal, str]]) -> None:
        """Keep rules that somebody may have meant, each with the turn it was told in."""
        ...

    def proposals(self) -> list[Proposal]:
        """Those that nobody has taken or dropped, the last one told first."""
        ...

    def settle(self, proposal_id: str, state: str) -> bool:
        """Note that one was taken or dropped; False when there is none."""
        ...
