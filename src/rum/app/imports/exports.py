"""Import what other systems exported: issues, and the graph of the MCP reference memory server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rum.app.caller import Caller
from rum.app.imports.batch import (
    BATCH,
    Imported,
    Piece,
    Source,
    Tally,
    existing_ids,
    import_pieces,
    imported_memory,
)
from rum.app.project import Progress, Project
from rum.capture import mcp_memory
from rum.capture.git.ids import author_name
from rum.capture.git.message import MAX_MESSAGE, closed_by
from rum.capture.git.work_kind import noise_by_author
from rum.capture.issues import Issue, issue_id, issue_session, issues_in, memory_fields, mentioned_issues
from rum.model.ids import id_of
from rum.model.memory import Edge, LinkType, Origin, OriginKind
from rum.repo import history
from rum.repo.git import find_git
from rum.store.filters import Filters

GITHUB = "github"  # The client of imported authors of issues
GRAPH = "mcp-memory"  # The client of the author of entities, and the session they are in


class ExportSource(Source[Any]):
    """The items of an export; links are added after all batches, as an item may refer to a later one."""

    def __init__(self, caller: Caller, client: str, total: int, pieces: Iterator[Piece[Any] | str]) -> None:
        super().__init__(caller, total)
        self.client = client
        self._pieces = pieces

    def pieces(self) -> Iterator[Piece[Any] | str]:
        """Each item as a piece, or why it is left out."""
        return self._pieces


def import_issues(caller: Caller, exported: bytes, progress: Progress) -> Imported:
    """Store every issue of an export as a memory; the export is checked whole before anything is written."""
    tally, issues = Tally(), issues_in(exported)
    pieces = (_noise(issue) or _issue_piece(caller.project, issue) for issue in issues)
    import_pieces(caller, ExportSource(caller, GITHUB, len(issues), pieces), tally, progress)
    kept = [issue for issue in issues if not _noise(issue)]
    mentions = [(issue_id(issue), number) for issue in kept for number in mentioned_issues(issue)]
    closings = _closing_commits(caller.project, {str(issue.number) for issue in kept})
    tally.counts["links"] += _link_to_issues(caller.project, mentions, LinkType.RELATED_TO)
    tally.counts["links"] += link_closed_issues(caller.project, closings)
    return tally.answer(Imported)


def _noise(issue: Issue) -> str | None:
    """Why an issue is left out, if it is."""
    if issue.is_pull_request:
        return "pull_request"
    return "bot" if issue.is_bot or noise_by_author(0, issue.by) else None


def _issue_piece(project: Project, issue: Issue) -> Piece[Issue]:
    memory = imported_memory(
        project,
        memory_fields(issue),
        memory_id=issue_id(issue),
        agent_id=id_of("agent", f"github {issue.by.casefold()}"),
        session_id=issue_session(issue.number),
        at=issue.at,
        origin=Origin(OriginKind.ISSUE, str(issue.number)),
    )
    return Piece(memory, project.label(author_name(issue.by)), issue)


def _closing_commits(project: Project, numbers: set[str]) -> Iterator[tuple[str, str]]:
    """(memory id, issue number) for every imported commit that says it closes one of these issues."""
    here = project.store.memories.commits()
    place = find_git(project.location.root) if project.location.root and here else None
    for commit in history.commits(place) if place else ():
        if commit.sha in here:
            for number in closed_by(commit.message[:MAX_MESSAGE]):
                if number in numbers:
                    yield here[commit.sha], number


def has_issues(project: Project) -> bool:
    """Whether issues were ever imported here."""
    return any(agent.client == GITHUB for agent in project.store.agents.all())


def link_closed_issues(project: Project, closings: Iterable[tuple[str, str]]) -> int:
    """Link the memories of commits to those of the issues they closed; the number of new links."""
    return _link_to_issues(project, closings, LinkType.CAUSED_BY)


def _link_to_issues(project: Project, pairs: Iterable[tuple[str, str]], kind: LinkType) -> int:
    created, found = 0, list(pairs)
    for start in range(0, len(found), BATCH):
        with project.store.transaction():
            for source, number in found[start : start + BATCH]:
                filters = Filters(session_id=issue_session(number), superseded=True)
                for target, *_ in project.store.search.by_filters(filters, 1)[0]:
                    if target != source:
                        created += project.store.links.add(Edge.of(source, target, kind), project.now())
    return created


def import_graph(caller: Caller, exported: bytes, progress: Progress) -> Imported:
    """Store every entity of the graph as a memory; the file is checked whole before anything is written."""
    tally, entities = Tally(), mcp_memory.entities_in(exported)
    pieces = (_entity_piece(caller.project, entity) for entity in entities)
    import_pieces(caller, ExportSource(caller, GRAPH, len(entities), pieces), tally, progress)
    tally.counts["links"] += _link_entities(caller.project, entities)
    return tally.answer(Imported)


def _entity_piece(project: Project, entity: mcp_memory.Entity) -> Piece[mcp_memory.Entity] | str:
    if not (entity.observations or entity.relations):
        return "nothing observed"
    memory = imported_memory(
        project,
        mcp_memory.memory_fields(entity),
        memory_id=mcp_memory.entity_id(entity.name),
        agent_id=id_of("agent", GRAPH),
        session_id=GRAPH,
        at=project.now(),
        origin=Origin(OriginKind.PEER, GRAPH),
    )
    return Piece(memory, GRAPH, entity)


def _link_entities(project: Project, entities: Sequence[mcp_memory.Entity]) -> int:
    """Link memories whose entities are related; the number of new links."""
    name = mcp_memory.entity_id
    pairs = [(name(one.name), name(other)) for one in entities for _, other in one.relations]
    known = existing_ids(project, {end for pair in pairs for end in pair})
    created = 0
    with project.store.transaction():
        for source, target in pairs:
            if source != target and {source, target} <= known:
                edge = Edge.of(source, target, LinkType.RELATED_TO)
                created += project.store.links.add(edge, project.now())
    return created
