"""What a team server does for `rum sync`: it keeps the shared files, and unites its own memory with them.

The files are on a ref of a bare repository beside the project's memory. Next to each item stands who sent it
first: only they and owners may change or forget it. Everybody who may write may add items and links.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
from msgspec import Struct

from rum.app.caller import Caller
from rum.app.project import Project
from rum.app.sync.links import LinkSet, as_links, united
from rum.app.sync.sync import LOCK, Item, folder_of, sync_with, tombstone_of
from rum.model.errors import InvalidQuery, PermissionDenied, StorageError
from rum.model.sync import TOMBSTONE, Shared, VersionName, parse_path
from rum.repo.shared_ref import SharedRef
from rum.settings.home import file_lock

MAX_PATHS = 20_000  # Names in one answer
_ENOUGH = 1 << 20  # Bytes of files after which an answer ends
_LOCK_TIMEOUT = 30.0
_STATE = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_FOLDER = re.compile(r"[a-z]+/[0-9a-f]/[0-9a-f]")
_SENDERS = "senders"


class SyncRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """One question about the shared files, or files to add."""

    do: str
    state: str | None = None
    since: str | None = None
    earlier: str | None = None
    later: str | None = None
    offset: int = 0
    folders: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()


Answer = dict[str, Any]


def read_request(body: bytes) -> SyncRequest:
    """A request as it was sent; InvalidQuery if it is none."""
    try:
        return msgspec.json.decode(body, type=SyncRequest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise InvalidQuery("That is no request of `rum sync`.") from None


def answer_sync(caller: Caller, sender: str, request: SyncRequest) -> Answer:
    """Answer one request of somebody's `rum sync`; `sender` is the id of their token."""
    act = _ACTS.get(request.do)
    if act is None:
        raise InvalidQuery(f"There is no `{request.do}`.", field="do", allowed=sorted(_ACTS))
    for state in (request.state, request.since, request.earlier, request.later):
        if state is not None and not _STATE.fullmatch(state):
            raise InvalidQuery("That is no state of this server.", field="state")
    return act(_Host(caller.project), caller, sender, request)


def changes(request: SyncRequest) -> bool:
    """Whether a request is to change something."""
    return request.do == "publish"


class _Host:
    """The shared files of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = project.location.directory
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        path = os.path.join(self.folder, "shared.git")
        self.target = SharedRef(path, path, None)

    @contextmanager
    def locked(self) -> Generator[None]:
        try:
            with file_lock(os.path.join(self.folder, LOCK), _LOCK_TIMEOUT):
                yield
        except TimeoutError:
            raise StorageError("Somebody else is syncing this project. Try again.", retry_after=5) from None

    def unite(self) -> None:
        """Unite the server's own memory with the files, in both directions."""
        owner = Caller(self.project, client="sync", owner=True, cwd=self.folder)
        with self.locked(), owner.locked_call(rate_limited=False):
            sync_with(owner, "server", self.target, share="all")

    def names(self, state: str, items: Iterable[Item]) -> dict[Item, list[VersionName]]:
        """The files of some items."""
        found: defaultdict[Item, list[VersionName]] = defaultdict(list)
        for path in self.target.paths_below(state, {folder_of(item) for item in items}):
            if name := parse_path(path):
                found[name.item].append(name)
        return found

    def senders(self, state: str, items: Iterable[Item]) -> dict[Item, str]:
        """Who sent items first, as far as that is known."""
        wanted = {_sender_path(item): item for item in items}
        there = set(self.target.paths_below(state, {path.rpartition("/")[0] for path in wanted}))
        paths = [path for path in wanted if path in there]
        return {wanted[path]: content.decode() for path, content in self.target.read(state, paths)}

    def links(self, state: str, names: Sequence[VersionName]) -> LinkSet:
        """The links that sets of one memory have together."""
        found = self.target.read(state, [name.path for name in names])
        return united([as_links(_decode(content).body) for _, content in found])


def _fetch(host: _Host, _caller: Caller, _sender: str, _request: SyncRequest) -> Answer:
    host.unite()
    return {"state": host.target.fetch()}


def _has(host: _Host, _caller: Caller, _sender: str, request: SyncRequest) -> Answer:
    return {"answer": request.state is not None and host.target.has(request.state)}


def _is_ancestor(host: _Host, _caller: Caller, _sender: str, request: SyncRequest) -> Answer:
    earlier, later = _known(host, request.earlier), _known(host, request.later)
    return {"answer": host.target.is_ancestor(earlier, later)}


def _paths(host: _Host, _caller: Caller, _sender: str, request: SyncRequest) -> Answer:
    state, since = _known(host, request.state), request.since and _known(host, request.since)
    every = [path for path in host.target.paths(state, since) if parse_path(path)]
    end = max(request.offset, 0) + MAX_PATHS
    return {"paths": every[max(request.offset, 0) : end], "more": len(every) > end}


def _below(host: _Host, _caller: Caller, _sender: str, request: SyncRequest) -> Answer:
    folders = [one for one in request.folders if _FOLDER.fullmatch(one)]
    found = host.target.paths_below(_known(host, request.state), folders)
    return {"paths": [path for path in found if parse_path(path)]}


def _read(host: _Host, _caller: Caller, _sender: str, request: SyncRequest) -> Answer:
    """As many of the files as fit into an answer; `done` says how many of the paths that were."""
    state = _known(host, request.state)
    paths = [path for path in request.paths if parse_path(path)]
    if len(paths) < len(request.paths):
        raise InvalidQuery("That is no shared file.", field="paths")
    files: list[tuple[str, str]] = []
    size = done = 0
    for path, content in host.target.read(state, paths):
        with suppress(UnicodeDecodeError):
            files.append((path, content.decode()))
        size, done = size + len(content), paths.index(path, done) + 1
        if size > _ENOUGH:
            return {"files": files, "done": done}
    return {"files": files, "done": len(paths)}


