"""Forget anything that has an id: it goes into the trash, and after 30 days for good; a keyed hash stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw, Struct
from msgspec.structs import asdict, replace

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.project import Project
from rum.capture.tombstones import marks
from rum.model.answers import ForgetResult, RestoreResult, ledger_id
from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.memory import Content, Edge, Memory
from rum.model.requests import ForgetRequest
from rum.settings.home import file_lock
from rum.store.activity import OfferQuery, OfferRow
from rum.store.base import ReadMode
from rum.store.captured_events import CapturedEvent, CapturedTurn
from rum.store.records import Revision
from rum.store.trash import TrashItem
from rum.text.shorten import one_line

# What can be forgotten, and where its `Kind` is.
KINDS = {
    "memory": "app.memories.forget:MEMORY",
    "note": "app.notes.notes:KIND",
    "fact": "app.layers.facts:KIND",
    "rule": "app.layers.rules:KIND",
    "event": "app.layers.events:KIND",
    "chapter": "app.chapters.forget:CHAPTER",
    "wisdom": "app.chapters.forget:WISDOM_KIND",
}
KEPT = 30 * 86400  # Seconds for which something stays in the trash
_LABEL = 120
_LOCK = "forget.lock"

Counts = dict[str, int]  # How many rows, entries or files of each sort


class Removal(NamedTuple):
    """What was removed from the store, and what the trash needs.

    `data` restores it; None if it was too damaged to be read.
    """

    counts: Counts
    label: str
    author: str
    imported: bool
    marks: list[str]
    data: Struct | None


class Unfinished(Struct, frozen=True, kw_only=True):
    """The data of a kind with a `finish`: whether that is still to be called."""

    unfinished: bool = False


class Kind(NamedTuple):
    """How one kind of thing is found, counted, removed and restored.

    `counts` and `remove` take an id that `find` returned, and refuse a caller who may not change it.
    `restore` takes the `data` that `remove` returned, refuses to replace anything, and returns the ids of
    chapters and wisdom that need a refresh. `remove` and `restore` run in a transaction of the store.

    `finish` removes the thing itself, if it is in another file than the memories. It takes the same `data`,
    when the trash has them for certain; if it fails, nothing was forgotten. `clear` deletes what is left of
    an item in other files. Both may be called again.
    """

    name: str
    find: Callable[[Caller, str], list[str]]
    counts: Callable[[Caller, str], Counts]
    remove: Callable[[Caller, str], Removal]
    restore: Callable[[Project, bytes], list[str]]
    clear: Callable[[Project, TrashItem], object] = lambda _project, _item: None
    finish: Callable[[Project, bytes], object] | None = None


def find_in(table: str) -> Callable[[Caller, str], list[str]]:
    """How things with ids are found in one of the store's tables."""
    return lambda caller, name: getattr(caller.store, table).find_ids(name)


def forget(caller: Caller, request: ForgetRequest) -> ForgetResult | RestoreResult:
    """Move one thing into the trash, delete it for good, or restore it."""
    if request.restore:
        if request.now or request.purge or request.dry_run:
            raise InvalidQuery("forget: `restore` goes with `id` and `kind` only.", field="restore")
        return load("app.memories.trash:restore_from_trash")(caller, request.id, request.kind)
    final = request.now or request.purge
    try:
        kind, one = _find(caller, request)
    except NotFound:
        if not final or request.dry_run:
            raise
        # What is in the trash already can be deleted for good by the same call.
        result = load("app.memories.trash:delete_forgotten")(caller, request.id, request.kind)
    else:
        if request.dry_run:
            renew = _groups_of(caller.project, kind.name, one) or UNSET
            return ForgetResult(id=one, forgotten=False, removed=kind.counts(caller, one), renew=renew)
        result = forget_one(caller, kind, one, final=final)
        load("app.memories.trash:delete_expired")(caller.project)
    return replace(result, **purge(caller)) if request.purge else result


def forget_one(caller: Caller, kind: Kind, one: str, *, final: bool = False) -> ForgetResult:
    """Move one thing of a kind into the trash, or delete it for good: all of it or nothing."""
    project, store = caller.project, caller.store
    if kind.name in ("memory", "rule"):
        # Not in the transaction, as this may wait for another process.
        load("app.capture.intake:import_spool")(project)
    # What is in other files goes after the commit. A process that is killed in between leaves the item in the
    # trash; then `finish_forgetting` or the next `forget` does the rest.
    with finishing(project) if kind.finish else nullcontext():
        with store.transaction():
            groups = _groups_of(project, kind.name, one)
            removal = kind.remove(caller, one)
            if kind.name in ("note", "fact", "rule"):
                store.anchors.delete_texts([ledger_id(kind.name, one)])
            item = _item(caller, kind, one, removal)
            item = item._replace(number=store.trash.put(item))
            # Some of the groups are deleted with the last of their parts.
            left = (*store.chapters.get(groups), *store.wisdom.get(groups)) if groups else ()
        try:
            if kind.finish:
                kind.finish(project, item.data)
                mark_finished(project, item)
        except (RumError, OSError):
            store.trash.delete([item.number] if item.number is not None else [])
            raise
    final = final or removal.data is None
    if final:
        load("app.memories.trash:delete_for_good")(project, [item])
    else:
        with suppress(StorageError):
            kind.clear(project, item)
    project.uses.pop(one, None)
    return ForgetResult(
        id=one,
        forgotten=True,
        removed=removal.counts,
        renew=[group.id for group in left] or UNSET,
        in_trash_until=UNSET if final else item.forgotten_at + KEPT,
    )


