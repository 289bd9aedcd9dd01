"""Create a memory for each captured turn, or complete the memory that the agent stored in it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.capture.stories import CAPTURE_AUTHOR, StoryLinks
from rum.app.freshness.anchors import anchor_changes, anchor_memory
from rum.app.imports.batch import Piece, Source, existing_ids, update_imported
from rum.app.memories.store import replace_memory, with_content
from rum.app.review import pending
from rum.app.review.pending import PendingMemory
from rum.capture.clients.detect import CLIENTS, module_of
from rum.capture.observe.goals import resumes_named_work
from rum.capture.observe.turn_memory import TurnObservation, observe_turn
from rum.capture.observe.turns import Turn, memory_id, subagent_id, subagent_name
from rum.model.agents import Agent, AgentType
from rum.model.errors import InvalidQuery
from rum.model.ids import new_id
from rum.model.memory import OPERATION_OF, Edge, LinkType, Memory, Origin, OriginKind, parse_draft
from rum.model.memory_layers import ActionType
from rum.repo.anchors.checkout import Checkout
from rum.repo.files import BLOB_LIMIT, blob_id, relative_path
from rum.repo.git import find_git, head
from rum.repo.location import find_root
from rum.settings.home import read_bounded
from rum.store.captured_events import TurnKey

_MAX_ACTIONS = 200


class TurnOutcome(NamedTuple):
    """The outcome of a turn: `memory`, `pending`, `completed`, `nothing` (see `why`) or `forgotten`."""

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
        self._stories = StoryLinks(caller)
        self._resumed: dict[TurnKey, str] = {}  # The memory of another session that a turn goes on with

    def pieces(self) -> Iterator[TurnPiece | str]:
        """A memory for each turn, or the reason why there is none."""
        for turn in self._turns:
            yield self._piece(turn)

    def _piece(self, turn: Turn) -> TurnPiece | str:
        resumed = self._stories.resumed_by(turn)
        if resumed is not None:
            turn = turn._replace(earlier=resumed.intent.goal)
            if resumes_named_work(turn.prompt):
                turn = turn._replace(task=resumed.intent.goal, then=(turn.prompt, *turn.then))
            self._resumed[turn.key] = resumed.id
        observed = observe_turn(turn, _Checkout(self._caller, turn.cwd, is_live=not self._imported).text)
        try:
            if resumed is not None and self._stories.record(resumed, turn, observed):
                self._set_outcome(turn, "completed", resumed.id)
                return "part of earlier work"
            if observed.stored:
                return self._complete_stored(turn, observed)
            if observed.fields is None:
                self._set_outcome(turn, "nothing", None, observed.skip_reason)
                return observed.skip_reason
            agent = self.agent_of(turn)
            memory = self._memory(turn, observed, agent)
        except InvalidQuery as error:  # The captured events do not make a valid memory
            why = f"cannot be stored: {error.message}"
            self._set_outcome(turn, "nothing", None, why)
            return why
        # It stays `forgotten` unless `hold`, `link` or `update_existing` replaces this outcome.
        self._set_outcome(turn, "forgotten", memory.id)
        return Piece(memory, agent.name or "", turn)

    def _set_outcome(self, turn: Turn, kind: str, memory_id: str | None, why: str = "") -> None:
        for key in (turn.key, *turn.members):
            self.outcomes[key] = TurnOutcome(kind, memory_id, why)

    def agent_of(self, turn: Turn) -> Agent:
        """The agent that did the work: the client's main agent, or a subagent of it."""
        caller, client = self._caller, turn.key.client
        agents = caller.store.agents
        # The name that the client uses over MCP, so that stored and captured memories have one author.
        client_name: str = module_of(client).MCP if client in CLIENTS else client
        new = Agent(
            id=new_id("agent"),
            type=AgentType.MAIN,
            project_id=caller.project.location.id,
            created_at=int(turn.began),
            last_active=int(turn.ended),
            client=client_name,
        )
        with caller.store.transaction():
            main = agents.last_main(client_name)
            if main is None:
                agents.add(main := new)
            if not turn.key.agent:
                return main
            name = subagent_name(caller.project.label(turn.agent_type))
            agent_id = subagent_id(main.id, name)
            known = agents.get(agent_id)
            if known is None:
                free = f"{name}-{agent_id[-8:]}" if agents.find_ids(name) else name
                kind = AgentType.SUBAGENT
                agents.add(known := replace(new, id=agent_id, type=kind, parent_id=main.id, name=free))
            return known

    def _memory(self, turn: Turn, observed: TurnObservation, agent: Agent) -> Memory:
        project, turn_commit = self._caller.project, observed.commit
        draft = parse_draft(project.clean(observed.fields or {}))
        at = min(int(turn.ended), project.now())
        checkout = _Checkout(self._caller, turn.cwd, is_live=not self._imported)
        commit, branch = checkout.commit_and_branch()
        if commit is None or (turn_commit is not None and not commit.startswith(turn_commit)):
            commit = turn_commit
        kind = OriginKind.TRANSCRIPT if self._imported else OriginKind.TURN
        memory = Memory(
            id=memory_id(turn.key),
            agent_id=agent.id,
            project_id=project.location.id,
            session_id=project.label(turn.key.session),
            created_at=at,
            imported_at=project.now() if self._imported else None,
            intent=draft.intent,
            outcome=draft.outcome,
            commit=commit,
            branch=branch and project.label(branch),
            origin=Origin(kind, project.label(turn.key.turn)),
        )
        return with_content(memory, draft, at, checkout.relative, checkout.content_hash)

    def update_existing(self, old: Memory, piece: TurnPiece) -> str:
        """Add later events to the memory, unless it was edited by someone else."""
        self._set_outcome(piece.origin, "memory", old.id)
        names = ("intent", "outcome", "perception", "reasoning", "actions", "tags", "importance")
        if all(getattr(old, name) == getattr(piece.memory, name) for name in names):
            return "unchanged"
        if pending.is_on(self._caller.project):
            return self._propose_change(old, piece)
        result = update_imported(self._caller, old, piece.memory, by=CAPTURE_AUTHOR)
        if result == "updated":
            self._anchor(piece)
        self._link_story(old.id, piece.origin)
        return result

    def _anchor(self, piece: TurnPiece) -> None:
        """Tie the memory to the code as it is now, at the end of its turn."""
        checkout = _Checkout(self._caller, piece.origin.cwd, is_live=not self._imported).work_tree()
        if checkout is not None:
            anchor_memory(self._caller.project, piece.memory, checkout)

    def _propose_change(self, old: Memory, piece: TurnPiece) -> str:
        """Propose later events of a turn as a change of its memory, which stays as it is until then."""
        versions = self._caller.store.history.of("memory", [old.id])[old.id]
        if versions and versions[-1].changed_by != CAPTURE_AUTHOR:
            return "different"
        proposal = self._proposal(piece)
        marked = replace(proposal.memory, reverted_by=old.reverted_by)
        proposal = replace(proposal, memory=marked)
        result = pending.propose_memory(self._caller.project, proposal, is_update=True)
        return "pending" if result == "pending" else "unchanged"

    def hold(self, pieces: Sequence[TurnPiece], counts: Counter[str]) -> Sequence[TurnPiece]:
        """Propose what is to be reviewed first; what is pending already is replaced, whatever the setting."""
        project, rest = self._caller.project, list[TurnPiece]()
        for piece in pieces:
            one = piece.memory.id
            if not pending.is_on(project) and not pending.find(project, "memory", one):
                rest.append(piece)
                continue
            result = pending.propose_memory(project, self._proposal(piece))
            counts[result] += 1
            if result != "forgotten":
                self._set_outcome(piece.origin, "pending", one)
        return rest

    def _proposal(self, piece: TurnPiece) -> PendingMemory:
        turn = piece.origin
        edges = (
            Edge.of(self._memory_id_of(parent), self._memory_id_of(child), LinkType.CAUSED_BY)
            for child, parent in self._parents.items()
            if turn.key in (child, parent)
        )
        return PendingMemory(
            memory=piece.memory,
            prompt=None if turn.key.agent else turn.prompt,
            resumed=self._resumed.get(turn.key),
            links=[edge for edge in edges if edge.source_id != edge.target_id and all(edge)],
        )

    def link(self, pieces: Sequence[TurnPiece], counts: Counter[str]) -> None:
        """Link work to what it continues, and that of subagents to the agent that started them."""
        caller, now = self._caller, self._caller.project.now()
        for piece in pieces:
            self._set_outcome(piece.origin, "memory", piece.memory.id)
            self._anchor(piece)
            counts["links"] += self._link_story(piece.memory.id, piece.origin)
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

    def _link_story(self, memory_id: str, turn: Turn) -> int:
        if turn.key.agent:
            return 0
        checkout = _Checkout(self._caller, turn.cwd, is_live=not self._imported)
        resumed = self._resumed.get(turn.key)
        return self._stories.link(memory_id, turn.prompt, resumed, turn.cwd, checkout.text)

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
                self._set_outcome(turn, "forgotten", wanted)
                return "forgotten"
            memory = found[0]
            if observed.fields is not None:
                author = caller.store.agents.get(memory.agent_id) or self.agent_of(turn)
                completed = _complete(memory, self._memory(turn, observed, author))
                if completed.content() != memory.content():
                    replace_memory(caller, memory, completed, by=CAPTURE_AUTHOR)
                    anchor_changes(caller.project, memory, completed)
            # The turn may have gone on after a memory was made of it; the agent's own words replace that one.
            pending.withdraw(caller.project, "memory", memory_id(turn.key))
            for captured in existing_ids(caller.project, {memory_id(turn.key)} - {wanted}):
                edge = Edge.of(wanted, captured, LinkType.SUPERSEDES)
                caller.store.links.add(edge, caller.project.now())
            self._link_story(wanted, turn)
        self._set_outcome(turn, "completed", wanted)
        return "stored by the agent"


