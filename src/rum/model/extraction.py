"""A finished run as input of an extraction, and the findings."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.layers import GivenFact, GivenRule
from rum.model.memory_layers import Layer, Text
from rum.model.notes import Importance, Line

LONGEST_RUN = 2_000_000  # Maximum characters of an agent's output

Result = Literal["success", "failure", "partial"]


class FindingKind(StrEnum):
    """What a finding is about."""

    ERROR = "error"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    DEPENDENCY = "dependency"
    PATTERN = "pattern"
    STRUCTURE = "structure"


class KnownMemory(Struct, frozen=True, rename="camel"):
    """An existing piece of knowledge: a title and a text."""

    content: str = ""
    title: str = ""
    frontmatter: dict[str, object] = {}

    @property
    def text(self) -> str:
        """Title and text together."""
        return f"{self.title or self.frontmatter.get('title') or ''}\n{self.content}"


class FinishedRun(Layer, frozen=True, kw_only=True, rename="camel"):
    """An agent's task, its last message, and the outcome."""

    agent: Line
    task: Text
    agent_output: Annotated[str, Meta(max_length=LONGEST_RUN)]
    result: Result
    error: str | None = None
    existing_memories: tuple[KnownMemory, ...] = ()


class Frontmatter(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The frontmatter of a note, as in its file."""

    title: str
    when_to_use: tuple[str, ...]
    tags: tuple[str, ...]
    importance: Importance
    discovered_at: str
    discovered_by: str
    discovered_in: str | None = None
    source: str | None = None


class Finding(Struct, frozen=True, kw_only=True, rename="camel"):
    """The findings before they are checked and stored; without a title there is no note."""

    reasoning: str
    title: str = ""
    content: str = ""
    when_to_use: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: Importance = Importance.MEDIUM
    kind: FindingKind | None = None
    facts: tuple[GivenFact, ...] = ()
    rules: tuple[GivenRule, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.title or self.content or self.facts or self.rules)


class Rejected(Struct, frozen=True, rename="camel"):
    """A finding that was rejected, and why."""

    what: Literal["note", "fact", "rule"]
    name: str
    why: str


class Kept(Struct, frozen=True, rename="camel"):
    """What was written: the note's entry, keys of facts, ids of rules; or how many items wait for review."""

    note: str | None = None
    facts: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    pending: int | UnsetType = UNSET


class Extracted(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a run was worth: a note or none, facts, rules; what was kept of it, and what was rejected."""

    should_create_memory: bool
    memory_title: str | UnsetType = UNSET
    frontmatter: Frontmatter | UnsetType = UNSET
    content: str | UnsetType = UNSET
    reasoning: str
    kind: FindingKind | UnsetType = UNSET
    facts: tuple[GivenFact, ...] = ()
    rules: tuple[GivenRule, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    by: str = "rules"  # `rules`, or the name of the language model
    hint: str | UnsetType = UNSET  # Why the configured language model was not asked
    kept: Kept | UnsetType = UNSET  # Missing if nothing was to be written
