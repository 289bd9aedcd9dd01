"""Which commands are checks, and how the result of each runner is recognised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.checks import check_kind, check_of, checks_of
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
        ("python3 tools/lint.py job.py", "lint"),
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
        (
            "go test ./...",
            "--- FAIL: TestMean (0.00s)\nFAIL\tx/stats\t0.1s",
            None,
            False,
            "FAIL x/stats 0.1s",
        ),
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
    assert all(check.kind for check in checks_of(run(f"pytest {command}", output, code)))
    assert [check.passed for check in checks_of(run("pytest", "no summary", code))] == [
        None if code is None else not code
    ]


TRACEBACK = """    def test_report():
>       assert "2 passed" in out
E       AssertionError: assert '2 passed' in '1 failed'
E         5 passed in 3s

tests/test_report.py:4: AssertionError
"""


@pytest.mark.parametrize(
    ("command", "output", "code", "passed", "result"),
    [
        ("pytest -q", f"{TRACEBACK}1 failed in 0.02s", 1, False, "1 failed"),
        ("pytest -q | head -8", TRACEBACK, 0, None, ""),
        ("pytest -q | tail -1", "3 passed in 0.1s", 0, True, "3 passed"),
        ("go test ./... | tail -3", "ok  \tx/stats\t0.1s", 0, True, "ok x/stats 0.1s"),
        ("cargo test 2>&1 | tail", "test result: ok. 3 passed; 0 failed; 0 ignored", 0, True, "3 passed"),
        ("npx jest | tail", "Tests:       5 passed, 5 total", 0, True, "5 passed"),
        ("npx vitest run | tail", " Tests  1 failed | 4 passed (5)", 0, False, "1 failed, 4 passed"),
        ("bundle exec rspec | tail -2", "5 examples, 0 failures", 0, True, "5 passed"),
        (
            "ctest | tail -3",
            "100% tests passed, 0 tests failed out of 3",
            0,
            True,
            "100% tests passed, 0 tests failed out of 3",
        ),
        ("ctest | tail -3", "67% tests passed, 1 tests failed out of 3", 0, False, "1 failed"),
        ("./gradlew test | tail", "3 tests completed, 1 failed\nBUILD FAILED in 3s", 0, False, "1 failed"),
        ("mvn -q test | tail", "[INFO] BUILD SUCCESS", 0, True, "[INFO] BUILD SUCCESS"),
        (
            "mypy src | tail -1",
            "Success: no issues found in 3 source files",
            0,
            True,
            "Success: no issues found in 3 source files",
        ),
        ("mypy src | tail -1", "Found 2 errors in 1 file (checked 3 source files)", 0, False, "2 failed"),
        (
            "pyright | tail -1",
            "0 errors, 0 warnings, 0 informations",
            0,
            True,
            "0 errors, 0 warnings, 0 informations",
        ),
        ("npx eslint . | tail -2", "✖ 3 problems (1 error, 2 warnings)", 0, False, "1 failed"),
        ("ruff check . | tail", "All checks passed!", 0, True, "All checks passed!"),
        (
            "npx tsc --noEmit | head",
            "src/a.ts(3,5): error TS2322: Type 'x'",
            0,
            False,
            "src/a.ts(3,5): error TS2322: Type 'x'",
        ),
        ("pytest -q; echo exit=$?", "....\nexit=1", 0, False, "failed"),
        ("pytest -q > log; tail -1 log", "3 passed in 1s", 0, True, "3 passed"),
        ("pytest -q && git commit -m x", "3 passed in 1s\nnothing to commit", 1, True, "3 passed"),
        ("pytest -q -k nothing", "Exit code 5\n9 deselected in 0.1s", 5, None, ""),
        ("npm test", 'npm error Missing script: "test"', 1, None, ""),
        ("(cd web && npx jest)", "Tests:       5 passed, 5 total", 0, True, "5 passed"),
    ],
)
def test_only_exit_codes_and_summary_lines_say_how_a_check_ended(
    command: str, output: str, code: int | None, passed: bool | None, result: str
):
    check = check_of(run(command, output, code))
    assert check is not None
    assert (check.passed, check.result) == (passed, result)


@pytest.mark.parametrize(
    ("command", "output", "code", "results"),
    [
        ("ruff check . && pytest", "All checks passed!\n1 failed, 2 passed in 1s", 1, [True, False]),
        ("ruff check . && pytest", "a.py:1:1: E501 long\nFound 1 error.", 1, [False, None]),
        (
            "ruff check . && mypy . && pytest",
            "All checks passed!\nSuccess: no issues found\n3 passed",
            0,
            [True] * 3,
        ),
        ("pytest a; pytest b", "1 failed in 1s\n2 passed in 1s", 0, [False, True]),
        ("make lint; make test", "2 passed in 1s", 0, [None, True]),
        (
            "npm test && npm run --silent lint",
            " Test Files  1 passed (1)\n      Tests  2 passed (2)\n\n/a.ts\n  4:15  error  Empty  no-empty",
            1,
            [True, False],
        ),
        ("npm test && npm run lint", " Test Files  1 passed (1)\n      Tests  2 passed (2)", 0, [True, True]),
    ],
)
def test_the_checks_of_one_command_line_are_judged_one_by_one(
    command: str, output: str, code: int, results: list[bool | None]
):
    assert [check.passed for check in checks_of(run(command, output, code))] == results


@pytest.mark.parametrize(
    ("command", "output", "names"),
    [
        ("pytest", "FAILED tests/test_a.py::TestA::test_x[1-a] - assert 1", {"test_x[1-a]"}),
        ("python -m unittest", "FAIL: test_x (tests.TestA.test_x)", {"test_x"}),
        ("npx jest", "  ● sums › adds", {"sums › adds"}),
        ("go test", "--- FAIL: TestMean (0.00s)", {"TestMean"}),
        ("cargo test", "test stats::mean ... FAILED", {"mean"}),
        ("mypy .", "src/a.py:3: error: Missing return", {"src/a.py: error: Missing return"}),
        ("npx tsc --noEmit", "src/a.ts(3,5): error TS2322: no", {"src/a.ts: error TS2322: no"}),
    ],
)
def test_what_failed_has_a_name_that_no_line_number_changes(command: str, output: str, names: set[str]):
    (check,) = checks_of(run(command, output, 1))
    assert check.failing == names


@pytest.mark.parametrize(
    "command",
    [
        'python3 -c "import todo; l=[1]; todo.clear(l); assert l == [], l"',
        "python -c 'from cart import total\nassert total([]) == 0'",
        "node -e \"const a = require('assert'); a.equal(1, 1); assert.equal(f(), 2)\"",
        'ruby -e \'require "./cart"; raise "wrong" unless total([]) == 0\'',
        "perl -e 'use Cart; die \"no\" unless Cart::total() == 0'",
        "Rscript -e 'source(\"cart.R\"); stopifnot(total(c()) == 0)'",
        "cd src && PYTHONPATH=. python3.12 -c 'import a; assert a.f()'",
    ],
)
def test_a_short_script_that_asserts_is_a_check_by_hand(command: str):
    passed, failed = check_of(run(command)), check_of(run(command, "AssertionError: [2]", 1))
    assert passed is not None
    assert failed is not None
    assert (passed.kind, passed.passed, failed.passed) == ("manual", True, False)


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'print(1)'",
        "node -e 'console.assert(false)'",
        "python3 serve.py --assert",
        "grep -c assert tests.py",
        "echo 'assert x'",
    ],
)
def test_another_short_script_is_no_check(command: str):
    assert check_of(run(command)) is None


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("bash slow.sh", ".\n------\nRan 1 test in 0.000s\n\nOK"),
        ("./ci | tail -5", "2 passed in 0.01s"),
        ("scripts/all --fast", "Tests:       3 passed, 3 total"),
    ],
)
def test_a_check_is_recognised_by_the_summary_of_its_runner(command: str, output: str):
    check = check_of(run(command, output))
    assert check is not None
    assert check.passed is True


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat ci.log", "2 passed in 0.01s"),
        ("grep passed ci.log", "2 passed in 0.01s"),
        ("python import.py", "12 rows passed\n3 failed"),
        ("./prepare && ./ci", "2 passed in 0.01s"),
    ],
)
def test_an_output_alone_makes_no_check_of_what_looks_or_counts_something_else(command: str, output: str):
    assert check_of(run(command, output)) is None


def test_a_check_is_shown_with_the_variables_that_it_needs():
    check = check_of(run("cd app && PYTHONPATH=src python -m pytest -q tests", "2 passed in 0.01s"))
    assert check is not None
    assert check.shown == "PYTHONPATH=src pytest -q tests"


def test_failing_tests_are_named_where_the_output_says_no_more():
    output = (
        "CartTest > discountIsPercent() FAILED\n    expected: <90> but was: <95>\n4 actionable tasks: 2 ran"
    )
    step = Step("run", 0, command="./gradlew test", output=output, failed=True, exit=1)
    check = check_of(step)
    assert check
    assert check.fault
    assert check.fault.line == "failed: CartTest > discountIsPercent()"
