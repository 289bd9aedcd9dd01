"""The tables of memories, their links and authors: a row, its files, tags and terms, and its tombstone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from rum.model.agents import Agent, AgentType
from rum.model.errors import InvalidQuery, StorageError
from rum.model.ids import tail_of
from rum.model.memory import Edge, FileRef, LinkType, Memory, Operation, Origin, OriginKind, RevertLink
from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning, TaskType
from rum.store.base import AgentFigures, ReadMode
from rum.store.derived import attempts_of, indexed_text, recorded_renames
from rum.store.tables.rows import UNREADABLE, DamagedRows, unpacked
from rum.store.tables.statements import Row, Table

# The columns that are empty in the row of an archived memory.
LAYERS = ("intent", "perception", "reasoning", "actions", "outcome")


class MemoryTable(Table):
    """The memories of one project."""

    def add(self, memory: Memory) -> None:
        with self._db.transaction():
            [seq] = self._values("insert_memory", _columns(memory))
            self._db.run("queue_memory", (seq,))
            self._add_parts(memory, seq)
            self._db.run("insert_text", (seq, *indexed_text(memory)))

    def replace(self, memory: Memory) -> None:
        with self._db.transaction():
            [seq] = self._values("seq_of", (memory.id,))
            if self.is_archived(seq):
                self.take_back(seq, self.get([memory.id])[0])
            row = _columns(memory)
            for statement in ("forget_meaning", "queue_if_changed", "update_memory"):
                self._db.run(statement, row)
            self._delete_parts(memory.id, seq)
            self._add_parts(memory, seq)
            self._db.run("insert_text", (seq, *indexed_text(memory)))

    def _add_parts(self, memory: Memory, seq: int) -> None:
        """Write its files, tags, attempts and renames, which are found without the text index."""
        files = [
            (memory.id, file.path, file.operation.value, file.content_hash, memory.created_at)
            for file in memory.files
        ]
        self._db.run_many("insert_file", files)
        self._db.run_many("insert_tag", [(tag, memory.id) for tag in dict.fromkeys(memory.tags)])
        self._db.run_many("insert_attempt", [(seq, *attempt) for attempt in attempts_of(memory)])
        self.note_renames(memory.id, recorded_renames(memory.actions))

    def _delete_parts(self, memory_id: str, seq: int) -> None:
        """Delete what `_add_parts` wrote, except renames, and the terms of a live memory."""
        for statement in ("delete_files", "delete_tags"):
            self._db.run(statement, (memory_id,))
        for statement in ("delete_attempts", "delete_text"):
            self._db.run(statement, (seq,))

    def reindex(self, memory: Memory) -> bool:
        """Write all data derived from the stored memory; False if it is deleted or damaged.

        The terms of an archived one are rebuilt by the archive.
        """
        with self._db.transaction():
            present = next(iter(self.get([memory.id], ReadMode.SKIP_DAMAGED)), None)
            if present is None:
                return False
            [seq] = self._values("seq_of", (memory.id,))
            self._delete_parts(memory.id, seq)
            self._add_parts(present, seq)
            if not self.is_archived(seq):
                self._db.run("insert_text", (seq, *indexed_text(present)))
            return True

    def get(self, ids: Sequence[str], mode: ReadMode = ReadMode.STRICT) -> list[Memory]:
        if not ids:
            return []
        statement = "headlines_by_id" if mode is ReadMode.HEADLINE else "memories_by_id"
        rows = self._db.rows(statement, {"ids": self._db.array(ids)})
        found = {row["id"]: _memory(row, mode, self._db.damaged_rows) for row in rows}
        return [memory for one in ids if (memory := found.get(one)) is not None]

    def find_ids(self, name: str) -> list[str]:
        if self._db.rows("seq_of", (name,)):
            return [name]
        tail = tail_of(name)
        return [] if tail is None else self._values("ids_by_tail", {"tail": tail})

    def pages(self, size: int = 500, since: int = 0) -> Iterator[list[Memory]]:
        last = (since, "")
        while rows := self._db.rows("in_time_order", (*last, size)):
            if memories := self.get([row["id"] for row in rows], ReadMode.BEST_EFFORT):
                yield memories
            last = (rows[-1]["created_at"], rows[-1]["id"])

    def count(self, *, archived: bool = False) -> int:
        if archived:  # stored, and updated with the archive
            stored = next(iter(self._values("get_derived", ("archived",))), "0")
            return int(stored) if stored.isdecimal() else self._values("count_archived")[0]
        return self._values("count_memories")[0]

    def reverted(self) -> list[str]:
        return self._values("reverted_memories")

    def commits(self, since: int = 0) -> dict[str, str]:
        return {row["origin_reference"]: row["id"] for row in self._db.rows("of_commits", (since,))}

    def checked_out(self) -> dict[str, str]:
        return {row["id"]: row["git_commit"] for row in self._db.rows("checked_out")}

    def delete(self, memory_id: str, *, dry_run: bool = False) -> dict[str, int]:
        if dry_run:
            return self._count_parts(memory_id)
        with self._db.transaction():
            [seq] = self._values("seq_of", (memory_id,))
            removed = self._count_parts(memory_id)
            older = self._values("superseded_by", (memory_id,))
            if self.is_archived(seq):
                self.drop_archived_terms(seq, next(iter(self.get([memory_id], ReadMode.SKIP_DAMAGED)), None))
                self._db.run("more_archived", (-1,))
            self._db.run("delete_text", (seq,))
            self._db.run("delete_memory", (memory_id,))
            self._db.run("mark_superseded", (self._db.array(older),))
            return removed

    def _count_parts(self, memory_id: str) -> dict[str, int]:
        ids = {"ids": self._db.array([memory_id])}
        edges, files = self._db.rows("edges_of", ids), self._db.rows("files_of", ids)
        (versions,) = self._values("count_versions", (memory_id,))
        return {"memories": 1, "files": len(files), "links": len(edges), "versions": versions}

    def is_archived(self, seq: int) -> bool:
        """Whether a memory is in the archive."""
        return bool(self._db.rows("is_archived", (seq,)))

    def take_back(self, seq: int, memory: Memory) -> None:
        """Make an archived memory live again, unchanged."""
        self.drop_archived_terms(seq, memory)
        [(form, data, goal, summary, _)] = self._db.rows("archived_row", (seq,))
        self._db.run("set_layers", (*layers_of(form, data, goal, summary, memory.id), seq))
        self._db.run("unarchive_memory", (seq,))
        self._db.run("insert_text", (seq, *indexed_text(memory)))
        self._db.run("unarchive_vectors", (seq,))
        self._db.run("drop_archived_vectors", (seq,))
        self._db.run("more_archived", (-1,))

    def drop_archived_terms(self, seq: int, memory: Memory | None) -> None:  # noqa: ARG002 (SQLite needs it)
        """Delete the terms of an archived memory from the index; `memory` is None for a damaged one."""
        self._db.run("drop_archived_terms", (seq,))

    def note_renames(self, memory_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        rows = [{"path": new, "before": old, "id": memory_id} for old, new in pairs]
        if rows:
            with self._db.transaction():
                self._db.run_many("insert_rename", rows)

    def renames(self, memory_id: str) -> list[tuple[str, str]]:
        return [(row["before"], row["path"]) for row in self._db.rows("renames_of", (memory_id,))]

    def add_tombstones(self, hashes: Iterable[str], kind: str, now: int) -> None:
        with self._db.transaction():
            self._db.run_many("insert_tombstone", [(one, kind, now) for one in hashes])

    def all_tombstones(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for kind, one in self._db.rows("all_tombstones"):
            found.setdefault(kind, []).append(one)
        return found

    def tombstones(self, hashes: Iterable[str], *, pending: bool = True) -> set[str]:
        wanted = {"hashes": self._db.array(hashes), "pending": pending}
        return set(self._values("tombstones_among", wanted))

    def delete_tombstones(self, hashes: Iterable[str]) -> None:
        with self._db.transaction():
            self._db.run_many("delete_tombstone", [(one,) for one in hashes])


class LinkTable(Table):
    """The links of one project's memories."""

    def add(self, edge: Edge, now: int) -> bool:
        with self._db.transaction():
            if edge.link_type is LinkType.SUPERSEDES:
                ends = {"source_id": edge.target_id, "target_id": edge.source_id}
                if self._db.rows("supersedes_reaches", ends):
                    raise InvalidQuery(
                        f"{edge.target_id} supersedes {edge.source_id} already; a circle is not possible.",
                        field="supersedes",
                    )
            created = self._db.run("insert_link", (*edge[:2], edge.link_type.value, now)) == 1
            if created and edge.link_type is LinkType.SUPERSEDES:
                self._db.run("mark_superseded", (self._db.array([edge.target_id]),))
            return created

    def of(self, ids: Iterable[str] | None = None) -> dict[Edge, int]:
        if ids is None:
            rows = self._db.rows("all_edges")
        else:
            rows = self._db.rows("edges_of", {"ids": self._db.array(ids)})
        found: dict[Edge, int] = {}
        for row in rows:
            ends = row["source_id"], row["target_id"]
            try:
                found[Edge(*ends, LinkType(row["link_type"]))] = row["created_at"]
            except ValueError:
                self._db.damaged_rows.note("link", " → ".join(map(str, ends)))
        return found


