"""A memory: as a draft, as stored, how an update merges into it, and whether it worked."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.errors import InvalidQuery
from rum.model.fields import Stamp, Time, seconds
from rum.model.links import Links
from rum.model.memory_layers import (
    Action,
    ActionDetails,
    ActionResult,
    ActionType,
    Intent,
    Layer,
    Outcome,
    Perception,
    Reasoning,
)
from rum.model.parse import check_field, parse

Share = Annotated[float, Meta(ge=0, le=1)]  # A number from 0 to 1

# An id: ours, or one from elsewhere that can be written on a line.
Name = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{1,200}\Z")]

Number = Annotated[int, Meta(ge=1, le=10**9)]  # The number of a version

DEFAULT_IMPORTANCE = 0.5


class Operation(StrEnum):
    """What a memory did to a file, weakest first."""

    READ = "read"
    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"


OPERATION_OF: dict[ActionType, Operation] = {
    ActionType.FILE_READ: Operation.READ,
    ActionType.FILE_EDIT: Operation.EDIT,
    ActionType.FILE_CREATE: Operation.CREATE,
    ActionType.FILE_DELETE: Operation.DELETE,
}


class GivenAction(ActionDetails, frozen=True, kw_only=True):
    """An action as callers write it: its details nested under `details`, or flat beside the type."""

    type: ActionType
    timestamp: Time | None = None
    details: ActionDetails | None = None
    result: ActionResult | None = None

    def settled(self, stored_at: int) -> Action:
        """The one form that is kept: nested, with a time."""
        nested = self.details or ActionDetails()
        merged: dict[str, str | None] = {}
        for name in ActionDetails.__struct_fields__:
            inner: str | None = getattr(nested, name)
            flat: str | None = getattr(self, name)
            if inner is not None and flat is not None and inner != flat:
                raise InvalidQuery(
                    f"An action gives `{name}` twice with different values, flat and under `details`.",
                    field=f"actions[].{name}",
                )
            merged[name] = flat if inner is None else inner
        at = stored_at if self.timestamp is None else seconds(self.timestamp)
        return Action(type=self.type, timestamp=at, details=ActionDetails(**merged), result=self.result)


class Draft(Layer, frozen=True):
    """What a caller may say of a memory; the links are added to those there are."""

    intent: Intent
    outcome: Outcome
    perception: Perception = Perception()
    reasoning: Reasoning = Reasoning()
    actions: tuple[GivenAction, ...] = ()
    links: Links = Links()
    tags: tuple[str, ...] = ()
    importance: Share = DEFAULT_IMPORTANCE


class FileRef(Struct, frozen=True, omit_defaults=True):
    """A file a memory is tied to, with git's id of the bytes it had when the memory was stored."""

    path: str
    operation: Operation
    content_hash: str | None = None


SHORT_SHA = 10  # Characters of a commit's id that are shown


class OriginKind(StrEnum):
    """What a memory was made of."""

    AGENT = "agent"  # An agent's own `store`
    TURN = "turn"  # A turn that was captured while it happened
    TRANSCRIPT = "transcript"  # A turn that was read from a client's transcript later
    COMMIT = "commit"
    ISSUE = "issue"
    PEER = "peer"  # Another program's memory


class Origin(Struct, frozen=True, omit_defaults=True):
    """What a memory was made of, and its name there: a commit's id, an issue's number, a turn's id."""

    kind: OriginKind
    reference: str | None = None


class Reversal(Struct, frozen=True, omit_defaults=True):
    """The other end of a revert: the id of its memory (of its commit, where no memory is known)."""

    id: str
    commit: str | None = None
    in_part: bool = False
    reason: str | None = None

    @property
    def label(self) -> str:
        """What people know the other end by."""
        return self.commit[:SHORT_SHA] if self.commit else self.id


def reverted_summary(summary: str, reverted_by: Reversal | None) -> str:
    """A summary with what reverted the work, for a line of an answer."""
    if not reverted_by:
        return summary
    return f"{summary}; reverted{' in part' if reverted_by.in_part else ''} by {reverted_by.label}"


_IN_SUMMARY = re.compile(r"; reverted by ([0-9a-f]{7,64})\b")


def split_old_summary(summary: str) -> tuple[str, str | None]:
    """A commit's summary without the commit that reverted it, and that commit's short id.

    Stores before schema 11 and exports before format 4 kept it there; nothing else reads summaries.
    """
    found = _IN_SUMMARY.search(summary)
    return (summary[: found.start()] + summary[found.end() :], found[1]) if found else (summary, None)


