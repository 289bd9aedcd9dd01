"""Facts, rules and events, and the four layers as entries in the field names of their JSON files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.code import CodeState
from rum.model.fields import MILLISECONDS_FROM, Spoken, Stamp, about, parse
from rum.model.ids import id_of
from rum.model.memory import Id, VersionNumber
from rum.model.memory_layers import Layer, Text
from rum.model.requests import Limit

Json = dict[str, Any]
T = TypeVar("T", bound=Struct)

MOST_WORKING = 50  # Entries that working memory holds by default
WORKING_BYTES = 256 * 1024  # Bytes that it holds on a server, which keeps that of many sessions
KEEP_LAST = 10  # Entries that compaction keeps by default
FOUND_AT_MOST = 10  # Entries that a search returns by default

# A time in a file of layers.
Milliseconds = Annotated[int, Meta(ge=-(10**15), le=10**15)] | Annotated[float, Meta(ge=-1e15, le=1e15)]

# A time from callers; a value too small for milliseconds is in seconds.
GivenTime = Annotated[int, Meta(ge=0, le=10**15)] | Annotated[float, Meta(ge=0, le=1e15)]


class MemoryType(StrEnum):
    """The layers; working memory ends with its process."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


# The layers that outlive their process.
LASTING = (MemoryType.EPISODIC, MemoryType.SEMANTIC, MemoryType.PROCEDURAL)


class MemoryEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a layer."""

    id: str
    timestamp: Milliseconds
    content: str
    metadata: Json | None = None


class GivenEntry(Layer, frozen=True):
    """An entry as callers write it; a missing id or timestamp is generated."""

    content: str
    id: Id | None = None
    timestamp: GivenTime | None = None
    metadata: Json | None = None


class KnowledgeEntry(Struct, frozen=True, omit_defaults=True):
    """What is known under a key."""

    key: str
    value: str
    timestamp: Milliseconds | None = None


class GivenKnowledge(Layer, frozen=True):
    """What is known, as callers write it."""

    key: str
    value: str
    timestamp: GivenTime | None = None


class ProceduralRule(Struct, frozen=True, omit_defaults=True):
    """What to do when."""

    condition: str
    action: str
    timestamp: Milliseconds | None = None


class MemoryStats(Struct, frozen=True, kw_only=True, rename="camel"):
    """The counts and sizes of the layers."""

    working_memory_tokens: int
    episodic_entry_count: int
    semantic_entry_count: int
    procedural_rule_count: int
    total_storage_bytes: int


class CompactOptions(Layer, frozen=True, rename="camel"):
    """How many entries compaction keeps, and whether the older ones become a summary."""

    keep_last: int = KEEP_LAST
    summarize_older: bool = True


class LayersRequest(Layer, frozen=True):
    """Append to a layer, search, list, compact or clear it; recall a fact by its key; or get figures."""

    action: Literal["append", "search", "list", "recall", "compact", "stats", "clear"]
    type: MemoryType | None = None
    entry: Annotated[
        Json | None, about("A GivenEntry.", note="content, id, metadata {key} or {condition}")
    ] = None
    query: str | None = None
    key: str | None = None
    opts: Annotated[Json | None, about("CompactOptions.", note="keepLast, summarizeOlder")] = None
    limit: Limit = FOUND_AT_MOST
    confirm: Annotated[str | None, about("The project's name.", note="clear: the project's name")] = None


class LayersResult(Struct, frozen=True, kw_only=True):
    """What `layers` found or did; `code` is NO_RESULTS, with a hint, if there is nothing."""

    entries: list[MemoryEntry] | UnsetType = UNSET
    total: int | UnsetType = UNSET
    compacted: int | UnsetType = UNSET
    cleared: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET


def milliseconds(given: float) -> int | float:
    """A time given in seconds or milliseconds, in milliseconds."""
    return given if given > MILLISECONDS_FROM else int(given * 1000)


def known_part(raw: Json, model: type[T], where: str) -> tuple[T, Json]:
    """Convert an object of a file to a model and its unknown fields; null counts as missing."""
    known = {name: raw[name] for name in model.__struct_fields__ if raw.get(name) is not None}
    return parse(known, model, where), {name: value for name, value in raw.items() if name not in known}


def to_file_object(known: Struct, extra: Mapping[str, Any]) -> Json:
    """Convert a model and unknown fields back to the object of a file."""
    return {**msgspec.to_builtins(known), **extra}


FactKey = Annotated[str, Meta(pattern=r"\A(?=.*\S)[^\x00-\x1f\x7f]{1,200}\Z")]  # A key that fits on a line


class Learned(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What facts and rules have in common: author, times, version, and further fields of an imported file."""

    agent_id: Id
    created_at: Stamp
    updated_at: Stamp | None = None
    version: VersionNumber = 1
    imported_at: Stamp | None = None
    timestamp: Milliseconds | None = None  # In milliseconds; optional in a file of layers
    extra: Json = {}  # Fields of such a file that RUM does not know


class Fact(Learned, frozen=True, kw_only=True):
    """What is known under a key."""

    key: str
    value: str

    def knowledge(self) -> KnowledgeEntry:
        """The fact as a file of layers has it."""
        return KnowledgeEntry(self.key, self.value, self.timestamp)

    def entry(self) -> MemoryEntry:
        """The fact as a search of its layer gives it."""
        return fact_entry(self.knowledge())


