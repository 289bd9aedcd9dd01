"""The answers of `verify`: memories whose code has changed, and those that were confirmed."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType


class ChangedBy(Struct, frozen=True):
    """The commit that first changed some code after a memory was tied to it."""

    commit: str
    at: int
    subject: str


class StaleMemory(Struct, frozen=True, kw_only=True):
    """A memory that states something about code that has changed or is gone."""

    id: str
    created_at: int
    goal: str
    summary: str
    freshness: str
    code_at: str  # Where that code is now, or was
    code_changed: float  # The share of it that is different
    since: ChangedBy | UnsetType = UNSET  # Unset if no commit did it: the change is not committed


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
