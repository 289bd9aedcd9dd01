"""Unite this memory with one that others share: take what is new there, and send what is new here.

Shared items are files that never change: each version of an item is one, named by its content. Two memories
are united by uniting their files, so the order in which machines do it does not matter, and nothing that was
written is lost. A tombstone removes the files of its item and keeps new ones out.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.freshness.anchors import make_missing
from rum.app.freshness.branches import renew_branches
from rum.app.freshness.texts import make_missing_texts
from rum.app.memories.forget import KINDS as FORGETTABLE
from rum.app.memories.forget import forget_one
from rum.app.project import Progress, Project, ignore
from rum.app.review import pending
from rum.app.review.pending import SYNC, PendingFact, PendingMemory, PendingRule
from rum.app.sync.items import ITEM_KINDS, KEPT, TAGGED, ItemKind, Json, StoredVersion
from rum.app.sync.links import LinkSet, as_links, links_body, links_name, local_links, put_links, united
from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.layers import Fact, Rule
from rum.model.memory import Content, OriginKind
from rum.model.sync import (
    TOMBSTONE,
    Shared,
    SyncResult,
    VersionName,
    digest_of,
    item_key,
    latest_versions,
    local_numbers,
    parse_path,
)
from rum.repo.git import find_git
from rum.repo.shared_ref import OutdatedError, RefusedError, SharedRef
from rum.repo.shared_server import SharedServer, is_server
from rum.settings.home import file_lock
from rum.store.base import ReadMode
from rum.store.files.shared_folder import SharedFolder

BATCH = 200  # Items per transaction, so that other writers need not wait long
MAX_ANCHORED = 2000  # What comes by one sync and is tied to the code at once; `tidy` does the rest
_TRIES = 10  # How often it starts again because somebody else was faster
LOCK = "sync.lock"
_LOCK_TIMEOUT = 60.0
_NONE = "none"
_REFUSED = "Not accepted, as only an owner may change or forget what others have sent: {} of the files."
_CONFLICT = "Changed at two places at the same time. This is the version that is not in force."

_UNREADABLE = (msgspec.ValidationError, KeyError, TypeError, ValueError)

Item = tuple[str, str]  # The kind of an item, and its name in file names


class Target(Protocol):
    """Where the shared files are: a git ref, a folder, or a server. A state names what it holds."""

    remote: str
    refused: int
    """Files that were not accepted when some were published last, as they change what others have sent."""

    def fetch(self) -> str | None:
        """Return the present state; None if there are no files yet."""
        ...

    def has(self, state: str) -> bool:
        """Whether the files of a state can be told."""
        ...

    def is_ancestor(self, earlier: str, later: str) -> bool:
        """Whether the later state was made from the earlier one."""
        ...

    def paths(self, state: str, since: str | None = None) -> list[str]:
        """Return the files of a state, or those that an earlier state has not."""
        ...

    def paths_below(self, state: str, folders: Iterable[str]) -> list[str]:
        """Return the files of a state in some folders."""
        ...

    def read(self, state: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the contents of files."""
        ...

    def publish(
        self,
        state: str | None,
        added: Iterable[tuple[str, bytes]],
        removed: Iterable[str],
        *,
        message: str,
        sign: bool,
    ) -> str:
        """Add and remove files on top of a state; return the new state."""
        ...

    def collect_garbage(self) -> None:
        """Tidy up, if much has gathered."""
        ...


class TargetState(Struct, frozen=True, omit_defaults=True):
    """What is known about a target: the state that was last united with, under which setting of `share`."""

    base: str | None = None
    share: str = _NONE
    auto: bool = False
    skipped: tuple[str, ...] = ()  # Files that could not be read, and are tried again


