"""Find the rules that a run states for the project: what to do, or never to do, and when."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rum.extract.cues import (
    CHANGE_HEADING,
    HEDGE,
    any_of,
    is_about_this_work,
    is_personal,
    without_lead_in,
)
from rum.extract.entities import has_names, is_vague
from rum.extract.when_to_use import any_name, distinctive_names
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
_VERBS = any_of(
    """
    add always apply avoid build bump call change check close commit copy create delete do don't edit ensure
    export follow format generate go_through import include increase install keep log make mark mock name
    never open pass pin prefer put rebuild recreate regenerate register remember_to remove rename reset
    restart return run seed set start stop take tag test throttle update use validate wait wrap write
    you_(?:must|need_to|have_to)
    """
)
_CUE = (
    r"(?:please )?(?:always|never|do not|don['’]t|make sure|be sure to|remember to|ensure(?: that)?"
    r"|avoid \w+ing)"
)
_TIME = r"(?:when(?:ever)?|if|before|after|while|unless|every time)"
# A moment that comes again for everybody who works on the project; "after the deploy" is the next one only.
_AGAIN = (
    rf"{_TIME} (?:(?:ever )?(?!according|being|having|seeing|getting)\w+ing\b|you (?!have|see|want|like"
    r"|prefer|agree|get|notice|find|hit|object|are|run into)\w+"
    r"|(?:commit|push|deploy|release|merge|add|change|edit|touch|bump)\b"
    r"|(?:an?|any|another|every|one of the|the) [\w `./*-]{2,60}? (?:changes?"
    r"|(?:is|are|was|gets?|has been) (?:added|changed|edited|renamed|removed|deleted|touched|created"
    r"|regenerated))\b)"
)
_WHEN_FIRST = re.compile(
    rf"^(?P<when>{_AGAIN}[^,;:]{{0,150}}), (?:then )?(?:please )?(?P<do>{_VERBS}\b.+)", re.IGNORECASE
)
_WHEN_LAST = re.compile(rf"^(?P<do>{_CUE} [^:;]{{4,200}}?) (?P<when>{_TIME} .{{4,150}})", re.IGNORECASE)
# "Run X before pushing": an imperative without a cue needs a moment that comes again, and a name.
_IMPERATIVE_LAST = re.compile(
    rf"^(?P<do>{_VERBS}\b .{{3,200}}?) (?P<when>(?!if|while|unless){_AGAIN}.{{0,120}})", re.IGNORECASE
)
_ALONE = re.compile(rf"^(?P<do>{_CUE} .{{4,}})", re.IGNORECASE)
# "All tables must have …", "Handlers never …": a sort of thing in the code, not one thing, nor the users.
_CODE_NOUN = any_of(
    """
    access adapters? amounts? apis? arguments? assets? branch(?:es)? buckets? builds? caches? calls?
    certificates? changes? charts? class(?:es)? clients? columns? commands? commits? components? configs?
    connections? constants? consumers? containers? controllers? credentials? dags? dashboards? dates?
    decorators? dependenc(?:y|ies) deploy(?:ment)?s? dialogs? documents? dtos? endpoints? entit(?:y|ies)
    enums? errors? events? exceptions? exports? factor(?:y|ies) features? fields? files? fixtures? flags?
    forms? functions? handlers? helpers? hooks? icons? images? imports? instances? index(?:es)? interfaces?
    jobs? keys? labels? layers? librar(?:y|ies) lines? links? locks? logs? mails? manifests? messages?
    methods? metrics? middlewares? migrations? mocks? models? modules? names? notebooks? numbers? objects?
    packages? pages? parameters? partitions? paths? payloads? permissions? plugins? pods? polic(?:y|ies)
    prices? props producers? prs? quer(?:y|ies) queues? reducers? releases? repositor(?:y|ies) requests?
    resolvers? resources? responses? retr(?:y|ies) roles? routes? rows? schedules? schemas? screens?
    scripts? secrets? seeds? selectors? serializers? services? sessions? settings? snapshots? specs? stores?
    streams? strings? structs? styles? subjects? subclass(?:es)? tables? tags? tasks? templates? tests?
    texts? threads? timestamps? tokens? topics? transactions? translations? triggers? types? uploads? urls?
    validators? values? variables? vars? versions? views? webhooks? widgets? workers? workflows? writes?
    """
)
_THING = rf"(?:[\w`./*<>'-]+ ){{0,4}}?(?:{_CODE_NOUN}|`[^`]+`|[\w-]+[/.][\w./-]+)"
_SORT = (
    rf"(?:(?:all|every|each|any|new|no|only)\b(?: new)? {_THING}|(?:the |our )?(?:[\w`./-]+ ){{0,3}}?"
    rf"(?={_CODE_NOUN}\b)\w+(?<![su'i])s)(?: (?:in|under|for|of|on|outside|to"
    rf"|without) [\w`./*-]+(?: [\w`./-]+)?"
    r"| (?:that|which) [\w `./-]{3,40}?)?"
)
_DECLARED = re.compile(
    rf"^(?:in this (?:repo\w*|project|code ?base),? )?(?P<what>{_SORT}) "
    r"(?:must(?: not| never| always)?|(?:may|can) never|never|always|may not|(?:has|have|needs?) to"
    r"|needs? an? (?=`))"
    r" (?!(?:have|has) (?:been|come|gone|\w+ed)\b)\w+.*",
    re.IGNORECASE,
)
_NONE_MAY = re.compile(rf"^(?P<what>no {_THING}) (?:may|can|should) \w+.{{4,}}", re.IGNORECASE)
_SORTS = re.compile(r"(?:new|all|every|each|any)\b", re.IGNORECASE)
_WE = re.compile(
    r"^(?:here |in this (?:repo\w*|project|code ?base),? )?(?:we|you) "
    r"(?:always|never|should (?:always|never)) (?P<what>\w+.{4,})|^you must (?!be\b|have\b)(?:not "
    r"|never )?(?P<you>\w+.{4,})",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    rf"^(?:the |an? )?(?P<what>{_THING}(?: (?:in|under|for|of|on) [\w`./*-]+)?) (?:must (?:not |never "
    rf"|always "
    r"|first )?be|(?:is|are) never) \w+(?:ed|en|t|n)\b.{4,}",
    re.IGNORECASE,
)
# "Money is always an integer": a sort of thing again, and not what is the matter with it.
_IS_ALWAYS = re.compile(
    r"^(?!(?:the|an?|this|that|it|there)\b)(?P<what>[\w`./-]+(?: [\w`./-]+){0,2}) (?:is|are) (?:always"
    r"|never) "
    r"(?!missing|empty|null|zero|slow|true|false|wrong|the same|called|there|set|none)(?:an?|in|kept"
    r"|stored|written"
    r"|passed|sent|read|made|built|created|generated|edited|changed|committed|imported|given) .{3,}",
    re.IGNORECASE,
)
_NEVER_THAT = re.compile(r"^(?:use|prefer|keep|put|write) .{4,}, never .{3,}", re.IGNORECASE)
# A label in front of a rule: "One thing to know: never …".
_LABEL = re.compile(rf"^[^.:;\"“]{{1,80}}(?::| —| –) +(?=(?:{_CUE}|{_TIME})\b)", re.IGNORECASE)
_NEXT_RULE = re.compile(
    rf"(?:;|,)? (?:and|but|also) (?:also )?(?={_CUE}\b)|; (?=\w)|, (?={_CUE}\b)", re.IGNORECASE
)
_CODE = re.compile(r"`[^`]*`")
_SPEAKER = re.compile(r"^(?:i|then i|so i|first i)\b", re.IGNORECASE)
_PAST_ACTION = re.compile(
    r"\b(?:always|never) (?:(?!need|feed|embed|exceed|proceed|shed|speed|read|spread)\w+ed|saw|seen|ran|had"
    r"|was|were|did|got|went|came|took|made|found|knew|gave|left|lost|met|said|told|thought|wrote|broke"
    r"|built|felt"
    r"|kept|held|led|sent|stood)\b",
    re.IGNORECASE,
)
# A freedom, a comfort, a saying, or what a user of the product has to do.
_NO_RULE = re.compile(
    r"\b(?:don['’]t|do not) (?:have|need|worry|know|think|mind|care|see|hesitate|believe|expect|want|be"
    r"|forget to"
    r" (?:review|merge))\b|\bnever (?:mind|will|hesitate|worry|happen\w*|again)\b|\b(?:i|i'm|i['’]ll|my|me)\b"
    r"|\bmake sure (?:it|this|that) (?:works|passes)\b|\bmake sure (?:the|your) [\w ]+ (?:is"
    r"|are) (?:running|up|started|reachable|available)\b"
    r"|\bif (?:you (?:want|like|prefer|agree)|needed|necessary|in doubt)\b"
    r"|^(?:(?:all|every|each|any|new|the|an?) )*(?:user|customer|visitor|caller|tester|reviewer)s?(?![\w-])",
    re.IGNORECASE,
)
_WHY = re.compile(r": | because |,? since |, as ")
_QUOTED = re.compile(
    r"\b\w*(?:Error|Exception|Warning)\b:?|\b(?:error|warning|fatal|failed|output|log|message)\s*:|[\"“”]"
    r"|^['>]",
    re.IGNORECASE,
)
# What somebody else said, a proposal, a supposition, or a denial.
_NOT_STATED = re.compile(
    r"\b(?:says?|said|tells?|told|claim\w*|complains?|prints|printed|reads|warn(?:s|ing|ed)|asks?|asked"
    r"|wants?"
    r"|wanted|request(?:s|ed)|requires that|according to|wondered|whether)\b"
    r"|\b(?:rfc|wiki|tutorial|blog|guide|manual|vendor|competitor\w*|other (?:repo\w*"
    r"|team|project)s?)\b|\b(?:suggest\w*|propos\w*|alternative\w*|options?(?: is|:)|idea|todo"
    r"|recommend\w*|would"
    r"|could|wrong to|not true|no rule|in theory|back then|used to|until (?:last|recently)|reproduc\w*)\b"
    r"|^(?:should|suppose|imagine|if we)\b|^in (?-i:[A-Z])\w+,? (?:you|we|one|all|an?|never|always)\b",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:this (?:pr|pull request|branch|change|patch|commit|fix|release|time|ticket|task|migration"
    r"|diff|one)"
    r"|(?:pulling|merging|reviewing|applying|deploying) (?:this|it|the (?:change|fix|patch|branch|pr))"
    r"|to (?:try|test|verify|see|check|compare|confirm|demonstrate)|for now|today|right now|once merged"
    r"|must now|this$|failed|broke|crashed|your own|once more|log in"
    r"|you merge(?: this)?|^before merging|review the (?:diff|pr|changes?)|(?:upgrading|migrating|moving"
    r"|switching) to)\b",
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
    plain = _LABEL.sub("", without_lead_in(sentence.strip().replace("**", "")))
    # What is said for a reason, after the rule, may be about others.
    heads = (_WHY.split(_CODE.sub("``", text), maxsplit=1)[0] for text in (sentence, plain))
    if "?" in sentence or _QUOTED.search(_CODE.sub("``", sentence)) or _SPEAKER.match(plain):
        return []
    if any(map(_NOT_STATED.search, heads)):
        return []
    first, *others = _parts(plain)
    texts = [first]
    for part in others:
        if _rule(part) and _rule(texts[-1]):
            texts.append(part)
        else:  # It belongs to the one before: "Don't call fetch() directly; use useApi()"
            start = plain.index(texts[-1])
            texts[-1] = plain[start : plain.index(part, start) + len(part)]
    return [rule for text in texts if (rule := _rule(text))]


def _parts(plain: str) -> Iterator[str]:
    """Yield the parts of a sentence that may each be a rule."""
    start = 0
    for boundary in _NEXT_RULE.finditer(plain):
        part = plain[start : boundary.start()]
        if part.count("`") % 2 == 0 and part.count("(") == part.count(")"):
            yield part.strip()
            start = boundary.end()
    yield plain[start:].strip()


def _rule(text: str) -> GivenRule | None:
    text = text.rstrip(" .!;,")
    doubts = (HEDGE, _NO_RULE, _ONCE, _PAST_ACTION)
    if not _MIN_ACTION <= len(text) <= _MAX_RULE or any(doubt.search(text) for doubt in doubts):
        return None
    if rule := _WHEN_FIRST.match(text) or _WHEN_LAST.match(text):
        return GivenRule(_sentence(rule["when"]), _sentence(rule["do"]))
    if (rule := _IMPERATIVE_LAST.match(text)) and has_names(rule["do"]):
        return GivenRule(_sentence(rule["when"]), _sentence(rule["do"]))
    if _ALONE.match(text) or (_NEVER_THAT.match(text) and has_names(text)):
        return _with_condition(text, text)
    if declared := _DECLARED.match(text) or _NONE_MAY.match(text):
        is_new = _SORTS.match(text)  # "New settings need to be added to …" is about all of them
        return None if is_about_this_work(text) and not is_new else _with_condition(text, declared["what"])
    if is_about_this_work(text) or (is_personal(text) and not _WE.match(text)):
        return None
    found = _WE.match(text) or _PASSIVE.match(text) or _IS_ALWAYS.match(text)
    return _with_condition(text, found["what"] or text) if found else None


def _with_condition(text: str, subject: str) -> GivenRule | None:
    """A rule for tasks with the names in it, else with the words of its subject; None if too few."""
    if names := distinctive_names(text)[:_MAX_NAMES]:
        return GivenRule(any_name(names), _sentence(text))
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
