"""Times are Unix seconds; what is too large for that is taken as milliseconds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

MILLISECONDS_FROM = 10**11

Time = Annotated[float, Meta(ge=0, le=10**15)]
"""A time as callers give it."""

Stamp = Annotated[int, Meta(ge=0, le=10**15)]
"""A time as it is kept, in seconds."""


def seconds(given: float) -> int:
    """Unix seconds of a time given in seconds or milliseconds."""
    return int(given // 1000 if given > MILLISECONDS_FROM else given)
