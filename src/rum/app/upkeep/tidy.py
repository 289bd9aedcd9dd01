"""Pending work, done under a lease: embedding, merging the text index; or by a short-lived process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.project import Helper, Project
from rum.capture.events.spool import folders, spools
from rum.settings.home import file_lock
from rum.settings.table import SETTINGS

if TYPE_CHECKING:
    import subprocess

Tell = Callable[[int], None]

USUAL = 30.0  # Seconds of work when nobody says how long
# Seconds for which vectors of another embedder are kept: another client here may be using it.
KEPT = 7 * 86400


class TidyResult(msgspec.Struct, frozen=True):
    """What was done and what is left to do."""

    model: str | None  # The embedder's stamp; None where recall goes by words alone
    embedded: int
    pending: int
    dropped: int = 0  # Vectors deleted because their embedder is no longer used
    chapters: int | UnsetType = UNSET  # Chapters that were made, where that is set
    trouble: str | UnsetType = UNSET  # Why the embedder failed, or its vectors could not be kept
    busy: Holder | UnsetType = UNSET  # Who else is at it; nothing was done then
    captured: int | UnsetType = UNSET  # Memories made of what hooks had left, if they had left anything


def pending(project: Project) -> int:
    """How many memories wait for a vector."""
    return project.semantic.counts().pending


def tidy(caller: Caller, seconds: float, patience: float, progress: Tell = lambda _: None) -> TidyResult:
    """Do what is pending, for that long; another who is at it is waited for as long as `patience` says."""
    with caller.project.store.transaction():
        pass  # where nothing can be written, this says so
    captured = _import_events(caller)
    semantic = caller.project.semantic
    semantic.end_pause()
    with lease(caller.project.location.directory, patience, caller.project.now()) as other:
        if other is not None:
            return TidyResult(semantic.model, 0, pending(caller.project), busy=other, captured=captured)
        caller.project.store.upkeep.merge_index()
        counted = _Count(progress)
        semantic.catch_up(seconds, counted, in_background=True)
        left = pending(caller.project)
        dropped = 0 if left else _drop_unused(caller.project)
        made = _make_chapters(caller)
        trouble = semantic.trouble or semantic.write_error or UNSET
        return TidyResult(
            semantic.model, counted.done, left, dropped, made, trouble=trouble, captured=captured
        )


def _import_events(caller: Caller) -> int | UnsetType:
    """Make memories of what hooks left; first of all, as they want vectors, too."""
    # Loaded when needed: MCP servers import this module only to start the process for idle work.
    done = load("app.capture.intake:intake")(caller)
    return done.memories if done.events or done.memories else UNSET


def _make_chapters(caller: Caller) -> int | UnsetType:
    if caller.project.settings.auto_chapters != "on":
        return UNSET
    return load("app.chapters.create:make_chapters")(caller)


def _drop_unused(project: Project) -> int:
    model = project.semantic.model
    vectors = project.store.vectors
    if model is None or vectors.models() in ([], [model]):
        return 0
    vectors.adopt(model, project.now())
    return vectors.drop_unused(model, project.now() - KEPT)


class _Count:
    """Passes on how much is done, and remembers it."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.done = 0

    def __call__(self, done: int) -> None:
        self.done = done
        self._tell(done)


_FILE = "tidy.lock"
_FIRST = 1  # Where the holder's name begins: on Windows the byte that is locked cannot be read by others


class Holder(msgspec.Struct, frozen=True):
    """Who is at work, as far as it can be read: process id and since when, in Unix seconds."""

    pid: int = 0
    since: int = 0


@contextmanager
def lease(folder: str, patience: float, now: int) -> Generator[Holder | None]:
    """Take the lease of a project; yield None, or its holder if it is not free within `patience` seconds.

    It is a lock of the kernel, so it ends with the process that holds it.
    """
    path = os.path.join(folder, _FILE)
    with ExitStack() as held:
        try:
            held.enter_context(file_lock(path, patience))
        except TimeoutError:
            yield _read_holder(path)
            return
        _write_holder(path, Holder(os.getpid(), now))
        yield None


def _write_holder(path: str, holder: Holder) -> None:
    with open(path, "r+b") as file:
        file.seek(_FIRST)
        file.write(msgspec.json.encode(holder))
        file.truncate()


def _read_holder(path: str) -> Holder:
    with suppress(OSError, msgspec.MsgspecError), open(path, "rb") as file:
        file.seek(_FIRST)
        return msgspec.json.decode(file.read(200), type=Holder)
    return Holder()


LONGEST = 300.0  # Seconds after which such a process ends, whatever is left

AGAIN = 60.0  # Seconds after which another may be started where the last one failed

_PASSED_ON = [setting for setting in SETTINGS if setting.name.startswith("embedder")]
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "VECLIB")}


def start(project: Project) -> bool:
    """Let another process do what is pending; False when there is nothing to do, or nobody to do it."""
    project.semantic.has_pending = False
    project.semantic.sync_failures()  # as of the process that was started last
    if not project.settings.idle_after or not (project.semantic.has_work() or _has_spool(project)):
        return False
    if _is_working(project.helper) or _is_leased(project):
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


def _is_working(helper: Helper | None) -> bool:
    """Whether the process started last is at work, if without a lease yet; or failed, as the next would."""
    if helper is None:
        return False
    ended = helper.process.poll()
    return ended is None or (ended != 0 and time.monotonic() - helper.since < AGAIN)


def _is_leased(project: Project) -> bool:
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
