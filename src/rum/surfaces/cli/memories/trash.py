"""`rum trash` and `rum restore`: what was forgotten, and how it comes back or goes for good."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from rum.app.rum import Rum
from rum.model.answers import ForgottenItem, RestoreResult, TrashEmptied, UpdateResult
from rum.model.errors import InvalidQuery, RumError
from rum.surfaces.cli.memories.forget import is_confirmed, number_of, purge_option
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.option_types import WholeNumber
from rum.surfaces.cli.options import Group, Options, command, ids_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import View, table, text_view

_kind = click.option("--kind", metavar="KIND", help="What it is, if two kinds have this id.")


@click.group("trash", cls=Group)
def trash() -> None:
    """List or delete what was forgotten.

    What is forgotten stays in the trash for 30 days. `rum restore ID` brings it back.
    """


@command("list", trash)
@click.option("-n", "--limit", type=WholeNumber(min=1), metavar="N", help="At most N items.")
@ids_option
def list_trash(options: Options, limit: int | None) -> None:
    """List what is in the trash, the last forgotten first."""
    with open_rum(options) as rum:
        items = rum.trash.list(limit)
    ids = (item.id for item in items)
    print_result(options, items, lambda _: _items_view(items), ids=ids, empty="The trash is empty.")


def _items_view(items: Sequence[ForgottenItem]) -> View:
    columns = {"until": "", "kind": "", "what": "", "id": "id"}
    return [table(columns, ([day(item.until), item.kind, item.label, item.id] for item in items))]


def day(at: int) -> str:
    """A date as people write it."""
    return time.strftime("%Y-%m-%d", time.localtime(at))


@command("empty", trash)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_kind
@purge_option
@click.option("--confirm", metavar="NAME", help="The project's name, to delete several without a prompt.")
def empty(options: Options, ids: tuple[str, ...], kind: str | None, purge: bool, confirm: str | None) -> None:
    """Delete what is in the trash for good, or only the items with the given ids.

    Deleting everything, or several items, needs the project's name as confirmation.
    """
    with open_rum(options) as rum:
        found = rum.trash.list() if not ids else ()
        count = len(ids) or len(found)
        if count > 1 or (count and not ids):
            name, what = rum.project.name, f"delete {number_of(count, 'items')} of the trash"
            if not is_confirmed(name, confirm, what, "the project's name"):
                raise InvalidQuery(f"The project's name is {name}; nothing was deleted.", field="confirm")
        answer = rum.trash.empty(*ids, kind=kind, purge=purge)
    print_result(options, answer, _emptied_view)


def _emptied_view(answer: TrashEmptied) -> View:
    counts = ", ".join(number_of(count, name) for name, count in answer.removed.items()) or "nothing"
    purged = ", and purged from the files" if answer.purged else ""
    view = text_view(f"Deleted for good: {counts}{purged}.", "strong")
    return view + (text_view(answer.hint, "bad") if answer.hint else [])


@command("restore")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--version", type=int, metavar="N", help="The version of a memory to go back to.")
@click.option("--all", "everything", is_flag=True, help="All that is in the trash.")
@_kind
def restore(
    options: Options, ids: tuple[str, ...], version: int | None, everything: bool, kind: str | None
) -> None:
    """Restore what was forgotten, or an earlier version.

    What is in the trash comes back with its history, links, files and tags. With --version, the versions in
    between stay in the history.
    """
    if bool(ids) == everything:
        raise click.UsageError("Give ids, or --all.")
    if version is not None and (len(ids) != 1 or kind):
        raise click.UsageError("--version goes with the id of one memory.")
    with open_rum(options) as rum:
        if version is not None:
            changed = rum.restore(stored_id(rum, ids[0]), version)
            print_result(options, changed, _updated_view)
            return
        answers = (
            _restore_all(rum) if everything else [_restore_one(rum, one, kind) for one in _in_order(rum, ids)]
        )
    answer = answers[0] if len(ids) == 1 else answers
    print_result(options, answer, lambda _: _restored_view(answers), ids=[one.id for one in answers])


def _in_order(rum: Rum, ids: Sequence[str]) -> list[str]:
    """The ids, the last forgotten first: in this order chapters and wisdom become what they were."""
    if len(ids) == 1:
        return [*ids]
    places = {item.id: place for place, item in reversed(list(enumerate(rum.trash.list())))}
    return sorted(
        ids, key=lambda one: places.get(one, next((places[id] for id in places if id.endswith(one)), 0))
    )


def _restore_one(rum: Rum, name: str, kind: str | None) -> RestoreResult:
    try:
        return rum.restore(name, kind=kind)
    except RumError:
        if name == name.lower():
            raise
        return rum.restore(name.lower(), kind=kind)


def _restore_all(rum: Rum) -> list[RestoreResult]:
    done: list[RestoreResult] = []
    for item in rum.trash.list():
        try:
            done.append(rum.restore(item.id, kind=item.kind))
        except RumError as error:  # such as a fact that was set again
            note(error.message)
    return done


def _restored_view(answers: list[RestoreResult]) -> View:
    view: View = []
    for answer in answers:
        view += text_view(f"Restored: {answer.kind} {answer.id} — {answer.label}")
    stale = dict.fromkeys(group for answer in answers for group in answer.renew or ())
    if stale:
        view += text_view(f"Stale now; update with `rum refresh`: {', '.join(stale)}")
    return view or text_view("The trash is empty.")


def _updated_view(answer: UpdateResult) -> View:
    return text_view(f"{answer.memory_id} is now version {answer.memory.version}.")
