"""Recognise runs of tests, builds, linters and type checkers in command lines, and how each ended."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from rum.capture.observe.errors import Fault, fault_in, last_line
from rum.capture.observe.steps import Step, looks_only
from rum.capture.observe.summaries import (
    failing_names,
    failures_in,
    is_of_runner,
    is_total,
    passes_in,
    says_bad,
    says_good,
    summary_lines,
    tests_in,
)
from rum.model.memory_layers import VerificationType
from rum.text.shell import chain, segments, settings

_INTERPRETERS = (
    r"(?:python[\d.]*|node|ruby|php|perl|bash|sh|zsh|tsx|ts-node|lua|Rscript|deno run|bun run|bun|go run)"
)
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
            rf"(?:{_INTERPRETERS} )?(?:\S*[/\\])?(?:\w*[_-])?(?:run[_-])?"
            r"(?:tests?|checks?|specs?|verify|smoke)(?:[_-]\w*)?\.(?:\w{1,4})\b"
        ),
    ),
    (
        VerificationType.LINT,
        re.compile(rf"(?:{_INTERPRETERS} )?(?:\S*[/\\])?(?:\w*[_-])?(?:lint|style)(?:[_-]\w*)?\.\w{{1,4}}\b"),
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
# A script in a command line is a check if it fails unless something holds; `console.assert` never fails.
_SCRIPT_OPTIONS = ("-c", "-e", "-E", "--eval", "-pe", "-ne")
_SCRIPTED = re.compile(r"python[\d.]*|node|ruby|perl|deno|bun|tsx|lua|elixir|julia|Rscript")
_ASSERTS = re.compile(
    r"(?<!console\.)\bassert(?:\b|_\w+|[A-Z]\w*)|\bstopifnot\(|\b(?:die|raise|abort|exit\(?1)\b[^;]*\b(?:if|unless)\b"
    r"|\bor die\b"
)
# Programs that run whatever tests a project has; those that run a script which names the runner.
_RUN_ALL = ("make", "gmake", "just", "task", "tox", "nox", "bazel", "nx", "turbo")
_RUN_SCRIPTS = ("npm", "pnpm", "yarn", "bun")
_RUN_BY_SCRIPTS = (
    *_RUN_SCRIPTS,
    "jest",
    "vitest",
    "mocha",
    "ava",
    "node",
    "playwright",
    "cypress",
    "tsc",
    "eslint",
)
_IN_CONTAINERS = ("docker", "docker-compose", "podman", "kubectl")
_MAX_NAMED = 3  # Failing tests that are named as the error
_COUNTS = re.compile(r"\d+ (?:passed|failed|run)(?:, \d+ (?:passed|failed|run))*")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RUNS_INSTALLED = ("yarn", "pnpm", "bun")
# Exit codes of a shell that could not start the program, and of pytest that found no test.
_NOT_RUN = (126, 127)
_NO_TESTS = {"pytest": (4, 5), "py.test": (4, 5)}
# All that is left of a run in which no test was run.
_NOTHING_RAN = re.compile(
    r"(?:\d+ (?:skipped|deselected|warnings?)(?:, |\b)\s*)+(?:in [\d.]+s.*)?|Ran 0 tests.*|NO TESTS RAN"
    r"|test result: ok\. 0 passed; 0 failed.*|Tests?:\s+(?:\d+ skipped, )?\d+ total"
    r"|0 (?:passing|passed|tests).*"
    r"|(?:#|ℹ) (?:pass|fail|tests) 0"
)
_NO_TEST_FILES = re.compile(r"(?m)^\?\s+\S+\s+\[no test files\]$")
_MISSING = re.compile(
    r"(?im)^(?:\S+: )*(?:line \d+: )?\S+: (?:command )?not found$|^.*No module named '?pytest'?$"
    r"|^npm (?:ERR!|error) Missing script|^no tests ran in|is not recognized as an? (?:internal|name)"
    r"|^g?make: \*\*\* No rule to make target|: cd: .*: No such file or directory$|^No tests found"
)
# Options that change only what a check prints.
_QUIET = re.compile(
    r"-[qvsx]+|--(?:quiet|verbose|tb|color|colour|no-header|no-color|silent|maxfail)(?:=.*)?|-p|\d?>.*"
)


class Check(NamedTuple):
    """One run of a check; `passed` is None where that is unknown, `result` is the runner's own count.

    `failing` are the names of what failed, where the runner gives them; `place` is the index of the simple
    command in its command line.
    """

    kind: VerificationType
    command: str
    passed: bool | None
    result: str
    fault: Fault | None
    failing: frozenset[str] = frozenset()
    passed_count: int = 0
    output: str = ""
    place: int = 0
    settings: str = ""  # The variables that were set for it

    @property
    def shown(self) -> str:
        """The command as it has to be run."""
        return f"{self.settings} {self.command}".lstrip()

    @property
    def scope(self) -> frozenset[str]:
        """The words that say what is checked: a check with fewer of them checks more."""
        return frozenset(word for word in self.command.split() if not _QUIET.fullmatch(word))

    def covers(self, other: Check) -> bool:
        """Whether it checks all that another one does: the same, or a folder or a runner around it."""
        if self.kind is not other.kind:
            return False
        own, its = self.command.split()[0], other.command.split()[0]
        if own != its and (own in _RUN_ALL or (own in _RUN_SCRIPTS and its in _RUN_BY_SCRIPTS)):
            return True
        return all(
            any(word == one or one.startswith(f"{word.rstrip('/')}/") for one in other.scope)
            for word in self.scope
        )

    def reruns_failures_of(self, other: Check) -> bool:
        """Whether it runs again all that failed in another one, as far as the names tell."""
        chosen = [word for word in self.scope - other.scope if not word.startswith("-")]
        if self.covers(other) or not other.failing or not chosen or not other.scope < self.scope:
            return True
        lines = other.output.splitlines()
        return all(
            any(word in line for line in lines if name in line for word in chosen) for name in other.failing
        )


def check_kind(command: str) -> tuple[VerificationType, str] | None:
    """Return the kind of check that a command line runs first, and the simple command that runs it."""
    return next((found for words in segments(command) if (found := _kind_of(words))), None)


def is_check_result(command: str, result: str | None) -> bool:
    """Whether a command ran a check: by its name, or by the count that `checks_of` gives as its result."""
    return check_kind(command) is not None or _COUNTS.fullmatch(result or "") is not None


def _kind_of(words: list[str]) -> tuple[VerificationType, str] | None:
    line = " ".join(words)
    # `yarn jest` runs an installed program, as `npx jest` does.
    readings = [line, " ".join(words[1:])] if words[0] in _RUNS_INSTALLED else [line]
    if words[0] in _RUN_SCRIPTS:  # `npm run --silent lint`
        readings.append(" ".join(word for word in words if not word.startswith("-")))
    kinds = (kind for kind, pattern in _KINDS if any(pattern.match(one) for one in readings))
    kind = next(kinds, None)
    if kind is None and words[0] in _IN_CONTAINERS:
        return next((found for at in range(2, len(words)) if (found := _kind_of(words[at:]))), None)
    if kind is None and _is_assertion(words):
        kind, line = VerificationType.MANUAL, " ".join(line.split())
    return None if kind is None else (kind, line)


def _is_assertion(words: list[str]) -> bool:
    """Whether a command is a short script that asserts something: `python -c "...; assert f(1) == 2"`."""
    if not _SCRIPTED.fullmatch(words[0]):
        return False
    script = next((after for word, after in pairwise(words) if word in _SCRIPT_OPTIONS), "")
    return _ASSERTS.search(script) is not None


def check_of(step: Step) -> Check | None:
    """Return the check that a step ran, of several the one that decides; None for any other step."""
    found = checks_of(step)
    failed = [check for check in found if check.passed is False]
    return (failed or found)[-1] if found else None


def checks_of(step: Step) -> list[Check]:
    """Return the checks that a step ran, in their order."""
    if step.tool != "run" or not step.command:
        return []
    links = chain(step.command)
    places = [(at, known) for at, (_, words) in enumerate(links) if (known := _kind_of(words))]
    lines = [_COLOUR.sub("", line).rstrip() for line in step.output.splitlines()] if links else []
    if not places and not step.only_looks and any(map(is_of_runner, lines)):
        places = _unknown_runner(links)
    if not places:
        return []
    stops = bool(step.failed) and all(sign == "&&" for sign, _ in links[places[0][0] + 1 :])
    parts = _split_by_check(lines, len(places), stops=stops)
    last = max((number for number, part in enumerate(parts) if part), default=0)
    checks: list[Check] = []
    start = 0
    for number, ((at, (kind, command)), part) in enumerate(zip(places, parts, strict=True)):
        have_passed = bool(checks) and all(check.passed for check in checks)
        failed = _exit_of(step, links, at, is_only=len(places) == 1)
        if stops and number == last and have_passed and len(links) == places[-1][0] + 1:
            failed, start = True, places[number - 1][0] + 1
        read = _read_check(kind, command, failed, part, step.exit)
        if read.passed is False and not summary_lines(part) and not _is_first_to_fail(links[start:at]):
            read = Check(kind, command, None, "", None, output=read.output)
        checks.append(read._replace(place=at, settings=settings(step.command, links[at][1])))
    return checks


def _unknown_runner(links: list[tuple[str, list[str]]]) -> list[tuple[int, tuple[VerificationType, str]]]:
    """The command that must have run the tests of a printed result: the only one that does something."""
    acting = [(at, words) for at, (_, words) in enumerate(links) if not looks_only(" ".join(words))]
    return (
        [(at, (VerificationType.TEST, " ".join(words))) for at, words in acting] if len(acting) == 1 else []
    )


def _is_first_to_fail(before: list[tuple[str, list[str]]]) -> bool:
    """Whether the commands before a check rarely fail, so that the failure is its own."""
    return all(
        words[0] in ("git", "mkdir", "rm", "touch") or looks_only(" ".join(words)) for _, words in before
    )


def _split_by_check(lines: list[str], count: int, *, stops: bool) -> list[list[str]]:
    """The lines of each check of a command line, by the totals that end them."""
    if count == 1:
        return [lines]
    ends = [at + 1 for at, line in enumerate(lines) if is_total(line)]
    if len(ends) > count:
        # Some runners print two totals, one below the other.
        ends = [end for end in ends if not {end + 1, end + 2} & set(ends)]
    if len(ends) < count and stops:
        # Those after the one that failed did not run: it is the one with the last total, unless that is good.
        summary = summary_lines(lines[: ends[-1]]) if ends else []
        is_good = bool(summary) and not failures_in("\n".join(summary)) and not any(map(says_bad, summary))
        ends = [*(ends if is_good and any(lines[ends[-1] :]) else ends[:-1]), len(lines)]
    elif len(ends) != count:
        # Which lines belong to which check cannot be told; the last one comes nearest.
        return [*([] for _ in range(count - 1)), lines]
    parts = [lines[start:end] for start, end in pairwise([0, *ends])]
    return [*parts, *([] for _ in range(count - len(parts)))]


def _exit_of(step: Step, links: list[tuple[str, list[str]]], at: int, *, is_only: bool) -> bool | None:
    """Whether a simple command failed, by the exit code of its command line; None where that hides it."""
    later = links[at + 1 :]
    if step.command.rstrip(" )\n").endswith("&") and not later:
        return None  # it goes on in the background
    if shown := _shown_exit(step, later):
        return shown != "0"
    if step.failed is None or any(sign in ("|", ";", "&", "||") for sign, _ in later):
        return None
    if not step.failed:
        # All commands joined by `&&` have succeeded.
        return False if all(sign == "&&" for sign, _ in later) else None
    harmless = all(words[0] in ("echo", "true", "cd", "printf") for _, words in later)
    return True if is_only and harmless else None


def _shown_exit(step: Step, later: list[tuple[str, list[str]]]) -> str:
    """The exit code that an `echo $?` right after a command prints; empty if there is none."""
    if not later or later[0][1][0] != "echo" or "$?" not in (text := " ".join(later[0][1][1:])):
        return ""
    pattern = re.escape(text).replace(re.escape("$?"), r"(\d+)")
    found = re.findall(rf"(?m)^{pattern}\s*$", step.output)
    return found[-1] if found else ""


def _read_check(
    kind: VerificationType, command: str, failed: bool | None, lines: list[str], code: int | None
) -> Check:
    output = "\n".join(lines)
    summary = summary_lines(lines)
    # An exit code of 0 that nothing can have hidden outweighs all but the last count.
    counted = next((line for line in reversed(summary) if passes_in(line)), None)
    summary = [counted] if failed is False and counted else summary
    text = "\n".join(summary)
    failures, passes, ran = failures_in(text), passes_in(text), tests_in(text)
    is_bad = bool(failures) or (any(map(says_bad, summary)) and not (failed is False and passes))
    is_good = bool(passes or ran) or any(map(says_good, summary))
    if not (failures or passes or ran) and (
        _ran_nothing(summary, output) or _could_not_run(command, output, failed, code)
    ):
        return Check(kind, command, None, "", None, output=output)
    if failed or is_bad:
        has_passed: bool | None = False
    else:
        has_passed = True if failed is False or is_good else None
    failing = failing_names(lines) if has_passed is False else frozenset[str]()
    fault = None if has_passed is not False else _fault_of(kind, output, failing)
    result = _result(has_passed, failures, passes, ran, summary)
    return Check(kind, command, has_passed, result, fault, failing, passes or 0, output)


def _fault_of(kind: VerificationType, output: str, failing: frozenset[str]) -> Fault:
    """The error of a failed check; of tests their names, if the output only says that something failed."""
    fault = fault_in(output)
    is_vague = fault is None or (fault.kind == "error" and not fault.frame)
    if kind is VerificationType.TEST and failing and is_vague:
        return Fault("failed", ", ".join(sorted(failing)[:_MAX_NAMED]))
    return fault or last_line(output)


def _ran_nothing(summary: list[str], output: str) -> bool:
    """Whether a run says that there was no test to run."""
    counts = [line for line in summary if not says_good(line) or _NOTHING_RAN.fullmatch(line)]
    if not summary:
        return _NO_TEST_FILES.search(output) is not None
    return bool(counts) and all(map(_NOTHING_RAN.fullmatch, counts))


def _could_not_run(command: str, output: str, failed: bool | None, code: int | None) -> bool:
    """Whether a check never ran, so that it says nothing about the code."""
    if failed is False:
        return False
    said = re.match(r"(?:Error: )?Exit code:? (\d+)", output)
    code = int(said[1]) if said else code
    no_tests = _NO_TESTS.get(command.split()[0], ())
    return code in (*_NOT_RUN, *no_tests) or _MISSING.search(output) is not None


def _result(
    has_passed: bool | None, failed: int | None, passed: int | None, ran: int | None, summary: list[str]
) -> str:
    counts = [(failed, "failed"), (passed, "passed")]
    if not passed and (failed or has_passed is not False):
        # Tests that ran have passed only if none failed.
        counts.append((ran, "run" if failed else "passed"))
    if result := ", ".join(f"{count} {word}" for count, word in counts if count):
        return result
    if summary:
        return " ".join(summary[-1].split())[:120]
    return {True: "passed", False: "failed", None: ""}[has_passed]
