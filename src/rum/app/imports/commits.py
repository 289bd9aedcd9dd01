"""Commits as memories, each with its author, its links, and what it undid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.imports.commit_copies import Copies, Written, written
from rum.app.imports.import_batch import Piece, existing_ids, imported_memory
from rum.app.imports.issues import any_issues, tie_to_issues
from rum.app.memories.store import renewed
from rum.capture.git.actions import FILES, path_of
from rum.capture.git.commit_memory import (
    TELLING,
    failure,
    has_failed_by,
    restored,
    reversal_of,
    said_of,
)
from rum.capture.git.history import Ledger, Undoing
from rum.capture.git.ids import author_id, author_name, session_of
from rum.capture.git.mentions import Naming
from rum.capture.git.message import parted
from rum.capture.git.noise import Noise, noise_by_change
from rum.capture.memory_files import tied_files
from rum.model.links import Edge, LinkType
from rum.model.memory import Memory
from rum.model.memory_layers import Outcome
from rum.model.origin import Origin, OriginKind, Reversal
from rum.repo.history import Change, Commit
from rum.store.renames import MOST

CLIENT = "git"
"""What imported authors have as their client."""


class CommitSource(NamedTuple):
    """A commit, the issues it closed, whether its memory names only some of its files, and renames then."""

    commit: Commit
    closes: tuple[str, ...]
    is_cut: bool
    renames: tuple[tuple[str, str], ...] = ()


Work = Piece[CommitSource]


class Commits:
    """Commits as a source of memories, in the order in which they are read."""

    client = CLIENT

    def __init__(
        self,
        caller: Caller,
        ledger: Ledger,
        changed: Iterable[tuple[Commit, list[Change]]],
        total: int,
        lost: Iterable[Memory],
        elsewhere: Iterable[Memory] = (),
    ) -> None:
        """`lost` are memories of commits that no branch holds any more, `elsewhere` of those on others."""
        self.total = total
        self._caller = caller
        self._ledger = ledger
        self._changed = changed
        self._issues = any_issues(caller.project)
        self._lost = _by_writing(lost)
        times = ledger.times
        alike = (one for one in elsewhere if one.actions and one.actions[0].timestamp in times)
        self._copies = Copies(caller.project, ledger, _by_writing(alike))

    def pieces(self) -> Iterator[Work | str]:
        """Each commit, or why it is left out."""
        for commit, changes in self._changed:
            yield self._piece(commit, changes)

    def _piece(self, commit: Commit, changes: list[Change]) -> Work | str:
        message = parted(commit.message)
        undoing = self._ledger.undone.get(commit.sha)
        noise = noise_by_change(message.subject, message.body, [change.path for change in changes])
        if noise and not undoing:
            return noise.value
        undoes = any(
            one.naming is Naming.REVERTS and one.source.sha == commit.sha
            for one in self._ledger.references(commit.sha)
        )
        said = said_of(commit, message, changes, undoing, undoes=undoes)
        author = self._caller.project.label(author_name(commit.author))
        memory = replace(self._memory(commit, changes, author, said), reverted_by=self._reversal(undoing))
        if not undoing and self._copies.has(commit, memory):
            return Noise.COPY.value
        is_cut = len(changes) > FILES
        renames = self._renames(changes) if is_cut else ()
        return Piece(memory, author, CommitSource(commit, message.closes, is_cut, renames))

    def _reversal(self, undoing: Undoing | None) -> Reversal | None:
        """What reverted a commit, its reason without secrets."""
        if undoing is None:
            return None
        return msgspec.convert(
            self._caller.project.clean(msgspec.to_builtins(reversal_of(undoing))), Reversal
        )

    def _renames(self, changes: list[Change]) -> tuple[tuple[str, str], ...]:
        """(earlier name, new name) of files, spelt as a memory would, without secrets."""
        spell = self._caller.project.redactor.redact
        found = ((change.before, change.path) for change in changes if change.before)
        return tuple((spell(path_of(old)), spell(path_of(new))) for old, new in islice(found, MOST))

    def _memory(self, commit: Commit, changes: list[Change], author: str, said: dict[str, Any]) -> Memory:
        blobs = {path_of(change.path): change.blob for change in changes}
        agent = author_id(author)
        memory = imported_memory(
            self._caller.project,
            said,
            memory_id=self._ledger.entries[commit.sha].memory_id,
            agent_id=agent,
            session_id=session_of(agent, commit.at),
            at=commit.at,
            origin=Origin(OriginKind.COMMIT, commit.sha),
        )
        files = tied_files(memory.actions, memory.perception, blobs.get)
        return replace(memory, files=files, commit=commit.sha)

    def update_existing(self, old: Memory, piece: Work) -> str:  # noqa: ARG002
        """Somebody else imported it meanwhile; a commit never changes."""
        return "unchanged"

    def link(self, pieces: Sequence[Work], counted: Counter[str]) -> None:
        """Add every link of the new memories; what they undid has failed, what they replace is superseded."""
        counted["failures"] += sum(not piece.memory.outcome.success for piece in pieces)
        counted["cut"] += sum(piece.origin.is_cut for piece in pieces)
        self._note_renames(pieces)
        self._link(pieces, counted)
        self._replace_lost(pieces, counted)

    def _note_renames(self, works: Sequence[Work]) -> None:
        """Note the renames of commits of which a memory cannot name all files."""
        for work in works:
            if work.origin.renames:
                self._caller.project.store.memories.note_renames(work.memory.id, work.origin.renames)

    def _link(self, works: Sequence[Work], counted: Counter[str]) -> None:
        """Add every link that the new memories have with each other and with those that are here."""
        told = (self._ledger.references(work.origin.commit.sha) for work in works)
        references = dict.fromkeys(chain.from_iterable(told))
        ends = {end.memory_id for ref in references for end in (ref.source, ref.target)}
        known = existing_ids(self._caller.project, ends)
        fresh = {work.memory.id for work in works}
        links, now = self._caller.project.store.links, self._caller.project.now()
        for ref in references:
            source, target = ref.source.memory_id, ref.target.memory_id
            if source not in known or target not in known:
                continue
            created = links.add(Edge.of(source, target, ref.naming.link), now)
            counted["links"] += created
            if created and ref.naming is Naming.REVERTS:
                self._judge_anew(ref.source.sha, fresh, counted)
        if self._issues:
            closing = [(work.memory.id, number) for work in works for number in work.origin.closes]
            counted["links"] += tie_to_issues(self._caller.project, closing)

    def _judge_anew(self, sha: str, fresh: set[str], counted: Counter[str]) -> None:
        """What a commit undid has failed by now; and what that had undone holds again."""
        for entry in self._ledger.undone_through(sha):
            found = (
                [] if entry.memory_id in fresh else self._caller.project.store.memories.get([entry.memory_id])
            )
            for memory in found:
                undoing = self._ledger.undone.get(entry.sha)
                changed = replace(
                    memory, reverted_by=self._reversal(undoing), outcome=self._outcome(memory, undoing)
                )
                if changed != memory:
                    importance = max(memory.importance, TELLING)
                    renewed(self._caller, memory, replace(changed, importance=importance), by=CLIENT)
                    counted["updated"] += 1
                    counted["failures"] += not changed.outcome.success

    def _outcome(self, memory: Memory, undoing: Undoing | None) -> Outcome:
        """The outcome of a commit, as far as its history tells; what people said of a failure stands."""
        outcome, known = memory.outcome, memory.reverted_by
        if not outcome.success:
            if known is None or not has_failed_by(outcome, known):
                return outcome
            if undoing and known.commit == undoing.by.sha:
                return outcome
            outcome = restored(outcome)
        if not undoing:
            return outcome
        failed = msgspec.to_builtins(outcome) | failure(undoing)
        return msgspec.convert(self._caller.project.clean(failed), Outcome)

    def _replace_lost(self, works: Sequence[Work], counted: Counter[str]) -> None:
        """A commit that was written anew, as a rebase does, takes the place of what it was before."""
        for work in works:
            before = self._lost.get(written(work.memory), []) if work.memory.actions else []
            same = [one for one in before if one.intent.goal == work.memory.intent.goal]
            for old in (same or (before if len(before) == 1 else []))[:1]:
                before.remove(old)
                edge = Edge.of(work.memory.id, old.id, LinkType.SUPERSEDES)
                counted["rewritten"] += self._caller.project.store.links.add(edge, self._caller.project.now())


def _by_writing(memories: Iterable[Memory]) -> dict[Written, list[Memory]]:
    """Memories of commits by who wrote them and when."""
    found: dict[Written, list[Memory]] = {}
    for memory in memories:
        if memory.actions:
            found.setdefault(written(memory), []).append(memory)
    return found
