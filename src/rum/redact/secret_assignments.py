"""Find secrets by the name they are assigned to, in configuration, code and prose."""

from __future__ import annotations

from rum.redact.secret_names import STEMS, is_vague, kind_of_name
from rum.redact.secret_plausibility import (
    ENV,
    FLAG,
    LINE,
    LOOSE,
    MARK,
    PROSE,
    QUOTED,
    Budget,
    compiled,
    is_chosen,
    is_code,
    is_plausible,
    is_random,
    limited,
    looking,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# From the stem of a name to the beginning of its value. Quantifiers are limited and possessive, as hostile
# text must not take quadratic time.
_TO_VALUE = (
    r"[\w.-]{0,40}+(?:\\{0,3}[\"'`]|\*\*)?+[\])]?+(?:"
    r"(?P<pair>(?<=[\"']),?\s{0,12}[\"']?[Vv]alue[\"']?\s{0,3}[:=]\s{0,3}"
    r"|\s{0,3}\n[ ]{0,24}value:[ ]{0,3}|:[ ]?[|>][-+]?\s{1,40}"
    r"|</(?:key|name|td|th)>\s{0,20}<(?:string|value|td)>|[ ]\{[^{}]{0,160}?\bdefault\s{0,20}=[ ]{0,3})"
    r"|(?P<xml>[ ][^<>\n]{1,120}>(?=[^<>\s]))"
    r"|[ \t]{0,8}+(?:"
    r"(?P<typed>(?::[ ]?[A-Za-z&][\w\[\]|.<>?&, ]{0,40}|[Ss]tring[ ]?)=(?=[ ]?[bBrRuU@]{0,2}[\"'`]))"
    r"|(?P<op>[?+|]{0,2}={1,3}>?|!==?|:=|:-|::?|-{1,2}>|>|(?<=[\"'`]),(?:[ ]?default=)?|\((?=[\"'`])"
    r"|(?:\|\||\?\?|or)(?=[ ]?[\"'`]))"
    r")(?:\*\*)?+[ \t]{0,8}+"
    r"|(?P<prose>[ ](?:(?:is|was)[ :]{1,2})?(?=\\?[\"'`])"
    r"|(?:[ ](?:for|of|to|on|in|at|as|here|i|you)\b[^\n:=\"'`(){}<>|]{0,48}?|[ ]\([^()\n]{1,30}\))?"
    r"(?:[ ](?:is|was|are|be|to)(?:[ ](?:now|just|still|set[ ]to))?[ :]{1,2}+|:[ ]{1,3})(?:\*\*)?)"
    r"|(?P<direct>[ \t]{1,8}+(?:[|][ ]{1,3})?(?=[^\s=:|-][^\s]{4}))"
    r")"
)

# A text that ends within quotes, also one that was joined with others, is a literal up to there.
_LITERAL = (
    r"[bBrRuUN@]{0,2}(?:"
    r"\"((?:[^\"\\\n]++|\\.)*+)(?:\"|\Z|(?=\n\0))"
    r"|'((?:[^'\\\n]++|\\.)*+)(?:'|\Z|(?=\n\0))"
    r"|`((?:[^`\\\n]++|\\.)*+)(?:`|\Z|(?=\n\0))"
    r"|\\{1,3}[\"']((?:[^\"'\\\n]++|\\(?![\"'\\]))*+)(?:\\{1,3}[\"']|\Z|(?=\n\0))"
    r")"
)
_LITERAL_START = frozenset("\"'`\\bBrRuUN@")
_BARE = r"[^\s\"'`<>\\;|]{1,200}+"
_BARE_IN_CODE = r"[^\s\"'`<>\\;|,)\]}&]*+"

_END_OF_LINE = r"[ \t,]*+(?:\Z|[\r\n]|\\[nr]|#|//)"
_START_OF_LINE = r"(?:\A|[\r\n]|\\[nr])[ \t]*+(?:[-+>*] *+|export +|set +|\d+[:|] *+)?[\"']?\Z"

_SETTER = (
    r"(?i)(?:^|\.|\b_*)(?:set|with)?_?(?:db|user|admin|root|auth|access|client)?_?"
    r"(?:password|passwd|pwd|secret|token|api_?key)$"
)

_OPTION = r"--([A-Za-z][\w-]{2,40}+)[ \t]{1,4}+(\\{0,2}[\"']?)(?!-)([^\s\"'\\]{3,256}+)"


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME_CHARACTERS = _LETTERS + "0123456789_-."


def find_by_name(text: str, lower: str, _words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of every secret found by its name; `lower` is the text in lower case."""
    judged, looked = Budget(text), looking(text)
    for stem in STEMS:
        at = lower.find(stem)
        while at >= 0:
            looked.spend(at)
            start, end, kind = _name_around(text, at)
            at = max(end, at + len(stem))
            if kind and not _leads_nowhere(text, end, text[start:end]):
                reach = compiled(_TO_VALUE).match(text, end)
                if reach:
                    judged.spend(start)
                found = reach and _find_value(text, (start, text[start:end], kind), reach)
                if found:
                    yield found
                    at = found[1]
            at = lower.find(stem, at)
    if "--" in text:
        for option in limited(compiled(_OPTION).finditer(text)):
            kind = kind_of_name(option[1])
            form = QUOTED if option[2].strip("\\") else FLAG
            if (
                kind
                and option[2] not in ("\\", "\\\\")
                and is_plausible(kind, option[3], form)
                and not (form == FLAG and is_code(option[3]))
            ):
                yield *option.span(3), kind


def repeats_name(name: str, value: str) -> bool:
    """Whether the value only repeats its name, as in a table of names."""
    words, of_name = words_of(value), words_of(name)
    return of_name == words or (len(words) > 1 and of_name[-len(words) :] == words)


def _name_around(text: str, stem: int) -> tuple[int, int, str | None]:
    """Where the name around a stem begins and ends, and the kind of secret that it announces."""
    head, tail = text[max(0, stem - 60) : stem], text[stem : stem + 60]
    start = stem - len(head) + len(head.rstrip(_NAME_CHARACTERS))
    end = stem + len(tail) - len(tail.lstrip(_NAME_CHARACTERS))
    name = text[start:end]
    kind = kind_of_name(name) or _kind_of_spaced(text, start, name)
    return start, end, None if text.startswith(MARK, start - len(MARK)) else kind


def _kind_of_spaced(text: str, start: int, name: str) -> str | None:
    """The kind by the word before: `API key`, `recovery phrase`."""
    noun = name.lower() if len(name) < 7 and text[start - 1 : start] in (" ", "-") else ""
    if noun not in ("key", "keys", "phrase"):
        return None
    head = text[max(0, start - 25) : start - 1]
    before = head[len(head.rstrip(_LETTERS)) :]
    return kind_of_name(f"{before}_{noun.removesuffix('s')}") if before else None


def _leads_nowhere(text: str, end: int, name: str) -> bool:
    """Whether no value follows a name, as in most code: cheaper to see than with the pattern."""
    following = text[end : end + 1]
    if following in _ENDS or (following in (")", "]") and text[end + 1 : end + 2] in _ENDS):
        return True
    if following == "\n":
        return text.find("value:", end, end + 40) < 0
    rest = text[end : end + 60].lstrip(" ")
    if rest[:1] not in ("=", ":") or name.isupper():
        return False
    value = rest[1:].lstrip(" ")
    plain = value.lstrip(_LETTERS + "_.")
    length = len(value) - len(plain)
    if plain[:1] == "(":  # a call
        return length > 0 and rest[:2] != "::"
    spaced = rest[1:2] == " " or rest[:1] == ":"
    return spaced and length < 12 and value[:length].isalpha() and plain[:1] in (",", ")", "]")


_ENDS = (",", ";", "/", "&", "[", "{", "}", "#", "$", "%")


def _find_value(text: str, named: tuple[int, str, str], reach: re.Match[str]) -> tuple[int, int, str] | None:
    start, name, kind = named
    if reach["op"] == "(" and not compiled(_SETTER).search(name):
        return None
    quoted = text[reach.end() : reach.end() + 1] in _LITERAL_START
    literal = compiled(_LITERAL).match(text, reach.end()) if quoted else None
    if literal and literal.lastindex:
        value = literal[literal.lastindex]
        if (
            is_plausible(kind, value, _form_of_literal(name, reach))
            and not repeats_name(name, value)
            and not (is_vague(name) and not _is_clear(name, reach) and not is_chosen(value))
        ):
            return *literal.span(literal.lastindex), kind
        return None
    bare = compiled(_BARE).match(text, reach.end())
    if not bare or reach["typed"] or reach["op"] in (",", "||", "??", "or"):
        return None
    form = _form_of_bare(text, start, name, reach, bare.end())
    whole = (
        bare if form in (ENV, LINE, PROSE) else compiled(_BARE_IN_CODE).match(text, bare.start(), bare.end())
    )
    value = (whole or bare).group().rstrip(",)]}.:*")
    if is_code(value) or not is_plausible(kind, value, form) or repeats_name(name, value):
        return None
    if (is_vague(name) and not _is_clear(name, reach)) or reach["direct"]:
        accepted = is_chosen(value) if kind == "password" else _is_token(value)
        if not accepted or (reach["direct"] and not _is_announced(text, start, name, bare.end(), kind)):
            return None
    rest = compiled(_BARE_IN_CODE).match(text, bare.start() + len(value))
    return bare.start(), rest.end() if rest else bare.end(), kind


def _is_token(value: str) -> bool:
    return is_random(value, 20) and compiled(r"(?=\D*[0-9])[\w.~+/=:-]+").fullmatch(value) is not None


def _is_clear(name: str, reach: re.Match[str]) -> bool:
    """Whether the name is that of a variable of the environment: `MQ_PASS=`."""
    return name.isupper() and "_" in name and reach["op"] in ("=", ":")


def _is_announced(text: str, start: int, name: str, end: int, kind: str) -> bool:
    """Whether a value that only a space separates from its name is meant as its value."""
    if kind != "password":
        return text[start - 1 : start] in (" ", "\n", "", "\t", "|", "-")
    if name.isupper() and "_" in name:
        return compiled(_SETS_VARIABLE).search(text, max(0, start - 40), start) is not None
    if _fills_line(text, start, end) or text.startswith(" |", end):
        return True
    return compiled(_BEFORE_VALUE).search(text, max(0, start - 60), start) is not None


def _is_tight(reach: re.Match[str]) -> bool:
    return reach["op"] == "=" and reach.group().endswith("=") and not reach.group().endswith(" =")


def _form_of_literal(name: str, reach: re.Match[str]) -> str:
    """Comparisons, calls, lists of strings and prose contain quoted words that are no secrets."""
    if reach["op"] == ",":
        return LINE if name.isupper() else PROSE
    if reach["prose"]:
        return LINE if reach["prose"].strip() else LOOSE
    if reach["op"] in ("==", "===", "!=", "!==", "("):
        return LINE
    return ENV if name.isupper() and _is_tight(reach) else QUOTED


def _form_of_bare(text: str, start: int, name: str, reach: re.Match[str], end: int) -> str:
    before = text[start - 1] if start else ""
    tight = _is_tight(reach)
    if name.isupper() and tight:
        return ENV
    if name.startswith("-"):
        return QUOTED if tight and not text[reach.end() : end].isupper() else FLAG
    if tight and before in ("?", "&", ";"):
        return QUOTED
    if reach["op"] == ">" or reach["xml"]:
        return QUOTED if text.startswith("</", end) else LOOSE
    if reach["prose"] or reach["direct"] or (reach["op"] in (":", "->", "-->") and not tight):
        fills = reach["op"] == ":" and _fills_line(text, start, end)
        if not fills:
            return PROSE
    if reach["op"] == ":-":
        return LINE
    if reach["pair"]:
        return ENV if name.isupper() else LINE
    if tight and not _is_inside_call(text, start):
        return LINE
    constant = name.isupper() and "_" in name
    if (reach["op"] == ":" or (constant and reach["op"] == "=")) and _fills_line(text, start, end):
        return ENV if constant and reach["op"] == ":" and not text[reach.end() : end].istitle() else LINE
    if reach["op"] == "=" and _fills_line(text, start, end):
        return PROSE
    return LOOSE


_SETS_VARIABLE = r"(?i)(?:setx|setenv|env|export|set|-gx|-x|config:set|secret set|env add|add|put) [\"']?\Z"
_BEFORE_VALUE = (
    r"(?i)(?:\b(?:with|using|and|default|temporary|temp|initial|root|admin|connect \S{1,40}"
    r"|(?:user|username|login|account|as) \S{1,40})|,)(?: the| a| my| her| his| our)? \Z"
)


def _is_inside_call(text: str, start: int) -> bool:
    line = max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, 0)
    return "(" in text[line:start]


def _fills_line(text: str, start: int, end: int) -> bool:
    return (
        compiled(_END_OF_LINE).match(text, end) is not None
        and compiled(_START_OF_LINE).search(text, max(0, start - 80), start) is not None
    )
