"""The trash: list what was forgotten, restore it, or delete it for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import UNSET

from rum.app.agents import import_author
from rum.app.caller import Caller
from rum.app.calls import load, public
from rum.app.memories.forget import KEPT, KINDS, Kind, check_kind, delete_traces, purge
from rum.app.project import Project
from rum.model.answers import ForgetResult, ForgottenItem, RestoreResult, TrashEmptied
from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.store.trash import TrashItem

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
    with caller.store.transaction():
        item = _find(caller.project, name, kind)
        _check_author(caller, item, "delete")
        _delete_for_good(caller.project, [item])
    return ForgetResult(id=item.id, forgotten=True, removed=_counts([item]))


def empty(caller: Caller, ids: Sequence[str], kind: str | None, *, purge_files: bool) -> TrashEmptied:
    """Delete items of the trash for good: all or none of them."""
    with caller.store.transaction():
        if ids:
            items = list(
                {item.number: item for name in ids for item in _same(caller.project, name, kind)}.values()
            )
        else:
            check_kind(kind)
            items = [one for one in caller.store.trash.items() if kind in (None, one.kind)]
        for item in items:
            _check_author(caller, item, "delete")
        _delete_for_good(caller.project, items)
    done = purge(caller) if purge_files else {}
    return TrashEmptied(deleted=len(items), removed=_counts(items), **done)


def delete_expired(project: Project) -> int:
    """Delete for good what has been in the trash for 30 days; how many that were."""
    if not (expired := project.store.trash.items(before=project.now() - KEPT)):
        return 0
    with project.store.transaction():
        _delete_for_good(project, expired)
    return len(expired)


def _delete_for_good(project: Project, items: Iterable[TrashItem]) -> None:
    gone = list(items)
    for item in gone:
        delete_traces(project, item)
    project.store.trash.delete(_numbers(gone), bury=project.now())


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
