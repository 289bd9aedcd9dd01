"""Recognise the specific things that a text names: files, names of code, versions, amounts."""

from __future__ import annotations

import re

from rum.text.patterns import FILE_EXTENSIONS

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


def is_specific(text: str) -> bool:
    """Whether a text names something specific: a file, a name, a version, an amount, or the project."""
    return has_names(text) or bool(re.search(_PROJECT, text))


def has_names(text: str) -> bool:
    """Whether a text has such names; "we" and "the project", which occur anywhere, do not count."""
    return bool(re.search(_NAMED, text))


def paths_in(text: str) -> list[str]:
    """The files and folders that a text names, each once."""
    return list(dict.fromkeys(match[0].rstrip(".,:;") for match in re.finditer(PATH, text)))
