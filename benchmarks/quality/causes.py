"""Commit causes: a later commit names an earlier one; it is asked for just before that later commit."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.quality.cases import Case, Piece, Question, as_piece, each_with_strangers
from benchmarks.quality.history import SHORT, Commit, read

NAMING = {
    "fixes": re.compile(
        r"^[ \t]*Fixes:?\s+(?:commit\s+)?([0-9a-f]{7,40})\b.*$", re.IGNORECASE | re.MULTILINE
    ),
    "reverts": re.compile(r"This (?:partially )?reverts commit ([0-9a-f]{7,40})\.?", re.IGNORECASE),
    "follows up": re.compile(
        r"follow[- ]?up (?:for|to|of|on|from|after)[: ]+(?:commit )?([0-9a-f]{7,40})\b.*$",
        re.IGNORECASE | re.MULTILINE,
    ),
}
GIVEAWAY = re.compile(r"\brevert\b|\bfollow[- ]?up\b", re.IGNORECASE)
SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
FEWEST_WORDS = 3
MOST_FILES = 50
MOST_TEXT = 1_200
SEED = 7


def cases(repositories: dict[str, str], newest: int, most: int) -> list[Case]:
    """One store a repository: its newest commits, and up to `most` questions chosen at random."""
    found: list[Case] = []
    for name, git_dir in repositories.items():
        history = [readable(commit) for commit in read(git_dir, newest=newest)]
        asked = list(questions(history))
        random.Random(SEED).shuffle(asked)
        found.append(Case(name, [remembered(commit) for commit in history], asked[:most], []))
    return each_with_strangers(found)


def questions(history: list[Commit]) -> Iterator[Question]:
    """Each commit that names an earlier one: what it says without the name, and the files it touches."""
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for place, commit in enumerate(history):
        places[commit.sha[:7]].append((commit.sha, place))
    for place, commit in enumerate(history):
        kind, named = _named(commit.text, places, place)
        text = _without_names(commit.text, [history[earlier].subject for earlier in named])
        if kind and len(text.split()) >= FEWEST_WORDS:
            answers = frozenset(history[earlier].sha for earlier in named)
            yield Question(kind, text, answers, tuple(commit.files), place)


def _named(text: str, places: dict[str, list[tuple[str, int]]], before: int) -> tuple[str, set[int]]:
    kinds: list[str] = []
    named: set[int] = set()
    for kind, pattern in NAMING.items():
        for match in pattern.finditer(text):
            sha = match[1].lower()[:SHORT]
            same = [place for full, place in places[sha[:7]] if full.startswith(sha)]
            if len(same) == 1 and same[0] < before:
                kinds.append(kind)
                named.add(same[0])
    return (kinds[0] if kinds else ""), named


def _without_names(text: str, subjects: list[str]) -> str:
    for pattern in NAMING.values():
        text = pattern.sub(" ", text)
    for subject in subjects:
        text = text.replace(subject, " ")
    lines = (" ".join(line.split()) for line in SHA.sub(" ", GIVEAWAY.sub(" ", text)).splitlines())
    return "\n".join(filter(None, lines))[:MOST_TEXT]


def readable(commit: Commit) -> Commit:
    """A commit as it is worked with: no names of others in its subject, and not too many files."""
    return commit._replace(
        subject=SHA.sub(" ", commit.subject).strip() or "(no subject)", files=commit.files[:MOST_FILES]
    )


def remembered(commit: Commit) -> Piece:
    """As it is kept: without the names of other commits, which would give the answer away."""
    return as_piece(commit._replace(body=SHA.sub(" ", commit.body)[:MOST_TEXT]))