@contextmanager
def finishing(project: Project, patience: float = 30.0) -> Generator[None]:
    """Hold the lock of those who remove forgotten things from other files than that of the memories."""
    with project.store.transaction():
        pass  # makes the folder, and raises if the store is read-only
    with ExitStack() as held:
        try:
            held.enter_context(file_lock(os.path.join(project.location.directory, _LOCK), patience))
        except TimeoutError:
            raise StorageError("Another process is forgetting something; try again in a moment.") from None
        yield


def mark_finished(project: Project, item: TrashItem) -> None:
    """Note in the trash that an item is nowhere else any more."""
    data = msgspec.json.decode(item.data) | {"unfinished": False}
    project.store.trash.put(item._replace(data=msgspec.json.encode(data)))


def _item(caller: Caller, kind: Kind, one: str, removal: Removal) -> TrashItem:
    agent = caller.current_agent()
    return TrashItem(
        kind=kind.name,
        id=one,
        label=one_line(removal.label, _LABEL),
        author=removal.author,
        imported=removal.imported,
        forgotten_at=caller.project.now(),
        forgotten_by=agent.id if agent else "owner",
        marks=tuple(dict.fromkeys(removal.marks)),
        data=msgspec.json.encode(removal.data),
    )


def _find(caller: Caller, request: ForgetRequest) -> tuple[Kind, str]:
    found = find_items(caller, request.id, request.kind, KINDS)
    names = request.kind or " or ".join(KINDS)
    one = caller.project.single_id(names, request.id, [one for _, one in found])
    return found[0][0], one


def find_items(caller: Caller, name: str, kind: str | None, kinds: Iterable[str]) -> list[tuple[Kind, str]]:
    """What an id, a slug or a key names, all of one kind; `kind` is needed if two kinds have it."""
    check_kind(kind)
    # Where there are no chapters, their code, which is slow to load, is not needed.
    absent = () if caller.store.has_chapters() else ("chapter", "wisdom")
    wanted: list[Kind] = [load(KINDS[one]) for one in ([kind] if kind else kinds) if one not in absent]
    found = [(kind, one) for kind in wanted for one in kind.find(caller, name)]
    if len({kind.name for kind, _ in found}) > 1:
        several = " or ".join(f"{kind.name} {one}" for kind, one in found)
        raise InvalidQuery(f"`{name}` is {several}; give its `kind`.", field="kind")
    return found


def check_kind(kind: str | None) -> None:
    """Refuse a kind that does not exist."""
    if kind and kind not in KINDS:
        allowed = list(KINDS)
        raise InvalidQuery(
            f"forget: `kind` must be one of {', '.join(allowed)}.", field="kind", allowed=allowed
        )


def _groups_of(project: Project, kind: str, one: str) -> list[str]:
    """The ids of the chapters and the wisdom that were made of a memory or a chapter."""
    if kind == "memory" and project.store.has_chapters():
        chapters = project.store.chapters.made_of(memories=[one])
        return [*chapters, *project.store.wisdom.made_of(memories=[one], parts=chapters)]
    return project.store.wisdom.made_of(parts=[one]) if kind == "chapter" else []


def purge(caller: Caller) -> dict[str, Any]:
    """Make what was forgotten unrecoverable from the files."""
    hint = None
    if caller.store.local_upkeep.shrink() is not None:
        hint = (
            "Another process is reading, so the log still holds old pages; run `rum purge` when it is done."
        )
    elif copies := caller.store.local_upkeep.copies():
        hint = f"Copies of the files from before a repair may still hold it. Delete them: {', '.join(copies)}"
    return {"purged": False, "hint": hint} if hint else {"purged": True}


def refuse_existing(what: str, item_id: str, *, exists: bool) -> None:
    """Refuse to restore something that would replace something else."""
    if exists:
        raise InvalidQuery(
            f"{what} is here already, so the forgotten one was not restored. Forget it first, or delete the "
            f"forgotten one: `rum trash empty {item_id}`.",
            field="id",
        )


