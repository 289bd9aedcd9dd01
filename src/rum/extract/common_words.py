"""Common words of software projects: alone they do not identify a task."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rum.text.terms import stem

# Irregular forms, whose stem differs from that of the present tense.
_PAST = """
began brought chose drew drove fell felt flew gave grew knew led met paid rose saw sold spoke stood stuck
threw told woke wore wrote
"""
# Words with almost no meaning of their own.
_VAGUE = """
add bug build change check choose code command create data delete detail do document error example feature
file find fix function general get give handle help implement improve info introduce investigate issue item
job line list look make method module name need new note number object option output part plan prepare
problem process program project put read remove rename report result review run set show software source
start step stuff support system task test text thing time together try type update upgrade use user value
version want way work write
"""


def is_common(word: str) -> bool:
    """Whether a word is common in software projects, in any form."""
    return stem(word.lower()) in _common_stems()


def is_vague(word: str) -> bool:
    """Whether a word has almost no meaning of its own."""
    return stem(word.lower()) in _stems(_VAGUE)


@cache
def _common_stems() -> frozenset[str]:
    # The words that occur in the commit messages of most projects, whatever the projects are about.
    words = Path(__file__).with_name("common_words.txt").read_text("utf-8")
    return _stems(words + _PAST)


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))
