"""Why a memory was returned: the share of each signal in its score, in plain words."""

from __future__ import annotations

from collections.abc import Iterable

from rum.recall import fitted, limits
from rum.recall.outdated import CODE_CHANGED
from rum.recall.query import Match, RecallQuery
from rum.text.shorten import shorten
from rum.text.terms import names_in, stem, unstemmed_words

# The explanation of each signal.
SIGNAL_TEXTS = {
    "words": "query words compared with the best match: {words}",
    "covers": "query words: {words}",
    "rarest": "rarity of the rarest query word",
    "goal": "words in its goal",
    "paths": "words in its file names",
    "length": "says more than other memories",
    "around": "words only in neighbouring or linked memories",
    "reply": "words only in the question before it",
    "beside": "words in neighbouring or linked memories",
    "here": "created recently in this session",
    "files": "touched the requested files (rarely touched ones count more)",
    "asked_files": "touched a large share of the requested files",
    "breadth": "touched many files",
    "file_recency": "among the latest work on those files",
    "recency": "among the latest work",
    "meaning": "similar in meaning",
    "meaning_next": "next to a memory similar in meaning",
    "meaning_reply": "replies to a question similar in meaning",
}

# The explanations of exact matches, by their confidence.
EXACT_MATCH_TEXTS = {
    limits.CERTAIN: "exact match",
    limits.EARLIER_NAME: "touched the file when it had another name",
}

MAX_WORD_LENGTH = 60  # A longer word is shortened

MIN_SHARE = 0.02  # Signals with a smaller share are left out


def explain(query: RecallQuery, column: str, match: Match) -> list[str]:
    """The signals of a memory with their shares, strongest first; then what else changed its confidence."""
    if match.literal is not None:
        return [EXACT_MATCH_TEXTS.get(match.literal, "its name or folder fits")]
    if not match.signals:
        return ["passes the filters; its words do not match"]
    parts = {name: weight * match.signals[name] for name, weight in fitted.WEIGHTS[column].items()}
    whole = sum(part for part in parts.values() if part > 0) or 1.0
    strongest = sorted(parts, key=lambda name: -parts[name])
    words = query.words
    has = _as_typed(query, words.terms_of(match.mask))
    lines = [
        f"{SIGNAL_TEXTS[name].format(words=', '.join(has) or 'none')} ({100 * parts[name] / whole:.0f} %)"
        for name in strongest
        if parts[name] / whole >= MIN_SHARE
    ]
    if match.mask == words.everything and match.confidence == fitted.MIN_CONFIDENCE:
        lines.append("contains every query word, as other memories may")
    if match.useful:
        added = limits.USEFULNESS * match.useful
        proved = "proved useful" if added > 0 else "proved useless"
        lines.append(f"{proved} when it was offered ({added:+.2f})")
    if match.outdated:
        share = f"{100 * match.outdated:.0f} % of its code changed since"
        lines.append(f"{share} ({-CODE_CHANGED * match.outdated:+.2f})")
    others = _as_typed(
        query, (term for term in words.terms_of(words.everything & ~match.mask) if words.holders[term])
    )
    for label, some in (
        ("missing", [word for word in others if word not in has]),
        ("in no memory", _as_typed(query, (term for term in words.terms if not words.holders[term]))),
        ("corrected as typos", _as_typed(query, words.variants)),
    ):
        if some:
            lines.append(f"{label}: {', '.join(some)}")
    return lines


def _as_typed(query: RecallQuery, terms: Iterable[str]) -> list[str]:
    """The words of the query, or parts of its names, that stand for terms; a very long one is shortened."""
    wanted, used = set(terms), set(query.words.terms)
    found = list[str]()
    for word, terms_of_word in query.words.typed_words:
        if wanted.isdisjoint(terms_of_word):
            continue
        names = [[term for term in name if term in used] for name in names_in(word)]
        if all(name[0] in wanted or wanted.issuperset(name) for name in names if name):
            found.append(word)
        else:  # of `UnpicklingError` only `error`
            found += sorted(part for part in unstemmed_words(word) if stem(part) in wanted) or [word]
    return [shorten(word, MAX_WORD_LENGTH) for word in dict.fromkeys(found)]