def sync(
    caller: Caller,
    with_: str | None = None,
    *,
    remote: str | None = None,
    dry_run: bool = False,
    auto: bool | None = None,
    sign: bool = False,
    prompt: bool = False,
    progress: Progress = ignore,
) -> SyncResult:
    """Unite this project's memory with a shared one; see `Rum.sync`."""
    project = caller.project
    with ExitStack() as stack:
        if not dry_run:
            with caller.store.transaction():
                pass  # raises if the store is read-only; makes the project if it is new
        folder = project.location.directory
        if not os.path.isdir(folder):
            folder = stack.enter_context(TemporaryDirectory())  # a dry run makes no project
        name, target = _open_target(project, folder, with_, remote, prompt=prompt)
        try:
            stack.enter_context(file_lock(os.path.join(folder, LOCK), _LOCK_TIMEOUT))
        except TimeoutError:
            raise StorageError("Another process is syncing this project. Try again later.") from None
        return sync_with(caller, name, target, dry_run=dry_run, auto=auto, sign=sign, progress=progress)


def sync_with(
    caller: Caller,
    name: str,
    target: Target,
    *,
    share: str | None = None,
    dry_run: bool = False,
    auto: bool | None = None,
    sign: bool = False,
    progress: Progress = ignore,
) -> SyncResult:
    """Unite this project's memory with a target that is known under a name; the caller holds the lock.

    `share` is used in place of the setting.
    """
    for _ in range(_TRIES):
        run = _Sync(caller, name, target, share, dry_run=dry_run, auto=auto, sign=sign, progress=progress)
        with suppress(OutdatedError):
            done = run.run()
            if done.received and not dry_run:
                _compare_with_code(caller.project)
            return done
    raise StorageError(f"Others keep writing to {target.remote}. Nothing is lost; try again later.")


def _compare_with_code(project: Project) -> None:
    """Tie what came to the code, and ask git about its commits, so that answers can say how fresh it is."""
    if project.checkout is not None:
        make_missing(project, MAX_ANCHORED)
        make_missing_texts(project, MAX_ANCHORED)
        renew_branches(project)


def _open_target(
    project: Project, directory: str, with_: str | None, remote: str | None, *, prompt: bool
) -> tuple[str, Target]:
    """The name under which a target is known, and the target."""
    if with_ is not None and remote is not None:
        raise InvalidQuery("sync: give `with` or `remote`, not both.", field="remote")
    if with_ is not None and "://" not in with_ and os.path.isdir(with_) and not _is_repository(with_):
        folder = os.path.realpath(with_)
        return f"folder {folder}", SharedFolder(folder)
    if with_ is not None and is_server(with_):
        return f"server {with_}", SharedServer(with_, project.settings.token)
    repository = find_git(project.location.root) if project.location.root else None
    if with_ is None and repository is None:
        raise InvalidQuery(
            "This project is no git repository. Give a folder or an address: `rum sync --with DIR|URL`.",
            field="with",
        )
    if with_ is not None and "://" not in with_ and ":" not in with_ and not os.path.exists(with_):
        raise NotFound(
            f"There is no folder {with_}. Create it, or give the address of a git repository.", id=with_
        )
    where = os.path.realpath(with_) if with_ and os.path.exists(with_) else with_ or remote or "origin"
    bare = os.path.join(directory, "sync.git")
    common_dir = repository.common_dir if repository else None
    return f"git {where}", SharedRef(bare, where, common_dir, prompt=prompt)


def _is_repository(folder: str) -> bool:
    return any(os.path.isdir(os.path.join(folder, part, "objects")) for part in ("", ".git"))


def sync_automatically(caller: Caller) -> tuple[int, str]:
    """Sync with every target that was set up for it; how many items came or went, and what went wrong."""
    moved, problem = 0, ""
    for name, state in caller.store.sync.targets().items():
        if not _decode(state).auto:
            continue
        kind, _, where = name.partition(" ")
        chosen: dict[str, Any] = {"with_": where} if kind == "folder" or "/" in where else {"remote": where}
        try:
            done = sync(caller, chosen.get("with_"), remote=chosen.get("remote"))
        except RumError as error:
            problem = error.message
        else:
            moved += sum(done.received.values()) + sum(done.sent.values())
            problem = problem or done.note or ""
    return moved, problem


def target_states(project: Project) -> dict[str, TargetState]:
    """The targets of this project, with what is known about each."""
    return {name: _decode(state) for name, state in project.store.sync.targets().items()}


