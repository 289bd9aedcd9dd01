"""What `doctor` says of hooks: what troubled them, and whether they keep anything."""

from __future__ import annotations

import time

from rum.app.project import Project
from rum.capture.events import pause, problems, spool
from rum.model.answers import Problem


def troubles(project: Project) -> list[Problem]:
    """What hooks had to keep to themselves, as nothing they print may trouble an agent."""
    home, location = project.settings.home, project.location
    places = (*spool.folders(home, location.id, location.directory), *spool.unclaimed_folders(home))
    found = problems.recent_problems(places, project.now())
    return [
        Problem(
            f"Capture had trouble, {one.times} × until {_when(one.last)}: {one.what}.",
            "What was kept is taken in by `rum tidy`; this note goes a week after the last time.",
        )
        for one in found
    ]


def pauses(project: Project) -> dict[str, str]:
    """Whether hooks keep nothing here, and until when."""
    held = pause.pauses_now(project.settings.home, project.location.id, project.now())
    ends = [one["until"] for one in held]
    if not ends:
        return {}
    last = None if None in ends else max(filter(None, ends))
    return {"paused": "until `rum resume`" if last is None else f"until {_when(last)}"}


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
