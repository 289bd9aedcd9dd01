"""The requests and answers about code: `why` explains lines, `verify` finds changed code."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.errors import InvalidQuery
from rum.model.fields import about
from rum.model.memory_layers import Layer

MAX_LINES = 2000  # Of a range that is asked for
DEFAULT_TOKENS = 400
_LINES = re.compile(r"(?P<path>.+?):(?P<first>[1-9]\d{0,8})(?:-(?P<last>[1-9]\d{0,8}))?")
_SYMBOL = re.compile(r"(?P<path>[^#]+)#(?P<name>[^\s#]{1,200})")


class WhyRequest(Layer, frozen=True):
    """Which code is meant: `FILE:LINE`, `FILE:LINE-LINE` or `FILE#SYMBOL`."""

    target: Annotated[
        Annotated[str, Meta(min_length=1)],
        about("FILE:LINE, FILE:LINE-LINE or FILE#SYMBOL.", note="FILE:LINE[-LINE] or FILE#SYMBOL"),
    ]
    max_tokens: Annotated[
        Annotated[int, Meta(ge=50, le=20_000)], about("Maximum number of tokens of the answer.", tool=False)
    ] = DEFAULT_TOKENS


class Target(NamedTuple):
    """A target in its parts: a range of lines, or a symbol."""

    path: str
    first: int = 0
    last: int = 0
    symbol: str = ""


def parse_target(text: str) -> Target:
    """The parts of a target; InvalidQuery names the three forms if it has none of them."""
    if found := _LINES.fullmatch(text.strip()):
        first, last = int(found["first"]), int(found["last"] or found["first"])
        if last < first:
            raise InvalidQuery(f"The range {first}-{last} ends before it begins.", field="target")
        if last - first >= MAX_LINES:
            raise InvalidQuery(f"A range has at most {MAX_LINES} lines.", field="target")
        return Target(found["path"], first, last)
    if found := _SYMBOL.fullmatch(text.strip()):
        return Target(found["path"], symbol=found["name"])
    raise InvalidQuery(
        f"`{text[:100]}` names no line. Give FILE:LINE, FILE:LINE-LINE or FILE#SYMBOL.", field="target"
    )


class WhySource(Struct, frozen=True, omit_defaults=True):
    """A source: a commit with its first and last line, a memory, or both."""

    memory_id: str | None = None
    commit: str | None = None
    lines: str | None = None


class WhyResult(Struct, frozen=True, omit_defaults=True):
    """What is known of the code at `path`, in sentences, with the sources in their order."""

    path: str
    lines: str
    text: str
    token_estimate: int
    sources: list[WhySource]
    symbol: str | UnsetType = UNSET


class ChangedBy(Struct, frozen=True):
    """The commit that changed some code after a memory was tied to it."""

    commit: str
    at: int
    subject: str


class CodeState(Struct, frozen=True, kw_only=True):
    """What became of the code that a text names (fresh, moved, changed, gone); unset if that is unknown."""

    freshness: str | UnsetType = UNSET
    code_at: str | UnsetType = UNSET  # Where that code is now, or was; unset for fresh code
    code_changed: float | UnsetType = UNSET  # The share of it that is different


class StaleMemory(Struct, frozen=True, kw_only=True):
    """A memory, note, fact or rule that states something about code that has changed or is gone."""

    id: str  # Of a note its slug, of a fact its key
    kind: str = "memory"  # Or `note`, `fact`, `rule`
    created_at: int
    goal: str
    summary: str
    freshness: str
    code_at: str  # Where that code is now, or was
    code_changed: float  # The share of it that is different
    since: ChangedBy | UnsetType = UNSET
    uncommitted: bool | UnsetType = UNSET  # Set if no commit did it


class StaleFile(Struct, frozen=True):
    """A file, and the memories about code in it that has changed, newest first."""

    path: str
    memories: list[StaleMemory]


class VerifyResult(Struct, frozen=True, kw_only=True):
    """The answer of `verify`: how many memories were compared with the code, and those that went stale."""

    checked: int
    stale: int
    files: list[StaleFile]
    hint: str | UnsetType = UNSET


class ConfirmResult(Struct, frozen=True, kw_only=True):
    """The memories that are compared with the present code from now on."""

    confirmed: list[str]
