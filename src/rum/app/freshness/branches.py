"""Which memories were made on branches that are not part of the checkout.

Git is asked in quiet moments (`rum tidy`, `rum import git`). The result is kept in a file for each checkout,
so that answers need only read it. It counts for the commit that was checked out then; after another checkout
nothing is labelled until it is renewed.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, cast

from rum.app.project import Project
from rum.repo.ancestry import outside
from rum.settings.home import read_bounded, write_private

MAX_FILE = 16 * 1024 * 1024  # Bytes of the file


def unmerged(project: Project) -> dict[str, str]:
    """The memories whose work is not in the checkout, each with its branch, or with `abandoned`."""
    head, _ = project.commit_and_branch()
    kept = _read(project) if head else {}
    return kept.get("memories", {}) if kept.get("head") == head else {}


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
    return os.path.join(project.location.directory, f"branches-{name}.json")


def _read(project: Project) -> dict[str, Any]:
    """What was kept for this checkout; nothing if the file is missing or damaged."""
    try:
        data, _ = read_bounded(_path(project), MAX_FILE)
        kept = json.loads(data)
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
