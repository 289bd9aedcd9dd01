"""What an exception says of a run that it ended: the reason, and its category."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Generator
from contextlib import contextmanager

from rum.inject.render import one_line
from rum.model.errors import InvalidQuery, RumError
from rum.model.layers import FailureCategory
from rum.model.run import Result, Unsaid, Verdict

CATEGORIES: tuple[tuple[type[BaseException], FailureCategory], ...] = (
    (ImportError, FailureCategory.MISSING_DEPENDENCY),
    (AssertionError, FailureCategory.TEST_FAILURE),
    (SyntaxError, FailureCategory.BUILD_FAILURE),
    (TypeError, FailureCategory.TYPE_ERROR),
    (AttributeError, FailureCategory.TYPE_ERROR),
    (Exception, FailureCategory.RUNTIME_ERROR),
    (BaseException, FailureCategory.OTHER),
)
"""The first class that fits gives the category; the last are interruptions."""
_SUMMARY, _REASON = 200, 2000
_WRONG_CALL = re.compile(r"(?:Run|Attempt)\.\w+\(\) ")
"""How Python names one of our methods that was called with the wrong arguments."""


def category_of(error: BaseException) -> FailureCategory:
    """Why it went wrong, in one word."""
    return next(category for kind, category in CATEGORIES if isinstance(error, kind))


def verdict_of(error: BaseException, said: Verdict | None) -> Verdict:
    """A failure; where the loop said itself why it failed, its own words stand.

    What RUM raised, or a wrong call of it, says nothing of the task: then all that the loop said stands.
    """
    reason = reason_of(error)
    if is_ours(error):
        by = "a wrong call of RUM" if isinstance(error, InvalidQuery | TypeError) else "RUM"
        return said or Unsaid(
            result=Result.PARTIAL,
            summary=one_line(f"Broken off by {by}, not by the task: {reason}", _SUMMARY),
            reason=f"Broken off by {by}, not by the task: {reason}" + _where(error),
            category=FailureCategory.OTHER,
        )
    if said is not None and said.result is not Result.SUCCESS:
        return said
    return Verdict(
        result=Result.FAILURE,
        summary=one_line(f"Stopped by {reason}", _SUMMARY),
        reason=reason + _where(error),
        category=category_of(error),
        learnings=said.learnings if said else (),
        output=said.output if said else "",
    )


def is_ours(error: BaseException) -> bool:
    """Whether an exception comes from RUM, or from calling it wrongly, and not from the work."""
    wrong_call = isinstance(error, TypeError) and _WRONG_CALL.match(_words(error))
    return isinstance(error, RumError) or bool(wrong_call)


def reason_of(error: BaseException) -> str:
    """What an exception says, with its name."""
    name, told = type(error).__name__, _words(error)
    return one_line(f"{name}: {told}" if told else name, _REASON)


def _words(error: BaseException) -> str:
    try:
        return str(error).strip()
    except Exception:  # noqa: BLE001 (an exception of anybody's, which may be broken itself)
        return ""


@contextmanager
def kept_whole(error: BaseException | None) -> Generator[None]:
    """See to it that nothing takes the place of the caller's exception; what would have is noted on it."""
    try:
        yield
    except Exception as own:
        if error is None:
            raise
        error.add_note(f"RUM could not record this: {reason_of(own)}")


def is_failure(error: BaseException) -> bool:
    """Whether an exception means that something failed; a program may also end well by one."""
    return not (isinstance(error, SystemExit) and error.code in (None, 0))


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return (
        f" (in {frames[-1].name}, {os.path.basename(frames[-1].filename)}:{frames[-1].lineno})"
        if frames
        else ""
    )
