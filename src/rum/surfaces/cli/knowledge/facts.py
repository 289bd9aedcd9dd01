"""`rum facts`: values by key."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from rum.inject.render import local_time
from rum.model.layers import Fact, FactVersion, Rule
from rum.surfaces.cli.memories.forget import add_forget_command
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Group, Options, ids_option, limit_option
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import Table, TextPart, View, text_view


@click.group("facts", cls=Group)
def facts() -> None:
    """Manage facts: keys and values.

    Facts are shared by all agents of the project. Earlier values stay in the history.
    """


@facts.command("get")
@click.argument("key")
@click.pass_obj
def get_fact(options: Options, key: str) -> None:
    """Print the value of a key."""
    with open_rum(options) as rum:
        print_result(options, rum.facts.show(key), lambda fact: text_view(fact.value))


@facts.command("set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_fact(options: Options, key: str, value: str) -> None:
    """Set the fact of KEY, replacing its former value.

    VALUE is the text, or - for stdin.
    """
    text = sys.stdin.read().strip() if value == "-" else value
    with open_rum(options) as rum:
        previous = rum.facts.get(key)
        fact = rum.facts.set(key, text)
    print_result(options, fact, lambda fact: text_view(version_message(fact.key, fact, previous)))


def version_message(name: str, now: Fact | Rule, previous: Fact | Rule | None) -> str:
    """Say whether a fact or rule has a new version."""
    same = previous is not None and previous.version == now.version
    return f"{name} is unchanged: version {now.version}." if same else f"{name} is now version {now.version}."


@facts.command("list")
@click.argument("prefix", default="")
@limit_option()
@ids_option
@click.pass_obj
def list_facts(options: Options, prefix: str, limit: int | None) -> None:
    """List facts, last changed first.

    With PREFIX only those whose keys begin with it.
    """
    with open_rum(options) as rum:
        known = rum.facts.list(prefix, limit)
    print_result(options, known, _facts_view, ids=(fact.key for fact in known), empty="No facts.")


@facts.command("history")
@click.argument("key")
@click.pass_obj
def history(options: Options, key: str) -> None:
    """Show all values of a key, oldest first."""
    with open_rum(options) as rum:
        print_result(options, rum.facts.history(key), _versions_view)


add_forget_command(facts, "fact", "Delete a fact with its history permanently.", metavar="KEY")


def _facts_view(known: Sequence[Fact]) -> View:
    rows = [
        (
            TextPart(fact.key, "strong"),
            TextPart(fact.value),
            TextPart(local_time(fact.updated_at or fact.created_at), "dim"),
        )
        for fact in known
    ]
    return [Table(("key", "value", "since"), rows, [f"{fact.key}: {fact.value}" for fact in known])]


def _versions_view(versions: Sequence[FactVersion]) -> View:
    rows = [
        (
            TextPart(str(one.version), "id"),
            TextPart(local_time(one.changed_at), "dim"),
            TextPart(one.changed_by, "dim"),
            TextPart(one.value),
        )
        for one in versions
    ]
    return [Table(("version", "since", "by", "value"), rows)]
