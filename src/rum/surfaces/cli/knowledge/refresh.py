"""`rum refresh`: renew chapters and wisdom whose memories changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rum.model.chapter_answers import Change, RefreshResult, Renewed
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.views import Said, View, Word, said

F = TypeVar("F", bound=Callable[..., Any])


def dry_run_option(command: F) -> F:
    """What any command that renews can be asked."""
    return click.option("--dry-run", is_flag=True, help="Only show what would change.")(command)


@command("refresh")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@dry_run_option
@click.pass_obj
def refresh(asked: Asked, ids: tuple[str, ...], dry_run: bool) -> None:
    """Update chapters and wisdom whose memories changed.

    Updates those named by ID, or all stale ones: those with a memory that was changed, superseded or
    forgotten. Shows what was removed (-) and added (+). Texts that you supplied are kept.
    """
    with opened(asked) as rum:
        say_renewed(asked, rum.refresh(*map(str.lower, ids), dry_run=dry_run))


def say_renewed(asked: Asked, answer: RefreshResult) -> None:
    """Print what was renewed."""
    say(asked.json, answer, _renewed)
    if not asked.json:
        for reason in answer.skipped:
            note(f"skipped: {reason}")


def _renewed(answer: RefreshResult) -> View:
    if not answer.renewed:
        return said("Nothing is stale." if not answer.skipped else "Nothing was updated.")
    view: View = [line for one in answer.renewed for line in _one(one, answer.dry_run)]
    return view


def _one(one: Renewed, dry_run: bool) -> View:
    verb = "would be updated" if dry_run else "updated"
    view: View = [Said((Word(one.title, "strong"), Word(f"[{one.id}]", "id"), Word(verb, "dim")))]
    view += [Said((Word(f"because {reason}", "dim"),)) for reason in one.stale]
    view += [line for change in one.changes for line in _change(change)]
    if not one.changes:
        view.append(Said((Word("unchanged", "dim"),)))
    if one.note:
        view.append(Said((Word(one.note, "dim"),)))
    return view


def _change(change: Change) -> View:
    gone = [Said((Word(f"- {change.part}: {text}", "bad"),)) for text in change.removed]
    come = [Said((Word(f"+ {change.part}: {text}", "good"),)) for text in change.added]
    return [*gone, *come]
