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
from rum.app.imports.git_progress import unread_history
from rum.app.project import Helper, Project, ignore
from rum.capture.events.spool import spools
from rum.model.errors import RumError
from rum.settings.home import file_lock
from rum.settings.table import SETTINGS

if TYPE_CHECKING:
    import subprocess

MAX_ANCHORED = 5000  # Memories that one run ties to the code
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
    imported: int | UnsetType = UNSET  # Memories of new commits; unset if there were none
    synced: int | UnsetType = UNSET  # Items that came or went by `sync`; unset if it is not automatic


def pending(project: Project) -> int:
    """The number of memories without a vector."""
    return project.semantic.counts().pending


def tidy(caller: Caller, seconds: float, lock_timeout: float, progress: Callable[[int], None]) -> TidyResult:
    """Do pending work for at most `seconds`; wait at most `lock_timeout` seconds for another process."""
    with caller.store.transaction():
        pass  # raises if the store is read-only
    # First, as these memories need vectors too. Loaded when needed: MCP servers import this module only to
    # start the process for idle work.
    done = load("app.capture.intake:intake")(caller)
    captured = done.memories if done.events or done.memories else UNSET
    semantic = caller.project.semantic
    semantic.end_pause()
    with lease(caller.project.location.directory, lock_timeout, caller.project.now()) as other:
        if other is not None:
            return TidyResult(semantic.model, 0, pending(caller.project), busy=other, captured=captured)
        imported, problem = _import_new_commits(caller)
        caller.store.upkeep.merge_index()
        load("app.freshness.anchors:make_missing")(caller.project, MAX_ANCHORED)
        load("app.freshness.texts:make_missing_texts")(caller.project, MAX_ANCHORED)
        load("app.freshness.branches:renew_branches")(caller.project)
        load("app.freshness.changes:renew_changes")(caller.project)
        load("app.offers:judge_work")(caller.project)
        embedded = 0

        def count(done: int) -> None:
            nonlocal embedded
            embedded = done
            progress(done)

        semantic.embed_pending(seconds, count)
        left = pending(caller.project)
        dropped = 0 if left else _drop_unused(caller.project)
        chapters: int | UnsetType = UNSET
        if caller.project.settings.auto_chapters == "on":
            chapters = load("app.chapters.create:make_chapters")(caller)
        synced: int | UnsetType = UNSET
        if any('"auto":true' in state for state in caller.store.sync.targets().values()):
            synced, sync_problem = load("app.sync.sync:sync_automatically")(caller)
            problem = problem or sync_problem
        trouble = semantic.trouble or semantic.write_error or problem or UNSET
        return TidyResult(
            semantic.model,
            embedded,
            left,
            dropped,
            chapters,
            trouble=trouble,
            captured=captured,
            imported=imported,
            synced=synced,
        )


def _import_new_commits(caller: Caller) -> tuple[int | UnsetType, str]:
    """Import new commits, if the history was imported before; their number, and what went wrong."""
    unread = unread_history(caller.project)
    if not unread:
        return UNSET, ""
    folder, paths = unread
    try:
        return load("app.imports.git:import_git")(caller, folder, {"paths": paths}, ignore).added or UNSET, ""
    except RumError as error:
        return UNSET, error.message


def _drop_unused(project: Project) -> int:
    model = project.semantic.model
    vectors = project.store.vectors
    if model is None or vectors.models() in ([], [model]):
        return 0
    vectors.adopt(model, project.now())
    return vectors.drop_unused(model, project.now() - UNUSED_VECTORS_TTL)


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
            holder = LockHolder()
            with suppress(OSError, msgspec.MsgspecError), open(path, "rb") as file:
                file.seek(_HOLDER_OFFSET)
                holder = msgspec.json.decode(file.read(200), type=LockHolder)
            yield holder
            return
        with open(path, "r+b") as file:
            file.seek(_HOLDER_OFFSET)
            file.write(msgspec.json.encode(LockHolder(os.getpid(), now)))
            file.truncate()
        yield None


MAX_IDLE_SECONDS = 300.0  # Maximum run time in seconds of a process started by `start_idle_process`

RETRY_AFTER = 60.0  # Minimum seconds between the start of a process that failed and that of the next

_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "VECLIB")}


def start_idle_process(project: Project) -> bool:
    """Start a process for the pending work; False if there is none, or if no process was started."""
    project.semantic.has_pending = False
    project.semantic.sync_failures()  # includes failures recorded by the last child process
    if not project.settings.idle_after:
        return False
    has_work = project.semantic.has_work() or any(map(spools, project.spool_folders))
    has_work = has_work or load("app.freshness.anchors:has_missing")(project)
    has_work = has_work or load("app.freshness.branches:needs_renewal")(project)
    if not has_work and not unread_history(project):
        return False
    if (helper := project.helper) is not None:
        # It may run without the lock yet; one that failed is not started again at once.
        exit_code = helper.process.poll()
        if exit_code is None or (exit_code and time.monotonic() - helper.since < RETRY_AFTER):
            return False
    with lease(project.location.directory, 0, project.now()) as other:
        if other is not None:
            return False
    if not sys.executable or getattr(sys, "frozen", False):
        return False  # embedded interpreter: there is no Python executable to start
    try:
        project.helper = Helper(_spawn(project), time.monotonic())
    except OSError:  # process limit reached, or RUM_HOME is missing: try again later
        return False
    return True


def _spawn(project: Project) -> subprocess.Popen[bytes]:
    import subprocess  # noqa: PLC0415 (slow to import, and only needed here)

    # The child has the environment of this process, and the embedder settings in force.
    environment = {**os.environ, **_ONE_THREAD, "RUM_HOME": project.settings.home}
    for setting in SETTINGS:
        if setting.name.startswith("embedder"):
            value = getattr(project.settings, setting.name)
            environment.pop(setting.env, None)
            if value is not None:
                environment[setting.env] = str(value)
    flags = 0  # elsewhere the child lowers its own priority
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        flags |= subprocess.IDLE_PRIORITY_CLASS
    location = project.location
    arguments = ["tidy", "--idle", location.directory, "--project", location.id]
    child = subprocess.Popen(
        [sys.executable, "-m", "rum", *arguments],
        # Not the repository: `-m` imports from the current folder first, and a repository is not trusted.
        cwd=project.settings.home,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that signals to our process group do not reach it
        creationflags=flags,
    )
    # Wait for the child, or it stays a zombie for as long as this process lives.
    Thread(target=child.wait, name="rum-idle", daemon=True).start()
    return child
