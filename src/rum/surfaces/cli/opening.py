"""Open the memory that a command is about, and pass on what its settings have to say."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rum.app.rum import Rum
from rum.surfaces.cli.asked import Asked
from rum.surfaces.cli.output import note


@contextmanager
def opened(asked: Asked) -> Generator[Rum]:
    """The project's memory; whoever names no agent is the person who owns it."""
    owner = asked.agent is None
    with Rum.open(project=asked.project, agent=asked.agent, client="cli", owner=owner) as rum:
        for warning in (*rum.settings.warnings, rum.project.note):
            if warning:
                note(warning)
        yield rum