def _decode(state: str) -> TargetState:
    try:
        return msgspec.json.decode(state, type=TargetState)
    except msgspec.MsgspecError:
        return TargetState()  # of a newer version; everything is compared again


class _Outgoing(NamedTuple):
    """A file that is sent."""

    name: VersionName
    shared: Shared


class _Sync:
    """One run: what is there, what is here, and what goes each way."""

    def __init__(
        self,
        caller: Caller,
        name: str,
        target: Target,
        share: str | None,
        *,
        dry_run: bool,
        auto: bool | None,
        sign: bool,
        progress: Progress,
    ) -> None:
        self._caller, self._project, self._store = caller, caller.project, caller.store
        self._name, self._target, self._sign, self._dry_run = name, target, sign, dry_run
        self._progress = progress
        known = self._store.sync.targets().get(name)
        self._state = _decode(known) if known else TargetState()
        self._share = share or self._project.settings.share
        if self._share == KEPT and self._project.settings.review == "first":
            self._share = "all"  # Nothing is here that nobody has accepted
        self._auto = self._state.auto if auto is None else auto
        if known is None and not dry_run:
            # From now on changes are recorded, so that none is missed between this and the next time.
            self._store.sync.set_target(name, _encode(self._state))
        self._changes = self._store.sync.changes(name)
        self._tip: str | None = None
        self._files: dict[Item, list[VersionName]] = {}  # What the target has of the items at hand
        self._incoming: set[VersionName] = set()
        self._out: list[_Outgoing] = []
        self._removed: list[VersionName] = []
        self._skipped: list[str] = []
        self._authors: set[str] = set()
        self._sent: set[Item] = set()
        self._counts: dict[str, Counter[str]] = {
            name: Counter() for name in ("received", "sent", "forgotten", "buried")
        }
        self._conflicts = self._kept_local = 0

    def run(self) -> SyncResult:
        self._tip = self._target.fetch()
        self._read_names()
        self._unite_items()
        self._unite_links()
        self._send_authors()
        tip, note = self._publish()
        if not self._dry_run:
            state = TargetState(tip, self._share, self._auto, tuple(self._skipped))
            if note:  # everything that was to be sent is still to be sent
                state = replace(self._state, auto=self._auto)
            with self._store.transaction():
                self._store.sync.set_target(self._name, _encode(state))
                if note is None:
                    self._store.sync.delete_changes(self._name, self._changes)
            self._target.collect_garbage()
        refused = self._target.refused if note is None else 0
        sends_nothing = self._share == _NONE
        if note is None and sends_nothing:
            note = "Nothing is sent: the setting `share` is none. Set it to all, kept or tagged:TAG."
        return SyncResult(
            target=self._target.remote,
            **{name: dict(counts) for name, counts in self._counts.items()},
            conflicts=self._conflicts,
            skipped=len(self._skipped),
            kept_local=self._kept_local,
            dry_run=self._dry_run,
            auto=self._auto,
            can_send=note is None,
            note=note or (_REFUSED.format(refused) if refused else UNSET),
        )

    # What is at the target.

    def _read_names(self) -> None:
        """Find the items that changed here or there, and all files that the target has of them."""
        base, tip = self._state.base, self._tip
        self._is_full = not (
            base
            and tip
            and self._state.share == self._share
            and self._target.has(base)
            and self._target.is_ancestor(base, tip)
        )
        if tip is None:
            return
        paths = self._target.paths(tip, None if self._is_full else base)
        new = [name for path in (*paths, *self._state.skipped) if (name := parse_path(path))]
        self._incoming = set(new)
        if self._is_full:
            known = new
        else:
            items = {name.item for name in new if name.kind != TOMBSTONE}
            items |= {(change.kind, item_key(change.id)) for change in self._changes}
            folders = {folder_of(item) for item in items} | {folder_of(tombstone_of(item)) for item in items}
            found = self._target.paths_below(tip, folders)
            known = [name for path in found if (name := parse_path(path))] + [
                name for name in new if name.kind == TOMBSTONE
            ]
        for name in sorted(set(known)):
            self._files.setdefault(name.item, []).append(name)

    def _read(self, names: Iterable[VersionName]) -> dict[VersionName, Shared]:
        """The contents of files; those that cannot be read are noted."""
        by_path = {name.path: name for name in names}
        found: dict[VersionName, Shared] = {}
        for path, content in self._target.read(self._tip or "", list(by_path)) if by_path else ():
            name = by_path[path]
            try:
                shared = msgspec.json.decode(content, type=Shared)
            except (msgspec.MsgspecError, RecursionError):
                self._skipped.append(path)
                continue
            if name.kind in (TOMBSTONE, "links") or item_key(shared.id) == name.key:
                found[name] = replace(shared, body=self._project.clean(shared.body))
        return found

    def _tombstone(self, item: Item) -> VersionName | None:
        """The newest tombstone of an item at the target."""
        found = self._files.get(tombstone_of(item))
        return found[-1] if found else None

    def _alive(self, item: Item) -> list[VersionName]:
        """The files of an item that no tombstone buries; a fact's key can be used again."""
        names, tombstone = self._files.get(item, []), self._tombstone(item)
        if tombstone is None:
            return names
        return [name for name in names if name.at > tombstone.at] if item[0] == "fact" else []

    # Items with versions.

    def _unite_items(self) -> None:
        for kind in ITEM_KINDS.values():
            items = self._items_of(kind)
            for start in range(0, len(items), BATCH):
                some = dict(items[start : start + BATCH])
                if self._dry_run:
                    self._unite_batch(kind, some)
                else:
                    with self._store.transaction():
                        self._unite_batch(kind, some)
                        self._forget_own_changes({kind.name}, some.values())
                self._progress(min(start + BATCH, len(items)), len(items))
            self._apply_tombstones(kind.name)

    def _items_of(self, kind: ItemKind) -> list[tuple[str, str]]:
        """(name in file names, id or "" if it is not known yet) of the items of a kind that are looked at."""
        found = {change.id for change in self._changes if change.kind == kind.name}
        if self._is_full:
            found.update(one for batch in kind.ids(self._project) for one in batch)
        items = {item_key(one): one for one in found}
        for name in self._incoming:
            if name.kind == kind.name:
                items.setdefault(name.key, "")
        return sorted(items.items())

    def _forget_own_changes(self, kinds: set[str], ids: Iterable[str]) -> None:
        """Delete the record of what this run itself has written, in the transaction that wrote it."""
        before, own = {change[:2] for change in self._changes}, set(ids)
        written = [
            change
            for change in self._store.sync.changes(self._name)
            if change.kind in kinds and change.id in own and change[:2] not in before
        ]
        self._store.sync.delete_changes(self._name, written)

    def _unite_batch(self, kind: ItemKind, items: dict[str, str]) -> None:
        """Unite some items of a kind, given their ids by their names in file names."""
        alive = {key: self._alive((kind.name, key)) for key in items}
        wanted = [
            name
            for names in alive.values()
            if any(name in self._incoming for name in names)
            for name in names
        ]
        files = self._read(wanted)
        for name, shared in files.items():
            items[name.key] = shared.id
        local = kind.versions(self._project, [one for one in items.values() if one])
        for key, item_id in items.items():
            if item_id:
                known = {name: files[name] for name in alive[key] if name in files}
                self._unite(kind, key, item_id, local.get(item_id, []), alive[key], known)

    def _unite(
        self,
        kind: ItemKind,
        key: str,
        item_id: str,
        local: list[StoredVersion],
        names: list[VersionName],
        files: dict[VersionName, Shared],
    ) -> None:
        """Unite one item: its versions here, and those at the target."""
        if not local:
            if self._is_gone(kind, item_id):
                self._bury(kind, key, names)
            elif names and (
                self._tombstone((kind.name, key))  # it was made again, by somebody who knew that
                or not self._is_forgotten(kind, item_id, names[-1], files)
            ):
                self._receive(kind, item_id, [(name, None) for name in names], files)
            return
        grave = self._tombstone((kind.name, key))
        if grave and not (kind.name == "fact" and local[0].at > grave.at):
            return  # forgotten elsewhere: `_apply_tombstones` does it, or a person restored it here
        known = [name for name in names if name not in self._incoming]
        matched = _match(kind, local, names, known)
        is_shared = self._share != _NONE and kind.is_shared(self._share, local[-1].body)
        new: list[tuple[VersionName, StoredVersion]] = []
        seen = [name for name in names if name not in self._incoming or name in matched.values()]
        for version in local:
            if version.number not in matched:
                number = max(version.number, 1 + max((name.number for name in seen), default=0))
                name = VersionName(kind.name, key, number, version.at, kind.digest(version.body))
                new.append((name, version))
                if is_shared:
                    digests = tuple(one.version for one in seen)
                    self._send(name, Shared(id=item_id, by=version.by, seen=digests, body=version.body))
                seen.append(name)
        if new and not is_shared:
            self._kept_local += 1
        own = {name: version for version in local if (name := matched.get(version.number))} | dict(new)
        if any(name not in own for name in names if name in self._incoming):
            every = sorted({*names, *(name for name, _ in new)})
            self._receive(kind, item_id, [(name, own.get(name)) for name in every], files)
            sent = [(out.name, out.shared) for out in self._out if out.name.item == (kind.name, key)]
            self._note_conflict(kind, item_id, [*files.items(), *sent])

    def _is_gone(self, kind: ItemKind, item_id: str) -> bool:
        """Whether an item that is not here was here, and was forgotten."""
        if not FORGETTABLE.get(kind.name):
            return False
        if any(change.kind == kind.name and change.id == item_id for change in self._changes):
            return True
        return self._is_full and any(
            item.id == item_id for item in self._store.trash.find(item_id, kind.name)
        )

    def _is_forgotten(
        self, kind: ItemKind, item_id: str, name: VersionName, files: dict[VersionName, Shared]
    ) -> bool:
        """Whether something of the same content was forgotten here."""
        with suppress(*_UNREADABLE):
            return name in files and kind.is_forgotten(self._project, item_id, files[name].body)
        return False

    def _bury(self, kind: ItemKind, key: str, names: list[VersionName]) -> None:
        """Tell the others that an item was forgotten, if they know it."""
        if names and self._share != _NONE:
            at = max(self._project.now(), *(name.at for name in names))
            grave = tombstone_of((kind.name, key))
            body = {"kind": kind.name, "key": key}
            self._out.append(_Outgoing(VersionName(*grave, 1, at, digest_of(body)), Shared(id="", body=body)))
            self._removed += (
                [*names, *self._files.get(("links", key), ())] if kind.name == "memory" else names
            )
            self._counts["buried"][kind.name] += 1

    def _receive(
        self,
        kind: ItemKind,
        item_id: str,
        versions: Sequence[tuple[VersionName, StoredVersion | None]],
        files: dict[VersionName, Shared],
    ) -> None:
        """Store an item with versions that are here or came from the target."""
        readable = [(name, own) for name, own in versions if own or name in files]
        numbers = local_numbers([name for name, _ in readable])
        stored: list[StoredVersion] = []
        for number, (name, own) in zip(numbers, readable, strict=True):
            shared = files.get(name)
            if own:
                by = shared.by if shared else own.by
                stored.append(own._replace(number=number, at=name.at, by=by))
            elif shared:
                stored.append(StoredVersion(number, name.at, shared.by, shared.body))
        if not stored:
            return
        try:
            if not self._dry_run:
                kind.put(self._project, item_id, stored)
        except _UNREADABLE:
            # Made by a newer version of RUM; an upgrade can read it.
            self._skipped += [name.path for name, own in readable if own is None]
            return
        if kind.name != "agent":
            self._counts["received"][kind.name] += 1

    def _note_conflict(
        self, kind: ItemKind, item_id: str, versions: Sequence[tuple[VersionName, Shared]]
    ) -> None:
        """Propose the versions that are not in force for review, if nobody has seen both."""
        latest = latest_versions(versions)
        if kind.name not in ("memory", "fact", "rule"):
            return
        if not self._dry_run:
            pending.withdraw(self._project, kind.name, item_id, SYNC)
        if len(latest) < 2:
            return
        contents = dict(versions)
        origin = contents[latest[-1]].body.get("origin", {})
        if origin.get("kind") == OriginKind.COMMIT and all(name.number == 1 for name in latest):
            return  # imported here and there by different versions of RUM
        self._conflicts += 1
        if self._dry_run:
            return
        for name in latest[:-1]:
            _propose(self._project, kind.name, item_id, contents[name].body)

    # Tombstones.

    def _apply_tombstones(self, kind: str) -> None:
        """Forget what others forgot. Each tombstone counts once: what is restored here stays here."""
        if kind not in FORGETTABLE:
            return
        graves = [name for name in self._incoming if name.kind == TOMBSTONE]
        for shared in self._read(graves).values():
            if shared.body.get("kind") != kind:
                continue
            key = str(shared.body.get("key"))
            if self._alive((kind, key)):
                continue
            for item_id in self._ids_of(kind, key):
                if not self._dry_run:
                    owner = Caller(self._project, client=SYNC, owner=True, cwd=self._caller.cwd)
                    forget_one(owner, load(FORGETTABLE[kind]), item_id)
                self._counts["forgotten"][kind] += 1
            if names := self._files.get((kind, key)):
                self._removed += names

    def _ids_of(self, kind: str, key: str) -> list[str]:
        """The id of an item that is here, by its name in file names."""
        if not key.startswith("x-"):
            return [key] if ITEM_KINDS[kind].versions(self._project, [key]) else []
        ids = (one for batch in ITEM_KINDS[kind].ids(self._project) for one in batch)
        return [one for one in ids if item_key(one) == key]

    # Links and authors.

    def _unite_links(self) -> None:
        """Unite the links of each memory: nothing is taken out of a set of links."""
        changed = {item_key(change.id): change.id for change in self._changes if change.kind == "links"}
        if self._is_full:
            ids = {*self._store.memories.reverted(), *(edge.source_id for edge in self._store.links.of())}
            changed |= {item_key(one): one for one in ids}
        keys = sorted(changed.keys() | {name.key for name in self._incoming if name.kind == "links"})
        for start in range(0, len(keys), BATCH):
            some = [key for key in keys[start : start + BATCH] if not self._tombstone(("memory", key))]
            if self._dry_run:
                self._unite_link_sets(some, changed)
            else:
                with self._store.transaction():
                    ids = self._unite_link_sets(some, changed)
                    self._forget_own_changes({"links", "memory"}, ids)

    def _unite_link_sets(self, keys: Sequence[str], changed: dict[str, str]) -> list[str]:
        """Unite the links of some memories; their ids."""
        names = {key: self._files.get(("links", key), []) for key in keys}
        files = self._read(name for key in keys for name in names[key])
        ids = changed | {name.key: shared.id for name, shared in files.items()}
        for key in keys:
            there = [as_links(files[name].body) for name in names[key] if name in files]
            every = united([*there, local_links(self._project, ids.get(key, ""))])
            if any(name in self._incoming for name in names[key]) and not self._dry_run:
                put_links(self._project, ids[key], every)
            if key in changed and self._share != _NONE:
                self._send_links(key, ids[key], every, names[key])
        return [ids[key] for key in keys if key in ids]

    def _send_links(self, key: str, memory_id: str, links: LinkSet, names: Sequence[VersionName]) -> None:
        """Send the links of a memory, in place of the sets that they unite."""
        if self._share == KEPT or self._share.startswith(TAGGED):
            ends = [memory_id, *(target for target, _, _ in links.edges)]
            shared = {
                memory.id
                for memory in self._store.memories.get(ends, ReadMode.SKIP_DAMAGED)
                if ITEM_KINDS["memory"].is_shared(self._share, msgspec.to_builtins(memory))
            }
            links = replace(links, edges=tuple(edge for edge in links.edges if edge[0] in shared))
            if memory_id not in shared:
                return
        body = links_body(self._project, links)
        name = links_name(key, links, body)
        if body and name not in names and self._store.memories.get([memory_id], ReadMode.HEADLINE):
            self._send(name, Shared(id=memory_id, body=body))
            self._removed += names

    def _send_authors(self) -> None:
        """Send the authors of what is sent, unless the target has them."""
        kind, wanted, done = ITEM_KINDS["agent"], set(self._authors), set[str]()
        while wanted := wanted - done:
            done |= wanted
            found = kind.versions(self._project, sorted(wanted))
            wanted = set[str]()
            for one, (version,) in found.items():
                name = VersionName("agent", item_key(one), 1, version.at, kind.digest(version.body))
                if not self._files.get(name.item) and not self._is_there(name):
                    self._out.append(_Outgoing(name, Shared(id=one, body=version.body)))
                if parent := version.body.get("parent_id"):
                    wanted.add(parent)

    def _is_there(self, name: VersionName) -> bool:
        """Whether the target has any version of an item that was not looked at."""
        if self._tip is None or self._is_full:
            return False
        found = map(parse_path, self._target.paths_below(self._tip, [folder_of(name.item)]))
        return any(one and one.item == name.item for one in found)

    # What goes out.

    def _send(self, name: VersionName, shared: Shared) -> None:
        self._out.append(_Outgoing(name, shared))
        self._sent.add(name.item)
        self._authors |= {one for one in (shared.by, shared.body.get("agent_id")) if one}

    def _publish(self) -> tuple[str | None, str | None]:
        """Send everything; the new state of the target, and why nothing could be sent."""
        self._counts["sent"].update(kind for kind, _ in self._sent if kind != "agent")
        removed = {name.path for name in self._removed} - {out.name.path for out in self._out}
        if self._dry_run or not (self._out or removed):
            return self._tip, None
        files = ((out.name.path, msgspec.json.encode(out.shared, order="sorted")) for out in self._out)
        message = f"Sync {len(self._sent)} items" if self._sent else "Sync"
        try:
            state = self._target.publish(self._tip, files, sorted(removed), message=message, sign=self._sign)
        except RefusedError as error:
            self._counts["sent"].clear()
            self._counts["buried"].clear()
            return (
                self._tip,
                f"Received only: {self._target.remote} does not accept anything from here: {error}",
            )
        return state, None


