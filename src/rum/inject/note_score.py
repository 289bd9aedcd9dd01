"""How much a note is worth to an agent with a task, in points, and why."""

from __future__ import annotations

from collections import namedtuple

from rum.text.patterns import CLOSENESS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple

    from rum.text.patterns import Match, Text

    class Points(NamedTuple):
        """The points of one note by factor."""

        importance: float
        recency: float
        keywords: float
        specialty: float
        discoverer: float

    class Scored(NamedTuple):
        """The points of one note, and each factor that brought some in words."""

        points: Points
        why: list[str]

else:
    # `typing` is slow to load.
    Points = namedtuple("Points", ("importance", "recency", "keywords", "specialty", "discoverer"))
    Scored = namedtuple("Scored", ("points", "why"))

IMPORTANCE = {"low": 5, "medium": 15, "high": 25, "critical": 30}
"""Points by importance, the least first."""
CLOSE_ENOUGH = {"low": 3, "medium": 2, "high": 1, "critical": 1}
"""How close a match must be before a note of this importance is given."""
HOUR = 3600
RECENT = ((24 * HOUR, 10), (72 * HOUR, 5))
"""Points for what was discovered less than so many seconds ago."""
KEYWORDS = 20
SPECIALTY = 15
DISCOVERER = 10


def passes(importance: str, match: Match) -> bool:
    """Whether a match is close enough for a note of this importance."""
    return CLOSENESS[match.kind] >= CLOSE_ENOUGH[importance]


def important_enough(importance: str, least: str) -> bool:
    """Whether an importance reaches the least that is asked for."""
    return IMPORTANCE[importance] >= IMPORTANCE[least]


def scored(
    *,
    importance: str,
    age: float | None,
    title_words: Sequence[Sequence[str]],
    tags: Sequence[str],
    discovered_by: str,
    task: Text,
    agent: str | None = None,
    specialties: Iterable[str] = (),
) -> Scored:
    """A note's points: `age` is in seconds, None when nobody knows when it was discovered."""
    concerns = {word.casefold() for word in (*specialties, agent or "") if word}
    hits, shared = task.count(title_words), sum(tag.casefold() in concerns for tag in tags)
    mine = agent is not None and discovered_by.casefold() == agent.casefold()
    recency, since = _recency(age)
    points = Points(
        float(IMPORTANCE[importance]),
        float(recency),
        round(KEYWORDS * hits / len(title_words), 2) if title_words else 0.0,
        round(SPECIALTY * shared / len(tags), 2) if tags else 0.0,
        float(DISCOVERER if mine else 0),
    )
    words = (
        f"importance {importance}",
        f"discovered less than {since} hours ago",
        f"{hits} of {len(title_words)} words of the title in the task",
        f"{shared} of {len(tags)} tags are the agent's",
        "discovered by the same agent",
    )
    return Scored(points, [f"{_said(got)}: {why}" for got, why in zip(points, words, strict=True) if got])


def total(points: Points) -> float:
    """All points of a note."""
    return round(sum(points), 2)


def _recency(age: float | None) -> tuple[int, int]:
    # A clock may be wrong by some hours; what claims to be from next week would be new for ever.
    if age is not None and age > -RECENT[0][0]:
        for within, points in RECENT:
            if age < within:
                return points, within // HOUR
    return 0, 0


def _said(points: float) -> str:
    return f"{points:g}"
