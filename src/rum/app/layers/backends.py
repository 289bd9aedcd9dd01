"""Backends of `Layers`: where the episodic, semantic and procedural layers are stored.

`StoreBackend` uses the store of a project, `FileBackend` a directory of JSON files. These are not storage
backends: those implement `store/base.py`, and `StoreBackend` works with any of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, cast

from rum.app.caller import Caller
from rum.app.layers import events, facts, rules
from rum.consolidate.compaction import compact
from rum.llm.base import LanguageModel
from rum.model.errors import InvalidQuery
from rum.model.layers import (
    Event,
    Fact,
    Json,
    KnowledgeEntry,
    MemoryEntry,
    MemoryType,
    ProceduralRule,
    Rule,
    fact_entry,
    rule_entry,
    rule_id,
    to_file_object,
)
from rum.redact.redactor import Redactor
from rum.store.files.layers import Item, LayerFiles, as_entry, as_fact, as_rule, json_size


class OldEntries(NamedTuple):
    """The entries that compaction replaces, and a mark that shows later whether they have changed."""

    entries: list[MemoryEntry]
    mark: Sequence[object]


class StoreBackend:
    """Events, facts and rules of an open project; never its memories."""

    def __init__(self, caller: Caller, close: Callable[[], None] = lambda: None) -> None:
        self._caller = caller
        self.close = close
        self._tables = {
            MemoryType.EPISODIC: caller.store.events,
            MemoryType.SEMANTIC: caller.store.facts,
            MemoryType.PROCEDURAL: caller.store.rules,
        }

    def locked_call(self) -> AbstractContextManager[None]:
        return self._caller.locked_call()

    def now(self) -> int:
        return int(self._caller.project.clock() * 1000)

    def clean(self, given: Json) -> Json:
        return self._caller.project.clean(given)

    def entries(self, layer: MemoryType) -> Iterable[MemoryEntry]:
        return (row.entry() for row in self._rows(layer))

    def _rows(self, layer: MemoryType) -> Iterator[Event | Fact | Rule]:
        for batch in self._tables[layer].pages():
            yield from batch

    def count(self, layer: MemoryType) -> int:
        return self._tables[layer].count()

    def size(self, layer: MemoryType) -> int:
        """Bytes of a layer as compact JSON."""
        sizes = [json_size(as_item(row)) for row in self._rows(layer)]
        return 2 + sum(sizes) + max(0, len(sizes) - 1)

    def append(self, entry: MemoryEntry) -> bool:
        """Add an episodic entry; False, and nothing is written, if the id is taken."""
        return self._caller.store.events.add([events.new_event(self._caller, entry)], unless_known=True) == 1

    def learn(self, known: KnowledgeEntry) -> KnowledgeEntry:
        """Store a fact, replacing the value of its key; the fact as stored."""
        return facts.learn(self._caller, known.key, known.value, known.timestamp).knowledge()

    def recall(self, key: str) -> KnowledgeEntry | None:
        fact = facts.get_fact(self._caller.project, key)
        return fact.knowledge() if fact else None

    def add_rule(self, rule: ProceduralRule) -> MemoryEntry:
        return rules.add(
            self._caller, rule.condition, rule.action, rule.timestamp, allow_duplicate=True
        ).entry()

    def old_entries(self, layer: MemoryType, keep: int) -> OldEntries:
        """All but the last `keep` entries of a layer; PermissionDenied if the caller may not remove them.

        Facts are never compacted.
        """
        store = self._caller.store
        if layer is MemoryType.EPISODIC:
            found = store.events.older(keep)
            self._check_may_change("The events", (event for _, event in found))
            return OldEntries([event.entry() for _, event in found], [place for place, _ in found])
        rows = store.rules.latest(facts.EVERY)[keep:][::-1] if layer is MemoryType.PROCEDURAL else []
        self._check_may_change("The rules", rows)
        return OldEntries([rule.entry() for rule in rows], [rule.id for rule in rows])

    def replace_with_summary(self, layer: MemoryType, old: OldEntries, summary: MemoryEntry | None) -> bool:
        """Replace older entries by a summary, or by nothing; False if they changed in the meantime."""
        store = self._caller.store
        if layer is MemoryType.EPISODIC:
            event = events.new_event(self._caller, summary) if summary else None
            return store.events.replace_with_summary(cast("Sequence[int]", old.mark), event)
        with store.transaction():
            ids = cast("Sequence[str]", old.mark)
            return len(store.rules.get(ids)) == len(ids) == store.rules.delete(ids)

    def summary(self, entries: Sequence[MemoryEntry]) -> str:
        """A summary of entries. Call it without the lock, as it may take long."""
        return compact(lambda: self._caller.project.language_model, entries)

    def clear(self, layers: Sequence[MemoryType]) -> int:
        """Remove everything in these layers; the number of entries removed."""
        store, removed = self._caller.store, 0
        with store.transaction():
            if MemoryType.SEMANTIC in layers:
                self._check_may_change("The facts", self._rows(MemoryType.SEMANTIC))
                removed += store.facts.delete()
            if MemoryType.PROCEDURAL in layers:
                old = self.old_entries(MemoryType.PROCEDURAL, 0)
                self.replace_with_summary(MemoryType.PROCEDURAL, old, None)
                removed += len(old.entries)
            if MemoryType.EPISODIC in layers:
                # Last, as events are in another database file: an error before it changes no layer.
                self._check_may_change("The events", self._rows(MemoryType.EPISODIC))
                removed += store.events.delete()
        return removed

    def _check_may_change(self, what: str, rows: Iterable[Event | Fact | Rule]) -> None:
        for agent_id, imported in sorted({(row.agent_id, row.imported_at is not None) for row in rows}):
            self._caller.check_author(what, agent_id, imported=imported, instead=events.INSTEAD)


def as_item(row: Event | Fact | Rule) -> Item:
    """A row as an element of a JSON file of layers."""
    if isinstance(row, Fact):
        return [row.key, to_file_object(row.knowledge(), row.extra)]
    return to_file_object(row.entry() if isinstance(row, Event) else row.procedure(), row.extra)


class FileBackend:
    """The layers of a directory, with the methods of `StoreBackend`; fields of other programs are kept."""

    def __init__(
        self,
        folder: str,
        redactor: Redactor,
        clock: Callable[[], float],
        open_model: Callable[[], LanguageModel | None],
    ) -> None:
        self._files = LayerFiles(folder)
        self._redactor = redactor
        self._clock = clock
        self._open_model = open_model

    @contextmanager
    def locked_call(self) -> Generator[None]:
        # `Layers` takes care of threads, the lock files of other processes.
        try:
            yield
        except RecursionError:
            raise InvalidQuery("This is nested too deeply.") from None

    def now(self) -> int:
        return int(self._clock() * 1000)

    def clean(self, given: Json) -> Json:
        return cast("Json", self._redactor.redact_tree(given))

    def entries(self, layer: MemoryType) -> Iterable[MemoryEntry]:
        return _entries(layer, self._files.items(layer))

    def count(self, layer: MemoryType) -> int:
        return len(self._files.items(layer))

    def size(self, layer: MemoryType) -> int:
        return json_size(self._files.items(layer))

    def append(self, entry: MemoryEntry) -> bool:
        def is_taken(items: list[Item]) -> bool:
            return any(item["id"] == entry.id for item in items)

        before = self._files.change(
            MemoryType.EPISODIC,
            lambda items: items if is_taken(items) else [*items, to_file_object(entry, {})],
        )
        return not is_taken(before)

    def learn(self, known: KnowledgeEntry) -> KnowledgeEntry:
        fields = self.clean({"key": known.key, "value": known.value})
        fact = KnowledgeEntry(fields["key"], fields["value"], self._timestamp(known.timestamp))

        def put(pairs: list[Item]) -> list[Item]:
            facts: Json = {**dict(pairs), fact.key: to_file_object(fact, {})}
            return [[key, value] for key, value in facts.items()]

        self._files.change(MemoryType.SEMANTIC, put)
        return fact

    def recall(self, key: str) -> KnowledgeEntry | None:
        facts = (as_fact(item)[0] for item in self._files.items(MemoryType.SEMANTIC))
        return next((fact for fact in facts if fact.key == key), None)

    def add_rule(self, rule: ProceduralRule) -> MemoryEntry:
        added = to_file_object(
            ProceduralRule(rule.condition, rule.action, self._timestamp(rule.timestamp)), {}
        )
        before = self._files.change(MemoryType.PROCEDURAL, lambda items: [*items, added])
        # The id of a rule depends on those before it.
        return list(_rule_entries([*before, added]))[-1]

    def _timestamp(self, timestamp: float | None) -> float:
        return self.now() if timestamp is None else timestamp

    def old_entries(self, layer: MemoryType, keep: int) -> OldEntries:
        items = [] if layer is MemoryType.SEMANTIC else self._files.items(layer)
        old = items[: max(0, len(items) - keep)]
        return OldEntries([*_entries(layer, old)], old)

    def replace_with_summary(self, layer: MemoryType, old: OldEntries, summary: MemoryEntry | None) -> bool:
        count, replacement = len(old.mark), [to_file_object(summary, {})] if summary else []

        def is_same(items: list[Item]) -> bool:
            return items[:count] == old.mark

        before = self._files.change(
            layer, lambda items: [*replacement, *items[count:]] if is_same(items) else items
        )
        return is_same(before)

    def summary(self, entries: Sequence[MemoryEntry]) -> str:
        return compact(self._open_model, entries)

    def clear(self, layers: Sequence[MemoryType]) -> int:
        return sum(len(self._files.change(layer, lambda _: [])) for layer in layers)

    def close(self) -> None:
        pass  # nothing is open between calls


def _entries(layer: MemoryType, items: list[Item]) -> Iterable[MemoryEntry]:
    if layer is MemoryType.EPISODIC:
        return (as_entry(item)[0] for item in items)
    if layer is MemoryType.SEMANTIC:
        return (fact_entry(as_fact(item)[0]) for item in items)
    return _rule_entries(items)


def _rule_entries(items: list[Item]) -> Iterator[MemoryEntry]:
    """Rules as entries, with ids that stay the same while the rules do."""
    met: Counter[str] = Counter()
    for item in items:
        rule, extra = as_rule(item)
        yield rule_entry(rule_id(rule, extra, met), rule)


Backend = StoreBackend | FileBackend
