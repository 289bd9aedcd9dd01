"""The lines in which test runners, compilers and linters sum up and name what failed.

Nothing else in an output says how a check ended: a source line in a traceback, such as
`assert "2 passed" in out`, is none of these lines.
"""

from __future__ import annotations

import re

_COUNTED = (
    r"(?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|todo|flaky|did not run)"
)
_LINES = (
    # pytest, playwright
    rf"\d+ {_COUNTED}(?:, \d+ (?:subtests )?{_COUNTED})*(?: in [\d.:]+ ?m?s.*)?(?: \([\d.]+m?s\))?",
    r"FAILED \S.*",
    # unittest, bun
    r"Ran \d+ tests?(?: (?:in|across) .*)?",
    r"OK(?: \(.*\))?",
    r"FAILED \(.*=\d+.*\)",
    r"\d+ (?:pass|fail)",
    r"\(fail\) .*",
    # jest, vitest, mocha
    r"Tests?:\s+(?:\d+ \w+,? ?)+",
    r"(?:Tests|Test Files)\s+\d+ \w+(?: \| \d+ \w+)*(?: \(\d+\))?",
    r"\d+ (?:passing|failing|pending)(?: \(.*\))?",
    r"FAIL:?\s+\S.*",
    # TAP, node
    r"(?:#|ℹ) (?:pass|fail|tests) \d+",
    r"not ok \d+.*",
    # go
    r"(?:ok|FAIL)\s+\S+\s+(?:\(cached\)|[\d.]+s|\[.*\]).*",
    r"FAIL|PASS|--- FAIL: .*",
    # cargo, nextest
    r"test result: (?:ok|FAILED)\..*",
    r"error: (?:could not compile|test failed).*",
    r"Summary \[.*\] +\d+ tests? run: .*",
    # dotnet
    r"(?:Passed|Failed)!\s+- Failed: .*",
    r"(?:Total tests|Passed|Failed): +\d+",
    r"Build (?:succeeded|FAILED)\.?",
    # maven, gradle
    r"Tests run: *\d+, Failures: *\d+.*",
    r"\d+ tests? completed, \d+ failed.*",
    r"BUILD (?:SUCCESS|SUCCESSFUL|FAILED|FAILURE)\b.*",
    # rspec, minitest, bats, mix
    r"\d+ (?:examples?|tests?|runs?|doctests?|properties)(?:, \d+ \w+)*, \d+ failures?.*",
    # phpunit
    r"OK \(\d+ tests?, .*\)",
    r"Tests: \d+, Assertions: \d+.*|FAILURES!",
    # ctest, make
    r"\d+% tests passed, \d+ tests? failed out of \d+",
    r"g?make(?:\[\d+\])?: \*\*\* .*",
    # swift, deno, dart
    r"Executed \d+ tests?, with .*",
    r"(?:ok|FAILED) \| \d+ passed.*",
    r"(?:\d\d:\d\d )?\+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed\.)",
    # mypy, ruff, tsc, pyright, eslint
    r"Success: no issues found.*",
    r"Found \d+ errors?\b.*",
    r"\d+ errors?, \d+ warnings?.*",
    r"\S+(?:\(\d+,\d+\):|:\d+:\d+ -) error TS\d+: .*",
    r"[✖✗] \d+ problems?(?: \(.*\))?",
    # scripts
    r"[Aa]ll (?:tests|checks) passed[.!]?",
)
_SUMMARY = re.compile(rf"(?:\[\w+\]\s+)?(?:{'|'.join(_LINES)})")
# Counts in these lines.
_FAILED = re.compile(
    r"(\d+) (?:fail|failed|failing|failures?|errors?)\b|(?:failures|errors|failed)[=:] *(\d+)"
    r"|(?:#|ℹ) fail (\d+)|(\d+) tests? failed",
    re.IGNORECASE,
)
_PASSED = re.compile(r"(\d+) (?:pass|passed|passing)\b|Passed: *(\d+)|(?:#|ℹ) pass (\d+)", re.IGNORECASE)
_RAN = re.compile(
    r"Ran (\d+) tests?|(\d+) (?:examples?|tests?|runs), |OK \((\d+) tests?|Tests(?: run)?: *(\d+),"
)
_BAD = re.compile(
    r"(?:\[\w+\]\s+)?(?:FAIL\b|\(fail\)|--- FAIL|FAILED\b|FAILURES!|test result: FAILED|BUILD FAIL"
    r"|Build FAILED|not ok \d|Failed!|error: |g?make(?:\[\d+\])?: \*\*\*|.*: Some tests failed|.*error TS\d)"
)
_GOOD = re.compile(
    r"(?:\[\w+\]\s+)?(?:ok\s|OK\b|PASS$|test result: ok|BUILD SUCCESS|Build succeeded|Passed!"
    r"|Success: no issues|[Aa]ll (?:tests|checks) passed|.*: All tests passed!|100% tests passed|0 errors, )"
)
_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        # pytest, unittest
        r"(?:FAILED|ERROR) (\S+::\S+?(?:\[.*\])?)(?: - .*)?$",
        r"_{3,} (?:ERROR at \w+ of )?([\w.]+(?:\[.*\])?) _{3,}$",
        r"(?:FAIL|ERROR): (\w+) \(",
        # jest, vitest, mocha
        r"\s*● (.+)$",
        r"\s*(?:FAIL|×)\s+\S+ > (.+?)(?: \d+ms)?$",
        r"\s+\d+\) (.+):$",
        # TAP, node, bun
        r"\s*not ok \d+ -? ?(.+?)(?: #.*)?$",
        r"\(fail\) (.+?)(?: \[.*\])?$",
        # go, cargo, dotnet
        r"\s*--- FAIL: (\S+)",
        r"test (\S+) \.\.\. FAILED$",
        r"\s*Failed (\S+) \[",
        # maven, gradle
        r"\[ERROR\]\s+(\w+[.#]\w+):\d+",
        r"(\w+ > .+) FAILED$",
        # rspec, phpunit, ctest, mix
        r"rspec (\S+)",
        r"\d+\) (\S+::\S+)$",
        r"\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT)",
        r"\s+\d+\) test (.+) \(\S+\)$",
        # compilers, linters, type checkers
        r"(\S+?(?:\(|:)\d+[,:)\d]*:? (?:- )?(?:error|[A-Z]{1,4}\d{2,4})\b.*)$",
    )
)
_PLACE = re.compile(r"[(:]\d+(?:[,:]\d+)?\)?")


