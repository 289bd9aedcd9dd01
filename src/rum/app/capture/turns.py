"""Turns as memories: each with its agent, its links, and what the agent stored itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.imports.batch import Piece, Source, existing_ids, update_imported
from rum.app.memories.store import replace_memory
from rum.capture.clients.detect import CLIENTS, module_of
from rum.capture.memory_files import collect_files, relative_actions, relative_perception
from rum.capture.observe.turn_memory import TurnObservation, observe_turn
from rum.capture.observe.turns import Turn, memory_id, subagent_id, subagent_name
from rum.model.agents import Agent, AgentType
from rum.model.errors import InvalidQuery
from rum.model.ids import new_id
from rum.model.links import Edge, LinkType
from rum.model.memory import OPERATION_OF, Memory, Origin, OriginKind, parse_draft
from rum.model.memory_layers import Action, ActionType
from rum.repo.files import blob_id, relative_path
from rum.repo.git import find_git, head
from rum.repo.location import find_root
from rum.store.captured_events import TurnKey

BY = "capture"  # The author of changes to a memory after more of its turn was captured
_MOST_ACTIONS = 200


class TurnOutcome(NamedTuple):
    """The outcome of a turn: `memory`, `completed`, `nothing` or `forgotten`; and why nothing."""

    what: str
    memory_id: str | None = None
    why: str = ""


Work = Piece[Turn]


class TurnSource(Source[Turn]):
    """Turns as a source of memories.

    `parents` has the turn that each subagent's turn belongs to; the outcome of each turn is in `outcomes`.
    """

    client = ""

    def __init__(
        self, caller: Caller, turns: Sequence[Turn], parents: Mapping[TurnKey, TurnKey], *, imported: bool
    ) -> None:
        super().__init__(caller, len(turns))
        self.outcomes: dict[TurnKey, TurnOutcome] = {}
        self._turns = turns
        self._parents = parents
        self._imported = imported

    def pieces(self) -> Iterator[Work | str]:
        """Each turn as a memory, or why it becomes none."""
        for turn in self._turns:
            yield self._piece(turn)

    def _piece(self, turn: Turn) -> Work | str:
        observed = observe_turn(turn)
        try:
            if observed.stored:
                return self._complete_stored(turn, observed)
            if observed.fields is None:
                return self._skip(turn, observed.why_not)
            agent = self._agent(turn)
            memory = self._memory(turn, observed, agent)
        except InvalidQuery as error:  # The captured events contain what a memory must not contain
            return self._skip(turn, f"cannot be stored: {error.message}")
        self.outcomes[turn.key] = TurnOutcome("forgotten", memory.id)
        return Piece(memory, agent.name or "", turn)

    def _skip(self, turn: Turn, why: str) -> str:
        self.outcomes[turn.key] = TurnOutcome("nothing", None, why)
        return why

    def _agent(self, turn: Turn) -> Agent:
        """The agent that did the work: the client's main agent, or a subagent of it."""
        caller, client = self._caller, turn.key.client
        # The name that the client uses over MCP, so that stored and captured memories have one author.
        known_as: str = module_of(client).MCP if client in CLIENTS else client
        with caller.project.store.transaction():
            main = caller.project.store.agents.last_main(known_as) or self._register(
                Agent(
                    id=new_id("agent"),
                    type=AgentType.MAIN,
                    project_id=caller.project.location.id,
                    created_at=int(turn.began),
                    last_active=int(turn.ended),
                    client=known_as,
                )
            )
            if not turn.key.agent:
                return main
            name = subagent_name(caller.project.label(turn.agent_type))
            own = subagent_id(main.id, name)
            return caller.project.store.agents.get(own) or self._register(
                Agent(
                    id=own,
                    type=AgentType.SUBAGENT,
                    project_id=caller.project.location.id,
                    created_at=int(turn.began),
                    last_active=int(turn.ended),
                    parent_id=main.id,
                    name=f"{name}-{own[-8:]}" if caller.project.store.agents.find_ids(name) else name,
                    client=known_as,
                )
            )

    def _register(self, agent: Agent) -> Agent:
        self._caller.project.store.agents.add(agent)
        return agent

    def _memory(self, turn: Turn, observed: TurnObservation, agent: Agent) -> Memory:
        caller = self._caller
        draft = parse_draft(caller.project.clean(observed.fields or {}))
        at = min(int(turn.ended), caller.project.now())
        place = _Place(caller, turn.cwd, live=not self._imported)
        actions = relative_actions(draft, at, place.relative)
        perception = relative_perception(draft.perception, place.relative)
        commit, branch = place.commit_and_branch()
        made = observed.commit
        return Memory(
            id=memory_id(turn.key),
            agent_id=agent.id,
            project_id=caller.project.location.id,
            session_id=caller.project.label(turn.key.session),
            created_at=at,
            imported_at=caller.project.now() if self._imported else None,
            intent=draft.intent,
            outcome=draft.outcome,
            reasoning=draft.reasoning,
            perception=perception,
            actions=actions,
            tags=tuple(dict.fromkeys(draft.tags)),
            importance=draft.importance,
            files=collect_files(actions, perception, place.content_hash),
            commit=commit if commit and (made is None or commit.startswith(made)) else made,
            branch=branch and caller.project.label(branch),
            origin=Origin(
                OriginKind.TRANSCRIPT if self._imported else OriginKind.TURN,
                caller.project.label(turn.key.turn),
            ),
        )

    def update_existing(self, old: Memory, piece: Work) -> str:
        """Add later events to the memory, unless anyone else changed it."""
        new = piece.memory
        self.outcomes[piece.origin.key] = TurnOutcome("memory", old.id)
        if _is_same(old, new):
            return "unchanged"
        return update_imported(self._caller, old, new, by=BY)

    def link(self, pieces: Sequence[Work], counts: Counter[str]) -> None:
        """Link the work of subagents to that of the agent that started them."""
        caller, now = self._caller, self._caller.project.now()
        for piece in pieces:
            self.outcomes[piece.origin.key] = TurnOutcome("memory", piece.memory.id)
        fresh = {piece.origin.key for piece in pieces}
        pairs = [
            (self._memory_of(parent), self._memory_of(child))
            for child, parent in self._parents.items()
            if child in fresh or parent in fresh
        ]
        known = existing_ids(caller.project, {one for pair in pairs for one in pair})
        for parent, child in pairs:
            if parent != child and parent in known and child in known:
                counts["links"] += caller.project.store.links.add(
                    Edge.of(parent, child, LinkType.CAUSED_BY), now
                )

    def _memory_of(self, key: TurnKey) -> str:
        if key in self.outcomes:
            return self.outcomes[key].memory_id or ""
        known = self._caller.project.store.captured.turns(key)
        return next((turn.memory_id for turn in known if turn.memory_id), memory_id(key))

    def _complete_stored(self, turn: Turn, observed: TurnObservation) -> str:
        """Complete the memory that the agent stored of this work, instead of creating a second one."""
        caller, wanted = self._caller, observed.stored[-1]
        with caller.project.store.transaction():
            found = caller.project.store.memories.get([wanted])
            if not found:
                self.outcomes[turn.key] = TurnOutcome("forgotten", wanted)
                return "forgotten"
            memory = found[0]
            if observed.fields is not None:
                whole = self._complete(memory, self._memory(turn, observed, self._author(memory, turn)))
                if whole.content() != memory.content():
                    replace_memory(caller, memory, whole, by=BY)
        self.outcomes[turn.key] = TurnOutcome("completed", wanted)
        return "stored by the agent"

    def _author(self, memory: Memory, turn: Turn) -> Agent:
        return self._caller.project.store.agents.get(memory.agent_id) or self._agent(turn)

    def _complete(self, stored: Memory, observed: Memory) -> Memory:
        """The stored memory, completed by the captured events."""
        named = {file.path for file in stored.files}
        actions = stored.actions or observed.actions
        if stored.actions:
            missing = [
                one for one in observed.actions if _changes_file(one) and one.details.file_path not in named
            ]
            actions = (*stored.actions, *missing[: max(0, _MOST_ACTIONS - len(stored.actions))])
        perception = stored.perception
        if not perception.relevant_files:
            perception = replace(perception, relevant_files=observed.perception.relevant_files)
        outcome = stored.outcome
        if outcome.verified_by is None and outcome.success == observed.outcome.success:
            outcome = replace(outcome, verified_by=observed.outcome.verified_by)
        files = (*stored.files, *(file for file in observed.files if file.path not in named))
        return replace(
            stored,
            actions=actions,
            perception=perception,
            outcome=outcome,
            files=tuple(sorted(files, key=lambda file: file.path)),
        )


