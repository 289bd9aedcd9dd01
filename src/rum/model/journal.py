"""A journal: one agent's record of one session; its validation, JSON Schema, requests and answers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.errors import InvalidQuery
from rum.model.fields import about, parse, required
from rum.model.memory_layers import Layer, Text
from rum.model.notes import Importance

VERSION = "1"
SCHEMA = "agent-memory"

# A time in ISO 8601, such as `2026-01-23T10:31:05.000Z`.
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$")]
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
    """The result of an attempt so far."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    IN_PROGRESS = "in_progress"


def _file_key(name: str) -> str:
    """The key of a field in the file: `plan_step` is `planStep`; `duration_ms` stays."""
    first, *rest = name.split("_")
    return name if name == "duration_ms" else first + "".join(map(str.capitalize, rest))


class Part(Struct, frozen=True, kw_only=True, rename=_file_key, omit_defaults=True):
    """The base of all parts; unknown fields are kept."""


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
    """A file that an attempt created or changed."""

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
    """What the agent tried, and the result."""

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
    """A significant decision, and the reasons for it."""

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


class JournalContext(Part, frozen=True, kw_only=True):
    """The section `context`: the current state of the work, and the agent's assumptions."""

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
    """What `history` keeps of an entry that was moved to the archive."""

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

    # As text or, if the quotes are missing, as a number.
    version: Annotated[str, Meta(pattern=r"^\d+(\.\d+)*$")] | Annotated[float, Meta(ge=0)]
    schema: Literal["agent-memory"]
    session_id: Text
    agent: Text
    created_at: Moment
    discoveries: list[Discovery] | None = None
    attempts: list[Attempt] | None = None
    decisions: list[Decision] | None = None
    context: JournalContext | None = None
    history: list[Period] | None = None


class Kind(StrEnum):
    """The kinds of entries of a journal."""

    DISCOVERY = "discovery"
    ATTEMPT = "attempt"
    DECISION = "decision"

    @property
    def section(self) -> str:
        """The section of these entries."""
        return {"discovery": "discoveries"}.get(self.value, f"{self.value}s")

    @property
    def model(self) -> type[Recorded]:
        """The model of such an entry."""
        return {"discovery": Discovery, "attempt": Attempt}.get(self.value, Decision)

    @property
    def fields(self) -> frozenset[str]:
        """The known fields of such an entry, with the keys of the file."""
        return frozenset(field.encode_name for field in msgspec.structs.fields(self.model))


def is_newer(version: object) -> bool:
    """Whether the version of a file is newer than this program knows."""
    try:
        numbers = [int(part) for part in str(version).split(".")]
    except ValueError:
        return False
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers > [int(VERSION)]


