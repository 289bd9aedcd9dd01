"""What all lists have in common: cursors, entries for memories, and names of agents."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from rum.app.caller import Caller
from rum.app.freshness.check import freshness_of, shown
from rum.app.project import Project
from rum.model.anchors import Freshness
from rum.model.errors import InvalidQuery
from rum.model.fields import point_in_time
from rum.model.memory import PARTIAL, REJECTED, UNVERIFIED
from rum.model.pages import Entry
from rum.store.browse import EntryRow

T = TypeVar("T")
_MAX_CURSOR = 2000


def encode_cursor(*place: object) -> str:
    """A place in a list as an opaque text."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def decode_cursor(cursor: str | None, kind: type[T]) -> T | None:
    """The place of a cursor as a tuple of this type; InvalidQuery if it is none."""
    if cursor is None:
        return None
    try:
        if len(cursor) > _MAX_CURSOR:
            raise ValueError
        data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return msgspec.json.decode(data, type=kind)
    except (ValueError, msgspec.MsgspecError):
        raise InvalidQuery("`cursor` is not the `next` of this list.", field="cursor") from None


def cut_page(
    found: list[T], limit: int, place: Callable[[T], Sequence[object]]
) -> tuple[list[T], str | None]:
    """The first `limit` items, and the cursor after them if there are more."""
    if len(found) <= limit:
        return found, None
    return found[:limit], encode_cursor(*place(found[limit - 1]))


def cut_after(
    items: Sequence[T], cursor: str | None, key: Callable[[T], str], limit: int
) -> tuple[list[T], str | None]:
    """A page of a list that is known as a whole; it goes on after the item with the cursor's key."""
    start = 0
    if (place := decode_cursor(cursor, tuple[str])) is not None:
        start = next((at + 1 for at, item in enumerate(items) if key(item) == place[0]), len(items))
    return cut_page(list(items[start : start + limit + 1]), limit, lambda item: (key(item),))


def moment(project: Project, text: str | None, field: str) -> int | None:
    """Unix seconds of a time in a request."""
    if text is None or not text.strip():
        return None
    try:
        return point_in_time(text, project.clock())
    except ValueError as error:
        raise InvalidQuery(f"`{field}`: {error}", field=field) from None


class Names:
    """The names of agents, read when first needed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[str, str] = {}

    def of(self, agent_id: str) -> str:
        """An agent's name; that of its client, or its id, where it has none."""
        if agent_id not in self._known:
            agent = self._project.store.agents.get(agent_id)
            self._known[agent_id] = (agent and (agent.name or agent.client)) or agent_id
        return self._known[agent_id]


def entries(project: Project, rows: Iterable[EntryRow]) -> list[Entry]:
    """Memories for a list."""
    names, rows = Names(project), list(rows)
    fresh = freshness_of(project, [row.id for row in rows])
    return [_entry(row, names, fresh.get(row.id)) for row in rows]


def entries_by_id(project: Project, ids: Sequence[str]) -> dict[str, Entry]:
    """Memories for a list, by id; unknown ids are left out."""
    return {entry.id: entry for entry in entries(project, project.store.browse.entries_of(ids))}


def labels(caller: Caller, ids: Sequence[str]) -> dict[str, list[str]]:
    """The labels of those memories that have any."""
    return {row.id: found for row in caller.store.browse.entries_of(ids) if (found := _labels(row))}


def _labels(row: EntryRow) -> list[str]:
    tags = [tag for tag in (UNVERIFIED, PARTIAL, REJECTED) if tag in row.tags]
    return tags + [name for name in ("reverted", "superseded", "archived") if getattr(row, name)]


def _entry(row: EntryRow, names: Names, fresh: Freshness | None) -> Entry:
    shared: dict[str, Any] = {
        name: getattr(row, name) for name in EntryRow._fields if name in Entry.__struct_fields__
    }
    return Entry(**shared, labels=_labels(row), agent=names.of(row.agent_id), **shown(fresh))
