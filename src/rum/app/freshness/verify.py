"""List the memories, notes, facts and rules whose code has changed, and confirm those that still hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.freshness.anchors import has_missing
from rum.app.freshness.branches import needs_renewal, renew_branches, unmerged
from rum.app.freshness.changes import change_of
from rum.app.freshness.check import check_anchors, compare_anchors
from rum.app.freshness.texts import CodeText, check_texts, compare_texts, every_text, make_missing_texts
from rum.app.project import Project
from rum.model.anchors import CHANGED, GONE, UNKNOWN, Anchor, Freshness, combine, encode, place
from rum.model.answers import ledger_id
from rum.model.code import ChangedBy, ConfirmResult, StaleFile, StaleMemory, VerifyResult
from rum.model.errors import InvalidQuery
from rum.recall.files import is_below
from rum.repo.anchors.changes import is_committed
from rum.store.anchors import TextAnchors
from rum.store.base import ReadMode
from rum.text.shorten import one_line

MAX_CHECKED = 5000  # Memories that are compared with the code, newest first
CONFIRMED = ("memory", "note", "fact", "rule")
MAX_SUMMARY = 300  # Characters of a note, fact or rule in the list
MAX_ALIKE = 3  # Files that are named instead of one that nothing names
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
    if "." in wanted:  # Everything
        wanted = []
    if project.store.writable:
        make_missing_texts(project, MAX_CHECKED)
    if needs_renewal(project, commits=True):
        renew_branches(project)
    elsewhere = unmerged(project)
    claims = [one for one in project.store.anchors.claims(MAX_CHECKED) if one not in elsewhere]
    texts = {text.name: text for text in every_text(project)}
    checked = check_anchors(project, claims) | check_texts(project, texts.values())
    hints = _unknown(project.checkout.root, wanted, checked)
    if wanted:
        checked = {one: pairs for one, pairs in checked.items() if _is_about(pairs, wanted)}
    states = {one: combine(pairs) for one, pairs in checked.items()}
    stale = {one: state for one, state in states.items() if state.state in (CHANGED, GONE)}
    items = [
        _Item("memory", memory.id, memory.created_at, memory.intent.goal, memory.full_summary, memory.id)
        for memory in project.store.memories.get([*(stale.keys() - texts.keys())], ReadMode.BEST_EFFORT)
    ]
    items += [_text_item(texts[name]) for name in stale.keys() & texts.keys()]
    items.sort(key=lambda item: (-item.at, item.name))
    found: dict[str, list[StaleMemory]] = {}
    for number, item in enumerate(items[:limit]):
        state = stale[item.name]
        by = _changed_by(project, checked[item.name], state) if number < MAX_ASKED else UNSET
        found.setdefault(state.path, []).append(_stale(item, state, by))
    known = sum(state.state != UNKNOWN for state in states.values())
    if wanted and states and not known:
        hints.append("What names this code could not be compared with it.")
    if (hints or not known) and has_missing(project):
        hints.append("Some memories are not tied to their code yet: run `rum tidy`.")
    if items:
        hints.append("Confirm what still holds, correct or supersede what does not, or forget it.")
    by_file = [StaleFile(path, found[path]) for path in sorted(found)]
    return VerifyResult(checked=known, stale=len(items), files=by_file, hint=" ".join(hints) or UNSET)


def _unknown(root: str, wanted: Iterable[str], checked: Mapping[str, Checked]) -> list[str]:
    """What is said of files that nothing names: whether they exist, and which named ones are like them."""
    named = {path for pairs in checked.values() for path in _paths(pairs)}
    said: list[str] = []
    for one in wanted:
        if any(is_below(path, one) for path in named):
            continue
        text = f"Nothing that is compared with the code names `{one}`"
        if not os.path.lexists(os.path.join(root, one)):
            text += ", and there is no such file"
        alike = get_close_matches(one, sorted(named), n=MAX_ALIKE, cutoff=0.7)
        said.append(f"{text}. Did you mean {' or '.join(alike)}?" if alike else f"{text}.")
    return said


class _Item(NamedTuple):
    """Something that went stale; `name` is that of the ledger of use."""

    kind: str
    id: str
    at: int
    goal: str
    summary: str
    name: str


def _text_item(text: CodeText) -> _Item:
    """A note, fact or rule; of a fact and a rule, the text begins with what they are shown by."""
    whole = text.read()
    summary = whole if text.kind == "note" else whole.removeprefix(f"{text.title}\n")
    return _Item(
        text.kind, text.id, text.written_at or 0, text.title, one_line(summary, MAX_SUMMARY), text.name
    )


def _is_about(pairs: Checked, wanted: Iterable[str]) -> bool:
    return any(is_below(path, one) for path in _paths(pairs) for one in wanted)


def _paths(pairs: Checked) -> set[str]:
    return {path for anchor, found in pairs for path in (anchor.path, found.path) if path}


def _stale(item: _Item, state: Freshness, by: ChangedBy | bool | UnsetType) -> StaleMemory:
    return StaleMemory(
        id=item.id,
        kind=item.kind,
        created_at=item.at,
        goal=item.goal,
        summary=item.summary,
        freshness=state.state,
        code_at=place(state.path, state.start, state.end),
        code_changed=state.share,
        since=by if isinstance(by, ChangedBy) else UNSET,
        uncommitted=True if by is False else UNSET,
    )


def _changed_by(project: Project, pairs: Checked, state: Freshness) -> ChangedBy | bool | UnsetType:
    """The commit that changed the code; False if none did, unset if that is not known."""
    repository = project.repository()
    pair = next((pair for pair in pairs if pair[1][:4] == state[:4] and pair[0].commit), None)
    if repository is None or pair is None:
        return UNSET
    if change := change_of(project, *pair):
        return ChangedBy(change.commit, change.at, change.subject)
    return UNSET if is_committed(repository, pair[0], state.path) else False


def confirm(caller: Caller, ids: Sequence[str], kind: str | None = None) -> ConfirmResult:
    """Tie memories, notes, facts and rules to the code as it is now: it was checked that they still hold.

    `kind` is needed only if two kinds have an id.
    """
    project, checkout = caller.project, caller.project.checkout
    if checkout is None:
        raise InvalidQuery("There are no files here to compare with. Run it in a checkout of the project.")
    if not ids:
        raise InvalidQuery("confirm: give at least one id.", field="ids")
    found = [_find(caller, one, kind) for one in ids]
    memories = [one for name, one in found if name == "memory"]
    if caller.is_confined:
        for one in memories:
            caller.check_may_change(project.memory(one))
    names = {ledger_id(*one) for one in found}
    texts = {text.name: text for text in every_text(project) if text.name in names}
    checked = compare_anchors(project, memories) | compare_texts(project, texts.values())
    commit = project.commit_and_branch()[0] or ""
    renewed: dict[str, bytes] = {}
    for one in (ledger_id(*one) for one in found):
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
            raise InvalidQuery(problem, field="ids")
        renewed[one] = encode(made)
    with project.store.transaction():
        project.store.anchors.put({one: data for one, data in renewed.items() if one not in texts})
        project.store.anchors.put_texts(
            {name: TextAnchors(text.mark, renewed[name]) for name, text in texts.items()}
        )
    return ConfirmResult(confirmed=[one for _, one in found])


def _find(caller: Caller, name: str, kind: str | None) -> tuple[str, str]:
    """The kind and the id of what an id, the end of one, a note's slug or a fact's key stands for."""
    if kind in (None, "memory") and len(ids := caller.project.store.memories.find_ids(name)) == 1:
        return "memory", ids[0]
    found = load("app.memories.forget:find_items")(caller, name, kind, CONFIRMED)
    if found and found[0][0].name == "note":  # it has an id for each entry
        return "note", found[0][1].partition("#")[0]
    one = caller.project.single_id(kind or " or ".join(CONFIRMED), name, [one for _, one in found])
    return found[0][0].name, one
