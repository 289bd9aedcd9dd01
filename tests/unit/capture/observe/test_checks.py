"""Which commands are checks, and how the result of each runner is recognised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.checks import check_kind, check_of
from rum.capture.observe.steps import Step

BUN_FAILURE = """stats.test.ts:
(pass) adds [0.10ms]
error: expect(received).toBe(expected)
(fail) divides [0.20ms]

 1 pass
 1 fail
 2 expect() calls
Ran 2 tests across 1 file. [9.00ms]"""


def run(command: str, output: str = "", code: int | None = 0) -> Step:
    return Step(
        "run",
        1.0,
        command=command,
        output=output,
        exit=code,
        failed=None if code is None else bool(code),
    )


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("pytest -q tests", "test"),
        ("cd sub && .venv/bin/python -m pytest -x", "test"),
        ("PYTHONPATH=. timeout 60 python3 -m unittest discover", "test"),
        ("uv run --with hypothesis pytest", "test"),
        ("npx jest src/app.test.ts", "test"),
        ("npm test -- --watch=false", "test"),
        ("pnpm run test:unit", "test"),
        ("yarn vitest run", "test"),
        ("npx mocha", "test"),
        ("go test ./...", "test"),
        ("cargo test --all", "test"),
        ("cargo nextest run", "test"),
        ("bundle exec rspec spec/models", "test"),
        ("vendor/bin/phpunit", "test"),
        ("dotnet test", "test"),
        ("./mvnw -q test", "test"),
        ("./gradlew check", "test"),
        ("make test", "test"),
        ("make -j4 check", "test"),
        ("bash -lc 'pytest -q | tail -5'", "test"),
        ("python3 check_stats.py", "test"),
        ("./run_tests.sh", "test"),
        ("node --test", "test"),
        ("mypy src", "typecheck"),
        ("npx tsc --noEmit", "typecheck"),
        ("npm run typecheck", "typecheck"),
        ("ruff check .", "lint"),
        ("npm run lint", "lint"),
        ("cargo clippy -- -D warnings", "lint"),
        ("make", "build"),
        ("npm run build", "build"),
        ("cargo build --release", "build"),
        ("go build ./...", "build"),
        ("docker build -t x .", "build"),
    ],
)
def test_a_check_is_recognised_by_its_command(command: str, kind: str):
    known = check_kind(command)
    assert known is not None
    assert known[0] == kind


@pytest.mark.parametrize(
    "command",
    [
        "ls tests",
        "cat test_stats.py",
        "git commit -m 'make test pass'",
        "echo pytest",
        "vim check.py",
        "npm install",
    ],
)
def test_a_command_that_only_mentions_a_check_is_no_check(command: str):
    assert check_kind(command) is None


@pytest.mark.parametrize(
    ("command", "output", "code", "passed", "result"),
    [
        ("pytest", "== 3 passed in 0.1s ==", 0, True, "3 passed"),
        ("pytest", "1 failed, 2 passed in 0.1s", 1, False, "1 failed, 2 passed"),
        ("pytest | tail -3", "1 failed, 2 passed in 0.1s", 0, False, "1 failed, 2 passed"),
        ("python -m unittest", "Ran 4 tests in 0.1s\n\nOK", 0, True, "4 passed"),
        (
            "python -m unittest",
            "Ran 4 tests in 0.1s\n\nFAILED (failures=1, errors=2)",
            1,
            False,
            "2 failed, 4 run",
        ),
        ("python -m unittest", "Ran 2 tests in 0.1s", 1, False, "Ran 2 tests in 0.1s"),
        ("npx jest", "Tests:       1 failed, 5 passed, 6 total", 1, False, "1 failed, 5 passed"),
        ("npx vitest run", " Tests  2 passed (2)", 0, True, "2 passed"),
        ("npx mocha", "  3 passing (10ms)\n  1 failing", 1, False, "1 failed, 3 passed"),
        ("go test ./...", "--- FAIL: TestMean (0.00s)\nFAIL\tx/stats\t0.1s", None, False, "failed"),
        ("go test ./...", "ok  \tx/stats\t0.1s", 0, True, "ok x/stats 0.1s"),
        (
            "cargo test",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored",
            101,
            False,
            "1 failed, 3 passed",
        ),
        ("bundle exec rspec", "5 examples, 1 failure", 1, False, "1 failed, 5 run"),
        ("vendor/bin/phpunit", "OK (3 tests, 4 assertions)", 0, True, "3 passed"),
        (
            "dotnet test",
            "Failed!  - Failed:     1, Passed:     2, Skipped: 0",
            1,
            False,
            "1 failed, 2 passed",
        ),
        ("mvn test", "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0", 1, False, "1 failed, 3 run"),
        ("node --test", "# pass 3\n# fail 1", 1, False, "1 failed, 3 passed"),
        ("bun test", BUN_FAILURE, 1, False, "1 failed, 1 passed"),
        ("bun test | tail -20", BUN_FAILURE, 0, False, "1 failed, 1 passed"),
        (
            "bun test | head -3",
            "(pass) adds [0.10ms]\n(fail) divides [0.20ms]",
            0,
            False,
            "(fail) divides [0.20ms]",
        ),
        (
            "bun test",
            "(pass) adds [0.10ms]\n\n 2 pass\n 0 fail\nRan 2 tests across 1 file. [9.00ms]",
            0,
            True,
            "2 passed",
        ),
        ("python3 check_stats.py", "all checks passed", 0, True, "all checks passed"),
        ("pytest", "", None, None, ""),
    ],
)
def test_the_result_follows_from_exit_code_and_counts(
    command: str, output: str, code: int | None, passed: bool | None, result: str
):
    check = check_of(run(command, output, code))
    assert check is not None
    assert (check.passed, check.result) == (passed, result)


def test_a_count_of_zero_failures_is_a_success():
    check = check_of(run("mvn test", "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0"))
    assert check is not None
    assert check.passed is True


@given(st.text(max_size=300), st.text(max_size=600), st.sampled_from([None, 0, 1]))
def test_any_command_and_output_can_be_judged(command: str, output: str, code: int | None):
    check = check_of(run(f"pytest {command}", output, code))
    assert check is None or code != 1 or check.passed is False
