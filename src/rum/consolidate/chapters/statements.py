"""The claims of a memory: learnings, patterns, approach, sentences of its context; each with its weight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from rum.consolidate.chapters.members import goal_line, short_line
from rum.model.memory import Memory
from rum.model.memory_layers import TaskType
from rum.text.fence import gives_orders
from rum.text.sentences import is_prose, prose_sentences
from rum.text.shorten import one_line
from rum.text.word_weights import telling_words

LONGEST_CLAIM = 360  # Characters of a claim
LONGEST_GOAL = 120  # Characters of a goal inside a claim
WORK_MARK = " — "  # Separates, in a claim, the work from the statement about it
FEWEST_WORDS = 2  # Telling words of a claim
MOST = 8  # Claims of one memory


class ClaimKind(StrEnum):
    """The source of a claim: the given text of a chapter, or a field of a memory."""

    GIVEN = "given"
    LEARNED = "learned"
    NOTICED = "noticed"
    FAILED = "failed"
    CHOSEN = "chosen"
    STORY = "story"


class Statement(NamedTuple):
    """A claim with its weight and the memories that make it."""

    text: str
    kind: ClaimKind
    weight: float
    memory_ids: tuple[str, ...]


_WEIGHT = {
    ClaimKind.GIVEN: 3.5,
    ClaimKind.LEARNED: 3.0,
    ClaimKind.NOTICED: 2.0,
    ClaimKind.FAILED: 2.5,
    ClaimKind.CHOSEN: 1.5,
    ClaimKind.STORY: 0.0,
}
_HIGHEST_WEIGHT = 4.0
_MOST_READ = 20
_READ = 2000  # Characters that are read of a text too long for a claim
_MERGE = re.compile(r"merge (?:pull request|branch|remote|tag)\b", re.IGNORECASE)  # A goal that names no work
_SMALL = (TaskType.REFACTOR, TaskType.DOCUMENTATION, TaskType.TEST_WRITE)
_SMALLER = 0.3  # Taken off for the reasons of small work, which are seldom asked for again
_RULE = 0.25  # Added for a sentence that holds without the work around it
_LATER = 0.05  # Taken off for each sentence before it: the most important comes first


def statements_of(memory: Memory) -> list[Statement]:
    """The claims of a memory, best first."""
    found = [Statement(text, kind, weight, (memory.id,)) for kind, text, weight in _claims(memory)]
    best = sorted(found, key=lambda one: (-one.weight, one.text))
    different = {one.text: one for one in reversed(best) if is_meaningful(one.text)}
    return list(reversed(different.values()))[:MOST]


def goal_of(memory: Memory) -> str:
    """A memory's goal, short enough for a claim."""
    return goal_line(memory, LONGEST_GOAL).rstrip(".")


def _claims(memory: Memory) -> Iterator[tuple[ClaimKind, str, float]]:
    """Every claim with its kind and weight."""
    for text in memory.outcome.learnings[:_MOST_READ]:
        yield weigh_claim(ClaimKind.LEARNED, _claim_text(text))
    for text in memory.perception.patterns_noticed[:_MOST_READ]:
        yield weigh_claim(ClaimKind.NOTICED, _claim_text(text))
    if not memory.outcome.success:
        return  # the reasons for the approach have been refuted
    reasoning = memory.reasoning
    approach = short_line(reasoning.approach_chosen, LONGEST_GOAL).rstrip(".")
    why = _claim_text(reasoning.why_chosen)
    if approach and is_meaningful(why):
        yield weigh_claim(ClaimKind.CHOSEN, f"{approach}{WORK_MARK}{why}")
    small = _SMALLER if memory.intent.task_type in _SMALL else 0.0
    goal_words = telling_words(memory.intent.goal)
    for sentence, weight in _best(memory.intent.context, ENOUGH)[:2]:
        if len(telling_words(sentence) - goal_words) < FEWEST_WORDS:
            continue  # it only repeats the goal
        alone = is_rule(sentence) or bool(_MERGE.match(memory.intent.goal))
        text = sentence if alone else f"{goal_of(memory)}{WORK_MARK}{sentence}"
        yield ClaimKind.STORY, text, weight / 2 - small + (_RULE if alone else 0.0)


