"""Rum for asyncio: the same calls, awaited, in one thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Self, TypeVar

from rum.app.rum import Rum

T = TypeVar("T")


class AsyncRum:
    """A project's memory for async programs: `async with await AsyncRum.open() as rum`.

    Every method of `Rum` can be awaited here under the same name. Other attributes, such as `facts` or
    `notes`, are used with `await rum.use(lambda rum: rum.facts.set("port", "8080"))`.
    """

    def __init__(self, rum: Rum, thread: ThreadPoolExecutor) -> None:
        self._rum = rum
        self._thread = thread

    @classmethod
    async def open(cls, *arguments: Any, **options: Any) -> Self:
        """Open a project; the arguments are those of `Rum.open`."""
        thread = ThreadPoolExecutor(1, thread_name_prefix="rum")
        try:
            opening = partial(Rum.open, *arguments, **options)
            return cls(await asyncio.get_running_loop().run_in_executor(thread, opening), thread)
        except BaseException:
            thread.shutdown(wait=False)
            raise

    async def use(self, function: Callable[[Rum], T]) -> T:
        """Call a function with the `Rum` itself, in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, self._rum)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(Rum, name, None)
        if name.startswith("_") or name == "run" or not callable(method):
            instead = f"`await rum.use(lambda rum: rum.{name})`"
            raise AttributeError(f"AsyncRum has no method {name!r}. Try {instead}.")

        def call(*arguments: Any, **options: Any) -> Awaitable[Any]:
            return self.use(lambda rum: method(rum, *arguments, **options))

        return call

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Write what is pending, close the files, and end the thread."""
        await self.use(Rum.close)
        self._thread.shutdown()
