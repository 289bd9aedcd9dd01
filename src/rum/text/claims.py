"""Statements that cannot both hold: the same words, but one has a "not" in it, or another number.

A number counts where it is the only one and no name: "after 30 minutes", but not "step 2" or "3 of 4".

That is all that is recognised, so that what is called a contradiction is one; what is said in other words is
left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from zlib import crc32

from rum.text.code_fence import closes, opening
from rum.text.terms import content_words


class Claim(NamedTuple):
    """A statement: the words it is about, whether it denies them, its number, and as it was written."""

    words: frozenset[tuple[str, ...]]
    denied: bool
    figure: str
    text: str

    @property
    def every_word(self) -> frozenset[tuple[str, ...]]:
        """The words it is about, its number among them."""
        return self.words | {(self.figure,)} if self.figure else self.words

    @property
    def figures(self) -> frozenset[str]:
        """All its numbers."""
        return frozenset(word[0] for word in self.every_word if word[0][:1].isdigit())

    @property
    def said(self) -> tuple[frozenset[tuple[str, ...]], bool]:
        """What two statements share that say the same."""
        return self.every_word, self.denied

    @property
    def key(self) -> int:
        """A short number for the words; other words seldom have the same."""
        return crc32(" ".join(sorted("/".join(word) for word in self.words)).encode())

    @property
    def stance(self) -> int:
        """A short number for what is said of them: only where it differs may two statements contradict."""
        return crc32(f"{self.denied} {self.figure}".encode())


LONGEST = 300
"""Characters; a longer statement is a paragraph that says many things."""
FEWEST_WORDS = 2
FEWEST_WORDS_WITH_FIGURES = 3
_MUCH_THE_SAME = 0.75
_MOST = 200
_READ = 20_000
"""Characters of an entry that are looked at: more than anybody may add at once."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?;])\s+")
_CLAUSE_ENDS = re.compile(r"[,;:] | - | (?:and|because|but|or|since|so|unless|which|while) ", re.IGNORECASE)
_SIGNS = re.compile(r"^[ \t]*[#|<]+", re.MULTILINE)
_LEAD = re.compile(r"^\s*(?:[-*+>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)*")
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
DENIALS = re.compile(
    r"\b(?:no longer|not|never|no|none|without|avoid|cannot|neither|nor|"
    r"(?:do|does|did|is|are|was|were|ca|could|should|must|wo|would|has|have|had|need)n['’]?t)\b",
    re.IGNORECASE,
)
"""What turns a statement into its opposite."""
_EMPHASIS = re.compile(
    r"\b(?:always|ever|really|still|now|currently|instead|anymore|any more)\b", re.IGNORECASE
)
_NAMED = re.compile(
    r"\b(attempt|case|chapter|day|example|figure|issue|item|line|page|part|phase|point|pr|round|run|section|"
    r"sprint|stage|step|table|task|test|week)s? +#?(\d)",
    re.IGNORECASE,
)
"""What has a number for its name: that of another one is no contradiction."""
_FIGURES = re.compile(r"(?<![\w.])v?\d+(?:[.,:]\d+)*", re.IGNORECASE)


def claims(content: str) -> list[Claim]:
    """The statements of a Markdown text, in order; headings and code say nothing here."""
    found: list[Claim] = []
    for text in _statements(content, LONGEST):
        claim = claim_of(text)
        if len(claim.words) >= (FEWEST_WORDS_WITH_FIGURES if claim.figure else FEWEST_WORDS):
            found.append(claim)
            if len(found) == _MOST:
                break
    return found


def statements(content: str) -> list[Claim]:
    """All statements of a Markdown text, headings and rows too, that have a word which says something."""
    plain = _SIGNS.sub("", content[:_READ])
    found = (claim_of(text) for text in _statements(plain, _READ))
    return [claim for claim in islice(found, _MOST) if claim.every_word]


def clauses(claim: Claim) -> list[Claim]:
    """A statement, and the parts of it that say something by themselves."""
    return [claim, *(part for part in map(claim_of, parted(claim.text)) if part.every_word)]


def parted(text: str) -> list[str]:
    """The clauses of a statement as they are written; none where it has but one."""
    parts = _CLAUSE_ENDS.split(text)
    return parts if len(parts) > 1 else []


def at_odds(one: Claim, other: Claim) -> bool:
    """Whether two statements on much the same say otherwise: one has a "not" in it, or another number.

    This is less strict than `contradict`: rather than a contradiction it tells that one is no repetition of
    the other.
    """
    if one.words.isdisjoint(other.words):
        return False
    mine, theirs = (
        frozenset(word for word in claim.words if not word[0][:1].isdigit()) for claim in (one, other)
    )
    fewer = min(len(mine), len(theirs))
    if mine != theirs and (fewer < FEWEST_WORDS or len(mine & theirs) < _MUCH_THE_SAME * fewer):
        return False
    news = one.figures - other.figures
    return one.denied != other.denied or bool(news and other.figures)


def contradict(one: Claim, other: Claim) -> bool:
    """Whether two statements cannot both hold."""
    if one.words != other.words:
        return False
    if one.figure != other.figure:
        return one.denied == other.denied and bool(one.figure and other.figure)
    return one.denied != other.denied


def claim_of(text: str) -> Claim:
    """One statement, taken apart."""
    named = _NAMED.sub(r"\1\2", text)
    figures = {figure.lower().lstrip("v") for figure in _FIGURES.findall(named)}
    said, denials = DENIALS.subn(" ", _FIGURES.sub(" ", named) if figures else named)
    denied = denials % 2 == 1
    words = frozenset(content_words(_EMPHASIS.sub(" ", said)))
    if len(figures) == 1:
        return Claim(words, denied, figures.pop(), text)
    return Claim(words | {(figure,) for figure in figures}, denied, "", text)


def _statements(content: str, longest: int) -> Iterator[str]:
    fence: str | None = None
    for line in content[:_READ].split("\n"):
        if fence is not None:
            fence = None if closes(line, fence) else fence
        elif (fence := opening(line)) is None and not line.lstrip().startswith(("#", "|", "<")):
            for sentence in _SENTENCE_ENDS.split(_MARKS.sub("", _LEAD.sub("", line))):
                if 0 < len(text := sentence.strip()) <= longest:
                    yield text
