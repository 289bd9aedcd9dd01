"""Earlier work like what a prompt asks for, found as `recall` finds it, where a quick look sees any."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.inject.offers.moment import Alike, Moment

SURE = 0.6
"""The confidence from which one memory is worth a word."""
LIKELY = 0.4
"""The confidence from which several are, together."""
_FOUND = 6
_SHORTEST, _LONGEST = 3, 48
"""Terms of a prompt: fewer say nothing, and more are a text about many things."""
_LOOKED_AT = 2000
"""Characters of a prompt."""
_RARE = 200
_HEADS = """
SELECT m.id, m.created_at, m.intent_goal, m.intent_type, m.outcome_success, m.outcome_summary,
  json_extract(m.outcome, '$.learnings[0]')
FROM json_each(?) AS wanted JOIN memories AS m ON m.id = wanted.value
WHERE m.session_id <> ? ORDER BY wanted.key
"""


def alike(moment: Moment) -> list[Alike]:
    """The memories that are like what is asked for, surest first; none of this session."""
    if moment.alike is None:
        moment.alike = _alike(moment)
    return moment.alike


def _alike(moment: Moment) -> list[Alike]:
    from rum.store.terms import query_terms, says_little  # noqa: PLC0415 (few events say anything)

    text = moment.event.get("text", "")[:_LOOKED_AT]
    asked = query_terms(text, _LONGEST + 1)
    if not _SHORTEST <= len(asked) <= _LONGEST or says_little(asked) or not _any_near(moment, asked):
        return []
    found = _recalled(moment, text)
    import json  # noqa: PLC0415

    rows = moment.memories.rows(_HEADS, (json.dumps([one for one, _ in found]), moment.event["session"]))
    sure = dict(found)
    return [(row[0], sure[row[0]], *row[1:]) for row in rows]


def _any_near(moment: Moment, asked: list[str]) -> bool:
    """Whether any memory holds two rare words of it: the quick look that spares the thorough one."""
    match = "SELECT rowid FROM memory_text WHERE memory_text MATCH ? LIMIT ?"
    seen: set[int] = set()
    for term in asked:
        holders = moment.memories.rows(match, ('"' + term.replace('"', '""') + '"', _RARE + 1))
        numbers = {number for (number,) in holders}
        if len(numbers) <= _RARE:
            if numbers & seen:
                return True
            seen |= numbers
    return False


def _recalled(moment: Moment, text: str) -> list[tuple[str, float]]:
    """(memory id, confidence) by words alone: vectors take longer than a hook may."""
    import sqlite3  # noqa: PLC0415

    from rum.model.questions import RecallQuestion  # noqa: PLC0415 (slow to load)
    from rum.recall import cascade  # noqa: PLC0415
    from rum.recall.inquiry import Inquiry  # noqa: PLC0415
    from rum.store.sqlite.ledger import SqliteLedger  # noqa: PLC0415
    from rum.store.sqlite.links import SqliteLinks  # noqa: PLC0415
    from rum.store.sqlite.lookup import Lookup  # noqa: PLC0415

    class Readable:
        """As much of a store as a question by words needs."""

        search = Lookup(moment.memories)  # pyright: ignore[reportArgumentType] it only reads
        links = SqliteLinks(moment.memories)  # pyright: ignore[reportArgumentType]
        ledger = SqliteLedger(moment.activity)  # pyright: ignore[reportArgumentType]

    store: Any = Readable()
    question = RecallQuestion(intent=text, limit=_FOUND, min_confidence=LIKELY)
    try:
        answer = cascade.run(Inquiry(question, store, session=moment.event["session"]))
    except (sqlite3.Error, OSError):  # busy, damaged, or gone
        return []
    return [(match.memory_id, match.confidence) for match in answer.matches]
