"""Turns as memories: each with its agent, its links, and what the agent stored itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import asdict, replace

from rum.app.caller import Caller
from rum.app.imports.batch import Piece, existing_ids
from rum.app.memories.store import renewed
from rum.capture.clients.detect import CLIENTS, module_of
from rum.capture.memory_files import collect_files, relative_actions, relative_perception
from rum.capture.observe.turn_memory import TurnObservation, observe_turn
from rum.capture.observe.turns import Turn, memory_id, subagent_id, subagent_name
from rum.model.agents import Agent, AgentType
from rum.model.errors import InvalidQuery
from rum.model.ids import new_id
from rum.model.links import Edge, LinkType
from rum.model.memory import OPERATION_OF, Memory, Origin, OriginKind, drafted
from rum.model.memory_layers import Action, ActionType
from rum.repo.files import blob_id, relative_path
from rum.repo.git import find_git, head
from rum.repo.location import find_root
from rum.store.captured_events import TurnKey

BY = "capture"
"""Who changes a memory of which more was seen."""
_MOST_ACTIONS = 200


class TurnOutcome(NamedTuple):
    """What became of a turn: `memory`, `completed`, `nothing` or `forgotten`; and why nothing."""

    what: str
    memory_id: str | None = None
    why: str = ""


Work = Piece[Turn]


class TurnSource:
    """Turns as a source of memories.

    `parents` has the turn that each subagent's turn belongs to; what became of each turn is in `became`.
    """

    client = ""

    def __init__(
        self, caller: Caller, turns: Sequence[Turn], parents: Mapping[TurnKey, TurnKey], *, imported: bool
    ) -> None:
        self.total = len(turns)
        self.became: dict[TurnKey, TurnOutcome] = {}
        self._caller = caller
        self._turns = turns
        self._parents = parents
        self._imported = imported

    def pieces(self) -> Iterator[Work | str]:
        """Each turn as the memory that it makes, or why it makes none."""
        for turn in self._turns:
            yield self._piece(turn)

    def _piece(self, turn: Turn) -> Work | str:
        seen = observe_turn(turn)
        try:
            if seen.stored:
                return self._stored_itself(turn, seen)
            if seen.fields is None:
                return self._nothing(turn, seen.why_not)
            agent = self._agent(turn)
            memory = self._memory(turn, seen, agent)
        except InvalidQuery as error:  # what was seen holds what no memory may
            return self._nothing(turn, f"cannot be stored: {error.message}")
        self.became[turn.key] = TurnOutcome("forgotten", memory.id)
        return Piece(memory, agent.name or "", turn)

    def _nothing(self, turn: Turn, why: str) -> str:
        self.became[turn.key] = TurnOutcome("nothing", None, why)
        return why

    def _agent(self, turn: Turn) -> Agent:
        """Whose work it was: the client's main agent, or a subagent of it."""
        caller, client = self._caller, turn.key.client
        # As which the client speaks MCP, so that what it stores and what is seen of it have one author.
        known_as: str = module_of(client).MCP if client in CLIENTS else client
        with caller.project.store.transaction():
            main = caller.project.store.agents.last_main(known_as) or self._registered(
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
            return caller.project.store.agents.get(own) or self._registered(
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

    def _registered(self, agent: Agent) -> Agent:
        self._caller.project.store.agents.add(agent)
        return agent

    def _memory(self, turn: Turn, seen: TurnObservation, agent: Agent) -> Memory:
        caller = self._caller
        draft = drafted(caller.project.clean(seen.fields or {}))
        at = min(int(turn.ended), caller.project.now())
        place = _Place(caller, turn.cwd, live=not self._imported)
        actions = relative_actions(draft, at, place.relative)
        perception = relative_perception(draft.perception, place.relative)
        commit, branch = place.commit_and_branch()
        made = seen.commit
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
        """More may have been seen since; what anybody else changed stays as it is."""
        new = piece.memory
        self.became[piece.origin.key] = TurnOutcome("memory", old.id)
        if _same(old, new):
            return "unchanged"
        versions = self._caller.project.store.history.of("memory", old.id)
        if versions and versions[-1].changed_by != BY:
            return "different"
        renewed(self._caller, old, replace(old, **asdict(new.content())), by=BY)
        return "updated"

    def link(self, pieces: Sequence[Work], counted: Counter[str]) -> None:
        """Link the work of subagents with that of the agent that set it off."""
        caller, now = self._caller, self._caller.project.now()
        for piece in pieces:
            self.became[piece.origin.key] = TurnOutcome("memory", piece.memory.id)
        fresh = {piece.origin.key for piece in pieces}
        pairs = [
            (self._memory_of(parent), self._memory_of(child))
            for child, parent in self._parents.items()
            if child in fresh or parent in fresh
        ]
        known = existing_ids(caller.project, {one for pair in pairs for one in pair})
        for parent, child in pairs:
            if parent != child and parent in known and child in known:
                counted["links"] += caller.project.store.links.add(
                    Edge.of(parent, child, LinkType.CAUSED_BY), now
                )

    def _memory_of(self, key: TurnKey) -> str:
        if key in self.became:
            return self.became[key].memory_id or ""
        known = self._caller.project.store.captured.turns(key)
        return next((turn.memory_id for turn in known if turn.memory_id), memory_id(key))

    def _stored_itself(self, turn: Turn, seen: TurnObservation) -> str:
        """The agent stored a memory of this work; that one is completed, and no second one is made."""
        caller, wanted = self._caller, seen.stored[-1]
        with caller.project.store.transaction():
            found = caller.project.store.memories.get([wanted])
            if not found:
                self.became[turn.key] = TurnOutcome("forgotten", wanted)
                return "forgotten"
            memory = found[0]
            if seen.fields is not None:
                whole = self._completed(memory, self._memory(turn, seen, self._author(memory, turn)))
                if whole.content() != memory.content():
                    renewed(caller, memory, whole, by=BY)
        self.became[turn.key] = TurnOutcome("completed", wanted)
        return "stored by the agent"

    def _author(self, memory: Memory, turn: Turn) -> Agent:
        return self._caller.project.store.agents.get(memory.agent_id) or self._agent(turn)

    def _completed(self, told: Memory, seen: Memory) -> Memory:
        """What the agent told, with what it left out and was seen."""
        named = {file.path for file in told.files}
        actions = told.actions or seen.actions
        if told.actions:
            missing = [one for one in seen.actions if _changes(one) and one.details.file_path not in named]
            actions = (*told.actions, *missing[: max(0, _MOST_ACTIONS - len(told.actions))])
        perception = told.perception
        if not perception.relevant_files:
            perception = replace(perception, relevant_files=seen.perception.relevant_files)
        outcome = told.outcome
        if outcome.verified_by is None and outcome.success == seen.outcome.success:
            outcome = replace(outcome, verified_by=seen.outcome.verified_by)
        files = (*told.files, *(file for file in seen.files if file.path not in named))
        return replace(
            told,
            actions=actions,
            perception=perception,
            outcome=outcome,
            files=tuple(sorted(files, key=lambda file: file.path)),
        )


class _Place:
    """The checkout in which a turn was at work."""

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
        """Git's id of what a file holds now; of work long ago nobody knows."""
        if not self._live or not self._root or os.path.isabs(path) or path.startswith(("~", "..")):
            return None
        return blob_id(os.path.join(self._root, path))

    def commit_and_branch(self) -> tuple[str | None, str | None]:
        """Where the checkout stands."""
        place = find_git(self._root) if self._live and self._root else None
        return head(place) if place else (None, None)


def _changes(action: Action) -> bool:
    return action.type in OPERATION_OF and action.type is not ActionType.FILE_READ


def _same(old: Memory, new: Memory) -> bool:
    names = ("intent", "outcome", "perception", "reasoning", "actions", "tags", "importance")
    return all(getattr(old, name) == getattr(new, name) for name in names)
