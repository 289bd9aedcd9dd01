"""The error in an output, as one line that is equal in every run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.errors import fault_in, last_line

PYTHON = """Traceback (most recent call last):
  File "{root}/check.py", line {line}, in <module>
    assert mean([]) == 0.0
  File "{root}/src/stats.py", line {line}, in mean
    return sum(values) / len(values)
  File "/usr/lib/python3.12/statistics.py", line 3, in inner
ZeroDivisionError: division by zero
"""


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (PYTHON.format(root="/a", line=4), "ZeroDivisionError: division by zero in mean (stats.py)"),
        (
            "E       AssertionError: assert 3 == 4\n\ntests/test_x.py:12: AssertionError",
            "AssertionError: assert 3 == 4 in test_x.py",
        ),
        (
            "TypeError: Cannot read properties of undefined (reading 'x')\n"
            "    at node:internal/x:1:2\n    at render (/a/src/app.js:10:5)",
            "TypeError: Cannot read properties of undefined (reading 'x') in render (app.js)",
        ),
        ("panic: runtime error: index out of range [3]\n\n\t/a/main.go:10 +0x1d", None),
        ("error[E0308]: mismatched types\n --> src/main.rs:4:9", "error[E0308]: mismatched types in main.rs"),
        ("src/a.ts(3,5): error TS2322: Type 'x' is not assignable", None),
        ("main.c:3:5: error: expected ';'", "error: expected ';' in main.c"),
        ("bash: line 1: foo: command not found", "command not found: foo"),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ('Exception in thread "main" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:3)', None),
    ],
)
def test_the_error_is_found(output: str, line: str | None):
    fault = fault_in(output)
    assert fault is not None
    assert line is None or fault.line == line


def test_an_error_has_one_fingerprint_for_any_folder_line_and_address():
    told = PYTHON + "RuntimeError: object at 0x{address} in {root}/x.py:{line} is stale"
    one = fault_in(told.format(root="/home/a", line=4, address="7f3a00001234"))
    other = fault_in(told.format(root="/srv/b/c", line=77, address="55d0deadbeef"))
    assert one is not None
    assert other is not None
    assert one.fingerprint == other.fingerprint


def test_different_errors_have_different_fingerprints():
    faults = [fault_in(f"ValueError: {word}") for word in ("empty", "too long")]
    assert len({fault.fingerprint for fault in faults if fault}) == 2


@pytest.mark.parametrize("output", ["", "all good\n", "Compiling…\nDone in 3 s", "0 errors, 0 warnings"])
def test_output_without_an_error_gives_none(output: str):
    assert fault_in(output) is None


@given(st.text(alphabet=st.sampled_from('Eabc:/\\"().0x\n\t '), max_size=2000))
def test_any_output_can_be_read(output: str):
    fault = fault_in(output) or last_line(output)
    assert "\n" not in fault.line


def test_a_message_that_pytest_cut_is_taken_from_above():
    output = (
        "    def test_rates():\n>       assert convert(10) == 30.0\nE       assert 20.0 == 30.0\n\n"
        "tests/test_rates.py:21: AssertionError\n"
        "FAILED tests/test_rates.py::test_rates - assert 20...\n1 failed, 1 passed in 0.02s\n"
    )
    fault = fault_in(output)
    assert fault
    assert "20.0 == 30.0" in fault.line


@pytest.mark.parametrize(
    "message",
    [
        r"assert 'a\xa0' == 'a'",
        "expected text/html, got application/json",
        "assert '1/2' == '3/4'",
        "GET /api/users gave 404",
        "cannot connect to localhost:5432",
        "assert '10:30' == '11:30'",
        "see https://example.org/a/b.html",
    ],
)
def test_the_words_of_a_message_are_not_taken_for_folders_or_lines(message: str):
    fault = fault_in(f"ValueError: {message}")
    assert fault is not None
    assert fault.message == message