class TrashedMemory(Struct, frozen=True, kw_only=True):
    """A memory in the trash, with all that a restored one needs; the rest is derived again."""

    memory: Memory
    versions: list[Revision]
    links: list[tuple[Edge, int]]
    renames: list[tuple[str, str]]
    vectors: dict[str, bytes]
    offers: list[OfferRow]
    events: list[CapturedEvent]
    turns: list[CapturedTurn]
    anchors: bytes | None = None
    groups: Raw = Raw(b"null")  # The chapters and wisdom that it was cut out of


def _count_memory(caller: Caller, memory_id: str) -> Counts:
    caller.check_may_change(_memory(caller.project, memory_id))
    events = caller.store.captured.forget(memory_id, dry_run=True)
    removed = caller.store.memories.delete(memory_id, dry_run=True)
    return removed | ({"captured_events": events} if events else {})


def _remove_memory(caller: Caller, memory_id: str) -> Removal:
    project, store = caller.project, caller.project.store
    memory = _memory(project, memory_id)
    caller.check_may_change(memory)
    revisions = store.history.of("memory", [memory.id])[memory.id]
    # An import may bring back any earlier version.
    versions = [memory]
    for *_, (data,) in revisions:
        # What another version of RUM wrote, and cannot be read, is no reason to keep the memory.
        with suppress(msgspec.DecodeError):
            versions.append(replace(memory, **asdict(msgspec.json.decode(data, type=Content))))
    is_whole = bool(store.memories.get([memory.id], ReadMode.SKIP_DAMAGED))
    kept: dict[str, Any] = {
        "memory": memory,
        "versions": revisions,
        "links": list(store.links.of([memory.id]).items()),
        "renames": store.memories.renames(memory.id),
        "vectors": store.vectors.packed(memory.id),
        "anchors": store.anchors.of([memory.id]).get(memory.id),
        "offers": store.activity.find_offers(OfferQuery(memory=memory.id)),
    }
    removed = store.memories.delete(memory.id)
    if store.has_chapters():
        kept["groups"] = load("app.chapters.forget:cut_memory")(project, versions)
    turns, events = load("app.capture.intake:memory_events")(project, memory.id)
    return Removal(
        removed | ({"captured_events": len(events)} if events else {}),
        label=memory.intent.goal,
        author=memory.agent_id,
        imported=memory.imported_at is not None,
        marks=[mark for version in versions for mark in marks(version, project.tombstone_key)],
        data=TrashedMemory(**kept, turns=turns, events=events) if is_whole else None,
    )


def _memory(project: Project, memory_id: str) -> Memory:
    """A memory, as far as it can be read: a damaged one can be forgotten too."""
    found = project.store.memories.get([memory_id], ReadMode.BEST_EFFORT)
    return found[0] if found else project.memory(memory_id)


def _restore_memory(project: Project, data: bytes) -> list[str]:
    kept, store = msgspec.json.decode(data, type=TrashedMemory), project.store
    one = kept.memory.id
    refuse_existing(one, one, exists=bool(store.memories.find_ids(one)))
    store.memories.add(replace(kept.memory, project_id=project.location.id))
    store.memories.note_renames(one, kept.renames)
    for revision in kept.versions:
        store.history.add("memory", one, revision)
    for edge, at in kept.links:
        _restore_link(project, one, edge, at)
    if kept.anchors is not None:
        store.anchors.put({one: kept.anchors})
    for model in kept.vectors.keys() & set(store.vectors.models()):
        store.vectors.put(model, [(one, kept.memory.version, kept.vectors[model])])
    load("app.capture.intake:restore_events")(project, kept.turns, kept.events)
    store.activity.add_offers(kept.offers)
    store.activity.set_outcomes(kept.offers)
    return (
        load("app.chapters.forget:restore_groups")(project, one, kept.groups) if kept.groups != _NONE else []
    )


_NONE = Raw(b"null")


def _restore_link(project: Project, one: str, edge: Edge, at: int) -> None:
    """Add a link again; if its other end is in the trash too, the link is restored with that one."""
    store = project.store
    other = edge.target_id if edge.source_id == one else edge.source_id
    if store.memories.get([other], ReadMode.HEADLINE):
        with suppress(InvalidQuery):  # a later link the other way round would make a cycle
            store.links.add(edge, at)
        return
    for item in store.trash.find(other, "memory")[:1]:
        if item.id == other:
            kept = msgspec.json.decode(item.data, type=TrashedMemory)
            changed = replace(kept, links=[*kept.links, (edge, at)])
            store.trash.put(item._replace(data=msgspec.json.encode(changed)))


def clear_memory(project: Project, item: TrashItem) -> None:
    """Delete the events that a memory was made of, and the texts in which it was offered."""
    project.store.captured.forget(item.id)
    project.store.activity.delete(item.id, texts_only=True)


MEMORY = Kind("memory", find_in("memories"), _count_memory, _remove_memory, _restore_memory, clear_memory)
