"""Link captured work to the work it continues, so that what was settled later is no longer open."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.capture.reverts import is_kept_by_a_branch, mark_reverted
from rum.app.memories.store import replace_memory
from rum.app.review import pending
from rum.app.review.pending import PendingMemory
from rum.capture.observe.goals import PromptKind, read_prompt, resumes_named_work
from rum.capture.observe.guidance import guidance_in
from rum.capture.observe.stories import (
    changed_paths,
    is_done_by,
    story_link,
    with_replaced_lines,
    with_reported_failure,
    with_restored_lines,
    with_undone_lines,
    without_disproved,
)
from rum.capture.observe.timeline import FileReader
from rum.capture.observe.turn_memory import TurnObservation
from rum.capture.observe.turns import Turn
from rum.model.memory import (
    Content,
    Edge,
    LinkType,
    Memory,
    OriginKind,
    is_unfinished,
    is_verified,
    parse_draft,
)
from rum.store.filters import Filters
from rum.text.contrary import rejected_parts
from rum.text.terms import content_words

CAPTURE_AUTHOR = "capture"  # The author recorded when capture changes an existing memory
_CANDIDATES = 30  # The newest memories of the same files, and of the same session, that are compared
_MAX_LINKS = 5
_OWN = (OriginKind.TURN, OriginKind.TRANSCRIPT)
_WORK = (*_OWN, OriginKind.AGENT)
_CHANGING = (*Content.__struct_fields__, "reverted_by")


class StoryLinks:
    """The stories of a project: which work continues which."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._store = caller.store

    def link(
        self,
        memory_id: str,
        prompt: str,
        resumed: str | None,
        cwd: str = "",
        read: FileReader = lambda _: None,
    ) -> int:
        """Link a memory to the work it continues and to later work that continues it; count the new links.

        A later part of a story is `caused_by` the earlier one. `read` gives what is in a file now.
        """
        found = self._store.memories.get([memory_id])
        if not found:
            return 0
        memory, others = found[0], self._candidates(found[0])
        before = [one for one in others if _order(one) < _order(memory)]
        after = [one for one in others if _order(one) > _order(memory)]
        edges = [Edge.of(memory.id, resumed, LinkType.CAUSED_BY)] if resumed else []
        edges += _edges(memory, before, prompt)
        if is_unfinished(memory):
            later = (edge for one in after for edge in _edges(one, [memory], ""))
            edges += (edge for edge in later if edge.link_type is LinkType.CAUSED_BY)
        now = self._caller.project.now()
        added = sum(self._store.links.add(edge, now) for edge in dict.fromkeys(edges))
        continued = {edge.target_id for edge in edges if edge.link_type is LinkType.CAUSED_BY}
        wish = " ".join(said.text for said in guidance_in(prompt) if rejected_parts(said.text))
        for one in before:
            is_blamed = one.id in continued or not is_verified(one)
            blamed = with_replaced_lines(one, memory) if is_blamed else one
            if not is_kept_by_a_branch(one, memory, cwd or self._caller.project.location.root):
                blamed = with_restored_lines(blamed, memory, read)
            blamed = with_undone_lines(blamed, memory, wish)
            self._complete(one, with_reported_failure(blamed, memory, prompt), [memory])
        self._complete(memory, memory, after)
        known = next((one.commit for one in before if one.commit), None)
        reverted = mark_reverted(self._caller, memory, known, cwd, self._replace)
        edges = [Edge.of(memory.id, one, LinkType.CAUSED_BY) for one in reverted]
        return added + sum(self._store.links.add(edge, now) for edge in edges)

    def _candidates(self, memory: Memory) -> list[Memory]:
        """Captured work on the same files or in the same session, newest first."""
        search = self._store.search
        rows, _ = search.by_filters(Filters(session_id=memory.session_id), _CANDIDATES)
        ids = {row.id for row in rows}
        if changed_paths(memory) and (paths := sorted(file.path for file in memory.files)):
            ((tied, _),) = search.by_paths([paths], Filters(), _CANDIDATES).groups
            ids |= {row.id for row in tied}
        # It may have checked what another one changed, or go on with it in other files.
        rows, _ = search.by_filters(Filters(), _CANDIDATES)
        ids |= {row.id for row in rows}
        found = self._store.memories.get(sorted(ids - {memory.id}))
        return sorted((one for one in found if one.origin.kind in _WORK), key=_order, reverse=True)

    def _complete(self, memory: Memory, completed: Memory, later: Iterable[Memory]) -> None:
        """Store a captured memory as it is now, without what later work has done or disproved."""
        if memory.origin.kind not in _OWN:
            return
        done = [one for one in later if one.outcome.success and not is_unfinished(one)]
        left = tuple(
            text for text in memory.outcome.follow_up_needed if not any(is_done_by(text, one) for one in done)
        )
        for one in done:
            completed = without_disproved(completed, one)
        completed = replace(completed, outcome=replace(completed.outcome, follow_up_needed=left))
        if completed.content() != memory.content():
            self._replace(memory, completed)

    def resumed_by(self, turn: Turn) -> Memory | None:
        """The memory of an earlier session that a turn goes on with, as its prompt says.

        If the prompt also says with what, the memory must be of that, and unfinished.
        """
        kind = read_prompt(turn.prompt, turn.said).kind
        named = set(content_words(turn.prompt)) if resumes_named_work(turn.prompt) else set[tuple[str, ...]]()
        if turn.key.agent or turn.earlier or (kind is PromptKind.TASK and not named):
            return None
        rows, _ = self._store.search.by_filters(Filters(before=int(turn.began) + 1), _CANDIDATES)
        found = sorted(self._store.memories.get([row.id for row in rows]), key=_order, reverse=True)
        session = self._caller.project.label(turn.key.session)
        work = [one for one in found if one.origin.kind in _WORK and one.session_id != session]
        if kind is PromptKind.RECORD:
            return next((one for one in work if changed_paths(one)), None)
        settled = self._settled(work)
        unfinished = [one for one in work if is_unfinished(one) and one.id not in settled]
        if named:
            return next((one for one in unfinished if named & set(content_words(one.intent.goal))), None)
        return next(iter(unfinished or work), None)

    def _settled(self, memories: Iterable[Memory]) -> set[str]:
        """Those of the memories that led to a success."""
        ids = {one.id for one in memories}
        edges = [edge for edge in self._store.links.of(ids) if edge.link_type is LinkType.CAUSED_BY]
        sources = self._store.memories.get(sorted({edge.source_id for edge in edges}))
        worked = {one.id for one in sources if not is_unfinished(one)}
        return {edge.target_id for edge in edges if edge.source_id in worked}

    def record(self, memory: Memory, turn: Turn, observed: TurnObservation) -> bool:
        """Add the commits of a turn that only commits to the memory of the committed work."""
        is_record = read_prompt(turn.prompt, turn.said).kind is PromptKind.RECORD
        fields = observed.fields
        if not is_record or fields is None or observed.commit is None:
            return False
        draft = parse_draft(self._caller.project.clean(fields))
        if any(action.file_path for action in draft.actions):
            return False
        made = draft.perception.observations
        known = memory.perception.observations
        new = tuple(one for one in made if one not in known)
        perception = replace(memory.perception, observations=(*known, *new))
        completed = replace(memory, perception=perception, commit=observed.commit)
        with self._store.transaction():
            if completed.content() != memory.content():
                self._replace(memory, completed)
        return True

    def _replace(self, memory: Memory, completed: Memory) -> None:
        """Change a memory, or propose the change, with what is proposed already, if people review first."""
        project = self._caller.project
        if not pending.is_on(project):
            replace_memory(self._caller, memory, completed, by=CAPTURE_AUTHOR)
            return
        for item in pending.find(project, "memory", memory.id):
            proposed = msgspec.json.decode(item.data, type=PendingMemory).memory
            changed = {name: getattr(completed, name) for name in _CHANGING}
            new = {name: value for name, value in changed.items() if value != getattr(memory, name)}
            completed = replace(proposed, **new)
        proposal = PendingMemory(memory=completed, prompt=None, resumed=None, links=[])
        pending.propose_memory(project, proposal, is_update=True)


def _order(memory: Memory) -> tuple[int, str]:
    return memory.created_at, memory.id


def _edges(memory: Memory, before: Iterable[Memory], prompt: str) -> list[Edge]:
    """The links of a memory to earlier ones, newest first: to all that are open, and to one of the rest."""
    edges: list[Edge] = []
    related: list[Edge] = []
    has_closed = False
    for one in before:
        kind = story_link(one, memory, prompt)
        if kind is LinkType.RELATED_TO:
            related.append(Edge.of(memory.id, one.id, kind))
        elif kind is not None and (is_unfinished(one) or not has_closed):
            has_closed = has_closed or not is_unfinished(one)
            edges.append(Edge.of(memory.id, one.id, kind))
    return edges[:_MAX_LINKS] or related[:1]
