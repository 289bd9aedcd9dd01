"""How much a sentence is worth keeping: whether it states a rule, a cause, a fault, a purpose or a fact."""

from __future__ import annotations

import re
from functools import cache, lru_cache

ENOUGH = 2.0
"""The weight that a sentence needs to count as a claim where nobody recorded it as a learning."""
SHORTEST, LONGEST = 28, 300
"""Characters of a sentence."""

_RULE = r"""
    must(?:n't)? | never | always | requires? | required\ to | has\ to | have\ to | needs?\ to
    | make\ sure | (?:not|n't|only|no\ longer)\ (?:be\ )?(?:allowed|permitted|valid|safe|needed)
    | no\ \w+(?:\ \w+){0,4}\ (?:is|are)\ allowed | only\ (?:works?|if|when|after|on|for)
    | can(?:not|'t|\ not) | should(?:\ not|n't)? | (?:do\ not|don't|prefer|(?<!to\ )avoid)\ \w+
    | forbid\w* | disallow\w* | at\ (?:most|least)
"""
_CAUSE = r"""
    because | root\ cause | turn(?:s|ed)\ out
    | the\ (?:reason|problem|cause|culprit|issue)\ (?:is|was|being|here) | due\ to | otherwise
    | caus(?:e|es|ed|ing) | le(?:ads|ading|d)\ to | result(?:s|ed|ing)?\ in | in\ practice
    | since\ (?:it|the|we|they|there|this|that) | as\ it\ (?:is|was)
    | which\ (?:means|meant|made|makes|broke) | th(?:at|is)\ (?:means|meant|made|makes|broke|breaks)
    | that\ is\ why | the\ fix\ is | so\ (?:the|it|we|they)
"""
_FAULT = r"""
    fail(?:s|ed|ing|ure|ures)? | breaks? | broke | broken | breaking | crash\w* | leak\w* | hangs? | hung
    | hanging | deadlock\w* | rac(?:e|es|y) | (?:over|under)flow\w* | wrong(?:ly)? | incorrect(?:ly)?
    | corrupt\w* | undefined | use-after-free | infinite | missing | misses | missed | silently
    | not?\ support\w* | unsupported | deprecated | flaky | regress\w* | stale | exhaust\w* | conflict\w*
    | mismatch\w* | mislead\w* | reject\w* | unreliable | slow\w* | ambiguous | lost | loses | too\ \w+
"""
_PURPOSE = r"""
    so\ that | in\ order\ to | instead\ of | rather\ than | avoids | prevents | reduces | saves | allows
    | allowing | to\ (?:avoid|prevent|make\ sure|ensure|reduce|save|keep|allow|silence|protect) | faster
    | makes\ it
"""
_FACT = r"""
    no\ longer | unless | limited\ to | by\ default | guarantee\w* | assum\w+ | thread-safe | depends?\ on
    | expects? | even\ (?:if|when) | available\ since | not\ (?:available|included|enough|possible|known)
    | unlike | except | means | despite | already
"""
_HEDGE = r"""
    might | maybe | perhaps | probably | possibly | seems? | appears?\ to
    | i\ (?:think|guess|assume|believe) | hopefully | not\ sure | afai[uk] | afaict | iirc | in\ the\ hope
"""
_PLAN = r"""
    todo | tbd | in\ the\ future | for\ now | follow-?ups? | preparation | prepare\ for | next\ step
    | plan(?:s|ned)?\ to | let's | we'll | (?:may|might)\ want | re-?open
"""
_TALK = r"""
    thanks? | sorry | (?:spotted|reported|found|suggested|pointed\ out|requested)\ by | see\ (?:also|\#)
    | verif(?:y|ied)\ (?:in|with|by) | as\ (?:reported|discussed|mentioned)
"""
_SELF = r"i | i'm | i've | i'd | my"
_WEIGHTS = (
    (_RULE, 2.0),
    (_CAUSE, 2.0),
    (_FAULT, 1.5),
    (_PURPOSE, 1.0),
    (_FACT, 1.0),
    (_HEDGE, -1.0),
    (_PLAN, -1.0),
    (_TALK, -3.0),
    (_SELF, -1.0),
)
_FLAGS = re.IGNORECASE | re.VERBOSE
_NEEDS_CONTEXT = re.compile(
    r"""(?:this|that|these|those|it|its|they|their|them|there|he|she|both|each|such|so|also|then|thus|hence|however
        |but|and|or|otherwise|instead|to|for|by|with|without|which|because|since|as|where|when|another|same
        |the\ (?:latter|former|other|same|rest|above|change|patch|fix|commit|code|issue|problem)
        |previously|before|prior|now|here|not|in\ (?:this|that|such|addition)
        |additionally|furthermore|moreover|therefore|if|during|say|imagine|suppose|consider|for\ example
        |unfortunately|actually|similarly|likewise|apparently|e\.g|i\.e)\b""",
    _FLAGS,
)
_CONNECTIVE = re.compile(r"(?:and|but|however|so|then|yet),? (?=[^\W\d_`\"'(])", re.IGNORECASE)
"""A word that connects a sentence to the one before, and can be left out."""
_DOES = re.compile(
    r"""(?:also[:,]?\ |[\w./-]{1,40}:\ )?
        (?:accept|add|adapt|adjust|allow|apply|bump|call|cast|change|check|clean|clear|close|convert|define|delete
        |detect|disable|document|drop|enable|extend|fix|free|handle|improve|increase|introduce|keep|limit|make|map
        |mask|mention|merge|move|pass|refactor|reject|remove|rename|replace|reset|return|run|set|simplify|skip
        |split|store|switch|sync|tidy|update|use|verify|wrap)(?:e?s|e?d|ing)?\b""",
    _FLAGS,
)
_ANCHOR = re.compile(r"`|\w_\w|\w\(\)|\d|[a-z][A-Z]|\b[A-Z]{3,}\b|\w[/.]\w|::|(?<![.!?] )(?<!^)\b[A-Z][a-z]+")
_ABOUT_COMMIT = re.compile(
    r"(?:this|the)\ (?:commit|patch|change|series|pr|pull\ request)\ (?:also\ )?"
    r"(?:adds|allows|changes|cleans|enables|extends|implements|introduces|makes|moves|refactors|removes|updates)\b",
    _FLAGS,
)
"""A sentence that only repeats what the commit shows."""
_OPENING = 32
"""Characters in which a sentence that begins with "The" must name its subject."""
_BEGINS = re.compile(r"[A-Z0-9`\"']|[^\x00-\x7f]|[\w.-]{0,60}[_(/.:0-9-]\w")
"""A capital letter or a name: a text that begins otherwise is a fragment."""
_ONCE = re.compile(
    r"""^(?:do\ not|don't|avoid|always|only|never|prefer|ensure|make\ sure|allow|after|partial)\b
        |\b(?:was|were|had|did|didn't|previous(?:ly)?|currently|used\ to|before|we|us|our|i|this|these|they
        |them|patch|commit|pr)\b""",
    _FLAGS,
)
"""Words that tie a sentence to its time, its authors or its story."""
_ASIDE = re.compile(r"(?:\A|[.!)] )Also\b")
_HISTORY = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|\.\.\.?\Z")
"""A sentence that names a commit is about that commit; one that trails off is unfinished."""
_DANGLES = re.compile(
    r"""(?:[:,;(-]|\b(?:a|an|and|as|at|because|by|e\.g|following|for|from|i\.e|in|like|of|on|or|see|the|to|via|when
        |where|which|with))[.\s]{0,3}\Z""",
    _FLAGS,
)


