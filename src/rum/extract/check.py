"""Check whether a finding may be stored: its length, no secrets, no orders, supported by the run, and new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from rum.extract.entities import is_vague, paths_in
from rum.model.layers import GivenFact, GivenRule
from rum.model.notes import LONGEST_TITLE, MOST_WORDS
from rum.model.runs import Finding, FinishedRun
from rum.redact.secret_plausibility import MARK
from rum.text.claim_comparison import disagree
from rum.text.claims import Claim, all_claims_in, claim_and_clauses
from rum.text.fence import gives_orders
from rum.text.word_weights import telling_words

_MIN_WORDS = 5
_MAX_VALUE = 500
_SAME_RULE = 0.8
_MIN_SHARED = 0.5
# Three letters in a row, at least: fewer occur in nearly every task.
_THREE_LETTERS = re.compile(r"[^\W_]{3}")


def note_problem(finding: Finding, run: FinishedRun, known: Sequence[KnownText]) -> str | None:
    """Why a note cannot be stored; None if it can."""
    text, words = f"{finding.title}\n{finding.content}", len(finding.content.split())
    if not finding.title or len(finding.title) > LONGEST_TITLE:
        return f"its title has {len(finding.title)} characters; 1 to {LONGEST_TITLE} are allowed"
    if not _MIN_WORDS <= words <= MOST_WORDS:
        return f"it has {words} words; {_MIN_WORDS} to {MOST_WORDS} are allowed"
    problem = _wording_problem(text, finding.title) or _pattern_problem(finding.when_to_use)
    if problem:
        return problem
    # A model may have invented a file that the run does not name.
    run_text = _run_text(run).lower()
    invented = [path for path in paths_in(text) if path.lower().strip("./`") not in run_text]
    if invented:
        return f"it names {invented[0]}, which the run does not mention"
    if repeated := find_repetition(text, known):
        share = _shared_words(known_text("", text), repeated)
        return f"duplicate of {repeated.name} ({share:.0%} of the words)"
    return None


def fact_problem(fact: GivenFact, run: FinishedRun) -> str | None:
    """Why a fact cannot be stored; None if it can."""
    if not fact.key.strip() or not fact.value.strip():
        return "its key or its value is empty"
    if len(fact.key) > LONGEST_TITLE or len(fact.value) > _MAX_VALUE:
        return f"it is longer than {_MAX_VALUE} characters"
    return _wording_problem(f"{fact.key}\n{fact.value}", fact.value) or _not_in_run(fact.value, run)


def rule_problem(rule: GivenRule, run: FinishedRun, known: Sequence[KnownText]) -> str | None:
    """Why a rule cannot be stored; None if it can."""
    text = f"{rule.condition}\n{rule.action}"
    if len(text) > 2 * _MAX_VALUE:
        return f"it is longer than {2 * _MAX_VALUE} characters"
    problem = (
        _wording_problem(text, text) or _pattern_problem([rule.condition]) or _not_in_run(rule.action, run)
    )
    if problem:
        return problem
    new = known_text("", text)
    for old in known:
        shared = min(_shared_words(new, old), _shared_words(old, new))
        if shared >= _SAME_RULE and not corrects(new, old):
            return f"duplicate of {old.name}"
    return None


def _wording_problem(text: str, essence: str) -> str | None:
    if gives_orders(text):
        return "it contains instructions for the model"
    return "a secret was removed from an essential part" if MARK in essence else None


def specific_patterns(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return patterns without the alternatives that match almost any task, which are worse than none."""

    def is_specific(part: str) -> bool:
        words = part.split()
        return bool(_THREE_LETTERS.search(part)) and not (len(words) == 1 and is_vague(words[0].strip("*. ")))

    specific = ("|".join(filter(is_specific, pattern.split("|"))) for pattern in patterns)
    return tuple(pattern for pattern in specific if pattern)


def _pattern_problem(patterns: Sequence[str]) -> str | None:
    if specific_patterns(patterns):
        return None
    return "it has no `whenToUse`, or one that matches almost any task"


def _run_text(run: FinishedRun) -> str:
    return f"{run.task}\n{run.agent_output}\n{run.error or ''}"


def _not_in_run(text: str, run: FinishedRun) -> str | None:
    share = word_share(telling_words(text), telling_words(_run_text(run)))
    return None if share >= _MIN_SHARED else "the run does not support it"


_SAME_TEXT = 0.7  # A text with this share of its words in an earlier one has nothing new
_MAX_CLAUSES = 500

Words = frozenset[tuple[str, ...]]


class KnownText(NamedTuple):
    """An earlier text: its name, its claims, and when it was recorded."""

    name: str
    claims: tuple[Claim, ...]
    # The words of every two neighbouring claims: words scattered over a text are no repetition.
    passages: tuple[Words, ...]
    at: tuple[int, int]  # The time, and the position among the texts of that time


def known_text(name: str, text: str, at: tuple[int, int] = (0, 0)) -> KnownText:
    """A text prepared for comparison."""
    claims = tuple(all_claims_in(text))
    word_sets = [*(claim.all_words for claim in claims), Words()]
    return KnownText(name, claims, tuple(first | second for first, second in pairwise(word_sets)), at)


def find_repetition(text: str, earlier: Iterable[KnownText]) -> KnownText | None:
    """Return the earlier text that has all of this one; None if none does, or if this one corrects it."""
    new, known = known_text("", text), list(earlier)
    alike = [old for old in known if _shared_words(new, old) >= _SAME_TEXT and not corrects(new, old)]
    repeated = max(alike, key=lambda old: (old.at, _shared_words(new, old)), default=None)
    # Returning to an earlier statement after it was corrected is news, though the words are old.
    if repeated is None or any(old.at > repeated.at and corrects(new, old) for old in known):
        return None
    return repeated


def _shared_words(new: KnownText, old: KnownText) -> float:
    """The share of the words of a text that another has too, claim by claim."""
    total = sum(len(claim.all_words) for claim in new.claims)
    shared = sum(
        max((len(claim.all_words & passage) for passage in old.passages), default=0) for claim in new.claims
    )
    return shared / total if total else 0.0


def corrects(new: KnownText, old: KnownText) -> bool:
    """Whether a claim contradicts one of an earlier text that has no claim that agrees with it."""
    new_claims, old_claims = (
        list(islice((part for claim in known.claims for part in claim_and_clauses(claim)), _MAX_CLAUSES))
        for known in (new, old)
    )
    old_meanings = {claim.meaning for claim in old_claims}
    changed = [claim for claim in new_claims if claim.meaning not in old_meanings]
    return any(disagree(claim, other) for claim in changed for other in old_claims)


def word_share(words: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that others contain too."""
    return len(words & other) / len(words) if words else 0.0
