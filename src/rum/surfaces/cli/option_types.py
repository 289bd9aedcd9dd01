"""Types of options and arguments: one of several words, a point in time, a time span."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from rum.model.fields import seconds

if TYPE_CHECKING:
    _Choice = click.Choice[str]
    _Type = click.ParamType[int]
else:
    # Earlier releases of click have no type arguments.
    _Choice, _Type = click.Choice, click.ParamType

_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|h|d|w)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_LONGEST = 366 * 86400  # Maximum of a time span, in seconds


class OneOf(_Choice):
    """One of several words; `bug-fix` is read as `bug_fix`."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([str(word) for word in words])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word as the API spells it."""
        return super().convert(str(value).replace("-", "_"), param, ctx)


def point_in_time(text: str, now: float) -> int:
    """Parse Unix seconds, an ISO date or an age such as 7d; ValueError if it is none of these."""
    text = text.strip()
    if ago := _SPAN.fullmatch(text):
        return int(now - float(ago[1]) * _SECONDS[ago[2]])
    if _NUMBER.fullmatch(text):
        return seconds(float(text))
    return int(datetime.fromisoformat(text).timestamp())


class Span(_Type):
    """The type of `--for`."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Seconds of the option's text."""
        found = _SPAN.fullmatch(str(value).strip())
        if found is None or not 1 <= (length := float(found[1]) * _SECONDS[found[2]]) <= _LONGEST:
            self.fail(f"{value!r} is not a time span. Write 30m, 12h, 7d or 2w; at most a year.", param, ctx)
        return int(length)


class When(_Type):
    """The type of `--since` and `--before`."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Unix seconds of the option's text."""
        try:
            return point_in_time(str(value), time.time())
        except (ValueError, OverflowError, OSError):
            example = (
                "Write Unix seconds, a date such as 2026-01-31 or 2026-01-31T14:00, or an age: 12h, 7d, 2w."
            )
            self.fail(f"{value!r} is not a time. {example}", param, ctx)


since_option = click.option(
    "--since", type=When(), help="Not older than this: Unix seconds, ISO date, or 7d, 12h, 2w."
)
