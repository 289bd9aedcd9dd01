"""Whether a later wish says the contrary of an earlier one: what one wants, the other rejects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rum.text.terms import content_words

# Where a wish changes from what is wanted to what is not, or back.
_CLAUSE = re.compile(
    r"[,.;:!]+(?:\s+|$)|[—–。，；！、]+\s*|\s-\s|\b(?=(?:instead of|rather than|not|never|but|and|over|statt"
    r"|anstatt|sondern|au lieu d|plutôt que"
    r"|en lugar de|en vez de|em vez de|invece di|in plaats van|zamiast|вместо)\b)|(?=而不是|代わり|대신)",
    re.IGNORECASE,
)
_REJECTING = re.compile(
    r"\b(?:never|not|n['’]t|dont|no|avoid|stop|quit|without|instead of|rather than|over|no longer"
    r"|forget|scrap|nie|niemals|nicht|kein\w*"
    r"|statt|anstatt|jamais|pas|au lieu d|plutôt que|nunca|jamás|en lugar de|en vez de|não|jamais"
    r"|em vez de|mai|non|invece di|nooit|niet"
    r"|geen|in plaats van|nigdy|zamiast|никогда|не|вместо)\b|n['’]t\b|不要|不用|从不|别|而不是|禁止"
    r"|ない|せず|やめ|않|마세요|말고|대신",
    re.IGNORECASE,
)
# Words of scripts without blanks that only say that something is a wish.
_EMPTY = re.compile(r"从(?:今天|现在)(?:起|开始)|以后|今后|都|请|一律|必ず|以後|今後|常に|から|は|で$")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")
_FILLERS = frozenset(
    content_words(
        """
        again all allowed always any can code codebase do every everywhere fine forget from here instead keep
        make may must never new now okay on please prefer project rather remember repo repository rule said
        should sure use used user using want we you actually after back forever go going let scratch today
        ab altijd bitte doch heute immer jetzt künftig lieber nutzen sempre siempre toujours verwenden zawsze
        """
    )
)
# Words of a wish that say where it holds.
_LIMIT = re.compile(
    r"(?<!now )(?<!back )\b(?:in|to|for|on|within|inside|under|from|bei|für|auf|pour|dans|para|en|em|nel|per"
    r"|voor|dla|w|для|в)\s+(?:(?:the|a|an|our|der|die|das|la|le|el) )?(?!(?:now|future|here|all"
    r"|every)\b)(\w+)",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:again|after all|back to|changed? (?:my|of|our) minds?|no longer|any ?more|doch|wieder"
    r"|anders überlegt"
    r"|finalement|changé d['’]avis|cambi\w+ de (?:idea|opinión)|mud\w+ de ideia|cambiato idea"
    r"|van gedachten veranderd|zmieni\w+ zdanie|передумал\w*)\b|改(?:变)?(?:了)?主意|気が変わ|생각이 바뀌",
    re.IGNORECASE,
)
_MIN_SHARE, _MIN_OF_LONGER, _MIN_SHARE_BACK = 0.67, 0.33, 0.5
# Values of which only one can hold: a number, or the language in which to write.
_VALUE = re.compile(
    r"(?P<number>(?<![\w.])\d+(?:\.\d+)*(?![\w.]))|(?P<language>\b(?:english|englisch|anglais"
    r"|ingl[eéê]s\w*|engels"
    r"|angielsk\w*|английск\w*|german|deutsch|allemand|alem[aáã]\w*|tedesco|duits|niemieck\w*"
    r"|немецк\w*|french"
    r"|französisch|français|franc[eéê]s\w*|frans|francusk\w*|французск\w*|spanish|spanisch|español|espagnol"
    r"|espanhol|spagnolo|spaans|испанск\w*|portuguese|português|italian\w*|dutch|nederlands|polish|polsk\w*"
    r"|russian|русск\w*)\b|[英中日法德俄韩][文语語]|日本語|中国語|韓国語|(?:영|독일|프랑스|한국|중국|일본)어)",
    re.IGNORECASE,
)


class _Wish(NamedTuple):
    words: frozenset[tuple[str, ...]]
    rejects: bool


def contrary(later: str, earlier: str, *, takes_back: bool = False) -> bool:
    """Whether a clause of the later text rejects what the earlier one wants, or wants what it rejects.

    A later one that holds only in some place is an exception. "Answer in English again" is contrary too, and
    with `takes_back` any other word on the same topic.
    """
    wishes = list(_wishes(earlier))
    is_exception = _limits(earlier) < _limits(later)
    goes_back = takes_back or _BACK.search(later) is not None
    return _has_other_value(later, earlier) or any(
        _same_topic(one, other, _MIN_SHARE_BACK if goes_back else _MIN_SHARE)
        for one in _wishes(later)
        for other in wishes
        if (one.rejects != other.rejects and not is_exception) or (goes_back and one.words != other.words)
    )


def _has_other_value(later: str, earlier: str) -> bool:
    """Whether two wishes are the same but for one value: "messages in English", "messages in German"."""
    later_values, earlier_values = (
        [(value, clause) for clause in _CLAUSE.split(text) for value in _VALUE.finditer(clause)]
        for text in (later, earlier)
    )
    if len(later_values) != 1 or len(earlier_values) != 1:
        return False
    (new, clause), (old, earlier_clause) = later_values[0], earlier_values[0]
    if new.lastgroup != old.lastgroup or new[0].casefold() == old[0].casefold():
        return False
    first, second = (
        _Wish(_topic(_EMPTY.sub(" ", _VALUE.sub(" ", one))), rejects=False)
        for one in (clause, earlier_clause)
    )
    return bool(first.words and second.words) and _same_topic(first, second, _MIN_SHARE)


def _topic(clause: str) -> frozenset[tuple[str, ...]]:
    # In Japanese, what stands between hiragana are the words that say what it is about.
    return frozenset(content_words(_HIRAGANA.sub(" ", clause))) - _FILLERS


def rejected_parts(text: str) -> list[str]:
    """The clauses of a wish that say what is not wanted."""
    return [clause for clause in _CLAUSE.split(text) if _REJECTING.search(clause)]


def _wishes(text: str) -> Iterator[_Wish]:
    for clause in _CLAUSE.split(text):
        if words := _topic(clause):
            yield _Wish(words, _REJECTING.search(clause) is not None)


def _limits(text: str) -> frozenset[str]:
    return frozenset(found.casefold() for found in _LIMIT.findall(text))


def _same_topic(one: _Wish, other: _Wish, share: float) -> bool:
    shared = len(one.words & other.words)
    fewer, more = sorted((len(one.words), len(other.words)))
    return shared >= share * fewer and shared >= _MIN_OF_LONGER * more
