"""Review what was captured or extracted: list, show, accept, edit, reject and merge it; and its counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rum.app.agents import import_author
from rum.app.caller import Caller
from rum.app.calls import public
from rum.app.capture.events import view_event
from rum.app.capture.stories import CAPTURE_AUTHOR, StoryLinks
from rum.app.capture.words import put_rule
from rum.app.imports.batch import existing_ids, update_imported
from rum.app.layers import facts, rules
from rum.app.memories.store import replace_memory, update
from rum.app.notes.notes import add_note
from rum.app.project import Project
from rum.app.review import pending
from rum.app.review.pending import Pending, PendingFact, PendingMemory, PendingNote, PendingRule
from rum.model.answers import PendingItem, PendingShown, Reviewed, Stats
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied, StorageError
from rum.model.fields import parse
from rum.model.layers import USER, Fact
from rum.model.memory import Memory
from rum.model.notes import NoteDraft
from rum.store.captured_events import EventQuery, FoundEvent
from rum.store.records import Revision
from rum.store.trash import TrashItem

_EVIDENCE = 200  # Events that are shown of one item
_SAME_TIME = 0.5  # Seconds around the time of a rule in which its prompt is


@public
class Review:
    """What waits for review in an open project. Only a person decides, not an agent."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, kind: str | None = None, limit: int | None = None) -> Sequence[PendingItem]:
        """The pending items, the last proposed first."""
        with self._caller.locked_call():
            if limit is not None and limit < 1:
                raise InvalidQuery(f"`limit` must be 1 or more, not {limit}.", field="limit")
            _check_kind(kind)
            items = self._caller.store.trash.items(pending=True)
            return [_view(item) for item in items if kind in (None, item.kind)][:limit]

    def show(self, id: str, kind: str | None = None) -> PendingShown:
        """A pending item with what it was made of."""
        with self._caller.locked_call():
            item = _find(self._caller.project, id, kind)
            return _shown(self._caller.project, item)

    def accept(self, *ids: str, kind: str | None = None) -> Sequence[Reviewed]:
        """Keep pending items: from now on they are found like any other; all or none of them."""
        with self._caller.locked_call():
            _check_person(self._caller)
            with self._caller.store.transaction():
                return [_accept(self._caller, _find(self._caller.project, one, kind)) for one in ids]

    def edit(self, id: str, changes: Mapping[str, Any], kind: str | None = None) -> Reviewed:
        """Keep a pending item with other content; `changes` has the fields of `show` that change."""
        with self._caller.locked_call():
            _check_person(self._caller)
            with self._caller.store.transaction():
                return _accept(self._caller, _find(self._caller.project, id, kind), changes)

    def reject(self, *ids: str, kind: str | None = None) -> Sequence[Reviewed]:
        """Delete pending items for good; a keyed hash stays, so that they are not proposed again."""
        with self._caller.locked_call():
            _check_person(self._caller)
            with self._caller.store.transaction():
                return [_reject(self._caller, _find(self._caller.project, one, kind)) for one in ids]

    def merge(self, id: str, into: str, kind: str | None = None) -> Reviewed:
        """Unite a pending item with another one of its kind, pending or kept, which says the same.

        A memory gains the learnings, follow-ups, files and tags of the other one; anything else stays as it
        is. The merged item is deleted like a rejected one.
        """
        with self._caller.locked_call():
            _check_person(self._caller)
            with self._caller.store.transaction():
                return _merge(self._caller, _find(self._caller.project, id, kind), into)


def stats(project: Project, since: float = 0) -> Stats:
    """What was captured, offered, muted, followed and reviewed since a time."""
    store = project.store
    captured = store.captured.counts(since)
    return Stats(
        since=since,
        events=captured.events,
        turns=captured.outcomes,
        offers={
            one.kind: {name: count for name, count in one._asdict().items() if name != "kind"}
            for one in store.activity.offer_counts(since)
        },
        muted=captured.events.get("muted", 0),
        reviewed=store.trash.count_reviews(since),
        pending=store.trash.count(pending=True),
    )


