"""Working, episodic, semantic and procedural memory as layers of entries, on any backend."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, cast

import msgspec
from msgspec import Struct

from rum.app.caller import Caller
from rum.app.calls import plain_json, public
from rum.app.layers.backends import Backend, OldEntries, StoreBackend
from rum.consolidate.compaction import is_compactable
from rum.model.errors import NO_RESULTS, InvalidQuery
from rum.model.fields import parse
from rum.model.ids import new_id
from rum.model.layers import (
    FOUND_AT_MOST,
    KEEP_LAST,
    LASTING,
    MOST_WORKING,
    WORKING_BYTES,
    CompactOptions,
    GivenEntry,
    GivenFact,
    GivenKnowledge,
    GivenRule,
    KnowledgeEntry,
    LayersRequest,
    LayersResult,
    MemoryEntry,
    MemoryStats,
    MemoryType,
    ProceduralRule,
    fact_entry,
    milliseconds,
)
from rum.recall.entries import found
from rum.store.files.layers import json_size

Given = Mapping[str, Any]


@public
class Layers:
    """The four layers; calls from several threads take turns."""

    def __init__(
        self,
        open_backend: Callable[[], Backend],
        max_working_entries: int = MOST_WORKING,
        max_working_bytes: int | None = None,
    ) -> None:
        self._most = _at_least(1, max_working_entries, "max_working_entries")
        self._most_bytes = max_working_bytes
        self._open_backend = open_backend
        self._backend: Backend | None = None
        self._working: list[MemoryEntry] = []
        self._lock = threading.RLock()

    @contextmanager
    def _locked_call(self) -> Generator[Backend]:
        """The backend, opened when it is first needed, for one call at a time."""
        with self._lock:
            if self._backend is None:
                self._backend = self._open_backend()
            with self._backend.locked_call():
                yield self._backend

    def append(self, type: MemoryType | str, entry: MemoryEntry | Given) -> MemoryEntry:
        """Add an entry to a layer, with an id and a timestamp if it has none; the entry as stored.

        The key of a semantic entry is `metadata.key` or else its id; a procedural one needs
        `metadata.condition`. An id of the episodic layer belongs to one entry. Working memory keeps its last
        entries only.
        """
        layer = _layer(type)
        with self._locked_call() as backend:
            given = parse(
                backend.clean(plain_json(_fields(entry, GivenEntry, "append"))), GivenEntry, "append"
            )
            kept = MemoryEntry(
                id=given.id or new_id("event"),
                timestamp=backend.now() if given.timestamp is None else milliseconds(given.timestamp),
                content=given.content,
                metadata=given.metadata,
            )
            return self._appended(backend, layer, kept)

    def _appended(self, backend: Backend, layer: MemoryType, entry: MemoryEntry) -> MemoryEntry:
        metadata = entry.metadata or {}
        if layer is MemoryType.SEMANTIC:
            key = metadata.get("key", entry.id)
            fact = parse({"key": key, "value": entry.content}, GivenFact, "append")
            return fact_entry(backend.learn(KnowledgeEntry(fact.key, fact.value, entry.timestamp)))
        if layer is MemoryType.PROCEDURAL:
            if "condition" not in metadata:
                raise InvalidQuery(
                    "append: a rule needs a condition: `metadata.condition`.",
                    field="metadata.condition",
                )
            fields = {"condition": metadata["condition"], "action": entry.content}
            rule = parse(fields, GivenRule, "append")
            return backend.add_rule(ProceduralRule(rule.condition, rule.action, entry.timestamp))
        if layer is MemoryType.WORKING:
            self._keep_working(entry)
        elif not backend.append(entry):
            raise InvalidQuery(
                f"append: the id `{entry.id}` is taken by another entry of the {layer.value} layer, which "
                "stays as it is. Give another `id`, or none.",
                field="id",
            )
        return entry

    def _keep_working(self, entry: MemoryEntry) -> None:
        """Add a working entry; the oldest ones go while there are too many, or they are too large."""
        kept = [*self._working, entry][-self._most :]
        if self._most_bytes is not None:
            sizes = [json_size(msgspec.to_builtins(one)) for one in kept]
            if sizes[-1] > self._most_bytes:
                raise InvalidQuery(
                    f"append: a working entry has at most {self._most_bytes:,} bytes here, not {sizes[-1]:,}."
                    " Put long texts into the episodic layer, or store a memory.",
                    field="content",
                )
            while sum(sizes) > self._most_bytes:
                kept, sizes = kept[1:], sizes[1:]
        self._working = kept

    def search(self, type: MemoryType | str, query: str, limit: int = FOUND_AT_MOST) -> list[MemoryEntry]:
        """The entries of a layer that contain terms of a query, best first."""
        layer, most = _layer(type), _at_least(1, limit, "limit")
        with self._locked_call() as backend:
            entries = self._working if layer is MemoryType.WORKING else backend.entries(layer)
            return deepcopy(found(entries, parse(query, str, "query"), most, backend.now()))

    def learn(self, knowledge: KnowledgeEntry | Given) -> KnowledgeEntry:
        """Store a fact, replacing the value of its key; the fact as stored."""
        with self._locked_call() as backend:
            given = parse(plain_json(_fields(knowledge, GivenKnowledge, "learn")), GivenKnowledge, "learn")
            parse({"key": given.key, "value": given.value}, GivenFact, "learn")
            at = None if given.timestamp is None else milliseconds(given.timestamp)
            return backend.learn(KnowledgeEntry(given.key, given.value, at))

    def recall(self, key: str) -> KnowledgeEntry | None:
        """The fact under a key, if there is one."""
        with self._locked_call() as backend:
            return backend.recall(parse(key, str, "key"))

    def compact(
        self,
        type: MemoryType | str,
        opts: CompactOptions | Given | None = None,
        *,
        keep_last: int = KEEP_LAST,
        summarize_older: bool = True,
    ) -> int:
        """Replace all but the last entries of a layer by one summary before them; the number replaced.

        Without a summary they are dropped. Rules are never summarised, and facts need no compaction. `opts`
        has the options as one object (`keepLast`, `summarizeOlder`).
        """
        if opts is not None:
            given = opts if isinstance(opts, CompactOptions) else parse(opts, CompactOptions, "compact")
            keep_last, summarize_older = given.keep_last, given.summarize_older
        layer, keep = _layer(type), _at_least(0, keep_last, "keep_last")
        summarise = summarize_older and layer is not MemoryType.PROCEDURAL
        while True:
            with self._locked_call() as backend:
                if layer is MemoryType.WORKING:
                    entries = self._working[: max(0, len(self._working) - keep)]
                    old = OldEntries(entries, entries)
                else:
                    old = backend.old_entries(layer, keep)
            if not old.entries or (summarise and not is_compactable(old.entries)):
                return 0
            # The summary is made outside of the lock; if entries changed in the meantime, start again.
            summary = None
            if summarise:
                # With the time of the last entry: it must not look newer than its content.
                at, content = old.entries[-1].timestamp, backend.summary(old.entries)
                summary = MemoryEntry(id=new_id("event"), timestamp=at, content=content)
            with self._locked_call():
                if layer is MemoryType.WORKING:
                    is_replaced = self._replace_with_summary(old, summary)
                else:
                    is_replaced = backend.replace_with_summary(layer, old, summary)
                if is_replaced:
                    return len(old.entries)

    def _replace_with_summary(self, old: OldEntries, summary: MemoryEntry | None) -> bool:
        count = len(old.mark)
        if self._working[:count] != old.mark:
            return False
        self._working = [*([summary] if summary else []), *self._working[count:]]
        return True

    def get_stats(self) -> MemoryStats:
        """Counts and sizes of the layers."""
        with self._locked_call() as backend:
            sizes = [json_size(msgspec.to_builtins(self._working)), *map(backend.size, LASTING)]
            return MemoryStats(
                working_memory_tokens=math.ceil(sum(len(entry.content) for entry in self._working) / 4),
                episodic_entry_count=backend.count(MemoryType.EPISODIC),
                semantic_entry_count=backend.count(MemoryType.SEMANTIC),
                procedural_rule_count=backend.count(MemoryType.PROCEDURAL),
                total_storage_bytes=sum(sizes),
            )

    def clear(self, type: MemoryType | str | None = None) -> int:
        """Empty one layer, or all of them; the number of entries removed."""
        layers: Sequence[MemoryType] = list(MemoryType) if type is None else [_layer(type)]
        with self._locked_call() as backend:
            removed = backend.clear([layer for layer in layers if layer in LASTING])
            if MemoryType.WORKING in layers:
                removed += len(self._working)
                self._working = []
            return removed

    def get_working_memory(self) -> list[MemoryEntry]:
        """A copy of the working entries, oldest first."""
        with self._lock:
            return deepcopy(self._working)

    def get_episodic_memory(self) -> list[MemoryEntry]:
        """A copy of the episodic entries, oldest first."""
        return self.entries(MemoryType.EPISODIC)

    def entries(self, type: MemoryType | str) -> list[MemoryEntry]:
        """A copy of the entries of a layer, oldest first."""
        layer = _layer(type)
        with self._locked_call() as backend:
            return deepcopy(self._working if layer is MemoryType.WORKING else list(backend.entries(layer)))


def layers_of(caller: Caller) -> Layers:
    """The layers of a caller's project; the working entries last as long as the caller."""
    if caller.layers is None:
        most = WORKING_BYTES if caller.role else None
        caller.layers = Layers(lambda: StoreBackend(caller), max_working_bytes=most)
    return caller.layers


