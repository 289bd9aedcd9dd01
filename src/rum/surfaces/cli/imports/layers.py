"""`rum import layers` and `rum export layers`: the three JSON files of layers, in and out."""

from __future__ import annotations

import click

from rum.surfaces.cli.imports.import_view import layers_taken
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say
from rum.surfaces.cli.views import said


@command("layers")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.pass_obj
def import_layers(asked: Asked, folder: str) -> None:
    """Take in files of layers.

    DIR holds episodic.json, semantic.json or procedural.json, such as .rlm-data/memory. They are checked
    whole before anything is written. What is here already stays as it is.
    """
    with opened(asked) as rum:
        answer = rum.import_layers(folder)
    say(asked.json, answer, layers_taken)


@command("layers")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.pass_obj
def export_layers(asked: Asked, folder: str) -> None:
    """Write facts, rules and events as files of layers.

    To episodic.json, semantic.json and procedural.json in DIR, which must not have any of them yet.
    """
    with opened(asked) as rum:
        counts = rum.export_layers(folder)
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    say(asked.json, {"dir": folder, "entries": counts}, lambda _: said(f"{folder}: {told}"))
