"""The five layers of a memory: intent, perception, reasoning, actions, outcome."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

Text = Annotated[str, Meta(pattern=r"\S")]  # A string that must say something


class TaskType(StrEnum):
    """What kind of work it was; memories of one kind are alike."""

    BUG_FIX = "bug_fix"
    FEATURE_ADD = "feature_add"
    REFACTOR = "refactor"
    INVESTIGATION = "investigation"
    TEST_WRITE = "test_write"
    DOCUMENTATION = "documentation"
    OPTIMIZATION = "optimization"
    SECURITY_FIX = "security_fix"
    DEPENDENCY_UPDATE = "dependency_update"
    CONFIGURATION = "configuration"
    OTHER = "other"


class ActionType(StrEnum):
    """What was done in one step."""

    FILE_READ = "file_read"
    FILE_EDIT = "file_edit"
    FILE_CREATE = "file_create"
    FILE_DELETE = "file_delete"
    COMMAND_RUN = "command_run"
    SEARCH = "search"
    EXTERNAL_QUERY = "external_query"


class FailureCategory(StrEnum):
    """Why it went wrong, in one word."""

    INCORRECT_ASSUMPTION = "incorrect_assumption"
    UNEXPECTED_SIDE_EFFECT = "unexpected_side_effect"
    MISSING_DEPENDENCY = "missing_dependency"
    RACE_CONDITION = "race_condition"
    TYPE_ERROR = "type_error"
    TEST_FAILURE = "test_failure"
    BUILD_FAILURE = "build_failure"
    RUNTIME_ERROR = "runtime_error"
    LOGIC_ERROR = "logic_error"
    OTHER = "other"


class VerificationType(StrEnum):
    """How an outcome was checked."""

    TEST = "test"
    BUILD = "build"
    MANUAL = "manual"
    LINT = "lint"
    TYPECHECK = "typecheck"


class Layer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The common manner of all parts: immutable, by name, nothing unknown, empty fields not written out."""


class Intent(Layer, frozen=True):
    """What the agent was trying to do, and why."""

    goal: Text
    task_type: TaskType
    context: str = ""
    constraints: tuple[str, ...] = ()


class Observation(Layer, frozen=True):
    """One thing that was seen, where, and why it matters."""

    what: str
    where: str = ""
    significance: str = ""


class FileContext(Layer, frozen=True):
    """A file that mattered, and what was known of it."""

    path: Text
    relevance: str = ""
    state_summary: str = ""


class Perception(Layer, frozen=True):
    """What the agent observed."""

    observations: tuple[Observation, ...] = ()
    relevant_files: tuple[FileContext, ...] = ()
    patterns_noticed: tuple[str, ...] = ()
    anomalies: tuple[str, ...] = ()


class Alternative(Layer, frozen=True):
    """An approach that was not taken."""

    approach: str
    why_rejected: str = ""


class Reasoning(Layer, frozen=True):
    """How the agent decided."""

    approach_chosen: str = ""
    why_chosen: str = ""
    alternatives_considered: tuple[Alternative, ...] = ()
    assumptions: tuple[str, ...] = ()
    risks_identified: tuple[str, ...] = ()


class ActionDetails(Layer, frozen=True):
    """What one action touched; which fields are there depends on its type."""

    file_path: str | None = None
    lines_affected: str | None = None
    diff_hash: str | None = None
    diff_summary: str | None = None
    command: str | None = None
    working_directory: str | None = None
    query: str | None = None
    scope: str | None = None


class ActionResult(Layer, frozen=True):
    """The result of one action."""

    success: bool
    output_summary: str | None = None
    error: str | None = None
    duration_ms: Annotated[float, Meta(ge=0, le=10**12)] | None = (
        None  # A whole number; fractions are rounded
    )

    def __post_init__(self) -> None:
        if isinstance(self.duration_ms, float):
            force_setattr(self, "duration_ms", round(self.duration_ms))


class Action(Layer, frozen=True, omit_defaults=False):
    """One step of the work; a result that is not known is null."""

    type: ActionType
    timestamp: int
    details: ActionDetails
    result: ActionResult | None = None


class Verification(Layer, frozen=True):
    """How the outcome was checked, and the result of the check."""

    type: VerificationType
    command: str | None = None
    result: str = ""


class Outcome(Layer, frozen=True):
    """The outcome, and what was learned."""

    success: bool
    summary: Text
    learnings: tuple[str, ...] = ()
    failure_reason: str | None = None
    failure_category: FailureCategory | None = None
    verified_by: Verification | None = None
    follow_up_needed: tuple[str, ...] = ()
    full_text: str = ""  # The agent's last message, of which capture made the other fields
