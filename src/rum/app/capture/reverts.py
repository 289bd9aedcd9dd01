"""Mark captured work whose commits were reverted, and take the mark off when the revert is reverted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.capture.git.commit_memory import failed_because_of, without_failure
from rum.capture.git.message import reason_of
from rum.capture.observe.undoing import EffectKind, effect_of
from rum.model.memory import Memory, OriginKind, RevertLink
from rum.model.memory_layers import Action, ActionResult, ActionType, FailureCategory
from rum.repo.git import find_git
from rum.repo.git_process import run_git
from rum.store.filters import Filters
from rum.text.shell import segments

_MAX_COMMITS = 200  # The newest commits, among which reverts are searched
_MAX_REVERTED = 300  # The newest memories among which reverted work is searched
_OWN = (OriginKind.TURN, OriginKind.TRANSCRIPT)
_EDITS = (ActionType.FILE_EDIT, ActionType.FILE_CREATE, ActionType.FILE_DELETE)
_REVERTED = re.compile(r"(?m)^This reverts commit ([0-9a-f]{40})")
_UNKNOWN = "?"  # A commit whose id is not known
_COMMITTED = re.compile(r"Committed ([0-9a-f]{7,40}): ")


class _Commit(NamedTuple):
    sha: str
    message: str

    @property
    def reverts(self) -> list[str]:
        return _REVERTED.findall(self.message)


def mark_reverted(
    caller: Caller, memory: Memory, known: str | None, cwd: str, change: Callable[[Memory, Memory], None]
) -> list[str]:
    """Mark the work that is reverted at the commit of a memory, by its work or by somebody else.

    `known` is the commit of the memory before it; `change` replaces a memory by another version. The result
    is the ids of what the memory's own work reverted.
    """
    root = cwd or caller.project.location.root
    count = sum(1 for _ in _effects(memory, "revert"))
    is_new = memory.commit != known or count or memory.reverted_by
    place = find_git(root) if memory.commit and is_new and root and os.path.isdir(root) else None
    if place is None or memory.imported_at is not None:
        return []
    form = ("log", f"-{_MAX_COMMITS}", "--format=%H%n%B%x00")
    printed = run_git(place.git_dir, *form, memory.commit or "") or ""
    commits = [_Commit(*one.strip().partition("\n")[::2]) for one in printed.split("\0") if one.strip()]
    # Newest first: a revert that was reverted does not count.
    reverted: dict[str, _Commit] = {}
    for commit in commits:
        if commit.sha not in reverted:
            reverted |= {sha: commit for sha in commit.reverts if sha not in reverted}
    if not reverted:
        return []
    undone: list[str] = []
    new = [one for one in commits[: _position(commits, known)] if one.reverts]
    own = {one.sha for one in new[:count]}
    rows, _ = caller.store.search.by_filters(Filters(), _MAX_REVERTED)
    for one in caller.store.memories.get([row.id for row in rows]):
        if one.origin.kind not in _OWN:
            continue
        known_shas = [commit.sha for commit in commits]
        made = [sha for sha in commits_of(one) if sha == _UNKNOWN or _find(sha, known_shas)]
        gone = [sha for sha in made if _find(sha, reverted)]
        if gone:
            by = reverted[_find(gone[-1], reverted)]
            link = RevertLink(memory.id, by.sha, reason=memory.intent.goal) if by.sha in own else _link(by)
            if one.reverted_by and one.reverted_by.commit == by.sha:
                link = one.reverted_by  # as it was first seen
            kept = [sha for sha in made if sha not in gone]
            files = _files_of(place.git_dir, gone) - _files_of(place.git_dir, kept) if kept else None
            marked = _with_mark(_without_mark(one), replace(link, in_part=bool(kept)), files)
        elif one.reverted_by and one.reverted_by.commit in reverted:
            marked = _without_mark(one)
        else:
            continue
        if marked.reverted_by and marked.reverted_by.id == memory.id:
            undone.append(one.id)
        if marked != one:
            change(one, marked)
    return undone


def is_kept_by_a_branch(memory: Memory, later: Memory, root: str | None) -> bool:
    """Whether later work left the commit of a memory's work, which another branch or a tag still has."""
    made, now = memory.commit, later.commit
    if not made or not now or not any(_effects(later, "restore", with_commits=True)):
        return False
    place = find_git(root) if root and os.path.isdir(root) else None
    if place is None or not run_git(place.git_dir, "rev-list", "-1", made, f"^{now}", "--"):
        return False
    return bool(run_git(place.git_dir, "for-each-ref", "--count=1", f"--contains={made}"))


