"""The evidence for a claim: the memories that support it, those that contradict it, and checks of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from rum.consolidate.chapters.clusters import SAME_MEANING, Similarity
from rum.consolidate.chapters.members import by_time, in_force, texts_of, time_key
from rum.consolidate.chapters.statements import LONGEST_CLAIM, statements_of
from rum.consolidate.counting import file_counts
from rum.model.chapters import Evidence
from rum.model.memory import Memory
from rum.text.claim_comparison import (
    SAME_TOPIC,
    ClaimIndex,
    Stance,
    comparable_claim,
    denies,
    differs,
    stance_on,
)
from rum.text.claims import parse_clauses, parse_sentences, parse_statement
from rum.text.sentences import prose_sentences
from rum.text.shorten import one_line
from rum.text.word_weights import Vocabulary, Words, figures, telling_words

MOST_NAMED = 12  # Memories that are named for a claim: those it quotes, then the newest. All are counted.
_QUOTED = 2  # Maximum number of members that an extracted claim quotes
# Characters of a passage; words of a claim that are further apart do not count as the claim.
_PASSAGE = 800
_MOST_PASSAGES = 40
_CLAUSE = 3  # Words of a clause that is looked for separately: with fewer it may be just a name
# Memories, and texts of each, that are compared with a claim by meaning: each costs a vector.
_COMPARED, _COMPARED_TEXTS = 8, 3
# The share of a claim's words that a memory must have where a sentence of it means what the claim does.
HALF_SUPPORTED = 0.3
# The words that extracted claims add to those of their sources.
_OWN_WORDS = telling_words(
    "failed worked what later succeeded times twice once changed memories memory together former bug "
    "fixes new features refactorings investigations test changes documentation optimizations security "
    "dependency updates configuration repeatedly usually often came chapters several tasks"
)


def make_evidence(
    supporting: Sequence[str], against: Iterable[str], members: Mapping[str, Memory]
) -> Evidence:
    """The evidence of a claim. It names the first two supporting members first, as the claim quotes them."""
    found, opposing = _newest_first(supporting, members), _newest_first(against, members)
    quoted = [members[one] for one in dict.fromkeys(supporting[:_QUOTED]) if one in members]
    named = [*quoted, *(memory for memory in found if memory not in quoted)]
    return Evidence(
        memory_ids=tuple(memory.id for memory in named[:MOST_NAMED]),
        supporting=len(found),
        against=len(opposing),
        against_ids=tuple(memory.id for memory in opposing[:MOST_NAMED]),
        last_confirmed=found[0].created_at if found else 0,
    )


def _newest_first(ids: Iterable[str], members: Mapping[str, Memory]) -> list[Memory]:
    found = (members[one] for one in set(ids) if one in members)
    return sorted(found, key=time_key, reverse=True)


class _Passage(NamedTuple):
    """A paragraph of a memory, or several with the same words."""

    words: Words  # Its own, and those of the goal, which is its subject
    # All texts with these words, as one may deny another; without the goal, which claims nothing.
    texts: list[str]


class Support(NamedTuple):
    """How members stand to a claim: they support it, contradict it, or say it of another subject."""

    supporting: tuple[str, ...]  # Nearest first
    against: tuple[str, ...]
    elsewhere: frozenset[str]


class EvidenceFinder:
    """Finds the members that support a claim. They are read with the first claim."""

    def __init__(self, members: Iterable[Memory], similarity: Similarity | None = None) -> None:
        self._members = {memory.id: memory for memory in in_force(by_time(members))}
        self._similarity = similarity

    @cached_property
    def _passages(self) -> dict[str, list[_Passage]]:
        return {one: _passages(memory) for one, memory in self._members.items()}

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary([one.words for passages in self._passages.values() for one in passages])

    @cached_property
    def _statements(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for one, memory in self._members.items():
            recorded = (*memory.outcome.learnings, *memory.perception.patterns_noticed)
            texts = [*(text[:LONGEST_CLAIM] for text in recorded), *prose_sentences(memory.intent.context)]
            found += ((one, text) for text in texts[:_MOST_PASSAGES])
        return found

    @cached_property
    def _positions(self) -> ClaimIndex:
        return ClaimIndex(comparable_claim(text) for _, text in self._statements)

    def evidence(self, claim: str) -> Evidence:
        """The evidence of a claim; empty if no member supports it."""
        found = self.find(claim)
        return make_evidence(found.supporting, found.against, self._members)

    def find(self, claim: str) -> Support:
        """How the members stand to a claim."""
        wanted = parse_statement(claim).topic or telling_words(claim)
        # Members with a statement that cannot hold beside the claim.
        contradicting = self._positions.contradicting(comparable_claim(claim))
        opposed = list(dict.fromkeys(self._statements[number][0] for number in contradicting))
        shares = {one: self._share(one, wanted) for one in self._members if one not in opposed}
        fitting = [one for one, share in shares.items() if share >= HALF_SUPPORTED]
        near = sorted(fitting, key=lambda one: (-shares[one], one))
        stands = {one: self._stand(one, claim) for one in near}
        agreeing = [one for one in near if stands[one] is Stance.SAYS]
        supporting = [one for one in agreeing if shares[one] >= SAME_TOPIC]
        if self._similarity:
            others = [one for one in agreeing if shares[one] < SAME_TOPIC][:_COMPARED]
            supporting += [one for one in others if self._means(one, claim, self._similarity)]
        against = [*opposed, *(one for one in near if stands[one] is Stance.DENIES)]
        elsewhere = frozenset(one for one in near if stands[one] is Stance.DIFFERS)
        return Support(tuple(supporting), tuple(against), elsewhere)

    def find_parts(self, text: str) -> list[Support]:
        """The same for a text, each of its sentences, and each clause long enough to be a claim."""
        whole = dict.fromkeys((text, *prose_sentences(text)))
        clauses = (part.text for one in whole for part in parse_clauses(one) if len(part.topic) >= _CLAUSE)
        return [self.find(one) for one in dict.fromkeys((*whole, *clauses))]

    def _share(self, memory_id: str, wanted: Words) -> float:
        """The share of a claim's words that one passage of a memory has; 0 if it lacks a number of it."""
        numbers = figures(wanted)
        fitting = (one.words for one in self._passages[memory_id] if not numbers - one.words)
        return max((self._vocabulary.share(wanted, words) for words in fitting), default=0.0)

    def _stand(self, memory_id: str, claim: str) -> Stance:
        """Whether a memory with the words of a claim supports or denies it; the goal is the last resort."""
        wanted = parse_statement(claim).topic
        share = self._vocabulary.share
        fitting = [one for one in self._passages[memory_id] if share(wanted, one.words) >= HALF_SUPPORTED]
        statements = [unit for passage in fitting for text in passage.texts for unit in parse_sentences(text)]
        if not any(share(wanted, one.topic) >= SAME_TOPIC for one in statements):
            statements += parse_sentences(self._members[memory_id].intent.goal[:_PASSAGE])
        return stance_on(claim, statements, share)

    def _means(self, memory_id: str, claim: str, similarity: Similarity) -> bool:
        wanted = parse_statement(claim)
        for statement in statements_of(self._members[memory_id])[:_COMPARED_TEXTS]:
            if similarity(claim, statement.text) >= SAME_MEANING:
                other = parse_statement(statement.text)
                if not denies(wanted, other) and not differs(wanted, other):
                    return True
        return False


