"""Find secrets by the name they are assigned to, however weak they look, in configuration, code and URLs."""

from __future__ import annotations

from rum.redact.secret_names import STEMS, is_vague, kind_of_name
from rum.redact.secret_plausibility import (
    ENV,
    FLAG,
    LINE,
    MARK,
    QUOTED,
    Budget,
    compiled,
    is_chosen,
    is_code,
    is_generated,
    is_plausible,
    looking,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# From the end of a name to its value. Quantifiers are limited and possessive, as hostile text must not take
# quadratic time.
_TO_VALUE = (
    r"(?>(?:\\{0,3}[\"'`]|\*\*)?)[\])]?+(?:"
    r"(?P<pair>(?<=[\"']),?\s{0,12}[\"']?[Vv]alue[\"']?\s{0,3}[:=]\s{0,3}"
    r"|\s{0,3}\n[ ]{0,24}value:[ ]{0,3}|:[ ]?[|>][-+]?\s{1,40}|:[ ]?\{[ ]?[\"']?value[\"']?:[ ]?"
    r"|</(?:key|name|td|th)>\s{0,20}<(?:string|value|td)>|[ ]\{[^{}]{0,160}?\bdefault\s{0,20}=[ ]{0,3})"
    r"|(?P<xml>(?![ \t]*[:=])[ ]?[^<>\n]{0,120}>(?:<!\[CDATA\[|\s{1,40})?(?=[^<>\s]))"
    r"|[ \t]{0,8}+(?P<op>(?::[ ]?[A-Za-z&][\w\[\]|.<>?&, ]{0,40}|[Ss]tring[ ]?)=(?=[ ]?[bBrRuU@]{0,2}[\"'`])"
    r"|[?+|.]{0,2}={1,3}>?|!==?|:{1,3}=|:-|::?|-{1,2}>|<-|(?<=[\"'`]),(?:[ ]?default=)?|\((?=[\"'`])"
    r"|(?:\|\||\?\?|or)(?=[ ]?[\"'`])"
    r"|[^\n\"'`=:(){}<>]{0,40}?[ ](?:is|was|are|to):?[ ](?=[\"'`])|[ ](?=[\"'`]))"
    r"(?>(?:\*\*)?)[ \t]{0,8}+(?>(?:\*\*)?)"
    r"|(?P<flag>[ \t]{1,4}+(?!-))"
    r")"
)
# A text that ends within quotes, also one that was joined with others, is a literal up to there.
_LITERAL = (
    r"[bBrRuUN@]{0,2}(?:"
    r"\"((?>(?:[^\"\\\n]++|\\.)*))(?:\"|\Z|(?=\n\0))"
    r"|'((?>(?:[^'\\\n]++|\\.)*))(?:'|\Z|(?=\n\0))"
    r"|`((?>(?:[^`\\\n]++|\\.)*))(?:`|\Z|(?=\n\0))"
    r"|\\{1,3}[\"']((?>(?:[^\"'\\\n]++|\\(?![\"'\\]))*))(?:\\{1,3}[\"']|\Z|(?=\n\0))"
    r")"
)
_LITERAL_START = frozenset("\"'`\\bBrRuUN@")
_BARE = r"(?>[^\s\"'`<>\\;|]{1,200}(?:\|(?=\w)[^\s\"'`<>\\;|]{1,200}){0,3})"
_BARE_IN_CODE = r"(?>[^\s\"'`<>\\;|,)\]}&]*(?:(?<=\w)\|(?=\w)[^\s\"'`<>\\;|,)\]}&]*){0,3})"
_END_OF_LINE = r"[ \t,]*+(?:\Z|[\r\n]|\\[nr]|#|//)"
_START_OF_LINE = r"(?:\A|[\r\n]|\\[nr])[ \t]*+(?:[-+>*] *+|export +|set +|\d+[:|] *+)?[\"']?\Z"
_SETTER = (
    r"(?i)(?:^|\.|\b_*)(?:(?:set|with)\w*|_?(?:db|user|admin|root|auth|access|client)?_?"
    r"(?:password|passwd|pwd|secret|token|api_?key))$"
)
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_ENDS = (",", ";", "/", "&", "[", "{", "}", "#", "$", "%")


def find_by_name(text: str, lower: str, _words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of every secret found by its name; `lower` is the text in lower case."""
    judged, looked = Budget(text), looking(text)
    for stem in STEMS:
        at = lower.find(stem)
        while at >= 0:
            looked.spend(at)
            head, tail = text[max(0, at - 60) : at], text[at : at + 60]
            start = at - len(head) + len(head.rstrip(_NAME_CHARACTERS))
            end = at + len(tail) - len(tail.lstrip(_NAME_CHARACTERS))
            at = max(end, at + len(stem))
            kind = kind_of_name(text[start:end])
            if kind and text[end : end + 1] not in _ENDS and not text.startswith(MARK, start - len(MARK)):
                reach = compiled(_TO_VALUE).match(text, end)
                if reach:
                    judged.spend(start)
                    found = _find_value(text, (start, text[start:end], kind), reach)
                    if found:
                        yield found
                        at = found[1]
            at = lower.find(stem, at)


def repeats_name(name: str, value: str) -> bool:
    """Whether the value only repeats its name, as in a table of names."""
    words, of_name = words_of(value), words_of(name)
    return of_name == words or (len(words) > 1 and of_name[-len(words) :] == words)


def _find_value(text: str, named: tuple[int, str, str], reach: re.Match[str]) -> tuple[int, int, str] | None:
    start, name, kind = named
    if reach["op"] == "(" and not compiled(_SETTER).search(name):
        return None
    quoted = text[reach.end() : reach.end() + 1] in _LITERAL_START
    literal = compiled(_LITERAL).match(text, reach.end()) if quoted else None
    if literal and literal.lastindex:
        value, span = literal[literal.lastindex], literal.span(literal.lastindex)
        form = _form_of_literal(name, reach)
    else:
        bare = compiled(_BARE).match(text, reach.end())
        form = _form_of_bare(text, start, name, reach, bare.end()) if bare else ""
        if not bare or not form:
            return None
        whole = bare if form in (ENV, LINE) else compiled(_BARE_IN_CODE).match(text, bare.start(), bare.end())
        value = (whole or bare).group().rstrip(",)]}.:*")
        span = bare.start(), bare.start() + len(value)
        if is_code(value):
            return None
    clear = not is_vague(name) or (name.isupper() and "_" in name) or is_chosen(value)
    if not clear or not is_plausible(kind, value, form) or repeats_name(name, value):
        return None
    rest = compiled(_BARE_IN_CODE).match(text, span[1]) if not literal else None
    return span[0], rest.end() if rest else span[1], kind


def _form_of_literal(name: str, reach: re.Match[str]) -> str:
    """Comparisons, calls and lists of strings contain quoted words that are no secrets."""
    if reach["flag"] or reach["op"] in (",", " ", "==", "===", "!=", "!==", "("):
        return LINE
    return ENV if name.isupper() and _is_tight(reach) else QUOTED


def _form_of_bare(text: str, start: int, name: str, reach: re.Match[str], end: int) -> str:
    """How the value is written; nothing where it may be code or prose."""
    tight = _is_tight(reach)
    if reach["flag"]:
        return FLAG if name.startswith("--") else ""
    if name.isupper() and tight:
        return ENV
    if name.startswith("-"):
        return QUOTED if tight and not text[reach.end() : end].isupper() else FLAG
    if tight and text[start - 1 : start] in ("?", "&", ";"):
        return QUOTED
    if reach["xml"]:
        return QUOTED if compiled(r"\s{0,40}(?:</|]]>)").match(text, end) else ""
    if reach["pair"]:
        return ENV if name.isupper() else LINE
    line = max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, 0)
    if reach["op"] == ":-" or (tight and "(" not in text[line:start]):
        return LINE
    constant = name.isupper() and "_" in name
    spaced = reach["op"] == "=" and (constant or is_generated(text[reach.end() : end]))
    if reach["op"] == ":" or spaced:
        fills = compiled(_START_OF_LINE).search(text, max(0, start - 80), start)
        if fills and compiled(_END_OF_LINE).match(text, end):
            return ENV if constant and not text[reach.end() : end].istitle() else LINE
    return ""


def _is_tight(reach: re.Match[str]) -> bool:
    return reach["op"] == "=" and reach.group().endswith("=") and not reach.group().endswith(" =")
