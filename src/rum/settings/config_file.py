"""Read a `config.toml` that may be hostile: with a size limit, without raising, and with a parse cache.

The cache contains no text of the files, as settings may be secrets: a string is stored as its place in the
file.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress

from rum.settings.home import read_bounded, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

    _Cache = dict[str, tuple[str, dict[str, object]]]  # Path to digest and values without texts

LIMIT = 256 * 1024
REPOSITORY_CONFIG = os.path.join(".rum", "config.toml")

# In one line: the parser's time grows with the square of a dotted key's length (200 kB take minutes).
_MAX_DOTS = 300
_CACHE_FILE = "config-cache.json"
_CACHED_FILES = 64
_CACHED_SIZE = 32 * 1024
_DIGEST = 32  # Characters
_POSITION = r"\(at [^()]*\)$"


class ConfigFile:
    """The content of a config file, or in `problem` why it cannot be used."""

    __slots__ = ("path", "problem", "raw", "values")

    def __init__(self, path: str, raw: bytes = b"", problem: str | None = None) -> None:
        self.path = path
        self.raw = raw
        self.problem = problem
        self.values: dict[str, object] = {}


def read_config(path: str, home: str) -> ConfigFile | None:
    """The config file at `path`, or None if there is none; the parse cache is in `home`."""
    try:
        raw, _ = read_bounded(path, LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return ConfigFile(path, problem=getattr(error, "strerror", None) or str(error))
    config = ConfigFile(path, raw)
    try:
        config.values = _read_cached(path, raw.decode(), home)
    except RecursionError:
        config.problem = "it is nested too deeply"
    except ValueError as error:
        # The parser's message quotes untrusted text; only the position may reach a prompt.
        where = re.search(_POSITION, str(error))
        config.problem = f"it is not valid TOML {where[0]}" if where else "it is not valid TOML"
    return config


def _read_cached(path: str, text: str, home: str) -> dict[str, object]:
    cache = _read_cache(home)
    digest = _digest(text)
    cached = cache.get(path)
    if cached and cached[0] == digest:
        with suppress(ValueError, TypeError, IndexError):
            return {key: _with_texts(value, text) for key, value in cached[1].items()}
    values = _parse(text)
    if len(text) <= _CACHED_SIZE:
        cache.pop(path, None)
        with suppress(ValueError):  # a date, or a string with escapes: the file is parsed again next time
            cache[path] = digest, {key: _without_texts(value, text) for key, value in values.items()}
        _write_cache(home, cache)
    return values


def _digest(text: str) -> str:
    # `hashlib` loads OpenSSL, which takes longer than everything else here.
    from _blake2 import blake2b  # noqa: PLC0415

    return blake2b(text.encode(), digest_size=16).hexdigest()


def _without_texts(value: object, text: str) -> object:
    """The value with every string as ["text", place, length], and every list after a "list"."""
    if isinstance(value, str):
        return ["text", text.index(value), len(value)]
    if _is_list(value):
        return ["list", *(_without_texts(item, text) for item in value)]
    if _is_table(value):
        return {key: _without_texts(item, text) for key, item in value.items()}
    if isinstance(value, (bool, int, float)):
        return value
    raise ValueError("it cannot be cached")


def _with_texts(value: object, text: str) -> object:
    if _is_table(value):
        return {key: _with_texts(item, text) for key, item in value.items()}
    if _is_list(value):
        form, *items = value
        if form == "list":
            return [_with_texts(item, text) for item in items]
        start, length = items
        return text[start : start + length]
    return value


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_table(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _parse(text: str) -> dict[str, object]:
    if any(line.count(".") > _MAX_DOTS for line in text.splitlines()):
        raise ValueError("a line has too many dots")
    import tomllib  # noqa: PLC0415 (slow to load, and needed only when a file's content is new)

    return tomllib.loads(text)


def _read_cache(home: str) -> _Cache:
    try:
        with open(os.path.join(home, _CACHE_FILE), encoding="utf-8") as file:
            entries = json.load(file)
        # An entry of an older version, which has the file's text in place of its digest, is dropped.
        return {
            str(path): (str(digest), dict(values))
            for path, (digest, values) in entries.items()
            if len(digest) == _DIGEST
        }
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _write_cache(home: str, cache: _Cache) -> None:
    """Best effort: if it fails (a read-only sandbox) the file is parsed again next time."""
    newest = dict(list(cache.items())[-_CACHED_FILES:])
    with suppress(OSError, TypeError, ValueError, RecursionError):
        write_private(os.path.join(home, _CACHE_FILE), json.dumps(newest, ensure_ascii=False).encode())