def _publish(host: _Host, caller: Caller, sender: str, request: SyncRequest) -> Answer:
    """Add files, and remove those that are not in force any more."""
    if caller.role == "reader":
        raise PermissionDenied("This token may only read.", role=caller.role)
    with host.locked():
        tip = host.target.fetch()
        sent = _Sent(host, tip, sender, is_owner=caller.role != "writer")
        added, removed = sent.judge(request.added, request.removed)
        state = tip
        if added or removed:
            state = host.target.publish(tip, added, removed, message="Receive", sign=False)
    # At once, as many small pieces keep other callers waiting for less time than a large one.
    host.unite()
    # Somebody who has not seen the state before this one is to be told of it next time.
    return {"state": state if request.state == tip else request.state or state, "refused": sent.refused}


_ACTS: dict[str, Callable[[_Host, Caller, str, SyncRequest], Answer]] = {
    "fetch": _fetch,
    "has": _has,
    "is_ancestor": _is_ancestor,
    "paths": _paths,
    "below": _below,
    "read": _read,
    "publish": _publish,
}


class _Sent:
    """Files that somebody sent, and what of them is accepted."""

    def __init__(self, host: _Host, tip: str | None, sender: str, *, is_owner: bool) -> None:
        self._host, self._tip, self._sender, self._is_owner = host, tip, sender, is_owner
        self.refused = 0

    def judge(
        self, added: Sequence[tuple[str, str]], removed: Sequence[str]
    ) -> tuple[list[tuple[str, bytes]], list[str]]:
        """The files to add, and the paths to remove."""
        files = {_name(path): content.encode() for path, content in added}
        gone = [_name(path) for path in removed]
        shared = {name: _decode(content) for name, content in files.items()}
        items = {_subject(name, one) for name, one in shared.items()} | {name.item for name in gone}
        graves = {tombstone_of(item) for item in items}
        self._known = self._host.names(self._tip, items | graves) if self._tip else {}
        self._senders = self._host.senders(self._tip, items) if self._tip else {}
        accepted: dict[str, bytes] = {}
        buried: set[Item] = set()
        for name, one in shared.items():
            item = _subject(name, one)
            if not self._is_accepted(name, one, item):
                self.refused += name.kind != "agent"  # one that is there already
                continue
            accepted[name.path] = files[name]
            if name.kind == TOMBSTONE:
                buried.add(item)
            elif name.kind != "links" and item not in self._senders:
                accepted[_sender_path(item)] = self._sender.encode()
        remaining = [
            name.path for name in gone if name.path not in accepted and self._is_over(name, accepted, buried)
        ]
        return list(accepted.items()), remaining

    def _is_accepted(self, name: VersionName, one: Shared, item: Item) -> bool:
        if name in self._known.get(name.item, ()):
            return False  # it is there
        if name.kind == TOMBSTONE and name.item != tombstone_of(item):
            return False
        if self._is_owner:
            return True
        if name.kind == "links":
            return self._holds(self._known.get(item, ()), as_links(one.body))
        if name.kind == "agent":
            return not self._known.get(item)
        is_new = not self._known.get(item) and not self._known.get(tombstone_of(item))
        owner = self._senders.get(item)
        return owner == self._sender or (owner is None and is_new and name.kind != TOMBSTONE)

    def _holds(self, names: Sequence[VersionName], links: LinkSet) -> bool:
        """Whether a set has all links of others."""
        if not names or self._tip is None:
            return True
        known = self._host.links(self._tip, names)
        edges = {edge[:2] for edge in links.edges}
        return {edge[:2] for edge in known.edges} <= edges and known.reverted_by in (None, links.reverted_by)

    def _is_over(self, name: VersionName, accepted: dict[str, bytes], buried: set[Item]) -> bool:
        """Whether a file may go: its item was forgotten, or another set has its links."""
        item: Item = ("memory", name.key) if name.kind == "links" else name.item
        if item in buried or self._known.get(tombstone_of(item)) or self._is_owner:
            return True
        newer = [
            _decode(content).body
            for path, content in accepted.items()
            if (other := parse_path(path)) and other.item == name.item
        ]
        if name.kind != "links" or self._tip is None:
            return False
        others = [one for one in self._known.get(name.item, ()) if one != name]
        rest = [as_links(body) for body in newer]
        if others:
            rest.append(self._host.links(self._tip, others))
        return bool(rest) and self._holds([name], united(rest))


def _known(host: _Host, state: str | None) -> str:
    if state is None or not host.target.has(state):
        raise InvalidQuery("This server does not know that state.", field="state")
    return state


def _name(path: str) -> VersionName:
    name = parse_path(path)
    if name is None:
        raise InvalidQuery("That is no shared file.", field="added")
    return name


def _decode(content: bytes) -> Shared:
    try:
        return msgspec.json.decode(content, type=Shared)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidQuery("A file that was sent is no item.", field="added") from None


def _subject(name: VersionName, shared: Shared) -> Item:
    """The item that a file speaks of."""
    if name.kind != TOMBSTONE:
        return name.item
    return str(shared.body.get("kind"))[:20], str(shared.body.get("key"))[:64]


def _sender_path(item: Item) -> str:
    parent = folder_of(item).partition("/")[2]
    return f"{_SENDERS}/{parent}/{item[0]}.{item[1]}"
