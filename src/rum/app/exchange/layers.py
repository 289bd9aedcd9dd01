"""Facts, rules and events in and out: as lines of an export, and as the three files of layers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.agents import import_author
from rum.app.caller import Caller
from rum.app.calls import plain_json
from rum.app.layers import events, facts, rules
from rum.app.layers.store_backend import as_item
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
from rum.model.memory import Number
from rum.store.files.layers import NAMES, LayerFiles, as_entry, as_fact, as_rule, write_layers
from rum.store.records import Revision

BATCH = 200
"""Entries written at once, so that other writers get their turn in between."""


class FactLine(Struct, frozen=True, tag="fact", tag_field="kind"):
    """A fact."""

    fact: Fact


class FactVersionLine(Struct, frozen=True, tag="fact_version", tag_field="kind"):
    """What a fact said before."""

    key: str
    version: Number
    changed_at: Stamp
    changed_by: str
    value: str


class RuleLine(Struct, frozen=True, tag="rule", tag_field="kind"):
    """A rule."""

    rule: Rule


class RuleVersionLine(Struct, frozen=True, tag="rule_version", tag_field="kind"):
    """What a rule said before."""

    id: str
    version: Number
    changed_at: Stamp
    changed_by: str
    condition: str
    action: str


class EventLine(Struct, frozen=True, tag="event", tag_field="kind"):
    """One thing that happened."""

    event: Event


LayerLine = FactLine | FactVersionLine | RuleLine | RuleVersionLine | EventLine


class LayerImport(Struct, frozen=True, kw_only=True):
    """What became of facts, rules and events: added, there already, different (kept as it was), forgotten."""

    added: int = 0
    unchanged: int = 0
    different: int = 0
    forgotten: int = 0


def layer_lines(project: Project) -> Iterator[bytes]:
    """Every fact with what it said before, every rule and every event."""
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


class LayersTaken:
    """An import under way: what came of it so far, and what it has met."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._counts: Counter[str] = Counter()
        self._alike: dict[str, int] = {}
        self._alike_rules: dict[str, int] = {}
        self._met: Counter[bytes] = Counter()
        self._told: set[str] = set()
        """Ids of events that were told of so far, and are here."""

    def result(self) -> LayerImport | None:
        """What came of it; None if it was about nothing."""
        return LayerImport(**self._counts) if self._counts else None

    def take(self, line: LayerLine) -> None:
        """Keep what a line says, in a transaction of the caller's."""
        if isinstance(line, FactLine):
            self.fact(line.fact)
        elif isinstance(line, RuleLine):
            self.rule(line.rule)
        elif isinstance(line, EventLine):
            self.event(line.event)
        elif isinstance(line, RuleVersionLine):
            self._rule_version(line)
        else:
            self._version(line)

    def fact(self, fact: Fact) -> None:
        """Keep a fact, unless something is known under its key, or was forgotten."""
        clean = msgspec.convert(self._project.clean(msgspec.to_builtins(fact)), Fact)
        known = facts.get_fact(self._project, clean.key)
        if known is not None:
            word = "unchanged" if known.value == clean.value else "different"
        elif facts.is_forgotten(self._project, clean.key):
            word = "forgotten"
        else:
            word = "added"
            import_author(self._project, clean.agent_id, clean.created_at)
            self._project.store.facts.put(replace(clean, imported_at=self._project.now()))
        if word in ("added", "unchanged"):
            self._alike[fact.key] = (known or clean).version
        self._counts[word] += 1

    def _version(self, line: FactVersionLine) -> None:
        """Add what a fact said before, unless that is there: an import may have been broken off."""
        history, key = self._project.store.history, self._project.redactor.redact(line.key)
        known = {revision.version for revision in history.of("fact", [key])[key]}
        if line.version < self._alike.get(line.key, 0) and line.version not in known:
            told = self._project.clean({"key": line.key, "value": line.value})
            by = self._project.redactor.redact(line.changed_by)
            history.add("fact", key, Revision(line.version, line.changed_at, by, (told["value"],)))

    def rule(self, rule: Rule) -> None:
        """Keep a rule that is neither here nor forgotten."""
        clean = msgspec.convert(self._project.clean(msgspec.to_builtins(rule)), Rule)
        known = self._project.store.rules.get([clean.id])
        if known:
            same = (known[0].condition, known[0].action) == (clean.condition, clean.action)
            word = "unchanged" if same else "different"
        elif rules.is_forgotten(self._project, clean):
            word = "forgotten"
        else:
            word = "added"
            import_author(self._project, clean.agent_id, clean.created_at)
            self._project.store.rules.put(replace(clean, imported_at=self._project.now()))
        if word in ("added", "unchanged"):
            self._alike_rules[clean.id] = (known[0] if known else clean).version
        self._counts[word] += 1

    def _rule_version(self, line: RuleVersionLine) -> None:
        """The same for what a rule said before."""
        history = self._project.store.history
        told = self._project.clean(msgspec.to_builtins(line))
        known = {revision.version for revision in history.of("rule", [told["id"]])[told["id"]]}
        if line.version < self._alike_rules.get(told["id"], 0) and line.version not in known:
            texts = (told["condition"], told["action"])
            revision = Revision(line.version, line.changed_at, told["changed_by"], texts)
            history.add("rule", told["id"], revision)

    def rule_from_file(self, rule: Rule) -> None:
        """The same for a rule of a file, which has no id there: one that is told twice is kept twice."""
        clean = msgspec.convert(self._project.clean(msgspec.to_builtins(rule)), Rule)
        here = self._project.store.rules.with_texts(clean.condition, clean.action)
        if self._is_here(clean, here):
            self._counts["unchanged"] += 1
        else:
            self.rule(rule)

    def _is_here(self, told: Event | Rule, here: Sequence[Event | Rule]) -> bool:
        """Whether something was here before as often as it was told so far."""
        said = msgspec.json.encode(as_item(told), order="sorted")
        self._met[said] += 1
        return sum(as_item(one) == as_item(told) for one in here) >= self._met[said]

    def event(self, event: Event) -> None:
        """Keep an event that is neither here nor forgotten, and whose id is not another one's here.

        One that is told twice happened twice: not every program gives an id only once.
        """
        clean = msgspec.convert(self._project.clean(msgspec.to_builtins(event)), Event)
        here = self._project.store.events.get([clean.id])
        if self._is_here(clean, here):
            word = "unchanged"
        elif events.is_forgotten(self._project, clean):
            word = "forgotten"
        elif here and clean.id not in self._told:
            word = "different"
        else:
            word = "added"
            self._project.store.events.add([replace(clean, imported_at=self._project.now())])
        if word in ("added", "unchanged"):
            self._told.add(clean.id)
        self._counts[word] += 1


