"""Rules that a run stated: what to do, or never to do, and when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rum.extract.passage_weight import Judged
from rum.extract.tone import HEDGE
from rum.extract.when_to_use import distinctive
from rum.model.facts import GivenRule

MOST = 10
_LONGEST = 300
_VERBS = (
    "add|always|avoid|build|call|change|check|close|commit|create|do|don't|edit|ensure|export|import|include|increase|install"
    "|keep|make|never|pass|pin|prefer|put|read|rebuild|recreate|regenerate|remove|rename|reset|restart|run|set|start|stop|take"
    "|test|throttle|update|use|wait|wrap|write"
)
_FIRST = re.compile(
    rf"^(?P<when>(?:when(?:ever)?|if|before|after|while) [^,;:]{{4,150}}), (?:then )?"
    rf"(?P<do>(?:{_VERBS})\b.+)",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"^(?P<do>(?:always|never|do not|don't) .{4,200}?) "
    r"(?P<when>(?:when(?:ever)?|if|before|after|while|unless) .{4,150})",
    re.IGNORECASE,
)
_ALONE = re.compile(r"^(?P<do>(?:always|never|do not|don't) .{4,})", re.IGNORECASE)


def rules_in(judged: Iterable[Judged]) -> tuple[GivenRule, ...]:
    """What was told as a rule, in so many words; a rule that says not when holds for what it names."""
    return tuple(dict.fromkeys(rule for one in judged for rule in _rules(one)))[:MOST]


def _rules(one: Judged) -> Iterator[GivenRule]:
    text = one.passage.text.strip().rstrip(".")
    if (
        one.fleeting
        or one.passage.kind == "code"
        or len(text) > _LONGEST
        or HEDGE.search(text)
        or "?" in text
    ):
        return
    stated = _FIRST.match(text) or _LAST.match(text)
    if stated:
        yield GivenRule(_sentence(stated["when"]), _sentence(stated["do"]))
    elif _ALONE.match(text) and (names := distinctive(text)[:4]):
        yield GivenRule("|".join(names), _sentence(text))


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]
