"""Why a memory was given: each signal's share of its score, in plain words."""

from __future__ import annotations

from collections.abc import Iterable

from rum.recall import fitted, limits
from rum.recall.query import Match, RecallQuery
from rum.text.shorten import shorten

# What each signal means, for those who ask why.
SAID = {
    "words": "query words: {words}",
    "rarest": "rarity of the rarest query word",
    "goal": "words in its goal",
    "paths": "words in its file names",
    "length": "length",
    "around": "words only in neighbouring or linked memories",
    "beside": "words in neighbouring or linked memories",
    "here": "created recently in this session",
    "files": "touched the requested files (rarely touched ones count more)",
    "asked_files": "touched a large share of the requested files",
    "breadth": "touched many files",
    "file_recency": "among the latest work on those files",
    "recency": "among the latest work",
    "meaning": "similar in meaning",
    "meaning_next": "next to a memory similar in meaning",
}

# What is certain by itself, or nearly.
LITERALLY = {
    limits.CERTAIN: "exact match",
    limits.EARLIER_NAME: "touched the file when it had another name",
}

LONGEST_WORD = 60  # A longer one is named by its beginning

LEAST = 0.02  # Signals with a smaller share are not worth a line


def explain(query: RecallQuery, match: Match, column: str) -> list[str]:
    """The signals that speak for a memory, with their shares, strongest first; then what the odds rest on."""
    if match.literal is not None:
        return [LITERALLY.get(match.literal, "its name or folder fits")]
    parts = {name: weight * match.signals[name] for name, weight in fitted.WEIGHTS[column].items()}
    whole = sum(part for part in parts.values() if part > 0) or 1.0
    strongest = sorted(parts, key=lambda name: -parts[name])
    spoken = _spoken(query, match)
    lines = [
        f"{SAID[name].format(words=spoken)} ({100 * parts[name] / whole:.0f} %)"
        for name in strongest
        if parts[name] / whole >= LEAST
    ]
    return [*lines, *_anyway(query, match), *_proved(match), *_lacks(query, match), *_doubts(query)]


def _anyway(query: RecallQuery, match: Match) -> list[str]:
    """That nothing but its having all the words makes it sure enough."""
    is_lifted = match.mask == query.words.everything and match.confidence == fitted.MIN_CONFIDENCE
    return ["contains every query word, as other memories may"] if is_lifted else []


def _proved(match: Match) -> list[str]:
    if not match.useful:
        return []
    added = limits.USEFULNESS * match.useful
    return [f"{'proved useful' if added > 0 else 'proved useless'} when it was offered ({added:+.2f})"]


def _spoken(query: RecallQuery, match: Match) -> str:
    """The words found, as they were asked for."""
    words = query.words
    return ", ".join(_as_asked(query, words.said(match.mask))) or "none"


def _lacks(query: RecallQuery, match: Match) -> list[str]:
    """The words that other memories have, and this one has no part of."""
    words = query.words
    others = (term for term in words.said(words.everything & ~match.mask) if words.holders[term])
    has = _as_asked(query, words.said(match.mask))
    lacking = [word for word in _as_asked(query, others) if word not in has]
    return [f"missing: {', '.join(lacking)}"] if lacking else []


def _as_asked(query: RecallQuery, terms: Iterable[str]) -> list[str]:
    wanted = set(terms)
    return [_short(word) for word, said in query.words.asked if not wanted.isdisjoint(said)]


def _short(word: str) -> str:
    """A word, or the beginning of what has no spaces."""
    return shorten(word, LONGEST_WORD)


def _doubts(query: RecallQuery) -> list[str]:
    words = query.words
    nobody = _as_asked(query, (term for term in words.terms if not words.holders[term]))
    respelled = _as_asked(query, words.variants)
    return [
        *([f"in no memory: {', '.join(nobody)}"] if nobody else []),
        *([f"corrected as typos: {', '.join(respelled)}"] if respelled else []),
    ]
