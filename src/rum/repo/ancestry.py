"""Which commits are part of the checkout, and which branch has the others, if it was not abandoned.

It runs git several times, so its results are kept. Of what somebody waits for, only `rum verify` calls it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from rum.repo.anchors.commits import log_of
from rum.repo.git import GitRepository
from rum.repo.git_process import ask_git, run_git

MAX_COMPARED = 200  # Commits outside of the checkout whose changes are searched in it
MAX_SEARCHED = 2000  # Commits of the checkout in which they are searched
MAX_PATCHES = 64 * 1024 * 1024  # Bytes of their changes
_TAG = "tag "  # Before the name of a tag; a branch has no space in its name
ABANDONED = "abandoned"  # Instead of a branch, if none has the commit any more


class ComparedCommits(NamedTuple):
    """What is known of commits; one that never was in this repository is in neither."""

    inside: set[str]  # Those that are part of HEAD, themselves or by their changes
    by_changes: set[str]  # Those of them that are part of it only by their changes
    outside: dict[str, str]  # The branch of each other one, or its tag as `tag NAME`


def compare_commits(
    repository: GitRepository, commits: Collection[str], known: Mapping[str, str] | None = None
) -> ComparedCommits | None:
    """Which of the commits are part of HEAD, and the branch of each of the others.

    A commit counts as part of HEAD if it was merged, or if HEAD has a commit with the same changes: its own
    after a rebase or a cherry-pick, or those of its whole branch after a squash. An amended one is where the
    one in its place is. A commit that is no longer in this repository keeps its branch of `known`. Nothing is
    said of those that are too many to be compared. None if git fails.
    """
    listed = run_git(repository.git_dir, "rev-list", "HEAD")
    if listed is None:
        return None
    merged = set(listed.split())
    last = _amended(repository, set(commits) - merged)
    rest = {*last, *last.values()} - merged
    present = _existing(repository, rest)
    branches = _branches(repository, present)
    now = {sha: sha if sha in branches else last.get(sha, sha) for sha in commits}
    names = {name.removeprefix(_TAG) for name in branches.values()}
    tips = {(run_git(repository.git_dir, "rev-parse", f"{name}^{{commit}}") or "").strip() for name in names}
    compared = [*sorted(tips - {""}), *sorted(present - tips)][:MAX_COMPARED]
    applied = _applied(repository, compared)
    found = {sha: branches.get(sha, ABANDONED) for sha in present & set(compared) - applied}
    found = {**{sha: one for sha, one in (known or {}).items() if sha in rest - present}, **found}
    inside = {sha for sha, one in now.items() if one in merged or one in applied}
    return ComparedCommits(
        inside, inside - merged, {sha: found[one] for sha, one in now.items() if one in found}
    )


def _amended(repository: GitRepository, commits: Iterable[str]) -> dict[str, str]:
    """The commit that each one was amended to, or itself."""
    amended = log_of(repository).amended
    now: dict[str, str] = {}
    for sha in commits:
        last, seen = sha, {sha}
        while (after := amended.get(last)) and after not in seen:
            last = after
            seen.add(after)
        now[sha] = last
    return now


def _existing(repository: GitRepository, commits: Iterable[str]) -> set[str]:
    wanted = sorted(commits)
    question = "".join(f"{sha}\n" for sha in wanted).encode()
    printed = ask_git(repository.git_dir, "cat-file", "--batch-check=%(objecttype)", question=question)
    kinds = (printed or b"").decode("utf-8", "replace").splitlines()
    return {sha for sha, kind in zip(wanted, kinds, strict=False) if kind == "commit"}


def _branches(repository: GitRepository, commits: Collection[str]) -> dict[str, str]:
    """The branch of each commit that one has, local branches first; else its tag."""
    form = "--format=%(refname:short)"
    found: dict[str, str] = {}
    for refs in ("refs/heads", "refs/remotes"):
        for name in (run_git(repository.git_dir, "for-each-ref", form, refs) or "").splitlines():
            left = set(commits) - found.keys()
            if not left:
                return found
            printed = run_git(repository.git_dir, "rev-list", name, "^HEAD", "--") or ""
            found |= dict.fromkeys(left & set(printed.split()), name)
    for sha in sorted(set(commits) - found.keys())[:MAX_COMPARED]:
        contains = ("--count=1", "--contains", sha, form, "refs/tags")
        if name := (run_git(repository.git_dir, "for-each-ref", *contains) or "").strip():
            found[sha] = f"{_TAG}{name}"
    return found


def first_parents(repository: GitRepository, limit: int) -> tuple[list[str], dict[str, int]]:
    """The newest commits from HEAD along first parents, and since which of them others are part of HEAD.

    The second says for each commit since the last of them the position of the oldest one that contains it.
    """
    chain = (
        run_git(repository.git_dir, "rev-list", "--first-parent", f"--max-count={limit}", "HEAD") or ""
    ).split()
    if not chain:
        return [], {}
    printed = run_git(repository.git_dir, "rev-list", "--parents", "HEAD", f"^{chain[-1]}", "--") or ""
    parents = {commit: others for commit, *others in map(str.split, printed.splitlines())}
    since: dict[str, int] = {}
    for position in range(len(chain) - 1, -1, -1):
        left = [chain[position]]
        while left:
            commit = left.pop()
            if commit in parents and commit not in since:
                since[commit] = position
                left += parents[commit]
    return chain, since


def _applied(repository: GitRepository, commits: Iterable[str]) -> set[str]:
    """The commits whose changes, or those of their whole branch, are those of a commit of HEAD."""
    found: set[str] = set()
    squashed: list[str] = []
    in_head: dict[str, set[str]] = {}  # The changes in HEAD since a commit, by that commit
    for sha in commits:
        base = (run_git(repository.git_dir, "merge-base", "HEAD", sha) or "").strip()
        if not base:
            continue
        if base not in in_head:
            since = ("log", "-p", "--no-merges", f"--max-count={MAX_SEARCHED}", f"{base}..HEAD", "--")
            in_head[base] = _patch_ids(repository, *since)
        if in_head[base]:
            own = _patch_ids(repository, "log", "-p", "-1", sha, "--")
            branch = _patch_ids(repository, "diff-tree", "-p", base, sha, "--")
            if own & in_head[base]:
                found.add(sha)
            if branch & in_head[base]:
                squashed.append(sha)
    if squashed:
        found |= set((run_git(repository.git_dir, "rev-list", *squashed, "^HEAD", "--") or "").split())
    return found


def _patch_ids(repository: GitRepository, *command: str) -> set[str]:
    """What identifies the changes that a command prints, whatever commit has them."""
    name, *arguments = command
    options = ("--no-ext-diff", "--no-textconv", "--no-color", "--full-index")
    patch = ask_git(repository.git_dir, name, *options, *arguments) or b""
    if not patch or len(patch) > MAX_PATCHES:
        return set()
    if name == "diff-tree":  # `patch-id` takes what follows a commit's id
        patch = b"%s\n%s" % (b"0" * 40, patch)
    printed = ask_git(repository.git_dir, "patch-id", "--stable", question=patch) or b""
    return {line.split()[0] for line in printed.decode("ascii", "replace").splitlines() if line.strip()}
