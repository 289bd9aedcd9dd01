"""Items as they are shared: their versions in this store, and how versions from elsewhere are stored here."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from rum.app.agents import import_agent, import_author
from rum.app.layers import facts, rules
from rum.app.project import Project
from rum.capture.tombstones import chapter_marks, fact_marks, marks, wisdom_marks
from rum.model.agents import Agent
from rum.model.chapters import Chapter, Wisdom
from rum.model.layers import Fact, Rule
from rum.model.memory import Content, Memory, OriginKind
from rum.model.sync import digest_of, without_empty
from rum.store.base import ReadMode
from rum.store.records import Revision

Json = dict[str, Any]
_NOT_SHARED = ("id", "project_id", "version", "updated_at", "imported_at")  # What each machine decides itself
_LINKED = ("superseded_by", "reverts", "reverted_by")  # Shared with the links of a memory
_OF_THE_PRESENT = ("timestamp", "superseded_by")  # Of a fact or rule, not of its earlier versions
TAGGED = "tagged:"
KEPT = "kept"
_CAPTURED = (OriginKind.TURN, OriginKind.TRANSCRIPT)

T = TypeVar("T")
L = TypeVar("L", Fact, Rule)
G = TypeVar("G", Chapter, Wisdom)


class StoredVersion(NamedTuple):
    """A version of an item: its number here, who made it when, and its content.

    `body` is what is shared; `texts` is what the history of this store has for it, None for what came from
    elsewhere.
    """

    number: int
    at: int
    by: str
    body: Json
    texts: tuple[str, ...] | None = None


class ItemKind(ABC):
    """One kind of item that can be shared."""

    name: str
    has_history = True  # Whether the store has earlier versions of it

    @abstractmethod
    def ids(self, project: Project) -> Iterator[list[str]]:
        """The ids of all items, in batches."""

    @abstractmethod
    def versions(self, project: Project, ids: Sequence[str]) -> dict[str, list[StoredVersion]]:
        """All versions of items that are here, oldest first."""

    @abstractmethod
    def put(self, project: Project, item_id: str, versions: Sequence[StoredVersion]) -> None:
        """Store an item with these versions; ValidationError if the last one cannot be read."""

    def digest(self, body: Json) -> str:
        """The hash by which a version is told from others."""
        return digest_of(body)

    def is_forgotten(self, project: Project, item_id: str, body: Json) -> bool:  # noqa: ARG002
        """Whether an item was forgotten here before."""
        return False

    def is_shared(self, policy: str, body: Json) -> bool:
        """Whether the setting `share` lets it leave."""
        if policy == KEPT:
            return body.get("origin", {}).get("kind") not in _CAPTURED
        return not policy.startswith(TAGGED) or policy.removeprefix(TAGGED) in body.get("tags", ())


def _shareable(project: Project, item: Any) -> Json:
    """An item's fields without secrets, without empty values, and without what each machine decides."""
    fields = {name: one for name, one in msgspec.to_builtins(item).items() if name not in _NOT_SHARED}
    return project.clean(without_empty(fields))


def _dated(now: Any, revisions: Sequence[Revision], texts: tuple[str, ...]) -> list[Revision]:
    """All versions with the time and author that made each; the last one is the present one."""
    since, author, found = now.created_at, now.agent_id, list[Revision]()
    for number, replaced_at, replaced_by, earlier in revisions:
        found.append(Revision(number, since, author, earlier))
        since, author = replaced_at, replaced_by
    return [*found, Revision(now.version, since, author, texts)]


def _revisions(versions: Sequence[StoredVersion], texts: Sequence[tuple[str, ...]]) -> list[Revision]:
    """The earlier versions as the store's history has them: with who replaced each, and when."""
    pairs = zip(versions, versions[1:], texts, strict=False)
    return [Revision(one.number, later.at, later.by, text) for one, later, text in pairs]