def call(caller: Caller, request: LayersRequest) -> Struct:
    """Run the action of a request."""
    layers, layer, action = layers_of(caller), request.type, request.action
    if action == "stats":
        return layers.get_stats()
    if action == "recall":
        known = layers.recall(_given(request, "key"))
        return known or LayersResult(code=NO_RESULTS, hint="No fact has this key. `learn` lists the facts.")
    if action == "clear":
        if layer is not MemoryType.WORKING and request.confirm != (name := caller.project.location.name):
            raise InvalidQuery(
                f"layers: to clear, give `confirm`, the project's name: {name}.", field="confirm"
            )
        if layer is not MemoryType.WORKING:
            caller.check_unconfined("clear a layer")
        return LayersResult(cleared=layers.clear(layer))
    layer = _given(request, "type")
    if action == "append":
        return layers.append(layer, _given(request, "entry"))
    if action == "compact":
        if layer is not MemoryType.WORKING:
            caller.check_unconfined("compact a layer")
        return LayersResult(compacted=layers.compact(layer, request.opts))
    if action == "search":
        found = layers.search(layer, _given(request, "query"), request.limit)
        return _found(found, len(found), "No entry has one of these words.")
    every = layers.entries(layer)
    return _found(every[-request.limit :], len(every), "The layer is empty.")


