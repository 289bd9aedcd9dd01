"""`rum review`: decide about what was captured or extracted; `rum stats`: count what became of it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, cast

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import local_time
from rum.model.answers import PendingItem, PendingShown, Reviewed, Stats
from rum.model.errors import InvalidQuery, RumError
from rum.surfaces.cli.open_project import Output, open_rum, rum_command
from rum.surfaces.cli.options import Group, OneOf, Options, WholeNumber, ids_option, since_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.record_input import decode_text, nested, parse_json, read_source, source_name
from rum.surfaces.cli.views import Field, Fields, TextPart, View, heading, table, text_view

if sys.platform != "win32":
    import select
    import termios
    import tty

END = "\x04"  # Ctrl-D, and the end of input
_ESCAPE = b"\x1b"
_SOON = 0.05  # Seconds in which the rest of an arrow key's sequence arrives


def read_key() -> str:
    """Wait for a key; `END` at the end of input, empty for arrow and function keys."""
    if sys.platform == "win32":
        try:
            key = click.getchar()
        except EOFError:
            return END
        return key if len(key) == 1 else ""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        # `click.getchar` drops what was typed ahead; TCSADRAIN does not.
        tty.setcbreak(terminal, termios.TCSADRAIN)
        key = os.read(terminal, 1)
        if key == _ESCAPE:
            while select.select([terminal], [], [], _SOON)[0] and os.read(terminal, 1):
                key = b"\xff"  # part of a longer sequence, in which letters are no keys
        return key.decode(errors="ignore") if key else END
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def read_line(question: str) -> str:
    """Ask for a line of a few words; empty at the end of input."""
    click.echo(f"{question} ", err=True, nl=False)
    line = ""
    while (key := read_key()) not in ("\r", "\n", END):
        if key in ("\x7f", "\b"):
            line = line[:-1]
            click.echo("\b \b", err=True, nl=False)
        elif key.isprintable():
            line += key
            click.echo(key, err=True, nl=False)
    click.echo(err=True)
    return "" if key == END else line.strip()


KINDS = ("memory", "rule", "fact", "note")
_kind = click.option("--kind", type=OneOf(list(KINDS)), help="What it is.")
_KEYS = "[a]ccept  [e]dit  [r]eject  [m]erge  [n]ext  [q]uit"
_ACTIONS = ("a", "e", "r", "m")
_EMPTY = "Nothing waits for review."


@click.group("review", cls=Group, invoke_without_command=True)
@click.pass_context
def review(ctx: click.Context) -> None:
    """Decide about what was captured or extracted.

    With the setting `review = "first"`, it is in no answer, brief or offer until you accept it. Without a
    command: one item after the other on a terminal, by single keys; else a list.
    """
    if ctx.invoked_subcommand is not None:
        return
    options = cast("Options", ctx.obj)
    if options.as_text and sys.stdin.isatty():
        with open_rum(options) as rum:
            _go_through(options, rum)
    else:
        ctx.invoke(list_pending)


@rum_command("list", review)
@_kind
@click.option("-n", "--limit", type=WholeNumber(min=1), metavar="N", help="At most N items.")
@ids_option
def list_pending(rum: Rum, kind: str | None = None, limit: int | None = None) -> Output:
    """List what waits for review, the last proposed first."""
    items = rum.review.list(kind, limit)
    return Output(items, _items_view, ids=(item.id for item in items), empty=_EMPTY)


def _items_view(items: Sequence[PendingItem]) -> View:
    columns = {"when": "dim", "kind": "", "what": "strong", "id": "id"}
    return table(columns, ([local_time(item.proposed_at), item.kind, item.label, item.id] for item in items))


@rum_command("show", review)
@click.argument("item_id", metavar="ID")
@_kind
def show(rum: Rum, item_id: str, kind: str | None) -> Output:
    """Show an item with the events it was made of."""
    return Output(rum.review.show(item_id, kind), _shown_view)


def _shown_view(item: PendingShown) -> View:
    head = (*heading(item.label, item.id), TextPart(f"{item.kind}, by {item.proposed_by}", "dim"))
    fields = _fields(item.content)
    if item.replaces is not UNSET:
        before = dict(_fields(item.replaces))
        fields = [(name, value) for name, value in fields if before.get(name) != value]
        fields = [("changes", f"a kept {item.kind}"), *fields]
    return [Fields(head, [*fields, ("evidence", item.evidence or ["the events are gone"])])]


def _fields(content: dict[str, Any], prefix: str = "") -> list[Field]:
    """The fields of an item in lines; those of its parts have dotted names."""
    found: list[Field] = []
    for name, value in content.items():
        if isinstance(value, dict):
            found += _fields(cast("dict[str, Any]", value), f"{prefix}{name}.")
        elif isinstance(value, list | tuple):
            found.append((prefix + name, [_text(one) for one in cast("Sequence[object]", value)]))
        elif name.endswith("_at") and isinstance(value, int | float):
            found.append((prefix + name, local_time(int(value))))
        elif value is not None:
            found.append((prefix + name, _text(value)))
    return [field for field in found if field[1]]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@rum_command("accept", review)
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@_kind
@ids_option
def accept(rum: Rum, names: tuple[str, ...], kind: str | None) -> Output:
    """Keep items: from now on they are found like any other."""
    return _done(rum.review.accept(*names, kind=kind))


@rum_command("reject", review)
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@_kind
@ids_option
def reject(rum: Rum, names: tuple[str, ...], kind: str | None) -> Output:
    """Delete items for good; they are not proposed again."""
    return _done(rum.review.reject(*names, kind=kind))


@rum_command("edit", review)
@click.argument("item_id", metavar="ID")
@click.option("--set", "given", multiple=True, metavar="FIELD=TEXT", help="A field and its text (repeat).")
@click.option("--file", "source", metavar="FILE", help="Read JSON of changed fields (-: stdin).")
@_kind
@ids_option
def edit(
    rum: Rum, item_id: str, given: tuple[str, ...], source: str | None, kind: str | None
) -> Output | None:
    """Keep an item with other content.

    Fields are named as `rum review show` prints them, such as outcome.summary. Without --set and --file, an
    editor opens on a terminal.
    """
    if given and source:
        raise click.UsageError("Give --set or --file, not both.")
    if source:
        where = source_name(source)
        changes = parse_json(decode_text(read_source(source), where), where)
    elif given:
        changes = _given(given)
    elif sys.stdin.isatty():
        changes = _in_editor(rum.review.show(item_id, kind))
    else:
        raise click.UsageError("Give --set FIELD=TEXT, or --file.")
    if not isinstance(changes, dict):
        raise InvalidQuery("The changes must be one JSON object.", field="file")
    if changes:
        return _done([rum.review.edit(item_id, cast("dict[str, Any]", changes), kind)])
    note("Nothing was changed.")
    return None


def _given(given: Sequence[str]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for one in given:
        name, is_set, changes[name] = one.partition("=")
        if not is_set:
            raise click.UsageError(f"Write --set FIELD=TEXT, not `{one}`.")
    return nested(changes)


def _in_editor(item: PendingShown) -> dict[str, Any]:
    """The fields that a person changes in an editor."""
    text = click.edit(json.dumps(item.content, ensure_ascii=False, indent=2), extension=".json")
    edited = item.content if text is None else parse_json(text, "The edited text")
    if not isinstance(edited, dict):
        raise InvalidQuery("The edited text must be one JSON object.")
    fields = cast("dict[str, Any]", edited)
    return {name: value for name, value in fields.items() if item.content.get(name) != value}


@rum_command("merge", review)
@click.argument("item_id", metavar="ID")
@click.argument("into", metavar="INTO")
@_kind
@ids_option
def merge(rum: Rum, item_id: str, into: str, kind: str | None) -> Output:
    """Unite an item with one that says the same.

    INTO is pending or kept. A memory gains the learnings, follow-ups, files and tags of the item.
    """
    return _done([rum.review.merge(item_id, into, kind)])


def _done(done: Sequence[Reviewed]) -> Output:
    ids = [one.id if one.kept_as is UNSET else one.kept_as for one in done]
    return Output(done, _done_view, ids=ids)


def _done_view(done: Sequence[Reviewed]) -> View:
    view: View = []
    for one in done:
        into = f" into {one.kept_as}" if one.verdict == "merged" else ""
        view += text_view(f"{one.verdict.capitalize()}: {one.kind} {one.id}{into} — {one.label}")
    return view


def _go_through(options: Options, rum: Rum) -> None:
    """Show one item after the other, and do what the pressed key says."""
    items = rum.review.list()
    if not items:
        note(_EMPTY)
    for place, item in enumerate(items, 1):
        if not _decide(options, rum, item, f"{place} of {len(items)}"):
            return


def _decide(options: Options, rum: Rum, item: PendingItem, place: str) -> bool:
    """Ask about one item until it is decided or left; False to end."""
    seen: PendingShown | None = None
    while True:
        try:
            shown = rum.review.show(item.id, item.kind)
        except RumError as error:  # decided elsewhere meanwhile
            note(error.message)
            return True
        if seen is None or shown.number != seen.number:
            print_result(options, shown, _shown_view)
            note(f"{place}: {_KEYS}")
        seen = shown
        key = read_key().lower()
        if key in ("q", END):
            return False
        if key in ("n", " ", "\r", "\n"):
            return True
        try:
            # It may have been proposed anew since it was shown.
            if key in _ACTIONS and rum.review.show(item.id, item.kind).number == shown.number:
                if done := _act(rum, shown, key):
                    print_result(options, done, _done_view)
                    return True
            elif key not in _ACTIONS:
                note(_KEYS)
        except RumError as error:
            note(error.message)


def _act(rum: Rum, item: PendingShown, key: str) -> Sequence[Reviewed]:
    if key == "a":
        return rum.review.accept(item.id, kind=item.kind)
    if key == "r":
        return rum.review.reject(item.id, kind=item.kind)
    if key == "m":
        into = read_line("Merge into (id):")
        return [rum.review.merge(item.id, into, item.kind)] if into else []
    changes = _in_editor(item)
    return [rum.review.edit(item.id, changes, item.kind)] if changes else []


@rum_command("stats")
@since_option
def stats(rum: Rum, since: float | None) -> Output:
    """Count what was captured, offered, followed and reviewed.

    Events are kept for two weeks; the other counts have no end.
    """
    return Output(rum.stats(since or 0), _stats_view)


def _stats_view(answer: Stats) -> View:
    fields: list[Field] = [
        ("events", _counts(answer.events)),
        ("turns", _counts(answer.turns)),
        *((f"offers: {kind}", _counts(counts)) for kind, counts in answer.offers.items()),
        ("muted hooks", str(answer.muted)),
        *((verdict, _counts(counts)) for verdict, counts in answer.reviewed.items()),
        ("pending", _counts(answer.pending)),
    ]
    when = f" since {local_time(int(answer.since))}" if answer.since else ""
    return [Fields((TextPart(f"Counts{when}", "title"),), fields)]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"
