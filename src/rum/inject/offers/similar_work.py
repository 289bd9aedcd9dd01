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
"""A term that more memories hold does not tell them apart."""


def alike(moment: Moment) -> list[Alike]:
    """The memories that are like what is asked for, surest first; none of this session."""
    if moment.alike is None:
        moment.alike = _alike(moment)
    return moment.alike


def _alike(moment: Moment) -> list[Alike]:
    from rum.text.terms import query_terms, says_little  # noqa: PLC0415 (few events say anything)

    text = moment.event.get("text", "")[:_LOOKED_AT]
    asked = query_terms(text, _LONGEST + 1)
    if (
        not _SHORTEST <= len(asked) <= _LONGEST
        or says_little(asked)
        or not moment.store.share_rare_terms(asked, _RARE)
    ):
        return []
    from rum.inject.offers.recall import recalled  # noqa: PLC0415 (slow to load)

    return recalled(moment, text)
