"""The trash: list what was forgotten, restore it, or delete it for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec
from msgspec import UNSET

from rum.app.agents import import_author
from rum.app.caller import Caller
from rum.app.calls import load, public
from rum.app.memories.forget import (
    KEPT,
    KINDS,
    Kind,
    Unfinished,
    check_kind,
    clear_memory,
    finishing,
    mark_finished,
    purge,
)
from rum.app.project import Project
from rum.model.answers import ForgetResult, ForgottenItem, RestoreResult, TrashEmptied, ledger_id
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied, RumError, StorageError
from rum.model.layers import USER, Rule
from rum.store.captured_events import EventQuery
from rum.store.trash import TrashItem

_SAME_TIME = 0.002  # Seconds around the time of a rule in which its prompt is
_PLURALS = {"memory": "memories", "note": "entries", "wisdom": "wisdom"}


@public
class Trash:
    """What was forgotten in an open project, and can be restored."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def list(self, limit: int | None = None) -> Sequence[ForgottenItem]:
        """The forgotten items, the last forgotten first."""
        with self._caller.locked_call():
            if limit is not None and limit < 1:
                raise InvalidQuery(f"`limit` must be 1 or more, not {limit}.", field="limit")
            items = self._caller.store.trash.items(limit=-1 if limit is None else limit)
            return [_view(item) for item in items]

    def empty(self, *ids: str, kind: str | None = None, purge: bool = False) -> TrashEmptied:
        """Delete the named items for good, or without ids all of them; `purge` also clears the files."""
        with self._caller.locked_call():
            return empty(self._caller, ids, kind, purge_files=purge)

    def clear(self, *, purge: bool = False) -> TrashEmptied:
        """Delete for good all that is left: the trash, what waits for review, captured events, and copies."""
        with self._caller.locked_call():
            return clear(self._caller, purge_files=purge)


def _view(item: TrashItem) -> ForgottenItem:
    return ForgottenItem(
        id=item.id,
        kind=item.kind,
        label=item.label,
        forgotten_at=item.forgotten_at,
        forgotten_by=item.forgotten_by,
        until=item.forgotten_at + KEPT,
    )


def restore_from_trash(caller: Caller, name: str, kind: str | None = None) -> RestoreResult:
    """Put a forgotten item back with everything that belongs to it; its tombstone goes."""
    with caller.store.transaction():
        item = _find(caller.project, name, kind)
        _check_author(caller, item, "restore")
        renew = restore_item(caller.project, item)
    return RestoreResult(id=item.id, kind=item.kind, label=item.label, restored=True, renew=renew or UNSET)