def weigh_claim(kind: ClaimKind, text: str) -> tuple[ClaimKind, str, float]:
    """A claim with its kind and weight."""
    return kind, text, _WEIGHT[kind] + max(0.0, min(sentence_weight(text), _HIGHEST_WEIGHT)) / 4


def is_meaningful(text: str) -> bool:
    """Whether a text has enough words for a claim, and does not instruct a model."""
    return len(telling_words(text)) >= FEWEST_WORDS and not gives_orders(text)


def _claim_text(text: str) -> str:
    """A text that was written as a claim; of a long one the weightiest sentence."""
    line = one_line(text[: 4 * LONGEST_CLAIM])
    if len(line) <= LONGEST_CLAIM:
        return line
    found = _best(text[:_READ], 0.0)
    return found[0][0] if found else short_line(text, LONGEST_CLAIM)


def _best(text: str, least: float) -> list[tuple[str, float]]:
    """The weightiest sentences of a text, best first, each with those it refers to."""
    lines = [one_line(sentence) for sentence in prose_sentences(text)]
    found: list[tuple[str, float]] = []
    for number, sentence in enumerate(lines):
        if not SHORTEST <= len(sentence) <= LONGEST or not is_prose(sentence):
            continue
        if whole := _with_context(lines, number):
            # The sentence before may name the subject.
            named = bool(_ANCHOR.search(whole)) - bool(_ANCHOR.search(sentence))
            found.append((whole, sentence_weight(sentence) + named - _LATER * number))
    return sorted((one for one in found if one[1] >= least), key=lambda one: (-one[1], one[0]))


def _with_context(lines: Sequence[str], number: int) -> str:
    """A sentence with those before it that it refers to; if that is too long, alone without its connective.

    Empty where it cannot be read alone.
    """
    whole = lines[number]
    for before in reversed(lines[:number]):
        if not needs_context(whole):
            break
        both = f"{before} {whole}"
        if len(both) > LONGEST or not is_prose(before) or not before.endswith((".", "!", ")")):
            return _alone(whole)
        whole = both
    return _alone(whole) if _CONNECTIVE.match(whole) else whole


def _alone(text: str) -> str:
    """A text without the connective that it begins with; empty if it needs more context than that."""
    found = _CONNECTIVE.match(text)
    rest = text[found.end() :] if found else ""
    rest = rest[:1].upper() + rest[1:]
    return "" if needs_context(rest) else rest


ENOUGH = 2.0  # The minimum weight of a sentence to count as a claim if it is not recorded as a learning
SHORTEST, LONGEST = 28, 300  # Characters of a sentence

