"""Import the history of a repository: which commits are new, their authors, links and reverts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, islice
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, field
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.freshness.anchors import make_missing
from rum.app.freshness.branches import renew_branches
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
from rum.app.imports.exports import has_issues, link_closed_issues
from rum.app.imports.git_progress import ReadBefore, read_before, remember_read
from rum.app.memories.store import replace_memory
from rum.app.project import Progress, Project
from rum.capture.git.commit_memory import (
    HIGH_IMPORTANCE,
    MAX_FILES,
    commit_fields,
    display_path,
    failed_because_of,
    failure_fields,
    revert_link,
    without_failure,
)
from rum.capture.git.history import Authorship, Entry, Ledger, Revert, is_revert, named_in
from rum.capture.git.ids import author_id, author_name, session_of
from rum.capture.git.message import Naming, parse_message
from rum.capture.git.pull_requests import PullRequest, brought_in
from rum.capture.git.revert_words import Extent, says_revert
from rum.capture.git.work_kind import Noise, noise_by_author, noise_by_change
from rum.capture.memory_files import collect_files
from rum.model.errors import InvalidQuery
from rum.model.fields import Time, parse, seconds
from rum.model.memory import SHORT_SHA, Edge, LinkType, Memory, Origin, OriginKind, RevertLink
from rum.model.memory_layers import Layer, Outcome
from rum.repo import history
from rum.repo.files import relative_path
from rum.repo.git import GitRepository, find_git, head, open_source
from rum.repo.git_process import GitFailed
from rum.repo.history import Change, Commit, Unreadable
from rum.repo.location import find_location
from rum.store.base import ReadMode
from rum.store.derived import MAX_RENAMES


class GitImport(Imported, frozen=True, kw_only=True):
    """What an import did, in commits.

    `updated` are memories of earlier imports that a revert changed, `failures` those that now say that
    they were reverted, `rewritten` those that took the place of what a rebase left behind, `cut` those
    with more files than are kept. After a dry run, `added`, `skipped` and `forgotten` are what would be.
    """

    failures: int = 0
    rewritten: int = 0
    cut: int = 0
    dry_run: bool = False
    notes: list[str] = field(default_factory=list[str])


class Chosen(Layer, frozen=True):
    """Which commits to import: all, or those since a time, the newest, or those that touched paths."""

    since: Time | None = None
    max_commits: Annotated[int, Meta(ge=1)] | None = None
    paths: str | tuple[str, ...] = ()
    dry_run: bool = False


def import_git(
    caller: Caller, path: str | os.PathLike[str] | None, given: dict[str, Any], progress: Progress
) -> GitImport:
    """Store every selected commit in the history of HEAD that is new as a memory."""
    tally, chosen = Tally(), parse(given, Chosen, "import_git")
    folder = os.path.abspath(path) if path is not None else caller.project.location.root or caller.cwd
    place = find_git(folder) if os.path.isdir(folder) else None
    if place is None and path is not None:
        place = open_source(folder)
    if place is None:
        raise InvalidQuery(
            f"{folder} is not in a git repository; go to one, or give its folder.", field="path"
        )
    progress(0, 0)  # How many there are is not known yet
    paths = _selected_paths(caller, place, chosen.paths)
    boundary = history.shallow_boundary(place)
    before, scope = read_before(caller.project), repr((sorted(paths), sorted(boundary)))
    tip, tips = head(place)[0], before.tips.get(scope, [])
    here = caller.store.memories.commits()
    tally.counts["unchanged"] = len(here)
    listed, problem = _list(place, chosen, tips, progress)
    touching = history.commits_touching(place, paths, tips) if paths and listed else None
    selected = [commit for commit in listed if touching is None or commit.sha in touching]
    unreadable: list[Unreadable] = []
    if selected:
        is_whole = not tips and chosen.since is None and chosen.max_commits is None
        since = 0 if is_whole else min(min(commit.at, commit.authored_at) for commit in selected)

        @cache
        def undone_by(sha: str) -> tuple[str, bool] | None:
            return None if sha in here else history.undone_by(place, sha)

        known = listed if is_whole else _with_context(place, selected, since, undone_by)
        ledger = Ledger(known, here, partial(history.commits_merged_by, place), undone_by)
        new, skipped = _new(ledger, selected, here, boundary)
        tally.skipped += skipped
        if new:
            lines = not chosen.dry_run and history.has_contents(place)
            changed = history.commits_with_changes(place, [entry.sha for entry in new], lines=lines)
            # Memories of commits no longer in HEAD: those on no branch are lost, the others elsewhere.
            near = caller.store.memories.commits(since) if since else here
            away = near.keys() - ledger.entries.keys()
            held = away & history.reachable_commits(place, since) if away else set[str]()
            lost = () if chosen.dry_run else _read(caller.project, [here[sha] for sha in away - held])
            elsewhere = _read(caller.project, [here[sha] for sha in held])
            source = Commits(caller, ledger, changed, len(new), lost, elsewhere, brought_in(known))
            import_pieces(caller, source, tally, progress, dry_run=chosen.dry_run)
            unreadable = source.unreadable
            if lines:
                make_missing(caller.project, MAX_ANCHORED)
                renew_branches(caller.project)
    if not (chosen.dry_run or chosen.since or chosen.max_commits):
        is_read = tip not in tips and bool(selected or tips) and not (problem or unreadable)
        now = [tip, *tips[: _MAX_TIPS - 1]] if tip and is_read else tips
        read = ReadBefore(place.root, paths, tip, {**before.tips, scope: now})
        if now and read != before:
            remember_read(caller.project, read)
    notes = _notes(place, tip, unreadable, problem)
    if tip and paths and not selected and not tips:  # perhaps a path does not exist
        when = "" if chosen.since is None else " since then"
        notes.append(f"No commit{when} touches {' or '.join(paths)}.")
    return tally.answer(GitImport, dry_run=chosen.dry_run, notes=notes)


MAX_ANCHORED = 500  # Memories, the newest, that an import ties to the code; `tidy` does the others
_EVERY = 1000  # Commits listed between two reports
_MAX_TIPS = 20  # Branches whose newest commit is remembered


def _list(
    place: GitRepository, chosen: Chosen, tips: Sequence[str], progress: Progress
) -> tuple[list[Commit], str]:
    """The commits that no import has read, oldest first; and why those before them cannot be read."""
    listed: list[Commit] = []
    since, most = seconds(chosen.since or 0), chosen.max_commits
    for newest_first in (most is not None, True):
        try:
            listed.clear()
            works = 0
            for commit in history.commits(place, without=tips, since=since, newest_first=newest_first):
                listed.append(commit)
                if len(listed) % _EVERY == 0:
                    progress(len(listed), 0)
                works += noise_by_author(len(commit.parents), commit.author) is None
                if works == most:
                    break
            return listed[::-1] if newest_first else listed, ""
        except GitFailed as failed:  # then the newest ones, as far as git comes
            problem = str(failed.details["problem"])
    return listed[::-1], problem


def _with_context(
    place: GitRepository,
    commits: Sequence[Commit],
    since: int,
    undone_by: Callable[[str], tuple[str, bool] | None],
) -> list[Commit]:
    """Commits, oldest first, with all of their time, and with the earlier ones that they name.

    Copies and rewritten forms of a commit are not older than the time at which its author wrote it.
    """
    recent = {commit.sha: commit for commit in history.commits(place, since=since)}
    recent |= {commit.sha: commit for commit in commits}
    earlier: dict[str, Commit] = {}
    waiting = list(commits)
    while waiting:
        named = [named_in(commit.message) for commit in waiting]
        vague = (undone_by(commit.sha) for commit in waiting if says_revert(commit.message))
        undone = [sha for sha, _ in filter(None, vague)]
        found = [
            *history.named_commits(place, {*undone, *(sha for ids, _ in named for sha in ids)}),
            *history.commits_saying(place, {subject for _, subjects in named for subject in subjects}),
        ]
        waiting = [one for one in found if one.sha not in recent and one.sha not in earlier]
        earlier |= {one.sha: one for one in waiting}
        # What an earlier revert reverted is valid again when that revert is reverted.
        waiting = [one for one in waiting if is_revert(one.message)]
    return [*sorted(earlier.values(), key=lambda commit: commit.at), *recent.values()]


def _selected_paths(caller: Caller, place: GitRepository, paths: str | Sequence[str]) -> list[str]:
    """The paths whose history is read: those given, or the own folder of a sub-project."""
    inside: list[str] = []
    for path in [paths] if isinstance(paths, str) else paths:
        inside.append(relative_path(path, place.root, caller.cwd))
        if inside[-1].startswith(("/", "~", "..")) or os.path.isabs(inside[-1]):
            raise InvalidQuery(f"{path} is not in the repository {place.root}.", field="paths")
    if inside:
        return inside
    settings = caller.project.settings
    subproject = find_location(caller.cwd, settings.home, settings.subprojects).subproject
    is_own = any(key.endswith(f"#{subproject}") for key in caller.project.location.keys)
    return [subproject] if subproject and is_own else []


def _new(
    ledger: Ledger, selected: Sequence[Commit], here: Mapping[str, str], cut_off: frozenset[str]
) -> tuple[list[Entry], Counter[str]]:
    """The commits to read, oldest first, and why others are left out."""
    skipped = Counter[str]()
    kept: list[Entry] = []
    for commit in selected:
        entry = ledger.entries[commit.sha]
        # A bot's commit counts if it was reverted.
        is_work = entry.noise is None or (entry.noise is not Noise.MERGE and entry.sha in ledger.reverted)
        if entry.sha in cut_off:
            skipped[Noise.CUT_OFF.value] += 1
        elif not is_work:
            skipped[(entry.noise or Noise.MERGE).value] += 1
        elif entry.sha not in here:
            kept.append(entry)
    return kept, skipped


def _read(project: Project, ids: Iterable[str]) -> Iterator[Memory]:
    waiting = iter(sorted(ids))
    while batch := list(islice(waiting, BATCH)):
        yield from project.store.memories.get(batch, ReadMode.SKIP_DAMAGED)


def _notes(
    place: GitRepository, tip: str | None, unreadable: Sequence[Unreadable], problem: str
) -> list[str]:
    """What the user should know about this clone."""
    notes: list[str] = []
    if tip is None:
        notes.append("There are no commits here yet.")
    if history.shallow_boundary(place):
        notes.append(
            "This clone is shallow: older history is missing. Run `git fetch --unshallow`, then import again."
        )
    if not history.has_contents(place):
        notes.append("This clone has no file contents, so memories name files without lines.")
    if problem:
        notes.append(f"Older history cannot be read: {problem}. `git fsck` tells more.")
    if unreadable:
        named = "; ".join(f"{one.sha[:SHORT_SHA]}: {one.problem}" for one in unreadable[:_MAX_NAMED])
        more = f"; and {len(unreadable) - _MAX_NAMED} more" if len(unreadable) > _MAX_NAMED else ""
        notes.append(f"Git cannot read all objects of {len(unreadable)} of these commits: {named}{more}.")
    return notes


_MAX_NAMED = 5  # Unreadable commits that are named

CLIENT = "git"  # The client of imported authors


class CommitSource(NamedTuple):
    """A commit, the issues it closed, and its renames if its memory names only some of its files."""

    commit: Commit
    closes: tuple[str, ...]
    is_cut: bool
    renames: tuple[tuple[str, str], ...] = ()


Work = Piece[CommitSource]


class Commits(Source[CommitSource]):
    """Commits as a source of memories, in the order in which they are read."""

    client = CLIENT

    def __init__(
        self,
        caller: Caller,
        ledger: Ledger,
        changed: Iterable[tuple[Commit, list[Change]] | Unreadable],
        total: int,
        lost: Iterable[Memory],
        elsewhere: Iterable[Memory],
        requests: Mapping[str, PullRequest],
    ) -> None:
        """`lost` are memories of commits on no branch any more, `elsewhere` of those on other branches.

        `requests` are the pull requests that brought commits in.
        """
        super().__init__(caller, total)
        self._ledger = ledger
        self._requests = requests
        self._changed = changed
        self.unreadable: list[Unreadable] = []
        self._issues = has_issues(caller.project)
        self._lost = _by_authorship(lost)
        times = ledger.times
        alike = (one for one in elsewhere if one.actions and one.actions[0].timestamp in times)
        self._copies = Copies(caller.project, ledger, _by_authorship(alike))

    def pieces(self) -> Iterator[Work | str]:
        """Each commit, or why it is left out."""
        for read in self._changed:
            if isinstance(read, Unreadable):
                self.unreadable.append(read)
            known = read.known if isinstance(read, Unreadable) else read
            yield self._piece(*known) if known else Noise.UNREADABLE.value

    def _piece(self, commit: Commit, changes: list[Change]) -> Work | str:
        project, message = self._caller.project, parse_message(commit.message)
        revert = self._ledger.reverted.get(commit.sha)
        noise = noise_by_change(message.subject, message.body, [change.path for change in changes])
        if noise and not revert:
            return noise.value
        is_revert = any(
            one.naming is Naming.REVERTS and one.source.sha == commit.sha
            for one in self._ledger.references(commit.sha)
        )
        author = project.label(author_name(commit.author))
        agent = author_id(author)
        memory = imported_memory(
            project,
            commit_fields(
                commit,
                message,
                changes,
                revert,
                is_revert=is_revert,
                request=self._requests.get(commit.sha),
            ),
            memory_id=self._ledger.entries[commit.sha].memory_id,
            agent_id=agent,
            session_id=session_of(agent, commit.at),
            at=commit.at,
            origin=Origin(OriginKind.COMMIT, commit.sha),
        )
        blobs = {display_path(change.path): change.blob for change in changes}
        files = collect_files(memory.actions, memory.perception, blobs.get)
        memory = replace(memory, files=files, commit=commit.sha, reverted_by=self._reversal(revert))
        if not revert and self._copies.has(commit, memory):
            return Noise.COPY.value
        is_cut = len(changes) > MAX_FILES
        renames: tuple[tuple[str, str], ...] = ()
        if is_cut:  # the memory cannot name all files
            spell = project.redactor.redact
            moved = islice((change for change in changes if change.old_path), MAX_RENAMES)
            renames = tuple(
                (spell(display_path(one.old_path or "")), spell(display_path(one.path))) for one in moved
            )
        return Piece(memory, author, CommitSource(commit, message.closes, is_cut, renames))

    def _reversal(self, revert: Revert | None) -> RevertLink | None:
        """What reverted a commit, its reason without secrets."""
        if revert is None:
            return None
        return msgspec.convert(
            self._caller.project.clean(msgspec.to_builtins(revert_link(revert))), RevertLink
        )

    def update_existing(self, old: Memory, piece: Work) -> str:  # noqa: ARG002
        """Another process imported it in the meantime; a commit never changes."""
        return "unchanged"

    def link(self, pieces: Sequence[Work], counts: Counter[str]) -> None:
        """Add the links of the new memories; reverted memories become failures, replaced ones superseded."""
        counts["failures"] += sum(not piece.memory.outcome.success for piece in pieces)
        counts["cut"] += sum(piece.origin.is_cut for piece in pieces)
        for piece in pieces:
            if piece.origin.renames:
                self._caller.store.memories.note_renames(piece.memory.id, piece.origin.renames)
        self._link(pieces, counts)
        self._supersede_lost(pieces, counts)

    def _link(self, works: Sequence[Work], counts: Counter[str]) -> None:
        """Add the links of the new memories to each other and to existing ones."""
        named = (self._ledger.references(work.origin.commit.sha) for work in works)
        references = dict.fromkeys(chain.from_iterable(named))
        ends = {end.memory_id for ref in references for end in (ref.source, ref.target)}
        known = existing_ids(self._caller.project, ends)
        fresh = {work.memory.id for work in works}
        links, now = self._caller.store.links, self._caller.project.now()
        for ref in references:
            source, target = ref.source.memory_id, ref.target.memory_id
            if source not in known or target not in known:
                continue
            created = links.add(Edge.of(source, target, ref.naming.link), now)
            counts["links"] += created
            if created and ref.naming is Naming.REVERTS:
                self._update_reverted(ref.source.sha, fresh, counts)
                self._mark_partial_revert(source, target)
        if self._issues:
            closing = [(work.memory.id, number) for work in works for number in work.origin.closes]
            counts["links"] += link_closed_issues(self._caller.project, closing)

    def _update_reverted(self, sha: str, fresh: set[str], counts: Counter[str]) -> None:
        """Mark the reverted commit as failed; a commit that it had reverted itself is valid again."""
        for entry in self._ledger.reverted_through(sha):
            if entry.memory_id in fresh:
                continue
            revert = self._ledger.reverted.get(entry.sha)
            for memory in self._caller.store.memories.get([entry.memory_id]):
                is_known = revert and memory.reverted_by and memory.reverted_by.commit == revert.by.sha
                reverted_by = memory.reverted_by if is_known else self._reversal(revert)
                changed = replace(memory, reverted_by=reverted_by, outcome=self._outcome(memory, revert))
                if changed != memory:
                    importance = max(memory.importance, HIGH_IMPORTANCE)
                    replace_memory(self._caller, memory, replace(changed, importance=importance), by=CLIENT)
                    counts["updated"] += 1
                    counts["failures"] += not changed.outcome.success

    def _mark_partial_revert(self, source_id: str, target_id: str) -> None:
        """Record that a commit reverted only some files of another, if the memory names all of them."""
        store = self._caller.store
        found = {memory.id: memory for memory in store.memories.get([source_id, target_id])}
        source, target = found[source_id], found[target_id]
        reverted_by = target.reverted_by
        if reverted_by is None or reverted_by.id != source.id or len(source.files) >= MAX_FILES:
            return
        if {file.path for file in source.files} < {file.path for file in target.files}:
            store.memories.replace(replace(target, reverted_by=replace(reverted_by, in_part=True)))

    def _outcome(self, memory: Memory, revert: Revert | None) -> Outcome:
        """The outcome of a commit according to the history; a failure reason that people wrote stays."""
        outcome, known = memory.outcome, memory.reverted_by
        if not outcome.success:
            if known is None or not failed_because_of(outcome, known):
                return outcome
            if revert and known.commit == revert.by.sha:
                return outcome
            outcome = without_failure(outcome)
        if not revert or revert.extent is Extent.PARTLY:
            return outcome
        failed = msgspec.to_builtins(outcome) | failure_fields(revert)
        return msgspec.convert(self._caller.project.clean(failed), Outcome)

    def _supersede_lost(self, works: Sequence[Work], counts: Counter[str]) -> None:
        """A commit that was rewritten, as by a rebase, supersedes its earlier form."""
        for work in works:
            before = self._lost.get(authorship(work.memory), []) if work.memory.actions else []
            same = [one for one in before if one.intent.goal == work.memory.intent.goal]
            for old in (same or (before if len(before) == 1 else []))[:1]:
                before.remove(old)
                edge = Edge.of(work.memory.id, old.id, LinkType.SUPERSEDES)
                counts["rewritten"] += self._caller.store.links.add(edge, self._caller.project.now())


def _by_authorship(memories: Iterable[Memory]) -> dict[MemoryAuthorship, list[Memory]]:
    """Memories of commits by author and time."""
    found: dict[MemoryAuthorship, list[Memory]] = {}
    for memory in memories:
        if memory.actions:
            found.setdefault(authorship(memory), []).append(memory)
    return found


MemoryAuthorship = tuple[str, int]  # The author of a commit, and the time


def authorship(memory: Memory) -> MemoryAuthorship:
    """The author and time of the commit of a memory with actions; cherry-picking changes neither."""
    return memory.agent_id, memory.actions[0].timestamp


class Copies:
    """The commits of an import that may have copies."""

    def __init__(
        self, project: Project, ledger: Ledger, elsewhere: Mapping[MemoryAuthorship, Sequence[Memory]]
    ) -> None:
        """`elsewhere` are the memories of commits on other branches."""
        self._project = project
        self._ledger = ledger
        self._elsewhere = {when: _Known(memories) for when, memories in elsewhere.items()}
        self._alike: dict[Authorship, _Known] = {}

    def has(self, commit: Commit, memory: Memory) -> bool:
        """Whether a commit is a copy; if not, it is remembered, as it may have copies."""
        if not memory.actions:
            return False
        known = self._same_authorship(commit)
        elsewhere = self._elsewhere.get(authorship(memory))
        if known.has(memory) or (elsewhere and elsewhere.has(memory)):
            return True
        known.add(memory)
        return False

    def _same_authorship(self, commit: Commit) -> _Known:
        """The commits of HEAD that may be copies of one; read once, as a script may create thousands."""
        authorship = self._ledger.authorship(commit)
        known = self._alike.get(authorship)
        if known is None:
            ids = [entry.memory_id for entry in self._ledger.alike(commit)]
            known = _Known(self._project.store.memories.get(ids, ReadMode.SKIP_DAMAGED) if ids else ())
            if ids:
                self._alike[authorship] = known
        return known


class _Known:
    """Commits of one author at one time, by message and changes: enough to recognise a copy.

    A script may make many commits in a second that look alike; only what they changed tells those apart.
    """

    def __init__(self, memories: Iterable[Memory] = ()) -> None:
        self._by_files: dict[object, set[str]] = {}
        self._alike: dict[object, set[int]] = {}
        for memory in memories:
            self.add(memory)

    def add(self, memory: Memory) -> None:
        """Add a commit, unless it was reverted."""
        if memory.outcome.success:
            self._by_files.setdefault(_by_files(memory), set()).add(memory.id)
            for sign in (_by_message(memory), _by_size(memory)):
                self._alike.setdefault(sign, set()).add(memory.created_at)

    def has(self, memory: Memory) -> bool:
        """Whether another commit has the same subject and files, or at another time the message or size."""
        if self._by_files.get(_by_files(memory), set()) - {memory.id}:
            return True
        # The text of a pull request is part of the message, and that of a copy differs; the size does not.
        signs = ([_by_message(memory)] if memory.intent.context else []) + [_by_size(memory)]
        return any(self._alike.get(sign, set()) - {memory.created_at} for sign in signs)


def _by_files(memory: Memory) -> tuple[object, ...]:
    """The files that a commit changed, each with its new content."""
    files = ((file.path, file.content_hash or "") for file in memory.files)
    return memory.intent.goal, *sorted(files)


def _by_message(memory: Memory) -> tuple[str, str, str]:
    return memory.intent.goal, "message", memory.intent.context


def _by_size(memory: Memory) -> tuple[str, ...]:
    """How much a commit changed, and in which files."""
    size = memory.outcome.summary.partition(": ")[2]
    return (memory.intent.goal, "size", size, *sorted(file.path for file in memory.files))
