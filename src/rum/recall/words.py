"""The words of a question: how rare each is, which memories hold them, and what a misspelt one stands for."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import accumulate, chain

from rum.recall import limits
from rum.store.search import Holders
from rum.text.terms import MAX_QUERY, names_in, query_terms, says_little, stem, unstemmed_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rum.store.search import Correction, Search, TermLookup

RESPELLED = 8  # So many unknown words of a question are taken for misspelt; each means hundreds of look-ups
_AROUND = ".,;:!?\"'()[]"  # What may stand around a word
_COMPARED = 5  # In so many memories it is looked up how a word that may be meant is spelt
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# In a shorter word another letter, or a first one more, makes another word: spring, string; oauth, auth.
_LONG = 7
_ENDINGS = ("s", "es", "d", "ed", "ing")


class Words:
    """The terms of a question; a set of them is the bits of a number, in the order of `terms`."""

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
        """Look the words up, unless that is `found` already. `superseded` memories may be left out.

        What was looked up as corrections of `earlier` words is not looked up again.
        """
        self._search = search
        self._text = text
        self.terms = query_terms(text)
        self.says_little = says_little(self.terms)
        self._found = found = found or search.terms(
            [[term] for term in self.terms],
            limits.COMMON,
            limits.ARCHIVED_RARE,
            goal=text,
            max_same_goal=limits.COMMON,
            session=session,
            max_session_size=limits.SESSION_COUNTED,
            newest=limits.NEWEST if timeline else 0,
            spread=limits.SPREAD,
            model=model,
        )
        self.timeline = found.timeline
        """When memories were made: the newest, and some spread over all; only if it was asked for."""
        self.size = max(found.size, 1) if self.terms else 1
        """About how many memories there are."""
        self.archived_size = found.archived
        self.same_goal = [key for key in found.same_goal if superseded or key not in set(found.superseded)]
        """The keys of the newest memories whose goal is the question word for word."""
        self.session_size = found.session_size
        self.any_memory = found.size > 0
        self.vectors = found.vectors
        self.has_chapters = found.has_chapters
        self.superseded = set(found.superseded)
        """The keys of all superseded memories."""
        self._hidden = set[int]() if superseded else self.superseded
        """The keys of memories that are not to be found."""
        self._live = max(self.size - found.archived, 1)
        self.population = self._live
        """How many memories there are, archived ones only if the archive was asked."""
        self._held = dict(zip(self.terms, found.holders, strict=True))
        self.terms = self._without_idle_parts()
        self.archived: dict[int, int] = {}
        """Which terms archived memories hold, by key, as far as the archive was asked."""
        self._archived_counts: dict[str, int] = {}
        self.variants: dict[str, list[str]] = {}
        """For a term that nobody used, the terms one typing error away that somebody did use."""
        self._corrections: dict[str, Correction] = earlier._corrections if earlier else {}
        """The terms looked up as corrections of unknown ones that some memory holds."""
        self._looked_up: set[str] = earlier._looked_up if earlier else set()
        self._looked_for_typos = False
        self._known_weights: dict[int, float] = {0: 0.0}
        self._known_rarest: dict[int, float] = {0: 0.0}

    def lookup(self, terms: list[str]) -> TermLookup | None:
        """What is known of a question in some of these words or corrections of them; None if one is new."""
        known = {term: one.holders for term, one in self._corrections.items()}
        known |= dict(zip(query_terms(self._text), self._found.holders, strict=True))
        if not known.keys() >= set(terms):
            return None
        same = terms == query_terms(self._text)
        same_goal = self._found.same_goal if same else []
        return self._found._replace(holders=[known[term] for term in terms], same_goal=same_goal)

    @cached_property
    def holders(self) -> dict[str, list[int]]:
        """The keys of the live memories with each term, newest first; of a common one only the newest."""
        return {term: self._held[term].keys for term in self.terms}

    def archived_holders(self, term: str) -> tuple[list[int], int]:
        """The keys of the archived memories with a term, of a common one only the newest; and how many."""
        return self._held[term].archived_keys, self._held[term].archived_total

    def _without_idle_parts(self) -> list[str]:
        """The terms without parts of a name that nobody used, where the name is known: SQLite, but not lite.

        How somebody writes a name that memories know makes no part of the question unknown.
        """
        strange = set(self._strange())
        if not strange:
            return self.terms
        told, parts = set[str](), set[str]()
        for whole, *rest in names_in(self._text):
            told.add(whole)
            (told if whole in strange else parts).update(rest)
        return [term for term in self.terms if term not in strange or term in told or term not in parts]

    def respell(self) -> bool:
        """Look for typing errors, once, in the terms no memory holds; whether any was found."""
        if self._looked_for_typos:
            return False
        self._looked_for_typos = True
        asked = {term: self._near_words(term) for term in self._strange()[:RESPELLED]}
        stems = {term: dict.fromkeys(map(stem, sorted(near))) for term, near in asked.items()}
        wanted = list(dict.fromkeys(chain.from_iterable(stems.values())))
        if not wanted:
            return False
        found = self._looked_up_corrections(wanted)
        for term, near in asked.items():
            forms = inflected(near)
            # Another word may have the stem: `redis` is a letter from `readis`, whose stem `ready` has.
            fitting = [
                one
                for one in found
                if one.term in stems[term] and (not one.words or forms & inflected(one.words))
            ]
            if fitting:
                self.variants[term] = [one.term for one in fitting]
                self._held[term] = self._together([one.holders for one in fitting])
        if not self.variants:
            return False
        self.forget_archive()  # what it said was of the words as they were
        self._drop_cached(*(name for name, part in vars(Words).items() if isinstance(part, cached_property)))
        return True

    def _looked_up_corrections(self, terms: list[str]) -> list[Correction]:
        """Those of the terms that some memory holds."""
        if unknown := [term for term in terms if term not in self._looked_up]:
            self._looked_up.update(unknown)
            found = self._search.corrections(unknown, _COMPARED, limits.COMMON, limits.ARCHIVED_RARE)
            self._corrections.update((one.term, one) for one in found)
        return [self._corrections[term] for term in terms if term in self._corrections]

    def _near_words(self, term: str) -> set[str]:
        """The words one typing error away from the words of the question that a term stands for."""
        typed = [word for word in self._typed if word.isascii() and stem(word) == term]
        return {word for asked in typed for word in spellings(asked)}

    def _together(self, variants: list[Holders]) -> Holders:
        """The holders of any of several terms."""
        if len(variants) == 1:
            return variants[0]
        live = sorted({key for one in variants for key in one.keys}, reverse=True)
        packed = sorted({key for one in variants for key in one.archived_keys}, reverse=True)
        total, archived_total = len(live), len(packed)
        if total >= limits.COMMON:
            total = min(self._live, sum(one.total for one in variants))
        if archived_total >= limits.ARCHIVED_RARE:
            archived_total = min(self.archived_size, sum(one.archived_total for one in variants))
        return Holders(live[: limits.COMMON], total, packed[: limits.ARCHIVED_RARE], archived_total)

    @cached_property
    def _typed(self) -> set[str]:
        """The words of the question as they were typed."""
        return unstemmed_words(self._text)

    @cached_property
    def asked(self) -> list[tuple[str, frozenset[str]]]:
        """What was looked at of the question word by word, each once and with its terms."""
        words = dict.fromkeys(word.strip(_AROUND) for word in self._text[:MAX_QUERY].split())
        return [(word, frozenset(query_terms(word))) for word in words]

    def corrected(self) -> Iterator[tuple[str, str]]:
        """Each word that was taken for a typing error, and the word that is most likely meant."""
        for term, others in self.variants.items():
            for typed in sorted(word for word in self._typed if word.isascii() and stem(word) == term):
                near = set(spellings(typed))
                meant = [word for one in others for word in self._corrections[one].words]
                for word in sorted(near.intersection(meant))[:1]:
                    yield typed, word

    def _drop_cached(self, *names: str) -> None:
        for name in names:
            self.__dict__.pop(name, None)
        self._known_weights, self._known_rarest = {0: 0.0}, {0: 0.0}

    def _strange(self) -> list[str]:
        """The terms that nobody knows."""
        return [
            term for term in self.terms if not self._held[term].keys and not self._held[term].archived_keys
        ]

    def any_strange(self) -> bool:
        """Whether there is a term that nobody knows."""
        return bool(self._strange())

    def misspelt(self) -> bool:
        """Whether a few words that nobody knows are a good part of the question."""
        strange = len(self._strange())
        return 0 < strange <= limits.STRANGE and self.unknown >= limits.STRANGE_SHARE

    def learn(self, counts: dict[str, int], masks: dict[int, int]) -> None:
        """Take in what the archive holds: how many memories each term, and which terms each memory."""
        self._archived_counts, self.population = counts, self.size
        self.archived = {key: mask for key, mask in masks.items() if key not in self._hidden}
        self.masks.update(self.archived)
        self._drop_cached("rarity", "total", "weighed")

    def forget_archive(self) -> None:
        """Leave out what the archive holds."""
        self.archived, self._archived_counts, self.population = {}, {}, self._live
        self._drop_cached("masks", "rarity", "total", "weighed")

    def known(self) -> bool:
        """Whether any memory holds any of the words, in whatever spelling."""
        return any(self.holders.values())

    def is_common(self, term: str) -> bool:
        """Whether so many memories hold a term that not all of them were looked up."""
        return len(self.holders[term]) >= limits.COMMON

    def count(self, term: str) -> int:
        """About how many memories hold a term, archived ones only if the archive was asked."""
        return self._held[term].total + self._archived_counts.get(term, 0)

    @cached_property
    def rarity(self) -> list[float]:
        """What each term says: the rarer, the more."""
        size = max(self.population, limits.YOUNG)
        counts = [min(self.count(term), size) for term in self.terms]
        return [math.log(1 + (size - count + 0.5) / (count + 0.5)) for count in counts]

    @cached_property
    def total(self) -> float:
        """What all terms say together."""
        return sum(self.rarity) or 1.0

    @property
    def unknown(self) -> float:
        """The share of the query whose words are in no memory."""
        known = (bool(self.holders[term] or self._archived_counts.get(term)) for term in self.terms)
        return sum(rarity for rarity, held in zip(self.rarity, known, strict=True) if not held) / self.total

    def respelt(self, mask: int) -> bool:
        """Whether a set is hardly anything but terms that were taken for typing errors."""
        asked = sum(1 << bit for bit, term in enumerate(self.terms) if term not in self.variants)
        return self.weight(mask & asked) < limits.AS_ASKED * self.weight(mask)

    def weight(self, mask: int) -> float:
        """What a set of terms says."""
        known = self._known_weights.get(mask)
        if known is None:
            lowest = mask & -mask
            said = self._worth(lowest.bit_length() - 1)
            known = self._known_weights[mask] = said + self.weight(mask ^ lowest)
        return known

    def rarest(self, mask: int) -> float:
        """What the rarest term of a set says."""
        known = self._known_rarest.get(mask)
        if known is None:
            lowest = mask & -mask
            said = self._worth(lowest.bit_length() - 1)
            known = self._known_rarest[mask] = max(said, self.rarest(mask ^ lowest))
        return known

    def _worth(self, bit: int) -> float:
        """A term that was only found misspelt is worth less."""
        return self.rarity[bit] * (limits.TYPO_CREDIT if self.terms[bit] in self.variants else 1.0)

    @cached_property
    def _scanned(self) -> list[str]:
        """The terms whose holders are gone through: not the commonest, where that takes too long."""
        rarest_first = sorted(self.terms, key=lambda term: len(self.holders[term]))
        read = accumulate(len(self.holders[term]) for term in rarest_first)
        return [term for term, so_far in zip(rarest_first, read, strict=True) if so_far <= limits.SCANNED]

    @cached_property
    def masks(self) -> dict[int, int]:
        """Which terms a memory holds, by its key, as far as their holders were gone through."""
        return self._gone_through(self.holders)

    def masks_of(self, keys: set[int]) -> dict[int, int]:
        """The same of some memories at least, in a fraction of the time where nobody needs those of all."""
        if "masks" in self.__dict__:
            return self.masks
        return self._gone_through({term: keys.intersection(self.holders[term]) for term in self._scanned})

    def _gone_through(self, holders: Mapping[str, Iterable[int]]) -> dict[int, int]:
        found: dict[int, int] = {}
        for term in self._scanned:
            flag = 1 << self.terms.index(term)
            for key in holders[term]:
                found[key] = found.get(key, 0) | flag
        for key in self._hidden:
            found.pop(key, None)
        return found

    @cached_property
    def weighed(self) -> dict[int, float]:
        """What each set of terms says that is some memory's mask, and what none says."""
        return {mask: self.weight(mask) for mask in {0, *self.masks.values()}}

    @cached_property
    def _known_from(self) -> list[tuple[int, float]]:
        """Each term that the masks do not tell all of: its flag, and from which key on they do."""
        return [
            (1 << bit, self.holders[term][-1] if term in self._scanned else math.inf)
            for bit, term in enumerate(self.terms)
            if self.is_common(term) or term not in self._scanned
        ]

    def complete(self) -> bool:
        """Whether the masks tell everything there is."""
        return not self._known_from

    def unknown_terms(self, key: int) -> int:
        """The terms that a memory may hold without its mask telling."""
        if key in self.archived:
            return 0
        return sum([flag for flag, known_from in self._known_from if key < known_from])

    def mask_in(self, text: str, among: int = -1) -> int:
        """Which terms stand in an indexed text, of all or of a set."""
        found, padded = 0, f" {text} "
        for flag, spelled in self._spelled:
            if flag & among and spelled in padded:
                found |= flag
        return found

    @cached_property
    def _spelled(self) -> list[tuple[int, str]]:
        """Every way in which a term stands in an indexed text, with its bit."""
        return [
            (1 << bit, f" {spelled} ")
            for bit, term in enumerate(self.terms)
            for spelled in self.variants.get(term, (term,))
        ]

    @property
    def everything(self) -> int:
        """All terms."""
        return (1 << len(self.terms)) - 1

    def rarest_first(self) -> list[str]:
        """The terms that memories hold, the rarest first."""
        known = [term for term in self.terms if self.holders[term] and term not in self.variants]
        return sorted(known, key=lambda term: (self.count(term), term))

    def said(self, mask: int) -> list[str]:
        """The terms of a set."""
        return [term for bit, term in enumerate(self.terms) if mask >> bit & 1]


def spellings(term: str) -> list[str]:
    """What a term may have been meant to be: one letter more, less, other, or two swapped.

    A short word has its first letter, and none is another: see `_LONG`. What holds a digit is as it is meant.
    """
    if not 4 <= len(term) <= 24 or not term.isascii() or not term.isalpha():
        return []
    long, nearly = len(term) >= _LONG, len(term) + 1 >= _LONG
    halves = [(term[:at], term[at:]) for at in range(len(term) + 1)]
    fewer = [head + tail[1:] for head, tail in halves if tail and (head or long)]
    swapped = [head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 1]
    other = [head + letter + tail[1:] for head, tail in halves if tail and long for letter in _LETTERS]
    more = [head + letter + tail for head, tail in halves if head or nearly for letter in _LETTERS]
    return list(dict.fromkeys(word for word in (*fewer, *swapped, *other, *more) if word != term))


def inflected(words: Iterable[str]) -> set[str]:
    """The words, and longer ones with the usual endings: a memory and a question seldom have the same."""
    known = set(words)
    longer = (word + ending for word in known for ending in _ENDINGS)
    return known | {word for word in longer if len(word) >= _LONG}
