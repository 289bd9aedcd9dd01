"""Facts that a run stated: which version of what is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from rum.extract.cues import HEDGE
from rum.extract.entities import UNITS
from rum.extract.passage_weight import WeighedPassage
from rum.extract.when_to_use import distinctive
from rum.model.extraction import Kind
from rum.model.layers import GivenFact, GivenRule

MOST = 20
_NOT_NAMES = """
a about above all and are at be below by change commit error exit from has have http in is issue
iteration limit line lines migration needs not of on only or over page part phase port pr process range
round section since size sprint status step task test than the ticket to todo total under until up
version was week with year
"""
"""Words before a number that is no version."""
_USES = """
available based build builds built compatible deployed depends does is only run running runs starts stay stays
supported tested work working works written
"""
"""What comes before "on" and a version that is used."""


def facts_in(judged: Iterable[WeighedPassage]) -> tuple[GivenFact, ...]:
    """A fact for each name with a version, in passages about versions; of two the first one counts."""
    found: dict[str, str] = {}
    for one in judged:
        if not one.fleeting and not one.done and one.weights.get(Kind.DEPENDENCY, 0.0) >= 2:
            for name, version in versions_in(one.passage.text):
                found.setdefault(name, version)
    return tuple(GivenFact(key, value) for key, value in list(found.items())[:MOST])


def versions_in(text: str) -> Iterator[tuple[str, str]]:
    """(name, version) of everything that a text gives a version of, but not of what it speaks against."""
    for match in _versioned().finditer(text):
        name = match["name"].strip(".").lower()
        denied = _denied().search(text[: match.start()]) or _refused().match(text[match.end() :])
        only_there = match["more"] and _only_there(text[: match.start()])
        if name not in _NOT_NAMES.split() and not denied and not only_there:
            yield name, match["version"] + (match["more"] or "").replace(" +", "+")


@cache
def _versioned() -> re.Pattern[str]:
    name = r"(?P<name>@?[A-Za-z][\w.+#/-]{0,60}?)"
    version = rf"(?P<version>v?\d{{1,3}}(?:\.\d{{1,4}}){{0,3}}(?:\.x)?)(?!\d|\.\d|{UNITS})"
    more = r"(?P<more>\s?\+| or (?:newer|later|higher|above))?"
    return re.compile(rf"(?<![\w./@-]){name}(?: version)?(?:@[\^~]?| |==?)`?{version}{more}(?![\w-])")


@cache
def _denied() -> re.Pattern[str]:
    """What stands before a version that is not the one in use."""
    return re.compile(
        r"\b(?:not|no longer|from|than|instead of|reverted to|without|neither) [\w @`]{0,20}$",
        re.IGNORECASE,
    )


def _only_there(before: str) -> bool:
    """Whether a version is where something is done ("raise it on Python 3.11+"), and not what is used."""
    found = _place().search(before)
    return found is not None and found["verb"].lower() not in _USES.split()


@cache
def _place() -> re.Pattern[str]:
    return re.compile(r"\b(?P<verb>\w+) (?:on|under|for|with|in) (?:the )?$", re.IGNORECASE)


@cache
def _refused() -> re.Pattern[str]:
    """What stands after one that cannot be used."""
    return re.compile(
        r" (?:\w+ ){0,2}(?:can't|cannot|can not|is not|isn't|no longer|too (?:old|new)|refuses?|won't|breaks?"
        r"|fails?)\b",
        re.IGNORECASE,
    )


MOST_RULES = 10
_LONGEST_RULE = 300
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


def rules_in(judged: Iterable[WeighedPassage]) -> tuple[GivenRule, ...]:
    """What was told as a rule, in so many words; a rule that says not when holds for what it names."""
    return tuple(dict.fromkeys(rule for one in judged for rule in _rules(one)))[:MOST_RULES]


def _rules(one: WeighedPassage) -> Iterator[GivenRule]:
    text = one.passage.text.strip().rstrip(".")
    if (
        one.fleeting
        or one.passage.kind == "code"
        or len(text) > _LONGEST_RULE
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
