"""Start a short-lived process that does what is pending while nobody asks anything."""

from __future__ import annotations

import os
import sys
import time
from threading import Thread
from typing import TYPE_CHECKING

from rum.app.project import Helper, Project
from rum.app.upkeep.tidy import lease
from rum.capture.events.spool import folders, spools
from rum.settings.table import SETTINGS

if TYPE_CHECKING:
    import subprocess

LONGEST = 300.0
"""Seconds after which such a process ends, whatever is left."""

AGAIN = 60.0
"""Seconds after which another may be started where the last one failed."""

_PASSED_ON = [setting for setting in SETTINGS if setting.name.startswith("embedder")]
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "VECLIB")}


def start(project: Project) -> bool:
    """Let another process do what is pending; False when there is nothing to do, or nobody to do it."""
    project.semantic.behind = False
    project.semantic.heed_failures()  # as of the process that was started last
    if not project.settings.idle_after or not (project.semantic.has_work() or _has_spool(project)):
        return False
    if _at_it(project.helper) or _taken(project):
        return False
    if not sys.executable or getattr(sys, "frozen", False):
        return False  # an interpreter inside another program, which is no way to start one
    try:
        project.helper = Helper(_spawn(project), time.monotonic())
    except OSError:  # no room for one more process, or the home is gone: then it is done another time
        return False
    return True


def _has_spool(project: Project) -> bool:
    """Whether hooks left something in the project's own spool."""
    places = folders(project.settings.home, project.location.id, project.location.directory)
    return any(spools(place) for place in places)


def _at_it(helper: Helper | None) -> bool:
    """Whether the process started last is at work, if without a lease yet; or failed, as the next would."""
    if helper is None:
        return False
    ended = helper.process.poll()
    return ended is None or (ended != 0 and time.monotonic() - helper.since < AGAIN)


def _taken(project: Project) -> bool:
    """Whether somebody is at it already."""
    with lease(project.location.directory, 0, project.now()) as other:
        return other is not None


def _spawn(project: Project) -> subprocess.Popen[bytes]:
    import subprocess  # noqa: PLC0415 (slow to load, and of no use before)

    location = project.location
    arguments = ["tidy", "--idle", location.directory, "--project", location.id]
    child = subprocess.Popen(
        [sys.executable, "-m", "rum", *arguments],
        # A folder of our own: `-m` looks for modules in the current one first, and a repository's is foreign.
        cwd=project.settings.home,
        env=_environment(project),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that no signal meant for us reaches it
        creationflags=_flags(),
    )
    # Somebody has to take note of its end while this process lives, or it would stay as a zombie.
    Thread(target=child.wait, name="rum-idle", daemon=True).start()
    return child


def _environment(project: Project) -> dict[str, str]:
    """This process's, with the embedder that is in force here, wherever it was set."""
    environment = {**os.environ, **_ONE_THREAD, "RUM_HOME": project.settings.home}
    for setting in _PASSED_ON:
        value = getattr(project.settings, setting.name)
        environment.pop(setting.env, None)
        if value is not None:
            environment[setting.env] = str(value)
    return environment


def _flags() -> int:
    """What Windows must be told beforehand; elsewhere the process itself steps back behind all others."""
    if sys.platform != "win32":
        return 0
    import subprocess  # noqa: PLC0415 (as above)

    return subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.IDLE_PRIORITY_CLASS
