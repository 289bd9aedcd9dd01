"""Open the project of a command, print its warnings, and print what the command returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

import click

from rum.app.rum import Rum
from rum.model.errors import NotFound
from rum.repo.project import ProjectLocation
from rum.surfaces.cli.options import Command, Options, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import View


class Output(NamedTuple):
    """What a command prints; see `print_result`."""

    answer: Any
    view: Callable[[Any], View] | View | str
    ids: Iterable[str] | None = None
    empty: str | None = None
    notes: Iterable[str] = ()


def rum_command(
    name: str, group: click.Group | None = None, *, help: str | None = None, mention_absence: bool = True
) -> Callable[[Callable[..., Output | None]], Command]:
    """Make a function that takes the open project a command; what it returns is printed."""

    def make(function: Callable[..., Output | None]) -> Command:
        @wraps(function)
        def run(options: Options, **arguments: Any) -> None:
            with open_rum(options, mention_absence=mention_absence) as rum:
                if output := function(rum, **arguments):
                    print_result(options, *output)

        return command(name, group, help=help)(run)

    return make


@contextmanager
def open_rum(options: Options, path: str | None = None, *, mention_absence: bool = True) -> Generator[Rum]:
    """Open the project at `path` or the current folder; without --agent the caller is the owner."""
    # A person at the command line may change everything, an agent only its own memories.
    owner = options.agent is None
    with Rum.open(
        path, project=options.project, agent=options.agent, client="cli", owner=owner, spell=_option
    ) as rum:
        before = rum.project
        for warning in () if options.quiet else (*rum.warnings, *filter(None, [rum.take_question()])):
            note(warning)
        try:
            yield rum
        finally:
            if damage := rum.take_damage():
                note(damage)
        if options.as_text and mention_absence and not before.exists:
            _note_new_project(rum, before)


def _note_new_project(rum: Rum, before: ProjectLocation) -> None:
    """Say that nothing is stored here, or what is to be said of the project that was just created."""
    if not rum.project.exists:
        # Notes and journals are files in the repository: a command that wrote or showed some found something.
        folders = [rum.settings.folder(name) for name in ("notes_dir", "sessions_dir")]
        if any(folder and os.path.isdir(folder) for folder in folders):
            return
        note(f"No memory here yet: nothing is stored for {rum.project.name}.")
    elif rum.project.note and rum.project.note != before.note:
        note(rum.project.note)


def _option(parameter: str) -> str:
    """The option or argument of the running command for a parameter of the API."""
    for param in click.get_current_context().command.params:
        if param.name == parameter:
            return (
                param.opts[0] if isinstance(param, click.Option) else param.human_readable_name.strip("[].")
            )
    return parameter


def stored_id(rum: Rum, memory_id: str) -> str:
    """Return an id as it is stored: RUM's own are lower-case, imported ones may not be."""
    lower = memory_id.lower()
    if lower == memory_id:
        return memory_id
    try:
        # Unlike `show`, `history` does not count as a use of the memory.
        rum.history(memory_id)
    except NotFound:
        return lower
    return memory_id
