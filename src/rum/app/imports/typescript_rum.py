"""Import the memory of the TypeScript RUM: agents, memories, links, chapters and wisdom, with their ids."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from glob import escape, glob
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rum.app.agents import import_agent
from rum.app.caller import Caller
from rum.app.chapters.groups import CHAPTERS, WISDOM
from rum.app.exchange.chapters import ChapterImport, ChapterImporter, ChapterLine, GroupLine, WisdomLine
from rum.app.imports.batch import BATCH, Imported, Piece, Source, Tally, import_pieces, imported_memory
from rum.app.memories.store import with_content
from rum.app.project import Progress, Project
from rum.model.agents import Agent
from rum.model.chapters import (
    MAX_CLAIM_LENGTH,
    MAX_CLAIMS,
    MAX_MEMBERS,
    MAX_TAGS,
    MAX_TEXT_LENGTH,
    MAX_TITLE_LENGTH,
    Evidence,
)
from rum.model.errors import InvalidQuery
from rum.model.fields import parse, seconds
from rum.model.memory import (
    OPERATION_OF,
    Edge,
    FileRef,
    LinkType,
    Operation,
    Origin,
    OriginKind,
    Usage,
    parse_draft,
)
from rum.model.memory_layers import ActionType
from rum.store.base import ReadMode
from rum.store.sqlite.typescript_rum import Row, TypeScriptRum, open_typescript_rum
from rum.text.shorten import without_invisible

NAME = "typescript-rum"  # The client of imported agents, and the reference of their memories' origin
_UNREADABLE = "unreadable"
_LAYERS = ("intent", "perception", "reasoning", "actions", "outcome", "tags")
_FILE_SUFFIX = ".rum.db"


class TypeScriptImport(Imported, frozen=True, kw_only=True):
    """The counts of memories; `chapters` has those of chapters and wisdom."""

    agents: int = 0
    chapters: ChapterImport | UnsetType = UNSET
    damaged: tuple[str, ...] = ()  # Tables of which some rows could not be read
    dry_run: bool = False


def import_typescript_rum(caller: Caller, path: str, dry_run: bool, progress: Progress) -> TypeScriptImport:
    """Import a database: everything that is new and not forgotten; a dry run only counts."""
    tally = Tally()
    with open_typescript_rum(_database_in(path)) as database:
        agents = 0 if dry_run else _import_agents(caller.project, database, tally.skipped)
        source = _Memories(caller, database)
        import_pieces(caller, source, tally, progress, dry_run=dry_run)
        if not dry_run:
            tally.counts["links"] += _import_links(caller.project, database, tally.skipped)
        groups = _import_groups(caller.project, database, source.heads, tally.skipped, dry_run=dry_run)
        return tally.answer(
            TypeScriptImport,
            agents=agents,
            chapters=groups or UNSET,
            damaged=tuple(database.damaged),
            dry_run=dry_run,
        )


def _database_in(path: str) -> str:
    """The database itself, or the only one of a folder."""
    if not os.path.isdir(path):
        return path
    found = glob(os.path.join(escape(path), f"*{_FILE_SUFFIX}"))
    if len(found) != 1:
        raise InvalidQuery(
            f"{path} has {len(found)} files named *{_FILE_SUFFIX}; name the database itself.", field="path"
        )
    return found[0]


def _import_agents(project: Project, database: TypeScriptRum, skipped: Counter[str]) -> int:
    """Keep the agents that are new, parents first; the number of them."""
    found: dict[str, Agent] = {}
    for row in database.rows("agents"):
        try:
            agent = _agent(row)
        except (InvalidQuery, ValueError, TypeError, RecursionError):
            skipped["unreadable agent"] += 1
            continue
        found[agent.id] = agent
    count = 0
    with project.store.transaction():
        for agent in _parents_first(found):
            if not project.store.agents.get(agent.id):
                import_agent(project, agent)
                count += 1
    return count


def _agent(row: Row) -> Agent:
    kept = _decoded(row.get("metadata"))
    metadata: dict[str, Any] = dict(cast("dict[str, Any]", kept)) if isinstance(kept, dict) else {}
    if isinstance(specialty := row.get("specialization"), str) and specialty.strip():
        metadata["specialties"] = [_line(specialty, 80)]
    if skills := _texts(row.get("capabilities"), 50, 80):
        metadata["capabilities"] = skills
    created = _time(row["created_at"])
    fields = {
        "id": row["id"],
        "type": row["type"],
        "project_id": "",
        "created_at": created,
        "last_active": _time(row.get("last_active_at") or created),
        "parent_id": row.get("parent_id"),
        "client": NAME,
        "metadata": metadata,
    }
    return parse(fields, Agent, "agent")


def _parents_first(agents: dict[str, Agent]) -> Iterator[Agent]:
    """Each agent after its parent; in a circle of parents, somebody is first."""
    done: set[str] = set()
    for agent in agents.values():
        line: list[Agent] = []
        one: Agent | None = agent
        while one and one.id not in done:
            done.add(one.id)
            line.append(one)
            one = agents.get(one.parent_id or "")
        yield from reversed(line)


class _Memories(Source[Row]):
    """The memories of a database; `heads` has the goal and the agent of each that was read."""

    client = NAME

    def __init__(self, caller: Caller, database: TypeScriptRum) -> None:
        super().__init__(caller, database.count("memories"))
        self._database = database
        self.heads: dict[str, tuple[str, str]] = {}

    def pieces(self) -> Iterator[Piece[Row] | str]:
        """Each memory with its row, or that it cannot be read."""
        files: dict[str, list[Row]] = {}
        for row in self._database.rows("memory_files"):
            if isinstance(row["memory_id"], str):
                files.setdefault(row["memory_id"], []).append(row)
        for row in self._database.rows("memories"):
            try:
                piece = self._piece(row, files.get(row["id"], []))
            except (InvalidQuery, ValueError, TypeError, KeyError, RecursionError):
                yield _UNREADABLE
                continue
            self.heads[piece.memory.id] = (piece.memory.intent.goal, piece.memory.agent_id)
            yield piece

    def _piece(self, row: Row, files: Sequence[Row]) -> Piece[Row]:
        caller, project, at = self._caller, self._caller.project, _time(row["created_at"])
        fields = {name: _decoded(row.get(name)) for name in _LAYERS}
        importance = row.get("importance")
        if isinstance(importance, int | float):
            fields["importance"] = min(1.0, max(0.0, float(importance)))
        draft = parse_draft({name: value for name, value in fields.items() if value is not None})
        memory = imported_memory(
            project,
            {"intent": msgspec.to_builtins(draft.intent), "outcome": msgspec.to_builtins(draft.outcome)},
            memory_id=str(row["id"]),
            agent_id=str(row["agent_id"]),
            session_id=project.label(str(row.get("session_id") or NAME)),
            at=at,
            origin=Origin(OriginKind.PEER, NAME),
        )
        # What the file contained at that time is not known, so it has no hash.
        memory = with_content(memory, draft, memory.created_at, caller.relative, lambda _: None)
        others = {
            caller.relative(path): FileRef(caller.relative(path), _operation(file.get("operation")))
            for file in files
            if isinstance(path := file.get("file_path"), str) and path.strip()
        }
        all_files = others | {file.path: file for file in memory.files}
        memory = replace(memory, files=tuple(all_files[path] for path in sorted(all_files)))
        memory = msgspec.convert(project.clean(msgspec.to_builtins(memory)), type(memory))
        return Piece(memory, NAME, row)

    def link(self, pieces: Sequence[Piece[Row]], counts: Counter[str]) -> None:  # noqa: ARG002
        """Keep how often each memory was used."""
        for piece in pieces:
            times, last = (piece.origin.get(name) for name in ("access_count", "last_accessed"))
            if isinstance(times, int) and 0 < times < 10**9:
                at = _time(last) if isinstance(last, int | float) and last > 0 else None
                self._caller.store.activity.set_use(piece.memory.id, Usage(times, at))


def _operation(name: object) -> Operation:
    """What was done to a file: there it is an action's type, `relevant`, or one of our own words."""
    if name in list(ActionType):
        return OPERATION_OF.get(ActionType(cast("str", name)), Operation.READ)
    return Operation(cast("str", name)) if name in list(Operation) else Operation.READ


