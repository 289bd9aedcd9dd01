"""Recognise runs of tests, builds, linters and type checkers in command lines, and how each ended."""

from __future__ import annotations

import re
from typing import NamedTuple

from rum.capture.observe.errors import Fault, fault_in, last_line
from rum.capture.observe.steps import Step
from rum.model.memory_layers import VerificationType
from rum.text.shell import segments

# The first pattern that matches the beginning of a simple command wins, so the narrower kinds come first:
# `make test` is a test, `make` alone a build.
_KINDS: tuple[tuple[VerificationType, re.Pattern[str]], ...] = (
    (
        VerificationType.TYPECHECK,
        re.compile(r"(?:mypy|pyright|basedpyright|pyre|flow|phpstan|psalm|srb)\b|ty check|cargo check"),
    ),
    (
        VerificationType.TYPECHECK,
        re.compile(r"(?:vue-)?tsc\b.*--noEmit|(?:npm|pnpm|yarn|bun|make|just)(?: run)? type-?s?-?check"),
    ),
    (
        VerificationType.LINT,
        re.compile(
            r"(?:ruff (?!format(?! --check))|ruff$|flake8|pylint|eslint|golangci-lint|rubocop|shellcheck"
            r"|stylelint|biome|oxlint|yamllint|markdownlint|hadolint|swiftlint|ktlint|phpcs|lint-imports|pre-commit)"
            r"|(?:cargo clippy|go vet)\b|(?:black|prettier|isort)\b.*--check|cargo fmt.*--check"
            r"|(?:npm|pnpm|yarn|bun|make|just|task)(?: run)? \S*lint"
        ),
    ),
    (
        VerificationType.TEST,
        re.compile(
            r"(?:pytest|py\.test|nose2|nosetests|tox|nox|jest|vitest|mocha|ava|tap|karma|cypress|playwright|rspec"
            r"|phpunit|pest|ctest|unittest|behave|robot|busted|bats|trial|ward|cucumber|detox)\b"
            r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:t|tst|test)(?:$|[\s:.-])"
            r"|(?:go|cargo|dotnet|swift|mix|deno|bun|zig|dart|flutter|sbt|lein|stack|cabal|rails|rake|bazel"
            r"|bazelisk|composer|nx|turbo|meson|xcodebuild|php artisan)\b.*\btest"
            r"|cargo nextest\b|node\b.* --test\b"
            r"|(?:mvnw?|gradlew?|ant)\b.*\b(?:test|verify|check|integrationTest)\b"
            r"|(?:g?make|just|task)\b.*\b\w*(?:test|check|spec|e2e)\w*"
        ),
    ),
    (
        VerificationType.TEST,
        re.compile(
            r"(?:(?:python[\d.]*|node|ruby|php|perl|bash|sh|zsh|tsx|ts-node|lua|Rscript|deno run|bun run|bun"
            r"|go run) )?(?:\S*[/\\])?(?:\w*[_-])?(?:run[_-])?"
            r"(?:tests?|checks?|specs?|verify|smoke)(?:[_-]\w*)?\.(?:\w{1,4})\b"
        ),
    ),
    (VerificationType.TEST, re.compile(r"(?:run[_-])?(?:tests?|checks?|verify)(?:[_-]\w+)?$")),
    (
        VerificationType.BUILD,
        re.compile(
            r"(?:g?make|ninja|tsc|webpack|rollup|esbuild|compileall|build)\b|(?:vite|next|nuxt|astro|bazel|swift|cargo"
            r"|go|docker|dotnet|gradlew?|zig|mix)\b.*\b(?:build|assemble|compile|publish)\b|cmake --build"
            r"|mvnw?\b.*\b(?:compile|package|install)\b|(?:npm|pnpm|yarn|bun)(?: run)? build"
        ),
    ),
)
# Counts in the wording of each runner; `_count` takes the largest, as some print one a file and then a total.
_FAILED = re.compile(
    r"(?P<n>\d+) (?:fail|failed|failing|failures?|errors?)\b|(?:failures|errors|failed)[=:] *(?P<m>\d+)"
    r"|# fail (?P<k>\d+)|(?P<t>\d+) tests? failed",
    re.IGNORECASE,
)
_PASSED = re.compile(
    r"(?P<n>\d+) (?:pass|passed|passing)\b|Passed: *(?P<m>\d+)|# pass (?P<k>\d+)", re.IGNORECASE
)
_RAN = re.compile(r"Ran (?P<n>\d+) tests?|(?P<m>\d+) examples?|OK \((?P<k>\d+) tests?|Tests run: *(?P<t>\d+)")
_BAD = re.compile(
    r"^(?:FAIL\b|\(fail\)|--- FAIL|FAILED\b|test result: FAILED|BUILD FAILED|\s*not ok \d)", re.MULTILINE
)
_SUMMARY = re.compile(
    r"passed|failed|passing|failing|failure|test result|examples?,|Tests run|Tests:|^OK\b|^Ran "
    r"|^# (?:pass|fail)|^\(fail\)|\berrors?\b",
    re.IGNORECASE,
)
_RUNS_INSTALLED = ("yarn", "pnpm", "bun")
# Signs after which a check's exit code is lost: a pipe, or another command that runs in any case.
_MASKED = re.compile(r"[|;\n]|(?<![&>])&(?![&>])")
# Quoted text and redirections such as `2>&1` are removed first: their signs separate no commands.
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|\d?>&\d?")
_END = 1500  # Characters at the end of an output that are searched for a runner's counts


