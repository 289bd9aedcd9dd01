"""What a person corrects: a candidate for a rule, never a rule by itself."""

from __future__ import annotations

import re
from typing import NamedTuple

from rum.capture.observe.messages import is_continuation, without_client_tags
from rum.model.ids import id_of
from rum.text.lexicon import word_set
from rum.text.sentences import split_sentences

_LONGEST = 240
_MOST = 3
_START = re.compile(
    r"^\W*(?:no|nope|stop|wait|actually|please|hey|and|also|but|ok(?:ay)?)\b[,.:;!\s]*", re.IGNORECASE
)
_LASTING = re.compile(
    r"^(?:(?:please )?(?:always|never)\b|from now on\b|in (?:this|our) (?:repo|project|code ?base)\b"
    r"|(?:we|you) (?:always|never|must|should(?: not|n['’]t)? ever)\b|remember (?:to|that|not)\b"
    r"|make sure (?:to )?(?:always|never|you))",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"^(?:please )?(?:don['’]?t|do not|stop|avoid|quit)\b (?!worry|know|think|mind|care)", re.IGNORECASE
)
_DIRECTS = re.compile(
    r"^(?:please )?(?:use|prefer|keep|put|run|call|name|write|import|follow|stick (?:to|with)"
    r"|it (?:must|should|has to))\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead(?: of)?|rather than|not)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"^\W*(?:no|nope|stop|wrong|actually|not like (?:that|this))\b(?! problem| worries)", re.IGNORECASE
)
_ASKS = re.compile(r"\?\s*$")
_COMMON = word_set(
    """
    this that with from then when have should would could please make sure always never into your them they
    there what where which need want just also here does don't only some more about after before instead
    """
)


class Candidate(NamedTuple):
    """A rule that somebody may have meant: when, what, and the words it was told in."""

    id: str
    condition: str
    action: str
    said: str


def corrections_in(prompt: str, earlier: str = "") -> list[Candidate]:
    """The rules that a prompt may mean; `earlier` is what was asked for before it."""
    said = without_client_tags(prompt)
    if not said or is_continuation(prompt) or len(said) > 4000:
        return []
    denied = _DENIES.match(said) is not None
    found: list[Candidate] = []
    for at, sentence in enumerate(split_sentences(said, any_case=True)):
        told = _START.sub("", sentence)
        if not 8 <= len(told) <= _LONGEST or _ASKS.search(told):
            continue
        lasting = _LASTING.match(told)
        forbids = _FORBIDS.match(told) and (earlier or denied)
        directs = _DIRECTS.match(told) and ((denied and at <= 1) or (earlier and _INSTEAD.search(told)))
        if lasting or forbids or directs:
            found.append(_candidate(told, sentence, earlier))
    return found[:_MOST]


def _candidate(told: str, sentence: str, earlier: str) -> Candidate:
    action = told[0].upper() + told[1:].rstrip(" .!")
    words = [
        word
        for word in re.findall(r"[A-Za-z][\w.-]{3,}", without_client_tags(earlier) or told)
        if word.lower() not in _COMMON
    ]
    condition = " ".join(dict.fromkeys(word.lower() for word in words[:6])) or "*"
    return Candidate(id_of("rule", f"candidate {action.casefold()}"), condition, action, sentence)
