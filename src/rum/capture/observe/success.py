"""Whether a turn worked: by its last checks, its last words, and what the person said next."""

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

_WEIGHT = (VerificationType.LINT, VerificationType.BUILD, VerificationType.TYPECHECK, VerificationType.TEST)
"""What a check is worth as a proof, least first."""
_REASON = 500
UNFINISHED = "The turn was broken off before the agent was done"
_MISSING = ("ModuleNotFoundError", "ImportError", "command not found", "LoadError", "ClassNotFoundException")
_TYPES = ("TypeError", "AttributeError", "TS2", "E0308")


class Verdict(NamedTuple):
    """What was seen of the outcome; `proof` is the check that tells it best."""

    success: bool
    reason: str | None = None
    category: FailureCategory | None = None
    proof: Check | None = None
    partial: bool = False


def judged(turn: Turn, steps: Sequence[Step], checks: Sequence[Check | None]) -> Verdict:
    """Whether the turn did what it was to do."""
    proof = _proof([check for check in checks if check is not None])
    if turn.reply and rejects(turn.reply):
        said = goal_of(turn.reply)
        return Verdict(False, f"Rejected by the user: {said}", FailureCategory.INCORRECT_ASSUMPTION, proof)
    if proof is not None and proof.passed is False:
        fault = proof.fault or Fault("", "")
        return Verdict(False, f"{proof.command}: {fault.line}"[:_REASON], category_of(proof), proof)
    if proof is None and (broken := _broken(steps)):
        return broken
    if gave_up(turn.last_words) and not (proof and proof.passed):
        return Verdict(False, failure_sentence(turn.last_words), FailureCategory.OTHER, proof)
    if not turn.is_finished and not (proof and proof.passed):
        return Verdict(False, UNFINISHED, FailureCategory.OTHER, proof, partial=True)
    return Verdict(True, proof=proof if proof and proof.passed else None)


def _proof(checks: Sequence[Check]) -> Check | None:
    """The last run of the weightiest check; one that failed and was never run again counts before all."""
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
    # What failed earlier is outweighed by another of its kind that passed since, as a wider selection.
    open_ = [check for check in last.values() if check.passed is False and check.kind is not heaviest.kind]
    worse = [check for check in open_ if _WEIGHT.index(check.kind) > _WEIGHT.index(heaviest.kind)]
    return worse[-1] if worse else heaviest


def _broken(steps: Sequence[Step]) -> Verdict | None:
    """What the last thing that was done failed with, if it did; the answer to a question is no failure."""
    done = [step for step in steps if not step.only_looks and not _only_asks(step)]
    if not done or not done[-1].failed:
        return None
    last = done[-1]
    fault = fault_in(last.output)
    told = fault.line if fault else f"exit code {last.exit}" if last.exit is not None else "failed"
    what = last.command.strip().partition("\n")[0][:120] or last.name
    category = _by_fault(fault) or FailureCategory.RUNTIME_ERROR
    return Verdict(False, f"{what}: {told}"[:_REASON], category)


def _only_asks(step: Step) -> bool:
    return step.tool == "run" and command_tried(step.command) is None


def category_of(check: Check) -> FailureCategory:
    """Why a check failed, in one word."""
    if (known := _by_fault(check.fault)) is not None:
        return known
    if check.kind is VerificationType.TEST:
        return FailureCategory.TEST_FAILURE
    return (
        FailureCategory.TYPE_ERROR
        if check.kind is VerificationType.TYPECHECK
        else FailureCategory.BUILD_FAILURE
    )


def _by_fault(fault: Fault | None) -> FailureCategory | None:
    if fault is None:
        return None
    said = f"{fault.kind}: {fault.message}"
    if fault.kind in _MISSING or "Cannot find module" in said or "No module named" in said:
        return FailureCategory.MISSING_DEPENDENCY
    if any(said.startswith(sign) for sign in _TYPES):
        return FailureCategory.TYPE_ERROR
    return None
