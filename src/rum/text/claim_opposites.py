"""Claims that cannot both hold, beyond a "not" or another number: what works or fails, goes up or down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from rum.text.claim_parts import reading, sides
from rum.text.claim_stance import Word, reworded, stance, stems
from rum.text.claims import FEWEST_WORDS, FEWEST_WORDS_WITH_FIGURES, Claim, contradict
from rum.text.stem import stem
from rum.text.word_weights import Words, figures

MOST_OPPOSED = 50

_COMMANDED = stems(
    ("down", "up"),
    ("decrease", "increase"),
    ("lower", "raise"),
    ("spaces", "tabs"),
)
"""Of these one may hold here and the other there, unless one is told to do both."""
_SORTED = stems(("oldest", "newest"), ("descending", "ascending"), ("last", "first"))
"""Of these one may hold here and the other there, unless something is sorted by both."""
_SMALL = re.compile(r"\b(?:down|only|until|up)\b")
"""Words that say little where one asks, but much where one is told."""
_COMMANDS = re.compile(
    r"""\b(?:must|should|has\ to|have\ to|needs?\ to|always|never)\b
    |^\W*(?:add|apply|build|call|check|clear|close|commit|copy|create|(?:de|in)crease(?!\ (?:in|of))|delete
        |deploy|do\ not|don't|drain|drop|enable|fetch|flush|install|keep|load|lock|log|lower|merge|migrate
        |move|open|pass|prefer|pull|push|put|raise|rebuild|release|reload|remove|rename|reset|restart|rotate|run
        |save|send|set|sort|start|stop|store|test|turn|update|upgrade|use|validate|verify|wait|write)\ """,
    re.VERBOSE,
)
_SORTS = re.compile(r"\b(?:sort(?:ed|s|ing)?|order(?:ed|ing)|rank(?:ed|s|ing)?|listed)\b")
_SETS = re.compile(r"(?:\b(?:is|are|be|equals|defaults? to|set to)|[:=]) ?v?\d", re.IGNORECASE)
"""How a claim gives something its value."""
_FROM_TO = re.compile(r"\bfrom\s+(?:the\s+)?(\w+)\s+to\s+(?:the\s+)?(\w+)")


def position(text: str) -> Claim:
    """A claim's stance, with what else turns it round: up or down, before or after, from one to the other."""
    lower = text.lower()
    small = {(stem(word),) for word in _SMALL.findall(lower)}
    claim = (said := stance(text))._replace(words=said.words | small)
    commands, sorts = bool(_COMMANDS.search(lower)), bool(_SORTS.search(lower))
    if commands:
        claim = reworded(claim, _COMMANDED)
    if sorts:
        claim = reworded(claim, _SORTED)
    ways = {(stem(one), stem(other)) for one, other in _FROM_TO.findall(lower)}
    turns = [(left, right) for pivot, left, right in sides(reading(text)) if pivot == "before"]
    claim = _put(claim, "from", ways, sorts)
    return _put(claim, "before", ((_joined(left), _joined(right)) for left, right in turns), commands)


def _put(claim: Claim, relation: str, pairs: Iterable[tuple[str, str]], settled: bool) -> Claim:
    """A claim with what it puts in relation; where that is settled, the other way round is a denial."""
    words, denied = set(claim.words), claim.denied
    for pair in pairs:
        first, second = sorted(pair) if settled else pair
        words.add((relation, first, second))
        denied ^= (first, second) != pair
    return claim._replace(words=frozenset(words), denied=denied)


def _joined(words: Words) -> str:
    return " ".join(sorted(words - figures(words)))  # another number is a contradiction by itself


def _fewest(one: Claim) -> int:
    """So many words must a claim have; one with a number more of them, unless it says what something is."""
    return FEWEST_WORDS_WITH_FIGURES if one.figure and not _SETS.search(one.text) else FEWEST_WORDS


class Positions:
    """Positions that others can be held against."""

    def __init__(self, positions: Iterable[Claim]) -> None:
        self._alike: dict[frozenset[Word], list[tuple[int, Claim]]] = {}
        for number, one in enumerate(positions):
            if len(one.words) >= _fewest(one):
                self._alike.setdefault(one.words, []).append((number, one))

    def against(self, one: Claim) -> list[int]:
        """The places of those that contradict one, at most so many as anybody wants to know of."""
        others = self._alike.get(one.words, ())
        return list(islice((number for number, other in others if contradict(one, other)), MOST_OPPOSED))


def opposed(positions: Sequence[Claim]) -> list[list[int]]:
    """For each position the places of those it contradicts."""
    return list(map(Positions(positions).against, positions))