def layers_of(form: int, data: bytes, goal: str, summary: str, memory_id: str) -> list[str]:
    """The layers that an archived memory's blob holds."""
    try:
        layers = unpacked(form, data, goal, summary)
        if len(layers) != len(LAYERS):
            raise ValueError(f"it has {len(layers)} layers")
        return layers
    except ValueError as error:
        raise StorageError(
            f"{memory_id} cannot be read from the archive: {error}. Restore a backup, or forget it.",
            memory_id=memory_id,
        ) from None


def distinct_terms(memory: Memory) -> tuple[str, int]:
    """The terms of a memory, each once and sorted, and the length of its indexed text without paths."""
    fields = indexed_text(memory)
    held = sorted({term for field in fields for term in field.split()})
    return " ".join(held), sum(map(len, fields[:-1]))


_encode = msgspec.json.encode
_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    "intent": msgspec.json.Decoder(Intent),
    "perception": msgspec.json.Decoder(Perception),
    "reasoning": msgspec.json.Decoder(Reasoning),
    "actions": msgspec.json.Decoder(tuple[Action, ...]),
    "outcome": msgspec.json.Decoder(Outcome),
}
_texts = msgspec.json.Decoder(tuple[str, ...])
_files = msgspec.json.Decoder(tuple[tuple[str, Operation, str | None], ...])
_reverted = msgspec.json.Decoder(tuple[tuple[str, str | None, int], ...])


