"""Whether a sentence states something in plain words: what must or cannot be done, or what goes wrong why."""

from __future__ import annotations

import re

from rum.extract.tone import LEAD
from rum.model.extraction import Kind
from rum.text.terms import content_words

FEWEST_WORDS = 3
"""Words that say something, beside those that make it a constraint: fewer say that of everything."""
_LONGEST = 500


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_MUST = _words(
    r"\b(?:must(?: not|n't)?|(?:has|have|needs?) to|(?:is|are) (?:required|forbidden|(?:not )?allowed) to)\b",
    r"\b(?:can ?not|can't|may not|won't|will not) (?:be )?\w+",
    r"\b(?:is|are)(?: not|n't) (?:allowed|permitted|possible|supported)\b|\bnot supported\b",
    r"\b(?:requires?|needs?|depends? on|expects?) (?:a|an|the|at least|exactly|both|one|two|three|\d)\b",
    r"\b(?:needs?|requires?) \w+ (?:in|on|to|for|before|after|with)\b",
    r"(?<! is)(?<!are)(?<!was)(?<!were) only (?:[a-z]{3,}s [a-z]{3,}|work|accept|support|allow|run|read)\b",
    r"\b(?:works?|is|are|can|may|be) only\b|\b(?:is|are|can|may) \w+ only\b",
    r"\b(?:is|are) only (?:\w+ed|valid|visible|possible|available|safe|sent|read|kept|run|built)\b",
    r"\b(?:at most|at least|no more than|no fewer than|not more than)\b.*\b(?:may|can|are|is|per|at)\b",
    r"\b(?:is|are|be|gets?|may|must|can|should) never\b|\bnever gets?\b",
)
"""Something must, cannot, or only so."""
_DO = _words(
    r"^(?:please )?(?:always|never|do not|don't) \w{2,}", r"^avoid \w.*(?:,|\bbecause\b|\bsince\b|\bor\b)"
)
"""Somebody is told what to do."""
_EVER = _words(
    r"^(?:the |all |our |any |every )?[\w/.`-]+(?: [\w/.`-]+){0,3} (?:always|never) [a-z]+\b",
    r", never (?:through|by|from|in|with|via|to|at|on|directly)\b",
)
"""Something does so always or never."""
_WRONG = (
    r"(?:fails?|breaks?|hangs?|crash(?:es)?|leaks?|dies|times? out|drops?|loses?|rejects?|ignores?|corrupts?"
    r"|(?:is|are|gets?|stays?|runs?) (?:\w+ )?(?:slow|lost|wrong|empty|stale|broken|missing|ignored|dropped"
    r"|rejected|truncated|duplicated|skipped|flaky)"
    r"|takes? (?:\w+ )?(?:hours|minutes|seconds|ages|forever|long))"
)
_CAUSE = _words(
    rf"\b{_WRONG}\b.*\b(?:because|since|due to|when|whenever|if|unless|after|as soon as|as)\b",
    rf"\b(?:because|since|when|whenever|if|unless|without|as soon as|after)\b.*\b{_WRONG}\b",
)
"""Something goes wrong, now as ever, for a reason."""
_DECISION = (
    r"^(?:(?:we|the team)(?: have| had|'ve)? )?(?:decided|chose|agreed|opted|settled) "
    r"(?:to|on|against|for|not to|that)\b"
)
_DECIDES = _words(_DECISION)
_CALLED = _words(r"(?:decision|agreed approach)\s*:")
_DECIDED = _words(rf"{_DECISION}.*(?:\b(?:because|since|as|rather than|instead of|over|so)\b|:)")
"""Something was decided, for a reason."""
_SO = re.compile(r"^(?P<what>.*?),? (?:because|since) (?P<why>.{10,})", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|has|have|does|do|gets?|keeps?|takes?|[a-z]{3,}s)\b")
_WAS = re.compile(
    r"(?<!is )(?<!are )(?<!be )(?<!gets )\b(?:was|were|had|did|went|took|[a-z]{3,}ed)\b", re.IGNORECASE
)
_ODD = _words(
    rf"\b{_WRONG}\b|\b(?:twice|too \w+|no longer|not|never|nothing|none|only|n't|without|wrong|slow\w*)\b"
)
"""Words for what nobody wants."""
_PERSONAL = _words(
    # about the one who speaks, or said to somebody
    r"\bi\b(?!\.e)|\bmy\b|\bme\b",
    r"\bwe(?:'ll|'re)? (?:need|have|will|should|must|could|can|may|want|had|are|still|first)\b",
    r"\byou must (?:be|have)\b|\byour? (?:review|approval|feedback|call|turn)\b",
    r"\bplease (?:ask|tell|review|check)\b|\b(?:happy|glad|welcome|careful|worry|hesitate|mind|know|think)\b",
    # a conclusion: it must be so
    r"\b(?:it|this|that|there|he|she|they|some\w+|every\w+|all|nothing) must (?:be|have)\b",
    r"\bmust (?:have|be) (?:been|a|an|some|fine|ok|okay|right|wrong|due)\b",
    r"\b(?:somebody|someone|who) (?:has|have|needs?|must|should)\b",
    # a freedom
    r"\b(?:do|does)(?: not|n't) (?:have|need) to\b|\bno (?:need|longer \w+) to\b|\bmay not have\b",
    # told as it happened
    r"\b(?:had|needed|was|were) to\b|\b(?:could|did)(?: not|n't)\b",
    r"\bnever (?:happened|did|was|were|had|came|took|saw)\b",
    r"(?<!be )(?<!is )(?<!are )\bnever (?!need|feed|embed|exceed|proceed|shed|speed|bleed|shred)\w+ed\b",
)
"""What is about those who talk, or only concluded, or over."""
_OF_THE_MOMENT = _words(
    r"\b(?:works?|pass(?:es)?|fine|good|starts?|fixed) (?:again|now)\b|\b(?:right|for) now\b|\bso far\b",
    r"\btoday\b|\bthis (?:time|pr|change|branch|ticket|task)\b|\bfollow-?up\b",
    r"^(?:it|this|that|these|those|next|then|first|finally|afterwards)\b",
    r"^(?:the |all )?(?:branch|build|changes?|commit|diff|log|output|patch|pr|pull request|review|ticket)\b",
    r"^(?:adjust|allow|convert|disable|drop|enable|handle|introduce|let|make|move|scan|skip|support|suppress)\b",
    r"^(?:adapt|align|apply|bring|check|ensure|extend|give|provide|switch|teach|turn|use) (?!only)",
    r"\b(?:has|have|needs?) to be (?:added|addressed|checked|done|fixed|merged|reviewed|tested|updated)\b",
    r"\b(?:ticket|task|issue|user|customer|request|review(?:er)?) (?:says|asks|wants|asked|wanted|said)\b",
    r"\b(?:before|after|until) (?:the |this )?(?:review|merge|lunch|release)\b",
    r"\?\s*$",
)
"""What belongs to the work at hand."""


