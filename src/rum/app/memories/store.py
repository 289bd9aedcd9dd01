"""Store, correct and link memories; find near-duplicates of a new one."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.memories.recall import shown
from rum.app.project import Project
from rum.capture.memory_files import collect_files, relative_actions, relative_perception
from rum.model.agents import Agent
from rum.model.answers import LinkResult, UpdateResult
from rum.model.errors import InvalidQuery, NotFound
from rum.model.ids import new_id
from rum.model.links import Edge, Links, LinkType
from rum.model.memory import (
    Content,
    Draft,
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
from rum.store.records import Revision
from rum.text.terms import terms


def store(caller: Caller, given: dict[str, Any]) -> StoreResult:
    """Keep a finished unit of work."""
    draft = parse_draft(caller.project.clean(given))
    now = caller.project.now()
    alike = similar_to(caller.project, draft)
    with caller.undo_identity_on_error(), caller.project.store.transaction():
        agent, who = ensure_agent(caller, active=True)
        memory = _memory(caller, draft, agent, now)
        caller.project.store.memories.add(memory)
        _add_links(caller.project, memory.id, draft.links, now)
    return StoreResult(
        memory_id=memory.id,
        stored_at=now,
        indexed_files=[file.path for file in memory.files],
        similar=alike or UNSET,
        identity=who or UNSET,
    )


def _memory(caller: Caller, draft: Draft, agent: Agent, now: int) -> Memory:
    commit, branch = caller.project.commit_and_branch()
    return _with_content(
        caller,
        draft,
        Memory(
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
        ),
        now,
    )


def _with_content(caller: Caller, draft: Draft, memory: Memory, now: int) -> Memory:
    """A memory that says what a draft says; a file it knew already keeps its spelling and its hash."""
    known = {file.path: file.content_hash for file in memory.files}

    def relative(path: str) -> str:
        return path if strip_line(path) in known else caller.relative(path)

    def content_hash(path: str) -> str | None:
        return known[path] if path in known else caller.project.content_hash(path)

    actions = relative_actions(draft, now, relative)
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


def _add_links(project: Project, memory_id: str, links: Links, now: int) -> None:
    for kind, target in links.each():
        _add_link(project, memory_id, target, kind, now)


def _add_link(project: Project, source: str, target: str, kind: LinkType, now: int) -> LinkResult:
    source_id, target_id = (project.find_id("memory", name) for name in (source, target))
    if source_id == target_id:
        raise InvalidQuery("A memory cannot be linked to itself.", field=kind.value)
    edge = Edge.of(source_id, target_id, kind)
    return LinkResult(project.store.links.add(edge, now), edge.link_id)


def link(caller: Caller, question: LinkRequest) -> LinkResult:
    """Link two memories."""
    with caller.project.store.transaction():
        return _add_link(
            caller.project, question.source_id, question.target_id, question.link_type, caller.project.now()
        )


def update(caller: Caller, arguments: dict[str, Any]) -> UpdateResult:
    """Correct or complete a memory; what it said before stays in its history."""
    patch = caller.project.clean(arguments)
    memory_id = patch.pop("memory_id", None)
    if not isinstance(memory_id, str):
        raise InvalidQuery("update_memory: `memory_id` is required.", field="memory_id")
    if not patch:
        raise InvalidQuery("update_memory: give at least one field to change.", field="memory_id")
    with caller.project.store.transaction():
        memory = caller.project.memory(memory_id)
        caller.check_may_change(memory)
        draft = apply_patch(memory, patch)
        changed = _with_content(caller, draft, memory, memory.created_at)
        if changed.content() != memory.content():
            changed = replace_memory(caller, memory, changed)
        _add_links(caller.project, memory.id, draft.links, caller.project.now())
    return _update_result(caller.project, changed)


def _update_result(project: Project, memory: Memory) -> UpdateResult:
    return UpdateResult(
        memory.id, memory.updated_at or memory.created_at, shown(project, memory, Depth.COMPLETE)
    )


def replace_memory(caller: Caller, old: Memory, new: Memory, by: str | None = None) -> Memory:
    """Replace a memory by a new version and keep the old one in the history; `by` names the caller."""
    now = max(caller.project.now(), old.updated_at or old.created_at)
    new = replace(new, version=old.version + 1, updated_at=now)
    me = caller.current_agent()
    by = by or (me.id if me else "owner")
    data = msgspec.json.encode(old.content()).decode()
    caller.project.store.history.add("memory", old.id, Revision(old.version, now, by, (data,)))
    caller.project.store.memories.replace(new)
    return new


def history(caller: Caller, memory_id: str) -> list[Version]:
    """Every version of a memory, oldest first; the last one is what it is now."""
    memory = caller.project.memory(memory_id)
    author, since, versions = memory.agent_id, memory.created_at, list[Version]()
    for number, at, by, (data,) in caller.project.store.history.of("memory", [memory.id])[memory.id]:
        content = msgspec.json.decode(data)
        versions.append(
            Version(version=number, changed_at=since, changed_by=author, current=False, memory=content)
        )
        author, since = by, at
    content = msgspec.json.decode(msgspec.json.encode(memory.content()))
    now = Version(version=memory.version, changed_at=since, changed_by=author, current=True, memory=content)
    return [*versions, now]


def restore(caller: Caller, memory_id: str, number: int) -> UpdateResult:
    """Restore an earlier version of a memory."""
    with caller.project.store.transaction():
        memory = caller.project.memory(memory_id)
        caller.check_may_change(memory)
        wanted = [v for v in history(caller, memory.id) if v.version == number]
        if not wanted:
            raise NotFound(
                f"{memory.id} has no version {number}; it has 1 to {memory.version}.", id=memory.id
            )
        content = msgspec.convert(wanted[0].memory, Content)
        changed = replace_memory(caller, memory, replace(memory, **msgspec.structs.asdict(content)))
    return _update_result(caller.project, changed)


RARE = 50  # A word in more memories than this does not tell them apart
MAX_TERMS = 4
MAX_COMPARED = 5
LIKE = 0.6  # The share of common words in goal and outcome from which two memories are called alike
SHOWN = 3


def similar_to(project: Project, draft: Draft) -> list[Similar]:
    """The memories that say almost the same."""
    ids = find_sharing(project, draft.intent.goal)
    if not ids:
        return []
    said = {*terms(draft.intent.goal), *terms(draft.outcome.summary)}
    texts = project.store.search.texts(ids)
    likeness = {
        one: _overlap(said, set(f"{texts[one][0]} {texts[one][2]}".split())) for one in ids if one in texts
    }
    best = sorted((one for one in ids if likeness.get(one, 0) >= LIKE), key=lambda one: -likeness[one])[
        :SHOWN
    ]
    goals = {memory.id: memory.intent.goal for memory in project.store.memories.get(best, ReadMode.HEADLINE)}
    return [Similar(one, goals[one], round(likeness[one], 2)) for one in best if one in goals]


def find_sharing(project: Project, text: str, asked: int = MAX_TERMS) -> list[str]:
    """The memories that have most of a text's rarest words."""
    # Names with a digit in them and long words tend to be rare; how rare they are is then counted.
    telling = sorted(set(terms(text)), key=lambda term: (term.isalpha(), -len(term), term))[:asked]
    return project.store.search.sharing(telling, RARE, MAX_COMPARED)


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)
