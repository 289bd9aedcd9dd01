"""How much a sentence tells that is worth knowing later: a rule, a cause, a fault, a purpose, a fact."""

from __future__ import annotations

import re
from functools import cache, lru_cache

ENOUGH = 2.0
"""So telling must a sentence be that nobody wrote down as a learning."""
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
_LEANS = re.compile(
    r"""(?:this|that|these|those|it|its|they|their|them|there|he|she|both|each|such|so|also|then|thus|hence|however
        |but|and|or|otherwise|instead|to|for|by|with|without|which|because|since|as|where|when|another|same
        |the\ (?:latter|former|other|same|rest|above|change|patch|fix|commit|code|issue|problem)
        |previously|before|prior|now|here|not|in\ (?:this|that|such|addition)
        |additionally|furthermore|moreover|therefore|if|during|say|imagine|suppose|consider|for\ example
        |unfortunately|actually|similarly|likewise|apparently|e\.g|i\.e)\b""",
    _FLAGS,
)
_TIE = re.compile(r"(?:and|but|however|so|then|yet),? (?=[^\W\d_`\"'(])", re.IGNORECASE)
"""What ties a sentence to the one before it, and can be left out."""
_DOES = re.compile(
    r"""(?:also[:,]?\ |[\w./-]{1,40}:\ )?
        (?:accept|add|adapt|adjust|allow|apply|bump|call|cast|change|check|clean|clear|close|convert|define|delete
        |detect|disable|document|drop|enable|extend|fix|free|handle|improve|increase|introduce|keep|limit|make|map
        |mask|mention|merge|move|pass|refactor|reject|remove|rename|replace|reset|return|run|set|simplify|skip
        |split|store|switch|sync|tidy|update|use|verify|wrap)(?:e?s|e?d|ing)?\b""",
    _FLAGS,
)
_ANCHOR = re.compile(r"`|\w_\w|\w\(\)|\d|[a-z][A-Z]|\b[A-Z]{3,}\b|\w[/.]\w|::|(?<![.!?] )(?<!^)\b[A-Z][a-z]+")
_OF_THE_COMMIT = re.compile(
    r"(?:this|the)\ (?:commit|patch|change|series|pr|pull\ request)\ (?:also\ )?"
    r"(?:adds|allows|changes|cleans|enables|extends|implements|introduces|makes|moves|refactors|removes|updates)\b",
    _FLAGS,
)
"""What was done, as anybody sees who looks at it."""
_SOON = 32
_BEGINS = re.compile(r"[A-Z0-9`\"']|[^\x00-\x7f]|[\w.-]{0,60}[_(/.:0-9-]\w")
"""A capital letter, or a name: what begins otherwise is a part of something."""
_ONCE = re.compile(
    r"""^(?:do\ not|don't|avoid|always|only|never|prefer|ensure|make\ sure|allow|after|partial)\b
        |\b(?:was|were|had|did|didn't|previous(?:ly)?|currently|used\ to|before|we|us|our|i|this|these|they
        |them|patch|commit|pr)\b""",
    _FLAGS,
)
"""What was so then, who did it, and what only the reader of that story knows how to take."""
_ASIDE = re.compile(r"(?:\A|[.!)] )Also\b")
_HISTORY = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|\.\.\.?\Z")
"""What names a commit tells of that commit; what trails off was not meant to last."""
_DANGLES = re.compile(
    r"""(?:[:,;(-]|\b(?:a|an|and|as|at|because|by|e\.g|following|for|from|i\.e|in|like|of|on|or|see|the|to|via|when
        |where|which|with))[.\s]{0,3}\Z""",
    _FLAGS,
)


@cache
def _cues() -> tuple[tuple[float, re.Pattern[str]], ...]:
    # In lower letters alone a search takes half the time that it takes in any.
    return tuple((weight, re.compile(rf"\b(?:{words})\b", re.VERBOSE)) for words, weight in _WEIGHTS)


@lru_cache(maxsize=4096)
def weight_of(sentence: str) -> float:
    """How telling a sentence is; below zero it is talk."""
    lower = sentence.lower()
    weight = sum(weight for weight, words in _cues() if words.search(lower))
    weight += 0.5 if _ANCHOR.search(sentence) else -0.5
    weight -= 1.0 if _DOES.match(sentence) or not _BEGINS.match(sentence) else 0.0
    weight -= 1.0 if _HISTORY.search(sentence) or _ASIDE.search(sentence) else 0.0
    weight -= 2.0 if _OF_THE_COMMIT.match(sentence) else 0.0
    return min(weight - 3.0, 0.0) if sentence.endswith("?") or _DANGLES.search(sentence) else weight


def is_rule(sentence: str) -> bool:
    """Whether a sentence says what holds or is to be done now, in words that need nothing before them."""
    stands = _BEGINS.match(sentence) and not leans(sentence) and not _DOES.match(sentence)
    # "The upload" is one that was spoken of, "The GnuTLS version" is not.
    named = _ANCHOR.search(sentence[:_SOON] if sentence.startswith("The ") else sentence)
    return bool(stands and named and _cues()[0][1].search(sentence.lower())) and not _ONCE.search(sentence)


def leans(sentence: str) -> bool:
    """Whether a sentence leans on what was said before it."""
    return bool(_LEANS.match(sentence))


def begins_with_tie(sentence: str) -> bool:
    """Whether a sentence begins with a word that only ties it to the one before."""
    return bool(_TIE.match(sentence))


def untied(sentence: str) -> str:
    """A sentence without the word that only ties it to the one before; nothing where there is none."""
    tie = _TIE.match(sentence)
    rest = sentence[tie.end() :] if tie else ""
    return rest[:1].upper() + rest[1:]


def is_anchored(sentence: str) -> bool:
    """Whether a sentence names something by which it can be found again."""
    return bool(_ANCHOR.search(sentence))
