"""One memory with everything around it: links, files, versions, offers; its causes; as Markdown."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.memories.recall import retrieve
from rum.app.memories.store import history
from rum.app.pages.lists import Names, entries_by_id
from rum.app.project import Project
from rum.capture.clients.detect import CLIENTS
from rum.model.memory import Edge, LinkType, Memory
from rum.model.pages import (
    AgentName,
    CauseGraph,
    CausesRequest,
    FileState,
    GraphEdge,
    GraphNode,
    LeftOutNodes,
    LinkedEntry,
    MemoryPage,
    MemoryVersion,
    Titled,
    UseFigures,
)
from rum.model.requests import Depth
from rum.store.activity import OfferQuery
from rum.store.captured_events import SessionKey

_MAX_LINKS = 200  # Linked memories shown beside one
_MAX_STEPS = 20  # Steps of a graph from its memory
_REVERTS = "reverts"
_ONE_WAY = {"causes": (-1,), "effects": (1,), "both": (-1, 1)}


def memory_page(caller: Caller, memory_id: str) -> MemoryPage:
    """A memory, complete; looking at it does not count as a use."""
    project, store = caller.project, caller.project.store
    memory = project.memory(memory_id)
    edges = sorted(store.links.of([memory.id]))[:_MAX_LINKS]
    related = [edge.seen_from(memory.id) for edge in edges]
    related += [("reverted_by", memory.reverted_by.id)] if memory.reverted_by else []
    related += [(_REVERTS, one.id) for one in memory.reverts[:_MAX_LINKS]]
    known = entries_by_id(project, [other for _, other in related])
    chapters = (
        store.chapters.get(store.chapters.made_of(memories=[memory.id])) if store.has_chapters() else []
    )
    author = memory.imported_at is not None
    return MemoryPage(
        memory=retrieve(project, memory, Depth.COMPLETE),
        agent=AgentName(memory.agent_id, Names(project).of(memory.agent_id)),
        may_change=caller.role != "reader" and caller.may_change(memory.agent_id, imported=author),
        files=[
            FileState(
                path=file.path,
                operation=file.operation.value,
                state=_state(project, file.path, file.content_hash),
            )
            for file in memory.files
        ],
        links=[LinkedEntry(relation, known[other]) for relation, other in related if other in known],
        chapters=[Titled(one.id, one.title) for one in chapters],
        versions=1 + len(store.history.of("memory", [memory.id])[memory.id]),
        use=use_figures(project, memory.id),
        client=UNSET if caller.is_confined else _captured_by(project, memory) or UNSET,
    )


def _captured_by(project: Project, memory: Memory) -> str | None:
    """The client in whose session a memory was captured."""
    captured = project.store.captured
    keys = (SessionKey(client, memory.session_id) for client in CLIENTS)
    return next((key.client for key in keys if captured.turns(key, limit=1)), None)


def _state(project: Project, path: str, known: str | None) -> str:
    """Whether a file has the content it had: `same`, `changed`, `gone` or `unknown`."""
    if project.location.root is None or known is None:
        return "unknown"
    now = project.content_hash(path)
    return "gone" if now is None else "same" if now == known else "changed"


def use_figures(project: Project, memory_id: str) -> UseFigures:
    """How often a memory was offered and retrieved, and the outcomes."""
    activity = project.store.activity
    offered = activity.find_offers(OfferQuery(memory=memory_id))
    outcomes = Counter(name for row in offered for name in row.outcomes)
    uses = project.use_counts([memory_id]).get(memory_id)
    return UseFigures(
        offered=len(offered),
        **{name: outcomes[name] for name in _OUTCOMES},
        usefulness=round(activity.usefulness([memory_id]).get(memory_id, 0.0), 2),
        access_count=uses.times if uses else 0,
    )


_OUTCOMES = ("fetched", "followed", "contradicted", "kept", "undone")


def versions(caller: Caller, memory_id: str) -> list[MemoryVersion]:
    """Every version of a memory, oldest first."""
    names = Names(caller.project)
    return [
        MemoryVersion(changed_by_name=names.of(one.changed_by), **msgspec.structs.asdict(one))
        for one in history(caller, memory_id)
    ]


def causes(caller: Caller, memory_id: str, request: CausesRequest) -> CauseGraph:
    """The causes and effects of a memory, nearest first, with every link between the shown ones."""
    project = caller.project
    root = project.memory(memory_id).id
    distances = {root: 0}
    known: dict[str, set[GraphEdge]] = {}
    full = False
    for way in _ONE_WAY[request.direction]:
        frontier: list[str] = [root]
        for step in range(1, _MAX_STEPS + 1):
            further = dict.fromkeys(
                other
                for one in frontier
                for edge in _edges(project, one, known)
                if (other := _next(edge, one, way)) and other not in distances
            )
            frontier = list(further)[: max(0, request.max_nodes - len(distances))]
            full = full or len(frontier) < len(further)
            distances.update(dict.fromkeys(frontier, way * step))
            if not frontier:
                break
    shown = entries_by_id(project, list(distances))
    return _graph(
        project, root, {one: at for one, at in distances.items() if one in shown}, shown, known, full
    )


def _graph(
    project: Project,
    root: str,
    distances: dict[str, int],
    shown: dict[str, Any],
    known: dict[str, set[GraphEdge]],
    full: bool,
) -> CauseGraph:
    edges = {edge for one in distances for edge in _edges(project, one, known)}
    within = {edge for edge in edges if edge.source in distances and edge.target in distances}
    hidden: dict[str, set[str]] = {}
    for edge in edges - within:
        inside, outside = (
            (edge.source, edge.target) if edge.source in distances else (edge.target, edge.source)
        )
        hidden.setdefault(inside, set()).add(outside)
    exist = set(entries_by_id(project, list({one for ids in hidden.values() for one in ids})))
    counts = {one: len(ids & exist) for one, ids in hidden.items() if ids & exist}
    return CauseGraph(
        root=root,
        nodes=[GraphNode(shown[one], distances[one]) for one in distances],
        edges=sorted(within, key=lambda edge: (edge.source, edge.target, edge.type)),
        left_out=LeftOutNodes(
            nodes=len({one for ids in hidden.values() for one in ids & exist}),
            by_node=counts,
            complete=not full and not counts,
        ),
    )


def _edges(project: Project, memory_id: str, known: dict[str, set[GraphEdge]]) -> set[GraphEdge]:
    """The links of a memory, and what it reverted or was reverted by."""
    if memory_id not in known:
        found = {_graph_edge(edge) for edge in project.store.links.of([memory_id])}
        for memory in project.store.memories.get([memory_id]):
            found |= {GraphEdge(memory_id, one.id, _REVERTS) for one in memory.reverts}
            if memory.reverted_by:
                found.add(GraphEdge(memory.reverted_by.id, memory_id, _REVERTS))
        known[memory_id] = found
    return known[memory_id]


def _graph_edge(edge: Edge) -> GraphEdge:
    return GraphEdge(edge.source_id, edge.target_id, edge.link_type.value)


def _next(edge: GraphEdge, memory_id: str, way: int) -> str | None:
    """The other end of a link, if it leads to causes (-1) or effects (1)."""
    if edge.type == LinkType.RELATED_TO:  # shown between shown ones, but it leads nowhere
        return None
    near, far = (edge.source, edge.target) if way < 0 else (edge.target, edge.source)
    return far if near == memory_id else None


def as_markdown(caller: Caller, memory_id: str) -> str:
    """A memory as a Markdown text, to share it."""
    project = caller.project
    return "\n".join(_lines(caller.project.memory(memory_id), Names(project))) + "\n"


def _lines(memory: Memory, names: Names) -> Iterator[str]:
    outcome, reasoning, intent = memory.outcome, memory.reasoning, memory.intent
    yield f"# {_flat(intent.goal)}"
    day = time.strftime("%Y-%m-%d", time.localtime(memory.created_at))
    result = "succeeded" if outcome.success else "failed"
    where = f" on `{memory.branch}`" if memory.branch else ""
    yield from (
        "",
        f"{day}, {names.of(memory.agent_id)}, {intent.task_type.value}{where}: {result}. `{memory.id}`",
    )
    yield from ("", memory.full_summary)
    if intent.context:
        yield from ("", intent.context)
    if outcome.failure_reason:
        yield from ("", f"**Why it failed:** {outcome.failure_reason}")
    if reasoning.approach_chosen:
        why = f" {reasoning.why_chosen}" if reasoning.why_chosen else ""
        yield from ("", f"**Approach:** {reasoning.approach_chosen}{why}")
    rejected = [
        f"{one.approach}" + (f": {one.why_rejected}" if one.why_rejected else "")
        for one in reasoning.alternatives_considered
    ]
    yield from _list("Rejected", rejected)
    yield from _list("Learned", outcome.learnings)
    yield from _list("To do", outcome.follow_up_needed)
    yield from _list("Files", [f"`{file.path}` ({file.operation.value})" for file in memory.files])
    if memory.tags:
        yield from ("", "Tags: " + ", ".join(memory.tags))


def _list(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = [f"- {_flat(line)}" for line in lines if line.strip()]
    if found:
        yield from ("", f"## {title}", "", *found)


def _flat(text: str) -> str:
    return " ".join(text.split())