def summary_lines(lines: list[str]) -> list[str]:
    """The lines of an output in which a runner sums up."""
    return [bare for line in lines if _SUMMARY.fullmatch(bare := _bare(line))]


# Lines that only a test runner prints: any program may print "3 failed".
_RUNNERS = re.compile(
    r"Ran [1-9]\d* tests? in [\d.]+s|[1-9]\d* (?:passed|failed)(?:, \d+ \w+)* in [\d.]+ ?m?s.*"
    r"|Tests:\s+(?:\d+ \w+, )*\d+ total|Tests\s+\d+ (?:passed|failed).*\(\d+\)"
    r"|test result: (?:ok|FAILED)\. [1-9].*"
    r"|(?:#|ℹ) (?:pass|fail) [1-9]\d*|[1-9]\d* (?:passing|failing) \([\d.]+m?s\)"
    r"|Tests run: *[1-9]\d*, Failures: .*"
    r"|[1-9]\d* (?:examples?|tests?|runs), (?:\d+ assertions, )?\d+ failures.*|OK \([1-9]\d* tests?, .*\)"
    r"|--- FAIL: \S+ \([\d.]+s\)|(?:ok|FAIL)\s+\S+\s+[\d.]+s"
)


def is_of_runner(line: str) -> bool:
    """Whether a line is of a test runner, whatever command printed it."""
    return _RUNNERS.fullmatch(_bare(line)) is not None


_FILES = ("Test Files", "Test Suites")  # The count of files above that of tests


def is_total(line: str) -> bool:
    """Whether a line ends the output of a run: a count, or the verdict of a linter or compiler."""
    bare = _bare(line)
    if not _SUMMARY.fullmatch(bare) or bare.startswith(_FILES):
        return False
    has_count = failures_in(bare) is not None or passes_in(bare) is not None
    return (has_count and not _BAD.match(bare)) or says_good(bare)


def _bare(line: str) -> str:
    return line.strip(" =")


def failures_in(text: str) -> int | None:
    """How many failures some summary lines count; None if they count none."""
    return _largest(_FAILED, text)


def passes_in(text: str) -> int | None:
    """How many tests passed."""
    return _largest(_PASSED, text)


def tests_in(text: str) -> int | None:
    """How many tests ran."""
    return _largest(_RAN, text)


def _largest(pattern: re.Pattern[str], text: str) -> int | None:
    """The largest number, as some runners print one a file and then a total."""
    found = [int(group) for match in pattern.finditer(text) for group in match.groups() if group]
    return max(found) if found else None


def says_bad(line: str) -> bool:
    """Whether a summary line says that something failed."""
    return _BAD.match(line) is not None


def says_good(line: str) -> bool:
    """Whether a summary line says that all is well."""
    return _GOOD.match(line) is not None


def failing_names(lines: list[str]) -> frozenset[str]:
    """The names of what failed: of tests without their file, of errors without their line."""
    found = (match[1] for line in lines for pattern in _NAMES if (match := pattern.match(line)))
    return frozenset(_PLACE.sub("", name).rpartition("::")[2].strip() for name in found)
