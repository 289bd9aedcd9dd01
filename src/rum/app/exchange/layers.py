"""Facts, rules and events in and out: as lines of an export, and as the three files of layers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.agents import import_author
from rum.app.caller import Caller
from rum.app.calls import plain_json
from rum.app.layers import events, facts, rules
from rum.app.layers.backends import as_item
from rum.app.project import Project
from rum.model.errors import InvalidQuery
from rum.model.fields import Stamp
from rum.model.layers import (
    LASTING,
    Event,
    Fact,
    Json,
    KnowledgeEntry,
    MemoryEntry,
    MemoryType,
    ProceduralRule,
    Rule,
    rule_id,
)
from rum.model.memory import VersionNumber
from rum.store.files.layers import NAMES, LayerFiles, as_entry, as_fact, as_rule, write_layers
from rum.store.records import Revision

BATCH = 200  # Entries written at once, so that other writers get their turn in between


class FactLine(Struct, frozen=True, tag="fact", tag_field="kind"):
    """A fact."""

    fact: Fact


class FactVersionLine(Struct, frozen=True, tag="fact_version", tag_field="kind"):
    """An earlier version of a fact."""

    key: str
    version: VersionNumber
    changed_at: Stamp
    changed_by: str
    value: str


class RuleLine(Struct, frozen=True, tag="rule", tag_field="kind"):
    """A rule."""

    rule: Rule


class RuleVersionLine(Struct, frozen=True, tag="rule_version", tag_field="kind"):
    """An earlier version of a rule."""

    id: str
    version: VersionNumber
    changed_at: Stamp
    changed_by: str
    condition: str
    action: str


class EventLine(Struct, frozen=True, tag="event", tag_field="kind"):
    """One thing that happened."""

    event: Event


T = TypeVar("T", bound=Fact | Rule | Event)
LayerLine = FactLine | FactVersionLine | RuleLine | RuleVersionLine | EventLine


class Counts(Struct, frozen=True, kw_only=True):
    """How many were added, unchanged, different here (and left as they are), or forgotten here."""

    added: int = 0
    unchanged: int = 0
    different: int = 0
    forgotten: int = 0


class LayerImport(Counts, frozen=True, kw_only=True):
    """The counts of facts, rules and events."""


# The kind of what is learned, the field with its id, and those with its texts.
_LEARNED: dict[type, tuple[str, str, tuple[str, ...]]] = {
    Fact: ("fact", "key", ("value",)),
    Rule: ("rule", "id", ("condition", "action")),
}


def layer_lines(project: Project) -> Iterator[bytes]:
    """Every fact and rule with its earlier versions, and every event."""
    facts_and_rules: Any = (
        (project.store.facts, FactLine, FactVersionLine),
        (project.store.rules, RuleLine, RuleVersionLine),
    )
    for (kind, name, _), (table, line, version) in zip(_LEARNED.values(), facts_and_rules, strict=True):
        for batch in table.pages():
            versions = project.store.history.of(kind, [getattr(item, name) for item in batch])
            for item in batch:
                yield msgspec.json.encode(line(item))
                for number, at, by, texts in versions[getattr(item, name)]:
                    yield msgspec.json.encode(version(getattr(item, name), number, at, by, *texts))
    for batch in project.store.events.pages():
        yield from (msgspec.json.encode(EventLine(event)) for event in batch)


class LayerImporter:
    """Imports facts, rules and events, and counts them; each call is made inside a transaction."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._counts: Counter[str] = Counter()
        self._same: dict[tuple[str, str], int] = {}
        """The versions of facts and rules that are here as the import has them, by kind and id."""
        self._met: Counter[bytes] = Counter()
        """How often each event, and each rule of a file, was imported so far."""
        self._event_ids: set[str] = set()
        """Ids of events that were imported so far, or were here."""

    def result(self) -> LayerImport | None:
        """The counts; None if there was nothing to import."""
        return LayerImport(**self._counts) if self._counts else None

    def take(self, line: LayerLine) -> None:
        """Import a line of an export."""
        if isinstance(line, FactLine):
            self.learned(line.fact)
        elif isinstance(line, RuleLine):
            self.learned(line.rule)
        elif isinstance(line, EventLine):
            self.event(line.event)
        else:
            self._add_version(line)

    def _count(self, outcome: str) -> bool:
        """Count an outcome; whether the item is here now as the import has it."""
        self._counts[outcome] += 1
        return outcome in ("added", "unchanged")

    def _clean(self, item: T) -> T:
        return msgspec.convert(self._project.clean(msgspec.to_builtins(item)), type(item))

    def learned(self, item: Fact | Rule) -> None:
        """Store a fact or rule that is neither here nor forgotten."""
        project, clean = self._project, self._clean(item)
        kind, name, fields = _LEARNED[type(clean)]
        table: Any = project.store.facts if isinstance(clean, Fact) else project.store.rules
        known = table.get([getattr(clean, name)])
        if known:
            is_same = all(getattr(known[0], field) == getattr(clean, field) for field in fields)
            outcome = "unchanged" if is_same else "different"
        elif (
            facts.is_forgotten(project, clean.key)
            if isinstance(clean, Fact)
            else rules.is_forgotten(project, clean)
        ):
            outcome = "forgotten"
        else:
            outcome = "added"
            import_author(project, clean.agent_id, clean.created_at)
            table.put(replace(clean, imported_at=project.now()))
        if self._count(outcome):
            self._same[kind, getattr(item, name)] = (known[0] if known else clean).version

    def _add_version(self, line: FactVersionLine | RuleVersionLine) -> None:
        """Add an earlier version, unless it is here: an import may have been broken off."""
        kind, name, fields = _LEARNED[Fact if isinstance(line, FactVersionLine) else Rule]
        if line.version >= self._same.get((kind, getattr(line, name)), 0):
            return
        history, clean = self._project.store.history, self._project.clean(msgspec.to_builtins(line))
        one = clean[name]
        if line.version not in {revision.version for revision in history.of(kind, [one])[one]}:
            texts = tuple(clean[field] for field in fields)
            history.add(kind, one, Revision(line.version, line.changed_at, clean["changed_by"], texts))

    def rule_from_file(self, rule: Rule) -> None:
        """Store a rule of a file, which has no id there: one that is in the file twice is stored twice."""
        clean = self._clean(rule)
        if self._is_here(clean, self._project.store.rules.with_texts(clean.condition, clean.action)):
            self._counts["unchanged"] += 1
        else:
            self.learned(rule)

    def _is_here(self, item: Event | Rule, here: Sequence[Event | Rule]) -> bool:
        """Whether an item was here before as often as it was imported so far."""
        key = msgspec.json.encode(as_item(item), order="sorted")
        self._met[key] += 1
        return sum(as_item(one) == as_item(item) for one in here) >= self._met[key]

    def event(self, event: Event) -> None:
        """Store an event that is neither here nor forgotten, and whose id is not another one's here.

        The same event twice is stored twice: not every program makes its ids unique.
        """
        clean = self._clean(event)
        here = self._project.store.events.get([clean.id])
        if self._is_here(clean, here):
            outcome = "unchanged"
        elif events.is_forgotten(self._project, clean):
            outcome = "forgotten"
        elif here and clean.id not in self._event_ids:
            outcome = "different"
        else:
            outcome = "added"
            self._project.store.events.add([replace(clean, imported_at=self._project.now())])
        if self._count(outcome):
            self._event_ids.add(clean.id)


