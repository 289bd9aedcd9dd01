"""`rum show`: one memory with everything in it."""

from __future__ import annotations

import click

from rum.model.questions import Depth
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.memories.memory_view import as_fields, makers
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say


@command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--depth", type=OneOf(Depth), default=Depth.COMPLETE.value, help="How much of it to show.")
@click.pass_obj
def show(asked: Asked, memory_id: str, depth: str) -> None:
    """Show one memory with everything in it.

    ID is a memory's id or the end of it, 8 characters or more.
    """
    with opened(asked) as rum:
        memory = rum.show(meant(rum, memory_id), depth)
        say(asked.json, memory, lambda memory: [as_fields(memory, makers(rum, [memory]))])
