"""A set of questions: the memories to store, and questions with known answers among them."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.quality.history import Commit

NOTHING = "nothing"  # The kind of question that no memory answers


class Piece(NamedTuple):
    """One thing to remember."""

    key: str
    goal: str
    context: str = ""
    files: tuple[str, ...] = ()
    session: str = ""

    @property
    def text(self) -> str:
        """All that it says."""
        return f"{self.goal}\n{self.context}".strip()


class Question(NamedTuple):
    """What somebody asks, and the keys of all pieces known to answer it."""

    kind: str
    text: str
    answers: frozenset[str]
    files: tuple[str, ...] = ()
    place: int | None = None  # Asked before the piece of this number is known; None: when all are


class Case(NamedTuple):
    """One store: what goes into it, what is asked of it, and questions that are about something else."""

    name: str
    pieces: list[Piece]
    questions: list[Question]
    foreign: list[Question]
    repository: str = ""  # If the name is not that of the repository or conversation

    @property
    def source(self) -> str:
        """The repository or conversation that it was made of."""
        return self.repository or self.name


def each_with_strangers(cases: list[Case]) -> list[Case]:
    """Give each case the questions of the next one as foreign ones; a case alone has none."""
    if len(cases) < 2:
        return cases
    following = cases[1:] + cases[:1]
    return [one._replace(foreign=other.questions) for one, other in zip(cases, following, strict=True)]


def as_piece(commit: Commit) -> Piece:
    """A commit as the memory of a finished piece of work."""
    return Piece(commit.sha, commit.subject, commit.body, tuple(commit.files))