def _complete(stored: Memory, observed: Memory) -> Memory:
    """The stored memory, completed by the captured events."""
    stored_paths = {file.path for file in stored.files}
    actions = stored.actions or observed.actions
    if stored.actions:
        missing = [
            one
            for one in observed.actions
            if one.type in OPERATION_OF
            and one.type is not ActionType.FILE_READ
            and one.details.file_path not in stored_paths
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
        found = find_root(cwd, caller.project.settings.home) if cwd_exists else None
        self._root = found or caller.project.location.root or cwd
        self._is_live = is_live and cwd_exists

    def relative(self, path: str) -> str:
        """A path relative to the root of the checkout."""
        return relative_path(path, self._root or None, self._cwd)

    def content_hash(self, path: str) -> str | None:
        """Git's hash of the current content of a file; None for imported turns."""
        place = self._place(path)
        return blob_id(place) if place else None

    def text(self, path: str) -> str | None:
        """What is in a file now; None for imported turns, and if it cannot be read."""
        try:
            place = self._place(self.relative(path))
            data = read_bounded(place, BLOB_LIMIT)[0] if place else None
        except (OSError, ValueError, InvalidQuery):
            return None
        return None if data is None else data.decode("utf-8", "replace")

    def _place(self, path: str) -> str | None:
        if not self._is_live or not self._root or os.path.isabs(path) or path.startswith(("~", "..")):
            return None
        return os.path.join(self._root, path)

    def work_tree(self) -> Checkout | None:
        """The files of the checkout as they are now; None for imported turns."""
        place = find_git(self._root) if self._is_live and self._root else None
        return Checkout(place.root, place.git_dir) if place and place.root != place.git_dir else None

    def commit_and_branch(self) -> tuple[str | None, str | None]:
        """The current commit and branch of the checkout."""
        place = find_git(self._root) if self._is_live and self._root else None
        return head(place) if place else (None, None)
