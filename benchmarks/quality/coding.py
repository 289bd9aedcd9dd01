"""The coding set: questions of developers about a history, and the commits that answer them."""

from __future__ import annotations

import gzip
import json
import os
from typing import Any, Literal

from benchmarks.quality.cases import Case, Question, as_piece
from benchmarks.quality.history import Commit

Fold = Literal["dev", "test"]
DATA = os.path.join(os.path.dirname(__file__), "data")
REPOSITORIES = ("flask", "requests", "curl")
TALKED = ("symptom", "cause", "words")  # Kinds whose questions are specific enough for another project
# The project whose questions are foreign to each project; requests and curl share their subject.
STRANGER = {"flask": "curl", "requests": "flask", "curl": "flask"}


def load(fold: Fold | None = None) -> tuple[dict[str, list[Commit]], dict[str, list[Question]]]:
    """The commits of each repository, oldest first, and the questions of a fold (None: both)."""
    corpora = {name: _commits(name) for name in REPOSITORIES}
    questions: dict[str, list[Question]] = {name: [] for name in REPOSITORIES}
    for row in rows():
        if fold in (None, row["fold"]):
            questions[row["repo"]].append(_question(row))
    return corpora, questions


def cases(fold: Fold | None = None) -> list[Case]:
    """One store a repository."""
    corpora, questions = load(fold)
    talked = {name: [one for one in asked if one.kind in TALKED] for name, asked in questions.items()}
    return [
        Case(
            name,
            [as_piece(commit) for commit in commits],
            questions[name],
            talked[STRANGER[name]],
        )
        for name, commits in corpora.items()
    ]


def rows() -> list[dict[str, Any]]:
    """The questions as they are written down."""
    with open(os.path.join(DATA, "questions.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def corpus_path(name: str) -> str:
    """Where the commits of a repository are kept."""
    return os.path.join(DATA, f"{name}.jsonl.gz")


def _commits(name: str) -> list[Commit]:
    with gzip.open(corpus_path(name), "rt", encoding="utf-8") as file:
        return [Commit(**json.loads(line)) for line in file]


def _question(row: dict[str, Any]) -> Question:
    return Question(row["kind"], row["question"], frozenset(row["answers"]), tuple(row.get("files", ())))
