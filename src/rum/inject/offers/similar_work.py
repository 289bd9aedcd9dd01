"""Earlier work like what a prompt asks for: a quick test that often saves the slow search."""

from __future__ import annotations

from rum.text.terms import query_terms, says_little

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.situation import Moment, Similar

SURE = 0.6  # The minimum confidence to offer one memory
_SHORTEST, _LONGEST = 3, 48  # Terms of a prompt: fewer say nothing, and more are a text about many things
_LOOKED_AT = 2000  # Characters of a prompt
_RARE = 200  # A term that more memories hold does not tell them apart


def find_similar(moment: Moment) -> list[Similar]:
    """The memories that are like the prompt, surest first; none of this session."""
    if moment.similar is None:
        moment.similar = _search(moment)
    return moment.similar


def _search(moment: Moment) -> list[Similar]:
    text = moment.event.get("text", "")[:_LOOKED_AT]
    words = query_terms(text, _LONGEST + 1)
    if (
        not _SHORTEST <= len(words) <= _LONGEST
        or says_little(words)
        or not moment.store.share_rare_terms(words, _RARE)
    ):
        return []
    from rum.inject.offers.recall import recall_similar  # noqa: PLC0415 (slow to load)

    return recall_similar(moment, text)
