"""The signals of a match: named numbers, each of which can be explained.

A function here fills in the signals of all candidates of a question at once. To add one: write the function,
add a line to `SIGNALS` and its text to `explain.py`, and fit the weights again
(`python -m benchmarks.quality.fit`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection
from itertools import chain

from rum.recall import limits
from rum.recall.neighbours import NOBODY
from rum.recall.query import Found, Match, RecallQuery

Matches = Collection[Match]

SHORT, LONG = -1.5, 0.4  # Beyond these the logarithm of the length makes no difference

_OLDEST_OF_A_FILE = math.log(limits.RANKED_OF_A_FILE + 1)


def measure(query: RecallQuery, found: Found) -> None:
    """Set every signal that applies to the query."""
    matches = found.matches.values()
    found.is_long = len(query.words.terms) > limits.LONGEST_QUESTION
    query.describe(match.key for match in matches)
    for match, mask in zip(matches, _masks(query, matches), strict=True):
        match.mask = mask
    for signal, applies in SIGNALS:
        if applies(found):
            signal(query, matches, found)


def _masks(query: RecallQuery, matches: Matches) -> list[int]:
    """Which words of the question each candidate holds."""
    query_words = query.words
    masks = query_words.masks_of(match.key for match in matches)
    held = {match.key: masks.get(match.key, 0) for match in matches}
    unread = [match.key for match in matches if query.is_unread(match.key)]
    new = [key for key in unread if key not in query.archived_masks]
    _read_archived(query, new, [key for key in query.next_candidates() if query.is_unread(key)])
    held |= {key: query.archived_masks[key] for key in unread}
    if not query_words.complete():
        # Not every holder of a common word was read, so the texts of some memories are read.
        unsure = {
            match: some
            for match in matches
            if match.key not in query.archived_masks and (some := query_words.unknown_terms(match.key))
        }
        texts = _texts(query, list(unsure))
        for match, some in unsure.items():
            held[match.key] |= query_words.mask_in(texts[match.memory_id], some)
    return [held[match.key] for match in matches]


def _read_archived(query: RecallQuery, keys: list[int], soon: list[int]) -> None:
    """Look up the words of archived memories that were not found by words; also of `soon`, in one call."""
    if not keys:
        return
    keys = list({*keys, *(key for key in soon if key not in query.archived_masks)})
    words = query.words
    query.archived_masks.update(dict.fromkeys(keys, 0))
    spellings = [((), words.spellings_of(term)) for term in words.terms]
    for bit, found in enumerate(query.archived_with(spellings, -1, keys)):
        for key in found:
            query.archived_masks[key] |= 1 << bit


def _texts(query: RecallQuery, matches: list[Match]) -> dict[str, str]:
    """The indexed terms of memories, by id."""
    described = {match.memory_id: query.details[match.key].text for match in matches}
    unread = [id_ for id_, text in described.items() if text is None and id_ not in query.texts]
    if unread:
        texts = query.search.texts(unread)
        query.texts.update((id_, " ".join(texts.get(id_, ()))) for id_ in unread)
    return {id_: query.texts[id_] if text is None else text for id_, text in described.items()}


def words(query: RecallQuery, matches: Matches, _: Found) -> None:
    """The weight of the words found: anywhere, the rarest, in the goal, in paths.

    `covers` is their share of the whole query, the others are relative to the best candidate. In a long goal
    the same words count less.
    """
    weight, rarest, mask_in = query.words.weight, query.words.rarest, query.words.mask_in
    total, details_of = query.words.total, query.details
    for match in matches:
        mask, details = match.mask, details_of[match.key]
        match.goal = details.goal
        held = weight(mask)
        in_goal = weight(mask_in(details.goal, mask)) if mask else 0.0
        if in_goal:
            in_goal /= math.sqrt(max(1, len(set(details.goal.split()))))
        signals = match.signals
        signals["words"], signals["covers"], signals["rarest"] = held, held / total, rarest(mask)
        signals["goal"] = in_goal
        signals["paths"] = weight(mask_in(details.paths, mask)) if mask and details.paths else 0.0
    _as_shares_of_best(matches, "words", "rarest", "goal", "paths")


def neighbours(query: RecallQuery, matches: Matches, _: Found) -> None:
    """The words in the memories before and after it in its session, and in linked ones.

    `around` is the weight that those of its session add to its own words, `beside` the weight of all, and
    `reply` what the one before it adds if that asks a question. `length` is how much it says compared with
    the other candidates: in a talk, a short turn says little.
    """
    asked, near = query.words, query.neighbourhood
    weight, total, asking = asked.weight, asked.total, near.asking
    around = {match.key: near.around(match.key) for match in matches}
    linked = {match.key: near.linked(match.key) for match in matches}
    mask_of = asked.masks_of(chain(*around.values(), *linked.values())).get
    best = max(map(weight, {match.mask for match in matches}), default=0.0) or 1.0
    lengths = {match.key: math.log1p(query.details[match.key].length / 10) for match in matches}
    usual = sum(lengths.values()) / max(1, len(lengths))
    for match in matches:
        key, signals = match.key, match.signals
        before, after, earlier, later = around[key]
        is_alone = before == after == NOBODY
        if is_alone and not linked[key]:
            signals["length"] = signals["around"] = signals["reply"] = signals["beside"] = 0.0
            continue
        others = [mask_of(before, 0), mask_of(after, 0), mask_of(earlier, 0), mask_of(later, 0)]
        together = match.mask | others[0] | others[1] | others[2] | others[3]
        others += [mask_of(other, 0) for other in linked[key]]
        signals["length"] = 0.0 if is_alone else min(max(lengths[key] - usual, SHORT), LONG)
        signals["around"] = (weight(together) - weight(match.mask)) / total
        signals["reply"] = weight(others[0] & ~match.mask) / total if before in asking else 0.0
        signals["beside"] = sum(map(weight, others)) / best


def here(query: RecallQuery, matches: Matches, _: Found) -> None:
    """How recently it was made in the calling session; 0 for memories of other sessions."""
    words = query.words
    middle = math.log(max(1, words.found.session_size)) - 1
    for match in matches:
        match.signals["here"] = 0.0
        if match.session_id == query.session:
            newer = query.details[match.key].newer if words.terms else 0
            match.signals["here"] = middle - math.log1p(max(0, newer))


def recency(query: RecallQuery, matches: Matches, _: Found) -> None:
    """How few memories are newer, on a scale on which the first few differ most."""
    moments = query.words.found.timeline[::-1]
    size = max(query.words.size, len(moments))
    exact = len(moments) if len(moments) < limits.NEWEST else limits.NEWEST
    for match in matches:
        behind = len(moments) - bisect_left(moments, (match.created_at, match.key))
        newer = max(0, behind - 1)
        if behind > exact:
            newer = exact + (newer - exact) * (size - exact) / max(1, len(moments) - exact)
        match.signals["recency"] = 1 - math.log1p(newer) / math.log(limits.SESSION_COUNTED)


def files(query: RecallQuery, matches: Matches, found: Found) -> None:
    """Which requested files it touched: how rare, what share, how recently; and how many files in all."""
    size = query.words.size
    rarity = [math.log(1 + size / (tied.total + 1)) for tied in found.tied]
    for match in matches:
        touched = [
            (rare, tied.ranks[match.key])
            for rare, tied in zip(rarity, found.tied, strict=True)
            if match.key in tied.ranks
        ]
        breadth = math.log1p(query.details[match.key].files)
        rank = min((rank for _, rank in touched), default=limits.RANKED_OF_A_FILE)
        match.signals.update(
            files=sum(rare for rare, _ in touched) / (1 + breadth),
            asked_files=len(touched) / len(found.tied),
            file_recency=1 - math.log1p(rank) / _OLDEST_OF_A_FILE,
            breadth=breadth,
        )
    _as_shares_of_best(matches, "files")


def meaning(query: RecallQuery, matches: Matches, found: Found) -> None:
    """Its cosine similarity to the query, the higher one of its two neighbours, and of what it replies to."""
    if query.semantic is None:
        return
    near = query.neighbourhood
    next_to = {
        match.key: [other for other in near.around(match.key)[:2] if other != NOBODY] for match in matches
    }
    soon = {other for key in query.next_candidates() for other in (key, *near.around(key)[:2])} - {NOBODY}
    like = query.similarities(next_to.keys() | set(chain.from_iterable(next_to.values())), soon)
    has_vector = [match.key in like for match in found.best_without_vectors()]
    enough = len(has_vector) <= limits.FEW or sum(has_vector) >= limits.COVERED * len(has_vector)
    found.by_meaning = bool(like) and enough
    # A memory without a vector yet gets the average similarity of the others.
    typical = sum(like.values()) / len(like) if like else 0.0
    for match in matches:
        match.signals["meaning"] = like.get(match.key, typical)
        nearby = (like.get(key, typical) for key in next_to[match.key])
        match.signals["meaning_next"] = max(nearby, default=0.0)
        before = near.around(match.key)[0]
        match.signals["meaning_reply"] = like.get(before, typical) if before in near.asking else 0.0


def _as_shares_of_best(matches: Matches, *names: str) -> None:
    signals = [match.signals for match in matches]
    for name in names:
        best = max([one[name] for one in signals], default=0.0) or 1.0
        for one in signals:
            one[name] /= best


# The signals in the order of measuring, and when each applies; the weights are in `fitted.py`.
SIGNALS: list[tuple[Callable[[RecallQuery, Matches, Found], None], Callable[[Found], bool]]] = [
    (words, lambda _: True),
    (neighbours, lambda _: True),
    (files, lambda found: found.any_tied),
    (recency, lambda found: found.any_tied),
    (here, lambda found: not found.any_tied),
    (meaning, lambda found: "semantic" in found.ran),
]
