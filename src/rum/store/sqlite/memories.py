"""Memories and their links in SQLite: a row, its files, tags and terms, and its tombstone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from rum.model.errors import InvalidQuery, StorageError
from rum.model.ids import tail_of
from rum.model.links import Edge, LinkType
from rum.model.memory import FileRef, Memory, Operation, Origin, OriginKind, RevertLink
from rum.model.memory_layers import Action, Intent, Outcome, Perception, Reasoning, TaskType
from rum.store.base import ReadMode
from rum.store.derived import attempts_of, indexed_text, recorded_renames
from rum.store.sqlite import archive_rows
from rum.store.sqlite.queries import SQL
from rum.store.sqlite.records import Table

if TYPE_CHECKING:
    from rum.store.sqlite.records import Row


class SqliteMemories(Table):
    """The memories of one project."""

    def add(self, memory: Memory) -> None:
        with self._database.transaction() as db:
            seq = db.execute(SQL["insert_memory"], _columns(memory)).lastrowid
            db.execute(SQL["queue_memory"], (seq,))
            self._add_parts(memory, seq)

    def replace(self, memory: Memory) -> None:
        with self._database.transaction() as db:
            self._unarchive(memory.id)
            row = _columns(memory)
            for statement in ("forget_meaning", "queue_if_changed", "update_memory"):
                db.execute(SQL[statement], row)
            seq = self._seq(memory.id)
            self._delete_parts(memory, seq)
            self._add_parts(memory, seq)

    def _unarchive(self, memory_id: str) -> None:
        """Make an archived memory live again, before it is changed."""
        db = self._database.connection
        seq = self._seq(memory_id)
        if archive_rows.is_archived(db, seq):
            archive_rows.take_back(db, seq, self.get([memory_id])[0])

    def _add_parts(self, memory: Memory, seq: int | None) -> None:
        self._add_named(memory, seq)
        self._database.connection.execute(SQL["insert_text"], (seq, *indexed_text(memory)))

    def _add_named(self, memory: Memory, seq: int | None) -> None:
        """Write its files, tags, attempts and renames, which are found without the text index."""
        db = self._database.connection
        files = [
            (memory.id, file.path, file.operation.value, file.content_hash, memory.created_at)
            for file in memory.files
        ]
        db.executemany(SQL["insert_file"], files)
        db.executemany(SQL["insert_tag"], [(tag, memory.id) for tag in dict.fromkeys(memory.tags)])
        db.executemany(SQL["insert_attempt"], [(seq, *attempt) for attempt in attempts_of(memory)])
        self.note_renames(memory.id, recorded_renames(memory.actions))

    def _delete_parts(self, memory: Memory, seq: int) -> None:
        self._delete_terms(memory.id, seq)
        self._delete_named(memory.id, seq)

    def _delete_named(self, memory_id: str, seq: int) -> None:
        db = self._database.connection
        for statement in ("delete_files", "delete_tags"):
            db.execute(SQL[statement], (memory_id,))
        db.execute(SQL["delete_attempts"], (seq,))

    def _delete_terms(self, memory_id: str, seq: int) -> None:
        """Delete its terms from the index that has them."""
        db = self._database.connection
        db.execute(SQL["delete_text"], (seq,))
        if archive_rows.is_archived(db, seq):
            archive_rows.drop_terms(db, seq, next(iter(self.get([memory_id], ReadMode.SKIP_DAMAGED)), None))

    def reindex(self, memory: Memory) -> bool:
        """Write all data derived from the stored memory; False if it is deleted or damaged.

        The terms of an archived one are rebuilt by the archive.
        """
        with self._database.transaction() as db:
            present = next(iter(self.get([memory.id], ReadMode.SKIP_DAMAGED)), None)
            if present is None:
                return False
            seq = self._seq(memory.id)
            db.execute(SQL["delete_text"], (seq,))
            self._delete_named(memory.id, seq)
            self._add_named(present, seq)
            if not archive_rows.is_archived(db, seq):
                db.execute(SQL["insert_text"], (seq, *indexed_text(present)))
            return True

    def get(self, ids: Sequence[str], mode: ReadMode = ReadMode.STRICT) -> list[Memory]:
        if not ids:
            return []
        statement = "headlines_by_id" if mode is ReadMode.HEADLINE else "memories_by_id"
        rows = self._rows(statement, {"ids": json.dumps(list(ids))})
        found = {row["id"]: _READERS[mode](row) for row in rows}
        return [memory for one in ids if (memory := found.get(one)) is not None]

    def find_ids(self, name: str) -> list[str]:
        if self._rows("seq_of", (name,)):
            return [name]
        tail = tail_of(name)
        return [] if tail is None else self._values("ids_by_tail", {"tail": tail})

    def pages(self, size: int = 500, since: int = 0) -> Iterator[list[Memory]]:
        last = (since, "")
        while rows := self._rows("in_time_order", (*last, size)):
            if memories := self.get([row["id"] for row in rows], ReadMode.BEST_EFFORT):
                yield memories
            last = (rows[-1]["created_at"], rows[-1]["id"])

    def count(self) -> int:
        return self._values("count_memories")[0]

    def commits(self) -> list[tuple[str, str]]:
        return [(row["id"], row["git_commit"]) for row in self._rows("at_commits")]

    def delete(self, memory_id: str, *, dry_run: bool = False) -> dict[str, int]:
        if dry_run:
            return self._count_parts(memory_id)
        with self._database.transaction() as db:
            seq = self._seq(memory_id)
            removed = self._count_parts(memory_id)
            older = self._values("superseded_by", (memory_id,))
            archived = archive_rows.is_archived(db, seq)
            self._delete_terms(memory_id, seq)
            db.execute(SQL["delete_memory"], (memory_id,))
            db.execute(SQL["more_archived"], (-int(archived),))
            db.execute(SQL["mark_superseded"], (json.dumps(older),))
            return removed

    def _count_parts(self, memory_id: str) -> dict[str, int]:
        ids = {"ids": json.dumps([memory_id])}
        edges, files = self._rows("edges_of", ids), self._rows("files_of", ids)
        (versions,) = self._values("count_versions", (memory_id,))
        return {"memories": 1, "files": len(files), "links": len(edges), "versions": versions}

    def note_renames(self, memory_id: str, pairs: Iterable[tuple[str, str]]) -> None:
        rows = [{"path": new, "before": old, "id": memory_id} for old, new in pairs]
        if rows:
            with self._database.transaction() as db:
                db.executemany(SQL["insert_rename"], rows)

    def add_tombstones(self, hashes: Iterable[str], kind: str, now: int) -> None:
        with self._database.transaction() as db:
            db.executemany(SQL["insert_tombstone"], [(one, kind, now) for one in hashes])

    def all_tombstones(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for kind, one in self._database.connection.execute(SQL["all_tombstones"]):
            found.setdefault(kind, []).append(one)
        return found

    def tombstones(self, hashes: Iterable[str]) -> set[str]:
        return set(self._values("tombstones_among", (json.dumps(list(hashes)),)))

    def _seq(self, memory_id: str) -> int:
        return self._values("seq_of", (memory_id,))[0]


class SqliteLinks(Table):
    """The links of one project's memories."""

    def add(self, edge: Edge, now: int) -> bool:
        with self._database.transaction() as db:
            if edge.link_type is LinkType.SUPERSEDES:
                ends = {"source_id": edge.target_id, "target_id": edge.source_id}
                if db.execute(SQL["supersedes_reaches"], ends).fetchone():
                    raise InvalidQuery(
                        f"{edge.target_id} supersedes {edge.source_id} already; a circle is not possible.",
                        field="supersedes",
                    )
            created = db.execute(SQL["insert_link"], (*edge[:2], edge.link_type.value, now)).rowcount == 1
            if created and edge.link_type is LinkType.SUPERSEDES:
                db.execute(SQL["mark_superseded"], (json.dumps([edge.target_id]),))
            return created

    def of(self, ids: Iterable[str] | None = None) -> dict[Edge, int]:
        if ids is None:
            rows = self._rows("all_edges")
        else:
            rows = self._rows("edges_of", {"ids": json.dumps(list(ids))})
        return {
            Edge(row["source_id"], row["target_id"], LinkType(row["link_type"])): row["created_at"]
            for row in rows
        }


