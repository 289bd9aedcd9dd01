"""The relevance of a note to an agent with a task, in points, and why."""

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
        """The points of one note, and an explanation of each factor that is not zero."""

        points: Points
        why: list[str]

else:
    # `typing` is slow to load.
    Points = namedtuple("Points", ("importance", "recency", "keywords", "specialty", "discoverer"))
    Scored = namedtuple("Scored", ("points", "why"))

IMPORTANCE = {"low": 5, "medium": 15, "high": 25, "critical": 30}  # Points by importance, lowest first
# How close a match must be for a note of this importance to be used.
MIN_CLOSENESS = {"low": 3, "medium": 2, "high": 1, "critical": 1}
HOUR = 3600
RECENT = ((24 * HOUR, 10), (72 * HOUR, 5))  # Maximum age in seconds, and its points
KEYWORDS = 20
SPECIALTY = 15
DISCOVERER = 10


def is_close_enough(importance: str, match: Match) -> bool:
    """Whether a match is close enough for a note of this importance."""
    return CLOSENESS[match.kind] >= MIN_CLOSENESS[importance]


def is_important_enough(importance: str, minimum: str) -> bool:
    """Whether an importance reaches the minimum."""
    return IMPORTANCE[importance] >= IMPORTANCE[minimum]


def score(
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
    """A note's points; `age` is in seconds, None if unknown."""
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
    return Scored(points, [f"{got:g}: {why}" for got, why in zip(points, words, strict=True) if got])


def total(points: Points) -> float:
    """All points of a note."""
    return round(sum(points), 2)


def _recency(age: float | None) -> tuple[int, int]:
    # A clock may be wrong by some hours; a date in the far future must not count as recent for ever.
    if age is not None and age > -RECENT[0][0]:
        for within, points in RECENT:
            if age < within:
                return points, within // HOUR
    return 0, 0
