"""The author of a request: an agent or a person, with a session and a client; and what they may change."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from rum.model.errors import PermissionDenied, RateLimited
from rum.model.ids import new_id

if TYPE_CHECKING:
    from rum.app.layers.layers import Layers
    from rum.app.project import Project
    from rum.model.agents import Agent
    from rum.model.memory import Memory
    from rum.store.base import Agents, Store

# Returns the name of a parameter as an interface writes it in hints and errors, such as `--min-confidence`.
ParameterName = Callable[[str], str]

MINUTE = 60.0
# What somebody with a token may do: read; also write as agents of their own; or everything.
Role = Literal["reader", "writer", "owner"]


class RateLimit:
    """Counts the calls of the last minute; `limit` 0 allows any number."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._calls: deque[float] = deque()

    def count_call(self) -> None:
        """Count a call. Raise RateLimited if there were too many."""
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


class Looked:
    """Where offers were looked for already; see `app/session_offers.py`."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.at_start = False


class Caller:
    """One caller of an open project.

    A process over stdio has one. A server makes one for each request, so making it must be cheap.
    """

    def __init__(
        self,
        project: Project,
        *,
        client: str,
        owner: bool,
        cwd: str,
        parameter_name: ParameterName = str,
        session_id: str | None = None,
        rate: RateLimit | None = None,
        role: Role | None = None,
        counts_uses: bool = True,
    ) -> None:
        """`role` is that of a caller's token; a local caller has none, and may act as any agent."""
        self.counts_uses = counts_uses
        """Whether what is retrieved counts as used."""
        self.project = project
        self.role: Role | None = role
        self.client = project.label(client)
        self.owner = owner
        """Whether the caller is a person. A person may change everything."""
        self.cwd = cwd
        self.parameter_name = parameter_name
        given = session_id or project.settings.session
        self.session_id = project.label(given) if given else new_id("session")
        self.rate = rate or RateLimit(project.settings.rate_limit)
        self.agent: Agent | None = None
        self.looked = Looked()
        self.layers: Layers | None = None  # With the working entries; made when first needed

    def other_agent(self, session_id: str | None = None) -> Caller:
        """Return a caller for another agent of this process. It is not identified yet, and it is no owner."""
        return Caller(
            self.project,
            client=self.client,
            owner=False,
            cwd=self.cwd,
            parameter_name=self.parameter_name,
            session_id=session_id or self.session_id,
            rate=self.rate,
            role="writer" if self.role == "owner" else self.role,
        )

    def count_uses(self, ids: Iterable[str]) -> None:
        """Count memories as retrieved."""
        if self.counts_uses:
            self.project.uses.update(ids)

    @property
    def store(self) -> Store:
        """The project's store, which is another one after the project was joined or merged."""
        return self.project.store

    @contextmanager
    def locked_call(self, *, rate_limited: bool = True, reads: bool = False) -> Generator[None]:
        """Hold the project's lock during one call; `reads` says that it changes nothing.

        Pass `rate_limited=False` for a call that RUM makes itself: it does not count towards the rate limit.
        """
        with self.project.locked(reads=reads):
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

    @property
    def configured_agent(self) -> str | None:
        """The name in the settings, which are those of the server for a caller with a token."""
        return self.project.settings.agent if self.role is None else None

    @property
    def is_confined(self) -> bool:
        """Whether the caller may act only as an agent that it has registered itself."""
        return self.role in ("reader", "writer")

    def check_may_write(self, call: str) -> None:
        """Raise PermissionDenied if the caller may only read."""
        if self.role == "reader":
            raise PermissionDenied(
                f"This token may only read, so `{call}` changed nothing. The owner of the server can create "
                "one with the role writer.",
                role=self.role,
            )

    def check_unconfined(self, what: str) -> None:
        """Raise PermissionDenied for what only the owner may do on a shared server."""
        if self.is_confined:
            raise PermissionDenied(f"Only the owner may {what} on a shared server.", role=self.role)

    def current_agent(self) -> Agent | None:
        """Return the agent that makes the call, if it is known.

        This is the identified agent, else the one named in the settings, else the client's last main agent.
        An owner has no agent unless it was identified or named.
        """
        if self.agent is not None:
            return self.agent
        if name := self.configured_agent:
            found = self.store.agents.find_ids(name)
            return self.store.agents.get(found[0]) if len(found) == 1 else None
        return None if self.owner else self.store.agents.last_main(self.client)

    def relative(self, path: str) -> str:
        """Return a path as the project stores it."""
        return self.project.relative(path, self.cwd)

    def check_may_change(self, memory: Memory) -> None:
        """Raise PermissionDenied if the caller may not change a memory."""
        instead = "Store a memory of your own and link it with `supersedes` instead."
        imported = memory.imported_at is not None
        self.check_author(
            memory.id, memory.agent_id, imported=imported, instead=instead, id_field="memory_id"
        )

    def check_author(
        self,
        what: str,
        author_id: str,
        *,
        imported: bool,
        instead: str,
        id_field: str = "id",
        verb: str = "change",
    ) -> None:
        """Raise PermissionDenied if the caller may not change `what`, which `author_id` wrote.

        `instead` is a sentence that says what a refused agent can do, `verb` the refused action, and
        `id_field` the detail of the error that holds `what`.
        """
        if not self.may_change(author_id, imported=imported):
            raise PermissionDenied(
                f"{what} belongs to {author_id}; only that agent, one above it or the owner may {verb} it. "
                f"{instead}",
                **{id_field: what},
                agent_id=author_id,
            )

    def may_change(self, author_id: str, *, imported: bool) -> bool:
        """Whether the caller may change what an agent wrote or what was imported.

        The owner may, the author, an ancestor of the author, and for imports every local main agent.
        """
        me = self.current_agent()
        if self.owner or me is None:
            return self.owner
        if author_id == me.id or is_ancestor(self.store.agents, me.id, author_id):
            return True
        if self.is_confined:  # on a server, what was imported is the owner's
            return False
        author = self.store.agents.get(author_id)
        return me.type == "main" and (imported or (author is not None and author.imported_at is not None))


def is_ancestor(agents: Agents, ancestor_id: str, agent_id: str) -> bool:
    """Whether one agent is the parent of another, or the parent's parent, and so on."""
    below: set[str] = set()
    agent = agents.get(agent_id)
    while agent is not None and agent.parent_id and agent.id not in below:
        if agent.parent_id == ancestor_id:
            return True
        below.add(agent.id)
        agent = agents.get(agent.parent_id)
    return False