def states(text: str) -> Kind | None:
    """What a sentence states for good, and of which kind; None for talk, steps, plans and conclusions."""
    said = LEAD.sub("", text[:_LONGEST].strip())
    if _OF_THE_MOMENT.search(said) or _PERSONAL.search(said) or _telling(said) < FEWEST_WORDS:
        return None
    if _DECIDED.search(said):
        return Kind.DECISION
    if _DO.search(said) or _MUST.search(said):
        return Kind.CONSTRAINT
    if _CAUSE.search(said):
        return Kind.ERROR
    return Kind.PATTERN if _EVER.search(said) else _explained(said)


def is_decision(text: str) -> bool:
    """Whether a sentence says of itself that it tells what was decided."""
    said = text[:_LONGEST].strip()
    return bool(_CALLED.match(said) or _DECIDES.search(LEAD.sub("", said)))


def is_personal(text: str) -> bool:
    """Whether a sentence is about those who talk, or only concludes, or tells what is over."""
    return bool(_PERSONAL.search(LEAD.sub("", text[:_LONGEST])))


def _explained(said: str) -> Kind | None:
    """What is told with its reason and holds at all times: something odd, or something as it was meant."""
    found = _SO.match(said)
    if not found or not _IS.search(found["what"]) or _WAS.search(found["what"]):
        return None
    if _ODD.search(found["what"]):
        return Kind.ERROR
    return None if _WAS.search(found["why"]) else Kind.DECISION


def _telling(text: str) -> int:
    return len(set(content_words(text)) - _CUES)


_CUES = frozenset(content_words("must always never need require only avoid"))
