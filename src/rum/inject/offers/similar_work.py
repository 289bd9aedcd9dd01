"""Earlier work like what a prompt asks for: a quick look, which spares the thorough one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.situation import Alike, Moment

SURE = 0.6
"""The confidence from which one memory is worth a word."""
_SHORTEST, _LONGEST = 3, 48
"""Terms of a prompt: fewer say nothing, and more are a text about many things."""
_LOOKED_AT = 2000
"""Characters of a prompt."""
_RARE = 200
_HOLDERS = """
SELECT rowid FROM memory_text WHERE memory_text MATCH ?
UNION ALL SELECT rowid FROM archived_text WHERE archived_text MATCH ? LIMIT ?
"""


def alike(moment: Moment) -> list[Alike]:
    """The memories that are like what is asked for, surest first; none of this session."""
    if moment.alike is None:
        moment.alike = _alike(moment)
    return moment.alike


def _alike(moment: Moment) -> list[Alike]:
    from rum.text.terms import query_terms, says_little  # noqa: PLC0415 (few events say anything)

    text = moment.event.get("text", "")[:_LOOKED_AT]
    asked = query_terms(text, _LONGEST + 1)
    if not _SHORTEST <= len(asked) <= _LONGEST or says_little(asked) or not _any_near(moment, asked):
        return []
    from rum.inject.offers.recall import recalled  # noqa: PLC0415 (slow to load)

    return recalled(moment, text)


def _any_near(moment: Moment, asked: list[str]) -> bool:
    """Whether any memory holds two rare words of it, archived or not."""
    from rum.store.sqlite.fts_lookup import apart, quoted  # noqa: PLC0415

    seen: set[int] = set()
    for term in asked:
        holders = moment.memories.rows(_HOLDERS, (quoted(term), apart(term), _RARE + 1))
        numbers = {number for (number,) in holders}
        if len(numbers) <= _RARE:
            if numbers & seen:
                return True
            seen |= numbers
    return False