@cache
def _cues() -> tuple[tuple[float, re.Pattern[str]], ...]:
    # Searching lower-cased text takes half the time of a search that ignores case.
    return tuple((weight, re.compile(rf"\b(?:{words})\b", re.VERBOSE)) for words, weight in _WEIGHTS)


@lru_cache(maxsize=4096)
def sentence_weight(sentence: str) -> float:
    """How much a sentence is worth; below zero it is chatter."""
    lower = sentence.lower()
    weight = sum(weight for weight, words in _cues() if words.search(lower))
    weight += 0.5 if _ANCHOR.search(sentence) else -0.5
    weight -= 1.0 if _DOES.match(sentence) or not _BEGINS.match(sentence) else 0.0
    weight -= 1.0 if _HISTORY.search(sentence) or _ASIDE.search(sentence) else 0.0
    weight -= 2.0 if _ABOUT_COMMIT.match(sentence) else 0.0
    return min(weight - 3.0, 0.0) if sentence.endswith("?") or _DANGLES.search(sentence) else weight


def is_rule(sentence: str) -> bool:
    """Whether a sentence states what holds or is to be done, and can be read alone."""
    alone = _BEGINS.match(sentence) and not needs_context(sentence) and not _DOES.match(sentence)
    # "The upload" refers to one mentioned before, "The GnuTLS version" does not.
    named = _ANCHOR.search(sentence[:_OPENING] if sentence.startswith("The ") else sentence)
    return bool(alone and named and _cues()[0][1].search(sentence.lower())) and not _ONCE.search(sentence)


def needs_context(sentence: str) -> bool:
    """Whether a sentence refers to the one before it."""
    return bool(_NEEDS_CONTEXT.match(sentence))


def begins_with_connective(sentence: str) -> bool:
    """Whether a sentence begins with a word that only connects it to the one before."""
    return bool(_CONNECTIVE.match(sentence))


def without_connective(sentence: str) -> str:
    """A sentence without the connective that it begins with; empty where there is none."""
    found = _CONNECTIVE.match(sentence)
    rest = sentence[found.end() :] if found else ""
    return rest[:1].upper() + rest[1:]


def names_something(sentence: str) -> bool:
    """Whether a sentence names code, a number, or something else by its name."""
    return bool(_ANCHOR.search(sentence))
