"""Earlier versions of items, and the log of changes for `rum sync`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rum.store.records import Change, Revision
from rum.store.tables.statements import Table


class HistoryTable(Table):
    """Earlier versions: a table each for memories, facts and rules."""

    def add(self, kind: str, item_id: str, *revisions: Revision, replace: bool = False) -> None:
        with self._db.transaction():
            if replace:
                self._db.run(f"delete_{kind}_versions", (item_id,))
            for version, changed_at, changed_by, texts in revisions:
                self._db.run(f"insert_{kind}_version", (item_id, version, changed_at, changed_by, *texts))

    def of(self, kind: str, ids: Sequence[str]) -> dict[str, list[Revision]]:
        found: dict[str, list[Revision]] = {one: [] for one in ids}
        for row in self._db.rows_for(f"{kind}_versions_of", found):
            texts = tuple(row[name] for name in _VERSION_TEXTS[kind])
            found[row["id"]].append(Revision(row["version"], row["changed_at"], row["changed_by"], texts))
        return found


_VERSION_TEXTS = {"memory": ("data",), "fact": ("value",), "rule": ("condition", "action")}


class SyncLogTable(Table):
    """The targets of `rum sync`, and the changes that triggers record for them."""

    def targets(self) -> dict[str, str]:
        return {row["target"]: row["state"] for row in self._db.rows("sync_targets")}

    def set_target(self, target: str, state: str) -> None:
        with self._db.transaction():
            self._db.run("set_sync_target", (target, state))

    def changes(self, target: str) -> list[Change]:
        return [
            Change(row["kind"], row["id"], row["times"]) for row in self._db.rows("sync_changes", (target,))
        ]

    def delete_changes(self, target: str, changes: Iterable[Change]) -> None:
        with self._db.transaction():
            self._db.run_many("delete_sync_change", ((target, *change) for change in changes))
