"""The stemmer against the one inside SQLite, over real words and over words made to be awkward."""

import random
import re
import sqlite3
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest

from rum.text.terms import stem

SUFFIXES = """
ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness
aliti iviti biliti ical ness icate iciti ful ative alize al ance ence er ic able ible ant ement ment ent ion
ou ism ate iti ous ive ize eed ed ing s es ies sses y e ll
"""


def differences(words: Iterable[str]) -> list[tuple[str, str, str]]:
    """Every word that SQLite stems otherwise: the word, our stem, SQLite's."""
    listed = sorted(words)
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE VIRTUAL TABLE word USING fts5(text, tokenize='porter ascii')")
        db.execute("CREATE VIRTUAL TABLE stemmed USING fts5vocab(word, instance)")
        db.executemany("INSERT INTO word(rowid, text) VALUES (?, ?)", enumerate(listed))
        found = dict(db.execute("SELECT doc, term FROM stemmed").fetchall())
    db.close()
    assert len(found) == len(listed)
    return [(w, stem(w), found[row]) for row, w in enumerate(listed) if stem(w) != found[row]]


def test_every_word_of_the_standard_library_is_stemmed_as_sqlite_does():
    words: set[str] = set()
    for source in Path(sysconfig.get_paths()["stdlib"]).glob("*.py"):
        words.update(re.findall("[a-z]+", source.read_text("utf-8", "replace").lower()))
    assert len(words) > 10_000
    assert differences(words) == []


def test_words_made_of_random_letters_and_real_suffixes_are_stemmed_as_sqlite_does():
    draw = random.Random(7)
    roots = ("".join(draw.choices("aeiouybcdlstxw", k=draw.randint(1, 6))) for _ in range(40_000))
    suffixes = SUFFIXES.split()
    assert differences({root + draw.choice(suffixes) + draw.choice(["", *suffixes]) for root in roots}) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("connect connects connected connecting connection connections", "connect"),
        ("token tokens", "token"),
        ("retry retries retried", "retri"),
        ("cache caches cached caching", "cach"),
    ],
)
def test_forms_of_one_word_share_a_stem(words: str, expected: str):
    assert {stem(word) for word in words.split()} == {expected}


@pytest.mark.parametrize("word", ["", "a", "is", "as", "s" * 65, "ing" * 30])
def test_very_short_and_very_long_words_are_unchanged(word: str):
    assert stem(word) == word
