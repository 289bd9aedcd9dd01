"""Create a memory for each captured turn, or complete the memory that the agent stored in it."""

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

CAPTURE_AUTHOR = "capture"  # The author recorded when capture changes an existing memory
_MAX_ACTIONS = 200


class TurnOutcome(NamedTuple):
    """The outcome of a turn: `memory`, `completed`, `nothing` (`why` is the reason) or `forgotten`."""

    kind: str
    memory_id: str | None = None
    why: str = ""


TurnPiece = Piece[Turn]


class TurnSource(Source[Turn]):
    """Turns as a source of memories.

    `parents` maps each subagent's turn to the turn that started it; `outcomes` maps each turn to its outcome.
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

    def pieces(self) -> Iterator[TurnPiece | str]:
        """A memory for each turn, or the reason why there is none."""
        for turn in self._turns:
            yield self._piece(turn)

    def _piece(self, turn: Turn) -> TurnPiece | str:
        observed = observe_turn(turn)
        try:
            if observed.stored:
                return self._complete_stored(turn, observed)
            if observed.fields is None:
                return self._skip(turn, observed.skip_reason)
            agent = self._agent(turn)
            memory = self._memory(turn, observed, agent)
        except InvalidQuery as error:  # The captured events do not make a valid memory
            return self._skip(turn, f"cannot be stored: {error.message}")
        # It stays `forgotten` unless `link` or `update_existing` replaces this outcome.
        self.outcomes[turn.key] = TurnOutcome("forgotten", memory.id)
        return Piece(memory, agent.name or "", turn)

    def _skip(self, turn: Turn, why: str) -> str:
        self.outcomes[turn.key] = TurnOutcome("nothing", None, why)
        return why

    def _agent(self, turn: Turn) -> Agent:
        """The agent that did the work: the client's main agent, or a subagent of it."""
        caller, client = self._caller, turn.key.client
        # The name that the client uses over MCP, so that stored and captured memories have one author.
        client_name: str = module_of(client).MCP if client in CLIENTS else client
        with caller.store.transaction():
            main = caller.store.agents.last_main(client_name) or self._register(
                Agent(
                    id=new_id("agent"),
                    type=AgentType.MAIN,
                    project_id=caller.project.location.id,
                    created_at=int(turn.began),
                    last_active=int(turn.ended),
                    client=client_name,
                )
            )
            if not turn.key.agent:
                return main
            name = subagent_name(caller.project.label(turn.agent_type))
            agent_id = subagent_id(main.id, name)
            return caller.store.agents.get(agent_id) or self._register(
                Agent(
                    id=agent_id,
                    type=AgentType.SUBAGENT,
                    project_id=caller.project.location.id,
                    created_at=int(turn.began),
                    last_active=int(turn.ended),
                    parent_id=main.id,
                    name=f"{name}-{agent_id[-8:]}" if caller.store.agents.find_ids(name) else name,
                    client=client_name,
                )
            )

    def _register(self, agent: Agent) -> Agent:
        self._caller.store.agents.add(agent)
        return agent

    def _memory(self, turn: Turn, observed: TurnObservation, agent: Agent) -> Memory:
        caller = self._caller
        draft = parse_draft(caller.project.clean(observed.fields or {}))
        at = min(int(turn.ended), caller.project.now())
        checkout = _Checkout(caller, turn.cwd, is_live=not self._imported)
        actions = relative_actions(draft, at, checkout.relative)
        perception = relative_perception(draft.perception, checkout.relative)
        commit, branch = checkout.commit_and_branch()
        turn_commit = observed.commit
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
            files=collect_files(actions, perception, checkout.content_hash),
            commit=commit
            if commit and (turn_commit is None or commit.startswith(turn_commit))
            else turn_commit,
            branch=branch and caller.project.label(branch),
            origin=Origin(
                OriginKind.TRANSCRIPT if self._imported else OriginKind.TURN,
                caller.project.label(turn.key.turn),
            ),
        )

    def update_existing(self, old: Memory, piece: TurnPiece) -> str:
        """Add later events to the memory, unless it was edited by someone else."""
        new = piece.memory
        self.outcomes[piece.origin.key] = TurnOutcome("memory", old.id)
        if _has_same_content(old, new):
            return "unchanged"
        return update_imported(self._caller, old, new, by=CAPTURE_AUTHOR)

    def link(self, pieces: Sequence[TurnPiece], counts: Counter[str]) -> None:
        """Link the work of subagents to that of the agent that started them."""
        caller, now = self._caller, self._caller.project.now()
        for piece in pieces:
            self.outcomes[piece.origin.key] = TurnOutcome("memory", piece.memory.id)
        stored_keys = {piece.origin.key for piece in pieces}
        pairs = [
            (self._memory_id_of(parent), self._memory_id_of(child))
            for child, parent in self._parents.items()
            if child in stored_keys or parent in stored_keys
        ]
        known = existing_ids(caller.project, {one for pair in pairs for one in pair})
        for parent, child in pairs:
            if parent != child and parent in known and child in known:
                counts["links"] += caller.store.links.add(Edge.of(parent, child, LinkType.CAUSED_BY), now)

    def _memory_id_of(self, key: TurnKey) -> str:
        if key in self.outcomes:
            return self.outcomes[key].memory_id or ""
        known = self._caller.store.captured.turns(key)
        return next((turn.memory_id for turn in known if turn.memory_id), memory_id(key))

    def _complete_stored(self, turn: Turn, observed: TurnObservation) -> str:
        """Complete the memory that the agent stored of this work, instead of creating a second one."""
        caller, wanted = self._caller, observed.stored[-1]
        with caller.store.transaction():
            found = caller.store.memories.get([wanted])
            if not found:
                self.outcomes[turn.key] = TurnOutcome("forgotten", wanted)
                return "forgotten"
            memory = found[0]
            if observed.fields is not None:
                completed = self._complete(memory, self._memory(turn, observed, self._author(memory, turn)))
                if completed.content() != memory.content():
                    replace_memory(caller, memory, completed, by=CAPTURE_AUTHOR)
        self.outcomes[turn.key] = TurnOutcome("completed", wanted)
        return "stored by the agent"

    def _author(self, memory: Memory, turn: Turn) -> Agent:
        return self._caller.store.agents.get(memory.agent_id) or self._agent(turn)

    def _complete(self, stored: Memory, observed: Memory) -> Memory:
        """The stored memory, completed by the captured events."""
        stored_paths = {file.path for file in stored.files}
        actions = stored.actions or observed.actions
        if stored.actions:
            missing = [
                one
                for one in observed.actions
                if _changes_file(one) and one.details.file_path not in stored_paths
            ]
            actions = (*stored.actions, *missing[: max(0, _MAX_ACTIONS - len(stored.actions))])
        perception = stored.perception
        if not perception.relevant_files:
            perception = replace(perception, relevant_files=observed.perception.relevant_files)
        outcome = stored.outcome
        if outcome.verified_by is None and outcome.success == observed.outcome.success:
            outcome = replace(outcome, verified_by=observed.outcome.verified_by)
        files = (*stored.files, *(file for file in observed.files if file.path not in stored_paths))
        return replace(
            stored,
            actions=actions,
            perception=perception,
            outcome=outcome,
            files=tuple(sorted(files, key=lambda file: file.path)),
        )