class _Place:
    """The checkout in which a turn worked."""

    def __init__(self, caller: Caller, cwd: str, *, live: bool) -> None:
        self._cwd = cwd or caller.cwd
        there = bool(cwd) and os.path.isabs(cwd) and os.path.isdir(cwd)
        self._root = (
            (find_root(cwd, caller.project.settings.home) if there else None)
            or caller.project.location.root
            or cwd
        )
        self._live = live and there

    def relative(self, path: str) -> str:
        """A path as the project knows it."""
        return relative_path(path, self._root or None, self._cwd)

    def content_hash(self, path: str) -> str | None:
        """Git's hash of the current content of a file; unknown for work long ago."""
        if not self._live or not self._root or os.path.isabs(path) or path.startswith(("~", "..")):
            return None
        return blob_id(os.path.join(self._root, path))

    def commit_and_branch(self) -> tuple[str | None, str | None]:
        """The current commit and branch of the checkout."""
        place = find_git(self._root) if self._live and self._root else None
        return head(place) if place else (None, None)


def _changes_file(action: Action) -> bool:
    return action.type in OPERATION_OF and action.type is not ActionType.FILE_READ


def _is_same(old: Memory, new: Memory) -> bool:
    names = ("intent", "outcome", "perception", "reasoning", "actions", "tags", "importance")
    return all(getattr(old, name) == getattr(new, name) for name in names)
