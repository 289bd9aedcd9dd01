"""Runs of tests, builds, linters and type checkers: which a command was, and how it ended."""

from __future__ import annotations

import re
from typing import NamedTuple

from rum.capture.observe.errors import Fault, fault_in, last_line
from rum.capture.observe.steps import Step
from rum.model.memory_layers import VerificationType as Kind
from rum.text.shell import segments

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.TYPECHECK,
        re.compile(r"(?:mypy|pyright|basedpyright|pyre|flow|phpstan|psalm|srb)\b|ty check|cargo check"),
    ),
    (
        Kind.TYPECHECK,
        re.compile(r"(?:vue-)?tsc\b.*--noEmit|(?:npm|pnpm|yarn|bun|make|just)(?: run)? type-?s?-?check"),
    ),
    (
        Kind.LINT,
        re.compile(
            r"(?:ruff (?!format(?! --check))|ruff$|flake8|pylint|eslint|golangci-lint|rubocop|shellcheck"
            r"|stylelint|biome|oxlint|yamllint|markdownlint|hadolint|swiftlint|ktlint|phpcs|lint-imports|pre-commit)"
            r"|(?:cargo clippy|go vet)\b|(?:black|prettier|isort)\b.*--check|cargo fmt.*--check"
            r"|(?:npm|pnpm|yarn|bun|make|just|task)(?: run)? \S*lint"
        ),
    ),
    (
        Kind.TEST,
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
        Kind.TEST,
        re.compile(
            r"(?:(?:python[\d.]*|node|ruby|php|perl|bash|sh|zsh|tsx|ts-node|lua|Rscript|deno run|bun run|bun"
            r"|go run) )?(?:\S*[/\\])?(?:\w*[_-])?(?:run[_-])?"
            r"(?:tests?|checks?|specs?|verify|smoke)(?:[_-]\w*)?\.(?:\w{1,4})\b"
        ),
    ),
    (Kind.TEST, re.compile(r"(?:run[_-])?(?:tests?|checks?|verify)(?:[_-]\w+)?$")),
    (
        Kind.BUILD,
        re.compile(
            r"(?:g?make|ninja|tsc|webpack|rollup|esbuild|compileall|build)\b|(?:vite|next|nuxt|astro|bazel|swift|cargo"
            r"|go|docker|dotnet|gradlew?|zig|mix)\b.*\b(?:build|assemble|compile|publish)\b|cmake --build"
            r"|mvnw?\b.*\b(?:compile|package|install)\b|(?:npm|pnpm|yarn|bun)(?: run)? build"
        ),
    ),
)
_FAILED = re.compile(
    r"(?P<n>\d+) (?:failed|failing|failures?|errors?)\b|(?:failures|errors|failed)[=:] *(?P<m>\d+)"
    r"|# fail (?P<k>\d+)|(?P<t>\d+) tests? failed",
    re.IGNORECASE,
)
_PASSED = re.compile(r"(?P<n>\d+) (?:passed|passing)\b|Passed: *(?P<m>\d+)|# pass (?P<k>\d+)", re.IGNORECASE)
_RAN = re.compile(r"Ran (?P<n>\d+) tests?|(?P<m>\d+) examples?|OK \((?P<k>\d+) tests?|Tests run: *(?P<t>\d+)")
_BAD = re.compile(
    r"^(?:FAIL\b|--- FAIL|FAILED\b|test result: FAILED|BUILD FAILED|\s*not ok \d)", re.MULTILINE
)
_SUMMARY = re.compile(
    r"passed|failed|passing|failing|failure|test result|examples?,|Tests run|Tests:|^OK\b|^Ran "
    r"|^# (?:pass|fail)|\berrors?\b",
    re.IGNORECASE,
)
_RUNS_INSTALLED = ("yarn", "pnpm", "bun")
_MASKED = re.compile(r"[|;\n]|(?<![&>])&(?![&>])")
"""What follows may hide a check's exit code: a pipe, or another command whatever became of the first."""
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|\d?>&\d?")
_END = 1500
"""Characters of the end of an output in which runners say how it went."""


class Check(NamedTuple):
    """One run of a check; `passed` is None where that was not seen."""

    kind: Kind
    command: str
    passed: bool | None
    told: str
    fault: Fault | None


def kind_of(command: str) -> tuple[Kind, str] | None:
    """What kind of check a command line runs, and the words that run it."""
    for words in segments(command):
        said = " ".join(words)
        # `yarn jest` runs what is installed, as `npx jest` does.
        told = (said, " ".join(words[1:])) if words[0] in _RUNS_INSTALLED else (said,)
        for kind, pattern in _KINDS:
            if any(pattern.match(one) for one in told):
                return kind, said
    return None


def check_of(step: Step) -> Check | None:
    """The check that a step was, if it was one."""
    known = kind_of(step.command) if step.tool == "run" and step.command else None
    if known is None:
        return None
    kind, command = known
    end = step.output[-_END:]
    # Where the exit code vouches for it, failures that the output speaks of in passing are none.
    vouched = step.failed is False and not _MASKED.search(_QUOTED.sub("", step.command))
    end = _summed_up(end) if vouched else end
    failed, passed = _count(_FAILED, end), _count(_PASSED, end)
    ran = _count(_RAN, end)
    if step.failed or failed or (not (vouched and passed) and _BAD.search(step.output)):
        good: bool | None = False
    else:
        good = True if step.failed is False or passed or ran else None
    fault = None if good is not False else fault_in(step.output) or last_line(step.output)
    return Check(kind, command, good, _told(good, failed, passed or ran, end), fault)


def _summed_up(end: str) -> str:
    """The last line that counts what passed, where there is one."""
    return next((line for line in reversed(end.splitlines()) if _count(_PASSED, line)), end)


def _count(pattern: re.Pattern[str], text: str) -> int | None:
    """The largest number that a runner gives for something; None where it gives none."""
    found = [int(group) for match in pattern.finditer(text) for group in match.groups() if group]
    return max(found) if found else None


def _told(good: bool | None, failed: int | None, passed: int | None, end: str) -> str:
    if failed or passed:
        counts = ((failed, "failed"), (passed, "passed" if good is not False or passed else "ran"))
        return ", ".join(f"{count} {word}" for count, word in counts if count)
    lines = [" ".join(line.strip(" =-").split()) for line in end.splitlines() if _SUMMARY.search(line)]
    if lines:
        return lines[-1][:120]
    return {True: "passed", False: "failed", None: ""}[good]
