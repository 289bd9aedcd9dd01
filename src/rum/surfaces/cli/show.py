"""`rum show`: one memory with everything in it."""

from __future__ import annotations

import click

from rum.model.questions import Depth
from rum.surfaces.cli.asked import Asked, command
from rum.surfaces.cli.memories import as_fields, makers
from rum.surfaces.cli.opening import meant, opened
from rum.surfaces.cli.output import say
from rum.surfaces.cli.words import OneOf


@command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--depth", type=OneOf(Depth), default=Depth.COMPLETE.value, help="How much of it.")
@click.pass_obj
def show(asked: Asked, memory_id: str, depth: str) -> None:
    """Show one memory with everything in it.

    ID is a memory's id or a tail of it, 8 characters or more.
    """
    with opened(asked) as rum:
        memory = rum.show(meant(rum, memory_id), depth)
        say(asked.json, memory, lambda memory: [as_fields(memory, makers(rum, [memory]))])