def _check_person(caller: Caller) -> None:
    if not caller.owner or caller.project.settings.agent:
        raise PermissionDenied("Only a person may review. Leave it pending, and say that it waits.")


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in pending.TYPES:
        allowed = list(pending.TYPES)
        raise InvalidQuery(f"`kind` must be one of {', '.join(allowed)}.", field="kind", allowed=allowed)


def _find(project: Project, name: str, kind: str | None) -> TrashItem:
    """The pending item with an id, or with an id that ends so."""
    _check_kind(kind)
    found = project.store.trash.find(name, kind, pending=True)
    if not found:
        raise NotFound(
            f"Nothing with the id `{name}` waits for review; `rum review list` shows what does.", id=name
        )
    if len({(item.kind, item.id) for item in found}) > 1:
        several = " or ".join(dict.fromkeys(f"{item.kind} {item.id}" for item in found))
        raise InvalidQuery(f"`{name}` is {several}; give more of it, or its `kind`.", field="id")
    return found[0]


def _decoded(item: TrashItem) -> Pending:
    try:
        return pending.decoded(item)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StorageError(
            f"{item.id} cannot be read: {error}. Delete it: `rum review reject {item.id}`.", id=item.id
        ) from None


def _view(item: TrashItem) -> PendingItem:
    return PendingItem(
        id=item.id,
        kind=item.kind,
        label=item.label,
        proposed_at=item.forgotten_at,
        proposed_by=item.forgotten_by,
        number=item.number or 0,
    )


def _shown(project: Project, item: TrashItem) -> PendingShown:
    proposed = _decoded(item)
    return PendingShown(
        **msgspec.structs.asdict(_view(item)),
        content=_content(proposed),
        replaces=_replaced(project, proposed),
        evidence=_evidence(project, proposed),
    )


def _content(proposed: Pending) -> dict[str, Any]:
    """The fields that a person may change."""
    if isinstance(proposed, PendingMemory):
        return _memory_content(proposed.memory)
    if isinstance(proposed, PendingNote):
        return msgspec.to_builtins(proposed.draft)
    if isinstance(proposed, PendingRule):
        return {"condition": proposed.rule.condition, "action": proposed.rule.action}
    return {"key": proposed.fact.key, "value": proposed.fact.value}


def _memory_content(memory: Memory) -> dict[str, Any]:
    content = msgspec.to_builtins(memory.content())
    return {name: content[name] for name in _MEMORY_FIELDS if content.get(name)}


_MEMORY_FIELDS = ("intent", "outcome", "reasoning", "perception", "tags", "importance")


def _replaced(project: Project, proposed: Pending) -> dict[str, Any] | UnsetType:
    if isinstance(proposed, PendingMemory):
        for memory in project.store.memories.get([proposed.memory.id]):
            return _memory_content(memory)
    if isinstance(proposed, PendingFact) and (old := facts.get_fact(project, proposed.fact.key)):
        return {"key": old.key, "value": old.value}
    return UNSET


def _evidence(project: Project, proposed: Pending) -> list[str]:
    """The captured events that an item was made of, oldest first, or where it was found."""
    captured = project.store.captured
    if isinstance(proposed, PendingMemory):
        found = captured.find(EventQuery(limit=_EVIDENCE, memory=proposed.memory.id))
        return [_line(one) for one in reversed(found)]
    if isinstance(proposed, PendingRule) and proposed.rule.source == USER:
        at = (proposed.rule.timestamp or 0) / 1000
        query = EventQuery(limit=_EVIDENCE, kind="prompt", since=at - _SAME_TIME)
        return [_line(one) for one in captured.find(query) if one.event.at <= at + _SAME_TIME]
    return [] if isinstance(proposed, PendingMemory) else proposed.found_in.splitlines()


def _line(found: FoundEvent) -> str:
    event = view_event(found)
    return f"{datetime.fromtimestamp(event.at, UTC):%Y-%m-%dT%H:%M:%SZ} {event.kind}: {event.what}"


