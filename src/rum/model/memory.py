"""A memory and its links: as a draft, as stored, how an update merges into it, and whether it worked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.errors import InvalidQuery
from rum.model.fields import Stamp, Time, check_field, parse, seconds
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
from rum.text.lexicon import word_set


class LinkType(StrEnum):
    """The kinds of link, as one says them from the source."""

    CAUSED_BY = "caused_by"
    LED_TO = "led_to"
    RELATED_TO = "related_to"
    SUPERSEDES = "supersedes"
    BLOCKED_BY = "blocked_by"


class Links(Layer, frozen=True):
    """A memory's links by kind; one id or several."""

    caused_by: str | tuple[str, ...] | None = None
    led_to: str | tuple[str, ...] | None = None
    related_to: str | tuple[str, ...] | None = None
    supersedes: str | tuple[str, ...] | None = None
    blocked_by: str | tuple[str, ...] | None = None

    def each(self) -> Iterable[tuple[LinkType, str]]:
        """Every (kind, target id)."""
        for kind in LinkType:
            targets: str | tuple[str, ...] | None = getattr(self, kind.value)
            for target in (targets,) if isinstance(targets, str) else targets or ():
                yield kind, target


class Edge(NamedTuple):
    """A link as it is kept: never `led_to`, and a symmetric one with its smaller id first."""

    source_id: str
    target_id: str
    link_type: LinkType

    @classmethod
    def of(cls, source_id: str, target_id: str, kind: LinkType) -> Edge:
        """The one stored form of a link, given from either end."""
        if kind is LinkType.LED_TO:
            return cls(target_id, source_id, LinkType.CAUSED_BY)
        if kind is LinkType.RELATED_TO:
            return cls(min(source_id, target_id), max(source_id, target_id), kind)
        return cls(source_id, target_id, kind)

    @property
    def link_id(self) -> str:
        """The same for the same edge, always."""
        import hashlib  # noqa: PLC0415 (loads OpenSSL, which asking for links does not need)
        from base64 import b32encode  # noqa: PLC0415

        digest = hashlib.sha256("\0".join(self).encode()).digest()
        return "link_" + b32encode(digest[:16]).decode().rstrip("=").lower()

    def seen_from(self, memory_id: str) -> tuple[str, str]:
        """(kind, other id) as the memory at either end shows it."""
        if memory_id == self.source_id:
            return self.link_type.value, self.target_id
        reverse = {"caused_by": "led_to", "related_to": "related_to", "supersedes": "superseded_by"}
        return reverse.get(self.link_type.value, "blocks"), self.source_id


LinkedIds = dict[str, str | list[str]]  # The links of a memory by kind
_SINGLE = (LinkType.SUPERSEDES, LinkType.BLOCKED_BY)  # Kinds that a memory usually has one of


def links_seen(memory_id: str, edges: Iterable[Edge]) -> LinkedIds:
    """A memory's links by kind, from both ends; of the kinds with usually one id, that id alone."""
    seen: dict[str, list[str]] = {}
    for edge in edges:
        kind, other = edge.seen_from(memory_id)
        seen.setdefault(kind, []).append(other)
    return {
        kind: ids[0] if kind in _SINGLE and len(ids) == 1 else sorted(ids)
        for kind, ids in sorted(seen.items())
    }


UnitFloat = Annotated[float, Meta(ge=0, le=1)]  # A number from 0 to 1

# An id, from RUM or from another program: 1 to 200 characters, none of them a control character.
Id = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{1,200}\Z")]

VersionNumber = Annotated[int, Meta(ge=1, le=10**9)]  # The number of a version

DEFAULT_IMPORTANCE = 0.5


class Operation(StrEnum):
    """What the work of a memory did to a file, weakest first."""

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


class ActionInput(ActionDetails, frozen=True, kw_only=True):
    """An action as callers write it: its details nested under `details`, or flat beside the type."""

    type: ActionType
    timestamp: Time | None = None
    details: ActionDetails | None = None
    result: ActionResult | None = None

    def normalized(self, stored_at: int) -> Action:
        """The action in its stored form: details nested, with a timestamp."""
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
    """The fields of a memory that a caller can set; `links` are added to the existing ones."""

    intent: Intent
    outcome: Outcome
    perception: Perception = Perception()
    reasoning: Reasoning = Reasoning()
    actions: tuple[ActionInput, ...] = ()
    links: Links = Links()
    tags: tuple[str, ...] = ()
    importance: UnitFloat = DEFAULT_IMPORTANCE


class FileRef(Struct, frozen=True, omit_defaults=True):
    """A file that a memory is linked to, with git's hash of its content when the memory was stored."""

    path: str
    operation: Operation
    content_hash: str | None = None


SHORT_SHA = 10  # Characters of a commit's id that are shown


class OriginKind(StrEnum):
    """What a memory was created from."""

    AGENT = "agent"  # An agent's own `store`
    TURN = "turn"  # A turn that was captured while it happened
    TRANSCRIPT = "transcript"  # A turn that was read from a client's transcript later
    COMMIT = "commit"
    ISSUE = "issue"
    PEER = "peer"  # Another program's memory


class Origin(Struct, frozen=True, omit_defaults=True):
    """What a memory was created from, and its reference: a commit's id, an issue's number, or a turn's id."""

    kind: OriginKind
    reference: str | None = None


class RevertLink(Struct, frozen=True, omit_defaults=True):
    """The other side of a revert: the id of its memory, or of its commit if no memory of it is known."""

    id: str
    commit: str | None = None
    in_part: bool = False
    reason: str | None = None

    @property
    def label(self) -> str:
        """The short commit id, or else the memory's id."""
        return self.commit[:SHORT_SHA] if self.commit else self.id


