"""`rum import github-issues`: exported issues as memories."""

from __future__ import annotations

import sys

import click

from rum.app.imports.issues import IssueImport
from rum.surfaces.cli.imports.import_view import taken, tell_of_vectors
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import say
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import View, said


@command("github-issues")
@click.argument("file")
@click.pass_obj
def import_issues(asked: Asked, file: str) -> None:
    """Make memories of exported issues.

    FILE holds the JSON of `gh issue list --json ...` or of GitHub's REST API; - is stdin. It is checked
    whole before anything is written. Issues that went on since the last import are brought up to date.
    """
    exported = _read(file)
    with opened(asked) as rum:
        with progress("Importing", None) as tell:
            answer = rum.import_issues(exported, tell)
        say(asked.json, answer, _taken)
        if not asked.json:
            tell_of_vectors(rum)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    with open(file, "rb") as source:
        return source.read()


def _taken(answer: IssueImport) -> View:
    return [*taken(answer), *(said(f"Found: links {answer.links}.") if answer.links else [])]