_RULE_WORDS = r"""
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
    | should\ (?:now\ |also\ )?(?:help|be\ (?:enough|fine|ok|okay|safe)|suffice|work)
    | i\ (?:think|guess|assume|believe) | hopefully | not\ sure | afai[uk] | afaict | iirc | in\ the\ hope
"""
_PLAN = r"""
    todo | tbd | in\ the\ future | for\ now | follow-?ups? | preparation | prepare\ for | next\ step
    | plan(?:s|ned)?\ to | let's | we'll | (?:may|might)\ want | re-?open
"""
_TALK = r"""
    thanks? | sorry | (?:spotted|reported|found|suggested|pointed\ out|requested)\ by | see\ (?:also|\#)
    | verif(?:y|ied)\ (?:in|with|by) | as\ (?:reported|discussed|mentioned)
    | (?:pull|merge)\ request\ [\#!]\d+(?=:)
"""
_SELF = r"i | i'm | i've | i'd | my"
_WEIGHTS = {
    2.0: (_RULE_WORDS, _CAUSE),
    1.5: (_FAULT,),
    1.0: (_PURPOSE, _FACT),
    -1.0: (_HEDGE, _PLAN, _SELF),
    -3.0: (_TALK,),
}
_FLAGS = re.IGNORECASE | re.VERBOSE
_NEEDS_CONTEXT = re.compile(
    r"""(?:this|that|these|those|it|its|they|their|them|there|he|she|both|each|such|so|also|then|thus|hence|however
        |but|and|or|otherwise|instead|to|for|by|with|without|which|because|since|as|where|when|another|same
        |the\ (?:latter|former|later|firsts|others?|same|rest|above|change|patch|fix|commit|code)
        |the\ (?:issue|problem)|previously|before|prior|now|here|not|in\ (?:this|that|such|addition)
        |additionally|furthermore|moreover|therefore|if|during|say|imagine|suppose|consider|for\ example
        |unfortunately|actually|similarly|likewise|apparently|e\.g|i\.e)\b""",
    _FLAGS,
)
# A word that connects a sentence to the one before, and can be left out.
_CONNECTIVE = re.compile(r"(?:and|but|however|so|then|yet),? (?=[^\W\d_`\"'(])", re.IGNORECASE)
_DOES = re.compile(
    r"""(?:also[:,]?\ |[\w./-]{1,40}:\ )?
        (?:accept|add|adapt|adjust|allow|apply|bump|call|cast|change|check|clean|clear|close|convert|define|delete
        |detect|disable|document|drop|enable|extend|fix|free|handle|improve|increase|introduce|keep|limit|make|map
        |mask|mention|merge|move|pass|refactor|reject|remove|rename|replace|reset|return|run|set|simplify|skip
        |split|store|switch|sync|tidy|update|use|verify|wrap)(?:e?s|e?d|ing)?\b""",
    _FLAGS,
)
_ANCHOR = re.compile(r"`|\w_\w|\w\(\)|\d|[a-z][A-Z]|\b[A-Z]{3,}\b|\w[/.]\w|::|(?<![.!?] )(?<!^)\b[A-Z][a-z]+")
# A sentence that only repeats what the commit shows.
_ABOUT_COMMIT = re.compile(
    r"(?:this|the)\ (?:commit|patch|change|series|pr|pull\ request)\ (?:also\ )?"
    r"(?:adds|allows|changes|cleans|enables|extends|implements|introduces|makes|moves|refactors|removes|updates)\b",
    _FLAGS,
)
_OPENING = 32  # Characters in which a sentence that begins with "The" must name its subject
# A capital letter or a name: a text that begins otherwise is a fragment.
_BEGINS = re.compile(r"[A-Z0-9`\"']|[^\x00-\x7f]|[\w.-]{0,60}[_(/.:0-9-]\w")
# Words that tie a sentence to its time, its authors or its story.
_ONCE = re.compile(
    r"""^(?:do\ not|don't|avoid|always|only|never|prefer|ensure|make\ sure|allow|after|partial)\b
        |\b(?:was|were|had|did|didn't|previous(?:ly)?|currently|used\ to|before|we|us|our|i|this|these|they
        |them|patch|commit|pr)\b""",
    _FLAGS,
)
_ASIDE = re.compile(r"(?:\A|[.!)] )Also\b")
# A sentence that names a commit is about that commit; one that trails off is unfinished.
_HISTORY = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b|\.\.\.?\Z")
_DANGLES = re.compile(
    r"""(?:[:,;(-]|\b(?:a|an|and|as|at|because|by|e\.g|following|for|from|i\.e|in|like|of|on|or|see|the|to|via|when
        |where|which|with))[.\s]{0,3}\Z""",
    _FLAGS,
)


@cache
def _cues() -> tuple[tuple[float, re.Pattern[str]], ...]:
    # Searching lower-cased text takes half the time of a search that ignores case.
    return tuple(
        (weight, re.compile(rf"\b(?:{cue})\b", re.VERBOSE))
        for weight, cues in _WEIGHTS.items()
        for cue in cues
    )


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


def tells_what_it_does(sentence: str) -> bool:
    """Whether a sentence begins with the verb of a change, such as "Add" or "Fixes"."""
    return bool(_DOES.match(sentence))


def needs_context(sentence: str) -> bool:
    """Whether a sentence refers to the one before it."""
    return bool(_NEEDS_CONTEXT.match(sentence))
