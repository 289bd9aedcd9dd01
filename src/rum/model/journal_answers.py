"""What can be asked of journals, and what comes back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Struct, UnsetType

from rum.model.fields import about
from rum.model.journal import Kind
from rum.model.memory_layers import Layer

_ENTRY = (
    "discovery: type, content, importance, relatedFiles, actionItems; attempt: description, approach, "
    "planStep, then result, output, error, lessons; decision: type, description, reasoning, alternatives, "
    "impact; context: currentPlanStep, blockers, nextSteps, openQuestions"
)


class JournalQuestion(Layer, frozen=True):
    """The call `journal`: what to do, in whose journal of which session, and the fields it needs."""

    action: Literal["add", "update", "context", "show", "arbiter"]
    kind: Kind | None = None
    id: Annotated[str | None, about("The entry to change or show.", note="to update or show")] = None
    entry: Annotated[dict[str, Any] | None, about("The fields of the entry.", note=_ENTRY)] = None
    session: str | None = None
    agent: str | None = None
    task: str | None = None


class JournalWritten(Struct, frozen=True, kw_only=True):
    """The answer to what was added or changed; `hint` says when the journal has grown long."""

    session: str
    agent: str
    path: str
    id: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class JournalShown(Struct, frozen=True, kw_only=True):
    """A journal as it goes into a prompt, or one of its entries; the arbiter's is of no single agent."""

    session: str
    agent: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    entry: dict[str, Any] | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class Finding(Struct, frozen=True):
    """What is wrong with a journal, and where."""

    line: int
    field: str
    problem: str


class Validated(Struct, frozen=True):
    """Everything that is wrong with a journal: nothing, if it is valid."""

    path: str
    valid: bool
    problems: list[Finding]


class JournalArchived(Struct, frozen=True, kw_only=True):
    """What was moved to the archive, by section; `long` says whether the journal was long at all."""

    session: str
    agent: str
    long: bool
    moved: dict[str, int]
    path: str


class SessionView(Struct, frozen=True, kw_only=True):
    """A session in a few words."""

    session: str
    agents: list[str]
    task: str
    start: str
    end: str
    counts: dict[str, int]
