"""What a repository is known by: its remotes, its first commit, or else the place where it lies."""

from __future__ import annotations

import os
import re

from rum.repo.git import COMMIT, GitPlace, head, is_shallow, open_git
from rum.repo.git_process import run_git
from rum.repo.identity_marks import CONFIG_LIMIT, birthmark
from rum.repo.remotes import local_path, normalise_remote, read_remotes
from rum.settings.home import read_bounded

EMPTY, SHALLOW, KNOWN, UNKNOWN = "empty", "shallow", "known", "unknown"
"""What was found of the history: no commit yet, cut off, its first commit, or git could not say."""

_MOST_FOLLOWED = 16


def repository_keys(place: GitPlace) -> tuple[tuple[str, ...], str, bool]:
    """The keys of a repository and of those on this machine that it was cloned from, strongest first.

    With them: what was found of its history, and whether it has a remote at all.
    """
    remotes: dict[str, None] = {}
    lying: dict[str, None] = {}
    roots: dict[str, None] = {}
    seen: set[str] = set()
    history, has_remotes = UNKNOWN, False
    waiting = [(place, True)]
    while waiting and len(seen) < _MOST_FOLLOWED:
        at, is_source = waiting.pop(0)
        if at.common_dir in seen:
            continue
        known = _remotes(at)
        root, found = _first_commit(at)
        if not seen:
            history, has_remotes = found, bool(known)
        seen.add(at.common_dir)
        # A remote beside `origin` may be another project that something is taken from.
        if not is_source and root and roots and f"root:{root}" not in roots:
            continue
        remotes.update((f"remote:{name}", None) for _, url in known if (name := normalise_remote(url)))
        if root:
            roots[f"root:{root}"] = None
        elif not known:
            lying[_lying(at.common_dir)] = None
        waiting += [
            (near, is_source and name == "origin") for name, url in known if (near := _nearby(url, at.root))
        ]
    return (*remotes, *roots, *lying) or (_lying(place.common_dir),), history, has_remotes


def directory_key(path: str) -> str:
    """The key of a directory without git: its real path."""
    return f"dir:{os.path.normcase(os.path.realpath(path))}"


def _remotes(place: GitPlace) -> tuple[tuple[str, str], ...]:
    try:
        config, _ = read_bounded(os.path.join(place.common_dir, "config"), CONFIG_LIMIT)
    except (OSError, ValueError):
        return ()
    return read_remotes(config.decode("utf-8", "surrogateescape"))


def _lying(common_dir: str) -> str:
    return f"{directory_key(common_dir)}@{birthmark(common_dir)}"


def _first_commit(place: GitPlace) -> tuple[str | None, str]:
    if head(place)[0] is None:
        return None, EMPTY
    if is_shallow(place):
        return None, SHALLOW
    printed = run_git(place.git_dir, "rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
    commits = (printed or "").split()
    return (commits[-1], KNOWN) if commits and re.fullmatch(COMMIT, commits[-1]) else (None, UNKNOWN)


def _nearby(url: str, base: str) -> GitPlace | None:
    path = local_path(url, base)
    if not path or "\0" in path:
        return None
    # Git finds `/srv/tool.git` under `/srv/tool`, too.
    return open_git(path) or open_git(f"{path}.git")
