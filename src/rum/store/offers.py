"""What every store offers to tell what was offered, what came of it, and how useful a memory proved to be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class OfferRow(NamedTuple):
    """One memory that was offered, and what came of it as far as that is known."""

    event: str
    number: int
    memory_id: str
    client: str
    session: str
    turn: str
    call: str
    kind: str
    at: float
    said: str
    fetched: bool = False
    followed: bool = False
    contradicted: bool = False
    success: bool | None = None


class OffersSought(NamedTuple):
    """Which offers are asked for."""

    limit: int
    session: str | None = None
    memory: str | None = None
    kind: str | None = None
    since: float = 0


class KindFigures(NamedTuple):
    """How often something of a kind was offered, and how often anything came of it."""

    kind: str
    offered: int
    fetched: int
    followed: int
    contradicted: int


class Evidence(NamedTuple):
    """What speaks for a memory, and against it; that it was shown does not count."""

    useful: int
    useless: int
    fetched: int
    helped: int
    misled: int
    contradicted: int

    @property
    def value(self) -> float:
        """From -1 to 1, and 0 without any evidence; the first words weigh most."""
        points = self.useful - self.useless + 0.25 * self.fetched
        points += 0.5 * self.helped - 0.25 * self.misled - 0.5 * self.contradicted
        return points / (abs(points) + 2)


class Ledger(Protocol):
    """What was offered in one project; no part of a transaction over its memories."""

    def add(self, offers: Iterable[OfferRow]) -> None:
        """Note what was offered; what is noted already stays as it is."""
        ...

    def of_session(self, client: str, session: str, until: float) -> list[OfferRow]:
        """What was offered in a session up to a moment, in order."""
        ...

    def judge(self, offers: Iterable[OfferRow]) -> None:
        """Note what came of offers, and renew how useful their memories are."""
        ...

    def feedback(self, memory_id: str, said_by: str, now: int, *, useful: bool) -> Evidence:
        """Note what somebody says of a memory; all that is known of its use by now."""
        ...

    def evidence(self, memory_id: str) -> Evidence:
        """What is known of a memory's use."""
        ...

    def usefulness(self, ids: Iterable[str]) -> dict[str, float]:
        """How useful memories proved to be, for those that anything is known of."""
        ...

    def all_usefulness(self, most: int) -> dict[str, float] | None:
        """The same of every memory that anything is known of; None if there are more than `most`."""
        ...

    def find(self, sought: OffersSought) -> list[OfferRow]:
        """Offers, newest first."""
        ...

    def figures(self) -> list[KindFigures]:
        """What came of offers, by kind."""
        ...

    def silence(self, before: float) -> None:
        """Drop the words of older offers."""
        ...
