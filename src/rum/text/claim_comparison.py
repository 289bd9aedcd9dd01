"""Whether two statements agree, differ or contradict each other, by their words.

A contradiction is the same words with a "not", another number, the opposite word or the opposite order. A
number counts where it is the only one and no name: "after 30 minutes", but not "step 2" or "3 of 4". Nothing
else is recognised, so that false contradictions are rare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice

from rum.text.claims import (
    LIMITING,
    MIN_WORDS,
    MIN_WORDS_WITH_FIGURES,
    Claim,
    Statement,
    Word,
    normalised_claim,
    parse_clauses,
    parse_statement,
    relations,
    replace_opposite,
    replace_opposites,
    stem_pairs,
)
from rum.text.lexicon import word_set
from rum.text.terms import stem
from rum.text.word_weights import Words, figures

Share = Callable[[Words, Words], float]  # How much of some words others have too, from 0 to 1

SAME_TOPIC = 0.6  # The share of a claim's words from which on a sentence is about the same
_MAX_CONTRADICTIONS = 50

_MIN_SIMILARITY = 0.75
_MIN_SHARED = 2  # Words that two statements share, apart from the one in which they differ
_LIMITS = frozenset(("except", "only", "unless"))
# Pairs of words with different meanings in any context.
_UNLIKE = frozenset(
    frozenset(word if word in LIMITING else stem(word) for word in pair.split("/"))
    for pair in word_set(
        """
        above/below accept/reject add/remove allow/deny allow/forbid anyone/only ascending/descending
        async/sync asynchronous/synchronous child/parent client/server close/open decode/encode
        decrease/increase decrypt/encrypt disable/enable down/up download/upload downgrade/upgrade
        everybody/only everyone/only external/internal false/true fast/slow fewer/more first/last
        input/output last/next left/right less/more local/remote lock/unlock lower/raise lower/upper max/min
        maximum/minimum newer/older newest/oldest over/under private/public production/staging pull/push
        read/write receive/send request/response source/target spaces/tabs start/stop
        """
    )
)
# Both may hold, in different places, unless they are commands.
_COMMAND_OPPOSITES = stem_pairs("down/up decrease/increase lower/raise spaces/tabs")
# Both may hold, in different places, unless something is sorted by them.
_SORT_OPPOSITES = stem_pairs("oldest/newest descending/ascending last/first")
_SMALL_WORDS = re.compile(r"\b(?:down|only|until|up)\b")  # Stop words of a question which matter in a command
_COMMAND = re.compile(
    r"""\b(?:must|should|has\ to|have\ to|needs?\ to|always|never)\b
    |^\W*(?:add|apply|build|call|check|clear|close|commit|copy|create|(?:de|in)crease(?!\ (?:in|of))|delete
        |deploy|do\ not|don't|drain|drop|enable|fetch|flush|install|keep|load|lock|log|lower|merge|migrate
        |move|open|pass|prefer|pull|push|put|raise|rebuild|release|reload|remove|rename|reset|restart|rotate|run
        |save|send|set|sort|start|stop|store|test|turn|update|upgrade|use|validate|verify|wait|write)\ """,
    re.VERBOSE,
)
_SORTING = re.compile(r"\b(?:sort(?:ed|s|ing)?|order(?:ed|ing)|rank(?:ed|s|ing)?|listed)\b")
_ASSIGNMENT = re.compile(r"(?:\b(?:is|are|be|equals|defaults? to|set to)|[:=]) ?v?\d", re.IGNORECASE)
_FROM_TO = re.compile(r"\bfrom\s+(?:the\s+)?(\w+)\s+to\s+(?:the\s+)?(\w+)")


class Stance(Enum):
    """How a text relates to a claim: it makes it, denies it, or says it of something else."""

    SAYS = 1
    DENIES = 2
    DIFFERS = 3


def contradict(first: Claim, second: Claim) -> bool:
    """Whether two claims cannot both hold."""
    if first.words != second.words:
        return False
    if first.figure != second.figure:
        return first.denied == second.denied and bool(first.figure and second.figure)
    return first.denied != second.denied


def disagree(first: Claim, second: Claim) -> bool:
    """Whether two claims in much the same words differ by a "not" or a number.

    Less strict than `contradict`: the first claim only does not repeat the second.
    """
    if first.words.isdisjoint(second.words):
        return False
    first_words, second_words = (
        frozenset(word for word in claim.words if not word[0][:1].isdigit()) for claim in (first, second)
    )
    fewer = min(len(first_words), len(second_words))
    if first_words != second_words and (
        fewer < MIN_WORDS or len(first_words & second_words) < _MIN_SIMILARITY * fewer
    ):
        return False
    news = first.figures - second.figures
    return first.denied != second.denied or bool(news and second.figures)


def stance_on(claim: str, statements: Sequence[Statement], share: Share) -> Stance:
    """How statements relate to a claim: of those on the same topic, the closest decides."""
    for clause in parse_clauses(claim):
        closest = max(_on_topic(clause, statements, share), default=None)
        if closest and not closest[2]:
            return Stance.DENIES
    whole = parse_statement(claim)
    stances = [
        (closeness, not differs(whole, statements[index]))
        for closeness, _, _, index in _on_topic(whole, statements, share)
    ]
    return Stance.SAYS if max(stances, default=(0.0, True))[1] else Stance.DIFFERS


def _on_topic(
    wanted: Statement, statements: Sequence[Statement], share: Share
) -> Iterator[tuple[float, int, bool, int]]:
    """The statements on the same topic: closeness, brevity, whether they agree, and index."""
    for index, statement in enumerate(statements):
        closeness = share(wanted.topic, statement.topic)
        if closeness >= SAME_TOPIC or _replaces_word(wanted, statement):
            yield closeness, -len(statement.words), not denies(wanted, statement), index


def denies(first: Statement, second: Statement) -> bool:
    """Whether one of two statements on the same topic has a "not" where the other has none."""
    if first.denied == second.denied:
        return False
    negations: list[dict[str, bool]] = [{}, {}]
    for statement, negated in zip((first, second), negations, strict=True):
        for word in statement.sequence:
            # A word is negated by a "not", or because it replaces its opposite.
            plain, is_opposite = replace_opposite(word)
            negated[plain] = is_opposite != (word in statement.negated)
    ours, theirs = negations
    return any(ours[word] != theirs[word] for word in ours.keys() & theirs.keys())


def differs(first: Statement, second: Statement) -> bool:
    """Whether a statement, for all the words it shares with another, is about something else."""
    if first.limits & _LIMITS - second.limits:
        return True
    first_words, second_words = first.words - second.words, second.words - first.words
    unlike = any(frozenset((a, b)) in _UNLIKE for a in first_words for b in second_words)
    return unlike or _replaces_word(first, second) or reverses_order(first, second)


def _replaces_word(first: Statement, second: Statement) -> bool:
    """Whether exactly one word is different; a word in place of a number is only less exact."""
    shared = first.words & second.words
    if len(shared) < _MIN_SHARED or not len(first.words) == len(second.words) == len(shared) + 1:
        return False
    return bool(figures(first.words - shared)) or not figures(second.words - shared)


def reverses_order(first: Statement, second: Statement) -> bool:
    """Whether two statements order things oppositely: this before that, that before this."""
    for pivot, left, right in relations(first):
        for other_pivot, other_left, other_right in relations(second):
            if pivot == other_pivot and left & other_right - right and right & other_left - left:
                return True
    # One says "before" and the other "after", and not of the same two things in turn.
    first_words, second_words = ({"after", "before"} & set(side.sequence) for side in (first, second))
    if first_words | second_words == {"after", "before"} and not first_words & second_words:
        in_turn = any(
            left & other_left and right & other_right
            for _, left, right in relations(first)
            for _, other_left, other_right in relations(second)
        )
        return not in_turn or _swaps_words(first, second)
    return _swaps_words(first, second)


def _swaps_words(first: Statement, second: Statement) -> bool:
    """Whether two words, apart from each other, have changed places, and no passive "by" explains it."""
    if (" by " in first.text) != (" by " in second.text):
        return False
    first_words = [word for word in first.sequence if word in second.words]
    second_words = [word for word in second.sequence if word in first.words]
    if len(first_words) != len(second_words):
        return False
    pairs = list(zip(first_words, second_words, strict=True))
    indexes = [index for index, (word, other) in enumerate(pairs) if word != other]
    if len(indexes) != 2 or indexes[1] - indexes[0] < 2:  # neighbours are only another wording
        return False
    left, right = indexes
    return pairs[left] == pairs[right][::-1]


def comparable_claim(text: str) -> Claim:
    """A normalised claim that also knows up from down, before from after, and from-to."""
    lower = text.lower()
    small = {(stem(word),) for word in _SMALL_WORDS.findall(lower)}
    claim = normalised_claim(text)
    claim = claim._replace(words=claim.words | small)
    commands, sorts = bool(_COMMAND.search(lower)), bool(_SORTING.search(lower))
    if commands:
        claim = replace_opposites(claim, _COMMAND_OPPOSITES)
    if sorts:
        claim = replace_opposites(claim, _SORT_OPPOSITES)
    ways = {(stem(source), stem(target)) for source, target in _FROM_TO.findall(lower)}
    orders = [
        # Without numbers: another number is a contradiction anyway.
        (" ".join(sorted(left - figures(left))), " ".join(sorted(right - figures(right))))
        for pivot, left, right in relations(parse_statement(text))
        if pivot == "before"
    ]
    claim = _with_relations(claim, "from", ways, exclusive=sorts)
    return _with_relations(claim, "before", orders, exclusive=commands)


def _with_relations(
    claim: Claim, relation: str, pairs: Iterable[tuple[str, str]], *, exclusive: bool
) -> Claim:
    """A claim with its relations as words; where only one order can hold, the reverse is a denial."""
    words, denied = set(claim.words), claim.denied
    for pair in pairs:
        first, second = sorted(pair) if exclusive else pair
        words.add((relation, first, second))
        denied ^= (first, second) != pair
    return claim._replace(words=frozenset(words), denied=denied)


class ClaimIndex:
    """Comparable claims, to find those that contradict another."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._same_words: dict[frozenset[Word], list[tuple[int, Claim]]] = {}
        for index, claim in enumerate(claims):
            # A claim with a number needs more words, unless it says what something is set to.
            needs_more = claim.figure and not _ASSIGNMENT.search(claim.text)
            if len(claim.words) >= (MIN_WORDS_WITH_FIGURES if needs_more else MIN_WORDS):
                self._same_words.setdefault(claim.words, []).append((index, claim))

    def contradicting(self, claim: Claim) -> list[int]:
        """The indexes of claims that contradict this one, at most `_MAX_CONTRADICTIONS`."""
        others = self._same_words.get(claim.words, ())
        indexes = (index for index, other in others if contradict(claim, other))
        return list(islice(indexes, _MAX_CONTRADICTIONS))


def contradictions(claims: Sequence[Claim]) -> list[list[int]]:
    """For each claim, the indexes of those it contradicts."""
    return list(map(ClaimIndex(claims).contradicting, claims))