def _encode(state: TargetState) -> str:
    return msgspec.json.encode(state).decode()


def folder_of(item: Item) -> str:
    """The folder of an item's files."""
    return VersionName(*item, 1, 0, "").path.rpartition("/")[0]


def tombstone_of(item: Item) -> Item:
    """The tombstone of an item, which is an item too."""
    return TOMBSTONE, item_key(" ".join(item))


def _match(
    kind: ItemKind,
    local: Sequence[StoredVersion],
    names: Sequence[VersionName],
    known: Sequence[VersionName],
) -> dict[int, VersionName]:
    """The files of the versions that are here, by their numbers here; both are in order."""
    if not kind.has_history:
        # Only the present version is here: an earlier one with the same content is not this one.
        names = [*known[-1:], *(name for name in names if name not in known)]
    found: dict[int, VersionName] = {}
    start = 0
    for version in local:
        digest = kind.digest(version.body)
        place = next((at for at in range(start, len(names)) if names[at].digest == digest), None)
        if place is not None:
            found[version.number] = names[place]
            start = place + 1 if kind.has_history else 0
    return found


def _propose(project: Project, kind: str, item_id: str, body: Json) -> None:
    """Propose a version that is not in force, as a change of what is here."""
    if kind == "memory":
        content = msgspec.convert(body, Content)
        memory = replace(project.memory(item_id), **msgspec.structs.asdict(content))
        pending.propose_memory(project, PendingMemory(memory=memory), is_update=True, source=SYNC)
    elif kind == "fact":
        fact = msgspec.convert({**body, "key": item_id}, Fact)
        pending.propose_fact(project, PendingFact(fact, _CONFLICT), source=SYNC)
    else:
        rule = msgspec.convert({**body, "id": item_id}, Rule)
        pending.propose_rule(project, PendingRule(rule, _CONFLICT), SYNC)
