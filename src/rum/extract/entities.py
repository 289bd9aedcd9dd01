"""Recognise what a text names: files, names of code, versions, amounts; and words too common for a name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from rum.text.patterns import FILE_EXTENSIONS
from rum.text.terms import stem

# Wider than `text.patterns`: outputs also name globs (`src/*.py`) and placeholders (`users/<id>/`).
# A file or a folder.
PATH = (
    r"(?<![\w/:.@])(?:\.{0,2}/)?(?:[\w.@*<>{}\[\]-]{1,80}/){1,20}[\w.@*<>{}\[\]-]{0,80}"
    rf"|(?<![\w/:.@-])[\w-]{{1,80}}\.(?:{FILE_EXTENSIONS})\b(?!\()"
)
# A name of code: in backticks, camelCase, snake_case, a call, a.b.
NAME = (
    r"`[^`\n]{1,120}`"
    r"|\b[a-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{0,40}){1,8}\b"
    r"|\b(?:[A-Z][a-z0-9]{1,40}){2,8}\b"
    r"|\b[A-Za-z0-9]{1,40}(?:_[A-Za-z0-9]{1,40}){1,8}\b"
    r"|\b[\w.]{1,60}\(\)"
    r"|\b[a-z]\w{1,40}\.[a-z]\w{1,40}\b"
)
# A capitalised word inside a sentence, or a word in capitals.
PRODUCT = r"(?<=[a-z,(] )[A-Z][A-Za-z]{2,40}\d{0,2}\b|\b[A-Z]{2,12}\d{0,3}\b"
# Units, which make a number an amount and not a version.
UNITS = r"\s?(?:%|[kMGT]i?B\b|ms\b|s\b|sec|min|hour|day|week|x\b|px\b|million|rows|requests|times)"
_NO_UNIT = rf"(?!\d|\.\d|{UNITS})"
# A version number, or a name with one.
VERSION = (
    rf"\bv?\d{{1,3}}(?:\.\d{{1,4}}){{1,3}}(?:\.x)?{_NO_UNIT}"
    rf"|(?-i:\b[A-Z][A-Za-z+#]{{0,40}}(?:\.[A-Za-z]{{1,20}})?) \d{{1,3}}(?:\.x)?\b{_NO_UNIT}"
    rf"|\b[\w-]{{1,60}}@[\^~]?\d[\w.]{{0,20}}"
)
# As `VERSION`, for sentences about versions, where a lower-case name may have one too.
VERSION_IN_TEXT = rf"{VERSION}|\b[a-z][\w-]{{1,40}} \d{{1,3}}\b{_NO_UNIT}"
_PROJECT = (
    r"(?i)\b(?:we|our|us|the team|this (?:project|repo\w*|code ?base|service|app)"
    r"|the (?:project|product|repo\w*|code ?base|ci|build|container|runners?))\b"
)
_NAMED = rf"{PATH}|{NAME}|{VERSION}|{PRODUCT}|\b\d+ ?[MGk]?B\b|\b[a-z]+\d+\b"
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


def is_specific(text: str) -> bool:
    """Whether a text names something specific: a file, a name, a version, an amount, or the project."""
    return has_names(text) or bool(re.search(_PROJECT, text))


def has_names(text: str) -> bool:
    """Whether a text has such names; "we" and "the project", which occur anywhere, do not count."""
    return bool(re.search(_NAMED, text))


def paths_in(text: str) -> list[str]:
    """The files and folders that a text names, each once."""
    return list(dict.fromkeys(match[0].rstrip(".,:;") for match in re.finditer(PATH, text)))


def is_common(word: str) -> bool:
    """Whether a word is common in software projects, in any form."""
    return stem(word.lower()) in _common_stems()


def is_part_of_common(name: str) -> bool:
    """Whether a name is part of a word that is common in software projects, as "orm" is of "format"."""
    return any(name.lower() in word for word in _common_stems())


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
