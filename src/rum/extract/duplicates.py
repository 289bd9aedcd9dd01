"""Whether something was said before: by statements, so that a correction is never taken for a repetition."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, pairwise
from typing import NamedTuple

from rum.text.claim_comparison import disagree
from rum.text.claims import Claim, all_claims_in, claim_and_clauses
from rum.text.terms import says_little, terms

ALIKE = 0.7
"""The share of its words in an earlier text from which on something says nothing new."""
_MOST_CLAUSES = 500

Words = frozenset[tuple[str, ...]]


class Said(NamedTuple):
    """Something that was said before, under a name by which it can be found: what, where in it, and when."""

    name: str
    claims: tuple[Claim, ...]
    passages: tuple[Words, ...]
    """The words of every two statements in a row: what is found only all over a text was not said in it."""
    at: tuple[int, int]
    """When, and of what was said then which one."""


def said(name: str, text: str, at: tuple[int, int] = (0, 0)) -> Said:
    """A text to compare with."""
    claims = tuple(all_claims_in(text))
    words = [one.all_words for one in claims]
    return Said(name, claims, tuple(one | other for one, other in pairwise([*words, Words()])), at)


def same(text: str, before: Iterable[Said]) -> Said | None:
    """What says all of a text already, best first; None too where something said later is corrected by it."""
    new, known = said("", text), list(before)
    alike = [one for one in known if likeness(new, one) >= ALIKE and not corrects(new, one)]
    found = max(alike, key=lambda one: (one.at, likeness(new, one)), default=None)
    if found is None or any(one.at > found.at and corrects(new, one) for one in known):
        return None
    return found


def likeness(new: Said, old: Said) -> float:
    """How much of what is said the other says too: the share of its words, statement by statement."""
    whole = sum(len(claim.all_words) for claim in new.claims)
    found = sum(max((len(claim.all_words & one) for one in old.passages), default=0) for claim in new.claims)
    return found / whole if whole else 0.0


def corrects(new: Said, old: Said) -> bool:
    """Whether a statement says otherwise than one of the other, which has none that agrees with it."""
    mine, theirs = _clauses(new), _clauses(old)
    told = {claim.meaning for claim in theirs}
    changed = [claim for claim in mine if claim.meaning not in told]
    return any(disagree(claim, other) for claim in changed for other in theirs)


def _clauses(one: Said) -> list[Claim]:
    return list(islice((part for claim in one.claims for part in claim_and_clauses(claim)), _MOST_CLAUSES))


def telling_words(text: str) -> frozenset[str]:
    """The words of a text that say something, stemmed."""
    return frozenset(term for term in terms(text) if not says_little([term]))


def share(words: frozenset[str], other: frozenset[str]) -> float:
    """How many of the words the other has too, as a share of them all."""
    return len(words & other) / len(words) if words else 0.0
