"""Small stores: a few memories each, as a project has in its first days."""

from __future__ import annotations

import random

from benchmarks.quality.cases import NOTHING, Case, Question

SIZES = (1, 2, 3, 5, 8, 13, 21, 34, 55)
STORES = 36
ASKED = 8
SEED = 11


def small(case: Case) -> list[Case]:
    """Stores with a few pieces of a case: half of the questions can be answered from them, half cannot."""
    chance = random.Random(f"{SEED}{case.name}")
    # A query about a file means all work on it, so "nothing" is never the right answer.
    asked = [one for one in case.questions if one.place is None and not one.files]
    return [_store(case, f"{case.name}-{at}", SIZES[at % len(SIZES)], asked, chance) for at in range(STORES)]


def _store(case: Case, name: str, size: int, asked: list[Question], chance: random.Random) -> Case:
    chosen = chance.sample(asked, min(ASKED, len(asked)))
    wanted: set[str] = set()
    for question in chosen[: ASKED // 2]:
        if len(wanted | question.answers) <= size:
            wanted |= question.answers
    others = [piece.key for piece in case.pieces if piece.key not in wanted]
    kept = wanted | set(chance.sample(others, size - len(wanted)))
    questions = [_cut(question, kept) for question in chosen]
    return Case(name, [piece for piece in case.pieces if piece.key in kept], questions, [], case.source)


def _cut(question: Question, kept: set[str]) -> Question:
    answers = question.answers & kept
    return question._replace(answers=answers, kind=question.kind if answers else NOTHING)