def _accept(caller: Caller, item: TrashItem, changes: Mapping[str, Any] | None = None) -> Reviewed:
    """Keep an item, with changes if there are any; the caller has a transaction."""
    if changes is not None and not changes:
        raise InvalidQuery("review: give at least one field to change.", field="changes")
    proposed = _decoded(item)
    _delete(caller.project, item)
    if isinstance(proposed, PendingMemory):
        kept = _keep_memory(caller, proposed, changes, by_person=item.forgotten_by == pending.SYNC)
    elif isinstance(proposed, PendingRule):
        kept = _keep_rule(caller, proposed, changes)
    elif isinstance(proposed, PendingFact):
        kept = _keep_fact(caller, proposed, changes)
    else:
        kept = _keep_note(caller, proposed, changes)
    if changes is None:
        return _decided(caller, item, "accepted", kept.id)
    return replace(_decided(caller, item, "edited", kept.id), label=pending.label_of(kept.label))


class _Kept(NamedTuple):
    """The id under which something is kept, and what it says now, in one line."""

    id: str
    label: str


def _delete(project: Project, item: TrashItem, bury: int | None = None) -> None:
    project.store.trash.delete([item.number] if item.number is not None else [], bury=bury)


def _decided(caller: Caller, item: TrashItem, verdict: str, kept_as: str | UnsetType = UNSET) -> Reviewed:
    caller.store.trash.note_review(item.kind, verdict, caller.project.now())
    return Reviewed(id=item.id, kind=item.kind, label=item.label, verdict=verdict, kept_as=kept_as)


def _keep_memory(
    caller: Caller, proposed: PendingMemory, changes: Mapping[str, Any] | None, *, by_person: bool
) -> _Kept:
    project, store = caller.project, caller.store
    memory = replace(proposed.memory, project_id=project.location.id)
    old = store.memories.get([memory.id])
    if old and by_person:
        replace_memory(caller, old[0], replace(old[0], **msgspec.structs.asdict(memory.content())))
    elif old:
        marked = replace(old[0], reverted_by=memory.reverted_by)
        is_same = update_imported(caller, marked, memory, by=CAPTURE_AUTHOR) == "unchanged"
        if is_same and marked != old[0]:
            replace_memory(caller, old[0], marked, by=CAPTURE_AUTHOR)
    else:
        import_author(project, memory.agent_id, memory.created_at)
        store.memories.add(memory)
    known = existing_ids(project, {end for edge in proposed.links for end in edge[:2]})
    for edge in proposed.links:
        if edge.source_id in known and edge.target_id in known:
            store.links.add(edge, project.now())
    if proposed.prompt is not None:
        resumed = proposed.resumed if existing_ids(project, {proposed.resumed or ""}) else None
        StoryLinks(caller).link(memory.id, proposed.prompt, resumed)
    if changes is not None:
        update(caller, {**changes, "memory_id": memory.id})
    _set_outcome(project, memory.id, "memory", memory.id)
    return _Kept(memory.id, project.memory(memory.id).intent.goal)


def _set_outcome(project: Project, memory_id: str, outcome: str, kept_as: str) -> None:
    """Record what became of the turns of a pending memory."""
    captured = project.store.captured
    found = captured.find(EventQuery(limit=-1, memory=memory_id))
    for key in dict.fromkeys(one.event.key for one in found):
        for turn in captured.turns(key):
            if turn.outcome == "pending" and not turn.is_open:
                captured.conclude(turn._replace(outcome=outcome, memory_id=kept_as), project.now())


def _keep_rule(caller: Caller, proposed: PendingRule, changes: Mapping[str, Any] | None) -> _Kept:
    rule, store = proposed.rule, caller.store
    import_author(caller.project, rule.agent_id, rule.created_at)
    if rule.source == USER:
        put_rule(caller.project, rule)
    elif store.rules.get([rule.id]):  # another version of it
        rules.change(caller, rule.id, rule.condition, rule.action)
    elif same := store.rules.with_texts(rule.condition, rule.action):
        rule = same[0]
    else:
        store.rules.put(rule)
    texts = _changed({"condition": rule.condition, "action": rule.action}, changes or {})
    if changes is not None:
        rules.change(caller, rule.id, texts["condition"], texts["action"])
    return _Kept(rule.id, f"{texts['condition']}: {texts['action']}")


