"""Find the versions that a run states as in use now, not what it plans, rejects, compares or quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from rum.extract.cues import CHANGE_HEADING, HEDGE
from rum.extract.entities import UNITS
from rum.extract.passage_weight import WeighedPassage
from rum.model.layers import GivenFact
from rum.text.lexicon import word_set

_MAX_FACTS = 20
_MAX_TEXT = 1000
# Words before a number that is not a version.
_NOT_NAMES = word_set(
    """
    a about above all an and any api approach apply are around article at attempt batch be before below
    between bug build by case
    change chapter class commit day error exactly example exit figure for from group has have http https
    in is iso
    issue item iteration least level limit line lines max milestone min migration month most needs
    node-count not
    number of on only option or over page part per phase pick point port pr priority process question
    range release
    rfc room round rule run sample section sha since size sprint stage status step table take task team
    test than that
    the these this those ticket tier to todo top total under until up uses version was week with year
    """
)
# Words of a clause that says something else than what is in use: negations, wishes, plans, the past,
# comparisons, examples, what others do, and where something is true instead of what is used.
_NOT_SO_NOW = re.compile(
    r"""\b(?:not|never|neither|nor|without|cannot|no\ longer|instead\ of|rather\ than|unlike|except|until
    |unless|if|whether|assum\w+|suppos\w+|imagin\w+|hypothetic\w+|were\ we|once|when(?:ever)?
    |would|could|should|might|may|must|ought|will|shall|wants?\ to|wanted|going\ to|hope|hoping|plan(?:s
    |ned|ning)?
    |consider\w*|try|tried|trying|evaluat\w+|candidate|propos\w+|please|suggest\w*|recommend\w*
    |request\w*|asked
    |migrat\w+|mov(?:e|es|ed|ing)|switch\w*|upgrad\w+|downgrad\w+|bump\w*|updat\w+|revert\w*|roll(?:ed
    |ing)?\ back|port(?:ed|ing)
    |was|were|had|did|used\ to|been|previous\w*|former\w*|original\w*|before|earlier|ago|back\ then|old
    |older|legacy|ancient
    |since|introduced|added|removed|dropped|deprecat\w+|landed|arriv\w+|starting\ with
    |e\.g|i\.e|for\ (?:example|instance)|such\ as|like|say|example|sample|fixtures?|mock\w*|stub\w*|dummy
    |placeholder
    |faster|slower|better|worse|than|compared|comparison|versus|vs|between|range|ranges|up\ to|below
    |above|under|less|more\ recent|at\ most
    |up\ through|different\ from|differs?|unlike
    |break(?:s|ing)?|broke|fail(?:s|ed|ing)?|crash\w*|incompatib\w+|conflict\w*|unsupported|refus\w+
    |reject\w*|drops?
    |too\ (?:old|new)|buggy|end[- ]of[- ]life|eol
    |yet|soon|next|later|eventually|someday|tomorrow|yesterday|last\ (?:week|month|year|quarter)|future
    |upcoming
    |todo|draft|rfc|branch|spike|experiment\w*|beta|preview|temporar\w+|locally\ only
    |upstream|other\ (?:projects?|teams?|repos?\w*|services?|apps?)|another|their|theirs|elsewhere
    |sibling|vendor'?s?
    |competitors?|customers?|tutorial|article|blog|docs?\ (?:say|show|mention)|readme\ (?:says?|still)
    |changelog|release\ notes
    |peer\ dependenc\w+|claims?|claimed|says|said|reports?|reported|message|complain\w*)\b
    |n['’]t\b|\?|["“”]|(?<![\w=])[<>]=?\s?v?\d|~\s?\d""",
    re.IGNORECASE | re.VERBOSE,
)
# Verbs for what is in use, and what may stand between them and the name.
_USES = re.compile(
    r"""\b(?:us(?:e|es|ing)|run(?:s|ning)?(?:\ (?:on|under|with|against|in))?|requir(?:e|es|ing)|needs?
    |depends?\ on
    |(?:built|build|builds|based|written|tested|compiled|packaged|deploy(?:s|ed)?|hosted|pinned|locked
    |fixed|set|running|standardi[sz]ed)
      \ (?:with|on|against|for|in|to|at|from)
    |pins?|supports?|targets?|ships?(?:\ with)?|brings|comes\ with|includes?|installs?|provides?|expects?
    |(?:is|are|'re|stays?|remains?|sits?)(?:\ (?:still|now|currently|all|both))?\ (?:on|at|pinned\ (?:to
    |at|on)|based\ on|built\ (?:on|with)
      |compatible\ with|locked\ (?:to|at)|running(?:\ on)?|using|written\ (?:in|for)|tested\ (?:with|on
      |against)|deployed\ (?:on|with|to))
    |compatible\ with|works?\ (?:with|on)|minimum(?:\ (?:is|version\ is))?|at\ least|our\ pinned
    |the\ pinned)
    (?P<rest>[^!?]{0,80})$""",
    re.IGNORECASE | re.VERBOSE,
)
# A verb between the one above and the name: the name belongs to another statement.
_OTHER_VERB = re.compile(
    r"\b(?:is|are|has|have|does|do|can|to \w+|that|which|who|because|so|as|while|but"
    r"|whose)\b",
    re.IGNORECASE,
)
_IS_USED = re.compile(
    r"^(?: (?:or|and) (?:newer|later|higher|above))?\s?\)? (?:is|are) (?:now |still |currently )?"
    r"(?:required|needed|mandatory|used|installed|pinned|in use|supported|the (?:minimum|baseline|floor"
    r"|runtime|target"
    r"|oldest supported|version (?:in use|we use|used)))\b",
    re.IGNORECASE,
)
_PINNED = re.compile(r"\b(?:our|the|is|are|currently|:)? ?pinned $", re.IGNORECASE)
_BEFORE_NOT = re.compile(r"\b(?:not|from|than|without|neither|nor|to|no|or) (?:the )?[`(]?$", re.IGNORECASE)
# What may follow a version in a bare list such as "Python 3.11, Django 4.2 with Redis as broker".
_LIST_GOES_ON = re.compile(
    r"\s*(?:$|[,;/+&)|.(]|and\b|with\b|for\b|on\b|as\b|plus\b|via\b|in\b|because of\b|—|–"
    r"|- )",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|must|may|might|gets?"
    r"|makes?|means|adds?|lacks?)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_MAX_LABEL = 30
_BARE_LABEL = re.compile(rf"^[\w /&*`-]{{1,{_MAX_LABEL}}}: ?$")
# Only where something applies ("raise it on Python 3.11+"), not what is used.
_PLACE = re.compile(r"\b(?P<verb>\w+) (?:on|under|for|with|in) (?:the )?$", re.IGNORECASE)
_PLACE_IN_USE = word_set(
    """
    available based build builds built compatible deploy deployed deploys depends does is only run
    running runs
    starts stay stays supported tested work working works written
    """
)
_CLAUSE_END = re.compile(
    r"; |: (?=\w+ )|\. |, (?=(?:but|while|whereas|although|though|which|whose|who|where|so|because"
    r"|since|as|yet|and (?:we|it|the|then)) )"
    r"| (?=(?:but|while|whereas|although|though|because|since|so that|which|whose) )| [—–-] "
)
_BRACKETS = re.compile(r"\([^()]*\)?")
_VERSIONS_HEADING = re.compile(
    r"\b(?:stack|dependenc|versions?|requirements?|tool|built with|runtime|tech)", re.I
)


class Mention(NamedTuple):
    """A name with a version, and its place in a text."""

    name: str
    version: str
    start: int
    end: int
    is_minimum: bool  # "or newer"
    has_verb: bool  # "is pinned to"


def facts_in(weighed: Iterable[WeighedPassage]) -> tuple[GivenFact, ...]:
    """Return a fact for each name whose version is stated as in use; none for a name with two versions."""
    found: dict[str, list[str]] = {}
    for one in weighed:
        heading = one.passage.heading
        is_doubtful = one.is_fleeting or one.is_step or one.passage.kind == "code"
        if is_doubtful or HEDGE.search(one.passage.text) or (heading and CHANGE_HEADING.search(heading)):
            continue
        for name, version in versions_in(one.passage.text, heading=heading):
            found.setdefault(name, []).append(version)
    facts = [GivenFact(name, versions[0]) for name, versions in found.items() if _agree(versions)]
    return tuple(facts[:_MAX_FACTS])


def _agree(versions: list[str]) -> bool:
    return len({version.partition(" ")[0].rstrip("+") for version in versions}) == 1


def versions_in(text: str, *, heading: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and version of whatever a text states to be in use now."""
    text = text[:_MAX_TEXT].replace("**", "").replace("`", "")
    main = _BRACKETS.sub(lambda found: " " * len(found[0]), text)
    bare = _is_bare_list(main, heading)
    for mention in _mentions(text, heading):
        inside = not main[mention.start : mention.end].strip()
        start, end = _clause(text if inside else main, mention, inside=inside)
        before, after = (text if inside else main)[start : mention.start], text[mention.end : end]
        if _is_stated(before, after, mention, is_bare=bare and not inside):
            yield mention.name, mention.version


def _is_stated(before: str, after: str, mention: Mention, *, is_bare: bool) -> bool:
    """Whether a mention is said to be in use, by the clause before and after it."""
    place = _PLACE.search(before) if mention.is_minimum else None
    if place and place["verb"].lower() not in _PLACE_IN_USE:
        return False
    if _PINNED.search(before):
        return True
    if _BEFORE_NOT.search(before) and not _USES.search(before):
        return False
    if _NOT_SO_NOW.search(before) or _NOT_SO_NOW.search(_BRACKETS.sub(" ", after)):
        return False
    if is_bare or mention.has_verb or _IS_USED.match(after):
        return True
    used = _USES.search(before)
    if used is None or _version_pattern().search(before[: used.start()]):
        return False  # The second: what another product needs
    return not _OTHER_VERB.search(used["rest"])


def _is_bare_list(main: str, heading: str) -> bool:
    """Whether a text only lists names with versions, perhaps after a label, and makes no statement."""
    if _FINITE.search(main):
        return False
    found = list(_mentions(main, heading))
    if not found:
        return False
    opening = main[: found[0].start]
    if opening.strip() and not _BARE_LABEL.match(opening.strip()):
        return False
    return all(_LIST_GOES_ON.match(main, mention.end) for mention in found)


def _clause(text: str, mention: Mention, *, inside: bool) -> tuple[int, int]:
    """Start and end of the clause around a mention; inside brackets that of the brackets."""
    start, end = 0, len(text)
    if inside:
        start = max(text.rfind("(", 0, mention.start) + 1, 0)
        closing = text.find(")", mention.end)
        end = closing if closing >= 0 else end
    for boundary in _CLAUSE_END.finditer(text, start, end):
        if boundary.end() <= mention.start:
            start = boundary.end()
        elif boundary.start() >= mention.end:
            end = boundary.start()
            break
    return start, end


def _mentions(text: str, heading: str) -> Iterator[Mention]:
    is_table = bool(heading and _VERSIONS_HEADING.search(heading))
    for match in _version_pattern().finditer(text):
        name = match["name"].strip(".").lower()
        has_dot = "." in match["version"]
        separator = match["separator"].strip()
        if name in _NOT_NAMES or (separator in (":", "|") and not (has_dot or is_table)):
            continue
        version = match["range"] + match["version"] + (match["more"] or "").replace(" +", "+")
        yield Mention(
            name,
            version,
            match.start(),
            match.end(),
            bool(match["more"]),
            has_verb=" is " in match["separator"] or "s " in match["separator"],
        )


@cache
def _version_pattern() -> re.Pattern[str]:
    name = r"(?P<name>@?[A-Za-z][\w.+#/-]{0,60}?)"
    version = rf"(?P<version>v?\d{{1,3}}(?:\.\d{{1,4}}){{0,3}}(?:\.x)?)(?!\d|\.\d|{UNITS})"
    more = r"(?P<more>\s?\+| or (?:newer|later|higher|above))?"
    separator = (
        r"(?P<separator>@| version | |==?|: | \| | version is | (?:is|stays|remains)"
        r"(?: still| now| currently)?(?: pinned| locked| fixed| kept)? (?:at|to|on)(?: version)? )"
    )
    return re.compile(
        rf"(?<![\w./@-]){name}{separator}(?P<range>[\^~]?){version}{more}(?![\w-]|:\d|\s?[–-]\s?v?\d)"
    )
