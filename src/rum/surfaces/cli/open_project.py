"""Open the memory that a command is about, and pass on what the user should know of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import click

from rum.app.rum import Rum
from rum.model.errors import NotFound
from rum.surfaces.cli.options import Asked
from rum.surfaces.cli.output import note


@contextmanager
def opened(asked: Asked, path: str | None = None) -> Generator[Rum]:
    """The memory of the project here or at `path`; whoever names no agent is the person who owns it."""
    owner = asked.agent is None
    with Rum.open(
        path, project=asked.project, agent=asked.agent, client="cli", owner=owner, spell=_option
    ) as rum:
        for warning in () if asked.quiet else rum.warnings:
            note(warning)
        yield rum


def _option(parameter: str) -> str:
    """A parameter of the API as the running command writes it."""
    for param in click.get_current_context().command.params:
        if param.name == parameter:
            return (
                param.opts[0] if isinstance(param, click.Option) else param.human_readable_name.strip("[].")
            )
    return parameter


def meant(rum: Rum, memory_id: str) -> str:
    """An id as it is stored: ours are lower-case whatever was typed, a foreign one is as it is."""
    lower = memory_id.lower()
    if lower == memory_id:
        return memory_id
    try:
        # Unlike looking at it, asking for its history is no use of a memory.
        rum.history(memory_id)
    except NotFound:
        return lower
    return memory_id
