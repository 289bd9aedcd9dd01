"""Exported issues into memories, and the commits that closed them tied to them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.context import Context
from rum.app.exchange import BATCH, Progress
from rum.app.imported import add_author, unforgotten
from rum.app.writing import renewed
from rum.capture.history.message import LONGEST, closed_by
from rum.capture.history.names import author_name, is_memory_of
from rum.capture.history.noise import noise_by_author
from rum.capture.issues.export import Issue, issues_in
from rum.capture.issues.record import issue_id, issue_session, mentioned, said_of
from rum.model.ids import id_of
from rum.model.links import Edge, LinkType
from rum.model.memory import Content, Memory
from rum.repo import history
from rum.repo.git import find_git
from rum.store.filters import Filters

CLIENT = "github"
"""What imported authors have as their client."""


class IssueImport(Struct, frozen=True, kw_only=True):
    """What an import did, in issues: `different` were changed here since, and stay as they are."""

    added: int = 0
    unchanged: int = 0
    updated: int = 0
    different: int = 0
    forgotten: int = 0
    links: int = 0
    skipped: dict[str, int] = {}
    seconds: float = 0.0


def import_issues(context: Context, exported: bytes, progress: Progress = lambda _: None) -> IssueImport:
    """Keep every issue of an export as a memory; the export is checked whole before anything is written."""
    started = time.monotonic()
    issues = issues_in(exported)
    reasons = {issue: _noise(issue) for issue in issues}
    kept = [issue for issue in issues if not reasons[issue]]
    counted = Counter[str]()
    for start in range(0, len(kept), BATCH):
        batch = kept[start : start + BATCH]
        memories = [_memory(context, issue) for issue in batch]
        counts = Counter[str]()
        with context.store.transaction():
            _take(context, batch, memories, counts)
        counted += counts
        progress(start + len(batch))
    counted["links"] += _tie(context, kept)
    return IssueImport(
        **counted,
        skipped=dict(sorted(Counter(reason for reason in reasons.values() if reason).items())),
        seconds=round(time.monotonic() - started, 1),
    )


def _noise(issue: Issue) -> str | None:
    if issue.is_pull_request:
        return "pull_request"
    return "bot" if issue.is_bot or noise_by_author(0, issue.by) else None


def _memory(context: Context, issue: Issue) -> Memory:
    content = msgspec.convert(context.clean(said_of(issue)), Content)
    return Memory(
        id=issue_id(issue),
        agent_id=id_of("agent", f"github {issue.by.casefold()}"),
        project_id=context.project.id,
        session_id=issue_session(issue.number),
        created_at=min(issue.at, context.now()),
        imported_at=context.now(),
        intent=content.intent,
        perception=content.perception,
        outcome=content.outcome,
        tags=content.tags,
        importance=content.importance,
    )


def _take(
    context: Context, issues: Sequence[Issue], memories: Sequence[Memory], counted: Counter[str]
) -> None:
    known = {memory.id: memory for memory in context.store.memories.get([one.id for one in memories])}
    kept = unforgotten(context, [one for one in memories if one.id not in known], counted)
    for issue, memory in zip(issues, memories, strict=True):
        if memory.id in known:
            counted[_renew(context, known[memory.id], memory)] += 1
        elif memory.id in kept:
            name = context.label(author_name(issue.by))
            add_author(context, memory.agent_id, name, memory.created_at, CLIENT)
            context.store.agents.touch(memory.agent_id, memory.created_at)
            context.store.memories.add(memory)
            counted["added"] += 1


def _renew(context: Context, old: Memory, new: Memory) -> str:
    """Bring a memory up to date, unless somebody here has changed what the last import said."""
    changed = replace(old, **msgspec.structs.asdict(new.content()))
    if changed.content() == old.content():
        return "unchanged"
    versions = context.store.memories.versions(old.id)
    if versions and versions[-1][2] != CLIENT:
        return "different"
    renewed(context, old, changed, by=CLIENT)
    return "updated"


def _tie(context: Context, issues: Sequence[Issue]) -> int:
    """Link issues that speak of each other, and commits to those they closed; how many links are new."""
    spoken = [(issue_id(issue), number) for issue in issues for number in mentioned(issue)]
    created = _link(context, spoken, LinkType.RELATED_TO)
    numbers = {str(issue.number) for issue in issues}
    return created + tie_to_issues(context, (one for one in _closings(context) if one[1] in numbers))


def _closings(context: Context) -> Iterable[tuple[str, str]]:
    """(memory id, issue number) for every imported commit that says it closes one."""
    here = {sha: one for one, sha in context.store.memories.at_commits() if is_memory_of(one, sha)}
    place = find_git(context.project.root) if context.project.root and here else None
    for commit in history.commits(place) if place else ():
        if commit.sha in here:
            for number in closed_by(commit.message[:LONGEST]):
                yield here[commit.sha], number


def any_issues(context: Context) -> bool:
    """Whether issues were ever imported here."""
    return any(agent.client == CLIENT for agent in context.store.agents.all())


def tie_to_issues(context: Context, closings: Iterable[tuple[str, str]]) -> int:
    """Link the memories of commits to those of the issues they closed; how many links are new."""
    return _link(context, list(closings), LinkType.CAUSED_BY)


def _link(context: Context, told: Sequence[tuple[str, str]], kind: LinkType) -> int:
    created = 0
    for start in range(0, len(told), BATCH):
        with context.store.transaction():
            for source, number in told[start : start + BATCH]:
                filters = Filters(session_id=issue_session(number), superseded=True)
                for target, *_ in context.store.search.by_filters(filters, 1)[0]:
                    if target != source:
                        edge = Edge.of(source, target, kind)
                        created += context.store.links.add(edge, context.now())
    return created
