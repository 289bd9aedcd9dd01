"""Find corrections in prompts: each is a candidate for a rule, which a person must accept."""

from __future__ import annotations

import re
from typing import NamedTuple

from rum.capture.observe.messages import is_continuation, without_client_tags
from rum.model.ids import id_of
from rum.text.lexicon import word_set
from rum.text.sentences import split_sentences

_MAX_SENTENCE = 240
_MAX_CANDIDATES = 3
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
    """A possible rule: when it applies, what to do, and the sentence it was made from."""

    id: str
    condition: str
    action: str
    source: str


def corrections_in(prompt: str, earlier: str = "") -> list[Candidate]:
    """Return the rules that a prompt may state; `earlier` is the prompt before it."""
    text = without_client_tags(prompt)
    # A longer prompt is mostly a pasted document, whose sentences are not the user's.
    if not text or is_continuation(prompt) or len(text) > 4000:
        return []
    denied = _DENIES.match(text) is not None
    found: list[Candidate] = []
    for at, sentence in enumerate(split_sentences(text, any_case=True)):
        statement = _START.sub("", sentence)
        if not 8 <= len(statement) <= _MAX_SENTENCE or _ASKS.search(statement):
            continue
        lasting = _LASTING.match(statement)
        forbids = _FORBIDS.match(statement) and (earlier or denied)
        directs = _DIRECTS.match(statement) and (
            (denied and at <= 1) or (earlier and _INSTEAD.search(statement))
        )
        if lasting or forbids or directs:
            found.append(_candidate(statement, sentence, earlier))
    return found[:_MAX_CANDIDATES]


def _candidate(statement: str, sentence: str, earlier: str) -> Candidate:
    action = statement[0].upper() + statement[1:].rstrip(" .!")
    words = [
        word
        for word in re.findall(r"[A-Za-z][\w.-]{3,}", without_client_tags(earlier) or statement)
        if word.lower() not in _COMMON
    ]
    condition = " ".join(dict.fromkeys(word.lower() for word in words[:6])) or "*"
    return Candidate(id_of("rule", f"candidate {action.casefold()}"), condition, action, sentence)