def _columns(memory: Memory) -> dict[str, Any]:
    reverted_by = memory.reverted_by
    return {
        "id": memory.id,
        "agent_id": memory.agent_id,
        "project_id": memory.project_id,
        "session_id": memory.session_id,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "version": memory.version,
        "intent_goal": memory.intent.goal,
        "intent_type": memory.intent.task_type.value,
        "outcome_success": int(memory.outcome.success),
        "outcome_summary": memory.outcome.summary,
        "intent": _encode(memory.intent).decode(),
        "perception": _encode(memory.perception).decode(),
        "reasoning": _encode(memory.reasoning).decode(),
        "actions": _encode(memory.actions).decode(),
        "outcome": _encode(memory.outcome).decode(),
        "tags": _encode(memory.tags).decode(),
        "importance": memory.importance,
        "git_commit": memory.commit,
        "git_branch": memory.branch,
        "imported_at": memory.imported_at,
        "origin_kind": memory.origin.kind.value,
        "origin_reference": memory.origin.reference,
        "reverted_by": reverted_by and reverted_by.id,
        "reverted_commit": reverted_by and reverted_by.commit,
        "reverted_in_part": int(reverted_by is not None and reverted_by.in_part),
        "reverted_reason": reverted_by and reverted_by.reason,
    }


_INTEGERS = ("created_at", "version")
_COLUMNS_OF_TEXT = ("id", "agent_id", "project_id", "session_id", "intent_goal", "outcome_summary")


def _memory(row: Row, mode: ReadMode, damaged: DamagedRows) -> Memory | None:
    """The memory of a row; if that is damaged, what the mode asks for."""
    try:
        return _whole_memory(row, mode)
    except StorageError:  # of the archive
        if mode is ReadMode.STRICT:
            raise
    except UNREADABLE:
        if mode is ReadMode.STRICT:
            raise StorageError(
                f"{row['id']} cannot be read: its row is damaged. Restore a backup, or forget it.",
                memory_id=str(row["id"]),
            ) from None
    damaged.note("memory", row["id"])
    return None if mode is ReadMode.SKIP_DAMAGED else _remains(row)


def _remains(row: Row) -> Memory:
    """The headline of a damaged memory, as far as it can be read."""
    texts: dict[str, Any] = {
        name: row[name] if isinstance(row[name], str) else "" for name in _COLUMNS_OF_TEXT
    }
    numbers: dict[str, Any] = {name: row[name] if isinstance(row[name], int) else 0 for name in _INTEGERS}
    goal, summary = texts.pop("intent_goal"), texts.pop("outcome_summary")
    known = row["intent_type"] in TaskType.__members__.values()
    kinds = OriginKind.__members__.values()
    return Memory(
        **texts,
        **numbers,
        intent=Intent(goal=goal, task_type=TaskType(row["intent_type"]) if known else TaskType.OTHER),
        outcome=Outcome(success=row["outcome_success"] == 1, summary=summary),
        origin=Origin(OriginKind(row["origin_kind"]) if row["origin_kind"] in kinds else OriginKind.AGENT),
    )