def _found(entries: list[MemoryEntry], total: int, hint: str) -> LayersResult:
    if not entries:
        return LayersResult(entries=[], total=0, code=NO_RESULTS, hint=hint)
    return LayersResult(entries=entries, total=total)


def _given(request: LayersRequest, field: str) -> Any:
    value = getattr(request, field)
    if value is None:
        raise InvalidQuery(f"layers: `{request.action}` needs `{field}`.", field=field)
    return value


def _fields(given: object, model: type[msgspec.Struct], what: str) -> Given:
    """The argument of a call as a map."""
    if isinstance(given, msgspec.Struct):
        return msgspec.structs.asdict(given)
    if isinstance(given, Mapping):
        return cast("Given", given)
    fields = msgspec.structs.fields(model)
    needed = ", ".join(f"`{field.name}`" for field in fields if field.required)
    more = ", ".join(f"`{field.name}`" for field in fields if not field.required)
    raise InvalidQuery(
        f"{what}: give an object with {needed}, and if you like {more}; not {type(given).__name__}."
    )


def _layer(given: MemoryType | str) -> MemoryType:
    return parse(given, MemoryType, "type")


def _at_least(least: int, given: int, name: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
        raise InvalidQuery(f"`{name}` must be a whole number from {least} on, not {given!r}.", field=name)
    return given
