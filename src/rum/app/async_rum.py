"""Rum for asyncio: the same calls, awaited, in one thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Self, TypeVar

from rum.app.rum import Rum
from rum.model.errors import StorageError

T = TypeVar("T")


class AsyncRum:
    """A project's memory for async programs: `async with AsyncRum.open() as rum`.

    Every method of `Rum` can be awaited here under the same name. Other attributes, such as `facts` or
    `notes`, are used with `await rum.use(lambda rum: rum.facts.set("port", "8080"))`.
    """

    def __init__(self, rum: Rum, thread: ThreadPoolExecutor) -> None:
        self._rum = rum
        self._thread = thread
        self._closed = False

    @classmethod
    def open(cls, *arguments: Any, **options: Any) -> _Opening:
        """Open a project, with the arguments of `Rum.open`; to be awaited or used with `async with`."""
        return _Opening(partial(Rum.open, *arguments, **options))

    async def use(self, function: Callable[[Rum], T]) -> T:
        """Call a function with the `Rum` itself, in its thread."""
        if self._closed:
            raise StorageError("This memory was closed. Open it again with AsyncRum.open().")
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, self._rum)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(Rum, name, None)
        if name.startswith("_") or name == "run" or not callable(method):
            instead = f" Try `await rum.use(lambda rum: rum.{name})`." if hasattr(Rum, name) else ""
            raise AttributeError(f"AsyncRum has no method {name!r}.{instead}")

        def call(*arguments: Any, **options: Any) -> Awaitable[Any]:
            return self.use(lambda rum: method(rum, *arguments, **options))

        return call

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Write what is pending, close the files, and end the thread; a second time does nothing."""
        if not self._closed:
            closing = self._thread.submit(self._rum.close)
            self._closed = True
            self._thread.shutdown(wait=False)
            await asyncio.shield(asyncio.wrap_future(closing))
            self._thread.shutdown()  # its last call has ended, so this does not block


class _Opening:
    """A memory that is about to be opened."""

    def __init__(self, open_rum: Callable[[], Rum]) -> None:
        self._open_rum = open_rum
        self._opened: AsyncRum | None = None

    def __await__(self) -> Generator[Any, None, AsyncRum]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncRum:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        if self._opened:
            await self._opened.close()

    async def _open(self) -> AsyncRum:
        thread = ThreadPoolExecutor(1, thread_name_prefix="rum")
        opening = thread.submit(self._open_rum)
        try:
            return AsyncRum(await asyncio.wrap_future(opening), thread)
        except BaseException:
            # If the caller was cancelled, the memory may still be opened, and nobody would close it.
            opening.add_done_callback(_close_opened)
            thread.shutdown(wait=False)
            raise


def _close_opened(opening: Future[Rum]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
