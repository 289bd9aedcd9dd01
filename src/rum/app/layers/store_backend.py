"""The layers in RUM's store, shared by all agents of the project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import cast

from rum.app.caller import Caller
from rum.app.layers import events, facts, rules
from rum.app.layers.layers import Older
from rum.consolidate.compaction import compact
from rum.model.layers import (
    Event,
    Fact,
    Json,
    KnowledgeEntry,
    MemoryEntry,
    MemoryType,
    ProceduralRule,
    Rule,
    whole,
)
from rum.store.files.layers import Item, json_size


class StoreBackend:
    """Events, facts and rules of an open project; never its memories."""

    def __init__(self, caller: Caller, close: Callable[[], None] = lambda: None) -> None:
        self._caller = caller
        self.close = close

    def turn(self) -> AbstractContextManager[None]:
        return self._caller.turn()

    def now(self) -> int:
        return int(self._caller.project.clock() * 1000)

    def clean(self, given: Json) -> Json:
        return self._caller.project.clean(given)

    def entries(self, layer: MemoryType) -> Iterable[MemoryEntry]:
        return (row.entry() for row in self._rows(layer))

    def _rows(self, layer: MemoryType) -> Iterator[Event | Fact | Rule]:
        store = self._caller.project.store
        tables = {
            MemoryType.EPISODIC: store.events,
            MemoryType.SEMANTIC: store.facts,
            MemoryType.PROCEDURAL: store.rules,
        }[layer]
        for batch in tables.pages():
            yield from batch

    def count(self, layer: MemoryType) -> int:
        store = self._caller.project.store
        if layer is MemoryType.EPISODIC:
            return store.events.count()
        return store.facts.count() if layer is MemoryType.SEMANTIC else store.rules.count()

    def size(self, layer: MemoryType) -> int:
        sizes = [json_size(as_item(row)) for row in self._rows(layer)]
        return 2 + sum(sizes) + max(0, len(sizes) - 1)

    def append(self, entry: MemoryEntry) -> bool:
        return (
            self._caller.project.store.events.add([events.new_event(self._caller, entry)], unless_known=True)
            == 1
        )

    def learn(self, known: KnowledgeEntry) -> KnowledgeEntry:
        return facts.learn(self._caller, known.key, known.value, known.timestamp).knowledge()

    def recall(self, key: str) -> KnowledgeEntry | None:
        fact = facts.get_fact(self._caller.project, key)
        return fact.knowledge() if fact else None

    def add_rule(self, rule: ProceduralRule) -> MemoryEntry:
        return rules.add(self._caller, rule.condition, rule.action, rule.timestamp, again=True).entry()

    def older(self, layer: MemoryType, keep: int) -> Older:
        store = self._caller.project.store
        if layer is MemoryType.EPISODIC:
            found = store.events.older(keep)
            self._check_may_change("The events", _authors([event for _, event in found]))
            return Older([event.entry() for _, event in found], [place for place, _ in found])
        rows = store.rules.latest(facts.EVERY)[keep:][::-1] if layer is MemoryType.PROCEDURAL else []
        self._check_may_change("The rules", _authors(rows))
        return Older([rule.entry() for rule in rows], [rule.id for rule in rows])

    def fold(self, layer: MemoryType, older: Older, summary: MemoryEntry | None) -> bool:
        store = self._caller.project.store
        if layer is MemoryType.EPISODIC:
            event = events.new_event(self._caller, summary) if summary else None
            return store.events.fold(cast("Sequence[int]", older.mark), event)
        with store.transaction():
            ids = cast("Sequence[str]", older.mark)
            return len(store.rules.get(ids)) == len(ids) == store.rules.delete(ids)

    def summary(self, entries: Sequence[MemoryEntry]) -> str:
        return compact(lambda: self._caller.project.language_model, entries)

    def clear(self, layers: Sequence[MemoryType]) -> int:
        store, removed = self._caller.project.store, 0
        with store.transaction():
            if MemoryType.SEMANTIC in layers:
                self._check_may_change(
                    "The facts", _authors(fact for page in store.facts.pages() for fact in page)
                )
                removed += store.facts.delete()
            if MemoryType.PROCEDURAL in layers:
                older = self.older(MemoryType.PROCEDURAL, 0)
                self.fold(MemoryType.PROCEDURAL, older, None)
                removed += len(older.entries)
            if MemoryType.EPISODIC in layers:
                # Last, as events are in another database file: an error before it changes no layer.
                self._check_may_change(
                    "The events", _authors(event for page in store.events.pages() for event in page)
                )
                removed += store.events.delete()
        return removed

    def _check_may_change(self, what: str, authors: set[tuple[str, bool]]) -> None:
        for agent_id, imported in sorted(authors):
            self._caller.check_author(what, agent_id, imported=imported, instead=events.INSTEAD)


def _authors(rows: Iterable[Event | Fact | Rule]) -> set[tuple[str, bool]]:
    """The agents that wrote some records, and whether those were imported."""
    return {(row.agent_id, row.imported_at is not None) for row in rows}


def as_item(row: Event | Fact | Rule) -> Item:
    """A row as an element of a JSON file of layers."""
    if isinstance(row, Fact):
        return [row.key, whole(row.knowledge(), row.extra)]
    return whole(row.entry() if isinstance(row, Event) else row.procedure(), row.extra)
