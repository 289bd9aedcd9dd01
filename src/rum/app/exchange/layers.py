"""Facts, rules and events in and out: as lines of an export, and as the three files of layers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

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


T = TypeVar("T", Fact, Rule, Event)
LayerLine = FactLine | FactVersionLine | RuleLine | RuleVersionLine | EventLine


class LayerImport(Struct, frozen=True, kw_only=True):
    """How many facts, rules and events were added, unchanged, different here (left), or forgotten here."""

    added: int = 0
    unchanged: int = 0
    different: int = 0
    forgotten: int = 0


def layer_lines(project: Project) -> Iterator[bytes]:
    """Every fact and rule with its earlier versions, and every event."""
    for batch in project.store.facts.pages():
        versions = project.store.history.of("fact", [fact.key for fact in batch])
        for fact in batch:
            yield msgspec.json.encode(FactLine(fact))
            for number, at, by, texts in versions[fact.key]:
                yield msgspec.json.encode(FactVersionLine(fact.key, number, at, by, *texts))
    for batch in project.store.rules.pages():
        versions = project.store.history.of("rule", [rule.id for rule in batch])
        for rule in batch:
            yield msgspec.json.encode(RuleLine(rule))
            for number, at, by, texts in versions[rule.id]:
                yield msgspec.json.encode(RuleVersionLine(rule.id, number, at, by, *texts))
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
            self.fact(line.fact)
        elif isinstance(line, RuleLine):
            self.rule(line.rule)
        elif isinstance(line, EventLine):
            self.event(line.event)
        elif isinstance(line, RuleVersionLine):
            self._add_version("rule", line.id, line, ("condition", "action"))
        else:
            self._add_version("fact", line.key, line, ("value",))

    def _count(self, outcome: str) -> bool:
        """Count an outcome; whether the item is here now as the import has it."""
        self._counts[outcome] += 1
        return outcome in ("added", "unchanged")

    def _clean(self, item: T) -> T:
        return msgspec.convert(self._project.clean(msgspec.to_builtins(item)), type(item))

    def fact(self, fact: Fact) -> None:
        """Store a fact, unless its key is known or was forgotten."""
        clean = self._clean(fact)
        known = facts.get_fact(self._project, clean.key)
        if known is not None:
            outcome = "unchanged" if known.value == clean.value else "different"
        elif facts.is_forgotten(self._project, clean.key):
            outcome = "forgotten"
        else:
            outcome = "added"
            import_author(self._project, clean.agent_id, clean.created_at)
            self._project.store.facts.put(replace(clean, imported_at=self._project.now()))
        if self._count(outcome):
            self._same["fact", fact.key] = (known or clean).version

    def rule(self, rule: Rule) -> None:
        """Store a rule that is neither here nor forgotten."""
        clean = self._clean(rule)
        known = self._project.store.rules.get([clean.id])
        if known:
            same = (known[0].condition, known[0].action) == (clean.condition, clean.action)
            outcome = "unchanged" if same else "different"
        elif rules.is_forgotten(self._project, clean):
            outcome = "forgotten"
        else:
            outcome = "added"
            import_author(self._project, clean.agent_id, clean.created_at)
            self._project.store.rules.put(replace(clean, imported_at=self._project.now()))
        if self._count(outcome):
            self._same["rule", rule.id] = (known[0] if known else clean).version

    def _add_version(
        self, kind: str, one: str, line: FactVersionLine | RuleVersionLine, fields: tuple[str, ...]
    ) -> None:
        """Add an earlier version, unless it is here: an import may have been broken off."""
        if line.version >= self._same.get((kind, one), 0):
            return
        history, clean = self._project.store.history, self._project.clean(msgspec.to_builtins(line))
        own_id = clean["key" if kind == "fact" else "id"]
        if line.version not in {revision.version for revision in history.of(kind, [own_id])[own_id]}:
            texts = tuple(clean[field] for field in fields)
            history.add(kind, own_id, Revision(line.version, line.changed_at, clean["changed_by"], texts))

    def rule_from_file(self, rule: Rule) -> None:
        """Store a rule of a file, which has no id there: one that is in the file twice is stored twice."""
        clean = self._clean(rule)
        if self._is_here(clean, self._project.store.rules.with_texts(clean.condition, clean.action)):
            self._counts["unchanged"] += 1
        else:
            self.rule(rule)

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
                        importer.event(_event(caller, *as_entry(item), agent_id))
                    elif layer is MemoryType.SEMANTIC:
                        importer.fact(_fact(caller.project, *as_fact(item), agent_id))
                    else:
                        importer.rule_from_file(_rule(caller.project, *as_rule(item), agent_id, met))
    return importer.result() or LayerImport()


def _event(caller: Caller, entry: MemoryEntry, extra: Json, agent_id: str) -> Event:
    return Event(
        id=entry.id,
        content=entry.content,
        metadata=entry.metadata,
        timestamp=entry.timestamp,
        extra=extra,
        agent_id=agent_id,
        session_id=caller.session_id,
        created_at=_second(caller.project, entry.timestamp),
    )


def _fact(project: Project, known: KnowledgeEntry, extra: Json, agent_id: str) -> Fact:
    return Fact(
        key=known.key,
        value=known.value,
        timestamp=known.timestamp,
        extra=extra,
        agent_id=agent_id,
        created_at=_second(project, known.timestamp),
    )


def _rule(project: Project, rule: ProceduralRule, extra: Json, agent_id: str, met: Counter[str]) -> Rule:
    return Rule(
        id=rule_id(rule, extra, met),
        condition=rule.condition,
        action=rule.action,
        timestamp=rule.timestamp,
        extra=extra,
        agent_id=agent_id,
        created_at=_second(project, rule.timestamp),
    )


def _second(project: Project, timestamp: float | None) -> int:
    """When something was recorded: never in the future, and now if that is unknown."""
    return min(project.now(), int(timestamp // 1000)) if timestamp and timestamp > 0 else project.now()