def export_layers(caller: Caller, folder: str) -> dict[str, int]:
    """Write the three files of layers into a directory that has none; how many entries each has."""
    kept = {
        MemoryType.EPISODIC: caller.project.store.events,
        MemoryType.SEMANTIC: caller.project.store.facts,
        MemoryType.PROCEDURAL: caller.project.store.rules,
    }
    items = {layer: [as_item(row) for batch in rows.pages() for row in batch] for layer, rows in kept.items()}
    write_layers(folder, items)
    return {NAMES[layer]: len(items[layer]) for layer in LASTING}


def import_layers(caller: Caller, folder: str) -> LayerImport:
    """Take in the files of layers of a directory, checked whole before anything is written."""
    if not any(os.path.isfile(os.path.join(folder, name)) for name in NAMES.values()):
        raise InvalidQuery(f"{folder} has none of {', '.join(NAMES.values())}.", field="dir")
    files = LayerFiles(folder)
    read = {layer: plain_json({"items": files.items(layer)})["items"] for layer in LASTING}
    agent_id, taken = events.ensure_author(caller).id, LayersTaken(caller.project)
    met: Counter[str] = Counter()
    for layer, items in read.items():
        for start in range(0, len(items), BATCH):
            with caller.project.store.transaction():
                for item in items[start : start + BATCH]:
                    if layer is MemoryType.EPISODIC:
                        taken.event(_event(caller, *as_entry(item), agent_id))
                    elif layer is MemoryType.SEMANTIC:
                        taken.fact(_fact(caller.project, *as_fact(item), agent_id))
                    else:
                        taken.rule_from_file(_rule(caller.project, *as_rule(item), agent_id, met))
    return taken.result() or LayerImport()


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
    """When something was put down: never in the future, and now if nobody knows."""
    return min(project.now(), int(timestamp // 1000)) if timestamp and timestamp > 0 else project.now()
