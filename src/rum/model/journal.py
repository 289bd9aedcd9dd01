"""A journal: one agent's live record of one session, in discoveries, attempts, decisions and context."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from rum.model.memory_layers import Text
from rum.model.notes import Importance

VERSION = "1"
SCHEMA = "agent-memory"

Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$")]
"""A time in ISO 8601, such as `2026-01-23T10:31:05.000Z`."""
Amount = Annotated[int, Meta(ge=0)]
Duration = Annotated[float, Meta(ge=0)]


class DiscoveryType(StrEnum):
    """What was learned."""

    CODEBASE_STRUCTURE = "codebase_structure"
    DEPENDENCY_CHECK = "dependency_check"
    CODE_PATTERN = "code_pattern"
    API_SURFACE = "api_surface"
    DATA_MODEL = "data_model"
    COMPLEXITY_ASSESSMENT = "complexity_assessment"
    FAILURE_CAUSE = "failure_cause"
    SOLUTION_VERIFIED = "solution_verified"


class DecisionType(StrEnum):
    """What kind of choice was made."""

    ARCHITECTURAL = "architectural"
    IMPLEMENTATION = "implementation"
    SKIP = "skip"
    WORKAROUND = "workaround"
    COMPROMISE = "compromise"


class Result(StrEnum):
    """What came of an attempt so far."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    IN_PROGRESS = "in_progress"


def _written(name: str) -> str:
    """A field as the file spells it: `plan_step` is `planStep`; `duration_ms` is what it is."""
    first, *rest = name.split("_")
    return name if name == "duration_ms" else first + "".join(map(str.capitalize, rest))


class Part(Struct, frozen=True, kw_only=True, rename=_written, omit_defaults=True):
    """The manner of all parts: fields that are not known here are left alone."""


class Recorded(Part, frozen=True, kw_only=True):
    """What every entry has."""

    id: Text
    timestamp: Moment


class Discovery(Recorded, frozen=True, kw_only=True):
    """What the agent learned about the code or the task."""

    type: DiscoveryType
    importance: Importance | None = None
    content: Text
    related_files: list[str] | None = None
    action_items: list[str] | None = None


class Artifact(Part, frozen=True, kw_only=True):
    """A file that an attempt made or changed."""

    path: Text
    action: str | None = None
    status: str | None = None
    content: str | None = None


class SubTask(Part, frozen=True, kw_only=True):
    """A step of an attempt."""

    description: Text
    status: str | None = None


class TokensUsed(Part, frozen=True, kw_only=True):
    """What an attempt cost."""

    input: Amount | None = None
    output: Amount | None = None


class Attempt(Recorded, frozen=True, kw_only=True):
    """What the agent tried, and what came of it."""

    plan_step: int | None = None
    description: Text
    approach: str | None = None
    commands: list[str] | None = None
    result: Result
    status: str | None = None
    progress: str | float | None = None
    sub_tasks: list[SubTask] | None = None
    current_issue: str | None = None
    next_step: str | None = None
    output: str | None = None
    error: str | None = None
    lessons: str | None = None
    next_attempt: str | None = None
    artifacts: list[Artifact] | None = None
    duration_ms: Duration | None = None
    iterations: Amount | None = None
    tokens_used: TokensUsed | None = None


class Rejected(Part, frozen=True, kw_only=True):
    """An alternative that was not chosen, and why."""

    name: Text
    reason: str | None = None


class Decision(Recorded, frozen=True, kw_only=True):
    """A choice that mattered, and the reasons for it."""

    type: DecisionType
    description: Text
    reasoning: str | None = None
    alternatives: list[str | Rejected] | None = None
    impact: str | None = None
    reversible: bool | None = None
    related_discoveries: list[str] | None = None


class FileInScope(Part, frozen=True, kw_only=True):
    """A file the agent is working with."""

    path: Text
    status: str | None = None
    purpose: str | None = None


class Situation(Part, frozen=True, kw_only=True):
    """The section `context`: where the agent stands, and what it holds to be true."""

    current_plan_step: int | None = None
    plan_step_status: str | None = None
    files_in_scope: list[FileInScope] | None = None
    codebase_understanding: dict[str, Any] | None = None
    task_context: dict[str, Any] | None = None
    constraints: list[str] | None = None
    open_questions: list[str] | None = None
    next_steps: list[str] | None = None
    blockers: list[str] | None = None
    assumptions: list[str] | None = None


class Archived(Part, frozen=True, kw_only=True):
    """What `history` still says of an entry that was moved to the archive."""

    id: Text
    title: str
    result: str | None = None


class Period(Part, frozen=True, kw_only=True):
    """Older entries that were moved to the archive together."""

    archived_at: Moment
    counts: dict[str, int]
    since: Moment | None = None
    until: Moment | None = None
    entries: list[Archived] | None = None


class Journal(Part, frozen=True, kw_only=True):
    """The whole file; a section may be missing or empty."""

    version: Annotated[str, Meta(pattern=r"^\d+(\.\d+)*$")] | Annotated[float, Meta(ge=0)]
    """As text or, where somebody left out the quotes, as a number."""
    schema: Literal["agent-memory"]
    session_id: Text
    agent: Text
    created_at: Moment
    discoveries: list[Discovery] | None = None
    attempts: list[Attempt] | None = None
    decisions: list[Decision] | None = None
    context: Situation | None = None
    history: list[Period] | None = None


class Kind(StrEnum):
    """The entries a journal takes."""

    DISCOVERY = "discovery"
    ATTEMPT = "attempt"
    DECISION = "decision"

    @property
    def section(self) -> str:
        """The list that holds them."""
        return {"discovery": "discoveries"}.get(self.value, f"{self.value}s")

    @property
    def model(self) -> type[Recorded]:
        """What such an entry says."""
        return {"discovery": Discovery, "attempt": Attempt}.get(self.value, Decision)

    @property
    def fields(self) -> frozenset[str]:
        """The fields that such an entry is known to have, as files spell them."""
        return frozenset(field.encode_name for field in msgspec.structs.fields(self.model))


def is_newer(version: object) -> bool:
    """Whether a file's version is one that this program does not know yet."""
    try:
        numbers = [int(part) for part in str(version).split(".")]
    except ValueError:
        return False
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers > [int(VERSION)]


def moment(at: float) -> str:
    """Unix seconds as journals write them."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(written: object) -> float | None:
    """Unix seconds of a time as journals write it, in UTC where no zone is told; None where it is no time."""
    try:
        at = datetime.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None
    return None if at is None else (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
