"""Exported issues into memories, and the commits that closed them tied to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.imports.batch import (
    BATCH,
    Imported,
    Piece,
    Progress,
    Tally,
    import_pieces,
    imported_memory,
)
from rum.app.memories.store import renewed
from rum.app.project import Project
from rum.capture.git.ids import author_name, is_memory_of
from rum.capture.git.message import MAX_MESSAGE, closed_by
from rum.capture.git.work_kind import noise_by_author
from rum.capture.issues import Issue, issue_id, issue_session, issues_in, memory_fields, mentioned_issues
from rum.model.ids import id_of
from rum.model.links import Edge, LinkType
from rum.model.memory import Memory, Origin, OriginKind
from rum.repo import history
from rum.repo.git import find_git
from rum.store.filters import Filters

CLIENT = "github"
"""What imported authors have as their client."""


class IssueImport(Imported, frozen=True, kw_only=True):
    """What an import did, in issues."""


def import_issues(
    caller: Caller, exported: bytes, progress: Progress = lambda _done, _total: None
) -> IssueImport:
    """Keep every issue of an export as a memory; the export is checked whole before anything is written."""
    tally, issues = Tally(), issues_in(exported)
    import_pieces(caller, Issues(caller, issues), tally, progress)
    tally.counts["links"] += _tie(caller.project, [issue for issue in issues if not _noise(issue)])
    return tally.answer(IssueImport)


class Issues:
    """Issues as a source of memories."""

    client = CLIENT

    def __init__(self, caller: Caller, issues: Sequence[Issue]) -> None:
        self._caller = caller
        self._issues = issues

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self._issues)

    def pieces(self) -> Iterator[Piece[Issue] | str]:
        """Each issue, or why it is left out."""
        for issue in self._issues:
            yield _noise(issue) or self._piece(issue)

    def _piece(self, issue: Issue) -> Piece[Issue]:
        memory = imported_memory(
            self._caller.project,
            memory_fields(issue),
            memory_id=issue_id(issue),
            agent_id=id_of("agent", f"github {issue.by.casefold()}"),
            session_id=issue_session(issue.number),
            at=issue.at,
            origin=Origin(OriginKind.ISSUE, str(issue.number)),
        )
        return Piece(memory, self._caller.project.label(author_name(issue.by)), issue)

    def update_existing(self, old: Memory, piece: Piece[Issue]) -> str:
        """Bring a memory up to date, unless somebody here has changed what the last import said."""
        changed = replace(old, **msgspec.structs.asdict(piece.memory.content()))
        if changed.content() == old.content():
            return "unchanged"
        versions = self._caller.project.store.history.of("memory", old.id)
        if versions and versions[-1].changed_by != CLIENT:
            return "different"
        renewed(self._caller, old, changed, by=CLIENT)
        return "updated"

    def link(self, pieces: Sequence[Piece[Issue]], counted: Counter[str]) -> None:
        """Nothing yet: an issue may speak of one in a later batch."""


def _noise(issue: Issue) -> str | None:
    if issue.is_pull_request:
        return "pull_request"
    return "bot" if issue.is_bot or noise_by_author(0, issue.by) else None


def _tie(project: Project, issues: Sequence[Issue]) -> int:
    """Link issues that speak of each other, and commits to those they closed; how many links are new."""
    spoken = [(issue_id(issue), number) for issue in issues for number in mentioned_issues(issue)]
    created = _link(project, spoken, LinkType.RELATED_TO)
    numbers = {str(issue.number) for issue in issues}
    return created + tie_to_issues(project, (one for one in _closings(project) if one[1] in numbers))


def _closings(project: Project) -> Iterable[tuple[str, str]]:
    """(memory id, issue number) for every imported commit that says it closes one."""
    here = {sha: one for one, sha in project.store.memories.commits() if is_memory_of(one, sha)}
    place = find_git(project.location.root) if project.location.root and here else None
    for commit in history.commits(place) if place else ():
        if commit.sha in here:
            for number in closed_by(commit.message[:MAX_MESSAGE]):
                yield here[commit.sha], number


def any_issues(project: Project) -> bool:
    """Whether issues were ever imported here."""
    return any(agent.client == CLIENT for agent in project.store.agents.all())


def tie_to_issues(project: Project, closings: Iterable[tuple[str, str]]) -> int:
    """Link the memories of commits to those of the issues they closed; how many links are new."""
    return _link(project, list(closings), LinkType.CAUSED_BY)


def _link(project: Project, told: Sequence[tuple[str, str]], kind: LinkType) -> int:
    created = 0
    for start in range(0, len(told), BATCH):
        with project.store.transaction():
            for source, number in told[start : start + BATCH]:
                filters = Filters(session_id=issue_session(number), superseded=True)
                for target, *_ in project.store.search.by_filters(filters, 1)[0]:
                    if target != source:
                        edge = Edge.of(source, target, kind)
                        created += project.store.links.add(edge, project.now())
    return created
