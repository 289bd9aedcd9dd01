"""A directory of layers: three JSON files, read and written without loss, by one writer at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

from rum.model.errors import InvalidQuery
from rum.model.layers import Json, KnowledgeEntry, MemoryEntry, MemoryType, ProceduralRule, known_part
from rum.store.files.atomic_write import inside, locked, make_folder, read, replace

# The file of each layer that has one.
NAMES = {
    MemoryType.EPISODIC: "episodic.json",
    MemoryType.SEMANTIC: "semantic.json",
    MemoryType.PROCEDURAL: "procedural.json",
}
LIMIT = 256 * 1024 * 1024  # Maximum size of a file in bytes

Item = Any  # An element of a file, as its JSON: an entry, a pair of key and fact, or a rule
Stamp = tuple[int, ...] | None


class LayerFiles:
    """The three files of a directory, each read when it is needed and after it has changed."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._known: dict[MemoryType, tuple[Stamp, list[Item]]] = {}

    def items(self, layer: MemoryType) -> list[Item]:
        """The content of a layer's file; nothing if there is none."""
        path = self._path(layer)
        stamp = _stamp(path)
        known = self._known.get(layer)
        if known is None or known[0] != stamp:
            known = self._known[layer] = (stamp, _read(path, layer))
        return list(known[1])

    def change(self, layer: MemoryType, change: Callable[[list[Item]], list[Item]]) -> list[Item]:
        """Replace the content of a layer's file under its lock; what it held before."""
        path = self._path(layer)
        make_folder(self.folder)
        with locked(path):
            before = _read(path, layer)
            after = change(list(before))
            if after != before or not os.path.exists(path):
                replace(path, _encoded(after))
        self._known.pop(layer, None)
        return before

    def _path(self, layer: MemoryType) -> str:
        return inside(self.folder, os.path.join(self.folder, NAMES[layer]))


def holds_layers(folder: str) -> bool:
    """Whether a directory holds layers: it has one of the files, or is called `.rlm-data/memory`.

    A checkout that happens to hold a file of that name is still a project.
    """
    above, name = os.path.split(os.path.normpath(folder))
    if name == "memory" and os.path.basename(above) == ".rlm-data":
        return True
    has_files = any(os.path.isfile(os.path.join(folder, name)) for name in NAMES.values())
    return has_files and not os.path.lexists(os.path.join(folder, ".git"))


def make_layers(folder: str) -> None:
    """Make the directory and the files that are missing in it."""
    files = LayerFiles(folder)
    for layer, name in NAMES.items():
        if not os.path.exists(os.path.join(folder, name)):
            files.change(layer, list)


def write_layers(folder: str, layers: Mapping[MemoryType, list[Item]]) -> None:
    """Write the files of a directory that has none yet."""
    paths = {layer: os.path.join(folder, NAMES[layer]) for layer in layers}
    for path in paths.values():
        if os.path.lexists(path):
            raise InvalidQuery(f"{path} exists already; choose another file.", field="dir")
    make_folder(folder)
    for layer, path in paths.items():
        replace(path, _encoded(layers[layer]))


def json_size(item: Item) -> int:
    """Bytes of an element as compact JSON."""
    return len(json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace"))


def _encoded(items: list[Item]) -> bytes:
    # Half a surrogate pair, which JSON allows and UTF-8 does not, is written as an escape.
    return json.dumps(items, ensure_ascii=False, indent=2).encode(errors="backslashreplace")


def _stamp(path: str) -> Stamp:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def _read(path: str, layer: MemoryType) -> list[Item]:
    data = read(path, LIMIT)
    if data is None:
        return []
    try:
        parsed = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_number, parse_float=_finite)
    except UnicodeDecodeError:
        raise InvalidQuery(f"{path} is not UTF-8 text.", file=path) from None
    except RecursionError:
        raise InvalidQuery(f"{path} is nested too deeply.", file=path) from None
    except ValueError as error:
        raise InvalidQuery(f"{path} is not JSON: {error}.", file=path) from None
    if not isinstance(parsed, list):
        raise InvalidQuery(f"{path} must hold a JSON array.", file=path)
    items = cast("list[Item]", parsed)
    for number, item in enumerate(items, start=1):
        _CHECKS[layer](item, f"{path}, entry {number}")
    if layer is MemoryType.SEMANTIC:  # of pairs with the same key the last counts, where the first was
        return [[key, value] for key, value in dict(items).items()]
    return items


def _refuse_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _refuse_number(text)


def _object(item: Item, where: str) -> Json:
    if not isinstance(item, dict):
        raise InvalidQuery(f"{where}: must be a JSON object.")
    return cast("Json", item)


def as_entry(item: Item, where: str = "entry") -> tuple[MemoryEntry, Json]:
    """An element of `episodic.json`, and its unknown fields."""
    return known_part(_object(item, where), MemoryEntry, where)


def as_fact(item: Item, where: str = "entry") -> tuple[KnowledgeEntry, Json]:
    """A pair of `semantic.json`, and its unknown fields; a different key inside the fact is one of them."""
    pair = cast("list[Item]", item) if isinstance(item, list) else []
    if len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], dict):
        raise InvalidQuery(f"{where}: must be a pair of a key and a JSON object.")
    key, fields = pair[0], cast("Json", pair[1])
    known, extra = known_part({**fields, "key": key}, KnowledgeEntry, where)
    return known, extra if fields.get("key", key) == key else {"key": fields["key"], **extra}


def as_rule(item: Item, where: str = "entry") -> tuple[ProceduralRule, Json]:
    """An element of `procedural.json`, and its unknown fields."""
    return known_part(_object(item, where), ProceduralRule, where)


_CHECKS: Mapping[MemoryType, Callable[[Item, str], object]] = {
    MemoryType.EPISODIC: as_entry,
    MemoryType.SEMANTIC: as_fact,
    MemoryType.PROCEDURAL: as_rule,
}
