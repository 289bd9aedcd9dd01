"""Judge whether a turn succeeded: by its last checks, its last words, and the user's next prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rum.capture.observe.checks import Check
from rum.capture.observe.errors import Fault, fault_in
from rum.capture.observe.messages import failure_sentence, gave_up, goal_of, rejects
from rum.capture.observe.steps import Step
from rum.capture.observe.turns import Turn
from rum.model.memory_layers import FailureCategory, VerificationType
from rum.store.attempt_fingerprint import command_tried

# The kinds of checks by how much they prove, least first.
_WEIGHT = (VerificationType.LINT, VerificationType.BUILD, VerificationType.TYPECHECK, VerificationType.TEST)
_REASON = 500
_UNFINISHED = "The turn was broken off before the agent was done"
_MISSING = ("ModuleNotFoundError", "ImportError", "command not found", "LoadError", "ClassNotFoundException")
_TYPES = ("TypeError", "AttributeError", "TS2", "E0308")


class Verdict(NamedTuple):
    """The outcome of a turn; `proof` is the check that proves most."""

    success: bool
    reason: str | None = None
    category: FailureCategory | None = None
    proof: Check | None = None
    partial: bool = False


def judge(turn: Turn, steps: Sequence[Step], checks: Sequence[Check | None]) -> Verdict:
    """Judge a turn by the strongest evidence: the user's objection, then checks, then the agent's words."""
    proof = _proof([check for check in checks if check is not None])
    # The user knows more than any check: a passing test may test the wrong thing.
    if turn.reply and rejects(turn.reply):
        reason = f"Rejected by the user: {goal_of(turn.reply)}"
        return Verdict(False, reason, FailureCategory.INCORRECT_ASSUMPTION, proof)
    if proof is not None and proof.passed is False:
        fault = proof.fault or Fault("", "")
        return Verdict(False, f"{proof.command}: {fault.line}"[:_REASON], _category(proof), proof)
    if proof is None and (failure := _last_step_failed(steps)):
        return failure
    if gave_up(turn.last_words) and not (proof and proof.passed):
        return Verdict(False, failure_sentence(turn.last_words), FailureCategory.OTHER, proof)
    if not turn.is_finished and not (proof and proof.passed):
        return Verdict(False, _UNFINISHED, FailureCategory.OTHER, proof, partial=True)
    return Verdict(True, proof=proof if proof and proof.passed else None)


def _proof(checks: Sequence[Check]) -> Check | None:
    """The last run of the check that proves most; a newest check that failed counts before all others."""
    last: dict[str, Check] = {}
    for check in checks:
        if check.passed is not None:
            last.pop(check.command, None)
            last[check.command] = check
    if not last:
        return None
    newest = list(last.values())[-1]
    if newest.passed is False:
        return newest
    passed = [check for check in last.values() if check.passed]
    heaviest = max(passed, key=lambda check: _WEIGHT.index(check.kind) if check.kind in _WEIGHT else -1)
    # An earlier failure is outweighed by a later check of its kind that passed, such as the whole suite.
    open_ = [check for check in last.values() if check.passed is False and check.kind is not heaviest.kind]
    worse = [check for check in open_ if _WEIGHT.index(check.kind) > _WEIGHT.index(heaviest.kind)]
    return worse[-1] if worse else heaviest


def _last_step_failed(steps: Sequence[Step]) -> Verdict | None:
    """The failure of the last step that did something; a command that only asks (`pgrep`) does not count."""
    done = [step for step in steps if not step.only_looks and not _only_asks(step)]
    if not done or not done[-1].failed:
        return None
    last = done[-1]
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
