"""The part of migration 11 that SQL cannot do: take reverts out of commits' summaries, archived ones too.

It runs in the migration's transaction, so it happens once and as a whole.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from rum.model.origin import split_old_summary
from rum.store.sqlite.layer_blobs import packed, unpacked

_REVERTED = """
SELECT m.seq, m.id, m.intent_goal, m.outcome_summary, m.outcome, a.form, a.data
FROM memories AS m LEFT JOIN archived AS a ON a.memory = m.seq
WHERE m.origin_kind = 'commit' AND m.outcome_summary LIKE '%; reverted by %'
"""
_UNDOER = """
SELECT n.id, n.git_commit FROM memory_links AS l JOIN memories AS n ON n.id = l.source_id
WHERE l.target_id = ? AND l.link_type = 'caused_by' AND substr(n.git_commit, 1, length(?)) = ? LIMIT 1
"""
_VERSIONS = """
SELECT memory_id, version, data FROM memory_versions
WHERE data LIKE '%; reverted by %' AND memory_id IN (SELECT id FROM memories WHERE origin_kind = 'commit')
"""


def move_reversals_into_columns(db: sqlite3.Connection) -> None:
    """Fill the columns from the summaries, and clean the summaries and those of earlier versions."""
    for seq, memory_id, goal, summary, outcome, form, data in db.execute(_REVERTED).fetchall():
        cleaned, commit = split_old_summary(summary)
        if commit is None:
            continue
        layers = None if data is None else _unpack(form, data, goal, summary)
        if data is not None and layers is None:
            continue  # a damaged blob can only be read with the summary it was packed with
        reason = _clean_outcome(outcome if layers is None else layers[-1])
        undoer = db.execute(_UNDOER, (memory_id, commit, commit)).fetchone() or (commit, commit)
        values: dict[str, Any] = {
            "seq": seq,
            "summary": cleaned,
            "by": undoer[0],
            "commit": undoer[1],
            "reason": reason[1],
        }
        db.execute(
            "UPDATE memories SET outcome_summary = :summary, reverted_by = :by, reverted_commit = :commit, "
            "reverted_reason = :reason WHERE seq = :seq",
            values,
        )
        if layers is None:
            db.execute("UPDATE memories SET outcome = ? WHERE seq = ?", (reason[0], seq))
        else:
            blob = packed([*layers[:-1], reason[0]], goal, cleaned)
            db.execute("UPDATE archived SET data = ? WHERE memory = ?", (blob, seq))
    for memory_id, version, data in db.execute(_VERSIONS).fetchall():
        content = json.loads(data)
        content["outcome"]["summary"] = split_old_summary(content["outcome"]["summary"])[0]
        db.execute(
            "UPDATE memory_versions SET data = ? WHERE memory_id = ? AND version = ?",
            (_encode(content), memory_id, version),
        )


def _unpack(form: int, data: bytes, goal: str, summary: str) -> list[str] | None:
    try:
        return unpacked(form, data, goal, summary)
    except ValueError:
        return None


def _clean_outcome(text: str) -> tuple[str, str | None]:
    """An outcome's JSON with a clean summary, and why it failed."""
    outcome = json.loads(text)
    outcome["summary"] = split_old_summary(outcome["summary"])[0]
    return _encode(outcome), outcome.get("failure_reason")


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
