"""The brief before a run, the run and its outcome, and what is extracted from a finished run."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.fields import about
from rum.model.layers import GivenFact, GivenRule
from rum.model.memory_layers import ActionType, FailureCategory, Layer, TaskType, Text, Verification
from rum.model.notes import Broken, Importance, Line

USUAL_TOKENS = 600
MOST_TOKENS = 100_000

Tokens = Annotated[int, Meta(ge=1, le=MOST_TOKENS)]


class BriefRequest(Layer, frozen=True):
    """What an agent is about to do; the brief covers only what is given."""

    task: Annotated[str | None, about("The task.", metavar="TEXT")] = None
    plan: Annotated[str | None, about("The plan.", metavar="TEXT")] = None
    file: Annotated[str | tuple[str, ...] | None, about("A file of the task (repeat).", metavar="PATH")] = (
        None
    )
    agent: str | None = None
    session: Annotated[
        str | None, about("The session whose journal is used.", metavar="NAME", tool=False)
    ] = None
    tokens: Annotated[Tokens, about("Maximum number of tokens.")] = USUAL_TOKENS
    explain: Annotated[bool, about("Also list what was chosen, and why.", tool=False)] = False

    @property
    def files(self) -> tuple[str, ...]:
        """The files at hand, each once."""
        given = (self.file,) if isinstance(self.file, str) else self.file or ()
        return tuple(dict.fromkeys(path for path in given if path))


class Taken(Struct, frozen=True):
    """One thing a brief says: what it is, why it was taken, what it costs, and whether it was cut short."""

    kind: str
    id: str
    points: float
    tokens: int
    shortened: bool = False


class Brief(Struct, frozen=True, kw_only=True):
    """The text for the prompt, empty if nothing fits; `left_out` counts what exceeded the budget."""

    text: str
    tokens: int
    left_out: int | UnsetType = UNSET
    taken: list[Taken] | UnsetType = UNSET
    broken: list[Broken] | UnsetType = UNSET
    warning: str | UnsetType = UNSET  # What failed in one of the files; once in a session
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class Result(StrEnum):
    """How a run, or an attempt in it, ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class RunRequest(Layer, frozen=True):
    """The agent, the task, the plan and the files of a run, and how it is recorded."""

    agent: Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,79}[^\x00-\x20\x7f]\Z")]
    task: Text
    plan: str = ""
    files: Annotated[tuple[str, ...], about("The files at hand.", metavar="PATH")] = ()
    task_type: TaskType = TaskType.OTHER
    tags: tuple[str, ...] = ()
    system: str = ""
    tokens: Tokens = USUAL_TOKENS
    session: str | None = None
    extract: bool = True


class Step(Layer, frozen=True):
    """A step of a run: on a file, by a command, or another."""

    description: Text
    file: Annotated[str | None, about("The file it was done to.", metavar="PATH")] = None
    command: str | None = None
    action: ActionType | None = None
    success: bool | None = None
    output: str | None = None
    error: str | None = None


class Verdict(Layer, frozen=True):
    """The outcome of a run, from the agent loop or from an exception."""

    result: Result
    summary: Text
    learnings: tuple[str, ...] = ()
    reason: str | None = None
    category: FailureCategory | None = None
    follow_ups: tuple[str, ...] = ()
    verified_by: Verification | None = None
    output: str = ""  # The agent's last message, from which knowledge is extracted


class InferredVerdict(Verdict, frozen=True):
    """The outcome of a run whose agent loop reported none, inferred from how it ended."""


LONGEST_RUN = 2_000_000  # Maximum characters of an agent's output


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
    result: Literal["success", "failure", "partial"]
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
