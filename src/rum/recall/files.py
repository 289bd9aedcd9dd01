"""The known files that a path, folder, glob or bare name stands for."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from functools import lru_cache
from itertools import chain

from rum.recall.limits import COMMON
from rum.text.terms import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.recall.query import RecallQuery
    from rum.store.search import Search

MAX_GLOB = 1024  # A longer pattern is treated as a file name
_WILD = re.compile(r"[*?\[]")
_OUTSIDE = ("/", "~")


def matching_paths(search: Search, patterns: Iterable[str]) -> dict[str, list[str]]:
    """The files each pattern means: the path and all below it (`path/`), or what it matches as a glob."""
    found: dict[str, list[str]] = {}
    prefixes: dict[str, tuple[str, str]] = {}
    for pattern in patterns:
        path = pattern.rstrip("/") or pattern
        wild = _WILD.search(pattern)
        found[pattern] = [path, path + "/"]
        if path == ".":
            prefixes[pattern] = ("", "")  # everything
        elif wild and len(pattern) <= MAX_GLOB:
            prefixes[pattern] = (path, pattern[: wild.start()])
    asked = list(dict.fromkeys(chain.from_iterable(prefixes.values())))
    known = dict(zip(asked, search.known_paths(asked), strict=True)) if asked else {}
    for pattern, (path, start) in prefixes.items():
        if not path:
            found[pattern] = [one for one in known[path] if not one.startswith(_OUTSIDE)]
            continue
        # Names such as app/[id]/page.tsx look like a glob.
        literal = [one for one in known[path] if is_below(one, path)]
        found[pattern] = literal or [one for one in known[start] if glob_match(pattern, one)]
    return found


def is_below(path: str, folder: str) -> bool:
    """Whether a path is that of a file or folder, or of something in it."""
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def paths_named(search: Search, names: Iterable[str]) -> dict[str, list[str]]:
    """The files with each name in any folder, or in folders of that name.

    A name with folders is searched by its words. Most are whole paths that no memory has, so comparing all
    known paths would be wasted.
    """
    plain = [name for name in names if not _WILD.search(name) and not name.startswith(_OUTSIDE)]
    with_folders = [name for name in plain if "/" in name]
    within: dict[str, list[str]] = {}
    if with_folders:
        found = search.paths_within([name.rstrip("/") for name in with_folders], COMMON)
        within = dict(zip(with_folders, found, strict=True))
    named: dict[str, list[str]] = {name: [] for name in plain if "/" not in name}
    for known in search.known_paths([""])[0] if named else ():
        parts = known.split("/")
        if not named.keys().isdisjoint(parts):
            for name in named.keys() & parts:
                named[name].append(known)
    return named | within


def paths_below(search: Search, folders: Sequence[str]) -> dict[str, list[str]]:
    """The known files below each folder; a folder ends in `/`, or is empty."""
    return dict(zip(folders, search.known_paths(folders), strict=True)) if folders else {}


def neighbours(query: RecallQuery, paths: Iterable[str]) -> list[str]:
    """The files in the same folders whose names share a word with these files."""
    asked: list[tuple[str, set[str]]] = []
    for path in paths:
        folder, name = posixpath.split(path.rstrip("/"))
        words = set(terms(posixpath.splitext(name)[0]))
        if folder and words and "*" not in folder:
            asked.append((folder + "/", words))
    if not asked:
        return []
    known = query.find_paths(paths_below, [folder for folder, _ in asked])
    return [
        near
        for folder, words in asked
        for near in known[folder]
        if words & set(terms(posixpath.basename(near).partition(".")[0]))
    ]


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
    """The parts of a glob between slashes; without a slash it matches anywhere, repeated `**` count once."""
    steps = pattern.split("/") if "/" in pattern else ["**", pattern]
    return tuple(
        step for before, step in zip(["", *steps], steps, strict=False) if not before == step == "**"
    )
