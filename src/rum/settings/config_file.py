"""Read a `config.toml` that may be hostile: with a size limit, without raising, and with a parse cache."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress

from rum.settings.home import read_bounded, write_private

_Cache = dict[str, tuple[str, dict[str, object]]]  # Path to the file's text and its parsed values

LIMIT = 256 * 1024
REPOSITORY_CONFIG = os.path.join(".rum", "config.toml")

# In one line: the parser's time grows with the square of a dotted key's length (200 kB take minutes).
_MAX_DOTS = 300
_CACHE_FILE = "config-cache.json"
_CACHED_FILES = 64
_CACHED_SIZE = 32 * 1024
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
    cache_path, cache = os.path.join(home, _CACHE_FILE), _Cache()
    with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
        with open(cache_path, encoding="utf-8") as file:
            entries = json.load(file)
        cache = {str(name): (str(raw), dict(values)) for name, (raw, values) in entries.items()}
    cached = cache.pop(path, None)
    if cached and cached[0] == text:
        return cached[1]
    if any(line.count(".") > _MAX_DOTS for line in text.splitlines()):
        raise ValueError("a line has too many dots")
    import tomllib  # noqa: PLC0415 (slow to load, and needed only when a file's content is new)

    values = tomllib.loads(text)
    if len(text) <= _CACHED_SIZE:
        newest = dict(list({**cache, path: (text, values)}.items())[-_CACHED_FILES:])
        # If it fails (dates in values, a read-only sandbox) the file is parsed again next time.
        with suppress(OSError, TypeError, ValueError, RecursionError):
            write_private(cache_path, json.dumps(newest, ensure_ascii=False).encode())
    return values