_encode = msgspec.json.encode
_intent = msgspec.json.Decoder(Intent)
_perception = msgspec.json.Decoder(Perception)
_reasoning = msgspec.json.Decoder(Reasoning)
_actions = msgspec.json.Decoder(tuple[Action, ...])
_outcome = msgspec.json.Decoder(Outcome)
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


def _whole(row: Row) -> Memory:
    """A memory with its layers, from its row or from the archive; StorageError if those are damaged."""
    if row["form"] is None or row["data"] is None:
        layers = [row["intent"], row["perception"], row["reasoning"], row["actions"], row["outcome"]]
    else:
        layers = archive_rows.layers_of(
            row["form"], row["data"], row["intent_goal"], row["outcome_summary"], row["id"]
        )
    intent, perception, reasoning, actions, outcome = layers
    return _memory(
        row,
        intent=_intent.decode(intent),
        perception=_perception.decode(perception),
        reasoning=_reasoning.decode(reasoning),
        actions=_actions.decode(actions),
        outcome=_outcome.decode(outcome),
    )


def _whole_or_none(row: Row) -> Memory | None:
    try:
        return _whole(row)
    except StorageError:
        return None


def _whole_or_headline(row: Row) -> Memory:
    return _whole_or_none(row) or _memory(row, intent=_short_intent(row), outcome=_short_outcome(row))


