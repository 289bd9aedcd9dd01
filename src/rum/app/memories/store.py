"""Store, correct and link memories; find near-duplicates of a new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from rum.app.agents import author_for, ensure_agent
from rum.app.caller import Caller
from rum.app.freshness.anchors import anchor_changes, anchor_memory
from rum.app.memories.recall import retrieve
from rum.app.project import Project
from rum.capture.memory_files import collect_files, relative_actions, relative_perception
from rum.model.answers import LinkResult, UpdateResult
from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.model.ids import new_id
from rum.model.memory import (
    Content,
    Draft,
    Edge,
    LinkType,
    Memory,
    Origin,
    OriginKind,
    Similar,
    StoreResult,
    Version,
    apply_patch,
    parse_draft,
)
from rum.model.requests import Depth, LinkRequest
from rum.repo.files import strip_line
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.store.records import Revision
from rum.store.search import Search
from rum.text.terms import terms


def store(caller: Caller, given: dict[str, Any]) -> StoreResult:
    """Keep a finished unit of work: the caller's, or that of a subagent, `target_agent_id`."""
    target = given.get("target_agent_id")
    if not isinstance(target, str | None):
        raise InvalidQuery("store: `target_agent_id` must be a text.", field="target_agent_id")
    fields = {name: value for name, value in given.items() if name != "target_agent_id"}
    draft = parse_draft(caller.project.clean(fields))
    now = caller.project.now()
    alike = similar_to(caller.project, draft)
    with caller.undo_identity_on_error(), caller.store.transaction():
        agent, who = ensure_agent(caller, active=True)
        if target and (author := author_for(caller, agent, target)) != agent:
            caller.store.agents.update(author.id, last_active=now)
            agent = author
        commit, branch = caller.project.commit_and_branch()
        bare = Memory(
            id=new_id("mem"),
            agent_id=agent.id,
            project_id=caller.project.location.id,
            session_id=caller.session_id,
            created_at=now,
            intent=draft.intent,
            outcome=draft.outcome,
            commit=commit,
            branch=branch and caller.project.label(branch),
            origin=Origin(OriginKind.AGENT),
        )
        memory = with_content(bare, draft, now, caller.relative, caller.project.content_hash)
        caller.store.memories.add(memory)
        anchor_memory(caller.project, memory)
        for kind, target in draft.links.each():
            _add_link(caller.project, memory.id, target, kind, now)
    return StoreResult(
        memory_id=memory.id,
        stored_at=now,
        indexed_files=[file.path for file in memory.files],
        similar=alike or UNSET,
        identity=who or UNSET,
    )


def with_content(
    memory: Memory,
    draft: Draft,
    at: int,
    relative: Callable[[str], str],
    content_hash: Callable[[str], str | None],
) -> Memory:
    """A memory that says what a draft says, with paths and hashes of files as the functions give them."""
    actions = relative_actions(draft, at, relative)
    perception = relative_perception(draft.perception, relative)
    return replace(
        memory,
        intent=draft.intent,
        outcome=draft.outcome,
        reasoning=draft.reasoning,
        perception=perception,
        actions=actions,
        tags=tuple(dict.fromkeys(draft.tags)),
        importance=draft.importance,
        files=collect_files(actions, perception, content_hash),
    )


def _add_link(project: Project, source: str, target: str, kind: LinkType, now: int) -> LinkResult:
    source_id, target_id = (project.find_id("memory", name) for name in (source, target))
    if source_id == target_id:
        raise InvalidQuery("A memory cannot be linked to itself.", field=kind.value)
    edge = Edge.of(source_id, target_id, kind)
    return LinkResult(project.store.links.add(edge, now), edge.link_id)


def link(caller: Caller, request: LinkRequest) -> LinkResult:
    """Link two memories."""
    with caller.store.transaction():
        return _add_link(
            caller.project, request.source_id, request.target_id, request.link_type, caller.project.now()
        )


def update(caller: Caller, arguments: dict[str, Any]) -> UpdateResult:
    """Correct or complete a memory; what it said before stays in its history."""
    patch = caller.project.clean(arguments)
    memory_id = patch.pop("memory_id", None)
    if not isinstance(memory_id, str):
        raise InvalidQuery("update_memory: `memory_id` is required.", field="memory_id")
    if not patch:
        raise InvalidQuery("update_memory: give at least one field to change.", field="memory_id")
    with caller.store.transaction():
        memory = caller.project.memory(memory_id)
        caller.check_may_change(memory)
        draft = apply_patch(memory, patch)
        # A file that it knew already keeps its spelling and its hash.
        known = {file.path: file.content_hash for file in memory.files}
        changed = with_content(
            memory,
            draft,
            memory.created_at,
            lambda path: path if strip_line(path) in known else caller.relative(path),
            lambda path: known[path] if path in known else caller.project.content_hash(path),
        )
        if changed.content() != memory.content():
            changed = replace_memory(caller, memory, changed)
            anchor_changes(caller.project, memory, changed)
        for kind, target in draft.links.each():
            _add_link(caller.project, memory.id, target, kind, caller.project.now())
    return _update_result(caller.project, changed)


