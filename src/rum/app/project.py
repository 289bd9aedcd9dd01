"""An open project: what all its callers share (store, settings, redactor, models, checkout)."""

from __future__ import annotations

import os
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from rum.app.calls import load
from rum.capture.events import spool
from rum.embed.choose import open_embedder
from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.ids import TAIL
from rum.model.memory import Memory, Usage
from rum.recall.semantic import SemanticSearch
from rum.redact.redactor import Redactor
from rum.repo.anchors.checkout import Checkout
from rum.repo.files import blob_id, relative_path
from rum.repo.git import GitRepository, find_git, head
from rum.repo.project import ProjectLocation, record_question_shown
from rum.repo.registry import registry_path
from rum.settings.load import Settings
from rum.store.base import Store
from rum.store.records import Revision

if TYPE_CHECKING:
    import subprocess

    from rum.app.notes.note_store import NoteStore
    from rum.llm.base import LanguageModel
    from rum.llm.meter import Meter
    from rum.model.layers import Fact, Rule

MAX_NAMED = 20  # Maximum number of damaged rows that a message names
LABEL = 200  # Characters kept of a session's, client's or branch's name

Clock = Callable[[], float]
Progress = Callable[[int, int], None]  # Called with how much is done, and of how much; 0 while not known
Located = tuple[Settings, ProjectLocation]
Locate = Callable[[bool], Located]  # Finds the project again; True registers it
FindAt = Callable[[str, str, bool], Located]  # Finds the project of a folder in a home; True registers it
OpenStore = Callable[[ProjectLocation, Settings, Callable[[], None] | None], Store]


# What is derived from the settings and folders of one project.
_OF_LOCATION = {"redactor", "semantic", "meter", "language_model", "note_store", "checkout"}


class Helper(NamedTuple):
    """A process that was started for idle work, and when by the monotonic clock."""

    process: subprocess.Popen[bytes]
    since: float


