"""`rum history` and `rum restore`: what a memory said before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

import click

from rum.inject.render import local_time
from rum.model.memory import Version
from rum.surfaces.cli.memories.update import updated
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say
from rum.surfaces.cli.views import Table, View, Word

Json = dict[str, Any]


@command("history")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def history(asked: Asked, memory_id: str) -> None:
    """Show every version of a memory.

    Oldest first, with who changed what. --json prints each version in full.
    """
    with opened(asked) as rum:
        versions = rum.history(meant(rum, memory_id))
        say(asked.json, versions, _versions)


@command("restore")
@click.argument("memory_id", metavar="ID")
@click.option("--version", type=int, required=True, metavar="N", help="The version to go back to.")
@click.pass_obj
def restore(asked: Asked, memory_id: str, version: int) -> None:
    """Restore an earlier version of a memory.

    The versions in between stay in the history.
    """
    with opened(asked) as rum:
        answer = rum.restore(meant(rum, memory_id), version)
    say(asked.json, answer, updated)


def _versions(versions: Sequence[Version]) -> View:
    changes = ["stored"]
    changes += [", ".join(_changed(old.memory, new.memory)) for old, new in pairwise(versions)]
    rows = [
        (
            Word(str(one.version), "id"),
            Word(local_time(one.changed_at), "dim"),
            Word(one.changed_by, "dim"),
            Word(change or "nothing"),
        )
        for one, change in zip(versions, changes, strict=True)
    ]
    return [Table(("version", "when", "by", "changed"), rows)]


def _changed(old: Json, new: Json, path: str = "") -> Iterator[str]:
    """The fields that differ, by their paths."""
    for name in dict.fromkeys([*old, *new]):
        one, other = old.get(name), new.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _changed(cast("Json", one), cast("Json", other), f"{path}{name}.")
        elif one != other:
            yield f"{path}{name}"
