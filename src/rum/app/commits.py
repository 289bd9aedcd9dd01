"""Commits into the store, a batch at a time: each with its author, its links, and what it undid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from rum.app.context import Context
from rum.app.imported import add_author, here, unforgotten
from rum.app.issues import any_issues, tie_to_issues
from rum.app.writing import renewed
from rum.capture.history.actions import FILES, path_of
from rum.capture.history.ledger import Ledger
from rum.capture.history.mentions import Naming
from rum.capture.history.message import parted
from rum.capture.history.names import author_id, author_name, session_of
from rum.capture.history.noise import Noise, noise_by_change
from rum.capture.history.record import TELLING, failure, restored, said_of
from rum.capture.record import tied_files
from rum.model.layers import Outcome
from rum.model.links import Edge, LinkType
from rum.model.memory import Content, Memory
from rum.repo.history import Commit
from rum.repo.patch import Change

CLIENT = "git"
"""What imported authors have as their client."""


class Work(NamedTuple):
    """A commit that is about to be kept."""

    commit: Commit
    author: str
    memory: Memory
    closes: tuple[str, ...]


class Commits:
    """Takes commits in; `tally` counts what became of them, `skipped` why some were left out."""

    def __init__(self, context: Context, ledger: Ledger, lost: Iterable[Memory]) -> None:
        self._context = context
        self._ledger = ledger
        self._issues = any_issues(context)
        self.tally: Counter[str] = Counter()
        self.skipped: Counter[Noise] = Counter()
        self._lost: dict[tuple[str, int], list[Memory]] = {}
        for memory in lost:
            if memory.actions:
                key = (memory.agent_id, memory.actions[0].timestamp)
                self._lost.setdefault(key, []).append(memory)

    def take(self, batch: Sequence[tuple[Commit, list[Change]]]) -> None:
        """Keep a batch; all that takes long is done before the store is locked."""
        works = [work for commit, changes in batch if (work := self._work(commit, changes))]
        counted = Counter[str]()
        with self._context.store.transaction():
            kept = self._unknown(works, counted)
            self._add_authors(kept)
            for work in kept:
                self._context.store.memories.add(work.memory)
                counted["failures"] += not work.memory.outcome.success
            counted["added"] += len(kept)
            self._tie(kept, counted)
            self._replace_lost(kept, counted)
        self.tally += counted

    def _work(self, commit: Commit, changes: list[Change]) -> Work | None:
        message = parted(commit.message)
        undoing = self._ledger.undone.get(commit.sha)
        paths = [change.path for change in changes]
        noise = None if undoing else noise_by_change(message.subject, message.body, paths)
        if noise:
            self.skipped[noise] += 1
            return None
        self.tally["cut"] += len(changes) > FILES
        undoes = any(
            one.naming is Naming.REVERTS and one.source.sha == commit.sha
            for one in self._ledger.references(commit.sha)
        )
        said = self._context.clean(said_of(commit, message, changes, undoing, undoes=undoes))
        author = self._context.label(author_name(commit.author))
        return Work(
            commit,
            author,
            self._memory(commit, changes, author, msgspec.convert(said, Content)),
            message.closes,
        )

    def _memory(self, commit: Commit, changes: list[Change], author: str, content: Content) -> Memory:
        blobs = {path_of(change.path): change.blob for change in changes}
        agent, now = author_id(author), self._context.now()
        return Memory(
            id=self._ledger.entries[commit.sha].memory_id,
            agent_id=agent,
            project_id=self._context.project.id,
            session_id=session_of(agent, commit.at),
            # Clocks lie; a memory from tomorrow would be the freshest for ever.
            created_at=min(commit.at, now),
            imported_at=now,
            intent=content.intent,
            outcome=content.outcome,
            actions=content.actions,
            tags=content.tags,
            importance=content.importance,
            files=tied_files(content.actions, content.perception, blobs.get),
            commit=commit.sha,
        )

    def _unknown(self, works: list[Work], counted: Counter[str]) -> list[Work]:
        """Those that are neither here nor forgotten; others may have imported the same meanwhile."""
        known = here(self._context, [work.memory.id for work in works])
        counted["unchanged"] += len(known)
        new = [work for work in works if work.memory.id not in known]
        kept = unforgotten(self._context, [work.memory for work in new], counted)
        return [work for work in new if work.memory.id in kept]

    def _add_authors(self, works: list[Work]) -> None:
        first = {work.memory.agent_id: work for work in reversed(works)}
        for agent_id, work in first.items():
            add_author(self._context, agent_id, work.author, work.memory.created_at, CLIENT)
        latest = {work.memory.agent_id: work.memory.created_at for work in works}
        for agent_id, at in latest.items():
            self._context.store.agents.touch(agent_id, at)

    def _tie(self, works: list[Work], counted: Counter[str]) -> None:
        """Add every link that the new memories have with each other and with those that are here."""
        references = {ref: None for work in works for ref in self._ledger.references(work.commit.sha)}
        ends = {end.memory_id for ref in references for end in (ref.source, ref.target)}
        known = here(self._context, ends)
        fresh = {work.memory.id for work in works}
        links, now = self._context.store.links, self._context.now()
        for ref in references:
            source, target = ref.source.memory_id, ref.target.memory_id
            if source not in known or target not in known:
                continue
            created = links.add(Edge.of(source, target, ref.naming.link), now)
            counted["links"] += created
            if created and ref.naming is Naming.REVERTS:
                self._judge_anew(ref.source.sha, fresh, counted)
        if self._issues:
            closing = [(work.memory.id, number) for work in works for number in work.closes]
            counted["links"] += tie_to_issues(self._context, closing)

    def _judge_anew(self, sha: str, fresh: set[str], counted: Counter[str]) -> None:
        """What a commit undid has failed by now; and what that had undone holds again."""
        for entry in self._ledger.undone_through(sha):
            found = [] if entry.memory_id in fresh else self._context.store.memories.get([entry.memory_id])
            for memory in found:
                outcome = self._outcome(memory, entry.sha)
                if outcome != memory.outcome:
                    importance = max(memory.importance, TELLING)
                    changed = replace(memory, outcome=outcome, importance=importance)
                    renewed(self._context, memory, changed, by=CLIENT)
                    counted["updated"] += 1
                    counted["failures"] += not outcome.success

    def _outcome(self, memory: Memory, sha: str) -> Outcome:
        undoing = self._ledger.undone.get(sha)
        if undoing and memory.outcome.success:
            told = msgspec.to_builtins(memory.outcome) | failure(memory.outcome.summary, undoing)
            return msgspec.convert(self._context.clean(told), Outcome)
        if not undoing and not memory.outcome.success:
            return restored(memory.outcome)
        return memory.outcome

    def _replace_lost(self, works: list[Work], counted: Counter[str]) -> None:
        """A commit that was written anew, as a rebase does, takes the place of what it was before."""
        for work in works:
            key = (work.memory.agent_id, work.commit.authored_at)
            before = self._lost.get(key, [])
            same = [one for one in before if one.intent.goal == work.memory.intent.goal]
            for old in (same or (before if len(before) == 1 else []))[:1]:
                before.remove(old)
                edge = Edge.of(work.memory.id, old.id, LinkType.SUPERSEDES)
                counted["rewritten"] += self._context.store.links.add(edge, self._context.now())
