"""`rum forget`, `purge`, `trash` and `restore`: into the trash, out of it again, or deleted for good."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from rum.app.project import damage
from rum.app.rum import Rum
from rum.inject.render import memory_line
from rum.model.answers import ForgetResult, ForgottenItem, RestoreResult, TrashEmptied
from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.ids import TAIL
from rum.surfaces.cli.memories.find import as_line
from rum.surfaces.cli.open_project import Output, open_rum, rum_command, stored_id
from rum.surfaces.cli.options import Group, Options, When, WholeNumber, command, given_options, ids_option
from rum.surfaces.cli.output import ask, note, print_result
from rum.surfaces.cli.views import TextLine, TextPart, View, table, text_view
from rum.text.shorten import one_line

purge_option = click.option(
    "--purge", is_flag=True, help="Delete it for good, and make it unrecoverable from the files."
)
_now = click.option("--now", is_flag=True, help="Delete it for good at once, not after 30 days in the trash.")
_dry_run = click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
MAX_SHOWN = 20  # Memories listed before a bulk deletion; `--dry-run` lists all


@command("forget")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Everything in the project.")
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="All with this tag (repeat to require several)."
)
@click.option("--since", type=When(), help="All not older than this: Unix seconds, ISO date, or 7d, 12h, 2w.")
@click.option("--before", type=When(), help="All older than this.")
@click.option("--agent-id", metavar="AGENT", help="All of this agent (name or id).")
@click.option("--session-id", metavar="ID", help="All of this session.")
@_now
@purge_option
@_dry_run
@click.option("--confirm", metavar="NAME", help="The project's name, to delete several without a prompt.")
def forget(
    options: Options,
    ids: tuple[str, ...],
    now: bool,
    purge: bool,
    dry_run: bool,
    confirm: str | None,
    **conditions: Any,
) -> None:
    """Move memories into the trash.

    Also facts (by key), rules, events, chapters, wisdom and entries of notes (NAME#N). `rum restore ID`
    brings them back. After 30 days they are deleted for good with their history; only a keyed hash remains,
    so that no import restores them. Several IDs, or a filter, need the project's name as confirmation.
    """
    by_filter = bool(given_options(conditions))
    if bool(ids) == by_filter:
        raise click.UsageError("Give ids, or a filter such as --tag, --before or --all.")
    with open_rum(options) as rum:
        targets = dict(_matching(rum, **conditions) if by_filter else _by_ids(rum, ids))
        # A dry run first: if this agent may not delete one of them, none is deleted.
        results = [rum.forget(one, kind=kind, dry_run=True) for kind, one in targets]
        bulk = by_filter or len(targets) > 1
        final = now or purge
        rest = final and given_options(conditions).keys() == {"everything"}
        if not dry_run:
            if bulk and (targets or rest):
                also = ["the trash, what waits for review, and captured events"] if rest else []
                _confirm(rum, [*targets.values(), *also], confirm, final=final)
            last = None if rest else next(reversed(targets), None)
            # One purge at the end is enough, as it rewrites the whole database.
            results = [
                rum.forget(one, kind=kind, now=final, purge=purge and (kind, one) == last)
                for kind, one in targets
            ]
            if conditions["everything"] and by_filter:
                rum.notes.drop_index()
            if rest:
                left = rum.trash.clear(purge=purge)
                results.append(
                    ForgetResult(
                        id="trash", forgotten=True, removed=left.removed, purged=left.purged, hint=left.hint
                    )
                )
    # What a bulk deletion removes was shown before the prompt.
    lines = [] if bulk and not dry_run else list(targets.values())
    answer = results if bulk else results[0]
    print_result(options, answer, _result_view(results, lines), notes=_trash_notes(results))


Target = tuple[str | None, str]  # A kind, None if the id tells it, and an id


def _matching(
    rum: Rum,
    *,
    everything: bool,
    tags: tuple[str, ...],
    since: float | None,
    before: float | None,
    agent_id: str | None,
    session_id: str | None,
) -> Iterator[tuple[Target, str]]:
    """Yield every memory that passes all conditions, and its line; with `--all` alone everything else, too.

    Reads the export, which counts as no retrieval.
    """
    if agent_id:
        agent_id = rum.identity("info", agent_id=agent_id).agent_id
    is_limited = bool(tags or agent_id or session_id) or since is not None or before is not None
    damaged: list[str] = []
    others: dict[str, list[tuple[Target, str]]] = {}
    memories: list[tuple[Target, str]] = []
    for line in rum.export(damaged.append):
        entry = msgspec.json.decode(line)
        kind = entry["kind"]
        if kind in _NAMES and everything and not is_limited:
            field, text = _NAMES[kind]
            item = entry[kind]
            others.setdefault(kind, []).append(
                ((kind, item[field]), f"{kind} {one_line(str(item[text]), 120)}")
            )
        if kind != "memory":
            continue
        memory = entry["memory"]
        if (
            set(tags) <= set(memory["tags"])
            and (since is None or memory["created_at"] >= since)
            and (before is None or memory["created_at"] < before)
            and agent_id in (None, memory["agent_id"])
            and session_id in (None, memory["session_id"])
        ):
            outcome = memory["outcome"]
            goal = memory["intent"]["goal"]
            line = memory_line(memory["id"], goal, outcome["success"], outcome["summary"])
            memories.append((("memory", memory["id"]), line))
    # What is made of others first, so that it is not changed before it goes.
    for kind in ("wisdom", "chapter"):
        yield from others.get(kind, ())
    yield from memories
    for memory_id in damaged:
        if everything:
            yield ("memory", memory_id), memory_id
        else:
            note(damage(memory_id))
    for kind in ("fact", "rule", "event"):
        yield from others.get(kind, ())


# The fields of an export's lines that identify and describe what is not a memory.
_NAMES = {
    "wisdom": ("id", "summary"),
    "chapter": ("id", "title"),
    "fact": ("key", "key"),
    "rule": ("id", "condition"),
    "event": ("id", "content"),
}


def _by_ids(rum: Rum, ids: tuple[str, ...]) -> Iterator[tuple[Target, str]]:
    """Yield everything named by id, and its line.

    The last entry of a note comes first: the numbers of the entries after a deleted one change.
    """

    def entry_number(name: str) -> int:
        number = name.rpartition("#")[2]
        return int(number) if "#" in name and number.isdecimal() else 0

    for given_id in sorted(ids, key=entry_number, reverse=True):
        try:
            memory = rum.show(stored_id(rum, given_id), "summary")
        except (NotFound, StorageError):  # a damaged memory can be forgotten too
            try:
                target_id = rum.forget(given_id, dry_run=True).id
            except NotFound as error:
                if error.details.get("in_trash"):
                    raise
                kinds = f"memory, rule, event, chapter or wisdom, or its last {TAIL} characters or more"
                near = error.details.get("nearest")
                hint = (
                    f"Did you mean `{near}`?"
                    if near
                    else f"Give the id of a {kinds}; the key of a fact; or NAME#N for entry N of a note."
                )
                raise NotFound(
                    f"There is nothing `{given_id}` to forget in project {rum.project.name}. {hint}",
                    id=given_id,
                ) from None
            yield (None, target_id), target_id
        else:
            yield ("memory", memory.id), as_line(memory)


def _confirm(rum: Rum, lines: list[str], confirmation: str | None, *, final: bool) -> None:
    """Show what would be forgotten, and ask for the project's name."""
    name, many = rum.project.name, number_of(len(lines), "items")
    action = f"delete {many}" if final else f"move {many} into the trash"
    for line in lines[:MAX_SHOWN]:
        note(line)
    if len(lines) > MAX_SHOWN:
        note(f"and {len(lines) - MAX_SHOWN} more (--dry-run shows all).")
    if not is_confirmed(name, confirmation, action, "the project's name", final=final):
        raise InvalidQuery(f"The project's name is {name}; nothing was forgotten.", field="confirm")


def is_confirmed(
    name: str, confirmation: str | None, action: str, description: str = "the name", *, final: bool = True
) -> bool:
    """Whether the name was given as an option or typed at the prompt."""
    if confirmation is None:
        if not sys.stdin.isatty():
            raise click.UsageError(f"To {action}, give --confirm {name}.")
        confirmation = ask(f"To {action}{' permanently' if final else ''}, type {description} ({name}):")
    return name == confirmation


def add_forget_command(group: click.Group, kind: str, help: str, metavar: str = "ID") -> None:
    """Add `forget` to the commands for a kind of knowledge."""

    @rum_command("forget", group, help=help)
    @click.argument("name", metavar=metavar)
    @_dry_run
    @_now
    @purge_option
    def _forget(rum: Rum, name: str, **how: bool) -> Output:
        # Ids of chapters and wisdom are always lower-case; keys, and ids of imported rules, may not be.
        name = name.lower() if kind in ("chapter", "wisdom") else name
        result = rum.forget(name, kind=kind, **how)
        return Output(result, _result_view([result], []), notes=_trash_notes([result]))


def _trash_notes(results: list[ForgetResult]) -> list[str]:
    """How long something can be restored, and how."""
    until = max((result.in_trash_until or 0 for result in results), default=0)
    name = shlex.quote(results[0].id) if len(results) == 1 else "ID"
    return [f"In the trash until {day(until)}; `rum restore {name}` brings it back."] if until else []


def _result_view(results: list[ForgetResult], lines: list[str]) -> View:
    removed = sum((Counter(result.removed) for result in results), Counter[str]())
    removed.pop("files", None)  # mentions in memories: the user's files are untouched
    if len(results) > 1:
        # A link between two of them would count twice.
        removed.pop("links", None)
    forgotten = all(result.forgotten for result in results)
    purged = ", and purged from the files" if results and results[-1].purged else ""
    counts = ", ".join(number_of(number, name) for name, number in removed.items() if number) or "nothing"
    view: View = [TextLine((TextPart(line),)) for line in lines]
    view += text_view(f"Forgotten: {counts}{purged}." if forgotten else f"Would forget: {counts}.", "strong")
    gone = {result.id for result in results}
    stale = dict.fromkeys(one for result in results for one in result.renew or () if one not in gone)
    if stale:
        view += text_view(f"Stale now; update with `rum refresh`: {', '.join(stale)}")
    if results and results[-1].hint:
        view += text_view(results[-1].hint, "bad")
    return view


def number_of(number: int, plural: str) -> str:
    """A number and its noun, in the singular for one."""
    singular = plural.removesuffix("ies") + "y" if plural.endswith("ies") else plural.removesuffix("s")
    return f"{number} {singular if number == 1 else plural}"


@command("purge")
def purge(options: Options) -> None:
    """Make deleted data unrecoverable.

    Until then, deleted text may remain in unused pages of the database files. What is in the trash stays.
    """
    with open_rum(options) as rum:
        purged, left = rum.purge(), len(rum.trash.list())
        copies = rum.project.directory
    if not purged:
        raise StorageError(
            "Another process is reading the memory; run `rum purge` again when it is done. Or there are "
            f"copies from before a repair (before-…, ….damaged) in {copies}; delete them."
        )
    print_result(options, {"purged": True}, "Purged.")
    if left and options.as_text:
        note(f"In the trash: {number_of(left, 'items')}; `rum trash empty --purge` deletes them.")


_kind = click.option("--kind", metavar="KIND", help="What it is, if two kinds have this id.")


@click.group("trash", cls=Group, invoke_without_command=True)
@click.pass_context
def trash(ctx: click.Context) -> None:
    """List or delete what was forgotten.

    What is forgotten stays in the trash for 30 days. `rum restore ID` brings it back. Without a command: a
    list.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_trash)


@rum_command("list", trash)
@click.option("-n", "--limit", type=WholeNumber(min=1), metavar="N", help="At most N items.")
@ids_option
def list_trash(rum: Rum, limit: int | None) -> Output:
    """List what is in the trash, the last forgotten first."""
    items = rum.trash.list(limit)
    ids = (item.id for item in items)
    return Output(items, _items_view, ids=ids, empty="The trash is empty.")


def _items_view(items: Sequence[ForgottenItem]) -> View:
    columns = {"until": "", "kind": "", "what": "", "id": "id"}
    return table(columns, ([day(item.until), item.kind, item.label, item.id] for item in items))


def day(at: int) -> str:
    """A date as people write it."""
    return time.strftime("%Y-%m-%d", time.localtime(at))


@rum_command("empty", trash)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_kind
@purge_option
@click.option("--confirm", metavar="NAME", help="The project's name, to delete several without a prompt.")
def empty(rum: Rum, ids: tuple[str, ...], kind: str | None, purge: bool, confirm: str | None) -> Output:
    """Delete what is in the trash for good, or only the items with the given ids.

    Deleting everything, or several items, needs the project's name as confirmation.
    """
    found = rum.trash.list() if not ids else ()
    count = len(ids) or len(found)
    if count > 1 or (count and not ids):
        name, what = rum.project.name, f"delete {number_of(count, 'items')} of the trash"
        if not is_confirmed(name, confirm, what, "the project's name"):
            raise InvalidQuery(f"The project's name is {name}; nothing was deleted.", field="confirm")
    answer = rum.trash.empty(*ids, kind=kind, purge=purge)
    return Output(answer, _emptied_view)


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
            text = f"{changed.memory_id} is now version {changed.memory.version}."
            print_result(options, changed, text)
            return
        answers = (
            _restore_all(rum) if everything else [_restore_one(rum, one, kind) for one in _in_order(rum, ids)]
        )
    answer = answers[0] if len(ids) == 1 else answers
    print_result(options, answer, _restored_view(answers), ids=[one.id for one in answers])


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
