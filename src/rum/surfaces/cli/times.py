"""Points in time as people write them: Unix seconds, an ISO date, or how long ago."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from rum.model.fields import seconds

_AGO = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
if TYPE_CHECKING:
    _Type = click.ParamType[int]
else:
    # Earlier releases of click have no type arguments.
    _Type = click.ParamType

_LONGEST = 366 * 86400
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def point_in_time(text: str, now: float) -> int:
    """Unix seconds of what was written; ValueError when it is no time."""
    text = text.strip()
    if ago := _AGO.fullmatch(text):
        return int(now - float(ago[1]) * _SECONDS[ago[2]])
    if _NUMBER.fullmatch(text):
        return seconds(float(text))
    return int(datetime.fromisoformat(text).timestamp())


class Span(_Type):
    """The type of `--for`."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Seconds of the option's text."""
        found = _AGO.fullmatch(str(value).strip())
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
            example = "Write Unix seconds, a date such as 2026-01-31 or 2026-01-31T14:00, or 7d, 12h, 2w ago."
            self.fail(f"{value!r} is not a time. {example}", param, ctx)
