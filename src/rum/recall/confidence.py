"""From signs to a confidence that can be compared across levels."""

from __future__ import annotations

from collections.abc import Iterable

from rum.recall import weights
from rum.recall.inquiry import Inquiry, Match
from rum.store.terms import terms


def judge(inquiry: Inquiry, matches: Iterable[Match]) -> None:
    """Set the confidence of every match."""
    pending = list(matches)
    if inquiry.text and pending:
        texts = inquiry.store.search.texts(match.memory_id for match in pending)
        asked = " ".join(terms(inquiry.text))
        for match in pending:
            if match.memory_id in texts:
                match.signs["words"] = _words(inquiry, match, texts[match.memory_id], asked)
    for match in pending:
        match.confidence = _confidence(inquiry, match)


def _words(inquiry: Inquiry, match: Match, fields: tuple[str, ...], asked: str) -> float:
    if fields[0] == asked:
        return weights.SAME_GOAL
    score = match.signs.get("score", 0.0)
    share = 1 - weights.TEXT_SCORE + weights.TEXT_SCORE * score / (score + 4)
    return weights.ALL_WORDS * share * inquiry.words.coverage(fields)


def _confidence(inquiry: Inquiry, match: Match) -> float:
    signs = match.signs
    if "literal" in signs or ("file" in signs and not inquiry.text):
        return signs.get("literal", signs.get("file", weights.CERTAIN))
    doubt = (
        (1 - weights.FILE_WITH_WORDS * signs.get("file", 0.0))
        * (1 - weights.FILTERED_WITH_WORDS * signs.get("filtered", 0.0))
        * (1 - signs.get("alike", 0.0))
        * (1 - signs.get("words", 0.0))
    )
    recency = 0.5 ** (max(0, inquiry.now - match.created_at) / weights.HALF_LIFE)
    nudge = weights.RECENCY * recency + weights.IMPORTANCE * (match.importance - 0.5)
    return min(0.99, max(0.0, (1 - doubt) * (1 + nudge)))