class _Memories(ItemKind):
    name = "memory"

    def ids(self, project: Project) -> Iterator[list[str]]:
        for batch in project.store.memories.pages():
            yield [memory.id for memory in batch]

    def versions(self, project: Project, ids: Sequence[str]) -> dict[str, list[StoredVersion]]:
        found = project.store.memories.get(ids, ReadMode.SKIP_DAMAGED)
        history = project.store.history.of("memory", [memory.id for memory in found])
        return {memory.id: self._of(project, memory, history[memory.id]) for memory in found}

    def _of(self, project: Project, memory: Memory, revisions: Sequence[Revision]) -> list[StoredVersion]:
        present = (msgspec.json.encode(memory.content()).decode(),)
        return [
            StoredVersion(
                one.version, one.changed_at, one.changed_by, self._body(project, memory, one), one.texts
            )
            for one in _dated(memory, revisions, present)
        ]

    def _body(self, project: Project, memory: Memory, version: Revision) -> Json:
        content = msgspec.json.decode(version.texts[0])
        envelope = msgspec.to_builtins(memory)
        body = {name: one for name, one in envelope.items() if name not in (*_NOT_SHARED, *_LINKED)} | content
        body["files"] = [file for file in content.get("files", ()) if not _is_outside(file.get("path", ""))]
        for action in body.get("actions") or ():
            if action.get("result"):
                action["result"] = {**action["result"], "output_summary": None}
        return project.clean(without_empty(body))

    def put(self, project: Project, item_id: str, versions: Sequence[StoredVersion]) -> None:
        store, last = project.store, versions[-1]
        here = store.memories.get([item_id], ReadMode.BEST_EFFORT)
        fields: Json = last.body | (msgspec.json.decode(last.texts[0]) if last.texts else Json())
        memory = _convert(
            fields | {"id": item_id, "project_id": project.location.id, "version": last.number}, Memory
        )
        memory = replace(memory, updated_at=last.at if len(versions) > 1 else None)
        earlier = [one.texts or (_content(one.body),) for one in versions[:-1]]
        if here:
            kept = here[0]
            memory = replace(memory, imported_at=kept.imported_at, reverted_by=kept.reverted_by)
            store.memories.replace(memory)
        else:
            import_author(project, memory.agent_id, memory.created_at)
            store.memories.add(replace(memory, imported_at=project.now()))
        store.history.add("memory", item_id, *_revisions(versions, earlier), replace=True)

    def is_forgotten(self, project: Project, item_id: str, body: Json) -> bool:
        memory = _convert({**body, "id": item_id, "project_id": project.location.id}, Memory)
        found = marks(memory, project.tombstone_key)
        return bool(project.store.memories.tombstones(found, pending=False))


def _content(body: Json) -> str:
    return msgspec.json.encode(_convert(body, Content)).decode()


def _is_outside(path: str) -> bool:
    """Whether a file is none of the project's: its path would tell about the machine."""
    return os.path.isabs(path) or path.startswith(("~", "..")) or path[1:3] in (":\\", ":/")


def _convert(fields: Json, kind: type[T]) -> T:
    """A struct of JSON; ValidationError also for fields that this version does not know."""
    struct: Any = Memory if kind is Content else kind
    if unknown := fields.keys() - set(struct.__struct_fields__):
        raise msgspec.ValidationError(f"unknown field {min(unknown)}")
    return msgspec.convert(fields, kind)


class _Learned(ItemKind, Generic[L]):
    """Facts or rules."""

    def __init__(self, name: str, kind: type[L], key: str, fields: tuple[str, ...]) -> None:
        self.name, self._kind, self._key, self._fields = name, kind, key, fields

    def _table(self, project: Project) -> Any:
        return getattr(project.store, f"{self.name}s")

    def ids(self, project: Project) -> Iterator[list[str]]:
        for batch in self._table(project).pages():
            yield [getattr(item, self._key) for item in batch]

    def versions(self, project: Project, ids: Sequence[str]) -> dict[str, list[StoredVersion]]:
        found: dict[str, L] = {getattr(one, self._key): one for one in self._table(project).get(ids)}
        history = project.store.history.of(self.name, list(found))
        return {one: self._of(project, item, history[one]) for one, item in found.items()}

    def _of(self, project: Project, item: L, revisions: Sequence[Revision]) -> list[StoredVersion]:
        present = tuple(getattr(item, field) for field in self._fields)
        now = _shareable(project, item)
        *earlier, last = _dated(item, revisions, present)
        # The history has only the texts.
        then = {name: one for name, one in now.items() if name not in _OF_THE_PRESENT}
        found = [
            StoredVersion(
                *one[:3], project.clean(then | dict(zip(self._fields, one.texts, strict=True))), one.texts
            )
            for one in earlier
        ]
        return [*found, StoredVersion(*last[:3], now, present)]

    def digest(self, body: Json) -> str:
        return digest_of({name: body.get(name) for name in (*self._fields, "superseded_by")})

    def put(self, project: Project, item_id: str, versions: Sequence[StoredVersion]) -> None:
        first, last, table = versions[0], versions[-1], self._table(project)
        # It may have been made at two places; its history begins with the first one.
        own = {self._key: item_id, "version": last.number, "created_at": first.at, "agent_id": first.by}
        item = _convert(last.body | own, self._kind)
        here = table.get([item_id])
        import_author(project, item.agent_id, item.created_at)
        table.put(
            replace(
                item,
                updated_at=last.at if len(versions) > 1 else None,
                imported_at=here[0].imported_at if here else project.now(),
            )
        )
        earlier = [tuple(one.body.get(field, "") for field in self._fields) for one in versions]
        project.store.history.add(self.name, item_id, *_revisions(versions, earlier), replace=True)
        if self._kind is Fact:
            project.store.memories.delete_tombstones(fact_marks(item_id, project.tombstone_key))

    def is_forgotten(self, project: Project, item_id: str, body: Json) -> bool:
        if self._kind is Fact:
            return facts.is_forgotten(project, item_id)
        return rules.is_forgotten(project, _convert({**body, "id": item_id}, Rule))

    def is_shared(self, policy: str, body: Json) -> bool:  # noqa: ARG002
        return not policy.startswith(TAGGED)


