"""The trial of agents: calls and answers are logged, and scored."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.agents.__main__ import QUESTIONS, call, is_right, read_lines, score

from support.repositories import Repository


def step(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.agents", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_calls_and_answers_are_logged_and_scored(tmp_path: Path):
    repository, log = Repository(tmp_path / "work"), str(tmp_path / "log.jsonl")
    repository.commit("Begin", {"a": "1\n"})
    [first, second] = read_lines(QUESTIONS)[:2]
    asked = ("--arm", "git", "--question", first["id"], "--log", log)
    shown = step("call", *asked, "--folder", str(repository.root), "--", "git", "log", "--format=%s")
    assert shown == "Begin\n"
    step("answer", *asked, f"{first['commits'][0]}: as it was wrong")
    step("answer", "--arm", "git", "--question", second["id"], "--log", log, "nothing found")
    expected = {"git": {"answered": 2, "right": 1, "calls": 0.5, "characters": 3}}
    assert json.loads(step("score", "--log", log)) == expected


def test_only_the_first_commit_of_the_last_answer_counts():
    assert is_right("See 8B9EBA21ab for why", ["8b9eba21"])
    assert not is_right("c50b8b41 or 8b9eba21", ["8b9eba21"])
    assert not is_right("the defaced one", ["8b9eba21"])
    log = [{"arm": "rum", "question": "q", "answer": one} for one in ("c50b8b41", "8b9eba21")]
    assert score(log, [{"id": "q", "commits": ["8b9eba21"]}])["rum"]["right"] == 1


def test_an_arm_may_not_call_the_programs_of_the_other(tmp_path: Path):
    with pytest.raises(SystemExit, match="may call only rum"):
        call("rum", ["git", "log"], str(tmp_path))


def test_there_are_a_dozen_questions_about_each_of_four_repositories():
    questions = read_lines(QUESTIONS)
    assert len({one["id"] for one in questions}) == len(questions) == 48
    assert set(Counter(one["repository"] for one in questions).values()) == {12}