def _position(commits: list[_Commit], known: str | None) -> int:
    """How many commits are newer than a known one."""
    return next((at for at, one in enumerate(commits) if known and one.sha.startswith(known)), len(commits))


def _find(sha: str, reverted: Iterable[str]) -> str:
    return next((one for one in reverted if one.startswith(sha)), "")


def _link(by: _Commit) -> RevertLink:
    subject, _, body = by.message.partition("\n")
    return RevertLink(by.sha, by.sha, reason=reason_of(body) or subject)


def commits_of(memory: Memory) -> list[str]:
    """The commits that the work of a memory made; `_UNKNOWN` for each whose id was not printed."""
    texts = (one.what for one in memory.perception.observations if one.significance == "commit")
    made = [found[1] for text in texts if (found := _COMMITTED.match(text))]
    times = sum(1 for _ in _effects(memory, "commit"))
    if memory.commit and (made or times) and not any(memory.commit.startswith(sha) for sha in made):
        made.append(memory.commit)
    return [*[_UNKNOWN] * (times - len(made)), *made]


def _effects(memory: Memory, kind: EffectKind, *, with_commits: bool = False) -> Iterable[str]:
    """The successful commands of a memory's work that make commits or undo something."""
    for action in memory.actions:
        if action.details.command and (action.result is None or action.result.success):
            effects = map(effect_of, segments(action.details.command))
            found = (effect for effect in effects if effect and effect.kind == kind)
            yield from (one.kind for one in found if one.with_commits or not with_commits)


def _files_of(git_dir: str, commits: Iterable[str]) -> set[str]:
    """The files that commits changed."""
    known = [sha for sha in commits if sha != _UNKNOWN]
    shown = run_git(git_dir, "show", "--format=", "--name-only", *known, "--") if known else ""
    return set((shown or "").split("\n")) - {""}


def _with_mark(memory: Memory, link: RevertLink, files: set[str] | None) -> Memory:
    """A memory marked as reverted; if only in part, the changes of these files."""
    outcome = memory.outcome
    if outcome.success and not link.in_part:
        outcome = replace(
            outcome, success=False, failure_reason=link.reason, failure_category=FailureCategory.OTHER
        )
    failed = ActionResult(success=False, error=_error(link))
    actions = (
        replace(one, result=failed)
        if one.type in _EDITS
        and (one.result is None or one.result.success)
        and (files is None or one.details.file_path in files)
        else one
        for one in memory.actions
    )
    return replace(memory, outcome=outcome, actions=tuple(actions), reverted_by=link)


def _without_mark(memory: Memory) -> Memory:
    """A memory as it was before it was marked."""
    link = memory.reverted_by
    if link is None:
        return memory
    outcome = memory.outcome
    outcome = without_failure(outcome) if failed_because_of(outcome, link) else outcome
    actions = tuple(_restored(one, link) for one in memory.actions)
    return replace(memory, outcome=outcome, actions=actions, reverted_by=None)


def _restored(action: Action, link: RevertLink) -> Action:
    is_marked = action.result is not None and action.result.error == _error(link)
    return replace(action, result=ActionResult(success=True)) if is_marked else action


def _error(link: RevertLink) -> str:
    return f"reverted: {link.reason}"