def _import_links(project: Project, database: TypeScriptRum, skipped: Counter[str]) -> int:
    """Link memories that are here; the number of new links. One that would make a circle is left out."""
    created, rows = 0, list(database.rows("memory_links"))
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        ends = {row[end] for row in batch for end in ("source_id", "target_id") if isinstance(row[end], str)}
        with project.store.transaction():
            here = {memory.id for memory in project.store.memories.get(sorted(ends), ReadMode.HEADLINE)}
            for row in batch:
                source, target = row["source_id"], row["target_id"]
                if source == target or source not in here or target not in here:
                    continue
                try:
                    edge = Edge.of(source, target, LinkType(row["link_type"]))
                    created += project.store.links.add(edge, _time(row["created_at"]))
                except (InvalidQuery, ValueError, TypeError):
                    skipped["unusable link"] += 1
    return created


def _import_groups(
    project: Project,
    database: TypeScriptRum,
    heads: dict[str, tuple[str, str]],
    skipped: Counter[str],
    *,
    dry_run: bool,
) -> ChapterImport | None:
    lines = list(_group_lines(database, heads, skipped))
    if dry_run:
        return _counted(project, lines)
    # Members that were changed since the import differ from what the chapter was written from.
    stored = project.store.memories.get(list(heads), ReadMode.HEADLINE)
    alike = {memory.id: memory.version for memory in stored if memory.version == 1}
    importer = ChapterImporter(project, alike)
    for start in range(0, len(lines), BATCH):
        with project.store.transaction():
            for line in lines[start : start + BATCH]:
                importer.take(line)
    return importer.result()


