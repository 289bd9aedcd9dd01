"""Parse statements, so that `claim_comparison` can compare them.

A `Claim` is a set of words, with a denial and a number. A `Statement` keeps the order of its words, and which
of them limit or reverse its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from zlib import crc32

from rum.text.lexicon import word_set
from rum.text.sentences import lines_outside_code, prose_sentences, split_sentences
from rum.text.shorten import one_line
from rum.text.terms import content_words, says_little, stem, terms
from rum.text.word_weights import Words

Word = tuple[str, ...]  # A word as its index terms

MAX_LENGTH = 300  # Characters; a longer statement is a paragraph that says many things
MIN_WORDS = 2
MIN_WORDS_WITH_FIGURES = 3
FROM_TO = "to"  # The word for "to" in "from A to B", between the words of A and those of B
# Small words that limit or reverse a statement: with another one it is another statement.
LIMITING = word_set(
    """
    above after before below down except few fewer if instead less more most off only out over rather some
    than under unless until up when
    """
)

_MAX_CLAIMS = 200
_MAX_CONTENT = 20_000  # Characters of an entry that are read; an entry can hardly be longer
_MAX_STATEMENT = 1200

_CLAUSE_ENDS = re.compile(r"[,;:] | - | (?:and|because|but|or|since|so|unless|which|while) ", re.IGNORECASE)
_LINE_SIGNS = re.compile(r"^[ \t]*[#|<]+", re.MULTILINE)
_LIST_MARK = re.compile(r"^\s*(?:[-*+>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)*")
_EMPHASIS_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_DENIAL = re.compile(
    r"\b(?:no longer|not|never|no|none|without|avoid|cannot|neither|nor|"
    r"(?:do|does|did|is|are|was|were|ca|could|should|must|wo|would|has|have|had|need)n['’]?t)\b",
    re.IGNORECASE,
)
# Words that deny without a "not".
_WORDED_DENIAL = re.compile(
    r"\b(?:nobody|nothing|nowhere|hardly|rarely|seldom|(?:refuses?|refused|unable) to)\b", re.IGNORECASE
)
_EMPHASIS = re.compile(
    r"\b(?:always|ever|really|still|now|currently|instead|anymore|any more)\b", re.IGNORECASE
)
# Things whose number is their name: a different number does not contradict.
_NUMBERED_THING = re.compile(
    r"\b(attempt|case|chapter|day|example|figure|issue|item|line|page|part|phase|point|pr|round|run|section|"
    r"sprint|stage|step|table|task|test|week)s? +#?(\d)",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"(?<![\w.])v?\d+(?:[.,:]\d+)*", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"“”«»/\\|`]+|,(?=\s)")
_FROM_TO = re.compile(r"\bfrom\s+([^,;:.]{1,60}?)\s+to\b", re.IGNORECASE)
_NAME = re.compile(r".[A-Z]|\w[_./]\w|\d")
_NUMBER_WORDS = frozenset(
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twice", "half", "double"]
)
# Words that relate the words before them to the words after them.
_PIVOTS = frozenset(("after", "before", "than", "instead", "rather", "over", "until", FROM_TO))
# Words that only say that something holds or is to be done; compared unstemmed, as "us" is not "use".
_FILLERS = word_set(
    """
    all also always any anymore currently each ensure ever every everything just let make makes must now
    please prefer really remember should still sure too use used uses using
    """
)
_FILLER_STEMS = frozenset(map(stem, word_set("use using used must prefer make sure ensure let")))


def stem_pairs(pairs: str) -> dict[str, str]:
    """A table of opposites, from `word/opposite` pairs, both stemmed."""
    return {stem(word): stem(opposite) for word, opposite in (pair.split("/") for pair in pairs.split())}


_OPPOSITES = stem_pairs(
    """
    fails/works failed/works broken/works disable/enable unsafe/safe slower/faster unreliable/reliable
    insufficient/sufficient unsupported/supported invalid/valid forbidden/allowed disallowed/allowed
    optional/required unnecessary/needed necessary/needed
    """
)
_SYNONYMS = frozenset((stem("necessary"),))  # Words of that table which mean the same, not the opposite


class Claim(NamedTuple):
    """A statement as the set of words it is about, whether it denies them, its number, and its text."""

    words: frozenset[Word]
    denied: bool
    figure: str
    text: str

    @property
    def all_words(self) -> frozenset[Word]:
        """The words it is about, including its number."""
        return self.words | {(self.figure,)} if self.figure else self.words

    @property
    def figures(self) -> frozenset[str]:
        """All its numbers."""
        return frozenset(word[0] for word in self.all_words if word[0][:1].isdigit())

    @property
    def meaning(self) -> tuple[frozenset[Word], bool]:
        """Equal for two statements that say the same."""
        return self.all_words, self.denied

    @property
    def key(self) -> int:
        """A hash of the words; different words seldom have the same."""
        return crc32(" ".join(sorted("/".join(word) for word in self.words)).encode())

    @property
    def stance(self) -> int:
        """A hash of denial and number: two statements can contradict each other only if it differs."""
        return crc32(f"{self.denied} {self.figure}".encode())


class Statement(NamedTuple):
    """A parsed sentence or clause."""

    sequence: tuple[str, ...]  # The words that carry meaning or limit it, stemmed, in order
    words: Words  # The same as a set, with "before" for "after"
    limits: Words  # Those among them that limit or reverse the statement
    names: Words  # Those of names and numbers
    negated: Words  # Those after a "not"
    opening: int  # The number of them before the first comma
    denied: bool
    text: str

    @property
    def topic(self) -> Words:
        """The words it is about."""
        return self.words - self.limits


def claims_in(content: str) -> list[Claim]:
    """The claims of a Markdown text, in order, without headings, tables and code."""
    claims = map(parse_claim, _sentences(content, MAX_LENGTH))
    telling = (
        claim
        for claim in claims
        if len(claim.words) >= (MIN_WORDS_WITH_FIGURES if claim.figure else MIN_WORDS)
    )
    return list(islice(telling, _MAX_CLAIMS))


def all_claims_in(content: str) -> list[Claim]:
    """The claims of a Markdown text, including headings, table rows and those of a single word."""
    plain = _LINE_SIGNS.sub("", content[:_MAX_CONTENT])
    claims = (parse_claim(text) for text in _sentences(plain, _MAX_CONTENT))
    return [claim for claim in islice(claims, _MAX_CLAIMS) if claim.all_words]


def _sentences(content: str, max_length: int) -> Iterator[str]:
    for line in lines_outside_code(content[:_MAX_CONTENT].split("\n")):
        if not line.lstrip().startswith(("#", "|", "<")):
            plain = _EMPHASIS_MARKS.sub("", _LIST_MARK.sub("", line))
            sentences = split_sentences(plain, semicolons=True)
            yield from (sentence for sentence in sentences if len(sentence) <= max_length)


def parse_claim(text: str) -> Claim:
    """One statement as a claim."""
    joined = _NUMBERED_THING.sub(r"\1\2", text)
    figures = {figure.lower().lstrip("v") for figure in _FIGURES.findall(joined)}
    plain, denials = _DENIAL.subn(" ", _FIGURES.sub(" ", joined) if figures else joined)
    # Two denials cancel out: "never without a lock" demands a lock.
    denied = denials % 2 == 1
    words = frozenset(content_words(_EMPHASIS.sub(" ", plain)))
    # Only a single number can be contradicted by another one; several are part of the words.
    if len(figures) == 1:
        return Claim(words, denied, figures.pop(), text)
    return Claim(words | {(figure,) for figure in figures}, denied, "", text)


def claim_and_clauses(claim: Claim) -> list[Claim]:
    """A claim, and those of its clauses that carry meaning alone."""
    return [claim, *(part for part in map(parse_claim, _split_clauses(claim.text)) if part.all_words)]


def _split_clauses(text: str) -> list[str]:
    """The clauses of a statement; empty if it has only one."""
    parts = _CLAUSE_ENDS.split(text)
    return parts if len(parts) > 1 else []


@lru_cache(maxsize=4096)
def normalised_claim(text: str) -> Claim:
    """A claim in which "fails" is a denied "works", so that opposite opinions have the same words."""
    claim = parse_claim(_with_explicit_not(text))
    return replace_opposites(claim, _OPPOSITES)._replace(text=text)


def replace_opposites(claim: Claim, opposites: Mapping[str, str]) -> Claim:
    """A claim with each word of the table replaced by its opposite, which reverses the denial."""
    denied, words = claim.denied, set[Word]()
    for word in claim.words:
        opposite = opposites.get(word[0]) if len(word) == 1 else None
        if opposite and word[0] not in _SYNONYMS:
            denied = not denied
        if word[0] not in _FILLER_STEMS or len(word) > 1:
            words.add((opposite,) if opposite else word)
    return claim._replace(words=frozenset(words), denied=denied)


def replace_opposite(word: str) -> tuple[str, bool]:
    """A word, or its opposite if it has one, and whether that reverses the meaning."""
    opposite = _OPPOSITES.get(word)
    return opposite or word, opposite is not None and word not in _SYNONYMS


def _with_explicit_not(text: str) -> str:
    """A text with "not" for each word that denies without one, such as "rarely"."""
    return _WORDED_DENIAL.sub("not", text)


@lru_cache(maxsize=4096)
def parse_statement(text: str) -> Statement:
    """A parsed sentence or clause."""
    plain = one_line(text[:_MAX_STATEMENT])
    sequence, names, opening = list[str](), set[str](), 0
    for number, written in enumerate(_WORD.findall(_FROM_TO.sub(r"\1 →", plain))):
        if written.startswith(","):
            opening = opening or len(sequence)
            continue
        sequence += (found := _terms_of(written))
        # A name or a number; the capital at the start of a sentence does not count.
        shape = written if number else written[:1].lower() + written[1:]
        if _NAME.search(shape) or shape[:1].isupper() or shape.lower() in _NUMBER_WORDS:
            names.update(found)
    # The words after a denial, up to the end of its clause, are negated.
    explicit, negated = _with_explicit_not(plain), set[str]()
    for clause in _split_clauses(explicit) or [explicit]:
        if denial := _DENIAL.search(clause):
            negated.update(*map(_terms_of, _WORD.findall(clause[denial.end() :])))
    # "A after B" and "B before A" have the same words; their order shows which comes first.
    words = frozenset("before" if word == "after" else word for word in sequence)
    return Statement(
        sequence=tuple(sequence),
        words=words,
        limits=words & (LIMITING | {FROM_TO}),
        names=frozenset(names) - LIMITING,
        negated=frozenset(negated),
        opening=opening,
        denied=normalised_claim(plain).denied,
        text=plain,
    )


def parse_clauses(text: str) -> list[Statement]:
    """The clauses of a statement that carry meaning alone; the whole statement if none does."""
    plain = one_line(text[:_MAX_STATEMENT])
    clauses = [clause for clause in map(parse_statement, _split_clauses(plain)) if clause.topic]
    return clauses or [parse_statement(plain)]


@lru_cache(maxsize=512)
def parse_sentences(text: str) -> tuple[Statement, ...]:
    """Every sentence of a text and every clause of it, each once."""
    sentences = prose_sentences(text) or [one_line(text[:_MAX_STATEMENT])]
    parsed = (one for text in sentences for one in (parse_statement(text), *parse_clauses(text)))
    return tuple({statement.text: statement for statement in parsed if statement.topic}.values())


def relations(statement: Statement) -> Iterator[tuple[str, Words, Words]]:
    """Each word that relates two sides, with the words of both sides; "after" is given as "before"."""
    for index, word in enumerate(statement.sequence):
        if word not in _PIVOTS:
            continue
        left, right = statement.sequence[:index], statement.sequence[index + 1 :]
        if not index and statement.opening:  # "Before this, do that"
            left, right = statement.sequence[statement.opening :], statement.sequence[1 : statement.opening]
        first, second = frozenset(left), frozenset(right)
        yield ("before", second, first) if word == "after" else (word, first, second)


@lru_cache(maxsize=2048)
def _terms_of(word: str) -> tuple[str, ...]:
    """The terms of a word that carry meaning or limit it."""
    lower = word.strip(".'*_-").lower()
    if lower == "→":
        return (FROM_TO,)
    if lower in LIMITING:
        return (lower,)
    if lower in ("added", "adding"):
        return ("add",)  # whose stem is another word's, `ad`
    return () if lower in _FILLERS else tuple(term for term in terms(word) if not says_little((term,)))
