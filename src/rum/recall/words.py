"""The words of a query: their rarity, the memories that hold them, and corrections of typos."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import accumulate, chain
from operator import add

from rum.recall import limits
from rum.store.search import Also, Holders
from rum.text.terms import (
    MAX_QUERY,
    forms_of,
    names_in,
    query_terms,
    says_little,
    stem,
    unstemmed_words,
    without_other_forms,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rum.store.search import Correction, Search, TermLookup

MAX_CORRECTED_WORDS = 8  # Maximum number of unknown words to correct; each needs hundreds of look-ups
_PUNCTUATION = ".,;:!?\"'()[]"  # Stripped from both ends of a word
_SAMPLE_SIZE = 5  # Number of memories read for the spelling of a possible correction
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# In shorter words a replaced letter, or an added first one, makes another word: spring, string; oauth, auth.
_MIN_LONG_WORD = 7
_ENDINGS = ("s", "es", "d", "ed", "ing")


class Words:
    """The terms of a query; a set of terms is a bit mask, in the order of `terms`."""

    def __init__(
        self,
        search: Search,
        text: str,
        *,
        superseded: bool = True,
        session: str = "",
        timeline: bool = False,
        model: str = "",
        found: TermLookup | None = None,
        earlier: Words | None = None,
    ) -> None:
        """Look up the words, unless `found` is given. `superseded` includes superseded memories.

        With `timeline`, `found.timeline` has the times of the newest memories and of a sample of the others.

        Corrections that were looked up for `earlier` words are not looked up again.
        """
        self._search = search
        self._text = text
        self.terms = asked_terms(text)
        self.says_little = says_little(self.terms)
        self.found = found = found or search.terms(
            [forms_of(term) for term in self.terms],
            limits.COMMON,
            limits.ARCHIVED_RARE,
            Also(
                goal=text,
                max_same_goal=limits.COMMON,
                session=session,
                max_session_size=limits.SESSION_COUNTED,
                newest=limits.NEWEST if timeline else 0,
                spread=limits.SPREAD,
                model=model,
            ),
        )
        self.size = max(found.size, 1) if self.terms else 1
        """About how many memories there are."""
        self._hidden = set[int]() if superseded else set(found.superseded)
        """The keys of memories to leave out."""
        self.same_goal = [key for key in found.same_goal if key not in self._hidden]
        """The keys of the newest memories whose goal is the query, word for word."""
        self._live = max(self.size - found.archived, 1)
        self.population = self._live
        """The number of memories; includes archived ones only after the archive was searched."""
        self._held = dict(zip(self.terms, found.holders, strict=True))
        self.terms = self._without_idle_parts()
        self.archived: dict[int, int] = {}
        """The masks of archived memories, by key; empty until the archive is searched."""
        self._archived_counts: dict[str, int] = {}
        self.variants: dict[str, list[str]] = {}
        """For each term that no memory holds, the terms one typo away that some memory holds."""
        self._corrections: dict[str, Correction] = earlier._corrections if earlier else {}
        """The possible corrections that some memory holds, by term."""
        self._looked_up: set[str] = earlier._looked_up if earlier else set()
        self._looked_for_typos = False

    def lookup(self, terms: list[str]) -> TermLookup | None:
        """The lookup for a query of some of these words or corrections; None if one was not looked up."""
        known = {term: correction.holders for term, correction in self._corrections.items()}
        known |= dict(zip(asked_terms(self._text), self.found.holders, strict=True))
        if not known.keys() >= set(terms):
            return None
        same = terms == asked_terms(self._text)
        same_goal = self.found.same_goal if same else []
        return self.found._replace(holders=[known[term] for term in terms], same_goal=same_goal)

    @cached_property
    def holders(self) -> dict[str, list[int]]:
        """The keys of the live memories with each term, newest first; of a common one only the newest."""
        return {term: self._held[term].keys for term in self.terms}

    def archived_holders(self, term: str) -> tuple[list[int], int]:
        """The keys of the archived memories with a term, of a common one only the newest; and how many."""
        return self._held[term].archived_keys, self._held[term].archived_total

    def _without_idle_parts(self) -> list[str]:
        """The terms without unknown parts of known names: without `lite` if `SQLite` is known.

        The parts of a name that memories hold must not make the query unknown.
        """
        strange = set(self._strange())
        if not strange:
            return self.terms
        kept, idle_parts = set[str](), set[str]()
        for whole, *parts in names_in(self._text):
            kept.add(whole)
            (kept if whole in strange else idle_parts).update(parts)
        return [term for term in self.terms if term not in strange or term in kept or term not in idle_parts]

    def respell(self) -> bool:
        """Correct typos in the terms that no memory holds, once; return whether any was found."""
        if self._looked_for_typos:
            return False
        self._looked_for_typos = True
        near_words = {term: self._near_words(term) for term in self._strange()[:MAX_CORRECTED_WORDS]}
        stems = {term: dict.fromkeys(map(stem, sorted(near))) for term, near in near_words.items()}
        wanted = list(dict.fromkeys(chain.from_iterable(stems.values())))
        if not wanted:
            return False
        found = self._find_corrections(wanted)
        for term, near in near_words.items():
            forms = inflected(near)
            # Different words can share a stem: `readis`, one letter from `redis`, has the stem of `ready`.
            fitting = [
                correction
                for correction in found
                if correction.term in stems[term]
                and (not correction.words or forms & inflected(correction.words))
            ]
            if fitting:
                self.variants[term] = [correction.term for correction in fitting]
                self._held[term] = self._together([correction.holders for correction in fitting])
        if not self.variants:
            return False
        self.forget_archive()  # it was searched for the uncorrected words
        self._drop_cached(*(name for name, part in vars(Words).items() if isinstance(part, cached_property)))
        return True

    def _find_corrections(self, terms: list[str]) -> list[Correction]:
        """Those of the terms that some memory holds."""
        if unknown := [term for term in terms if term not in self._looked_up]:
            self._looked_up.update(unknown)
            found = self._search.corrections(unknown, _SAMPLE_SIZE, limits.COMMON, limits.ARCHIVED_RARE)
            self._corrections.update((correction.term, correction) for correction in found)
        return [self._corrections[term] for term in terms if term in self._corrections]

    def _near_words(self, term: str) -> set[str]:
        """The words one typo away from the words of the query that have this term."""
        typed = [word for word in self._typed if word.isascii() and stem(word) == term]
        return {near for word in typed for near in spellings(word)}

    def _together(self, variants: list[Holders]) -> Holders:
        """The holders of any of several terms."""
        if len(variants) == 1:
            return variants[0]
        live = sorted({key for holders in variants for key in holders.keys}, reverse=True)
        archived = sorted({key for holders in variants for key in holders.archived_keys}, reverse=True)
        total, archived_total = len(live), len(archived)
        if total >= limits.COMMON:
            total = min(self._live, sum(holders.total for holders in variants))
        if archived_total >= limits.ARCHIVED_RARE:
            archived_total = min(self.found.archived, sum(holders.archived_total for holders in variants))
        return Holders(live[: limits.COMMON], total, archived[: limits.ARCHIVED_RARE], archived_total)

    @cached_property
    def _typed(self) -> set[str]:
        """The words of the query as typed, not stemmed."""
        return unstemmed_words(self._text)

    @cached_property
    def typed_words(self) -> list[tuple[str, frozenset[str]]]:
        """The distinct words of the query that were used, each with its terms."""
        words = dict.fromkeys(word.strip(_PUNCTUATION) for word in self._text[:MAX_QUERY].split())
        return [(word, frozenset(query_terms(word))) for word in words]

    def corrected(self) -> Iterator[tuple[str, str]]:
        """Yield each word that was treated as a typo, with its most likely correction."""
        for term, others in self.variants.items():
            for typed in sorted(word for word in self._typed if word.isascii() and stem(word) == term):
                near = set(spellings(typed))
                corrections = [word for other in others for word in self._corrections[other].words]
                for word in sorted(near.intersection(corrections))[:1]:
                    yield typed, word

    def _drop_cached(self, *names: str) -> None:
        for name in names:
            self.__dict__.pop(name, None)

    def _strange(self) -> list[str]:
        """The terms that no memory holds."""
        return [
            term for term in self.terms if not self._held[term].keys and not self._held[term].archived_keys
        ]

    def any_strange(self) -> bool:
        """Whether no memory holds one of the terms."""
        return bool(self._strange())

    def misspelt(self) -> bool:
        """Whether a few unknown words are a large share of the query."""
        strange = len(self._strange())
        return 0 < strange <= limits.STRANGE and self.unknown >= limits.STRANGE_SHARE

    def learn(self, counts: dict[str, int], masks: dict[int, int]) -> None:
        """Add the results of the archive: the number of memories by term, and the masks by key."""
        self._archived_counts, self.population = counts, self.size
        self.archived = {key: mask for key, mask in masks.items() if key not in self._hidden}
        self.masks.update(self.archived)
        self._drop_cached("rarity", "total", "weight", "rarest", "weight_by_key")

    def forget_archive(self) -> None:
        """Remove the results of the archive."""
        self.archived, self._archived_counts, self.population = {}, {}, self._live
        self._drop_cached("masks", "rarity", "total", "weight", "rarest", "weight_by_key")

    def known(self) -> bool:
        """Whether a live memory holds any of the words or their corrections."""
        return any(self.holders.values())

    def is_common(self, term: str) -> bool:
        """Whether a term has too many holders to read all of them."""
        return len(self.holders[term]) >= limits.COMMON

    def count(self, term: str) -> int:
        """About how many memories hold a term; archived ones count only after the archive was searched."""
        return self._held[term].total + self._archived_counts.get(term, 0)

    @cached_property
    def rarity(self) -> list[float]:
        """The weight of each term: higher for rarer ones."""
        size = max(self.population, limits.YOUNG)
        counts = [min(self.count(term), size) for term in self.terms]
        return [math.log(1 + (size - count + 0.5) / (count + 0.5)) for count in counts]

    @cached_property
    def total(self) -> float:
        """The weight of all terms."""
        return sum(self.rarity) or 1.0

    @property
    def unknown(self) -> float:
        """The share of the query whose words are in no memory."""
        known = (bool(self.holders[term] or self._archived_counts.get(term)) for term in self.terms)
        return sum(rarity for rarity, held in zip(self.rarity, known, strict=True) if not held) / self.total

    def respelt(self, mask: int) -> bool:
        """Whether nearly all of a set's weight is of corrected typos."""
        uncorrected = sum(1 << bit for bit, term in enumerate(self.terms) if term not in self.variants)
        return self.weight(mask & uncorrected) < limits.AS_ASKED * self.weight(mask)

    @cached_property
    def weight(self) -> Callable[[int], float]:
        """The weight of a set of terms."""
        return _Combined(self._term_weights(), add).__getitem__

    @cached_property
    def rarest(self) -> Callable[[int], float]:
        """The weight of the rarest term of a set."""
        return _Combined(self._term_weights(), max).__getitem__

    def _term_weights(self) -> list[float]:
        """The rarity of each term; less for a corrected typo."""
        return [
            rarity * (limits.TYPO_CREDIT if term in self.variants else 1.0)
            for term, rarity in zip(self.terms, self.rarity, strict=True)
        ]

    @cached_property
    def _scanned(self) -> list[str]:
        """The terms whose holders are all read: without the most common ones if those are too many."""
        rarest_first = sorted(self.terms, key=lambda term: len(self.holders[term]))
        read = accumulate(len(self.holders[term]) for term in rarest_first)
        return [term for term, so_far in zip(rarest_first, read, strict=True) if so_far <= limits.SCANNED]

    @cached_property
    def masks(self) -> dict[int, int]:
        """The masks of the terms that memories hold, by key; only of scanned terms."""
        return self._collect_masks(self.holders)

    def masks_of(self, keys: Iterable[int]) -> dict[int, int]:
        """The masks of at least these memories; much faster than `masks`."""
        if "masks" in self.__dict__:
            return self.masks
        wanted = set(keys)
        return self._collect_masks({term: wanted.intersection(self.holders[term]) for term in self._scanned})

    def _collect_masks(self, holders: Mapping[str, Iterable[int]]) -> dict[int, int]:
        found: dict[int, int] = {}
        for term in reversed(self._scanned):  # with the most common one first, few keys are added by hand
            flag = 1 << self.terms.index(term)
            if not found:
                found = dict.fromkeys(holders[term], flag)
                continue
            for key in holders[term]:
                found[key] = found.get(key, 0) | flag
        for key in self._hidden:
            found.pop(key, None)
        return found

    @cached_property
    def weight_by_key(self) -> dict[int, float]:
        """The weight of the terms that memories hold, by key."""
        return dict(zip(self.masks, map(self.weight, self.masks.values()), strict=True))

    @cached_property
    def _known_from(self) -> list[tuple[int, float]]:
        """The terms with incomplete masks: their flag, and the key from which on the masks are complete."""
        return [
            (1 << bit, self.holders[term][-1] if term in self._scanned else math.inf)
            for bit, term in enumerate(self.terms)
            if self.is_common(term) or term not in self._scanned
        ]

    def complete(self) -> bool:
        """Whether the masks of live memories are complete."""
        return not self._known_from

    def unknown_terms(self, key: int) -> int:
        """The terms that a memory may hold although its mask lacks them."""
        if key in self.archived:
            return 0
        return sum([flag for flag, known_from in self._known_from if key < known_from])

    def mask_in(self, text: str, among: int = -1) -> int:
        """The mask of the terms in an indexed text; `among` restricts it to a set."""
        found, padded, spelled_among = 0, f" {text} ", self._spelled_among
        if among not in spelled_among:
            spelled_among[among] = [one for one in self._spelled if one[0] & among]
        for flag, spelled in spelled_among[among]:
            if spelled in padded:
                found |= flag
        return found

    @cached_property
    def _spelled_among(self) -> dict[int, list[tuple[int, str]]]:
        """The spellings of the terms in a set."""
        return {}

    @cached_property
    def _spelled(self) -> list[tuple[int, str]]:
        """Every spelling of a term in an indexed text, with its bit."""
        return [
            (1 << bit, f" {spelled} ")
            for bit, term in enumerate(self.terms)
            for spelled in self.spellings_of(term)
        ]

    def spellings_of(self, term: str) -> Sequence[str]:
        """The terms that count as this one: its corrections, or the forms of an irregular word."""
        return self.variants.get(term) or forms_of(term)

    @property
    def everything(self) -> int:
        """All terms."""
        return (1 << len(self.terms)) - 1

    def rarest_first(self) -> list[str]:
        """The terms that live memories hold, rarest first, without corrected ones."""
        known = [term for term in self.terms if self.holders[term] and term not in self.variants]
        return sorted(known, key=lambda term: (self.count(term), term))

    def terms_of(self, mask: int) -> list[str]:
        """The terms of a set."""
        return [term for bit, term in enumerate(self.terms) if mask >> bit & 1]


