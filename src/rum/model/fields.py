"""How the fields of a request are described (schema, options and signatures use it), times and patterns."""

from __future__ import annotations

import re
import typing
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta


def about(
    help: str,
    *,
    note: str | None = None,
    option: str | None = None,
    metavar: str | None = None,
    tool: bool = True,
) -> Meta:
    """Describe a field.

    `help` is the text for people, `note` the shorter one for the tool list, where every token counts and
    most names need none. `option` is the name on the command line where it is not the field's own. A field
    with the metavar PATH takes path objects in Python. With `tool` false the tool list leaves it out.
    """
    return Meta(extra={"help": help, "note": note, "option": option, "metavar": metavar, "tool": tool})


def field_info(annotation: Any) -> dict[str, Any]:
    """The description by `about` of a field with this annotation; empty if there is none."""
    if typing.get_origin(annotation) is typing.Annotated:
        for meta in typing.get_args(annotation)[1:]:
            if isinstance(meta, Meta) and meta.extra and "help" in meta.extra:
                return dict(meta.extra)
    return {}


LONGEST_PATTERN = 500  # Characters; a longer pattern matches nothing

Spoken = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_PATTERN)]  # A pattern that somebody gives


MILLISECONDS_FROM = 10**11

Time = Annotated[float, Meta(ge=0, le=10**15)]  # A time as callers give it

Stamp = Annotated[int, Meta(ge=0, le=10**15)]  # A time as it is kept, in seconds


def seconds(given: float) -> int:
    """Unix seconds of a time given in seconds or milliseconds."""
    return int(given // 1000 if given > MILLISECONDS_FROM else given)


SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(s|m|h|d|w)")
SPAN_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def point_in_time(text: str, now: float) -> int:
    """Parse Unix seconds, an ISO date or an age such as 7d; ValueError if it is none of these."""
    text = text.strip()
    try:
        if ago := SPAN.fullmatch(text):
            return int(now - float(ago[1]) * SPAN_UNITS[ago[2]])
        if _NUMBER.fullmatch(text):
            return seconds(float(text))
        return int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"{text!r} is not a time. Write Unix seconds, a date such as 2026-01-31 or 2026-01-31T14:00, "
            "or an age: 12h, 7d, 2w."
        ) from None