def _keep_fact(caller: Caller, proposed: PendingFact, changes: Mapping[str, Any] | None) -> _Kept:
    fact = proposed.fact
    import_author(caller.project, fact.agent_id, fact.created_at)
    old = facts.get_fact(caller.project, fact.key)
    if old is None:
        caller.store.facts.put(fact)
    elif old.value != fact.value:
        caller.store.facts.put(_next_version(caller, old, fact))
    value = _changed({"value": fact.value}, changes or {})["value"]
    if changes is not None:
        facts.learn(caller, fact.key, value)
    return _Kept(fact.key, f"{fact.key} = {value}")


def _next_version(caller: Caller, old: Fact, new: Fact) -> Fact:
    now = max(caller.project.now(), old.updated_at or old.created_at)
    caller.store.history.add("fact", old.key, Revision(old.version, now, new.agent_id, (old.value,)))
    version = old.version + 1
    return replace(old, value=new.value, timestamp=new.timestamp, updated_at=now, version=version)


def _keep_note(caller: Caller, proposed: PendingNote, changes: Mapping[str, Any] | None) -> _Kept:
    fields = msgspec.to_builtins(proposed.draft)
    draft = parse({**fields, **(changes or {})}, NoteDraft, "note")
    return _Kept(add_note(caller, draft).id, draft.title)


def _changed(fields: dict[str, str], changes: Mapping[str, Any]) -> dict[str, str]:
    """Fields with changes; only these fields, and only text."""
    for name, value in changes.items():
        if name not in fields or not isinstance(value, str):
            allowed = list(fields)
            raise InvalidQuery(
                f"review: only text for {' and '.join(allowed)} can be changed, not `{name}`.",
                field=name,
                allowed=allowed,
            )
    return {**fields, **changes}


def _reject(caller: Caller, item: TrashItem) -> Reviewed:
    project = caller.project
    is_change = item.kind == "memory" and bool(existing_ids(project, {item.id}))
    _delete(project, item, bury=project.now())
    if item.kind == "memory" and not is_change:
        project.store.captured.forget(item.id)
    return _decided(caller, item, "rejected")


def _merge(caller: Caller, item: TrashItem, into: str) -> Reviewed:
    project = caller.project
    others = [
        one for one in project.store.trash.find(into, item.kind, pending=True) if one.number != item.number
    ]
    if len({one.id for one in others}) > 1:
        raise InvalidQuery(f"`{into}` could be several ids; give more of it.", field="into")
    if others:
        target = others[0].id
        _merge_pending(project, item, others[0])
    else:
        target = _merge_kept(caller, item, into)
    _delete(project, item, bury=project.now())
    if item.kind == "memory" and not existing_ids(project, {item.id}):
        # Its events are now of the other one.
        _set_outcome(project, item.id, "pending" if others else "memory", target)
    return _decided(caller, item, "merged", target)


def _merge_pending(project: Project, item: TrashItem, target: TrashItem) -> None:
    mine, other = _decoded(item), _decoded(target)
    if isinstance(mine, PendingMemory) and isinstance(other, PendingMemory):
        united = pending.merged_memory(other.memory, mine.memory)
        pending.replace_data(project, target, replace(other, memory=united))


def _merge_kept(caller: Caller, item: TrashItem, into: str) -> str:
    """Merge into something that is kept; its id."""
    project, mine = caller.project, _decoded(item)
    if isinstance(mine, PendingMemory):
        kept = project.memory(into)
        if kept.id == mine.memory.id:
            raise InvalidQuery("An item cannot be merged into itself.", field="into")
        united = pending.merged_memory(kept, mine.memory)
        if united.content() != kept.content():
            replace_memory(caller, kept, united)
        return kept.id
    if isinstance(mine, PendingRule):
        return rules.find_rule(project, into).id
    if isinstance(mine, PendingFact):
        return facts.find_fact(project, into).key
    return project.note_store.find_slug(into)