def asked_terms(text: str) -> list[str]:
    """The distinct terms of a question; of several forms of an irregular word only the first."""
    return without_other_forms(query_terms(text))


class _Combined(dict[int, float]):
    """The weights of sets of terms, each computed once from those of its terms."""

    def __init__(self, weights: list[float], combine: Callable[[float, float], float]) -> None:
        super().__init__({0: 0.0})
        self._weights = weights
        self._combine = combine

    def __missing__(self, mask: int) -> float:
        lowest = mask & -mask
        combined = self[mask] = self._combine(self._weights[lowest.bit_length() - 1], self[mask ^ lowest])
        return combined


def spellings(term: str) -> list[str]:
    """The words one typo away: a letter added, missing, replaced, or two swapped.

    In a short word the first letter stays, and none is replaced: see `_MIN_LONG_WORD`. Words with digits have
    none.
    """
    if not 4 <= len(term) <= 24 or not term.isascii() or not term.isalpha():
        return []
    is_long, is_nearly_long = len(term) >= _MIN_LONG_WORD, len(term) + 1 >= _MIN_LONG_WORD
    halves = [(term[:at], term[at:]) for at in range(len(term) + 1)]
    deleted = [head + tail[1:] for head, tail in halves if tail and (head or is_long)]
    swapped = [head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 1]
    replaced = [head + letter + tail[1:] for head, tail in halves if tail and is_long for letter in _LETTERS]
    added = [head + letter + tail for head, tail in halves if head or is_nearly_long for letter in _LETTERS]
    return list(dict.fromkeys(word for word in (*deleted, *swapped, *replaced, *added) if word != term))


def inflected(words: Iterable[str]) -> set[str]:
    """The words, also with the usual endings, as a memory and a query often differ in them."""
    known = set(words)
    longer = (word + ending for word in known for ending in _ENDINGS)
    return known | {word for word in longer if len(word) >= _MIN_LONG_WORD}
