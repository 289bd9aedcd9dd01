"""Do pending work (embed memories, merge the text index) under a lock, here or in a short-lived process."""

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

ProgressCallback = Callable[[int], None]

DEFAULT_SECONDS = 30.0  # Time limit in seconds if the caller gives none
# Seconds to keep the vectors of another embedder after its last use: another client may still use it.
UNUSED_VECTORS_TTL = 7 * 86400


class TidyResult(msgspec.Struct, frozen=True):
    """What was done and what is left to do."""

    model: str | None  # The embedder's stamp; None if recall uses words only
    embedded: int
    pending: int
    dropped: int = 0  # Vectors deleted because their embedder is no longer used
    chapters: int | UnsetType = UNSET  # Chapters created; unset if `auto_chapters` is off
    trouble: str | UnsetType = UNSET  # Why the embedder failed, or why its vectors could not be stored
    busy: LockHolder | UnsetType = UNSET  # The process that holds the lock; if set, nothing was done
    # Memories created from events that hooks had spooled; unset if there were none.
    captured: int | UnsetType = UNSET


def pending(project: Project) -> int:
    """The number of memories without a vector."""
    return project.semantic.counts().pending


def tidy(
    caller: Caller, seconds: float, lock_timeout: float, progress: ProgressCallback = lambda _: None
) -> TidyResult:
    """Do pending work for at most `seconds`; wait at most `lock_timeout` seconds for another process."""
    with caller.store.transaction():
        pass  # raises if the store is read-only
    captured = _import_events(caller)
    semantic = caller.project.semantic
    semantic.end_pause()
    with lease(caller.project.location.directory, lock_timeout, caller.project.now()) as other:
        if other is not None:
            return TidyResult(semantic.model, 0, pending(caller.project), busy=other, captured=captured)
        caller.store.upkeep.merge_index()
        counter = _ProgressCounter(progress)
        semantic.catch_up(seconds, counter, in_background=True)
        left = pending(caller.project)
        dropped = 0 if left else _drop_unused(caller.project)
        chapters = _make_chapters(caller)
        trouble = semantic.trouble or semantic.write_error or UNSET
        return TidyResult(
            semantic.model, counter.done, left, dropped, chapters, trouble=trouble, captured=captured
        )


def _import_events(caller: Caller) -> int | UnsetType:
    """Create memories from events that hooks spooled; runs first, because these memories need vectors too."""
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
    return vectors.drop_unused(model, project.now() - UNUSED_VECTORS_TTL)


class _ProgressCounter:
    """Forwards the number of embedded memories to a callback, and keeps the last one."""

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        self.done = 0

    def __call__(self, done: int) -> None:
        self.done = done
        self._callback(done)


_LOCK_FILE = "tidy.lock"
# Offset of the holder's record: on Windows other processes cannot read the locked byte (byte 0).
_HOLDER_OFFSET = 1


class LockHolder(msgspec.Struct, frozen=True):
    """The process that holds the lock: its id and the start time in Unix seconds; zeros if unknown."""

    pid: int = 0
    since: int = 0


@contextmanager
def lease(folder: str, lock_timeout: float, now: int) -> Generator[LockHolder | None]:
    """Take the lock of a project; yield None, or its holder if it is not free within `lock_timeout` seconds.

    It is a lock of the kernel, so it ends with the process that holds it.
    """
    path = os.path.join(folder, _LOCK_FILE)
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(path, lock_timeout))
        except TimeoutError:
            yield _read_holder(path)
            return
        _write_holder(path, LockHolder(os.getpid(), now))
        yield None


def _write_holder(path: str, holder: LockHolder) -> None:
    with open(path, "r+b") as file:
        file.seek(_HOLDER_OFFSET)
        file.write(msgspec.json.encode(holder))
        file.truncate()


def _read_holder(path: str) -> LockHolder:
    with suppress(OSError, msgspec.MsgspecError), open(path, "rb") as file:
        file.seek(_HOLDER_OFFSET)
        return msgspec.json.decode(file.read(200), type=LockHolder)
    return LockHolder()


MAX_IDLE_SECONDS = 300.0  # Maximum run time in seconds of a process started by `start_idle_process`

RETRY_AFTER = 60.0  # Minimum seconds between the start of a process that failed and that of the next

_CHILD_SETTINGS = [setting for setting in SETTINGS if setting.name.startswith("embedder")]
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "VECLIB")}


def start_idle_process(project: Project) -> bool:
    """Start a process for the pending work; False if there is none, or if no process was started."""
    project.semantic.has_pending = False
    project.semantic.sync_failures()  # includes failures recorded by the last child process
    if not project.settings.idle_after or not (project.semantic.has_work() or _has_spool(project)):
        return False
    if _is_running_or_failed_recently(project.helper) or _is_leased(project):
        return False
    if not sys.executable or getattr(sys, "frozen", False):
        return False  # embedded interpreter: there is no Python executable to start
    try:
        project.helper = Helper(_spawn(project), time.monotonic())
    except OSError:  # process limit reached, or RUM_HOME is missing: try again later
        return False
    return True


def _has_spool(project: Project) -> bool:
    """Whether hooks spooled events for this project."""
    spool_dirs = folders(project.settings.home, project.location.id, project.location.directory)
    return any(spools(directory) for directory in spool_dirs)


def _is_running_or_failed_recently(helper: Helper | None) -> bool:
    """Whether the last process still runs (perhaps without the lock yet), or failed a short time ago."""
    if helper is None:
        return False
    exit_code = helper.process.poll()
    return exit_code is None or (exit_code != 0 and time.monotonic() - helper.since < RETRY_AFTER)


def _is_leased(project: Project) -> bool:
    """Whether another process holds the lock."""
    with lease(project.location.directory, 0, project.now()) as other:
        return other is not None


def _spawn(project: Project) -> subprocess.Popen[bytes]:
    import subprocess  # noqa: PLC0415 (slow to import, and only needed here)

    location = project.location
    arguments = ["tidy", "--idle", location.directory, "--project", location.id]
    child = subprocess.Popen(
        [sys.executable, "-m", "rum", *arguments],
        # Not the repository: `-m` imports from the current folder first, and a repository is not trusted.
        cwd=project.settings.home,
        env=_environment(project),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that signals to our process group do not reach it
        creationflags=_creation_flags(),
    )
    # Wait for the child, or it stays a zombie for as long as this process lives.
    Thread(target=child.wait, name="rum-idle", daemon=True).start()
    return child


def _environment(project: Project) -> dict[str, str]:
    """The environment for the child: that of this process, plus the effective embedder settings."""
    environment = {**os.environ, **_ONE_THREAD, "RUM_HOME": project.settings.home}
    for setting in _CHILD_SETTINGS:
        value = getattr(project.settings, setting.name)
        environment.pop(setting.env, None)
        if value is not None:
            environment[setting.env] = str(value)
    return environment


def _creation_flags() -> int:
    """Windows flags for a hidden process with idle priority; elsewhere the child lowers its own priority."""
    if sys.platform != "win32":
        return 0
    import subprocess  # noqa: PLC0415 (as above)

    return subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.IDLE_PRIORITY_CLASS
