"""List the memories whose code has changed, and confirm those that still hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET, UnsetType

from rum.app.caller import Caller
from rum.app.freshness.branches import needs_renewal, renew_branches, unmerged
from rum.app.freshness.check import check_anchors, compare_anchors
from rum.app.project import Project
from rum.model.anchors import CHANGED, GONE, UNKNOWN, Anchor, Freshness, combine, encode, place
from rum.model.errors import InvalidQuery
from rum.model.freshness import ChangedBy, ConfirmResult, StaleFile, StaleMemory, VerifyResult
from rum.model.memory import Memory
from rum.recall.files import is_below
from rum.repo.git_process import ask_git
from rum.store.base import ReadMode

MAX_CHECKED = 5000  # Memories that are compared with the code, newest first
MAX_ASKED = 100  # Changes whose commit is looked for: git takes some 30 ms for each

Checked = list[tuple[Anchor, Freshness]]


def verify(caller: Caller, files: Sequence[str], limit: int) -> VerifyResult:
    """Compare what memories state with the code.

    Commits and failures are left out, as they stay true, and so is work on branches that are not checked out.
    """
    project = caller.project
    if project.checkout is None:
        raise InvalidQuery("There are no files here to compare with. Run it in a checkout of the project.")
    if limit < 1:
        raise InvalidQuery("verify: `limit` must be 1 or more.", field="limit")
    wanted = [caller.relative(path) for path in files]
    if needs_renewal(project):
        renew_branches(project)
    elsewhere = unmerged(project)
    claims = [one for one in project.store.anchors.claims(MAX_CHECKED) if one not in elsewhere]
    checked = check_anchors(project, claims)
    if wanted:
        checked = {one: pairs for one, pairs in checked.items() if _is_about(pairs, wanted)}
    states = {one: combine(pairs) for one, pairs in checked.items()}
    stale = [one for one in states if states[one].state in (CHANGED, GONE)]
    memories = project.store.memories.get(stale, ReadMode.BEST_EFFORT)
    memories.sort(key=lambda memory: (-memory.created_at, memory.id))
    found: dict[str, list[StaleMemory]] = {}
    for number, memory in enumerate(memories[:limit]):
        state = states[memory.id]
        since = _changed_by(project, checked[memory.id], state) if number < MAX_ASKED else UNSET
        found.setdefault(state.path, []).append(_stale(memory, state, since))
    hint = (
        "Confirm what still holds, correct or supersede what does not, or forget it." if memories else UNSET
    )
    known = sum(state.state != UNKNOWN for state in states.values())
    by_file = [StaleFile(path, found[path]) for path in sorted(found)]
    return VerifyResult(checked=known, stale=len(memories), files=by_file, hint=hint)


def _is_about(pairs: Checked, wanted: Iterable[str]) -> bool:
    paths = {path for anchor, found in pairs for path in (anchor.path, found.path) if path}
    return any(is_below(path, one) for path in paths for one in wanted)


def _stale(memory: Memory, state: Freshness, since: ChangedBy | UnsetType) -> StaleMemory:
    return StaleMemory(
        id=memory.id,
        created_at=memory.created_at,
        goal=memory.intent.goal,
        summary=memory.full_summary,
        freshness=state.state,
        code_at=place(state.path, state.start, state.end),
        code_changed=state.share,
        since=since,
    )


def _changed_by(project: Project, pairs: Checked, state: Freshness) -> ChangedBy | UnsetType:
    """The first commit that changed the code after the anchor's commit; unset if none did."""
    repository = project.repository()
    anchor = next((one for one, found in pairs if found[:4] == state[:4] and one.commit), None)
    if repository is None or anchor is None or not anchor.commit.isalnum():
        return UNSET
    span = (
        [f"-L{state.start},{state.end}:{state.path}", "-s"]
        if state.state == CHANGED and state.start
        else ["--", f":(top,literal){anchor.path}"]
    )
    # `-L` counts lines in HEAD, which may have fewer than the work tree; then the file's commits must do.
    for chosen in (span, ["--", f":(top,literal){anchor.path}"]):
        printed = ask_git(
            repository.git_dir,
            "log",
            "--format=%H%x00%ct%x00%s",
            "--no-ext-diff",
            "--no-textconv",
            f"{anchor.commit}..HEAD",
            *chosen,
        )
        lines = [line for line in (printed or b"").split(b"\n") if line]
        if lines:
            commit, at, subject = lines[-1].decode("utf-8", "replace").split("\0")
            return ChangedBy(commit, int(at), subject)
    return UNSET


def confirm(caller: Caller, memory_ids: Sequence[str]) -> ConfirmResult:
    """Tie memories to the code as it is now: it was checked that they still hold."""
    project, checkout = caller.project, caller.project.checkout
    if checkout is None:
        raise InvalidQuery("There are no files here to compare with. Run it in a checkout of the project.")
    if not memory_ids:
        raise InvalidQuery("confirm: give the id of at least one memory.", field="memory_ids")
    ids = [project.find_id("memory", one) for one in memory_ids]
    if caller.is_confined:
        for one in ids:
            caller.check_may_change(project.memory(one))
    checked = compare_anchors(project, ids)
    commit = project.commit_and_branch()[0] or ""
    renewed: dict[str, bytes] = {}
    for one in ids:
        left = [found for _, found in checked.get(one, ()) if found.state not in (GONE, UNKNOWN)]
        made = [
            anchor
            for found in left
            for anchor in checkout.anchors(found.path, [(found.start, found.end)], commit)
        ]
        if not made:
            problem = (
                f"Nothing is left of the code of {one}. Name its new lines in an update, or forget it."
                if one in checked
                else f"{one} names no code that could be compared."
            )
            raise InvalidQuery(problem, field="memory_ids")
        renewed[one] = encode(made)
    project.store.anchors.put(renewed)
    return ConfirmResult(confirmed=ids)
