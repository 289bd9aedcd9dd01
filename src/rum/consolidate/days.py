"""The day of a time, in UTC, whatever the platform's own clock can tell."""

from __future__ import annotations

from datetime import date

_DAY = 86400
_EPOCH = date(1970, 1, 1).toordinal()


def day_of(at: int) -> date:
    """The day on which a time in Unix seconds falls; what lies beyond the calendar is its last day."""
    return date.fromordinal(min(_EPOCH + at // _DAY, date.max.toordinal()))
