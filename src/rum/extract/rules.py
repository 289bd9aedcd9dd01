"""Find the rules that a run states for the project: what to do, or never to do, and when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rum.extract.cues import CHANGE_HEADING, HEDGE, is_about_this_work, is_personal, without_lead_in
from rum.extract.entities import is_vague
from rum.extract.when_to_use import distinctive_names
from rum.model.layers import GivenRule
from rum.text.lexicon import word_set
from rum.text.terms import content_words

if TYPE_CHECKING:
    from rum.extract.passage_weight import WeighedPassage

_MAX_RULES = 10
_MAX_RULE = 300
_MIN_ACTION = 8
_MAX_NAMES = 4
_MAX_WORDS = 6
_MIN_WORDS = 2  # Words of a condition: one alone fits too many tasks
_VERBS = (
    "add|always|ask|avoid|build|bump|call|change|check|close|commit|copy|create|delete|do|don't|edit"
    "|ensure|export|follow"
    "|generate|go through|import|include|increase|install|keep|log|make|mark|mock|name|never|open|pass"
    "|pin|prefer|put|read"
    "|rebuild|recreate|regenerate|register|remember to|remove|rename|reset|restart|return|run|seed|set"
    "|start|stop|take|tag"
    "|test|throttle|update|use|validate|wait|wrap|write|you (?:must|need to|have to)"
)
_CUE = (
    r"(?:please )?(?:always|never|do not|don['’]t|make sure|be sure to|remember to|ensure(?: that)?"
    r"|avoid \w+ing)"
)
_TIME = r"(?:when(?:ever)?|if|before|after|while|unless)"
_WHEN_FIRST = re.compile(
    rf"^(?P<when>{_TIME} [^,;:]{{4,150}}), (?:then )?(?:please )?(?P<do>(?:{_VERBS})\b.+)", re.IGNORECASE
)
_WHEN_LAST = re.compile(rf"^(?P<do>{_CUE} [^:;]{{4,200}}?) (?P<when>{_TIME} .{{4,150}})", re.IGNORECASE)
# "Run X before pushing": an imperative without a cue needs a moment that comes again.
_IMPERATIVE_LAST = re.compile(
    rf"^(?P<do>(?:{_VERBS})\b .{{3,200}}?) (?P<when>(?:before|after|when(?:ever)?|every time)(?: you)? "
    r"(?:\w+ing|you \w+|commit|push|deploy|release|merge|add|change|edit|touch|bump)\b.{0,120})",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"^(?P<do>{_CUE} .{{4,}})", re.IGNORECASE)
# "All tables must have …", "Handlers never …": a sort of thing, not one thing that must happen to be so.
_SORT = (
    r"(?:(?:all|every|each|any|new|no)\b[\w `./*<>-]{2,60}?|(?:the "
    r"|our )?[\w`./-]+(?: [\w`./-]+){0,3}?(?<![su'i])s`?"
    r"(?: (?:in|under|for|of|on) [\w`./*-]+(?: [\w`./-]+)?)?)"
)
_DECLARED = re.compile(
    rf"^(?:in this (?:repo\w*|project|code ?base),? )?(?P<what>{_SORT}) "
    r"(?:must(?: not| never| always)?|(?:may|can) never|never|always|may not) \w+.*",
    re.IGNORECASE,
)
_IS_ALWAYS = re.compile(
    r"^(?P<what>(?:the |our )?[\w`./-]+(?: [\w`./-]+){0,3}) (?:is|are) (?:always"
    r"|never) .{4,}",
    re.IGNORECASE,
)
_EACH_HAS_TO = re.compile(
    r"^(?P<what>(?:all|every|each)\b[\w `./*<>-]{2,60}?) (?:has|have|needs?) to \w+.{4,}", re.IGNORECASE
)
_WE = re.compile(
    r"^(?:here |in this (?:repo\w*|project|code ?base),? )?(?:we|you) "
    r"(?:always|never|should (?:always|never)) (?P<what>\w+.{4,})|^you must (?!be\b|have\b)(?:not "
    r"|never )?(?P<you>\w+.{4,})",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"^(?!(?:the |an? )?(?:user|customer|visitor|caller)s?\b)(?:the "
    r"|an? )?(?P<what>[\w`./*-]+(?: [\w`./*-]+){0,5}?) must (?:not |never |always |first )?be \w+(?:ed"
    r"|en|t|n)\b.{4,}",
    re.IGNORECASE,
)
# A label in front of a rule: "One thing to know: never …".
_LABEL = re.compile(rf"^[^.:;\"“]{{1,80}}(?::| —| –) +(?=(?:{_CUE}|{_TIME})\b)", re.IGNORECASE)
_NEXT_RULE = re.compile(
    rf"(?:;|,)? (?:and|but|also) (?:also )?(?={_CUE}\b)|; (?=\w)|, (?={_CUE}\b)", re.IGNORECASE
)
_SPEAKER = re.compile(r"^(?:i|then i|so i|first i)\b", re.IGNORECASE)
_PAST_ACTION = re.compile(
    r"\b(?:always|never) (?:(?!need|feed|embed|exceed|proceed|shed|speed|read|spread)\w+ed|saw|ran|had"
    r"|was|were|did|got|went|came"
    r"|took|made|found|knew|gave|left|lost|met|said|told|thought|wrote|broke|built|felt|kept|held|led"
    r"|sent|stood)\b",
    re.IGNORECASE,
)
# A freedom, a comfort, or a saying.
_NO_RULE = re.compile(
    r"\b(?:don['’]t|do not) (?:have|need|worry|know|think|mind|care|see|hesitate|believe|expect|want"
    r"|forget to (?:review|merge))\b"
    r"|\bnever (?:mind|will|hesitate|worry|happen\w*|again)\b|\b(?:i|i'm|i['’]ll|my|me)\b"
    r"|\bmake sure (?:it|this|that) (?:works|passes)\b|\bmake sure (?:the|your) [\w ]+ (?:is"
    r"|are) (?:running|up|started)\b|\bif (?:you (?:want|like|prefer|agree)|needed|necessary|in doubt)\b",
    re.IGNORECASE,
)
# What a program prints, or somebody else said or asked for this time.
_QUOTED = re.compile(
    r"\b\w*(?:Error|Exception|Warning)\b:?|\b(?:error|warning|fatal|failed|output|log|message)\s*:"
    r"|\b(?:says?|said|complains?|prints?|printed|reads|error|message|warn(?:s|ing"
    r"|ed)) (?:that )?[\"“'`:]|^[\"“'>]"
    r"|\b(?:the )?(?:user|customer|reviewer|ticket|issue|docs?|manual|tutorial|prompt|you)(?: \w+)? "
    r"(?:asked|asks|said|says|wants?|wanted|told|requested)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:this (?:pr|pull request|branch|change|patch|commit|fix|release|time|ticket|task|migration|diff)"
    r"|(?:pulling|merging|reviewing|applying|deploying) (?:this|it|the (?:change|fix|patch|branch|pr))"
    r"|to (?:try|test|verify|see|check) (?:it|this|that|the (?:change|fix))|for now|today|right now"
    r"|you merge(?: this)?|before merging|review the (?:diff|pr|changes?))\b",
    re.IGNORECASE,
)


def rules_in(weighed: Iterable[WeighedPassage]) -> tuple[GivenRule, ...]:
    """Return what is worded as a rule of the project; one without a condition applies to what it names."""
    rules: dict[GivenRule, None] = {}
    for one in weighed:
        heading = one.passage.heading
        if one.is_fleeting or one.passage.kind == "code" or (heading and CHANGE_HEADING.search(heading)):
            continue
        rules |= dict.fromkeys(stated_rules(one.passage.text))
    return tuple(rules)[:_MAX_RULES]


def stated_rules(sentence: str) -> list[GivenRule]:
    """The rules that a sentence states; there may be two."""
    return [rule for text in _statements(sentence) if (rule := _rule(text))]


def _statements(text: str) -> Iterator[str]:
    """Yield the parts of a sentence that may each be a rule, without labels before them."""
    if _QUOTED.search(text) or "?" in text:
        return
    plain = _LABEL.sub("", without_lead_in(text.strip().replace("**", "")))
    if _SPEAKER.match(plain):
        return
    start = 0
    for boundary in _NEXT_RULE.finditer(plain):
        part = plain[start : boundary.start()]
        if part.count("`") % 2 == 0 and part.count("(") == part.count(")"):
            yield part.strip()
            start = boundary.end()
    yield plain[start:].strip()


def _rule(text: str) -> GivenRule | None:
    text = text.rstrip(" .!;,")
    if (
        not _MIN_ACTION <= len(text) <= _MAX_RULE
        or HEDGE.search(text)
        or _NO_RULE.search(text)
        or _ONCE.search(text)
    ):
        return None
    if _PAST_ACTION.search(text):
        return None
    if rule := _WHEN_FIRST.match(text) or _WHEN_LAST.match(text) or _IMPERATIVE_LAST.match(text):
        return GivenRule(_sentence(rule["when"]), _sentence(rule["do"]))
    if _ALONE.match(text):
        return _with_condition(text, text)
    if is_about_this_work(text) or (is_personal(text) and not _WE.match(text)):
        return None
    forms = (_WE, _DECLARED, _EACH_HAS_TO, _PASSIVE, _IS_ALWAYS)
    found = next(filter(None, (form.match(text) for form in forms)), None)
    return _with_condition(text, found["what"] or text) if found else None


def _with_condition(text: str, subject: str) -> GivenRule | None:
    """A rule for tasks with the names in it, else with the words of its subject; None if too few."""
    if names := distinctive_names(text)[:_MAX_NAMES]:
        return GivenRule("|".join(names), _sentence(text))
    words = _telling(subject)
    if len(words) < _MIN_WORDS:
        words = _telling(text)
    if len(words) < _MIN_WORDS:
        return None
    return GivenRule(f"When the task is about: {' '.join(words[:_MAX_WORDS])}", _sentence(text))


def _telling(text: str) -> list[str]:
    words = re.findall(r"[A-Za-z][\w'-]+", text)
    return [
        word
        for word in words
        if content_words(word) and not is_vague(word) and word.lower() not in _CUE_WORDS
    ]


_CUE_WORDS = word_set("always never must all every each any new make sure ensure remember avoid don't")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]