class _Checkout:
    """The checkout in which a turn worked."""

    def __init__(self, caller: Caller, cwd: str, *, is_live: bool) -> None:
        self._cwd = cwd or caller.cwd
        cwd_exists = bool(cwd) and os.path.isabs(cwd) and os.path.isdir(cwd)
        self._root = (
            (find_root(cwd, caller.project.settings.home) if cwd_exists else None)
            or caller.project.location.root
            or cwd
        )
        self._is_live = is_live and cwd_exists

    def relative(self, path: str) -> str:
        """A path relative to the root of the checkout."""
        return relative_path(path, self._root or None, self._cwd)

    def content_hash(self, path: str) -> str | None:
        """Git's hash of the current content of a file; None for imported turns."""
        if not self._is_live or not self._root or os.path.isabs(path) or path.startswith(("~", "..")):
            return None
        return blob_id(os.path.join(self._root, path))

    def commit_and_branch(self) -> tuple[str | None, str | None]:
        """The current commit and branch of the checkout."""
        place = find_git(self._root) if self._is_live and self._root else None
        return head(place) if place else (None, None)


def _changes_file(action: Action) -> bool:
    return action.type in OPERATION_OF and action.type is not ActionType.FILE_READ


def _has_same_content(old: Memory, new: Memory) -> bool:
    names = ("intent", "outcome", "perception", "reasoning", "actions", "tags", "importance")
    return all(getattr(old, name) == getattr(new, name) for name in names)
