"""What tells when a note or a rule is of use: a pattern, and how long one may be."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

LONGEST_PATTERN = 500
"""Characters; a longer one is held against nothing."""

Spoken = Annotated[str, Meta(pattern=r"\S", max_length=LONGEST_PATTERN)]
"""A pattern that somebody gives."""