def _counted(project: Project, lines: Iterable[GroupLine]) -> ChapterImport | None:
    counts: Counter[str] = Counter()
    for line in lines:
        if isinstance(line, ChapterLine):
            known = project.store.chapters.get([line.chapter.id])
            marks = CHAPTERS.marks(line.chapter.part_ids, project.tombstone_key, line.chapter.id)
        else:
            known = project.store.wisdom.get([line.wisdom.id])
            marks = WISDOM.marks(line.wisdom.part_ids, project.tombstone_key, line.wisdom.id)
        buried = project.store.memories.tombstones(marks)
        counts["unchanged" if known else "forgotten" if buried else "added"] += 1
    return ChapterImport(**counts) if counts else None


def _group_lines(
    database: TypeScriptRum, heads: dict[str, tuple[str, str]], skipped: Counter[str]
) -> Iterator[GroupLine]:
    """The chapters, then the wisdom, of which some members were read."""
    members = _joined(database, "chapter_memories", "chapter_id", "memory_id")
    parts = _joined(database, "wisdom_chapters", "wisdom_id", "chapter_id")
    of_chapter: dict[str, list[str]] = {}
    for table, line_type in (("chapters", ChapterLine), ("wisdom", WisdomLine)):
        for row in database.rows(table):
            try:
                if table == "chapters":
                    ids = [one for one in members.get(row["id"], ()) if one in heads][:MAX_MEMBERS]
                    of_chapter[row["id"]] = ids
                    fields = _chapter(row, ids, heads)
                else:
                    chapters = [one for one in parts.get(row["id"], ()) if one in of_chapter][:MAX_MEMBERS]
                    ids = list(dict.fromkeys(one for chapter in chapters for one in of_chapter[chapter]))
                    fields = _wisdom(row, chapters, ids, heads)
                if not ids:
                    skipped[f"{table.removesuffix('s')} without members"] += 1
                    continue
                name = "chapter" if table == "chapters" else "wisdom"
                yield parse({"kind": name, name: fields}, line_type, name)
            except (InvalidQuery, ValueError, TypeError, KeyError, RecursionError):
                skipped[f"unreadable {table.removesuffix('s')}"] += 1


