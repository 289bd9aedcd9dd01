"""A small run of every search, from the store to the page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.quality import coding, report
from benchmarks.quality.__main__ import ARMS
from benchmarks.quality.arms import FullText, Grep
from benchmarks.quality.cases import Case, Piece, Question, as_piece
from benchmarks.quality.rum_arm import task_type
from benchmarks.quality.score import run

ROOT = Path(__file__).resolve().parents[2]
PIECES = [
    Piece("old", "Parse dates in the header", files=("src/date.py",)),
    Piece("new", "Parse numbers", "The header was read as text", files=("src/number.py",)),
    Piece("other", "Write a page about caching", files=("docs/cache.md",)),
]


def ranked(arm: Grep | FullText, text: str, *files: str) -> list[str]:
    for piece in PIECES:
        arm.store(piece)
    return arm.ask(Question("words", text, frozenset(), files), 20, sure=True).keys


def small_case() -> Case:
    """Twenty commits and three questions: with common words, before its answer, and without an answer."""
    corpora, questions = coding.load()
    question = next(one for one in questions["flask"] if "PathLike" in one.text)
    known = [commit for commit in corpora["flask"] if commit.sha in question.answers]
    others = [commit for commit in corpora["flask"] if commit.sha not in question.answers][:16]
    nothing = Question("nothing", "Which GPU driver crashed?", frozenset())
    early = Question("early", question.text, question.answers, place=0)
    pieces = [as_piece(commit) for commit in (*others, *known)]
    return Case("flask", pieces, [question, early, nothing], [nothing])


@pytest.mark.parametrize("arm", ARMS)
def test_each_arm_answers_what_it_can(arm: str):
    scores = run([small_case()], ARMS[arm], 20)
    assert len(scores.asked) == 3
    assert len(scores.foreign) == 1
    assert scores.of_kind("early").any_at(20) == 0
    assert scores.of_kind("words").any_at(5) == (arm != "none")
    assert (scores.calibration()[0] is None) == (not arm.startswith("rum"))
    assert all(len(set(one.best.keys)) == len(one.best.keys) for one in scores.asked)
    assert all(len(one.given.keys) <= 5 for one in scores.asked)


def test_grep_counts_words_and_files_and_returns_the_newest_first():
    assert ranked(Grep(), "header") == ["new", "old"]
    assert ranked(Grep(), "parse header", "src/date.py") == ["old", "new"]
    assert ranked(Grep(), "nowhere") == []


def test_full_text_search_stems_and_survives_odd_questions():
    assert ranked(FullText(), "dated headers")[0] == "old"
    assert ranked(FullText(), "headers") == ["old", "new"]
    assert ranked(FullText(), '"?!" (') == []


def test_the_task_type_comes_from_the_subject():
    assert task_type("Fix a crash in the parser") == "bug_fix"
    assert task_type("Add a page to the docs") == "documentation"
    assert task_type("Hello") == "other"


def test_the_page_shows_every_arm_and_kind():
    case = small_case()
    arms = {arm: run([case], ARMS[arm], 20) for arm in ("fts5", "none")}
    text = report.page([report.Result("coding", 1, len(case.pieces), arms)], "402")
    assert "| `fts5` |" in text
    assert "| `none` |" in text
    assert "| `words` | 1 |" in text
    assert "{" not in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--arms", "fts5,ripgrep"], "no such arm: ripgrep"),
        (["--set", "locomo"], "needs --locomo FILE"),
        (["--set", "causes"], "--repo NAME=GIT_DIR"),
        (["--set", "causes", "--repo", "somewhere"], "not of the form NAME=GIT_DIR"),
    ],
)
def test_wrong_options_are_explained(arguments: list[str], complaint: str):
    command = [sys.executable, "-m", "benchmarks.quality", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert complaint in done.stderr
