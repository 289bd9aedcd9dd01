"""Which memories were made on branches that are not part of the checkout.

Git is asked in quiet moments (`rum tidy`, `rum import git`) and by `rum verify`. The result is kept in a file
for each checkout, so that answers need only read it. Branches are named only as long as the same commit is
checked out. What is known to be part of the checkout stays so when further commits follow.
"""

from __future__ import annotations

import json
import os

from rum.app.project import Project
from rum.repo.ancestry import compare_commits
from rum.repo.anchors.commits import KEPT_PREFIX, SHORT, KnownCommits, kept_path, log_of, read_kept
from rum.settings.home import write_private


def known_commits(project: Project) -> KnownCommits:
    """The commits that are known to be part of the checkout."""
    return KnownCommits(project.repository(), project.location.directory)


def unmerged(project: Project) -> dict[str, str]:
    """The memories whose work is not in the checkout, each with its branch, or with `abandoned`."""
    if not _any_kept(project):  # this spares most recalls the search for a repository
        return {}
    head, _ = project.commit_and_branch()
    repository = project.repository()
    kept = read_kept(project.location.directory, repository) if head and repository else {}
    return kept.get("memories", {}) if kept.get("head") == head else {}


def _any_kept(project: Project) -> bool:
    try:
        return any(name.startswith(KEPT_PREFIX) for name in os.listdir(project.location.directory))
    except OSError:
        return False


def needs_renewal(project: Project) -> bool:
    """Whether another commit is checked out than the one that git was asked about."""
    head, _ = project.commit_and_branch()
    repository = project.repository()
    if head is None or repository is None or not project.location.exists:
        return False
    kept = read_kept(project.location.directory, repository)
    return kept.get("head") != head or "inside" not in kept


def renew_branches(project: Project) -> bool:
    """Ask git which commits of memories are part of the checkout; False if nothing changed or git failed."""
    repository = project.repository()
    head, _ = project.commit_and_branch()
    if repository is None or head is None or not project.location.exists:
        return False
    made = project.store.memories.checked_out()
    kept = read_kept(project.location.directory, repository)
    later = log_of(repository).later
    asked = {one for sha in {*made.values()} for one in (sha, *later.get(sha, ()))}
    found = compare_commits(repository, asked, kept.get("commits"))
    if found is None:
        return False
    memories = {one: found.outside[sha] for one, sha in made.items() if sha in found.outside}
    inside = " ".join(sorted(sha[:SHORT] for sha in found.inside))
    new = {"head": head, "memories": memories, "commits": found.outside, "inside": inside}
    if new != kept:
        write_private(kept_path(project.location.directory, repository), json.dumps(new).encode())
    return new != kept
