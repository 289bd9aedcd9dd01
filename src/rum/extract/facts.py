"""Find the facts and rules that a run states: versions in use, and what to do in which situation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from rum.extract.cues import HEDGE
from rum.extract.entities import UNITS
from rum.extract.passage_weight import WeighedPassage
from rum.extract.when_to_use import distinctive_names
from rum.model.extraction import FindingKind
from rum.model.layers import GivenFact, GivenRule

_MAX_FACTS = 20
# Words before a number that is not a version.
_NOT_NAMES = """
a about above all and are at be below by change commit error exit from has have http in is issue
iteration limit line lines migration needs not of on only or over page part phase port pr process range
round section since size sprint status step task test than the ticket to todo total under until up
version was week with year
"""
# Verbs before "on" and a version that is in use.
_USING = """
available based build builds built compatible deployed depends does is only run running runs starts stay stays
supported tested work working works written
"""
_PLACE = r"(?i)\b(?P<verb>\w+) (?:on|under|for|with|in) (?:the )?$"
# Words before a version that is not in use, and after one that cannot be used.
_BEFORE_UNUSED = r"(?i)\b(?:not|no longer|from|than|instead of|reverted to|without|neither) [\w @`]{0,20}$"
_AFTER_UNUSABLE = (
    r"(?i) (?:\w+ ){0,2}(?:can't|cannot|can not|is not|isn't|no longer|too (?:old|new)|refuses?|won't|breaks?"
    r"|fails?)\b"
)


def facts_in(weighed: Iterable[WeighedPassage]) -> tuple[GivenFact, ...]:
    """Return a fact for each name with a version, in passages about versions; the first of a name counts."""
    found: dict[str, str] = {}
    for one in weighed:
        if not one.is_fleeting and not one.is_step and one.weights.get(FindingKind.DEPENDENCY, 0.0) >= 2:
            for name, version in versions_in(one.passage.text):
                found.setdefault(name, version)
    return tuple(GivenFact(key, value) for key, value in list(found.items())[:_MAX_FACTS])


def versions_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and version of whatever a text gives a version of, unless it rejects it."""
    for match in _version_pattern().finditer(text):
        name = match["name"].strip(".").lower()
        before, after = text[: match.start()], text[match.end() :]
        rejected = re.search(_BEFORE_UNUSED, before) or re.match(_AFTER_UNUSABLE, after)
        # Only where something applies ("raise it on Python 3.11+"), not what is used.
        place = re.search(_PLACE, before) if match["more"] else None
        is_place = place and place["verb"].lower() not in _USING.split()
        if name not in _NOT_NAMES.split() and not rejected and not is_place:
            yield name, match["version"] + (match["more"] or "").replace(" +", "+")


@cache
def _version_pattern() -> re.Pattern[str]:
    name = r"(?P<name>@?[A-Za-z][\w.+#/-]{0,60}?)"
    version = rf"(?P<version>v?\d{{1,3}}(?:\.\d{{1,4}}){{0,3}}(?:\.x)?)(?!\d|\.\d|{UNITS})"
    more = r"(?P<more>\s?\+| or (?:newer|later|higher|above))?"
    return re.compile(rf"(?<![\w./@-]){name}(?: version)?(?:@[\^~]?| |==?)`?{version}{more}(?![\w-])")


_MAX_RULES = 10
_MAX_RULE = 300
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


def rules_in(weighed: Iterable[WeighedPassage]) -> tuple[GivenRule, ...]:
    """Return what is worded as a rule; a rule without a condition applies to the names in it."""
    rules: dict[GivenRule, None] = {}
    for one in weighed:
        text = one.passage.text.strip().rstrip(".")
        is_doubtful = len(text) > _MAX_RULE or "?" in text or HEDGE.search(text)
        if one.is_fleeting or one.passage.kind == "code" or is_doubtful:
            continue
        if rule := _FIRST.match(text) or _LAST.match(text):
            rules[GivenRule(_sentence(rule["when"]), _sentence(rule["do"]))] = None
        elif _ALONE.match(text) and (names := distinctive_names(text)[:4]):
            rules[GivenRule("|".join(names), _sentence(text))] = None
    return tuple(rules)[:_MAX_RULES]


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]