def _whole_memory(row: Row, mode: ReadMode) -> Memory:
    if not all(type(row[name]) is int for name in _INTEGERS):
        raise TypeError("not a number")
    if not all(type(row[name]) is str for name in _COLUMNS_OF_TEXT):
        raise TypeError("not a text")
    fields: dict[str, Any] = {
        "id": row["id"],
        "agent_id": row["agent_id"],
        "project_id": row["project_id"],
        "session_id": row["session_id"],
        "created_at": row["created_at"],
        "version": row["version"],
        "superseded_by": _texts.decode(row["superseded_by"]),
        "origin": Origin(OriginKind(row["origin_kind"]), row["origin_reference"]),
    }
    if row["reverted_by"] is not None:
        fields["reverted_by"] = RevertLink(
            row["reverted_by"], row["reverted_commit"], bool(row["reverted_in_part"]), row["reverted_reason"]
        )
    if row["reverts"] != "[]":
        reverts = _reverted.decode(row["reverts"])
        fields["reverts"] = tuple(RevertLink(one, commit, bool(part)) for one, commit, part in reverts)
    if mode is ReadMode.HEADLINE:
        return Memory(**fields, **_headline(row))
    return Memory(
        **fields,
        updated_at=row["updated_at"],
        tags=_texts.decode(row["tags"]),
        importance=row["importance"],
        commit=row["git_commit"],
        branch=row["git_branch"],
        imported_at=row["imported_at"],
        files=tuple(FileRef(*file) for file in _files.decode(row["files"])),
        **_layers(row),
    )


def _layers(row: Row) -> dict[str, Any]:
    """The layers of a memory, from its row or from the archive; StorageError if those are damaged."""
    if row["form"] is None or row["data"] is None:
        texts = [row[name] for name in LAYERS]
    else:
        texts = layers_of(row["form"], row["data"], row["intent_goal"], row["outcome_summary"], row["id"])
    return {name: _DECODERS[name].decode(text) for name, text in zip(LAYERS, texts, strict=True)}


def _headline(row: Row) -> dict[str, Any]:
    return {
        "intent": Intent(goal=row["intent_goal"], task_type=TaskType(row["intent_type"])),
        "outcome": Outcome(success=bool(row["outcome_success"]), summary=row["outcome_summary"]),
    }


_object = msgspec.json.Decoder(dict[str, Any])


class AgentTable(Table):
    """The agents of one project."""

    def add(self, agent: Agent) -> None:
        row = msgspec.to_builtins(agent) | {"metadata": msgspec.json.encode(agent.metadata).decode()}
        with self._db.transaction():
            self._db.run("insert_agent", row)

    def get(self, agent_id: str) -> Agent | None:
        return next((self._agent(row) for row in self._db.rows("agent_by_id", (agent_id,))), None)

    def _agent(self, row: Row) -> Agent:
        """The agent of a row; damaged metadata read as empty, a damaged type as that of a main agent."""
        damaged, fields = self._db.damaged_rows, {name: row[name] for name in Agent.__struct_fields__}
        fields["metadata"] = damaged.read("agent", row["id"], lambda: _object.decode(row["metadata"]), {})
        fields["type"] = damaged.read("agent", row["id"], lambda: AgentType(row["type"]), AgentType.MAIN)
        plain = Agent(**fields)
        return damaged.read("agent", row["id"], lambda: msgspec.convert(fields, Agent), plain)

    def find_ids(self, name: str) -> list[str]:
        if self.get(name):
            return [name]
        if by_name := self._values("agent_by_name", (name,)):
            return by_name
        tail = tail_of(name)
        return [] if tail is None else self._values("agents_by_tail", (tail,))

    def last_main(self, client: str | None) -> Agent | None:
        return next((self._agent(row) for row in self._db.rows("last_main_agent", (client,))), None)

    def all(self) -> list[Agent]:
        return [self._agent(row) for row in self._db.rows("all_agents")]

    def update(
        self,
        agent_id: str,
        *,
        name: str | None = None,
        last_active: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        known = None if metadata is None else msgspec.json.encode(metadata).decode()
        values = {"id": agent_id, "name": name, "last_active": last_active, "metadata": known}
        with self._db.transaction():
            return self._db.run("update_agent", values) > 0

    def figures(self, ids: Iterable[str]) -> dict[str, AgentFigures]:
        rows = self._db.rows("agent_figures", (self._db.array(ids),))
        return {
            row["id"]: AgentFigures(
                row["memories"], row["successes"], row["sessions"], json.loads(row["children"])
            )
            for row in rows
        }
