"""Whether what was found may be kept: of some length, without secrets and orders, said by the run, new."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rum.extract.common_words import is_vague
from rum.extract.duplicates import Said, corrects, likeness, said, same, share, telling_words
from rum.extract.entities import paths_in
from rum.model.extraction import Finding, FinishedRun
from rum.model.facts import GivenFact, GivenRule
from rum.model.notes import LONGEST_TITLE, MOST_WORDS
from rum.redact.secret_plausibility import MARK
from rum.text.fence import gives_orders

FEWEST_WORDS = 5
_LONGEST_VALUE = 500
_SAME_RULE = 0.8
_SAID = 0.5
_NARROW = re.compile(r"[^\W_]{3}")
"""Three letters in a row tell some tasks from others; fewer stand in nearly every word."""


def note_problem(finding: Finding, run: FinishedRun, known: Sequence[Said]) -> str | None:
    """Why a note cannot be kept; None if it can."""
    text = f"{finding.title}\n{finding.content}"
    return (
        _length_problem(finding)
        or _wording_problem(text, finding.title)
        or _pattern_problem(finding.when_to_use)
        or _grounding_problem(text, run)
        or _known_problem(text, known)
    )


def fact_problem(fact: GivenFact, run: FinishedRun) -> str | None:
    """Why a fact cannot be kept; None if it can."""
    if not fact.key.strip() or not fact.value.strip():
        return "its key or its value is empty"
    if len(fact.key) > LONGEST_TITLE or len(fact.value) > _LONGEST_VALUE:
        return f"it is longer than {_LONGEST_VALUE} characters"
    return _wording_problem(f"{fact.key}\n{fact.value}", fact.value) or _unsaid(fact.value, run)


def rule_problem(rule: GivenRule, run: FinishedRun, known: Sequence[Said]) -> str | None:
    """Why a rule cannot be kept; None if it can."""
    text = f"{rule.condition}\n{rule.action}"
    if len(text) > 2 * _LONGEST_VALUE:
        return f"it is longer than {2 * _LONGEST_VALUE} characters"
    problem = _wording_problem(text, text) or _pattern_problem([rule.condition]) or _unsaid(rule.action, run)
    if problem:
        return problem
    new = said("", text)
    there = next(
        (one for one in known if _both_ways(new, one) >= _SAME_RULE and not corrects(new, one)), None
    )
    return f"{there.name} says the same" if there else None


def _both_ways(one: Said, other: Said) -> float:
    return min(likeness(one, other), likeness(other, one))


def _length_problem(finding: Finding) -> str | None:
    words = len(finding.content.split())
    if not finding.title or len(finding.title) > LONGEST_TITLE:
        return f"its title has {len(finding.title)} characters; 1 to {LONGEST_TITLE} are allowed"
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        return f"it has {words} words; {FEWEST_WORDS} to {MOST_WORDS} are allowed"
    return None


def _wording_problem(text: str, essence: str) -> str | None:
    if gives_orders(text):
        return "it gives orders to the model that would read it"
    return "a secret was cut out of what matters in it" if MARK in essence else None


def narrowed(patterns: Sequence[str]) -> tuple[str, ...]:
    """Patterns without what would fit almost any task, which is worse than none."""
    kept = ("|".join(filter(_is_narrow, pattern.split("|"))) for pattern in patterns)
    return tuple(pattern for pattern in kept if pattern)


def _is_narrow(part: str) -> bool:
    words = part.split()
    return bool(_NARROW.search(part)) and not (len(words) == 1 and is_vague(words[0].strip("*. ")))


def _pattern_problem(patterns: Sequence[str]) -> str | None:
    return None if narrowed(patterns) else "it does not say when to use it, or would fit almost any task"


def _grounding_problem(text: str, run: FinishedRun) -> str | None:
    """A file that nobody spoke of was made up."""
    told = f"{run.task}\n{run.agent_output}\n{run.error or ''}".lower()
    made_up = [path for path in paths_in(text) if path.lower().strip("./`") not in told]
    return f"it names {made_up[0]}, of which the run says nothing" if made_up else None


def _unsaid(text: str, run: FinishedRun) -> str | None:
    told = telling_words(f"{run.task}\n{run.agent_output}\n{run.error or ''}")
    return None if share(telling_words(text), told) >= _SAID else "the run does not say so"


def _known_problem(text: str, known: Sequence[Said]) -> str | None:
    found = same(text, known)
    if found is None:
        return None
    return f"{found.name} says the same ({likeness(said('', text), found):.0%} of its words)"
