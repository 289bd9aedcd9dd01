"""Fingerprints that make edits and commands comparable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.store.attempt_fingerprint import (
    command_tried,
    diff_marks,
    edit_marks,
    is_check,
    is_misuse,
    sample,
    shared,
)

TEXT = "if (!user) {\n  return login('now');\n}"


@pytest.mark.parametrize(
    "same",
    [
        'if (!user) {\n    return login("now")\n}',
        "if (!user) { // nobody\n  return login('now');\n}\n",
        "\n\nif  ( ! user ) {\n\treturn login(`now`);\n}",
    ],
)
def test_spacing_quotes_and_comments_leave_no_mark(same: str):
    assert edit_marks(same) == edit_marks(TEXT)


def test_only_what_is_new_is_marked():
    assert edit_marks("a = 1\nb = 2", "a = 1") == edit_marks("b = 2")
    assert edit_marks("a = 1", "a = 1\nb = 2") == edit_marks("", "b = 2")
    assert edit_marks("", "b = 2") != edit_marks("b = 2")
    assert edit_marks("}\n)", "") == frozenset()


def test_a_diff_has_the_marks_of_its_lines():
    assert diff_marks("--- a/x.py\n+++ b/x.py\n-a = 1\n+b = 2\n c = 3") == edit_marks("b = 2", "a = 1")
    assert diff_marks("Replaced the loop by a sum") == frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pip install x", "cd api && FOO=1 pip install -q 'x' 2>&1 | tail -5"),
        ("npx wrangler deploy", "wrangler deploy"),
        ("python scripts/seed.py --all", "python3 /home/me/app/scripts/seed.py --all"),
        ("kubectl get pods --namespace=prod", "kubectl get pods --namespace prod"),
        ("git push origin main", "git -C ../other push origin main"),
        ("git cherry-pick 1a2b3c4d5e", "git cherry-pick 99aa88bb77"),
    ],
)
def test_the_same_command_in_other_words(one: str, other: str):
    assert command_tried(one) == command_tried(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pip install psycopg2", "pip install psycopg2-binary"),
        ("npm run build", "npm run lint"),
        ("docker build .", "docker build --platform linux/amd64 ."),
        ("make clean && make all", "make all && make clean"),
    ],
)
def test_another_command(one: str, other: str):
    first, second = command_tried(one), command_tried(other)
    assert first is not None
    assert second is not None
    assert first.marks != second.marks


def test_looking_tries_nothing():
    assert [command_tried(one) for one in ("ls -la", "cd x && cat y | grep z", "", "   ;")] == [None] * 4


def test_a_check_is_no_failure_of_its_own_unless_it_could_not_be_run():
    checks = [
        "pytest -q",
        "cd x && npm test",
        "cargo clippy",
        "make lint",
        "npx tsc --noEmit",
        "npm run test:unit",
        "python3 check_stats.py",
        "./run_tests.sh",
    ]
    assert [is_check(one) for one in checks] == [True] * len(checks)
    assert [is_check(one) for one in ("npm install", "git push", "docker compose up")] == [False] * 3


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("pytest -q", "bash: pytest: command not found"),
        ("python -m pytest", "/usr/bin/python: No module named pytest"),
        ("pytest --fast", "pytest: error: unrecognized arguments: --fast"),
        ("npm run test:nuit", 'npm error Missing script: "test:nuit"'),
        ("./run_tests.sh", "error: bash: run_tests.sh: Permission denied"),
        ("node check.js", "Error: Cannot find module 'check.js'"),
        ("pytest tests/none.py", "ERROR: file or directory not found: tests/none.py"),
    ],
)
def test_a_check_that_could_not_be_run(command: str, error: str):
    assert is_check(command)
    assert is_misuse(command, error)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("pytest -q", "AssertionError: assert 3 == 4"),
        ("pytest -q", "FileNotFoundError: [Errno 2] No such file or directory: 'fixture.json'"),
        ("pytest -q", "TypeError: 5 is not a callable"),
        ("pytest -q", "ModuleNotFoundError: No module named 'app.cart'\n1 failed, 3 passed"),
        ("npm run build", "TS2307: Cannot find module 'b' in a.ts"),
        ("npm test", "Error: User requires a name"),
        ("python check.py", "AssertionError: usage: wrong"),
        ("npm run lint", "'x' is not a constant\n1 problem"),
    ],
)
def test_a_check_that_ran_and_failed_tells_of_the_code(command: str, error: str):
    assert is_check(command)
    assert not is_misuse(command, error)


def test_asking_tries_nothing():
    asking = [
        "git grep old_name",
        "git -C api diff --quiet",
        "git rev-parse --verify origin/main",
        "docker ps",
        "curl -sf localhost:8000/health",
    ]
    assert [command_tried(one) for one in asking] == [None] * len(asking)
    acting = ["git push", "curl -sX POST localhost:8000/x -d a", "curl -f https://example.org/x.sh"]
    assert None not in [command_tried(one) for one in acting]


@given(st.text(max_size=400))
def test_any_text_can_be_marked(text: str):
    marks = edit_marks(text)
    assert marks == edit_marks(text)
    tried = command_tried(text)
    assert tried is None or (tried.key.startswith("$ ") and tried.marks)
    diff_marks(text)


@given(st.frozensets(st.integers(0, 2**32 - 1), min_size=1, max_size=80), st.integers(1, 100))
def test_a_sample_tells_what_share_comes_again(marks: frozenset[int], most: int):
    data = sample(marks, most)
    assert len(data) == 4 * min(most, len(marks))
    assert shared(data, len(marks), marks) == len(marks)
    assert shared(data, len(marks), frozenset()) == 0
