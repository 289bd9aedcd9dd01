"""What a store offers for the use of knowledge: retrievals, offers and their outcomes, feedback, failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rum.model.memory import Usage


class OfferRow(NamedTuple):
    """One memory that was offered, and the outcome as far as it is known."""

    event: str
    number: int
    memory_id: str
    client: str
    session: str
    turn: str
    call: str
    kind: str
    at: float
    text: str
    fetched: bool = False
    followed: bool = False
    contradicted: bool = False
    success: bool | None = None
    work: str = ""  # The memory of the turn in which it was followed
    kept: bool | None = None  # Whether that work stayed; None while that is not known
    tokens: int = 0  # Of the text, which is deleted after two weeks; 0 where they were not counted

    @property
    def outcomes(self) -> list[str]:
        """What came of it, in words; nothing where it was only shown."""
        named = [name for name in ("fetched", "followed", "contradicted") if getattr(self, name)]
        return named if self.kept is None else [*named, "kept" if self.kept else "undone"]


class WorkOutcome(NamedTuple):
    """Whether work succeeded in which an offer was followed, and whether it stayed; None if not known."""

    success: bool | None
    kept: bool | None


class OfferPlace(NamedTuple):
    """The place of an offer in the list, newest first."""

    at: float
    event: str
    number: int
    memory_id: str


class OfferQuery(NamedTuple):
    """Which offers to find; None for any."""

    limit: int | None = None
    client: str | None = None
    session: str | None = None
    memory: str | None = None
    kind: str | None = None
    since: float = 0
    until: float | None = None
    after: OfferPlace | None = None  # The last one of the page before


class OfferCounts(NamedTuple):
    """The numbers of offers of a kind, and of their outcomes."""

    kind: str
    offered: int
    fetched: int
    followed: int
    contradicted: int
    kept: int  # Followed, and the work stayed
    undone: int  # Followed, and the work was reverted or abandoned


class Evidence(NamedTuple):
    """What speaks for a memory, and against it; that it was shown does not count."""

    useful: int
    useless: int
    fetched: int
    helped: int
    misled: int
    contradicted: int
    kept: int
    undone: int

    @property
    def value(self) -> float:
        """From -1 to 1; 0 without evidence. The first pieces of evidence weigh most."""
        points = self.useful - self.useless + 0.25 * self.fetched
        points += 0.5 * self.helped - 0.25 * self.misled - 0.5 * self.contradicted
        points += 0.25 * self.kept - 0.5 * self.undone
        return points / (abs(points) + 2)


class Activity(Protocol):
    """How memories, notes, facts, rules, chapters and wisdom are used; `memory_id` may name any of them.

    It is no part of a transaction over the memories, whose writes never wait for it.
    """

    def add_uses(self, times: Mapping[str, int], now: int) -> bool:
        """Add to the number of retrievals; False if that cannot be written now and may be tried later."""
        ...

    def set_use(self, memory_id: str, use: Usage) -> None:
        """Set the number of retrievals of an imported memory; a larger known one stays."""
        ...

    def uses(self, ids: Iterable[str] | None = None) -> dict[str, Usage]:
        """Return the use of each of these memories, or of all, that was ever retrieved; most used first."""
        ...

    def delete(self, memory_id: str, *, texts_only: bool = False) -> None:
        """Delete the uses, offers and feedback of a memory; or only offers, which have its words."""
        ...

    def set_failure(self, part: str, why: str | None, now: int) -> bool:
        """Record that a part failed, or works again (`why` None); False if that cannot be written now."""
        ...

    def failure(self, part: str) -> tuple[int, str] | None:
        """Return when and why a part failed last, unless it works again."""
        ...

    def add_offers(self, offers: Iterable[OfferRow], *, wait: bool = True) -> None:
        """Add offers; known ones stay as they are. Without `wait` only if they can be written now."""
        ...

    def find_offers(self, query: OfferQuery) -> list[OfferRow]:
        """Return offers, newest first."""
        ...

    def offer_tokens(self, periods: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
        """Return how many texts were offered in each period, given by its begin and end, and their tokens."""
        ...

    def set_outcomes(self, offers: Iterable[OfferRow]) -> None:
        """Update the outcomes of known offers, and the usefulness of their memories."""
        ...

    def followed_work(self, since: float) -> dict[str, WorkOutcome | None]:
        """Return the memories of the work in which offers made since a time were followed.

        None is an outcome that is not the same with all of its offers.
        """
        ...

    def set_work_outcomes(self, works: Mapping[str, WorkOutcome]) -> None:
        """Set what became of work in which offers were followed; the usefulness of these changes by it."""
        ...

    def offer_counts(self, since: float = 0) -> list[OfferCounts]:
        """Return the numbers of offers since a time, and of their outcomes, by kind."""
        ...

    def add_feedback(self, memory_id: str, author: str, now: int, *, useful: bool) -> Evidence:
        """Record an author's judgement of a memory, replacing an earlier one; return all evidence."""
        ...

    def confirmed(self, ids: Iterable[str]) -> dict[str, int]:
        """Return when each of these was last called useful, for those that were."""
        ...

    def usefulness(self, ids: Iterable[str] | None = None, limit: int = -1) -> dict[str, float]:
        """Return how useful each of these memories is, for those with evidence; without ids up to `limit`."""
        ...
