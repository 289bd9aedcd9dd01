"""Start a short-lived process that does what is pending while nobody asks anything."""

from __future__ import annotations

import os
import sys
import time
from threading import Thread

from rum.app.context import Context
from rum.app.lease import lease
from rum.settings import SETTINGS

LONGEST = 300.0
"""Seconds after which such a process ends, whatever is left."""

AGAIN = 30.0
"""Seconds after which another may be started."""

_PASSED_ON = [setting for setting in SETTINGS if setting.name.startswith("embedder")]
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "VECLIB")}


def start(context: Context) -> bool:
    """Let another process do what is pending; False when there is nothing to do, or nobody to do it."""
    if not context.settings.idle_after or not context.meaning.has_work():
        return False
    # One that was started just now has no lease yet; one that died at once would die again.
    now = time.monotonic()
    if now - context.helped_at < AGAIN or _taken(context):
        return False
    context.helped_at = now
    if not sys.executable or getattr(sys, "frozen", False):
        return False  # an interpreter inside another program, which is no way to start one
    try:
        _spawn(context)
    except OSError:  # no room for one more process, or the home is gone: then it is done another time
        return False
    return True


def _taken(context: Context) -> bool:
    """Whether somebody is at it already."""
    with lease(context.project.directory, 0, context.now()) as other:
        return other is not None


def _spawn(context: Context) -> None:
    import subprocess  # noqa: PLC0415 (slow to load, and of no use before)

    project = context.project
    arguments = ["tidy", "--idle", project.directory, "--project", project.id]
    child = subprocess.Popen(
        [sys.executable, "-m", "rum", *arguments],
        # A folder of our own: `-m` looks for modules in the current one first, and a repository's is foreign.
        cwd=context.settings.home,
        env=_environment(context),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that no signal meant for us reaches it
        creationflags=_flags(),
    )
    # Somebody has to take note of its end while this process lives, or it would stay as a zombie.
    Thread(target=child.wait, name="rum-idle", daemon=True).start()


def _environment(context: Context) -> dict[str, str]:
    """This process's, with the embedder that is in force here, wherever it was set."""
    environment = {**os.environ, **_ONE_THREAD, "RUM_HOME": context.settings.home}
    for setting in _PASSED_ON:
        value = getattr(context.settings, setting.name)
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
