"""Find memories similar to a prompt, after a quick test that often avoids the slow search."""

from __future__ import annotations

from rum.text.terms import query_terms, says_little

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.context import OfferContext, Similar

MIN_CONFIDENCE = 0.6  # To offer a single memory
_MIN_TERMS, _MAX_TERMS = 3, 48  # Of a prompt: fewer say too little, more are a text about many things
_MAX_LENGTH = 2000  # Characters of a prompt that are used
_MAX_MEMORIES_PER_TERM = 200  # A term that occurs in more memories does not distinguish them


def find_similar(context: OfferContext) -> list[Similar]:
    """The memories similar to the prompt, best first; none of this session."""
    if context.similar is not None:
        return context.similar
    context.similar = []
    text = context.event.get("text", "")[:_MAX_LENGTH]
    words = query_terms(text, _MAX_TERMS + 1)
    is_telling = _MIN_TERMS <= len(words) <= _MAX_TERMS and not says_little(words)
    if is_telling and context.store.has_two_rare_terms(words, _MAX_MEMORIES_PER_TERM):
        from rum.inject.offers.recall import recall_similar  # noqa: PLC0415 (slow to load)

        context.similar = recall_similar(context, text)
    return context.similar
