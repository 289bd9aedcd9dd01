"""The layers of a directory with three JSON files, read and changed in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from rum.app.layers.layers import Older
from rum.consolidate.compaction import compact
from rum.llm.base import LanguageModel
from rum.model.errors import InvalidQuery
from rum.model.layers import (
    Json,
    KnowledgeEntry,
    MemoryEntry,
    MemoryType,
    ProceduralRule,
    fact_entry,
    rule_entry,
    rule_id,
    whole,
)
from rum.redact.redactor import Redactor
from rum.store.files.layers import Item, LayerFiles, as_entry, as_fact, as_rule, json_size


class FileBackend:
    """The layers of a directory; fields that other programs wrote there are kept."""

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
    def turn(self) -> Generator[None]:
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
            MemoryType.EPISODIC, lambda items: items if is_taken(items) else [*items, whole(entry, {})]
        )
        return not is_taken(before)

    def learn(self, known: KnowledgeEntry) -> KnowledgeEntry:
        fields = self.clean({"key": known.key, "value": known.value})
        fact = KnowledgeEntry(fields["key"], fields["value"], self._timestamp(known.timestamp))

        def put(pairs: list[Item]) -> list[Item]:
            facts: Json = {**dict(pairs), fact.key: whole(fact, {})}
            return [[key, value] for key, value in facts.items()]

        self._files.change(MemoryType.SEMANTIC, put)
        return fact

    def recall(self, key: str) -> KnowledgeEntry | None:
        facts = (as_fact(item)[0] for item in self._files.items(MemoryType.SEMANTIC))
        return next((fact for fact in facts if fact.key == key), None)

    def add_rule(self, rule: ProceduralRule) -> MemoryEntry:
        added = whole(ProceduralRule(rule.condition, rule.action, self._timestamp(rule.timestamp)), {})
        before = self._files.change(MemoryType.PROCEDURAL, lambda items: [*items, added])
        # The id of a rule depends on those before it.
        return list(_rule_entries([*before, added]))[-1]

    def _timestamp(self, timestamp: float | None) -> float:
        return self.now() if timestamp is None else timestamp

    def older(self, layer: MemoryType, keep: int) -> Older:
        items = [] if layer is MemoryType.SEMANTIC else self._files.items(layer)
        older = items[: max(0, len(items) - keep)]
        return Older([*_entries(layer, older)], older)

    def fold(self, layer: MemoryType, older: Older, summary: MemoryEntry | None) -> bool:
        count, replacement = len(older.mark), [whole(summary, {})] if summary else []

        def is_same(items: list[Item]) -> bool:
            return items[:count] == older.mark

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
