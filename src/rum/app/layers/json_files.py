"""The lasting layers in a directory's three JSON files, worked on in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from rum.app.layers.backend import Older
from rum.consolidate.compaction import compact
from rum.llm.base import LanguageModel
from rum.model.errors import InvalidQuery
from rum.model.facts import fact_entry, rule_entry, rule_id
from rum.model.layers import Json, KnowledgeEntry, MemoryEntry, MemoryType, ProceduralRule, whole
from rum.redact.redactor import Redactor
from rum.store.files.layers import Item, LayerFiles, as_entry, as_fact, as_rule, json_size


class FiledLayers:
    """The layers of a directory; what other programs wrote there stays as they wrote it."""

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
        """Errors in plain words; `Layers` sees to it that its threads take turns, the files to the rest."""
        try:
            yield
        except RecursionError:
            raise InvalidQuery("This is nested too deeply.") from None

    def now(self) -> int:
        """Milliseconds."""
        return int(self._clock() * 1000)

    def clean(self, given: Json) -> Json:
        """The same without secrets."""
        return cast("Json", self._redactor.redact_tree(given))

    def entries(self, layer: MemoryType) -> Iterable[MemoryEntry]:
        """Every entry of a layer, in its order; facts and rules as entries."""
        return _entries(layer, self._files.items(layer))

    def count(self, layer: MemoryType) -> int:
        """How many entries a layer has."""
        return len(self._files.items(layer))

    def size(self, layer: MemoryType) -> int:
        """How many bytes a layer takes as compact JSON."""
        return json_size(self._files.items(layer))

    def append(self, entry: MemoryEntry) -> bool:
        """Put down what happened; False, and nothing is written, if the id is taken."""
        taken = False

        def add(items: list[Item]) -> list[Item]:
            nonlocal taken
            taken = any(item["id"] == entry.id for item in items)
            return items if taken else [*items, whole(entry, {})]

        self._files.change(MemoryType.EPISODIC, add)
        return not taken

    def learn(self, known: KnowledgeEntry) -> KnowledgeEntry:
        """Keep a fact, in the place of what was known under its key; as it was kept."""
        told = self.clean({"key": known.key, "value": known.value})
        kept = KnowledgeEntry(told["key"], told["value"], self._at(known.timestamp))

        def put(pairs: list[Item]) -> list[Item]:
            known: Json = {**dict(pairs), kept.key: whole(kept, {})}
            return [[key, fact] for key, fact in known.items()]

        self._files.change(MemoryType.SEMANTIC, put)
        return kept

    def recall(self, key: str) -> KnowledgeEntry | None:
        """What is known under a key."""
        known = (as_fact(item)[0] for item in self._files.items(MemoryType.SEMANTIC))
        return next((one for one in known if one.key == key), None)

    def add_rule(self, rule: ProceduralRule) -> MemoryEntry:
        """Keep a rule; as an entry."""
        kept = ProceduralRule(rule.condition, rule.action, self._at(rule.timestamp))
        entries: list[MemoryEntry] = []

        def add(items: list[Item]) -> list[Item]:
            # What it is called depends on those before it, which nobody changes just now.
            after = [*items, whole(kept, {})]
            entries[:] = _rule_entries(after)
            return after

        self._files.change(MemoryType.PROCEDURAL, add)
        return entries[-1]

    def _at(self, timestamp: float | None) -> float:
        return self.now() if timestamp is None else timestamp

    def older(self, layer: MemoryType, keep: int) -> Older:
        """All but the last so many entries of a layer; of facts none."""
        items = [] if layer is MemoryType.SEMANTIC else self._files.items(layer)
        older = items[: max(0, len(items) - keep)]
        return Older([*_entries(layer, older)], older)

    def fold(self, layer: MemoryType, older: Older, summary: MemoryEntry | None) -> bool:
        """Put a summary, or nothing, in the place of older entries; False if others changed them."""
        done, count = False, len(older.mark)

        def exchange(items: list[Item]) -> list[Item]:
            nonlocal done
            done = items[:count] == older.mark
            instead = [whole(summary, {})] if summary else []
            return [*instead, *items[count:]] if done else items

        self._files.change(layer, exchange)
        return done

    def summary(self, entries: Sequence[MemoryEntry]) -> str:
        """What entries say, in short: by the language model that is set, else a line each."""
        return compact(self._open_model, entries)

    def clear(self, layers: Sequence[MemoryType]) -> int:
        """Take away everything in these layers; how many entries went."""
        gone: list[Item] = []

        def empty(items: list[Item]) -> list[Item]:
            gone.extend(items)
            return []

        for layer in layers:
            self._files.change(layer, empty)
        return len(gone)

    def close(self) -> None:
        """Nothing is held between calls."""


def _entries(layer: MemoryType, items: list[Item]) -> Iterable[MemoryEntry]:
    """Elements of a file as entries; facts and rules too."""
    if layer is MemoryType.EPISODIC:
        return (as_entry(item)[0] for item in items)
    if layer is MemoryType.SEMANTIC:
        return (fact_entry(as_fact(item)[0]) for item in items)
    return _rule_entries(items)


def _rule_entries(items: list[Item]) -> Iterator[MemoryEntry]:
    """Rules of a file as entries, under ids that stay the same while the rules do."""
    met: Counter[str] = Counter()
    for item in items:
        rule, extra = as_rule(item)
        yield rule_entry(rule_id(rule, extra, met), rule)
