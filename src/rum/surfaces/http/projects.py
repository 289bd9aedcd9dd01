"""The open projects of a server, the callers of each, and the threads in which calls run."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import IO, TypeVar

from rum.app.access import AccessToken, AuditLog
from rum.app.caller import Role
from rum.app.calls import is_write
from rum.app.project import LABEL
from rum.app.rum import Rum, for_token
from rum.model.errors import NotFound, StorageError
from rum.surfaces.http import limits
from rum.surfaces.mcp import apps
from rum.surfaces.mcp.protocol import Caller
from rum.surfaces.mcp.tools import Json, RumApplication

T = TypeVar("T")
_VIEW_TOOLS = frozenset(tool["name"] for tool in apps.TOOLS)
_IDS = ("memory_id", "id", "agent_id", "chapter_id", "wisdom_id", "source_id", "target_id")


# The caller's token, its role, its name, its session, and whether it is the page.
_CallerKey = tuple[str | None, str | None, str, str | None, bool]


class Busy(Exception):
    """Too much is waiting."""


class TooSlow(Exception):
    """A call takes longer than a client waits; it goes on without it."""


class OpenProject:
    """A project that is open, with one `Rum` for each of its callers."""

    def __init__(self, rum: Rum) -> None:
        self.rum = rum
        self.turns = asyncio.Semaphore(limits.AT_ONCE)
        self.users = 0
        self.used_at = monotonic()
        self.is_settled = True
        self.is_idle = True
        self._lock = threading.Lock()
        self._callers: OrderedDict[_CallerKey, Rum] = OrderedDict()

    def rum_of(
        self, token: AccessToken | None, client: str | None, session: str | None, *, is_page: bool = False
    ) -> Rum:
        """The memory for a caller; who it says it is lasts as long as its session, or as its token."""
        name = f"http:{token.name}" if token else client or ("http:everybody" if is_page else "mcp")
        # By the token itself: a later one of the same name may have another role.
        key = (token.id if token else None, token.role if token else None, name, session, is_page)
        with self._lock:
            found = self._callers.get(key)
            if found is None:
                role: Role | None = token.role if token else "writer" if is_page else None
                found = self._callers[key] = for_token(self.rum, name, role, session, is_page=is_page)
            self._callers.move_to_end(key)
            while len(self._callers) > limits.MAX_CALLERS:
                # Of whoever has most of them, so that nobody makes the server forget the others.
                (most, _), *_ = Counter(one[0] for one in self._callers).most_common(1)
                del self._callers[next(one for one in self._callers if one[0] == most)]
            return found


class OpenProjects:
    """Opens projects when they are asked for, and closes those that nobody uses."""

    def __init__(self, home: str, default: str | None) -> None:
        """`default` is the project of callers without a token: a name, id or folder, or the current one."""
        self._home = home
        self._default = default
        self._open: dict[str, OpenProject] = {}
        self._opening = asyncio.Lock()
        self._threads = ThreadPoolExecutor(limits.THREADS, thread_name_prefix="rum-call")
        self.running = 0

    def __len__(self) -> int:
        return len(self._open)

    async def run(self, project_id: str, work: Callable[[OpenProject], T]) -> T:
        """Do something with a project in a thread; TooSlow if the caller should not wait for its end."""
        if self.running >= limits.MAX_WAITING:
            raise Busy
        self.running += 1
        try:
            project = await self._project(project_id)
            if project.users >= limits.MAX_WAITING_EACH:
                raise Busy
            project.users += 1
        except BaseException:
            self.running -= 1
            raise
        try:
            await asyncio.wait_for(project.turns.acquire(), limits.CALL_WITHIN)
        except BaseException as error:
            self._leave(project)
            if isinstance(error, TimeoutError):
                raise Busy from None
            raise
        future = asyncio.get_running_loop().run_in_executor(self._threads, work, project)

        def end(_: object) -> None:
            project.turns.release()
            self._leave(project)

        future.add_done_callback(end)
        try:
            # Shielded, as a thread cannot be stopped: its turn ends with it.
            return await asyncio.wait_for(asyncio.shield(future), limits.CALL_WITHIN)
        except TimeoutError:
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise TooSlow from None

    def _leave(self, project: OpenProject) -> None:
        self.running -= 1
        project.users -= 1
        project.used_at = monotonic()
        project.is_settled = project.is_idle = False

    async def _project(self, project_id: str) -> OpenProject:
        async with self._opening:
            found = self._open.get(project_id)
            if found is None:
                found = self._open[project_id] = OpenProject(
                    await self._in_thread(self._open_rum, project_id)
                )
            return found

    def _open_rum(self, project_id: str) -> Rum:
        if not project_id:
            return Rum.open(project=self._default, home=self._home, owner=True)
        with unnamed_files():
            rum = Rum.open(self._home, project=project_id, home=self._home, owner=True)
        if rum.project.id != project_id:
            rum.close()
            raise NotFound("The project of this token does not exist any more.")
        return rum

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def keep_house(self) -> None:
        """Do what can wait, in the pauses of each project, and close what nobody uses; never returns."""
        while True:
            await asyncio.sleep(1.0)
            for project_id, project in sorted(self._open.items(), key=lambda item: item[1].used_at):
                if project.users:
                    continue
                try:
                    await self._keep(project_id, project)
                except Exception as error:  # noqa: BLE001 - the outer edge: the next project is not to blame
                    report(error)

    async def _keep(self, project_id: str, project: OpenProject) -> None:
        quiet = monotonic() - project.used_at
        application = RumApplication(rum=project.rum)
        if not project.is_settled:
            project.is_settled = True
            await self._in_thread(application.settle)
        after = application.idle_after()
        if not project.is_idle and after is not None and quiet > after:
            project.is_idle = True
            await self._in_thread(application.idle)
        too_many = len(self._open) > limits.MAX_PROJECTS
        async with self._opening:
            if not project.users and (quiet > limits.PROJECT_IDLE or too_many):
                del self._open[project_id]
                await self._in_thread(application.close)

    async def close(self) -> None:
        """Close every project, after the calls that run."""
        for project in self._open.values():
            try:
                await self._in_thread(RumApplication(rum=project.rum).close)
            except Exception as error:  # noqa: BLE001 - the outer edge: the others are to be closed too
                report(error)
        self._open.clear()
        self._threads.shutdown(wait=False)


class ServedApplication(RumApplication):
    """The memory of one caller; what it changes is recorded in the audit log."""

    def __init__(
        self, project: OpenProject, token: AccessToken | None, session: str | None, audit: AuditLog
    ) -> None:
        super().__init__()
        self._open_project = project
        self._token = token
        self._session = session
        self._audit = audit
        self.result = "ok"
        """`ok`, or the code of the error that was answered."""

    def _open(self, caller: Caller) -> Rum:
        session = caller.session[:LABEL] if caller.session else self._session
        return self._open_project.rum_of(self._token, caller.client, session)

    def call(self, name: str, arguments: Json, caller: Caller) -> tuple[Json, bool]:
        """Run a tool, and record it if it may change something."""
        if not _changes(name, arguments):
            answer, failed = self._answer(name, arguments, caller)
        else:
            try:
                file = self._audit.open()
            except StorageError as error:
                answer, failed = error.to_dict(), True
            else:
                with file:
                    try:
                        answer, failed = self._answer(name, arguments, caller)
                    except BaseException:
                        self._record(file, name, arguments, {}, "defect")
                        raise
                    result = str(answer.get("code", "ERROR")) if failed else "ok"
                    self._record(file, name, arguments, answer, result)
        self.result = str(answer.get("code", "ERROR")) if failed else "ok"
        return answer, failed

    def _answer(self, name: str, arguments: Json, caller: Caller) -> tuple[Json, bool]:
        answer, failed = super().call(name, arguments, caller)
        if failed and self._token and answer.get("code") == StorageError.code:
            answer = hide_details(answer).to_dict()
        return answer, failed

    def read(self, uri: str, caller: Caller) -> Json | None:
        """Return a resource by its URI."""
        with unnamed_files() if self._token else nullcontext():
            return super().read(uri, caller)

    def prompt(self, name: str, arguments: Json, caller: Caller) -> Json:
        """Return a prompt."""
        with unnamed_files() if self._token else nullcontext():
            return super().prompt(name, arguments, caller)

    def _record(self, file: IO[bytes], name: str, arguments: Json, answer: Json, result: str) -> None:
        token, action = self._token, arguments.get("action")
        named = [answer if result == "ok" else {}, arguments]
        ids = [one[key] for one in named for key in _IDS if isinstance(one.get(key), str)]
        try:
            self._audit.add(
                file,
                token=token.id if token else None,
                name=token.name if token else None,
                role=token.role if token else None,
                project=self._open_project.rum.project.id,
                call=name,
                action=action[:40] if isinstance(action, str) else None,
                ids=list(dict.fromkeys(one[:80] for one in ids)) or None,
                result=result,
            )
        except OSError as error:
            sys.stderr.write(f"rum serve: the audit log could not be written: {error.strerror}\n")


def _changes(name: str, arguments: Json) -> bool:
    """Whether a tool may change something; a view's request does unless it is a GET."""
    if name in _VIEW_TOOLS:
        return name == apps.PAGE and arguments.get("method") != "GET"
    return is_write(name, arguments)


def hide_details(error: Json) -> StorageError:
    """Print an error that may name files or hosts of the server, and return what its clients are told."""
    sys.stderr.write(f"rum serve: {error['message']} {json.dumps(error.get('details', {}))}\n")
    details = error.get("details", {})
    return StorageError(
        "The server's storage failed; try again. Its owner finds out more on stderr.",
        retry_after=details.get("retry_after"),
    )


@contextmanager
def unnamed_files() -> Generator[None]:
    """Tell clients of no file or host of the server."""
    try:
        yield
    except StorageError as error:
        raise hide_details(error.to_dict()) from None


def report(error: BaseException) -> None:
    """Print a defect with its traceback."""
    sys.excepthook(type(error), error, error.__traceback__)