class ShownFact(Fact, frozen=True, kw_only=True):
    """A fact with what became of the code that it names; see `CodeState`."""

    freshness: str | UnsetType = UNSET
    code_at: str | UnsetType = UNSET
    code_changed: float | UnsetType = UNSET


ANYWHERE = "*"  # The condition of a rule that holds for the whole project
USER = "user"  # The source of a rule that a user said to an agent


class Rule(Learned, frozen=True, kw_only=True):
    """What to do when.

    A rule with a `source` quotes what was said at `created_at`; `about` is the memory of the corrected work.
    """

    id: Id
    condition: str
    action: str
    source: Literal["user"] | None = None
    about: Id | None = None
    superseded_by: Id | None = None  # The later rule that says the contrary

    def procedure(self) -> ProceduralRule:
        """The rule as a file of layers has it."""
        return ProceduralRule(self.condition, self.action, self.timestamp)

    def entry(self) -> MemoryEntry:
        """The rule as a search of its layer gives it."""
        return rule_entry(self.id, self.procedure())


class ShownRule(Rule, frozen=True, kw_only=True):
    """A rule with what became of the code that it names; see `CodeState`."""

    freshness: str | UnsetType = UNSET
    code_at: str | UnsetType = UNSET
    code_changed: float | UnsetType = UNSET


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event, as it was recorded."""

    id: str
    content: str
    agent_id: Id
    session_id: str
    created_at: Stamp
    metadata: Json | None = None
    timestamp: Milliseconds = 0
    imported_at: Stamp | None = None
    extra: Json = {}

    def entry(self) -> MemoryEntry:
        """The event as a file of layers, and a search, has it."""
        return MemoryEntry(id=self.id, timestamp=self.timestamp, content=self.content, metadata=self.metadata)


def fact_entry(known: KnowledgeEntry) -> MemoryEntry:
    """A fact as an entry: its key in the metadata."""
    return MemoryEntry(
        id=known.key, timestamp=known.timestamp or 0, content=known.value, metadata={"key": known.key}
    )


def rule_entry(rule_id: str, rule: ProceduralRule) -> MemoryEntry:
    """A rule as an entry: its condition in the metadata."""
    return MemoryEntry(
        id=rule_id, timestamp=rule.timestamp or 0, content=rule.action, metadata={"condition": rule.condition}
    )


def rule_id(rule: ProceduralRule, extra: Json, met: Counter[str]) -> str:
    """The id of a rule from a file, where rules have none: the same for the same rule, wherever it is read.

    `met` counts the rules there were so far, so that one which occurs twice gets two ids.
    """
    text = json.dumps([rule.condition, rule.action, rule.timestamp, extra], sort_keys=True)
    met[text] += 1
    return id_of("rule", f"{text}\0{met[text]}", (rule.timestamp or 0) / 1000)


class FactVersion(Struct, frozen=True):
    """A version of a fact, with its author and time; the last one is the current one."""

    version: int
    changed_at: int
    changed_by: str
    value: str
    current: bool
    changed_by_name: str


class RuleVersion(Struct, frozen=True):
    """A version of a rule, with its author and time; the last one is the current one."""

    version: int
    changed_at: int
    changed_by: str
    condition: str
    action: str
    current: bool
    changed_by_name: str


class GivenFact(Layer, frozen=True):
    """A fact as callers write it."""

    key: FactKey
    value: str


class GivenRule(Layer, frozen=True):
    """A rule as callers write it; `condition` is matched like a note's `whenToUse`."""

    condition: Spoken
    action: Text


class SetRule(GivenRule, frozen=True):
    """A rule as given to `learn`; with an `id` it replaces that rule."""

    id: Id | None = None


class LearnRequest(Layer, frozen=True):
    """Set a fact or a rule, get one by key or by the task it is for, or list them."""

    action: Literal["set", "get", "list"]
    fact: GivenFact | None = None
    rule: SetRule | None = None
    key: Annotated[
        str | None, about("A fact's key, or how keys begin.", note="get: its key; list: how keys begin")
    ] = None
    task: Annotated[str | None, about("The task to find rules for.", note="get: the rules for it")] = None
    limit: Limit = 20


class FactView(CodeState, frozen=True):
    """A fact as `learn` gives it."""

    key: str
    value: str
    updated_at: int
    version: int
    set_by: str  # The id of its author


class RuleView(CodeState, frozen=True):
    """A rule as `learn` gives it."""

    id: str
    condition: str
    action: str
    version: int
    set_by: str
    source: str | UnsetType = UNSET  # `user`: said by the user to an agent
    said_at: int | UnsetType = UNSET
    about: str | UnsetType = UNSET  # The memory of the work that it corrects
    superseded_by: str | UnsetType = UNSET


class LearnResult(Struct, frozen=True, kw_only=True):
    """The answer of `learn`; `code` is NO_RESULTS, with a hint, when there is nothing to give.

    Without it a `hint` tells of a rule's condition that will hardly be met.
    """

    facts: list[FactView] | UnsetType = UNSET
    rules: list[RuleView] | UnsetType = UNSET
    total_facts: int | UnsetType = UNSET
    total_rules: int | UnsetType = UNSET
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
