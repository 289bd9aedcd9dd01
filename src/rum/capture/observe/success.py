"""Judge whether a turn succeeded (checks, its last words, the next prompt), and what in it did not work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rum.capture.observe.checks import Check, checks_of
from rum.capture.observe.errors import Fault, fault_in
from rum.capture.observe.goals import goal_of
from rum.capture.observe.messages import failure_sentence, gave_up, reports_failure, takes_report_back
from rum.capture.observe.rejection import changed_files
from rum.capture.observe.steps import Step
from rum.capture.observe.timeline import Change, ChangePosition, Run, Timeline, undone_fault
from rum.capture.observe.turns import Turn
from rum.model.memory_layers import FailureCategory, VerificationType
from rum.store.attempt_fingerprint import command_tried, is_beside
from rum.store.derived import is_outside

# The kinds of checks by how much they prove, least first.
_WEIGHT = (
    VerificationType.LINT,
    VerificationType.BUILD,
    VerificationType.TYPECHECK,
    VerificationType.MANUAL,
    VerificationType.TEST,
)
_REASON = 500
_NOT_RUN = (126, 127)  # Exit codes of a shell that could not start a program
_NOT_FOUND = re.compile(r"(?m)^Exit code 12[67]$|: command not found$")
_UNFINISHED = "The turn was broken off before the agent was done"
_MISSING = ("ModuleNotFoundError", "ImportError", "command not found", "LoadError", "ClassNotFoundException")
_TYPES = ("TypeError", "AttributeError", "TS2", "E0308")


class Verdict(NamedTuple):
    """The outcome of a turn; `proof` is the check that proves or refutes the work.

    `is_disputed`: the user says that it does not work.
    """

    success: bool
    reason: str | None = None
    category: FailureCategory | None = None
    proof: Check | None = None
    partial: bool = False
    is_disputed: bool = False


def judge(turn: Turn, steps: Sequence[Step], timeline: Timeline) -> Verdict:
    """Judge a turn by the strongest evidence: the user's objection, then checks, then the agent's words."""
    proof = _proof(turn, timeline)
    # The user knows more than any check: a passing test may test the wrong thing.
    if turn.reply and reports_failure(turn.reply) and not _is_taken_back(turn):
        reason = f"The user reported: {goal_of(turn.reply)}"
        return Verdict(False, reason, FailureCategory.INCORRECT_ASSUMPTION, proof, is_disputed=True)
    # An edit that was only made to answer a question, and taken back, is no failure of the task.
    answers = turn.asks and turn.is_finished and not gave_up(turn.last_words)
    if (how := timeline.all_undone) and not answers:
        return _undone(turn, timeline, how)
    if proof is not None and proof.passed is False:
        fault = proof.fault or Fault("", "")
        return Verdict(False, f"{proof.shown}: {fault.line}"[:_REASON], _category(proof), proof)
    if proof is None and (failure := _last_step_failed(steps)):
        return failure
    if gave_up(turn.last_words) and not (proof and proof.passed):
        return Verdict(False, failure_sentence(turn.last_words), FailureCategory.OTHER, proof)
    if not turn.is_finished and not (proof and proof.passed):
        return Verdict(False, _UNFINISHED, FailureCategory.OTHER, proof, partial=True)
    return Verdict(True, proof=proof if proof and proof.passed else None)


def _is_taken_back(turn: Turn) -> bool:
    """Whether the user said after a report, on which nothing was changed, that all is well."""
    return takes_report_back(turn.answer) and not changed_files(turn.after)


def _undone(turn: Turn, timeline: Timeline, how: str) -> Verdict:
    """Work of which nothing is left has failed, whatever passes now."""
    said = f"{failure_sentence(turn.last_words)} " if gave_up(turn.last_words) else ""
    refuted = [run for change in timeline.work if (run := timeline.refutation(change, timeline.last_change))]
    if not refuted:
        return Verdict(False, f"{said}All changes were undone by {how}", FailureCategory.OTHER)
    check = max(refuted, key=lambda run: run.at).check
    fault = check.fault or Fault("", "")
    reason = f"{said}{check.shown}: {fault.line}; all changes were undone by {how}"
    return Verdict(False, reason[:_REASON], _category(check))


def _proof(turn: Turn, timeline: Timeline) -> Check | None:
    """The check that decides about the work as it was left; None if none was run on it."""
    runs = [run for run in timeline.runs if run.at > timeline.last_change]
    if timeline.work:
        runs = [run for run in runs if not run.is_baseline]
    while (decisive := _decisive([run.check for run in runs])) is not None and timeline.work:
        if decisive.passed:
            # What failed before the last change was not run again, or was run only in part.
            before = (run.check for run in timeline.runs if run.at < timeline.last_change)
            later = [one.check for one in runs]
            is_left = any(not check.passed and _is_open(check, later) for check in before)
            return None if is_left else decisive
        run = next(run for run in reversed(runs) if run.check is decisive)
        is_old = timeline.failed_before(run)
        if not is_old and not timeline.is_elsewhere(run):
            return decisive
        if is_old and (rest := _without_old_failures(turn, timeline, run)) is not None:
            return rest
        # It says nothing about the work; another check may.
        runs = [one for one in runs if one.check.command != decisive.command]
    return decisive


def _without_old_failures(turn: Turn, timeline: Timeline, run: Run) -> Check | None:
    """A check in which only fails what failed before; None if it says nothing about the work."""
    check = run.check
    # What the work was to fix still fails.
    is_the_task = any(name in turn.prompt for name in check.failing)
    if is_the_task or any(timeline.names(run, change) for change in timeline.work if change.is_there):
        return check
    before = [one for one in timeline.baselines if one.check.passed is False]
    shown_without = any(one.with_stash for one in before)
    is_better = any(
        check.passed_count > one.check.passed_count or len(check.failing) < len(one.check.failing)
        for one in before
        if one.check.covers(check) and check.covers(one.check)
    )
    if not check.passed_count or not (shown_without or is_better):
        return None
    failed = len(check.failing) or 1
    return check._replace(
        passed=True, fault=None, result=f"{check.passed_count} passed, {failed} failed as before"
    )


def _decisive(checks: Sequence[Check]) -> Check | None:
    """The last run of the check that proves most; a newest check that failed counts before all others."""
    last: dict[str, Check] = {}
    for check in checks:
        last.pop(check.command, None)
        last[check.command] = check
    if not last:
        return None
    newest = list(last.values())[-1]
    if newest.passed is False:
        return newest
    order = list(last.values())
    # Of checks of one kind the last one: a single test that was run between two runs of all proves less.
    heaviest = max((check for check in reversed(order) if check.passed), key=_weight)
    # An earlier failure is outweighed by a later check that covers it, such as the whole suite.
    failed = [
        check
        for at, check in enumerate(order)
        if not check.passed and not any(one.passed and one.covers(check) for one in order[at + 1 :])
    ]
    worse = [check for check in failed if _weight(check) >= _weight(heaviest)]
    return worse[-1] if worse else heaviest


def _is_open(failed: Check, later: Sequence[Check]) -> bool:
    """Whether none of the later checks that passed tells that a failed one would pass too."""
    passed = [check for check in later if check.passed]
    if all(_weight(check) < _weight(failed) for check in passed):
        return True
    same = [check for check in passed if check.kind is failed.kind]
    return bool(same) and not any(check.reruns_failures_of(failed) for check in same)


def _weight(check: Check) -> int:
    return _WEIGHT.index(check.kind) if check.kind in _WEIGHT else -1


def _last_step_failed(steps: Sequence[Step]) -> Verdict | None:
    """The failure of the last step that did something; a command that only asks (`pgrep`) does not count."""
    done = [step for step in steps if not step.only_looks and not _only_asks(step) and not checks_of(step)]
    if not done or not done[-1].failed:
        return None
    last = done[-1]
    # A program that is missing here, or a network that is down, says nothing about the work.
    if last.exit in _NOT_RUN or is_outside(last.output) or _NOT_FOUND.search(last.output):
        return None
    fault = fault_in(last.output)
    error = fault.line if fault else f"exit code {last.exit}" if last.exit is not None else "failed"
    what = last.command.strip().partition("\n")[0][:120] or last.name
    category = _by_fault(fault) or FailureCategory.RUNTIME_ERROR
    return Verdict(False, f"{what}: {error}"[:_REASON], category)


def _only_asks(step: Step) -> bool:
    return step.tool == "run" and command_tried(step.command) is None


def _category(check: Check) -> FailureCategory:
    """Why a check failed: by its error, else by the kind of check."""
    if (known := _by_fault(check.fault)) is not None:
        return known
    if check.kind is VerificationType.TEST:
        return FailureCategory.TEST_FAILURE
    if check.kind is VerificationType.TYPECHECK:
        return FailureCategory.TYPE_ERROR
    return FailureCategory.BUILD_FAILURE


def _by_fault(fault: Fault | None) -> FailureCategory | None:
    if fault is None:
        return None
    text = f"{fault.kind}: {fault.message}"
    if fault.kind in _MISSING or "Cannot find module" in text or "No module named" in text:
        return FailureCategory.MISSING_DEPENDENCY
    if any(text.startswith(sign) for sign in _TYPES):
        return FailureCategory.TYPE_ERROR
    return None


class Attempt(NamedTuple):
    """A change that did not work: its error, the lines to blame, and what is there instead, if anything."""

    position: ChangePosition
    fault: Fault
    lines: frozenset[str]
    instead: Change | None = None

    @property
    def is_beside(self) -> bool:
        """Whether it has only imports and comments."""
        return bool(self.lines) and all(map(is_beside, self.lines))


def suspect_in(timeline: Timeline, verdict: Verdict) -> ChangePosition | None:
    """The only change of code, one line for another, with which the check failed that refutes the work.

    It is not blamed as long as it is there, but whoever makes it again should know. There is none if the
    check failed so without it, or if its output leads elsewhere.
    """
    code = [one for one in timeline.work if not one.is_test]
    if verdict.proof is None or verdict.proof.passed is not False or len(code) != 1:
        return None
    (change,) = code
    run = next(run for run in reversed(timeline.runs) if run.check is verdict.proof)
    is_meant = timeline.names(run, change) or not (run.frames or timeline.failed_before(run))
    is_one_line = len(change.added) == 1 and len(change.removed) == 1
    return change.position if change.is_there and is_one_line and is_meant else None


def attempts_in(timeline: Timeline, *, asks: bool = False) -> list[Attempt]:
    """Return the changes, or the lines of them, that did not work.

    `asks`: the task was a question; what was changed and taken back to find the answer did not fail by that.
    """
    changes = (one for one in timeline.changes if one.is_known and not one.is_prose and not one.is_test)
    found = sorted(
        filter(None, (_attempt(timeline, one, asks) for one in changes)), key=lambda one: one.position
    )
    # An import that went with what needed it is not to blame.
    return [one for one in found if not one.is_beside] or found


def _attempt(timeline: Timeline, change: Change, asks: bool) -> Attempt | None:
    if change.is_undoing or (change.only_shows and change.undone):
        return None
    lines, fault, instead = set[str](), None, None
    for gone in change.gone:
        run = timeline.refutation(change, gone.at)
        if run is None and (asks or not gone.is_undone):
            continue
        # Undone lines that were not in the file when the check failed did not fail by it.
        seen = gone.lines & run.there[change] if run else gone.lines
        if run and not seen:
            continue
        lines |= seen
        if run is not None:
            fault = run.check.fault
        if gone.by is not None and not gone.is_undone and gone.by.added - change.removed:
            instead = _what_stayed(gone.by)
    lines = {line for line in lines if not timeline.is_still_there(change, line)}
    if not lines and not (change.undone and not change.added):
        return None
    return Attempt(
        change.position, fault or undone_fault(change.undone or "a later edit"), frozenset(lines), instead
    )


def _what_stayed(change: Change) -> Change | None:
    """A change of which something is there at the end, or the one that replaced it; None if it was undone."""
    while not change.left:
        later = change.gone[-1].by if change.gone and not change.undone else None
        if later is None:
            return None
        change = later
    return None if change.undone or change.is_away else change