def _joined(database: TypeScriptRum, table: str, group: str, part: str) -> dict[str, list[str]]:
    rows = [row for row in database.rows(table) if isinstance(row[group], str) and isinstance(row[part], str)]
    rows.sort(key=lambda row: position if isinstance(position := row.get("position"), int) else 0)
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row[group], []).append(row[part])
    return found


def _chapter(row: Row, ids: list[str], heads: dict[str, tuple[str, str]]) -> dict[str, Any]:
    title = _line(row.get("title") or "", MAX_TITLE_LENGTH - 1)
    learnings = _texts(row.get("learnings"), MAX_CLAIMS, MAX_CLAIM_LENGTH)
    return {
        **_group(row, ids, heads, len(learnings)),
        "title": title or _line(heads[ids[0]][0] if ids else "", MAX_TITLE_LENGTH - 1),
        "given": ["title"] if title and row.get("origin") == "manual" else [],
        "learnings": learnings,
        "topics": _texts(row.get("topics"), MAX_TAGS, MAX_TITLE_LENGTH - 1),
        "origin": row.get("origin"),
        "members": [{"memory_id": one} for one in ids],
    }


def _wisdom(
    row: Row, chapters: list[str], ids: list[str], heads: dict[str, tuple[str, str]]
) -> dict[str, Any]:
    lists = {
        name: _texts(row.get(name), MAX_CLAIMS, MAX_CLAIM_LENGTH)
        for name in ("insights", "patterns", "best_practices")
    }
    # It calls tags that two chapters share patterns; they say nothing, and are kept as tags.
    tags = _texts(row.get("tags"), MAX_TAGS, MAX_TITLE_LENGTH)
    lists["patterns"] = [one for one in lists["patterns"] if one not in tags]
    return {
        **_group(row, ids, heads, sum(map(len, lists.values()))),
        **lists,
        "sources": [{"chapter_id": one} for one in chapters],
    }


def _group(row: Row, ids: list[str], heads: dict[str, tuple[str, str]], claims: int) -> dict[str, Any]:
    summary = without_invisible(str(row["summary"]))[:MAX_TEXT_LENGTH].strip()
    return {
        "id": row["id"],
        "project_id": "",
        "agent_id": heads[ids[0]][1] if ids else "",
        **{name: _time(row[name]) for name in ("created_at", "updated_at", "start_ts", "end_ts")},
        "summary": summary,
        "tags": _texts(row.get("tags"), MAX_TAGS, MAX_TITLE_LENGTH),
        # Found again from the members when it is stored.
        "evidence": [msgspec.to_builtins(Evidence())] * claims,
    }


def _decoded(value: object) -> Any:
    """The value of a JSON column; None if it is empty."""
    if value is None or isinstance(value, int | float):
        return value
    if not isinstance(value, str):
        raise TypeError("not a text")
    return json.loads(value)


def _texts(value: object, count: int, length: int) -> list[str]:
    """The texts of a JSON list that say something, each once, on one line, not too many nor too long."""
    items: Any = _decoded(value)
    if not isinstance(items, list):
        return []
    lines = (_line(item, length) for item in cast("list[Any]", items) if isinstance(item, str))
    return list(dict.fromkeys(line for line in lines if line))[:count]


def _line(text: str, length: int) -> str:
    return " ".join(without_invisible(text).split())[:length].strip()


def _time(value: object) -> int:
    """Unix seconds; there times are in milliseconds."""
    if not isinstance(value, int | float) or not 0 <= value <= 10**15:
        raise ValueError("not a time")
    return seconds(value)
