"""Import exported issues as memories, linked to the commits that closed them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from rum.app.caller import Caller
from rum.app.imports.batch import (
    BATCH,
    ExportSource,
    Imported,
    Piece,
    Progress,
    Tally,
    import_pieces,
    imported_memory,
)
from rum.app.project import Project
from rum.capture.git.ids import author_name, is_memory_of
from rum.capture.git.message import MAX_MESSAGE, closed_by
from rum.capture.git.work_kind import noise_by_author
from rum.capture.issues import Issue, issue_id, issue_session, issues_in, memory_fields, mentioned_issues
from rum.model.ids import id_of
from rum.model.links import Edge, LinkType
from rum.model.memory import Origin, OriginKind
from rum.repo import history
from rum.repo.git import find_git
from rum.store.filters import Filters

CLIENT = "github"  # The client of imported authors


class IssueImport(Imported, frozen=True, kw_only=True):
    """What an import did, in issues."""


def import_issues(
    caller: Caller, exported: bytes, progress: Progress = lambda _done, _total: None
) -> IssueImport:
    """Store every issue of an export as a memory; the export is checked whole before anything is written."""
    tally, issues = Tally(), issues_in(exported)
    source = ExportSource(caller, CLIENT, issues, partial(_piece, caller.project))
    import_pieces(caller, source, tally, progress)
    tally.counts["links"] += _link_issues(caller.project, [issue for issue in issues if not _noise(issue)])
    return tally.answer(IssueImport)


def _piece(project: Project, issue: Issue) -> Piece[Issue] | str:
    """An issue as a memory, or why it is left out."""
    if noise := _noise(issue):
        return noise
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


def _noise(issue: Issue) -> str | None:
    if issue.is_pull_request:
        return "pull_request"
    return "bot" if issue.is_bot or noise_by_author(0, issue.by) else None


def _link_issues(project: Project, issues: Sequence[Issue]) -> int:
    """Link issues that mention each other, and commits to those they closed; the number of new links."""
    mentions = [(issue_id(issue), number) for issue in issues for number in mentioned_issues(issue)]
    created = _add_links(project, mentions, LinkType.RELATED_TO)
    numbers = {str(issue.number) for issue in issues}
    return created + link_to_issues(project, (one for one in _closing_commits(project) if one[1] in numbers))


def _closing_commits(project: Project) -> Iterable[tuple[str, str]]:
    """(memory id, issue number) for every imported commit that says it closes one."""
    here = {sha: one for one, sha in project.store.memories.commits() if is_memory_of(one, sha)}
    place = find_git(project.location.root) if project.location.root and here else None
    for commit in history.commits(place) if place else ():
        if commit.sha in here:
            for number in closed_by(commit.message[:MAX_MESSAGE]):
                yield here[commit.sha], number


def has_issues(project: Project) -> bool:
    """Whether issues were ever imported here."""
    return any(agent.client == CLIENT for agent in project.store.agents.all())


def link_to_issues(project: Project, closings: Iterable[tuple[str, str]]) -> int:
    """Link the memories of commits to those of the issues they closed; the number of new links."""
    return _add_links(project, list(closings), LinkType.CAUSED_BY)


def _add_links(project: Project, pairs: Sequence[tuple[str, str]], kind: LinkType) -> int:
    created = 0
    for start in range(0, len(pairs), BATCH):
        with project.store.transaction():
            for source, number in pairs[start : start + BATCH]:
                filters = Filters(session_id=issue_session(number), superseded=True)
                for target, *_ in project.store.search.by_filters(filters, 1)[0]:
                    if target != source:
                        edge = Edge.of(source, target, kind)
                        created += project.store.links.add(edge, project.now())
    return created
