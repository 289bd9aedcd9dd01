"""Who makes a request: the agent or person, its session and client, and what it may change."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rum.model.errors import PermissionDenied, RateLimited
from rum.model.ids import new_id

if TYPE_CHECKING:
    from rum.app.project import Project
    from rum.model.agents import Agent
    from rum.model.memory import Memory
    from rum.store.base import Store

Spell = Callable[[str], str]  # How an interface writes the name of a parameter in hints and errors

MINUTE = 60.0


class RateLimit:
    """Counts the calls of the last minute; `limit` 0 allows any number."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._calls: deque[float] = deque()

    def count_call(self) -> None:
        """Count one more call, or refuse it with RATE_LIMITED."""
        if not self._limit:
            return
        now = time.monotonic()
        while self._calls and now - self._calls[0] > MINUTE:
            self._calls.popleft()
        if len(self._calls) >= self._limit:
            wait = max(0.1, round(MINUTE - (now - self._calls[0]), 1))
            raise RateLimited(
                f"More than {self._limit} calls in a minute; try again in {wait} s.", retry_after=wait
            )
        self._calls.append(now)


class Caller:
    """One caller of an open project.

    A process over stdio holds one. A server makes one for each request, so that making it costs nothing.
    """

    def __init__(
        self,
        project: Project,
        *,
        client: str,
        owner: bool,
        cwd: str,
        spell: Spell = str,
        session_id: str | None = None,
        rate: RateLimit | None = None,
    ) -> None:
        self.project = project
        self.client = project.label(client)
        self.owner = owner
        """Whether this is a person, who may change everything."""
        self.cwd = cwd
        self.spell = spell
        self.session_id = project.label(session_id or project.settings.session or new_id("session"))
        self.rate = rate or RateLimit(project.settings.rate_limit)
        self.agent: Agent | None = None

    def other_agent(self, session_id: str | None = None) -> Caller:
        """A caller for another agent of the same process: not identified yet and no owner."""
        return Caller(
            self.project,
            client=self.client,
            owner=False,
            cwd=self.cwd,
            spell=self.spell,
            session_id=session_id or self.session_id,
            rate=self.rate,
        )

    @property
    def store(self) -> Store:
        """The project's store, which is another one after the project was joined or merged."""
        return self.project.store

    @contextmanager
    def turn(self, *, rate_limited: bool = True) -> Generator[None]:
        """One call at a time; it counts towards the rate limit unless nobody asked for it."""
        with self.project.locked():
            if rate_limited:
                self.rate.count_call()
            yield

    @contextmanager
    def undo_identity_on_error(self) -> Generator[None]:
        """Forget an agent that was registered in a transaction that failed."""
        before = self.agent
        try:
            yield
        except BaseException:
            self.agent = before
            raise

    def current_agent(self) -> Agent | None:
        """The agent that acts: identified, named in the settings, or the client's last main agent."""
        if self.agent is not None:
            return self.agent
        if name := self.project.settings.agent:
            found = self.store.agents.find_ids(name)
            return self.store.agents.get(found[0]) if len(found) == 1 else None
        return None if self.owner else self.store.agents.last_main(self.client)

    def relative(self, path: str) -> str:
        """A path as the project stores it."""
        return self.project.relative(path, self.cwd)

    def check_may_change(self, memory: Memory) -> None:
        """Refuse an agent that is neither the author, nor above the author, nor main for an import."""
        instead = "Store a memory of your own and link it with `supersedes` instead."
        imported = memory.imported_at is not None
        self.check_author(memory.id, memory.agent_id, imported=imported, instead=instead, named="memory_id")

    def check_author(
        self,
        what: str,
        author_id: str,
        *,
        imported: bool,
        instead: str,
        named: str = "id",
        may: str = "change",
    ) -> None:
        """The same for anything that has an author; `instead` tells a refused agent what it can do."""
        if not self.may_change(author_id, imported=imported):
            raise PermissionDenied(
                f"{what} belongs to {author_id}; only that agent, one above it or the owner may {may} it. "
                f"{instead}",
                **{named: what},
                agent_id=author_id,
            )

    def may_change(self, author_id: str, *, imported: bool) -> bool:
        """Whether this caller may change what an agent recorded or an import brought."""
        me = self.current_agent()
        if self.owner or me is None:
            return self.owner
        if author_id == me.id or self.store.agents.is_ancestor(me.id, author_id):
            return True
        author = self.store.agents.get(author_id)
        return me.type == "main" and (imported or (author is not None and author.imported_at is not None))
