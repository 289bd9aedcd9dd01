"""`rum import git`: a repository's history as memories."""

from __future__ import annotations

from typing import Any

import click

from rum.app.imports.git import GitImport
from rum.surfaces.cli.imports.import_view import counts, taken, tell_of_vectors
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.times import When
from rum.surfaces.cli.views import View, said


@command("git")
@click.argument("path", required=False, type=click.Path())
@click.option("--since", type=When(), metavar="WHEN", help="Only commits since then.")
@click.option(
    "--max", "max_commits", type=click.IntRange(min=1), metavar="N", help="Only the newest N commits."
)
@click.option("--paths", multiple=True, metavar="PATH", help="Only commits that touch it (repeat).")
@click.option("--dry-run", is_flag=True, help="Count, and keep nothing.")
@click.pass_obj
def import_git(asked: Asked, path: str | None, **chosen: Any) -> None:
    """Make memories of a repository's history.

    Of the repository here, or at PATH. What was imported before stays as it is, and what was forgotten
    stays forgotten, so it can be run again at any time: only what is new is read.
    """
    with opened(asked, path) as rum:
        with progress("Importing", None) as tell:
            answer = rum.import_git(path, progress=tell, **chosen)
        say(asked.json, answer, _taken)
        if not asked.json:
            for remark in answer.notes:
                note(remark)
            tell_of_vectors(rum)


def _taken(answer: GitImport) -> View:
    found = {
        "failures": answer.failures,
        "links": answer.links,
        "rewritten": answer.rewritten,
        "too large to keep every file": answer.cut,
    }
    told = counts(found)
    return [*taken(answer, would=answer.dry_run), *(said(f"Found: {told}.") if told else [])]
