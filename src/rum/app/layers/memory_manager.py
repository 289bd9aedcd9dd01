"""MemoryManager: the layers of a project or database, or of a directory with three JSON files."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self, cast

from rum.app.layers.layers import LayerBackend, Layers, Older
from rum.app.project import Clock
from rum.app.rum import Rum
from rum.consolidate.compaction import compact
from rum.llm.base import LanguageModel
from rum.llm.choose import open_meter, open_model
from rum.model.errors import InvalidQuery, NotFound
from rum.model.layers import (
    MOST_WORKING,
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
from rum.repo.location import find_root
from rum.settings.home import find_home
from rum.settings.load import load
from rum.store.files.atomic_write import make_folder
from rum.store.files.layers import Item, LayerFiles, as_entry, as_fact, as_rule, holds_layers, json_size

DATABASE = "rum.db"


class MemoryManager(Layers):
    """The four layers of a project, of a RUM database, or of a directory with files of layers.

    A project shares its layers among all its agents. A directory of layers (one that holds `episodic.json`,
    `semantic.json` or `procedural.json`, or is called `.rlm-data/memory`) is read and changed in place.
    Without an `agent` the owner acts, who may change everything.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        max_working_entries: int = MOST_WORKING,
        *,
        agent: str | None = None,
        home: str | os.PathLike[str] | None = None,
        clock: Clock = time.time,
    ) -> None:
        super().__init__(self._open, max_working_entries)
        self.path = os.path.abspath(path)
        self._agent = agent
        self._home = None if home is None else os.fspath(home)
        self._clock = clock

    def init(self) -> Self:
        """Open the path; a directory is created if there is none. Any other call does so too."""
        with self._turn():
            return self

    def close(self) -> None:
        """Close the files; the working entries stay."""
        with self._lock:
            if self._backend is not None:
                self._backend.close()
                self._backend = None

    def __enter__(self) -> Self:
        return self.init()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> LayerBackend:
        if holds_layers(self.path):
            make_folder(self.path)
            return self._open_files()
        directory = self._database()
        if directory is None:
            make_folder(self.path)
        rum = self._open_project() if directory is None else self._open_database(directory)
        return rum.lasting()

    def _database(self) -> str | None:
        """The directory of the RUM database that the path names, if it names one."""
        if os.path.isfile(os.path.join(self.path, DATABASE)):
            return self.path
        folder, name = os.path.split(self.path)
        if os.path.isfile(self.path):
            if name == DATABASE:
                return folder
            raise InvalidQuery(
                f"{self.path} is neither a folder nor a RUM database ({DATABASE}).", field="path"
            )
        if name.endswith(".db"):
            raise NotFound(f"There is no database {self.path}.", path=self.path)
        return None

    def _open_database(self, directory: str) -> Rum:
        return Rum.open_database(directory, agent=self._agent, owner=self._agent is None, clock=self._clock)

    def _open_project(self) -> Rum:
        return Rum.open(
            self.path, agent=self._agent, owner=self._agent is None, home=self._home, clock=self._clock
        )

    def _open_files(self) -> FileBackend:
        flags = {"home": self._home} if self._home else {}
        root = find_root(self.path, find_home(flags, os.environ, self.path))
        settings = load(root, flags=flags, cwd=self.path)
        redactor = Redactor(extra=settings.redact_extra, allow=settings.redact_allow)

        def model() -> LanguageModel | None:
            meter = open_meter(settings, os.path.basename(self.path), self._clock)
            return open_model(settings, meter, redactor.redact_tree)

        return FileBackend(self.path, redactor, self._clock, model)


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
