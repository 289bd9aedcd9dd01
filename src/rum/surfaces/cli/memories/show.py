"""`rum show`: one memory with everything in it."""

from __future__ import annotations

import click

from rum.model.questions import Depth
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.memories.memory_view import agent_names, as_fields
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import print_result


@command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--depth", type=OneOf(Depth), default=Depth.COMPLETE.value, help="How much of it to show.")
@click.pass_obj
def show(options: Options, memory_id: str, depth: str) -> None:
    """Show one memory with everything in it.

    ID is a memory's id or the end of it, 8 characters or more.
    """
    with open_rum(options) as rum:
        memory = rum.show(stored_id(rum, memory_id), depth)
        print_result(options.json, memory, lambda memory: [as_fields(memory, agent_names(rum, [memory]))])
