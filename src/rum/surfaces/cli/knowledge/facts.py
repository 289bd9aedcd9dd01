"""`rum facts`: keys and values."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from rum.inject.render import local_time
from rum.model.layers import Fact, FactVersion, Rule
from rum.surfaces.cli.memories.forget import forget_one, forget_options
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, Group, ids_option
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.views import Table, View, Word, said


@click.group("facts", cls=Group)
def facts() -> None:
    """Manage facts: keys and values.

    Facts are shared by all agents of the project. Earlier values stay in the history.
    """


@facts.command("get")
@click.argument("key")
@click.pass_obj
def get(asked: Asked, key: str) -> None:
    """Print the value of a key."""
    with opened(asked) as rum:
        say(asked.json, rum.facts.show(key), lambda fact: said(fact.value))


@facts.command("set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_fact(asked: Asked, key: str, value: str) -> None:
    """Set the fact of KEY, replacing its former value.

    VALUE is the text, or - for stdin.
    """
    text = sys.stdin.read().strip() if value == "-" else value
    with opened(asked) as rum:
        before = rum.facts.get(key)
        fact = rum.facts.set(key, text)
    say(asked.json, fact, lambda fact: said(version_message(fact.key, fact, before)))


def version_message(name: str, now: Fact | Rule, before: Fact | Rule | None) -> str:
    """Whether a fact or rule has a new version."""
    same = before is not None and before.version == now.version
    return f"{name} is unchanged: version {now.version}." if same else f"{name} is now version {now.version}."


@facts.command("list")
@click.argument("prefix", default="")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Maximum number.")
@ids_option
@click.pass_obj
def list_facts(asked: Asked, prefix: str, limit: int | None) -> None:
    """List facts, last changed first.

    With PREFIX only those whose keys begin with it.
    """
    with opened(asked) as rum:
        known = rum.facts.list(prefix, limit)
    if asked.ids:
        say_ids(fact.key for fact in known)
        return
    say(asked.json, known, _table)
    if not known and not asked.json:
        note("No facts.")


@facts.command("history")
@click.argument("key")
@click.pass_obj
def history(asked: Asked, key: str) -> None:
    """Show all values of a key, oldest first."""
    with opened(asked) as rum:
        say(asked.json, rum.facts.history(key), _versions)


@facts.command("forget")
@click.argument("key")
@forget_options
@click.pass_obj
def forget(asked: Asked, key: str, dry_run: bool, purge: bool) -> None:
    """Delete a fact with its history permanently."""
    forget_one(asked, key, "fact", dry_run=dry_run, purge=purge)


def _table(known: Sequence[Fact]) -> View:
    rows = [
        (
            Word(fact.key, "strong"),
            Word(fact.value),
            Word(local_time(fact.updated_at or fact.created_at), "dim"),
        )
        for fact in known
    ]
    return [Table(("key", "value", "since"), rows, [f"{fact.key}: {fact.value}" for fact in known])]


def _versions(versions: Sequence[FactVersion]) -> View:
    rows = [
        (
            Word(str(one.version), "id"),
            Word(local_time(one.changed_at), "dim"),
            Word(one.changed_by, "dim"),
            Word(one.value),
        )
        for one in versions
    ]
    return [Table(("version", "since", "by", "value"), rows)]
