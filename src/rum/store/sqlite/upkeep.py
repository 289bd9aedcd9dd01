"""Checking, backing up and purging SQLite files."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Sequence
from contextlib import closing
from types import ModuleType

from rum.store import attempt_fingerprint
from rum.store.sqlite.activity_file import SAVED, ActivityFile
from rum.store.sqlite.connect import DAMAGED, Database, storage_errors
from rum.store.sqlite.memories import SqliteArchive, SqliteMemories
from rum.store.sqlite.migrate import ATTEMPTS, TOKENISER, expected_schema
from rum.store.sqlite.records import SQL, SqliteStatements
from rum.store.sqlite.rows import fetch_rows
from rum.store.tables.archive import HEADLINE
from rum.store.tables.layers import FactTable, RuleTable
from rum.store.tables.memories import AgentTable, LinkTable
from rum.store.tables.rows import unpacked
from rum.store.tables.vectors import VectorTable
from rum.store.upkeep import FileSize
from rum.text import terms

_INDEXES = {
    "text index": "memory_text",
    "archive's index": "archived_text",
    "index of chapters and wisdom": "knowledge_text",
}
# Merge the parts of each text index into one without deleted terms.
_MERGE = tuple(
    f"INSERT INTO {table}({table}) VALUES ('optimize')"  # noqa: S608 names of ours
    for table in _INDEXES.values()
)

# How the names of tables begin that `reindex` fills. Files are not among them: their hashes are nowhere else.
_DERIVED = (
    *(*_INDEXES.values(), "memory_terms", "archived_terms", "derived", "memory_tags", "attempts", "renames"),
    *("anchors", "text_anchors", "memory_vectors", "archived_vectors", "vector_models", "unembedded"),
)

_BYTES_PER_SECOND = 40_000_000  # Speed at which a slow machine rewrites a file
_BATCH_SIZE = 1000
# FTS5 keeps about a dozen parts by default; with a single one, finding a rare word is a quarter faster.
_MAX_PARTS = 8

_REINDEX_BATCH_SIZE = 200
_MAX_NAMED = 20  # Maximum number of damaged memories that a problem names


def groups() -> ModuleType:
    """The tables of chapters and wisdom and their index, loaded when first used: few projects have any."""
    from rum.store.sqlite import group_index  # noqa: PLC0415

    return group_index


class SqliteUpkeep:
    """The health of one project's two files."""

    def __init__(self, rum: Database, activity: ActivityFile) -> None:
        self._rum = rum
        self._activity = activity
        self._both = (rum, activity)

    def problems(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        if self._rum.access == "none" and not self._rum.is_new:
            what = f"{self._rum.path} does not exist and cannot be created."
            found.append((what, "Set RUM_HOME to a folder of your own."))
        found += self._activity_problems()
        for database in self._both:
            found += _checked(database, _file_problems)[1]
        is_damaged = any(what.startswith("rum.db ") for what, _ in found)
        for check in (self._index_problems, _archive_problems, _unknown_members, _row_problems):
            failed, problems = _checked(self._rum, check)
            # A damaged file fails every check: that is one problem.
            found += [] if failed and is_damaged else problems
            is_damaged = is_damaged or failed
        return found

    def _activity_problems(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        path = self._activity.path
        if (trouble := self._activity.trouble) is not None:
            advice = f"Memories are safe. The next write moves a damaged file to {path}{DAMAGED}."
            found.append((trouble.message, advice))
        if os.path.lexists(aside := path + DAMAGED):
            rows = self._activity.connection.execute(SQL["failure_of"], (SAVED,)).fetchall()
            saved = rows[0][1] if rows else "Counts and events restarted."
            found.append((f"A damaged {aside} was moved aside. {saved}", "Delete it when you like."))
        return found

    def _index_problems(self, rum: Database) -> list[tuple[str, str]]:
        db = rum.connection
        memories, indexed, rows = db.execute(SQL["live_figures"]).fetchone()
        found: list[str] = []
        if memories != indexed or rows != indexed:
            found.append(
                f"The text index does not agree: {memories} memories, {indexed} indexed, {rows} index rows."
            )
        for what, statement in (("tags", "untagged"), ("flags of superseded memories", "wrongly_superseded")):
            if count := db.execute(SQL[statement]).fetchone()[0]:
                found.append(f"The {what} do not agree with {count} memories.")
        if db.execute(SQL["wrongly_queued"]).fetchone()[0]:
            found.append("The list of memories without a vector does not agree with the memories.")
        archived, recorded, indexed, rows = db.execute(
            SQL["archive_figures"], (terms.VERSION, HEADLINE)
        ).fetchone()
        if archived != recorded:
            found.append(f"There are {archived} archived memories, but {recorded} are recorded.")
        if archived != indexed or rows != indexed:
            found.append(
                f"The archive's index does not agree: {archived} memories, {indexed} indexed, {rows} rows."
            )
        kept, indexed, rows = db.execute(SQL["knowledge_figures"]).fetchone()
        if kept != indexed or rows != indexed:
            found.append(f"The index of chapters and wisdom has {rows} rows, {indexed} of {kept} right.")
        if rum.access == "write":
            for what, table in _INDEXES.items():
                if damage := self._index_damage(table):
                    found.append(f"The {what} is damaged: {damage}.")
        if memories and self.remembered(TOKENISER) != str(terms.VERSION):
            found.append("The text index was made by another tokeniser.")
        if self._figure("SELECT count(*) FROM memories") and self.remembered(ATTEMPTS) != str(
            attempt_fingerprint.VERSION
        ):
            found.append("Warnings do not know all that was tried: older memories were not read for it.")
        return [(what, "Run `rum reindex`.") for what in found]

    def _index_damage(self, table: str) -> str | None:
        check = f"INSERT INTO {table}({table}) VALUES ('integrity-check')"  # noqa: S608 a name of ours
        try:
            self._rum.patiently(lambda: self._rum.connection.execute(check))
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
                raise
            return str(error)
        except MemoryError:  # a damaged file has an absurd size in it
            return "its structure makes no sense"
        return None

    def reindex(
        self, progress: Callable[[int], None], left_out: Callable[[str], None], *, drop_vectors: bool = False
    ) -> int:
        done, statements = 0, SqliteStatements(self._rum)
        memories = SqliteMemories(statements)
        self._create_missing()
        for table in _INDEXES.values():
            if self._index_damage(table):
                self._empty_index(table)
        SqliteArchive(statements, memories).reindex(left_out)
        for page in memories.pages(_REINDEX_BATCH_SIZE):
            with self._rum.transaction():
                done += sum([memories.reindex(memory) for memory in page])
            progress(done)
        groups().SqliteGroupIndex(statements).reindex()
        with self._rum.transaction() as db:
            db.execute(SQL["drop_stray_text"])
            db.execute(SQL["renew_superseded"])
            db.execute(SQL["recount_archived"])
            db.execute(SQL["set_derived"], (TOKENISER, str(terms.VERSION)))
            db.execute(SQL["set_derived"], (ATTEMPTS, str(attempt_fingerprint.VERSION)))
        VectorTable(statements).requeue(drop=drop_vectors)
        return done

    def _create_missing(self) -> None:
        """Create derived tables, indexes and triggers that are missing; those that hold data stay missing."""
        wanted = {name: sql for name, sql in expected_schema("rum").items() if _is_derived(name)}
        with self._rum.transaction() as db:
            known = {name for name, _ in db.execute(SQL["schema_in_order"])}
        if not wanted.keys() - known:
            return
        for table in _INDEXES.values():
            parts = [name for name in wanted if name.startswith(f"{table}_")]
            if not known.issuperset((table, *parts)):
                self._remove_index(table, parts)
        with self._rum.transaction() as db:
            for name, sql in wanted.items():
                if not db.execute(SQL["is_in_schema"], (name,)).fetchone():
                    db.execute(sql)
            db.execute(SQL["set_derived"], ("archived", "0"))
        self._rum.reopen()

    def _remove_index(self, table: str, parts: Sequence[str]) -> None:
        """Remove what is left of a text index; SQLite cannot drop one of which a part is missing."""
        with self._rum.transaction() as db:
            (version,) = db.execute("PRAGMA schema_version").fetchone()
            db.execute("PRAGMA writable_schema = ON")
            db.execute(SQL["remove_from_schema"], (table,))
            db.execute(f"PRAGMA schema_version = {version + 1}")
            db.execute("PRAGMA writable_schema = OFF")
        self._rum.reopen()
        with self._rum.transaction() as db:
            for part in parts:
                db.execute(f"DROP TABLE IF EXISTS {part}")
        self._rum.reopen()

    def _empty_index(self, table: str) -> None:
        """Empty a text index that is too damaged to be written, so that it can be filled again."""
        # A damaged FTS5 table can be neither opened nor dropped; its parts are plain tables.
        with self._rum.transaction() as db:
            (definition,) = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            db.execute(definition.replace(table, f"{table}_new", 1))
            for whole, new in db.execute(SQL["parts_of_index"], {"table": table}).fetchall():
                db.execute(f"DELETE FROM {whole}")  # noqa: S608 a name of ours
                db.execute(f"INSERT INTO {whole} SELECT * FROM {new}")  # noqa: S608 names of ours
            db.execute(f"DROP TABLE {table}_new")
            if table == "archived_text":
                db.execute(SQL["note_no_archived_terms"])
        self._rum.reopen()

    def merge_index(self) -> bool:
        count = "SELECT count(DISTINCT segid) FROM memory_text_idx"
        (parts,) = self._rum.connection.execute(count).fetchone()
        if parts <= _MAX_PARTS:
            return False
        with self._rum.transaction() as db:
            db.execute(_MERGE[0])
        return True

    def is_index_stale(self) -> bool:
        try:
            return self.remembered(TOKENISER) not in (None, str(terms.VERSION))
        except sqlite3.DatabaseError:  # `problems` reports damage
            return False

    def remembered(self, name: str) -> str | None:
        row = self._rum.connection.execute(SQL["get_derived"], (name,)).fetchone()
        return row[0] if row else None

    def remember(self, name: str, value: str) -> None:
        with self._rum.transaction() as db:
            db.execute(SQL["set_derived"], (name, value))

    def status(self) -> dict[str, object]:
        sizes = {os.path.basename(d.path): _size(d.path) for d in self._both}
        return {
            "sqlite": sqlite3.sqlite_version,
            "access": self._rum.access,
            "schema": self._figure("PRAGMA user_version"),
            "memories": self._figure("SELECT count(*) FROM memories"),
            "archived": self._figure("SELECT count(*) FROM archived"),
            "chapters": self._figure("SELECT count(*) FROM chapters"),
            "wisdom": self._figure("SELECT count(*) FROM wisdom"),
            "bytes": sizes,
        }

    def _figure(self, statement: str) -> int | None:
        """A number, or None if the file is too damaged."""
        try:
            return self._rum.connection.execute(statement).fetchone()[0]
        except sqlite3.DatabaseError:
            return None

    def backup(self, path: str) -> None:
        with storage_errors(path):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            try:
                with closing(sqlite3.connect(path)) as copy:
                    # In one step: a copy in parts starts again whenever another process writes in between.
                    self._rum.connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")
            except BaseException:
                os.unlink(path)
                raise

    def size(self) -> FileSize:
        unused, used = _pages(self._rum.connection)
        return FileSize(_size(self._rum.path), unused / max(1, unused + used))

    def repair_activity(self) -> None:
        self._activity.repair()

    def copies(self) -> list[str]:
        folder = os.path.dirname(self._rum.path)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else ()
        return [
            os.path.join(folder, name)
            for name in names
            if name.startswith("before-") or DAMAGED in name or name.endswith(".new")
        ]

    def drop_copies(self) -> None:
        from shutil import rmtree  # noqa: PLC0415 (slow to load)

        for path in self.copies():
            if os.path.isdir(path):
                rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)

    def shrink(self, patience: float | None = None) -> str | None:
        if patience is not None and (trouble := _shrink_obstacle(self._rum, patience)):
            return trouble
        for statement in _MERGE:  # one transaction each, so that other writers wait less
            with self._rum.transaction() as db:
                db.execute(statement)
        is_done = [_rewrite(database) for database in (self._both if patience is None else (self._rum,))]
        return None if all(is_done) else "another process is reading; the file gets smaller when that is done"


def _rewrite(database: Database) -> bool:
    """Rewrite a file without unused space; False if another process kept its log from being truncated."""
    database.patiently(lambda: database.connection.execute("VACUUM"))
    for _attempt in range(20):  # each attempt waits a moment for readers
        busy, _, _ = database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            return True
    return False


def _damaged_in_archive(rum: Database) -> list[str]:
    """The archived memories that cannot be unpacked."""
    damaged: list[str] = []
    last = -1
    while rows := rum.connection.execute(SQL["archived_blobs"], (last, _BATCH_SIZE)).fetchall():
        for last, memory_id, form, data, goal, summary in rows:  # noqa: B007 `last` goes on from here
            try:
                unpacked(form, data, goal, summary)
            except ValueError:
                damaged.append(memory_id)
    return damaged


def _archive_problems(rum: Database) -> list[tuple[str, str]]:
    damaged = _damaged_in_archive(rum)
    if not damaged:
        return []
    some = ", ".join(damaged[:_MAX_NAMED]) + (" and others" if len(damaged) > _MAX_NAMED else "")
    advice = "Restore a backup, or forget them: `rum forget ID`."
    return [(f"{len(damaged)} archived memories cannot be read: {some}.", advice)]


def _row_problems(rum: Database) -> list[tuple[str, str]]:
    """Read every row, and name those that cannot be read as a whole."""
    earlier = dict(rum.damaged_rows)
    rum.damaged_rows.clear()
    db = SqliteStatements(rum)
    tables = (SqliteMemories(db), FactTable(db), RuleTable(db))
    grouped = (groups().ChapterTable(db), groups().WisdomTable(db))
    for pages in (table.pages() for table in (*tables, *grouped)):
        for _ in pages:
            pass
    AgentTable(db).all()
    LinkTable(db).of()
    damaged = [*rum.damaged_rows, *_damaged_versions(rum)]
    rum.damaged_rows.update(earlier)
    if damaged:  # those in the archive are a problem of their own
        archived = set(_damaged_in_archive(rum))
        damaged = [name for name in damaged if name not in archived]
    if not damaged:
        return []
    some = ", ".join(damaged[:_MAX_NAMED]) + (" and others" if len(damaged) > _MAX_NAMED else "")
    what = f"rum.db has damaged rows ({len(damaged)}): {some}."
    return [(what, "All others can be read. Restore a backup, or forget these: `rum forget ID`.")]


def _damaged_versions(rum: Database) -> list[str]:
    """The earlier versions of memories that cannot be read."""
    rows = fetch_rows(rum.connection, SQL["damaged_versions"], ())
    return [f"{memory_id} version {version}" for memory_id, version in rows]


def _is_derived(name: str) -> bool:
    """Whether `reindex` can create a table, index or trigger of `rum.db` and fill it."""
    return name.startswith(_DERIVED) or expected_schema("rum")[name].startswith(
        ("CREATE INDEX", "CREATE UNIQUE INDEX", "CREATE TRIGGER")
    )


def _unknown_members(rum: Database) -> list[tuple[str, str]]:
    unknown = [memory_id for (memory_id,) in rum.connection.execute(SQL["unknown_members"])]
    if not unknown:
        return []
    some = ", ".join(unknown[:3]) + (" and others" if len(unknown) > 3 else "")
    what = f"Chapters or wisdom refer to missing memories ({len(unknown)}): {some}."
    return [(what, "Run `rum refresh`.")]


def _checked(
    database: Database, check: Callable[[Database], list[tuple[str, str]]]
) -> tuple[bool, list[tuple[str, str]]]:
    """Whether a check fails, which is a problem too, and the problems."""
    try:
        return False, check(database)
    except sqlite3.DatabaseError as error:
        what = f"{os.path.basename(database.path)} is damaged and cannot be checked: {error}."
        return True, [(what, _advice(database))]


def _advice(database: Database) -> str:
    if isinstance(database, ActivityFile):
        return "Memories are safe. Run `rum doctor --mend`: it saves all rows that can be read."
    return (
        "Restore a backup with `rum backup restore FILE`. Without one, run `rum doctor --mend`: it copies "
        "the files and saves all rows that can be read."
    )


def _file_problems(database: Database) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    name = os.path.basename(database.path)
    if database.access == "none":
        return []
    known = {name for name, _ in database.connection.execute(SQL["schema_in_order"])}
    missing = [one for one in expected_schema(name.removesuffix(".db")) if one not in known]
    if missing:
        can_rebuild = name == "rum.db" and all(map(_is_derived, missing))
        advice = "Run `rum reindex`." if can_rebuild else _advice(database)
        found.append((f"{name} is damaged: it lacks {', '.join(missing)}.", advice))
    words = [word for (word,) in database.connection.execute("PRAGMA integrity_check(20)") if word != "ok"]
    if words:
        more = f" ({len(words) - 1} more)" if words[1:] else ""
        found.append((f"{name} is damaged: {words[0]}{more}.", _advice(database)))
    if broken := database.connection.execute("PRAGMA foreign_key_check").fetchall():
        found.append((f"{name} has {len(broken)} rows that point nowhere.", _advice(database)))
    if os.name == "posix" and os.path.exists(database.path):
        mode = stat.S_IMODE(os.stat(database.path).st_mode)
        if mode & 0o077:
            found.append(
                (f"{name} can be read by others (mode {mode:o}).", f"Run `chmod 600 {database.path}`.")
            )
    log = f"{database.path}-wal"
    if database.access == "frozen" and os.path.exists(log) and os.path.getsize(log):
        advice = "Run `rum doctor` once where RUM_HOME can be written."
        found.append((f"The newest changes, in {name}-wal, cannot be read from here.", advice))
    return found


def _size(path: str) -> int:
    return sum(os.path.getsize(p) for p in (path, path + "-wal") if os.path.exists(p))


def _shrink_obstacle(database: Database, patience: float) -> str | None:
    """Why a file cannot be rewritten now, or None; other writers must not wait longer than `patience`."""
    _, used = _pages(database.connection)
    if used > _BYTES_PER_SECOND * patience:
        return "that takes longer than others may wait; run `rum purge` when nobody else is writing"
    from shutil import disk_usage  # noqa: PLC0415 (slow to load)

    if disk_usage(os.path.dirname(database.path)).free < 2 * used:
        return f"that needs {2 * used // 1_000_000} MB of free space; make room, then run `rum purge`"
    return None


def _pages(db: sqlite3.Connection) -> tuple[int, int]:
    """The bytes of the file that are unused, and those that are used."""
    size, count, free = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return free * size, (count - free) * size
