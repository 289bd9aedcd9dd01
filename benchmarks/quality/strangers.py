"""Questions that a store cannot answer: in the words of another project, also with files of this one."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.quality.cases import Case, Question

FOREIGN = "foreign"  # The kind of such a question
ASKED = 100
FILE_SIZES = (2, 3, 5, 8, 13, 21, 34, 55)  # Of young stores with files
STORES = 40
OF_STORE, OF_FILES = 6, 4  # Questions to a young store: own ones, and those with foreign words
SEED = 13


def asked(case: Case, texts: Sequence[str]) -> Case:
    """The store of a case, asked in the words of another project."""
    chosen = _random(case, "asked").sample(texts, min(ASKED, len(texts)))
    return case._replace(questions=[Question(FOREIGN, text, frozenset()) for text in chosen])


def about_files(case: Case, texts: Sequence[str]) -> Case:
    """The store of a case, asked about the files of its own questions, in the words of another project."""
    chance = _random(case, "files")
    questions = [
        one._replace(kind=FOREIGN, text=chance.choice(texts), answers=frozenset[str]())
        for one in case.questions[:ASKED]
        if one.files
    ]
    return case._replace(questions=questions)


def young_with_files(case: Case, texts: Sequence[str]) -> list[Case]:
    """Small stores, asked about files: in own words, half of which they can answer, and in foreign ones."""
    chance = _random(case, "young")
    return [
        _young(case, f"{case.name}-{at}", FILE_SIZES[at % len(FILE_SIZES)], texts, chance)
        for at in range(STORES)
    ]


def _young(case: Case, name: str, size: int, texts: Sequence[str], chance: random.Random) -> Case:
    chosen = chance.sample(case.questions, min(OF_STORE, len(case.questions)))
    wanted: set[str] = set()
    for question in chosen[: OF_STORE // 2]:
        if len(wanted | question.answers) <= size:
            wanted |= question.answers
    about = frozenset[str]().union(*(one.answers for one in chosen))
    others = [piece.key for piece in case.pieces if piece.key not in about]
    kept = wanted | set(chance.sample(others, size - len(wanted)))
    pieces = [piece for piece in case.pieces if piece.key in kept]
    questions = [_asked_at_the_end(one, kept) for one in chosen]
    for piece in chance.sample(pieces, min(OF_FILES, len(pieces))):
        if piece.files:
            files = (chance.choice(piece.files),)
            questions.append(Question(FOREIGN, chance.choice(texts), frozenset(), files))
    return Case(name, pieces, questions, [], case.source)


def _asked_at_the_end(question: Question, kept: set[str]) -> Question:
    answers = question.answers & kept
    return question._replace(answers=answers, kind=question.kind if answers else FOREIGN, place=None)


def _random(case: Case, purpose: str) -> random.Random:
    return random.Random(f"{SEED}{purpose}{case.name}")