def _headline(row: Row) -> Memory:
    return Memory(**_common_fields(row), intent=_short_intent(row), outcome=_short_outcome(row))


def _memory(row: Row, **layers: Any) -> Memory:
    return Memory(
        **_common_fields(row),
        updated_at=row["updated_at"],
        tags=_texts.decode(row["tags"]),
        importance=row["importance"],
        commit=row["git_commit"],
        branch=row["git_branch"],
        imported_at=row["imported_at"],
        files=tuple(FileRef(*file) for file in _files.decode(row["files"])),
        **layers,
    )


def _common_fields(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "agent_id": row["agent_id"],
        "project_id": row["project_id"],
        "session_id": row["session_id"],
        "created_at": row["created_at"],
        "version": row["version"],
        "superseded_by": _texts.decode(row["superseded_by"]),
        "origin": Origin(OriginKind(row["origin_kind"]), row["origin_reference"]),
        "reverted_by": _reversal(row),
        "reverts": _reverts(row),
    }


def _short_intent(row: Row) -> Intent:
    return Intent(goal=row["intent_goal"], task_type=TaskType(row["intent_type"]))


def _short_outcome(row: Row) -> Outcome:
    return Outcome(success=bool(row["outcome_success"]), summary=row["outcome_summary"])


def _reversal(row: Row) -> RevertLink | None:
    if row["reverted_by"] is None:
        return None
    return RevertLink(
        row["reverted_by"], row["reverted_commit"], bool(row["reverted_in_part"]), row["reverted_reason"]
    )


def _reverts(row: Row) -> tuple[RevertLink, ...]:
    if row["reverts"] == "[]":
        return ()
    return tuple(
        RevertLink(one, commit, bool(part)) for one, commit, part in _reverted.decode(row["reverts"])
    )


_READERS: dict[ReadMode, Callable[[Row], Memory | None]] = {
    ReadMode.STRICT: _whole,
    ReadMode.SKIP_DAMAGED: _whole_or_none,
    ReadMode.BEST_EFFORT: _whole_or_headline,
    ReadMode.HEADLINE: _headline,
}
