"""Which memories were made on branches that are not part of the checkout.

Git is asked in quiet moments (`rum tidy`, `rum import git`, `rum sync`) and by `rum verify`. The result is
kept in a file for each checkout, so that answers need only read it. Branches are named only as long as the
same commit is checked out, or an earlier one after a reset. What is known to be part of the checkout stays so
when further commits follow, and after a reset as far as it was part of the earlier commit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping

from rum.app.project import Project
from rum.model.anchors import decode, text_mark
from rum.repo.ancestry import compare_commits, first_parents
from rum.repo.anchors.commits import (
    KEPT_PREFIX,
    SHORT,
    KnownCommits,
    kept_path,
    log_of,
    position_in,
    read_kept,
)
from rum.repo.git import GitRepository
from rum.settings.home import write_private

MAX_CHAIN = 1000  # Commits before HEAD to which a reset may go back


def known_commits(project: Project) -> KnownCommits:
    """The commits that are known to be part of the checkout."""
    return KnownCommits(project.repository(), project.location.directory)


def unmerged(project: Project) -> dict[str, str]:
    """The memories whose work is not in the checkout, each with its branch, or with `abandoned`."""
    if not _any_kept(project):  # this spares most recalls the search for a repository
        return {}
    head, _ = project.commit_and_branch()
    repository = project.repository()
    kept = read_kept(kept_path(project.location.directory, repository)) if head and repository else {}
    # What is not part of a commit is not part of those before it.
    is_known = bool(head) and position_in(kept, (head or "",)) is not None
    return kept.get("memories", {}) if is_known else {}


def _any_kept(project: Project) -> bool:
    try:
        return any(name.startswith(KEPT_PREFIX) for name in os.listdir(project.location.directory))
    except OSError:
        return False


def needs_renewal(project: Project, *, commits: bool = False) -> bool:
    """Whether another commit is checked out than the one that git was asked about.

    With `commits` also whether there are commits that git was not asked about.
    """
    head, _ = project.commit_and_branch()
    repository = project.repository()
    if head is None or repository is None or not project.location.exists:
        return False
    kept = read_kept(kept_path(project.location.directory, repository))
    if kept.get("head") != head or "chain" not in kept:
        return True
    return commits and kept.get("asked") != _mark(
        _asked(project, repository, project.store.memories.checked_out())
    )


def _asked(project: Project, repository: GitRepository, made: Mapping[str, str]) -> set[str]:
    """The commits that memories were made at and that texts are tied to, and those that followed."""
    texts = project.store.anchors.of_texts().values()
    named = {*made.values(), *(anchor.commit for one in texts for anchor in decode(one.data)[:1])} - {""}
    later = log_of(repository).later
    return {one for sha in named for one in (sha, *later.get(sha, ()))}


def _mark(commits: Iterable[str]) -> str:
    return text_mark(" ".join(sorted(commits)))


def renew_branches(project: Project) -> bool:
    """Ask git which commits of memories are part of the checkout; False if nothing changed or git failed."""
    repository = project.repository()
    head, _ = project.commit_and_branch()
    if repository is None or head is None or not project.location.exists:
        return False
    made = project.store.memories.checked_out()
    path = kept_path(project.location.directory, repository)
    kept = read_kept(path)
    asked = _asked(project, repository, made)
    found = compare_commits(repository, asked, kept.get("commits"))
    if found is None:
        return False
    chain, since = first_parents(repository, MAX_CHAIN)
    since |= dict.fromkeys(found.by_changes, 0)
    memories = {one: found.outside[sha] for one, sha in made.items() if sha in found.outside}
    inside = " ".join(sorted(sha[:SHORT] for sha in found.inside))
    new = {
        "head": head,
        "memories": memories,
        "commits": found.outside,
        "inside": inside,
        "chain": " ".join(sha[:SHORT] for sha in chain),
        "since": {sha[:SHORT]: since[sha] for sha in sorted(found.inside & since.keys())},
        "asked": _mark(asked),
    }
    if new != kept:
        write_private(path, json.dumps(new).encode())
    return new != kept