def export_layers(caller: Caller, folder: str) -> dict[str, int]:
    """Write the three files of layers into a directory that has none; how many entries each has."""
    kept = {
        MemoryType.EPISODIC: caller.store.events,
        MemoryType.SEMANTIC: caller.store.facts,
        MemoryType.PROCEDURAL: caller.store.rules,
    }
    items = {layer: [as_item(row) for batch in rows.pages() for row in batch] for layer, rows in kept.items()}
    write_layers(folder, items)
    return {NAMES[layer]: len(items[layer]) for layer in LASTING}


def import_layers(caller: Caller, folder: str) -> LayerImport:
    """Import the files of layers of a directory, checked whole before anything is written."""
    if not any(os.path.isfile(os.path.join(folder, name)) for name in NAMES.values()):
        raise InvalidQuery(f"{folder} has none of {', '.join(NAMES.values())}.", field="dir")
    files = LayerFiles(folder)
    read = {layer: plain_json({"items": files.items(layer)})["items"] for layer in LASTING}
    agent_id, importer = events.ensure_author(caller).id, LayerImporter(caller.project)
    met: Counter[str] = Counter()
    for layer, items in read.items():
        for start in range(0, len(items), BATCH):
            with caller.store.transaction():
                for item in items[start : start + BATCH]:
                    if layer is MemoryType.EPISODIC:
                        fields = _fields(caller.project, *as_entry(item), agent_id)
                        importer.event(Event(**fields, session_id=caller.session_id))
                    elif layer is MemoryType.SEMANTIC:
                        importer.learned(Fact(**_fields(caller.project, *as_fact(item), agent_id)))
                    else:
                        rule, extra = as_rule(item)
                        fields = _fields(caller.project, rule, extra, agent_id)
                        importer.rule_from_file(Rule(**fields, id=rule_id(rule, extra, met)))
    return importer.result() or LayerImport()


def _fields(
    project: Project, known: MemoryEntry | KnowledgeEntry | ProceduralRule, extra: Json, agent_id: str
) -> Json:
    """The fields of a row; it was recorded never in the future, and now if its time is unknown."""
    at = known.timestamp
    created = min(project.now(), int(at // 1000)) if at and at > 0 else project.now()
    return msgspec.structs.asdict(known) | {"extra": extra, "agent_id": agent_id, "created_at": created}