class _Groups(ItemKind, Generic[G]):
    """Chapters or wisdom; earlier versions are only where they are shared."""

    has_history = False

    def __init__(self, name: str, kind: type[G]) -> None:
        self.name, self._kind = name, kind

    def _table(self, project: Project) -> Any:
        return project.store.chapters if self.name == "chapter" else project.store.wisdom

    def ids(self, project: Project) -> Iterator[list[str]]:
        for batch in self._table(project).pages():
            yield [item.id for item in batch]

    def versions(self, project: Project, ids: Sequence[str]) -> dict[str, list[StoredVersion]]:
        return {
            one.id: [StoredVersion(one.version, one.updated_at, one.agent_id, _shareable(project, one))]
            for one in self._table(project).get(ids)
        }

    def put(self, project: Project, item_id: str, versions: Sequence[StoredVersion]) -> None:
        last, table = versions[-1], self._table(project)
        own = {
            "id": item_id,
            "project_id": project.location.id,
            "version": last.number,
            "updated_at": last.at,
        }
        group = _convert(last.body | own, self._kind)
        here = table.get([item_id])
        import_author(project, group.agent_id, group.created_at)
        table.put(replace(group, imported_at=here[0].imported_at if here else project.now()))

    def is_forgotten(self, project: Project, item_id: str, body: Json) -> bool:
        own = {"id": item_id, "project_id": "", "updated_at": 0}
        group = _convert(body | own, self._kind)
        find = chapter_marks if isinstance(group, Chapter) else wisdom_marks
        return bool(project.store.memories.tombstones(find(group.part_ids, project.tombstone_key, item_id)))


class _Agents(ItemKind):
    name = "agent"
    has_history = False

    def ids(self, project: Project) -> Iterator[list[str]]:  # noqa: ARG002
        yield from ()  # Authors are sent with what they wrote

    def versions(self, project: Project, ids: Sequence[str]) -> dict[str, list[StoredVersion]]:
        found = filter(None, map(project.store.agents.get, ids))
        return {
            one.id: [
                StoredVersion(
                    1, one.created_at, one.id, _shareable(project, replace(one, last_active=0, metadata={}))
                )
            ]
            for one in found
        }

    def put(self, project: Project, item_id: str, versions: Sequence[StoredVersion]) -> None:
        body = versions[-1].body
        agent = _convert({**body, "id": item_id, "project_id": "", "last_active": body["created_at"]}, Agent)
        if project.store.agents.get(item_id) is None:
            import_agent(project, agent)
        elif agent.name and not project.store.agents.find_ids(agent.name):
            project.store.agents.update(item_id, name=agent.name)

    def is_shared(self, policy: str, body: Json) -> bool:  # noqa: ARG002
        return True


ITEM_KINDS: dict[str, ItemKind] = {
    kind.name: kind
    for kind in (
        _Agents(),
        _Memories(),
        _Groups("chapter", Chapter),
        _Groups("wisdom", Wisdom),
        _Learned("fact", Fact, "key", ("value",)),
        _Learned("rule", Rule, "id", ("condition", "action")),
    )
}
