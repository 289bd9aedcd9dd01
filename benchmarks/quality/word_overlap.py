"""Content words with crude stems, to describe the data (not used for search)."""

from __future__ import annotations

import re

EVERYWHERE = """
a about after all also am an and any are as at be because been before being but by can could did do does for
from get had has have he her here him his how i if in into is it its just let like may me more my no not now
of off old on one only or other our out over own see she should so some such than that the their them then
there these they this those to too two up us use was we were what when where which while who whose why will
with would you your
"""
COMMON = frozenset(EVERYWHERE.split())
ENDING = re.compile(r"(?<=\w{3})(?:ings?|ed|ies|ie|es|s|e|y)$")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def stem(word: str) -> str:
    """A word without its common ending and without a doubled last letter."""
    return re.sub(r"(\w)\1$", r"\1", ENDING.sub("", word))


def content_words(text: str) -> set[str]:
    """The stems of a text's words, identifiers split, without the words that every text has."""
    words = re.findall(r"[^\W_]+", HUMP.sub(" ", text).lower())
    return {stem(word) for word in words if word not in COMMON}