def format_timestamp(at: float) -> str:
    """Unix seconds in the format of journals."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(timestamp: object) -> float | None:
    """Unix seconds of a timestamp in a journal, in UTC if it has no zone; None if it is invalid."""
    try:
        at = datetime.fromisoformat(timestamp) if isinstance(timestamp, str) else None
    except ValueError:
        return None
    return None if at is None else (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


Path = tuple[str | int, ...]
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_LISTS: Mapping[str, type[Part]] = {**{kind.section: kind.model for kind in Kind}, "history": Period}
_TIMES = ("timestamp", "createdAt", "archivedAt", "since", "until")
_SECTIONS = (*_LISTS, "context")


class Problem(NamedTuple):
    """What is wrong, and where: keys and list indexes from the top."""

    path: Path
    message: str


def with_file_keys(model: type[Part], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with the keys and order of a file: `related_files` is `relatedFiles`; unknown ones last."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(model)}
    renamed = {names.get(name, name): one for name, one in fields.items()}
    return {name: renamed[name] for name in names.values() if name in renamed} | renamed


def require_valid(model: type[Part], given: Mapping[str, Any], what: str, *, whole: bool) -> None:
    """Raise InvalidQuery for the first problem of a part; unless it is `whole`, fields may be missing."""
    for path, message in problems_of(model, given, what, whole=whole):
        raise InvalidQuery(message, field=".".join(map(str, path)))


def problems_of(
    model: type[Part], given: Mapping[str, Any], what: str, *, whole: bool = True
) -> Iterator[Problem]:
    """What is wrong with the fields of one part."""
    known = msgspec.structs.fields(model)
    for name in [field.encode_name for field in known if field.required]:
        if (whole and name not in given) or (name in given and given[name] is None):
            yield Problem((name,), required(model, name, what))
    left = {name: one for name, one in given.items() if one is not None}
    for name in [field.encode_name for field in known if field.encode_name in _TIMES]:
        if name in left and seconds_of(left.pop(name)) is None:
            yield Problem((name,), f"{what}: `{name}` is not a time such as 2026-01-23T10:31:05.000Z.")
    while True:
        try:
            parse(left, _all_optional(model), what)
        except InvalidQuery as error:
            steps = _STEP.findall(str(error.details.get("field", "")))
            path = tuple(int(number) if number else word for number, word in steps)
            if not path or path[0] not in left:
                raise
            yield Problem(path, error.message)
            del left[str(path[0])]
        else:
            return


def problems(journal: object) -> Iterator[Problem]:
    """What is wrong with a whole journal."""
    if not isinstance(journal, dict):
        yield Problem((), "A journal is a map with version, schema, sessionId, agent and sections.")
        return
    given = cast("dict[str, Any]", journal)
    header = {name: one for name, one in given.items() if name not in _SECTIONS}
    yield from problems_of(Journal, header, "journal")
    if is_newer(given.get("version")):
        yield Problem(
            ("version",), f"journal: version {given['version']} is newer than {VERSION}; RUM only reads it."
        )
    seen: set[object] = set()
    for section, model in _LISTS.items():
        yield from _list_problems(section, model, given.get(section), seen)
    if (context := given.get("context")) is not None:
        yield from _part_problems(("context",), "context", JournalContext, context)


def _list_problems(section: str, model: type[Part], found: object, seen: set[object]) -> Iterator[Problem]:
    if found is None:
        return
    if not isinstance(found, list):
        yield Problem((section,), f"{section} is a list of entries, each after a dash.")
        return
    for place, entry in enumerate(cast("list[object]", found)):
        yield from _part_problems((section, place), f"{section}[{place}]", model, entry)
        name = cast("dict[str, Any]", entry).get("id") if isinstance(entry, dict) else None
        if isinstance(name, str):
            if name in seen:
                yield Problem(
                    (section, place, "id"), f"{section}[{place}]: there is another entry `{name[:60]}`."
                )
            seen.add(name)


def _part_problems(at: Path, what: str, model: type[Part], found: object) -> Iterator[Problem]:
    if not isinstance(found, dict):
        yield Problem(at, f"{what} is a map of fields.")
        return
    for path, message in problems_of(model, cast("dict[str, Any]", found), what):
        yield Problem((*at, *path), message)


@cache
def _all_optional(model: type[Part]) -> type[Part]:
    """The part with every field optional, so that each can be checked alone."""
    hints = msgspec.structs.fields(model)
    fields: Any = [
        (field.name, field.type, msgspec.field(default=None, name=field.encode_name)) for field in hints
    ]
    return cast("type[Part]", msgspec.defstruct(model.__name__, fields, frozen=True, kw_only=True))


_ENTRY = (
    "discovery: type, content, importance, relatedFiles, actionItems; attempt: description, approach, "
    "planStep, then result, output, error, lessons; decision: type, description, reasoning, alternatives, "
    "impact; context: currentPlanStep, blockers, nextSteps, openQuestions"
)


class JournalRequest(Layer, frozen=True):
    """The call `journal`: what to do, in whose journal of which session, and the fields it needs."""

    action: Literal["add", "update", "context", "show", "trace", "search", "arbiter"]
    kind: Kind | None = None
    id: Annotated[str | None, about("The entry to change or show.")] = None
    entry: Annotated[dict[str, Any] | None, about("The fields of the entry.", note=_ENTRY)] = None
    session: str | None = None
    agent: str | None = None
    task: Annotated[str | None, about("What the session is about.")] = None
    query: str | None = None


class JournalWritten(Struct, frozen=True, kw_only=True):
    """The answer to a write; `hint` tells of problems, and of entries that were archived."""

    session: str
    agent: str
    path: str
    id: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class JournalShown(Struct, frozen=True, kw_only=True):
    """The text of a journal for a prompt, or one of its entries; the arbiter's text has no agent.

    `code` is NO_RESULTS, with a hint, if there is no journal.
    """

    session: str
    agent: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    entry: dict[str, Any] | UnsetType = UNSET
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class JournalFound(Struct, frozen=True):
    """An entry of a journal or of its archive."""

    session: str
    agent: str
    kind: Kind
    archived: bool
    entry: dict[str, Any]


class JournalSearched(Struct, frozen=True):
    """The entries that contain the words, best first."""

    found: list[JournalFound]
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class TracedEntry(Struct, frozen=True):
    """An entry that another one names, or that names it, and how many steps it is from the first."""

    relationship: str  # `names` or `named_by`
    distance: int
    kind: Kind
    archived: bool
    entry: dict[str, Any]


class JournalTraced(Struct, frozen=True, kw_only=True):
    """An entry, and the entries that lead to it or follow from it."""

    session: str
    agent: str
    entry: dict[str, Any]
    chain: list[TracedEntry]
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class Finding(Struct, frozen=True):
    """What is wrong with a journal, and where."""

    line: int
    field: str
    problem: str


class Validated(Struct, frozen=True):
    """Everything that is wrong with a journal: nothing, if it is valid; and remarks on a valid one."""

    path: str
    valid: bool
    problems: list[Finding]
    remarks: list[str] | UnsetType = UNSET


class JournalArchived(Struct, frozen=True, kw_only=True):
    """What was moved to the archive, by section; `long` says whether the journal was long at all."""

    session: str
    agent: str
    long: bool
    moved: dict[str, int]
    path: str


class SessionView(Struct, frozen=True, kw_only=True):
    """A short view of a session."""

    session: str
    agents: list[str]
    task: str
    start: str
    end: str
    counts: dict[str, int]


FILE = os.path.join(os.path.dirname(__file__), "agent-memory.schema.json")


def schema_text() -> str:
    """The JSON Schema of journals."""
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-memory.yaml",
        "description": "An agent's journal of a session. Fields that are not named here are allowed.",
    }
    return json.dumps(about | msgspec.json.schema(Journal), indent=2, ensure_ascii=False) + "\n"


def shipped_schema() -> str:
    """The content of the file with the JSON Schema."""
    with open(FILE, encoding="utf-8") as file:
        return file.read()
