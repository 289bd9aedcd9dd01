"""Rum: one open project and everything that can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack

from rum.app.agents import identity
from rum.app.call_types import Briefed, Changes, Given, Identified, Nothing, Ran, Recalled, Running, Traced
from rum.app.calls import plain
from rum.app.error_origin import public
from rum.app.memories import recall as reading
from rum.app.memories import store as writing
from rum.app.watching import Watching
from rum.model.agents import Identity
from rum.model.answers import (
    ForgetResult,
    LinkResult,
    ListResult,
    RecallResult,
    RetrievedMemory,
    Tag,
    TraceResult,
    UpdateResult,
)
from rum.model.links import Links
from rum.model.memory import GivenAction, StoreResult, Version
from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning
from rum.model.parse import parse
from rum.model.questions import Depth

if TYPE_CHECKING:
    from rum.app.chapters.chapters import Chapters
    from rum.app.chapters.wisdom import WisdomKept
    from rum.app.journal.agent_journal import AgentJournal
    from rum.app.journal.journals import Journals
    from rum.app.layers.facts import Facts
    from rum.app.layers.layers import Layers
    from rum.app.layers.rules import Rules
    from rum.app.layers.stored import KeptLayers
    from rum.app.notes.notes import Notes
    from rum.app.runs.run import Run
    from rum.app.upkeep.tokens import TokensSpent
    from rum.model.brief import Brief
    from rum.model.chapter_answers import RefreshResult
    from rum.model.extraction import Extracted
    from rum.model.report import Report

# What answering never needs is loaded by the method that does: all of it together takes as long as the rest.


@public
class Rum(Watching):
    """The memory of one project.

    Use it as a context manager; calls from several threads take turns.
    """

    def store(
        self,
        *,
        intent: Intent | Given,
        outcome: Outcome | Given,
        perception: Perception | Given | None = None,
        reasoning: Reasoning | Given | None = None,
        actions: Sequence[Action | GivenAction | Given] = (),
        links: Links | Given | None = None,
        tags: Sequence[str] = (),
        importance: float | None = None,
        **unknown: Unpack[Nothing],
    ) -> StoreResult:
        """Keep a finished unit of work in five layers."""
        given = {"intent": intent, "outcome": outcome, "actions": actions, "tags": tags, **unknown}
        optional = {
            "perception": perception,
            "reasoning": reasoning,
            "links": links,
            "importance": importance,
        }
        given |= {name: layer for name, layer in optional.items() if layer is not None}
        return self._call("store", given, StoreResult)

    def update_memory(self, memory_id: str, **changes: Unpack[Changes]) -> UpdateResult:
        """Change only what is given: objects are merged, arrays replaced, None clears what is optional."""
        return self._call("update_memory", {"memory_id": memory_id, **changes}, UpdateResult)

    def recall(self, **question: Unpack[Recalled]) -> RecallResult:
        """The memories that answer a question; see RecallQuestion for what can be asked."""
        return self._call("recall", question, RecallResult)

    def show(self, memory_id: str, depth: Depth | str = Depth.COMPLETE) -> RetrievedMemory:
        """One memory by id, with its links."""
        return self._do(reading.show, memory_id, parse(depth, Depth, "depth"))

    def brief(self, **question: Unpack[Briefed]) -> Brief:
        """What is known and matters to a task or some files, as one block of text for a prompt."""
        from rum.model.brief import Brief  # noqa: PLC0415

        return self._call("brief", {**question, "explain": True}, Brief)

    def trace(self, memory_id: str, **question: Unpack[Traced]) -> TraceResult:
        """What led to a memory (`direction="causes"`), what it led to (`"effects"`), or both."""
        return self._call("trace", {"memory_id": memory_id, **question}, TraceResult)

    def list(
        self,
        *,
        session_id: str | None = None,
        since: float | None = None,
        before: float | None = None,
        limit: int = 20,
        sort: Literal["recent", "importance", "access_count"] = "recent",
    ) -> ListResult:
        """The calling agent's own memories; the owner sees everybody's."""
        asked = {"session_id": session_id, "since": since, "before": before, "limit": limit, "sort": sort}
        return self._call("list", asked, ListResult)

    def link(self, source_id: str, target_id: str, link_type: str) -> LinkResult:
        """Tie two memories together."""
        asked = {"source_id": source_id, "target_id": target_id, "link_type": link_type}
        return self._call("link", asked, LinkResult)

    def identity(
        self, action: Literal["register", "resume", "info"], **question: Unpack[Identified]
    ) -> Identity:
        """Register, resume or look up an agent."""
        return self._call("identity", {"action": action, **question}, Identity)

    @cached_property
    def notes(self) -> Notes:
        """Markdown files in the repository: what is known for people to read, too."""
        from rum.app.notes.notes import Notes  # noqa: PLC0415

        return Notes(self._caller)

    @cached_property
    def journals(self) -> Journals:
        """What agents note down while they work: all sessions of this checkout."""
        from rum.app.journal.journals import Journals  # noqa: PLC0415

        return Journals(self._caller)

    def journal(
        self, session: str | None = None, agent: str | None = None, *, task: str | None = None
    ) -> AgentJournal:
        """An agent's journal of a session; by default whoever acts, in the session that goes on."""
        return self.journals.of(session, agent, task)

    @cached_property
    def facts(self) -> Facts:
        """What is known: keys and values."""
        from rum.app.layers.facts import Facts  # noqa: PLC0415

        return Facts(self._caller)

    @cached_property
    def rules(self) -> Rules:
        """What to do when: conditions and actions."""
        from rum.app.layers.rules import Rules  # noqa: PLC0415

        return Rules(self._caller)

    @cached_property
    def chapters(self) -> Chapters:
        """Memories that tell one story, and what they say together."""
        from rum.app.chapters.chapters import Chapters  # noqa: PLC0415

        return public(Chapters)(self._caller)

    @cached_property
    def wisdom(self) -> WisdomKept:
        """What chapters say together: insights, patterns and practices, each with what it rests on."""
        from rum.app.chapters.wisdom import WisdomKept  # noqa: PLC0415

        return public(WisdomKept)(self._caller)

    def refresh(self, *ids: str, dry_run: bool = False) -> RefreshResult:
        """Renew the chapters and wisdom that are named, or else all that are stale; says what changed."""
        from rum.app.chapters import refresh as refreshing  # noqa: PLC0415

        return refreshing.refresh(self._caller, ids, dry_run=dry_run)

    @cached_property
    def layers(self) -> Layers:
        """Working, episodic, semantic and procedural memory as layers of entries."""
        from rum.app.layers.layers import Layers  # noqa: PLC0415

        return Layers(self.lasting)

    def lasting(self) -> KeptLayers:
        """Where the lasting layers lie; closing it closes this too."""
        from rum.app.layers.stored import KeptLayers  # noqa: PLC0415

        return KeptLayers(self._caller, self.close)

    def run(self, *, agent: str, task: str, **how: Unpack[Running]) -> Run:
        """One agent's work on one task, for a `with` block: prompt, steps and outcome keep themselves."""
        from rum.app.runs.run import Run  # noqa: PLC0415
        from rum.model.runs import RunQuestion  # noqa: PLC0415

        return Run(self._caller, parse(plain({**how, "agent": agent, "task": task}), RunQuestion, "run"))

    def extract(self, *, dry_run: bool = False, **run: Unpack[Ran]) -> Extracted:
        """What a finished run is worth: a note, facts and rules, checked and kept, or why there is none."""
        from rum.app.runs import extraction  # noqa: PLC0415

        return extraction.extract(self._caller, plain(run), dry_run=dry_run)

    def tokens(self) -> TokensSpent:
        """What language models have cost by day and project, and how much they may cost today."""
        from rum.app.upkeep import tokens  # noqa: PLC0415

        return self._look_after(tokens.spent)

    def report(self, *, since: float | None = None) -> Report:
        """The project's memory on one page: its figures, and as `text` Markdown."""
        from rum.app.upkeep import report  # noqa: PLC0415

        return self._do(report.report, since)

    def summary(self) -> dict[str, Any]:
        """The project in a few figures: what it is called, where it lies, who remembers how much."""
        return self._do(reading.summary)

    def tags(self) -> Sequence[Tag]:
        """Every tag with the number of its memories, the one used most first."""
        return self._do(reading.tags)

    def agents(self) -> Sequence[Identity]:
        """Every agent of the project, the one that was active last first."""
        with self._caller.turn():
            known = self._caller.project.store.agents.all()
            known.sort(key=lambda agent: (agent.last_active, agent.id), reverse=True)
            return [identity.describe(self._caller.project, agent, full=True) for agent in known]

    def forget(
        self, id: str, *, kind: str | None = None, dry_run: bool = False, purge: bool = False
    ) -> ForgetResult:
        """Delete whatever has an id, with its history; `purge` leaves no trace of it in the files."""
        asked = {"id": id, "kind": kind, "dry_run": dry_run, "purge": purge}
        return self._call("forget", asked, ForgetResult)

    def purge(self) -> bool:
        """Make what was forgotten unrecoverable; False when another process is in the way."""
        from rum.app.memories import forget as forgetting  # noqa: PLC0415

        return bool(self._do(forgetting.purge)["purged"])

    def history(self, memory_id: str) -> Sequence[Version]:
        """Every version of a memory, oldest first."""
        return self._do(writing.history, memory_id)

    def restore(self, memory_id: str, version: int) -> UpdateResult:
        """Make an earlier version the newest one."""
        return self._do(writing.restore, memory_id, version)
