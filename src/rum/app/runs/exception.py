"""The verdict on a run that an exception ended: the reason, and its category."""

from __future__ import annotations

import os
import traceback
from collections.abc import Generator
from contextlib import contextmanager

import rum
from rum.app.calls import PREFIX
from rum.model.errors import InvalidQuery, RumError
from rum.model.memory_layers import FailureCategory
from rum.model.runs import InferredVerdict, Result, Verdict
from rum.text.shorten import one_line

# The first class that matches gives the category; the last is for exits with an error.
CATEGORIES: tuple[tuple[type[BaseException], FailureCategory], ...] = (
    (ImportError, FailureCategory.MISSING_DEPENDENCY),
    (AssertionError, FailureCategory.TEST_FAILURE),
    (SyntaxError, FailureCategory.BUILD_FAILURE),
    (TypeError, FailureCategory.TYPE_ERROR),
    (AttributeError, FailureCategory.TYPE_ERROR),
    (Exception, FailureCategory.RUNTIME_ERROR),
    (BaseException, FailureCategory.OTHER),
)
_MAX_SUMMARY_LENGTH, _MAX_REASON_LENGTH = 200, 2000
_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(rum.__file__)), "")  # The folder of RUM's own code
_STANDARD_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")


def category_of(error: BaseException) -> FailureCategory:
    """The category of a failure."""
    return next(category for kind, category in CATEGORIES if isinstance(error, kind))


def verdict_of(error: BaseException, given: Verdict | None) -> Verdict:
    """The verdict of a run that an exception ended: a failure, unless the loop gave its own reason.

    An exception of RUM, a wrong call of RUM and an interruption are no failure of the task: then the verdict
    of the loop counts.
    """
    if reason := interruption_text(error):
        return given or _interrupted_verdict(error, reason)
    if given is not None and given.result is not Result.SUCCESS:
        return given
    reason = reason_of(error)
    return Verdict(
        result=Result.FAILURE,
        summary=one_line(f"Stopped by {reason}", _MAX_SUMMARY_LENGTH),
        reason=reason + _location(error),
        category=category_of(error),
        learnings=given.learnings if given else (),
        output=given.output if given else "",
    )


def interruption_text(error: BaseException) -> str | None:
    """The text for an exception that is not about the work; None if the work failed."""
    if is_from_rum(error):
        is_wrong_call = isinstance(error, InvalidQuery | TypeError | AttributeError)
        by = "a wrong call of RUM" if is_wrong_call else "RUM"
        return f"Broken off by {by}, not by the task: {reason_of(error)}"
    if isinstance(error, Exception | SystemExit):
        return None
    return f"Interrupted by {reason_of(error)}"


def _interrupted_verdict(error: BaseException, reason: str) -> InferredVerdict:
    return InferredVerdict(
        result=Result.PARTIAL,
        summary=one_line(reason, _MAX_SUMMARY_LENGTH),
        reason=reason + _location(error),
        category=FailureCategory.OTHER,
    )


def is_from_rum(error: BaseException) -> bool:
    """Whether an exception comes from RUM, or from calling it wrongly, and not from the work."""
    if isinstance(error, RumError) or not isinstance(error, Exception):
        return isinstance(error, RumError)
    if isinstance(error, TypeError) and _message(error).startswith(PREFIX):
        return True
    if isinstance(error, AttributeError) and type(error.obj).__module__.startswith(PREFIX):
        return True
    frames = reversed(traceback.extract_tb(error.__traceback__))
    raised_in = next((frame.filename for frame in frames if not _is_python_code(frame.filename)), "")
    return raised_in.startswith(_PACKAGE)


def _is_python_code(path: str) -> bool:
    """Whether code belongs to the standard library, and so does not show who called it wrongly."""
    return path.startswith(("<frozen ", _STANDARD_LIBRARY)) and "site-packages" not in path


def reason_of(error: BaseException) -> str:
    """The name and the message of an exception."""
    name, text = type(error).__name__, _message(error)
    return one_line(f"{name}: {text}" if text else name, _MAX_REASON_LENGTH)


def _message(error: BaseException) -> str:
    try:
        return str(error).strip()
    except Exception:  # noqa: BLE001 (any exception, whose `__str__` may fail itself)
        return ""


@contextmanager
def keep_error(error: BaseException | None) -> Generator[None]:
    """Keep the caller's exception if recording fails too; add a note about that to it."""
    try:
        yield
    except Exception as failure:
        if error is None:
            raise
        error.add_note(f"RUM could not record this: {reason_of(failure)}")


def is_failure(error: BaseException) -> bool:
    """Whether an exception means a failure; `sys.exit(0)` does not."""
    return not (isinstance(error, SystemExit) and error.code in (None, 0))


def _location(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return (
        f" (in {frames[-1].name}, {os.path.basename(frames[-1].filename)}:{frames[-1].lineno})"
        if frames
        else ""
    )
