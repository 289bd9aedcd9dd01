"""`rum doctor`, `rum reindex` and `rum backup`."""

from __future__ import annotations

import platform
from typing import Any, cast

import click

from rum._version import __version__
from rum.app.project import damage
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import StorageError
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result, size_of
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import Field, Fields, TextLine, TextPart, View, text_view


@command("doctor")
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check the project's memory for problems.

    Checks database, index, versions, permissions, disk and settings. The exit code is 1 if it finds any.
    """
    options = ctx.ensure_object(Options)
    try:
        with open_rum(options) as rum:
            found = rum.doctor()
    except StorageError as error:
        found = _not_even_opened(error)
    print_result(options.json, found, _diagnosis)
    ctx.exit(0 if found.healthy else 1)


def _not_even_opened(error: StorageError) -> Diagnosis:
    """The diagnosis of a database that cannot be opened."""
    path = error.details.get("path")
    advice = f"The file is {path}." if path else ""
    facts = {"rum": __version__, "python": platform.python_version()}
    return Diagnosis(healthy=False, problems=[Problem(error.message, advice)], facts=facts)


def _diagnosis(found: Diagnosis) -> View:
    facts: list[Field] = [_fact(name, value) for name, value in found.facts.items()]
    problems: View = [
        TextLine((TextPart("problem:", "bad"), TextPart(problem.what), TextPart(problem.advice, "dim")))
        for problem in found.problems
    ]
    problems += [TextLine((TextPart("remark:", "strong"), TextPart(remark))) for remark in found.remarks]
    heading = TextPart("healthy", "good") if found.healthy else TextPart("not healthy", "bad")
    return [*problems, Fields((heading,), facts)]


def _fact(name: str, value: object) -> Field:
    """A fact as people read it: sizes in round figures, and what to do where something waits."""
    if name == "free_bytes" and isinstance(value, int):
        return "free", size_of(value)
    if not isinstance(value, dict):
        return name, str(value)
    parts = cast("dict[str, Any]", value)
    if name == "bytes":
        return "size", ", ".join(f"{file} {size_of(size)}" for file, size in parts.items())
    text = ", ".join(f"{part} {figure}" for part, figure in parts.items())
    return name, f"{text} (run `rum tidy` to compute them)" if parts.get("pending") else text


@command("reindex")
@click.option("--vectors", is_flag=True, help="Also drop the vectors; `rum tidy` computes them again.")
@click.pass_obj
def reindex(options: Options, vectors: bool) -> None:
    """Rebuild the search index.

    Vectors are kept, as computing them takes much longer; --vectors drops them too.
    """
    with open_rum(options) as rum:
        total = rum.list(limit=1).total if options.agent is None else None
        with progress("Reindexing", total) as report_progress:
            done = rum.reindex(report_progress, vectors=vectors, left_out=lambda one: note(damage(one)))
    print_result(options.json, {"reindexed": done}, lambda _: text_view(f"Reindexed: {done}"))


@command("backup")
@click.argument("file", type=click.Path())
@click.pass_obj
def backup(options: Options, file: str) -> None:
    """Back up the memory to a file.

    Other processes can keep writing. FILE must not exist yet.
    """
    with open_rum(options) as rum:
        size = rum.backup(file)
    print_result(options.json, {"file": file, "bytes": size}, lambda _: text_view(f"{file}: {size} bytes"))
