"""Which known files a path, folder, glob or bare name means."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from functools import lru_cache

from rum.recall.limits import COMMON
from rum.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.store.search import Search

MAX_GLOB = 1024
"""A longer pattern is taken for the name of a file."""
_WILD = re.compile(r"[*?\[]")
_OUTSIDE = ("/", "~")


def matching_paths(search: Search, pattern: str) -> list[str]:
    """The files a pattern means: the path and all below it (`path/`), or what it matches as a glob."""
    path = pattern.rstrip("/") or pattern
    if path == ".":
        return [known for known in search.known_paths("") if not known.startswith(_OUTSIDE)]
    wild = _WILD.search(pattern)
    if wild is None or len(pattern) > MAX_GLOB:
        return [path, path + "/"]
    # Names such as app/[id]/page.tsx look like a glob.
    literal = [known for known in search.known_paths(path) if f"{known}/".startswith(f"{path}/")]
    return literal or [
        known for known in search.known_paths(pattern[: wild.start()]) if glob_match(pattern, known)
    ]


def paths_named(search: Search, names: Iterable[str]) -> dict[str, list[str]]:
    """The files of each bare name, in whatever folder, or in folders of that name; known paths are read once.

    A name with folders is looked for by its words: what is asked for most is a whole path that no memory
    knows, for which not every path is to be looked at.
    """
    plain = [name for name in names if not _WILD.search(name) and not name.startswith(_OUTSIDE)]
    within = {name: search.paths_within(name.rstrip("/"), COMMON) for name in plain if "/" in name}
    named: dict[str, list[str]] = {name: [] for name in plain if "/" not in name}
    for known in search.known_paths("") if named else ():
        parts = known.split("/")
        if not named.keys().isdisjoint(parts):
            for name in named.keys() & parts:
                named[name].append(known)
    return named | within


def neighbours(search: Search, path: str) -> list[str]:
    """The files of the same folder whose names share a word with this one's."""
    folder, name = posixpath.split(path.rstrip("/"))
    words = set(terms(posixpath.splitext(name)[0]))
    if not folder or not words:
        return []
    known = search.known_paths(folder + "/")
    return [near for near in known if words & set(terms(posixpath.basename(near).partition(".")[0]))]


def glob_match(pattern: str, path: str) -> bool:
    """Whether a glob fits: `*` and `?` stay within a folder, `**` spans folders; never slow."""
    steps, parts = _steps(pattern), path.split("/")
    reachable = {0}
    for step in steps:
        if step == "**":
            reachable = set(range(min(reachable), len(parts) + 1))
        else:
            reachable = {
                at + 1 for at in reachable if at < len(parts) and fnmatch.fnmatchcase(parts[at], step)
            }
        if not reachable:
            return False
    return len(parts) in reachable


@lru_cache(maxsize=64)
def _steps(pattern: str) -> tuple[str, ...]:
    """A glob folder by folder; without a folder it may be anywhere, and `**` twice says no more than once."""
    steps = pattern.split("/") if "/" in pattern else ["**", pattern]
    return tuple(
        step for before, step in zip(["", *steps], steps, strict=False) if not before == step == "**"
    )
