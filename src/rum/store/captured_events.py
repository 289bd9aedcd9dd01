"""What every store offers for captured events: what agents did, by turn, and the outcome of each turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol


class TurnKey(NamedTuple):
    """One agent's work on one prompt, by its client's names; `agent` is empty for the main one."""

    client: str
    session: str
    agent: str
    turn: str


class SessionKey(NamedTuple):
    """A session of a client."""

    client: str
    session: str


class CapturedEvent(NamedTuple):
    """One event; `data` is all of it as JSON."""

    id: str
    key: TurnKey
    kind: str
    at: float
    data: str


class CapturedTurn(NamedTuple):
    """A turn and its outcome: `memory`, `pending`, `completed`, `nothing`, `forgotten`; empty while open."""

    key: TurnKey
    first: float
    last: float
    is_open: bool
    outcome: str = ""
    memory_id: str | None = None
    why: str = ""
    concluded_at: int | None = None


class SessionFigures(NamedTuple):
    """A session: the times of its first and last event, its turns, those that go on, and its memories."""

    key: SessionKey
    first: float
    last: float
    turns: int
    open_turns: int
    memories: int


class RuleCandidate(NamedTuple):
    """A possible rule, and the words of the user that it was taken from."""

    id: str
    condition: str
    action: str
    said: str
    at: float


class EventQuery(NamedTuple):
    """Which events to find; None for any."""

    limit: int
    session: str | None = None
    client: str | None = None
    kind: str | None = None
    memory: str | None = None
    since: float = 0


class FoundEvent(NamedTuple):
    """An event with the outcome of its turn."""

    event: CapturedEvent
    outcome: str
    memory_id: str | None
    why: str
    is_open: bool


class CaptureCounts(NamedTuple):
    """Events by kind and concluded turns by outcome, both since a time; and all open turns."""

    events: dict[str, int]
    outcomes: dict[str, int]
    open_turns: int


class CapturedEvents(Protocol):
    """Events and turns of one project; no part of a transaction over its memories."""

    def add(self, events: Iterable[CapturedEvent], now: int, *, replace: bool = False) -> list[str]:
        """Add events and open their turns; return the ids of those that were new.

        With `replace`, known events are updated instead of ignored, and turns stay as they are.
        """
        ...

    def events(self, scope: TurnKey | SessionKey, kinds: Sequence[str] = ()) -> list[CapturedEvent]:
        """Return the events of a turn or a session, of some kinds or of all, oldest first."""
        ...

    def find(self, query: EventQuery) -> list[FoundEvent]:
        """Return events with the outcomes of their turns, newest first."""
        ...

    def counts(self, since: float = 0) -> CaptureCounts:
        """Return how many events and turns there are, of those since a time."""
        ...

    def turns(self, scope: TurnKey | SessionKey | None = None, limit: int = -1) -> list[CapturedTurn]:
        """Return one turn if it is known, or the turns of a session, oldest first.

        Without a scope: turns with events since they were concluded, those without events for longest first.
        """
        ...

    def sessions(
        self, limit: int, after: tuple[float, SessionKey] | None = None, client: str | None = None
    ) -> list[SessionFigures]:
        """Return the sessions with turns, the last active first, after the time and name of another one."""
        ...

    def conclude(self, turn: CapturedTurn, now: int) -> None:
        """Record the outcome of a turn."""
        ...

    def reopen(self, key: TurnKey) -> None:
        """Open a turn again, unless it was forgotten."""
        ...

    def rule_candidates(self) -> list[RuleCandidate]:
        """Return what an earlier version took for possible rules, and nobody decided about."""
        ...

    def delete_candidates(self) -> None:
        """Delete these."""
        ...

    def delete(self, ids: Iterable[str] | None = None) -> None:
        """Delete events; without ids all, with the texts of offers, and no memory is made of their turns."""
        ...

    def with_traces(self, ids: Iterable[str]) -> list[str]:
        """Return those of the memories that have events or offers."""
        ...

    def forget(self, memory_id: str, *, dry_run: bool = False) -> int:
        """Delete the events that a memory was made of, and mark their turns; count the events."""
        ...

    def drop(self, before: int) -> int:
        """Delete events whose turns were concluded before then, and texts of offers; count the events."""
        ...

    def transcript_stamps(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the state that each of these transcripts had when it was last read."""
        ...

    def set_transcript_stamp(self, path: str, stamp: str, now: int) -> None:
        """Record that a transcript was read in this state."""
        ...