def restore_item(project: Project, item: TrashItem) -> list[str]:
    """Put an item back, in a transaction; the ids of chapters and wisdom that need a refresh."""
    if item.kind != "note":  # its author is only a name
        import_author(project, item.author, item.forgotten_at)
    kind: Kind = load(KINDS[item.kind])
    try:
        renew = kind.restore(project, item.data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StorageError(
            f"{item.id} cannot be read from the trash: {error}. Restore a backup, or delete it: "
            f"`rum trash empty {item.id}`.",
            id=item.id,
        ) from None
    project.store.trash.delete(_numbers([item]))
    return renew


def delete_forgotten(caller: Caller, name: str, kind: str | None = None) -> ForgetResult:
    """Delete something for good that is in the trash."""
    item = _find(caller.project, name, kind)
    _check_author(caller, item, "delete")
    delete_for_good(caller.project, [item])
    return ForgetResult(id=item.id, forgotten=True, removed=_counts([item]))


def empty(caller: Caller, ids: Sequence[str], kind: str | None, *, purge_files: bool) -> TrashEmptied:
    """Delete items of the trash for good; none if the caller may not delete one of them."""
    if ids:
        items = list(
            {item.number: item for name in ids for item in _same(caller.project, name, kind)}.values()
        )
    else:
        check_kind(kind)
        items = [one for one in caller.store.trash.items() if kind in (None, one.kind)]
    for item in items:
        _check_author(caller, item, "delete")
    delete_for_good(caller.project, items)
    done = purge(caller) if purge_files else {}
    return TrashEmptied(deleted=len(items), removed=_counts(items), **done)


def delete_expired(project: Project) -> int:
    """Delete for good what has been in the trash for 30 days; how many that were."""
    if not (expired := project.store.trash.items(before=project.now() - KEPT)):
        return 0
    delete_for_good(project, expired)
    return len(expired)


def clear(caller: Caller, *, purge_files: bool) -> TrashEmptied:
    """Delete for good what is neither a memory nor other knowledge in use; for the owner."""
    project, store = caller.project, caller.store
    if not caller.owner:
        raise PermissionDenied("Only the owner may delete all that is left.")
    items = [*store.trash.items(), *store.trash.items(pending=True)]
    delete_for_good(project, items)
    load("app.capture.intake:clear_spool")(project)
    store.captured.delete()
    store.local_upkeep.drop_copies()
    done = purge(caller) if purge_files else {}
    return TrashEmptied(deleted=len(items), removed=_counts(items), **done)


def delete_for_good(project: Project, items: Sequence[TrashItem]) -> None:
    """Delete items of the trash, or such that wait for review; only their marks stay.

    What is in other files goes first: as long as it is not all gone, the item stays where it is.
    """
    store, numbers = project.store, _numbers(items)
    for number in numbers:
        for item in store.trash.get([number]):
            load(KINDS[item.kind]).clear(project, item)
            store.activity.delete(ledger_id(item.kind, item.id))
            if item.kind == "rule":
                _delete_prompts(project, item)
    with store.transaction():
        store.trash.delete(numbers, bury=project.now())
        if others := store.trash.with_groups():
            load("app.chapters.forget:cut_trash")(project, {item.id for item in items}, others)


def _delete_prompts(project: Project, item: TrashItem) -> None:
    """Delete the prompt that a rule in a user's words was quoted from."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        rule = msgspec.json.decode(item.data, type=_WithRule).rule
        if rule.source == USER and isinstance(rule.timestamp, int | float):
            found = project.store.captured.find(
                EventQuery(limit=-1, kind="prompt", since=rule.timestamp / 1000 - _SAME_TIME)
            )
            last, words = rule.timestamp / 1000 + _SAME_TIME, rule.action.casefold().split()
            then = [one.event for one in found if one.event.at <= last]
            quoted = [event for event in then if all(word in event.data.casefold() for word in words)]
            project.store.captured.delete(event.id for event in quoted)


class _WithRule(msgspec.Struct):
    """A forgotten or pending rule."""

    rule: Rule


def finish_forgetting(project: Project) -> None:
    """Delete what processes that were killed have left of forgotten things."""
    items = project.store.trash.items()
    memories = {item.id: item for item in items if item.kind == "memory"}
    for memory_id in project.store.captured.with_traces(memories):
        clear_memory(project, memories[memory_id])
    in_files = [item for item in items if item.kind in ("event", "note")]
    if any(map(_is_unfinished, project.store.trash.get(_numbers(in_files)))):
        with suppress(StorageError), finishing(project, patience=0):  # else another process is at it
            for item in filter(_is_unfinished, project.store.trash.get(_numbers(in_files))):
                with suppress(RumError, OSError):  # it was removed before, or changed since
                    load(KINDS[item.kind]).finish(project, item.data)
                mark_finished(project, item)


def _is_unfinished(item: TrashItem) -> bool:
    try:
        return msgspec.json.decode(item.data, type=Unfinished).unfinished
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def _numbers(items: Iterable[TrashItem]) -> list[int]:
    return [item.number for item in items if item.number is not None]


def _counts(items: Iterable[TrashItem]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:
        plural = _PLURALS.get(item.kind, f"{item.kind}s")
        counts[plural] = counts.get(plural, 0) + 1
    return counts


def _same(project: Project, name: str, kind: str | None) -> list[TrashItem]:
    """The items that a name means: one, or several that had the same id one after the other."""
    check_kind(kind)
    found = project.store.trash.find(name, kind)
    if not found:
        raise NotFound(
            f"There is no `{name}` in the trash of project {project.location.name}; "
            "`rum trash list` shows what there is.",
            id=name,
        )
    if len({(item.kind, item.id) for item in found}) > 1:
        several = " or ".join(dict.fromkeys(f"{item.kind} {item.id}" for item in found))
        raise InvalidQuery(f"`{name}` is {several}; give more of it, or its `kind`.", field="id")
    return found


def _find(project: Project, name: str, kind: str | None) -> TrashItem:
    """The item that was forgotten last under a name."""
    return _same(project, name, kind)[0]


def _check_author(caller: Caller, item: TrashItem, verb: str) -> None:
    caller.check_author(
        item.id,
        item.author,
        imported=item.imported,
        instead="Leave it to that agent or the owner.",
        verb=verb,
    )