class Project:
    """One open project. Nothing here depends on the caller, so many callers may share it."""

    def __init__(
        self,
        location: ProjectLocation,
        settings: Settings,
        open_store: OpenStore,
        find_at: FindAt,
        clock: Clock,
        locate: Locate | None = None,
    ) -> None:
        """With `locate` a project that does not exist yet is registered by the first write."""
        self.location = location
        self.settings = settings
        self.find_at = find_at
        self._open_store = open_store
        self._locate = locate
        self._registry_stamp = _file_stamp(registry_path(settings.home))
        self.store = open_store(location, settings, self._register if locate else None)
        self.clock = clock
        self.offer_readers: dict[int, Any] = {}  # By thread; see `app/session_offers.py`
        self.uses: Counter[str] = Counter()
        """Retrievals of memories that are not written to the store yet."""
        self.helper: Helper | None = None
        """The process that was started last for idle work."""
        self._question_shown = False
        self._named: set[str] = set()
        self._tombstone_key: bytes | None = None
        self._lock = threading.RLock()
        self._closed = False
        self._git: GitRepository | None = None

    def _register(self) -> None:
        """Register this project, as something is about to be stored for it."""
        assert self._locate
        _, location = self._locate(True)
        if location.id != self.location.id:
            # The next call opens that one.
            self.location = self.location._replace(exists=False)
            self._registry_stamp = ()
            raise StorageError(
                f"This folder belongs to project {location.id} by now. Nothing was stored; try again."
            )
        self.location = location
        if self._question_shown:
            record_question_shown(self.settings.home, location.id, self.settings.busy_timeout)

    def take_question(self) -> str | None:
        """The question whether this is another project; None if somebody was told before."""
        question = None if self._question_shown else self.location.question
        if question:
            self._question_shown = True
            if self.location.exists:
                record_question_shown(self.settings.home, self.location.id, self.settings.busy_timeout)
        return question

    def _look_again(self) -> None:
        """Open the project that this folder belongs to by now, in the database that has it by now."""
        stamp = _file_stamp(registry_path(self.settings.home))
        if self._locate is None or stamp == self._registry_stamp:
            return
        self._registry_stamp = stamp
        settings, location = self._locate(False)
        if location.id != self.location.id and self.location.exists:
            return
        if location.id != self.location.id or location.store != self.location.store:
            self._open_again(settings, location)
        self.location = location

    def _open_again(self, settings: Settings, location: ProjectLocation) -> None:
        store = self._open_store(location, settings, self._register)
        self.store.close()
        for name in _OF_LOCATION & set(self.__dict__):
            del self.__dict__[name]
        self.settings, self.store = settings, store
        self.offer_readers.clear()

    def follow(self, store: str) -> None:
        """Open the database to which the project was moved, whether or not the registry says so yet."""
        with self._lock:
            if self._locate is not None and not self._closed:
                settings, location = self._locate(False)
                self.location = location._replace(store=store)
                self._open_again(settings, self.location)

    def reload_settings(self) -> None:
        """Use the settings as they are in the files now."""
        if self._locate is not None:
            settings = self._locate(False)[0]
            if settings.is_same(self.settings):
                return
            self.settings = settings
            for name in _OF_LOCATION & set(self.__dict__):
                del self.__dict__[name]

    def is_at(self, folder: str) -> bool:
        """Whether another folder belongs to this project, too; looking does not register it."""
        try:
            return self.find_at(folder, self.settings.home, False)[1].id == self.location.id
        except RumError:
            return False

    def now(self) -> int:
        """Unix seconds."""
        return int(self.clock())

    @cached_property
    def redactor(self) -> Redactor:
        """Removes secrets before anything is written."""
        try:
            return Redactor(extra=self.settings.redact_extra, allow=self.settings.redact_allow)
        except ValueError as error:
            raise InvalidQuery(f"The setting redact_extra has {error}.", field="redact_extra") from None

    def clean(self, tree: dict[str, Any]) -> dict[str, Any]:
        """A copy of a JSON object without secrets."""
        return cast("dict[str, Any]", self.redactor.redact_tree(tree))

    def label(self, text: str) -> str:
        """A name that others chose (a session's, a client's), shortened and without secrets."""
        return self.redactor.redact(text[:LABEL])

    @cached_property
    def semantic(self) -> SemanticSearch:
        """Semantic search with the configured embedder, which is loaded at its first use."""
        return SemanticSearch(
            self.store, open_embedder(self.settings), clean=self.redactor.redact, clock=self.clock
        )

    @cached_property
    def meter(self) -> Meter:
        """The tokens that language models have used, and may use."""
        # Loaded here and below, as few projects configure a model.
        return load("llm.client:open_meter")(self.settings, self.location.id, self.clock)

    @cached_property
    def language_model(self) -> LanguageModel | None:
        """The configured language model, if any; secrets are removed from what it reads and writes."""
        return load("llm.client:open_model")(self.settings, self.meter, self.redactor.redact_tree)

    @cached_property
    def note_store(self) -> NoteStore:
        """The notes of this checkout; no file is read before it is needed."""
        folder = self.settings.folder("notes_dir")
        return load("app.notes.note_store:NoteStore")(folder, self.location.directory, self.clean, self.clock)

    @property
    def tombstone_key(self) -> bytes:
        """The key with which this installation hashes what was forgotten."""
        if self._tombstone_key is None:
            if not os.path.isdir(self.settings.home):
                return b""  # nothing was forgotten yet, and looking must not make a folder
            key: bytes = load("capture.tombstones:installation_key")(self.settings.home)
            self._tombstone_key = key
        return self._tombstone_key

    @property
    def spool_folders(self) -> tuple[str, ...]:
        """The folders to which hooks append the events of this project."""
        return spool.folders(self.settings.home, self.location.id, self.location.directory)

    @contextmanager
    def locked(self, *, reads: bool = False) -> Generator[None]:
        """Hold the lock for one call, with the backend's errors in plain words."""
        with self._lock:
            if self._closed:
                raise StorageError("This memory was closed. Open it again with Rum.open().")
            self._look_again()
            self.store.refresh()
            try:
                with self.store.errors(reads=reads):
                    yield
            except UnicodeEncodeError:
                raise InvalidQuery("The text holds half a surrogate pair; give whole characters.") from None
            except RecursionError:
                raise InvalidQuery("This is nested too deeply.") from None

    def settle(self) -> None:
        """Write pending retrieval counts; what cannot be written now is kept for the next time."""
        with self._lock:
            if self.uses and self.store.activity.add_uses(self.uses, self.now()):
                self.uses.clear()
            if "semantic" in self.__dict__:
                self.semantic.record_use()

    def close(self) -> None:
        """Write what is pending and close the files."""
        with self._lock:
            if not self._closed:
                try:
                    self.settle()
                finally:
                    self._closed = True
                    self.store.close()
                    for reader in self.offer_readers.values():
                        reader.close()

    def use_counts(self, ids: Iterable[str]) -> dict[str, Usage]:
        """How often memories were retrieved, pending counts included."""
        wanted = list(ids)
        uses = self.store.activity.uses(wanted)
        for one in self.uses.keys() & set(wanted):
            uses[one] = Usage(uses.get(one, Usage()).times + self.uses[one], self.now())
        return uses

    def take_damage(self) -> str | None:
        """The rows that could not be read as a whole and were not named before, in a sentence."""
        found = [one for one in self.store.damaged_rows() if one not in self._named]
        if not found:
            return None
        self._named.update(found)
        some = ", ".join(found[:MAX_NAMED]) + (" and others" if len(found) > MAX_NAMED else "")
        rows = "1 row is damaged and was" if len(found) == 1 else f"{len(found)} rows are damaged and were"
        return f"{rows} left out or shown in part: {some}. Run `rum doctor`."

    def named_by(self, left_out: Callable[[str], None]) -> Callable[[str], None]:
        """A function that names a damaged row, so that `take_damage` need not name it again."""

        def name(row_id: str) -> None:
            self._named.add(row_id)
            left_out(row_id)

        return name

    def warnings(self) -> tuple[str, ...]:
        """What the user should know about settings, location and index."""
        stale = self.store.upkeep.is_index_stale()
        old = ("The index was made by another version of RUM; run `rum reindex`.",) if stale else ()
        return (*self.settings.warnings, *filter(None, [self.location.note]), *old)

    def relative(self, path: str, cwd: str | None = None) -> str:
        """A path as the project stores it; `cwd` (default: the root) is where a relative one starts."""
        return relative_path(path, self.location.root, cwd or self.location.root or "")

    def content_hash(self, path: str) -> str | None:
        """Git's blob id of a file's present content; None for files outside the checkout."""
        if self.location.root is None or os.path.isabs(path) or path.startswith("~"):
            return None
        if self.checkout is None:
            return blob_id(os.path.join(self.location.root, path))
        file = self.checkout.file(path, anew=True)
        return file.blob_id if file else None

    def commit_and_branch(self) -> tuple[str | None, str | None]:
        """What the checkout's HEAD points to."""
        repository = self.repository()
        return head(repository) if repository else (None, None)

    def repository(self) -> GitRepository | None:
        """The project's git repository, if it has one."""
        if self._git is None and self.location.root:
            self._git = find_git(self.location.root)
        return self._git

    @cached_property
    def checkout(self) -> Checkout | None:
        """The work tree with which memories are compared; None without one, as on a server."""
        root, repository = self.location.root, self.repository()
        if root is None or (repository is not None and repository.root == repository.git_dir):
            return None
        return Checkout(root, repository.git_dir if repository else None)

    def memory(self, name: str) -> Memory:
        """The memory with an id, or with the only id that ends so."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] callers may not check types
            raise InvalidQuery(
                "A memory's id is a text such as `mem_01h455vb4pex5vsknk084sn02q`.", field="memory_id"
            )
        return self.store.memories.get([self.find_id("memory", name)])[0]

    def versions(self, kind: str, one: str, now: Memory | Fact | Rule, *texts: str) -> list[Revision]:
        """All versions, oldest first, each with the time and author that made it; `texts` are today's."""
        since, author, found = now.created_at, now.agent_id, list[Revision]()
        for number, replaced_at, replaced_by, earlier in self.store.history.of(kind, [one])[one]:
            found.append(Revision(number, since, author, earlier))
            since, author = replaced_at, replaced_by
        return [*found, Revision(now.version, since, author, texts)]

    def find_id(self, kind: Literal["agent", "memory", "chapter", "wisdom", "rule"], name: str) -> str:
        """The id that an id, an agent's name, or the end of an id stands for."""
        # By name, as chapters and wisdom are loaded with their first use.
        plural = {"memory": "memories", "wisdom": "wisdom"}.get(kind, f"{kind}s")
        return self.single_id(kind, name, getattr(self.store, plural).find_ids(name))

    def single_id(self, kind: str, name: str, found: list[str]) -> str:
        """The one id found for a name; NOT_FOUND for none, INVALID_QUERY for several."""
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidQuery(
                f"`{name}` could be {len(found)} different ids; give more of it.", candidates=found
            )
        if any(item.kind in kind for item in self.store.trash.find(name)):
            raise NotFound(
                f"`{name}` was forgotten. It is in the trash: `rum restore {name}` brings it back, "
                f"`rum trash empty {name}` deletes it for good.",
                id=name,
                in_trash=True,
            )
        kinds = kind.split(" or ")
        near = load("app.layers.facts:nearest_key")(self, name) if "fact" in kinds else None
        if "note" in kinds and not near:
            with suppress(InvalidQuery):  # a server has no notes
                near = self.note_store.nearest(name)
        hint, details = (f" Did you mean `{near}`?", {"nearest": near}) if near else ("", {})
        if not near and len(name.rpartition("_")[2]) < TAIL and kinds not in (["fact"], ["note"]):
            or_key = ", or the key of a fact" if "fact" in kinds else ""
            hint = f" Give the whole id, or at least its last {TAIL} characters{or_key}."
        raise NotFound(f"No {kind} `{name}` in project {self.location.name}.{hint}", id=name, **details)


def ignore(*_: int) -> None:
    """The progress of those who do not ask for it."""


def _file_stamp(path: str) -> tuple[int, ...]:
    try:
        state = os.stat(path)
    except OSError:
        return ()
    return state.st_ino, state.st_mtime_ns, state.st_size


def damage(memory_id: str) -> str:
    """What happened, and what to do about it."""
    return f"{memory_id} is damaged and was left out. Restore a backup, or forget it."


def warn_of_damage(memory_id: str) -> None:
    """The default for callers that do not handle it themselves."""
    warnings.warn(f"RUM: {damage(memory_id)}", RuntimeWarning, stacklevel=3)