class Check(NamedTuple):
    """One run of a check; `passed` is None where that is unknown, `result` is the runner's own count."""

    kind: VerificationType
    command: str
    passed: bool | None
    result: str
    fault: Fault | None


def check_kind(command: str) -> tuple[VerificationType, str] | None:
    """Return the kind of check that a command line runs, and the simple command that runs it."""
    for words in segments(command):
        line = " ".join(words)
        # `yarn jest` runs an installed program, as `npx jest` does.
        readings = (line, " ".join(words[1:])) if words[0] in _RUNS_INSTALLED else (line,)
        for kind, pattern in _KINDS:
            if any(pattern.match(one) for one in readings):
                return kind, line
    return None


def check_of(step: Step) -> Check | None:
    """Return the check that a step ran; None for any other step."""
    known = check_kind(step.command) if step.tool == "run" and step.command else None
    if known is None:
        return None
    kind, command = known
    end = step.output[-_END:]
    # An exit code of 0 that nothing can have hidden outweighs failures that the output mentions in passing.
    is_certain = step.failed is False and not _MASKED.search(_QUOTED.sub("", step.command))
    end = _last_count(end) if is_certain else end
    failed, passed = _count(_FAILED, end), _count(_PASSED, end)
    ran = _count(_RAN, end)
    if step.failed or failed or (not (is_certain and passed) and _BAD.search(step.output)):
        has_passed: bool | None = False
    else:
        has_passed = True if step.failed is False or passed or ran else None
    fault = None if has_passed is not False else fault_in(step.output) or last_line(step.output)
    return Check(kind, command, has_passed, _result(has_passed, failed, passed, ran, end), fault)


def _last_count(end: str) -> str:
    """The last line that counts passed tests; the whole text if there is none."""
    return next((line for line in reversed(end.splitlines()) if _count(_PASSED, line)), end)


def _count(pattern: re.Pattern[str], text: str) -> int | None:
    """The largest number that a pattern finds; None if it finds none."""
    found = [int(group) for match in pattern.finditer(text) for group in match.groups() if group]
    return max(found) if found else None


def _result(
    has_passed: bool | None, failed: int | None, passed: int | None, ran: int | None, end: str
) -> str:
    counts = [(failed, "failed"), (passed, "passed")]
    if not passed and (failed or has_passed is not False):
        # Tests that ran have passed only if none failed.
        counts.append((ran, "run" if failed else "passed"))
    if result := ", ".join(f"{count} {word}" for count, word in counts if count):
        return result
    lines = [" ".join(line.strip(" =-").split()) for line in end.splitlines() if _SUMMARY.search(line)]
    if lines:
        return lines[-1][:120]
    return {True: "passed", False: "failed", None: ""}[has_passed]
