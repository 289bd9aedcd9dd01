"""One open project: its store, its checkout, who is asking, and what they may do."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rum.capture.tombstones import installation_key
from rum.embed.choose import open_embedder
from rum.model.agents import Agent
from rum.model.depth import Use
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied, RateLimited
from rum.model.ids import TAIL, new_id
from rum.model.memory import Memory
from rum.recall.semantic import Meaning
from rum.redact.redactor import Redactor
from rum.repo.files import blob_id, relative_path
from rum.repo.git import GitPlace, find_git, head
from rum.repo.project import Project
from rum.settings.load import Settings
from rum.store.base import Store

if TYPE_CHECKING:
    import subprocess

    from rum.app.notes.note_store import Shelf
    from rum.llm.base import LanguageModel
    from rum.llm.meter import Meter

LABEL = 200
"""How much is kept of a session's, client's or branch's name."""

Clock = Callable[[], float]
Spell = Callable[[str], str]
"""How a door writes the name of one of the API's parameters."""


class Helper(NamedTuple):
    """A process that was started, and when by the monotonic clock."""

    process: subprocess.Popen[bytes]
    since: float


class Context:
    """What every use case needs. Over one process it holds one identity and one session."""

    def __init__(
        self,
        project: Project,
        settings: Settings,
        store: Store,
        *,
        client: str,
        owner: bool,
        clock: Clock,
        cwd: str,
        spell: Spell = str,
    ) -> None:
        self.project = project
        self.settings = settings
        self.store = store
        self.client = self.label(client)
        self.owner = owner
        """Whether a person acts, who may change everything."""
        self.clock = clock
        self.cwd = cwd
        self.spell = spell
        self.agent: Agent | None = None
        self.session_id = self.label(settings.session or new_id("session"))
        self.uses: Counter[str] = Counter()
        self.helper: Helper | None = None
        """The process that was last started for what is pending."""
        self._turn = threading.RLock()
        self._place: GitPlace | None = None
        self._calls: deque[float] = deque()

    def now(self) -> int:
        """Unix seconds."""
        return int(self.clock())

    @cached_property
    def redactor(self) -> Redactor:
        """Cuts secrets out before anything is written."""
        try:
            return Redactor(extra=self.settings.redact_extra, allow=self.settings.redact_allow)
        except ValueError as error:
            raise InvalidQuery(f"The setting redact_extra has {error}.", field="redact_extra") from None

    def clean(self, given: dict[str, Any]) -> dict[str, Any]:
        """The same without secrets."""
        return cast("dict[str, Any]", self.redactor.redact_tree(given))

    def label(self, text: str) -> str:
        """A name that others gave to something, short and without secrets."""
        return self.redactor.redact(text[:LABEL])

    @cached_property
    def meaning(self) -> Meaning:
        """Likeness of meaning by the embedder that the settings ask for; loads nothing before it is used."""
        return Meaning(self.store, open_embedder(self.settings), clean=self.redactor.redact, clock=self.clock)

    @cached_property
    def meter(self) -> Meter:
        """What language models have cost, and may cost."""
        from rum.llm.choose import open_meter  # noqa: PLC0415 (few settings ask for one)

        return open_meter(self.settings, self.project.id, self.clock)

    @cached_property
    def language_model(self) -> LanguageModel | None:
        """The language model that the settings ask for, if any; it sees and gives no secrets."""
        from rum.llm.choose import open_model  # noqa: PLC0415 (as for `meter`)

        return open_model(self.settings, self.meter, self.redactor.redact_tree)

    @cached_property
    def shelf(self) -> Shelf:
        """The notes of this checkout; nothing is read, or loaded, before they are asked for."""
        from rum.app.notes.note_store import Shelf  # noqa: PLC0415 (a third of what starting takes)

        return Shelf(self.settings.folder("notes_dir"), self.project.directory, self.clean, self.clock)

    @cached_property
    def tombstone_key(self) -> bytes:
        """The key of this installation's tombstones."""
        return installation_key(self.settings.home)

    def apart(self, session_id: str | None = None) -> Context:
        """The same project for another agent of this process: with its own identity, all else shared."""
        other = copy(self)
        other.agent, other.owner = None, False
        if session_id:
            other.session_id = self.label(session_id)
        return other

    @contextmanager
    def turn(self, *, counted: bool = True) -> Generator[None]:
        """One call at a time, within the rate that was set, with the backend's errors in plain words.

        What nobody asked for is not counted, so that it takes nothing of the calls that agents may make.
        """
        with self._turn:
            if counted:
                self._count_call()
            self.store.refresh()
            try:
                with self.store.errors():
                    yield
            except UnicodeEncodeError:
                raise InvalidQuery("Half a surrogate pair is no text; give whole characters.") from None
            except RecursionError:
                raise InvalidQuery("This is nested too deeply.") from None

    @contextmanager
    def identity_undone_on_error(self) -> Generator[None]:
        """Whoever was registered in a transaction that failed does not exist."""
        before = self.agent
        try:
            yield
        except BaseException:
            self.agent = before
            raise

    def acting(self) -> Agent | None:
        """The agent that is acting: who identified itself, was named in the settings, or worked here last."""
        if self.agent is not None:
            return self.agent
        if self.settings.agent:
            found = self.store.agents.named(self.settings.agent)
            return self.store.agents.get(found[0]) if len(found) == 1 else None
        return None if self.owner else self.store.agents.last_main(self.client)

    def _count_call(self) -> None:
        limit = self.settings.rate_limit
        if not limit:
            return
        now = time.monotonic()
        while self._calls and now - self._calls[0] > 60:
            self._calls.popleft()
        if len(self._calls) >= limit:
            wait = max(0.1, round(60 - (now - self._calls[0]), 1))
            raise RateLimited(
                f"More than {limit} calls in a minute; try again in {wait} s.", retry_after=wait
            )
        self._calls.append(now)

    def settle(self) -> None:
        """Write down what was used; what cannot be written now waits for the next time."""
        with self._turn:
            if self.uses and self.store.activity.add_uses(self.uses, self.now()):
                self.uses.clear()
            if "meaning" in self.__dict__:
                self.meaning.note_use()

    def used(self, ids: Iterable[str]) -> dict[str, Use]:
        """How often memories were retrieved, what is not yet written down included."""
        wanted = list(ids)
        uses = self.store.activity.uses(wanted)
        for one in self.uses.keys() & set(wanted):
            uses[one] = Use(uses.get(one, Use()).times + self.uses[one], self.now())
        return uses

    def warnings(self) -> tuple[str, ...]:
        """What the user should know."""
        stale = self.store.upkeep.stale_index()
        old = ("The index was made by another version of RUM; run `rum reindex`.",) if stale else ()
        return (*self.settings.warnings, *filter(None, [self.project.note]), *old)

    def relative(self, path: str) -> str:
        """A path as the project knows it."""
        return relative_path(path, self.project.root, self.cwd)

    def content_hash(self, path: str) -> str | None:
        """Git's id of what a file of the checkout holds now."""
        if self.project.root is None or os.path.isabs(path) or path.startswith("~"):
            return None
        return blob_id(os.path.join(self.project.root, path))

    def commit_and_branch(self) -> tuple[str | None, str | None]:
        """Where the checkout stands."""
        if self._place is None and self.project.root:
            self._place = find_git(self.project.root)
        return head(self._place) if self._place else (None, None)

    def memory(self, name: str) -> Memory:
        """The one memory an id or a tail of one means."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
            raise InvalidQuery(
                "A memory's id is a text such as `mem_01h455vb4pex5vsknk084sn02q`.", field="memory_id"
            )
        return self.store.memories.get([self.one("memory", name, self.store.memories.named(name))])[0]

    def one(self, kind: str, name: str, found: list[str]) -> str:
        """The one id found for a name; NOT_FOUND for none, INVALID_QUERY for several."""
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidQuery(
                f"`{name}` could be {len(found)} different ids; give more of it.", candidates=found
            )
        tail = name.rpartition("_")[2]
        short = f" A tail needs at least {TAIL} characters." if len(tail) < TAIL else ""
        raise NotFound(f"No {kind} `{name}` in project {self.project.name}.{short}", id=name)

    def may_change(self, memory: Memory) -> None:
        """Refuse an agent that is neither the author, nor above the author, nor main for an import."""
        instead = "Store a memory of your own and link it with `supersedes` instead."
        imported = memory.imported_at is not None
        self.may_change_of(memory.id, memory.agent_id, imported=imported, instead=instead, named="memory_id")

    def may_change_of(
        self,
        what: str,
        author_id: str,
        *,
        imported: bool,
        instead: str,
        named: str = "id",
        may: str = "change",
    ) -> None:
        """The same for anything that has an author; `instead` is what an agent that is refused can do."""
        if not self.is_over(author_id, imported=imported):
            raise PermissionDenied(
                f"{what} belongs to {author_id}; only that agent, one above it or the owner may {may} it. "
                f"{instead}",
                **{named: what},
                agent_id=author_id,
            )

    def is_over(self, author_id: str, *, imported: bool) -> bool:
        """Whether whoever acts may change what an agent put down, or an import brought."""
        me = self.acting()
        if self.owner or me is None:
            return self.owner
        if author_id == me.id or self.store.agents.is_ancestor(me.id, author_id):
            return True
        author = self.store.agents.get(author_id)
        return me.type == "main" and (imported or (author is not None and author.imported_at is not None))
