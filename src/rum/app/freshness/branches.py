"""Which memories were made on branches that are not part of the checkout.

Git is asked in quiet moments (`rum tidy`, `rum import git`) and by `rum verify`. The result is kept in a file
for each checkout, so that answers need only read it. It counts for the commit that was checked out then;
after another checkout nothing is labelled until it is renewed.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from typing import Any, cast

from rum.app.project import Project
from rum.repo.ancestry import outside
from rum.settings.home import read_bounded, write_private

_PREFIX = "branches-"  # Of the names of these files
MAX_FILE = 16 * 1024 * 1024  # Bytes of the file


def unmerged(project: Project) -> dict[str, str]:
    """The memories whose work is not in the checkout, each with its branch, or with `abandoned`."""
    if not _any_kept(project):  # this spares most recalls the search for a repository
        return {}
    head, _ = project.commit_and_branch()
    kept = _read(project) if head else {}
    return kept.get("memories", {}) if kept.get("head") == head else {}


def _any_kept(project: Project) -> bool:
    try:
        return any(name.startswith(_PREFIX) for name in os.listdir(project.location.directory))
    except OSError:
        return False


def needs_renewal(project: Project) -> bool:
    """Whether another commit is checked out than the one that git was asked about."""
    head, _ = project.commit_and_branch()
    return head is not None and project.location.exists and _read(project).get("head") != head


def renew_branches(project: Project) -> bool:
    """Ask git which commits of memories are part of the checkout; False if nothing changed or git failed."""
    repository = project.repository()
    head, _ = project.commit_and_branch()
    if repository is None or head is None or not project.location.exists:
        return False
    made = project.store.memories.checked_out()
    kept = _read(project)
    found = outside(repository, set(made.values()), kept.get("commits"))
    if found is None:
        return False
    memories = {one: found[sha] for one, sha in made.items() if sha in found}
    new = {"head": head, "memories": memories, "commits": found}
    if new != kept:
        write_private(_path(project), json.dumps(new).encode())
    return new != kept


def _path(project: Project) -> str:
    repository = project.repository()
    root = repository.root if repository else ""
    name = hashlib.sha256(os.path.realpath(root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return os.path.join(project.location.directory, f"{_PREFIX}{name}.json")


def _read(project: Project) -> dict[str, Any]:
    """What was kept for this checkout; nothing if the file is missing or damaged."""
    path = _path(project)
    try:
        info = os.stat(path)
    except OSError:
        return {}
    return _parsed(path, info.st_ino, info.st_mtime_ns, info.st_size)


@lru_cache(maxsize=4)
def _parsed(path: str, *_version: int) -> dict[str, Any]:
    """The content of a file, read once for each version of it; nobody changes what is returned."""
    try:
        data, _ = read_bounded(path, MAX_FILE)
        kept = json.loads(data)
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