class Content(Struct, frozen=True, kw_only=True):
    """What a memory says: all that an update may change and its history keeps."""

    intent: Intent
    outcome: Outcome
    perception: Perception = Perception()
    reasoning: Reasoning = Reasoning()
    actions: tuple[Action, ...] = ()
    tags: tuple[str, ...] = ()
    importance: Share = DEFAULT_IMPORTANCE
    files: tuple[FileRef, ...] = ()
    commit: str | None = None
    branch: str | None = None


class Memory(Content, frozen=True, kw_only=True):
    """One finished unit of work, as it is kept."""

    id: Name
    agent_id: Name
    project_id: str
    session_id: str
    created_at: Stamp
    updated_at: Stamp | None = None
    version: Number = 1
    imported_at: Stamp | None = None
    superseded_by: tuple[str, ...] = ()
    origin: Origin = Origin(OriginKind.AGENT)
    reverted_by: Reversal | None = None
    reverts: tuple[Reversal, ...] = ()  # What this undid; known from the memories that say so

    @property
    def result(self) -> str:
        """The summary, with what reverted the work if anything did."""
        return reverted_summary(self.outcome.summary, self.reverted_by)

    def content(self) -> Content:
        """What it says now."""
        return Content(**{name: getattr(self, name) for name in Content.__struct_fields__})


class Use(NamedTuple):
    """How often a memory was retrieved, and when last."""

    times: int = 0
    last: int | None = None


class Similar(Struct, frozen=True):
    """A memory that looks like the one just stored; nothing was merged."""

    id: str
    goal: str
    likeness: float


class Who(Struct, frozen=True):
    """The identity that a first `store` took automatically: resumed or registered."""

    agent_id: str
    action: str


class StoreResult(Struct, frozen=True, kw_only=True):
    """What `store` answers."""

    memory_id: str
    stored_at: int
    indexed_files: list[str]
    similar: list[Similar] | UnsetType = UNSET
    identity: Who | UnsetType = UNSET


class Version(Struct, frozen=True, kw_only=True):
    """One version of a memory in its history; the last one is what it is now."""

    version: int
    changed_at: int
    changed_by: str
    current: bool
    memory: dict[str, Any]


PARTS = ("intent", "perception", "reasoning", "actions", "outcome", "tags", "importance")
REQUIRED = frozenset(
    {
        "intent",
        "intent.goal",
        "intent.task_type",
        "outcome",
        "outcome.success",
        "outcome.summary",
        "outcome.verified_by.type",
    }
)


def drafted(given: dict[str, Any]) -> Draft:
    """The draft of a new memory; null says no more than leaving a field out."""
    return parse(merge({}, given, "store"), Draft, "store")


def patched(memory: Memory, patch: dict[str, Any]) -> Draft:
    """The draft a memory becomes under a patch; its `links` are those the patch adds."""
    current: dict[str, Any] = {part: msgspec.to_builtins(getattr(memory, part)) for part in PARTS}
    return parse(merge(current, patch, "update_memory"), Draft, "update_memory")


def merge(current: dict[str, Any], patch: dict[str, Any], what: str, path: str = "") -> dict[str, Any]:
    """`current` with `patch` applied, for the call `what`; neither is changed."""
    merged = dict(current)
    for name, value in patch.items():
        where = f"{path}.{name}" if path else name
        if value is None:
            check_field(Draft, path, name, what)
            if where in REQUIRED:
                raise InvalidQuery(f"{what}: `{where}` is required and cannot be null.", field=where)
            merged.pop(name, None)
        elif isinstance(value, dict):
            known = merged.get(name)
            under: dict[str, Any] = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
            merged[name] = merge(under, cast("dict[str, Any]", value), what, where)
        else:
            merged[name] = value
    return merged


PARTIAL = "partial"  # The tag of a memory of work that was done in part
UNVERIFIED = "unverified"  # The tag of a memory whose outcome nobody confirmed


def is_verified(memory: Memory) -> bool:
    """Whether the outcome is confirmed: only then it is a success, or a failure to learn from."""
    return UNVERIFIED not in memory.tags


def has_worked(memory: Memory) -> bool:
    """Whether the work is confirmed to have succeeded."""
    return memory.outcome.success and is_verified(memory)