def _update_result(project: Project, memory: Memory) -> UpdateResult:
    return UpdateResult(
        memory.id, memory.updated_at or memory.created_at, retrieve(project, memory, Depth.COMPLETE)
    )


def replace_memory(caller: Caller, old: Memory, new: Memory, by: str | None = None) -> Memory:
    """Replace a memory by a new version and keep the old one in the history; `by` names the caller."""
    now = max(caller.project.now(), old.updated_at or old.created_at)
    new = replace(new, version=old.version + 1, updated_at=now)
    me = caller.current_agent()
    by = by or (me.id if me else "owner")
    data = msgspec.json.encode(old.content()).decode()
    caller.store.history.add("memory", old.id, Revision(old.version, now, by, (data,)))
    caller.store.memories.replace(new)
    return new


def history(caller: Caller, memory_id: str) -> list[Version]:
    """Every version of a memory, oldest first; the last one is what it is now."""
    memory = caller.project.memory(memory_id)
    present = msgspec.json.encode(memory.content()).decode()
    found = caller.project.versions("memory", memory.id, memory, present)
    return [
        Version(
            version=one.version,
            changed_at=one.changed_at,
            changed_by=one.changed_by,
            current=one is found[-1],
            memory=_version_content(memory.id, one),
        )
        for one in found
    ]


def _version_content(memory_id: str, revision: Revision) -> dict[str, Any]:
    try:
        return msgspec.json.decode(revision.texts[0], type=dict[str, Any])
    except ValueError:
        return {"damaged": f"Version {revision.version} of {memory_id} cannot be read."}


def restore(caller: Caller, memory_id: str, number: int) -> UpdateResult:
    """Restore an earlier version of a memory."""
    with caller.store.transaction():
        memory = caller.project.memory(memory_id)
        caller.check_may_change(memory)
        wanted = [v for v in history(caller, memory.id) if v.version == number]
        if not wanted:
            raise NotFound(
                f"{memory.id} has no version {number}; it has 1 to {memory.version}.", id=memory.id
            )
        try:
            content = msgspec.convert(wanted[0].memory, Content)
        except ValueError:
            raise StorageError(
                f"Version {number} of {memory.id} is damaged; it cannot be restored."
            ) from None
        changed = replace_memory(caller, memory, replace(memory, **msgspec.structs.asdict(content)))
    return _update_result(caller.project, changed)


RARE = 50  # A word in more memories than this does not tell them apart
MAX_TERMS = 4
MAX_COMPARED = 5
LIKE = 0.6  # The share of common words in goal and outcome from which two memories are called alike
SHOWN = 3


def similar_to(project: Project, draft: Draft | Memory) -> list[Similar]:
    """The memories that say almost the same."""
    ids = find_sharing(project, draft.intent.goal)
    if not ids:
        return []
    said = {*terms(draft.intent.goal), *terms(draft.outcome.summary)}
    likeness: dict[str, float] = {}
    for one, (goal, _, summary, *_) in project.store.search.texts(ids).items():
        words = {*goal.split(), *summary.split()}
        likeness[one] = len(said & words) / len(said | words)
    alike = [one for one in ids if likeness.get(one, 0) >= LIKE]
    best = sorted(alike, key=lambda one: -likeness[one])[:SHOWN]
    goals = {memory.id: memory.intent.goal for memory in project.store.memories.get(best, ReadMode.HEADLINE)}
    return [Similar(one, goals[one], round(likeness[one], 2)) for one in best if one in goals]


def find_sharing(project: Project, text: str, asked: int = MAX_TERMS) -> list[str]:
    """The memories that have most of a text's rarest words."""
    # Names with a digit in them and long words tend to be rare; how rare they are is then counted.
    telling = sorted(set(terms(text)), key=lambda term: (term.isalpha(), -len(term), term))[:asked]
    return memories_with_most_words(project.store.search, telling, RARE, MAX_COMPARED)


def memories_with_most_words(search: Search, wanted: Iterable[str], rare: int, cap: int) -> list[str]:
    """The memories that hold the most terms, ignoring terms that more than `rare` memories hold."""
    shared: Counter[int] = Counter()
    for holders in search.terms([[term] for term in wanted], rare + 1, rare + 1).holders:
        held = [*reversed(holders.keys), *reversed(holders.archived_keys)]
        if len(held) <= rare:
            shared.update(held)
    best = [key for key, _ in shared.most_common(cap)]
    return [one.row.id for one in search.describe(best, Filters()).memories] if best else []