def _passages(memory: Memory) -> list[_Passage]:
    """The paragraphs of a memory, each together with the goal, which is its subject."""
    goal = telling_words(memory.intent.goal[:_PASSAGE])
    pieces = (
        (part[start : start + _PASSAGE], number == 0)
        for number, text in enumerate(texts_of(memory))
        for part in text.split("\n\n")
        for start in range(0, len(part), _PASSAGE)
    )
    found = dict[Words, _Passage]()
    for piece, is_goal in islice(pieces, _MOST_PASSAGES):
        words = goal | telling_words(piece)
        passage = found.setdefault(words, _Passage(words, []))
        if not is_goal:
            passage.texts.append(piece)
    return list(found.values())


def memory_words(memory: Memory) -> Words:
    """The telling words of a memory, its file names, its task type and its failure category."""
    names = [*(file.path for file in memory.files), memory.intent.task_type.value]
    category = memory.outcome.failure_category
    texts = [*texts_of(memory), *names, category.value if category else ""]
    return telling_words("\n".join(map(one_line, texts)))


def evidence_problems(
    claims: Sequence[str], evidence: Sequence[Evidence], members: Mapping[str, Memory], least: float = 1.0
) -> list[str]:
    """What is wrong with claims and their evidence; `least` is the share of words that sources must have.

    Every word and number of a claim is looked for in the memories that its evidence names.
    """
    if len(claims) != len(evidence):
        return [f"{len(claims)} claims have {len(evidence)} pieces of evidence"]
    pairs = zip(claims, evidence, strict=True)
    return [
        f"{claim!r}: {problem}" for claim, one in pairs for problem in _problems(claim, one, members, least)
    ]


def word_coverage(claim: str, sources: Sequence[Memory]) -> float:
    """The share of a claim's words that its sources have."""
    wanted = telling_words(claim)
    return len(wanted & _all_words(sources)) / len(wanted) if wanted else 0.0


def unsupported_figures(claim: str, sources: Sequence[Memory]) -> Words:
    """The numbers of a claim that its sources do not have."""
    return figures(telling_words(claim)) - _all_words(sources)


def _all_words(sources: Sequence[Memory]) -> Words:
    return frozenset(word for memory in sources for word in memory_words(memory))


def _problems(claim: str, evidence: Evidence, members: Mapping[str, Memory], least: float) -> Iterator[str]:
    named = (*evidence.memory_ids, *evidence.against_ids)
    if unknown := [one for one in named if one not in members]:
        yield f"it names {unknown[0]}, which is no member"
        return
    if not evidence.memory_ids or evidence.supporting < len(evidence.memory_ids):
        yield f"it names {len(evidence.memory_ids)} sources and counts {evidence.supporting}"
        return
    sources = [members[one] for one in evidence.memory_ids]
    if evidence.last_confirmed < max(memory.created_at for memory in sources):
        yield "a source is newer than its last confirmation"
    wanted = telling_words(claim) - _OWN_WORDS - figures(telling_words(claim))
    missing = wanted - _all_words(sources)
    if len(missing) > (1 - least) * len(wanted):
        yield f"no source says {', '.join(sorted(missing))}"
    # Counting the members gives numbers too: all of them, and those a claim is about.
    current = in_force(members.values())
    kinds = Counter(memory.intent.task_type for memory in current)
    counts = {evidence.supporting, evidence.against, len(current), *kinds.values()}
    counts |= {count for path, count in file_counts(current).items() if path in claim}
    if invented := sorted(unsupported_figures(claim, sources) - set(map(str, counts))):
        yield f"neither a source nor a count says {', '.join(invented)}"
