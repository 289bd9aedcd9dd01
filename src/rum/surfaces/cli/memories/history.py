"""`rum history` and `rum restore`: earlier versions of a memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

import click

from rum.inject.render import local_time
from rum.model.memory import Version
from rum.surfaces.cli.memories.update import updated_view
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import Table, TextPart, View

Json = dict[str, Any]


@command("history")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def history(options: Options, memory_id: str) -> None:
    """Show every version of a memory.

    Oldest first, with who changed what. --json prints each version in full.
    """
    with open_rum(options) as rum:
        versions = rum.history(stored_id(rum, memory_id))
        print_result(options.json, versions, _versions)


@command("restore")
@click.argument("memory_id", metavar="ID")
@click.option("--version", type=int, required=True, metavar="N", help="The version to go back to.")
@click.pass_obj
def restore(options: Options, memory_id: str, version: int) -> None:
    """Restore an earlier version of a memory.

    The versions in between stay in the history.
    """
    with open_rum(options) as rum:
        answer = rum.restore(stored_id(rum, memory_id), version)
    print_result(options.json, answer, updated_view)


def _versions(versions: Sequence[Version]) -> View:
    changes = ["stored"]
    changes += [", ".join(_changed(old.memory, new.memory)) for old, new in pairwise(versions)]
    rows = [
        (
            TextPart(str(one.version), "id"),
            TextPart(local_time(one.changed_at), "dim"),
            TextPart(one.changed_by, "dim"),
            TextPart(change or "nothing"),
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