def add_revert(summary: str, reverted_by: RevertLink | None) -> str:
    """A summary, followed by what reverted the work if anything did."""
    if not reverted_by:
        return summary
    return (
        f"{summary.rstrip(' .')}; reverted{' in part' if reverted_by.in_part else ''} by {reverted_by.label}"
    )


_REVERT_IN_SUMMARY = re.compile(r"; reverted by ([0-9a-f]{7,64})\b")


def split_old_summary(summary: str) -> tuple[str, str | None]:
    """A commit's summary without its `; reverted by ...`, and the short id of the reverting commit.

    Stores before schema 11 and exports before format 4 kept the revert there; nothing else parses summaries.
    """
    found = _REVERT_IN_SUMMARY.search(summary)
    return (summary[: found.start()] + summary[found.end() :], found[1]) if found else (summary, None)


class Content(Struct, frozen=True, kw_only=True):
    """The content of a memory: everything that an update can change and that its history keeps."""

    intent: Intent
    outcome: Outcome
    perception: Perception = Perception()
    reasoning: Reasoning = Reasoning()
    actions: tuple[Action, ...] = ()
    tags: tuple[str, ...] = ()
    importance: UnitFloat = DEFAULT_IMPORTANCE
    files: tuple[FileRef, ...] = ()
    commit: str | None = None
    branch: str | None = None


class Memory(Content, frozen=True, kw_only=True):
    """One finished unit of work, as it is stored."""

    id: Id
    agent_id: Id
    project_id: str
    session_id: str
    created_at: Stamp
    updated_at: Stamp | None = None
    version: VersionNumber = 1
    imported_at: Stamp | None = None
    superseded_by: tuple[str, ...] = ()
    origin: Origin = Origin(OriginKind.AGENT)
    reverted_by: RevertLink | None = None
    reverts: tuple[RevertLink, ...] = ()  # What this work reverted; derived from their `reverted_by`

    @property
    def full_summary(self) -> str:
        """The summary, with what reverted the work if anything did."""
        return add_revert(self.outcome.summary, self.reverted_by)

    def content(self) -> Content:
        """The current content."""
        return Content(**{name: getattr(self, name) for name in Content.__struct_fields__})


class Usage(NamedTuple):
    """How often a memory was retrieved, and when last."""

    times: int = 0
    last_used_at: int | None = None


class Similar(Struct, frozen=True):
    """A memory that looks like the one just stored; nothing was merged."""

    id: str
    goal: str
    likeness: float


class AutomaticIdentity(Struct, frozen=True):
    """The agent that a first `store` resumed or registered automatically."""

    agent_id: str
    action: str


class StoreResult(Struct, frozen=True, kw_only=True):
    """The answer of `store`."""

    memory_id: str
    stored_at: int
    indexed_files: list[str]
    similar: list[Similar] | UnsetType = UNSET
    identity: AutomaticIdentity | UnsetType = UNSET


class Version(Struct, frozen=True, kw_only=True):
    """One version of a memory in its history; the last one is the current one."""

    version: int
    changed_at: int
    changed_by: str
    current: bool
    memory: dict[str, Any]


UPDATABLE_FIELDS = ("intent", "perception", "reasoning", "actions", "outcome", "tags", "importance")
REQUIRED = word_set(
    """
    intent intent.goal intent.task_type outcome outcome.success outcome.summary outcome.verified_by.type
    """
)


def parse_draft(fields: dict[str, Any]) -> Draft:
    """The draft of a new memory; a field that is null counts as missing."""
    return parse(merge({}, fields, "store"), Draft, "store")


def apply_patch(memory: Memory, patch: dict[str, Any]) -> Draft:
    """A memory with a patch applied, as a draft; its `links` are only those that the patch adds."""
    current: dict[str, Any] = {part: msgspec.to_builtins(getattr(memory, part)) for part in UPDATABLE_FIELDS}
    return parse(merge(current, patch, "update_memory"), Draft, "update_memory")


def merge(current: dict[str, Any], patch: dict[str, Any], call: str, path: str = "") -> dict[str, Any]:
    """`current` with `patch` applied; neither is changed. Errors name the API call `call`."""
    merged = dict(current)
    for name, value in patch.items():
        field_path = f"{path}.{name}" if path else name
        if value is None:
            check_field(Draft, path, name, call)
            if field_path in REQUIRED:
                raise InvalidQuery(
                    f"{call}: `{field_path}` is required and cannot be null.", field=field_path
                )
            merged.pop(name, None)
        elif isinstance(value, dict):
            known = merged.get(name)
            nested: dict[str, Any] = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
            merged[name] = merge(nested, cast("dict[str, Any]", value), call, field_path)
        else:
            merged[name] = value
    return merged


PARTIAL = "partial"  # The tag of a memory of partly finished work
REJECTED = "rejected"  # The tag of a memory of work that the user did not want like this
UNVERIFIED = "unverified"  # The tag of a memory whose outcome is not confirmed


def is_verified(memory: Memory) -> bool:
    """Whether the outcome is confirmed; otherwise it counts neither as success nor as failure."""
    return UNVERIFIED not in memory.tags


def is_unfinished(memory: Memory) -> bool:
    """Whether the work failed or was broken off."""
    return not memory.outcome.success or PARTIAL in memory.tags


def has_worked(memory: Memory) -> bool:
    """Whether the work is confirmed to have succeeded."""
    return memory.outcome.success and is_verified(memory)
