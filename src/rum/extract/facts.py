"""Find the versions that a run states as in use in this project now, not those of others, planned or past.

A version becomes a fact only in three forms: "<part of the project> uses <name> <version>", "<name> <version>
is required", or a list of versions under a heading such as "Stack". What is not surely meant so is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from rum.extract.cues import CHANGE_HEADING, HEDGE, any_of
from rum.extract.entities import UNITS, is_common, is_vague
from rum.model.layers import GivenFact
from rum.text.lexicon import word_set
from rum.text.terms import says_little, terms

if TYPE_CHECKING:
    from rum.extract.passage_weight import WeighedPassage

_MAX_FACTS = 20
_MAX_TEXT = 1000
# Names of products among the common words, and names of standards, which are not installed.
_PRODUCTS = word_set(
    "bash express git go java javascript linux macos next node pip python typescript windows"
)
_STANDARDS = word_set("es http https iso oauth rfc soc ssl tls ttl unicode utf wcag web")
# Words of a clause that says something else than what is in use: denials, conditions, wishes, plans, the
# past, changes, comparisons, examples, limits, breakage, other times, other places, and the words of others.
_OTHERWISE = any_of(
    r"""
    not no never neither nor nobody none without cannot instead_of rather_than unlike except anymore until
    unless if whether assum\w+ suppos\w+ imagin\w+ hypothetic\w+ once when(?:ever)? in_case would could
    should might may must ought will shall wants?_to wanted going_to hop(?:e|ing) plan(?:s|ned|ning)?
    consider\w* try tried trying evaluat\w+ candidate propos\w+ please suggest\w* recommend\w* request\w*
    asked migrat\w+ mov(?:e|es|ed|ing) switch\w* upgrad\w+ downgrad\w+ bump\w* updat\w+ revert\w*
    port(?:ed|ing) was were had did used_to been previous\w* former\w* original\w* before earlier ago
    back_then old(?:er)? legacy ancient since introduced added removed dropp?\w* deprecat\w+ landed arriv\w+
    starting_with ended e\.g i\.e for_(?:example|instance) such_as like say examples? sample fixtures?
    mock\w* stub\w* dummy placeholder than compar\w+ versus vs between ranges? up_(?:to|through) below above
    under less at_most differ\w* depending either break(?:s|ing)? broke fail(?:s|ed|ing)? crash\w*
    incompatib\w+ conflict\w* unsupported refus\w+ reject\w* too_(?:old|new) buggy eol end[-_]of[-_]life bug
    issue error yet soon next later eventually someday tomorrow yesterday future upcoming
    last_(?:week|month|year|quarter) for_this first guide todo draft rfc branch forks? spike experiment\w*
    beta preview temporar\w+ local(?:ly)? laptops? machine in_(?:the_)?tests? sandbox staging reproduce
    repro upstream other another some half most several two three their theirs elsewhere sibling vendor'?s?
    competitors? customers? reporter users? tutorial article blog docs readme changelog release_notes
    pull_request pr renovate dependabot peer_dependenc\w+ message complain\w*
    """
)
_NOT_SO_NOW = re.compile(rf"\b{_OTHERWISE}\b|n['’]t\b|[\"“”]|(?<![\w=])[<>]=?\s?v?\d|~\s?\d", re.IGNORECASE)
# A sentence with any of these is what somebody says, asks, thinks or has on a computer of their own.
_WORDS_OF_OTHERS = re.compile(
    r"""\b(?:according\ to|claim\w*|says?|said|reported(?:ly)?|mentions?|told|thought|believe\w*|apparently
    |supposed(?:ly)?|allegedly|seems?|guess\w*|verified|i|my|your?|they|he|she)\b|\?""",
    re.IGNORECASE | re.VERBOSE,
)
# The parts of the project itself; "our" and "this" make any other thing one of them.
_PART = any_of(
    """
    project product repo(?:sitor(?:y|ies))? monorepo code[_-]?base code workspace stack tool[_-]?chain setup
    services? micro-?services? apps? applications? site websites? portal shop game firmware back-?end
    front-?end servers? clients? apis? gateway workers? jobs? lambdas? functions? pipelines? workflows? ci
    builds? images? containers? runners? clusters? nodes pods hosts fleet deployments? production prod
    databases? db warehouse broker cache lock[_-]?file makefile dockerfile stores? modules? tests
    schedulers? generator logger runtime framework compiler bundler orm driver sdk linter formatter engine
    proxy wrapper importers?
    """
)
_FILE = r"`?(?:[\w./-]*/)?(?:[\w-]*\.[\w.-]+|Dockerfile|Makefile|Gemfile|Pipfile)`?"
# What a file of settings says is so, unlike what a text for readers says.
_FILE_SAYS = re.compile(rf"(?<!\S)(?!\S*(?:readme|changelog|\.md\b|\.rst\b))({_FILE}) says ", re.IGNORECASE)
# Not a part of the project, even if it is "this" one.
_MATTER = r"(?:approach|change|command|feature|fix|method|option|step|test|tests|warning)\b"
_OURS = re.compile(
    rf"""^(?:(?:and|also|both|today|currently|now|at\ present|here|note\ that|in\ (?:this|the|our)\ [\w-]+
    |in\ production),?\ )*
    (?:we(?:\ all)?|everything|(?:all\ of\ (?:it|them|the\ [\w-]+))|{_FILE}
    |(?:our|this)(?:\ (?!of\b|versions?\b|releases?\b|way\b|{_MATTER})[\w./-]+){{1,4}}
    |(?:(?:the|all)\ )*(?:[\w./-]+[\ -]){{0,3}}{_PART}
    (?:\ (?:in|of|for|under)\ (?:the\ )?[\w./-]+)?)?
    (?:\ (?:still|now|currently|all|both|only|always|itself))?\ ?$""",
    re.IGNORECASE | re.VERBOSE,
)
# Verbs for what is in use, and what may stand between them and the name.
_USES = re.compile(
    r"""(?:\b|(?<='))(?:uses?|using|runs?(?:\ (?:on|under|with|against|in))?|requires?|needs?|depends?\ on
    |pins?
    |(?:is|are|re|stays?|remains?|sits?)(?:\ (?:still|now|currently|all|both))?\ (?:on|at
      |running(?:\ on)?|using)
    |(?:(?:is|are|re)\ )?(?:(?:still|now|currently)\ )?(?:built|build|builds|based|written|compiled|packaged
      |deploy(?:s|ed)?|hosted|pinned|locked|fixed|running|standardi[sz]ed)\ (?:with|on|against|for|in|to
      |at|from)
    |(?:is|are)(?:\ (?:still|now|currently))?(?=\ $)|ships?(?:\ with)?|brings|comes\ with|includes?
      |installs?|at\ least|minimum(?:\ (?:is|version\ is))?
    |(?P<least>supports?|targets?|works?\ (?:with|on)))
    (?P<rest>\b[^!?]{0,80})$""",
    re.IGNORECASE | re.VERBOSE,
)
_IMPERATIVE = re.compile(
    r"^(?:use|run|require|pin|include|install|need|build|deploy|using|running)\b", re.IGNORECASE
)
# A verb between the one above and the name: the name belongs to another statement.
_OTHER_VERB = re.compile(
    r"\b(?:is|are|has|have|does|do|can|to \w+|that|which|who|because|so|as|while|but|whose"
    r"|or(?! (?:newer|later|higher|above)))\b",
    re.IGNORECASE,
)
_IS_USED = re.compile(
    r"^\s?\)? (?:is|are) (?:now |still |currently )?(?:required|needed|mandatory|used|installed|pinned|in use"
    r"|the (?:minimum|baseline|floor|runtime|target|oldest supported|version (?:in use|we use|used)))"
    rf"(?: here| everywhere| throughout| (?:by|for|in|on) (?:us|all|the (?:[\w-]+ )?{_PART}"
    r"|(?:our|this) [\w-]+))?(?=[\s.,;]*$|[,;.] )",
    re.IGNORECASE,
)
_PINNED = re.compile(r"\bour pinned $", re.IGNORECASE)
# What may follow a version in a bare list such as "Python 3.11, Django 4.2 with Redis as broker".
_LIST_GOES_ON = re.compile(
    r"\s*(?:$|[,;/+&)|.(]|(?:and|with|for|on|as|plus|via|in|because of|here|today|now|everywhere|but"
    r"|while|from|inside|pinned"
    r"|which|so|at)\b|—|–|- )",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|must|may|might|gets?|gives?"
    r"|makes?|means|adds?|lacks?)\b|n['’]t\b",
    re.IGNORECASE,
)
_BARE_LABEL = re.compile(r"^(?P<label>[\w /&*`-]{1,30}): ?$")
_CLAUSE_END = re.compile(
    r"; |: (?=\w+ )|\. |, (?=(?:but|while|whereas|although|though|which|whose|who|where|so|because|since|as"
    r"|yet|and (?:we|it|the|then|[a-z]+ [a-z]+)) )| (?=(?:but|while|whereas|although|though|because|since"
    r"|so that|which"
    rf"|whose) )| and (?=(?:the|our) (?:[\w-]+ ){{0,3}}{_PART} )| [—–-] "
)
_BRACKETS = re.compile(r"\([^()]*\)?")
_VERSIONS_HEADING = re.compile(
    r"\b(?:stack|dependenc\w+|versions?|requirements?|tool\w*|built with|runtimes?|tech\w*)\b", re.IGNORECASE
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
    found: dict[str, list[tuple[str, bool]]] = {}
    for one in weighed:
        heading = one.passage.heading
        is_doubtful = one.is_fleeting or one.is_step or one.passage.kind == "code"
        if is_doubtful or HEDGE.search(one.passage.text) or (heading and CHANGE_HEADING.search(heading)):
            continue
        for name, version, ours in _stated(one.passage.text, heading):
            found.setdefault(name, []).append((version, ours))
    facts = [GivenFact(name, stated[0][0]) for name, stated in found.items() if _agree(stated)]
    return tuple(facts[:_MAX_FACTS])


def _agree(stated: list[tuple[str, bool]]) -> bool:
    """Whether all statements have the same version, and all are about this project."""
    same = {version.partition(" ")[0].rstrip("+") for version, _ in stated}
    return len(same) == 1 and any(ours for _, ours in stated)


def versions_in(text: str, *, heading: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and version of whatever a text states to be in use in the project now."""
    return ((name, version) for name, version, ours in _stated(text, heading) if ours)


def _stated(text: str, heading: str) -> Iterator[tuple[str, str, bool]]:
    """Yield names and versions that are in use, each with whether it is in use in this project."""
    text = _FILE_SAYS.sub(r"\1 uses ", text[:_MAX_TEXT].replace("**", "").replace("`", ""))
    if _WORDS_OF_OTHERS.search(text):
        return
    main = _BRACKETS.sub(lambda found: " " * len(found[0]), text)
    bare = _is_bare_list(main, heading)
    for mention in _mentions(text):
        inside = not main[mention.start : mention.end].strip()
        start, end = _clause(text if inside else main, mention, inside=inside)
        before, after = (text if inside else main)[start : mention.start], text[mention.end : end]
        ours = _is_ours(before, after, mention, is_bare=bare and not inside)
        if ours is not None:
            yield mention.name, mention.version, ours


def _is_ours(before: str, after: str, mention: Mention, *, is_bare: bool) -> bool | None:
    """Whether a version is in use in this project, by the clause around it; None if it is not in use."""
    if _PINNED.search(before):
        return True
    if _NOT_SO_NOW.search(before) or _NOT_SO_NOW.search(_BRACKETS.sub(" ", after)):
        return None
    if is_bare or _IS_USED.match(after) or (mention.has_verb and _LIST_GOES_ON.match(after)):
        return not before.strip() or is_bare or bool(_OURS.match(before))
    used = _USES.search(before)
    if (
        used is None
        or not _LIST_GOES_ON.match(after)
        or (used["least"] and not mention.is_minimum)
        or _OTHER_VERB.search(used["rest"])
    ):
        return None
    subject = before[: used.start()].strip(" ,'")
    if _version_pattern().search(subject):
        return None  # What another product needs
    return bool(_OURS.match(subject)) and not (not subject and _IMPERATIVE.match(before.strip()))


def _is_bare_list(main: str, heading: str) -> bool:
    """Whether a text only lists names with versions, and makes no statement, or one that they are in use."""
    found = list(_mentions(main))
    if not found or _FINITE.search(main):
        return False
    opening = main[: found[0].start].strip()
    label = _BARE_LABEL.match(opening)
    if opening and not label:
        return False
    title = label["label"] if label else heading
    if (title or "|" in main) and (not _VERSIONS_HEADING.search(title) or _NOT_SO_NOW.search(title)):
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


def _mentions(text: str) -> Iterator[Mention]:
    for match in _version_pattern().finditer(text):
        name, first = match["name"].strip("."), match["first"] or ""
        if first and not is_common(first.strip()):
            name = first + name  # "React Native"
        elif not _is_name(name):
            continue
        if match["separator"] == ": " and "." not in match["version"]:
            continue
        version = match["range"] + match["version"] + (match["more"] or "").replace(" +", "+")
        has_verb = match["verb"] is not None
        yield Mention(name.lower(), version, match.start("name"), match.end(), bool(match["more"]), has_verb)


def _is_name(name: str) -> bool:
    """Whether a word may name a product: not an ordinary word, as in "section 3.2" or "worker 3"."""
    word = name.lower()
    if word in _PRODUCTS:
        return True
    return not (word in _STANDARDS or is_common(word) or is_vague(word) or says_little(terms(word)))


@cache
def _version_pattern() -> re.Pattern[str]:
    name = r"(?P<first>\b[A-Z][A-Za-z]+ (?=[A-Z]))?(?P<name>@?[A-Za-z][\w.+#/-]{0,60}?)"
    version = rf"(?P<version>v?\d{{1,3}}(?:\.\d{{1,4}}){{0,3}}(?:\.x)?)(?!\d|\.\d|{UNITS})"
    more = r"(?P<more>\s?\+| or (?:newer|later|higher|above))?"
    separator = (
        r"(?P<separator>@| version | |==?|: | \| | version is "
        r"|(?P<verb> (?:is|stays|remains)(?: still| now| currently)?(?: pinned| locked| fixed| kept)?"
        r" (?:at|to|on)(?: version)? ))"
    )
    # Neither a range nor one of several versions: "Django 3.2, 4.2 and 5.0".
    end = r"(?![\w-]|:\d|\s?[–-]\s?v?\d|(?:,| and| or|,? and|,? or|/)\s?v?\d)"
    return re.compile(rf"(?<![\w./@-]){name}{separator}(?P<range>[\^~]?){version}{more}{end}")
