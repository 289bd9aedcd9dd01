"""What a text speaks of in particular: files, names, versions, amounts."""

from __future__ import annotations

import re
from functools import cache

_ENDINGS = (
    "py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|sh|ps1|toml|ya?ml|json|md|rst|tf"
    "|gradle|xml|html|s?css|vue|svelte|proto|ini|cfg|env|lock|mk"
)
PATH = (
    r"(?<![\w/:.@])(?:\.{0,2}/)?(?:[\w.@*<>{}\[\]-]{1,80}/){1,20}[\w.@*<>{}\[\]-]{0,80}"
    rf"|(?<![\w/:.@-])[\w-]{{1,80}}\.(?:{_ENDINGS})\b(?!\()"
)
"""A file or a folder."""
NAME = (
    r"`[^`\n]{1,120}`"
    r"|\b[a-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{0,40}){1,8}\b"
    r"|\b(?:[A-Z][a-z0-9]{1,40}){2,8}\b"
    r"|\b[A-Za-z0-9]{1,40}(?:_[A-Za-z0-9]{1,40}){1,8}\b"
    r"|\b[\w.]{1,60}\(\)"
    r"|\b[a-z]\w{1,40}\.[a-z]\w{1,40}\b"
)
"""A name of code: something in backticks, camelCase, snake_case, a call, a.b."""
PRODUCT = r"(?<=[a-z,(] )[A-Z][A-Za-z]{2,40}\d{0,2}\b|\b[A-Z]{2,12}\d{0,3}\b"
"""A word with a capital where no sentence begins, or one of capitals."""
UNITS = r"\s?(?:%|[kMGT]i?B\b|ms\b|s\b|sec|min|hour|day|week|x\b|px\b|million|rows|requests|times)"
"""What makes a number an amount instead of a version."""
_NO_UNIT = rf"(?!\d|\.\d|{UNITS})"
VERSION = (
    rf"\bv?\d{{1,3}}(?:\.\d{{1,4}}){{1,3}}(?:\.x)?{_NO_UNIT}"
    rf"|(?-i:\b[A-Z][A-Za-z+#]{{0,40}}(?:\.[A-Za-z]{{1,20}})?) \d{{1,3}}(?:\.x)?\b{_NO_UNIT}"
    rf"|\b[\w-]{{1,60}}@[\^~]?\d[\w.]{{0,20}}"
)
"""A number of a version, or a name with one."""
SAID_VERSION = rf"{VERSION}|\b[a-z][\w-]{{1,40}} \d{{1,3}}\b{_NO_UNIT}"
"""The same in a sentence about versions, where a lower-case name may have one too."""
_OURS = (
    r"\b(?:we|our|us|the team|this (?:project|repo\w*|code ?base|service|app)"
    r"|the (?:project|product|repo\w*|code ?base|ci|build|container|runners?))\b"
)


def is_anchored(text: str) -> bool:
    """Whether it speaks of something in particular: a file, a name, a version, an amount, us."""
    return is_named(text) or bool(_ours().search(text))


def is_named(text: str) -> bool:
    """The same, but for us, who are spoken of everywhere."""
    return bool(_anchor().search(text))


def paths_in(text: str) -> list[str]:
    """Files and folders that a text speaks of, each once."""
    return list(dict.fromkeys(match[0].rstrip(".,:;") for match in _paths().finditer(text)))


@cache
def _anchor() -> re.Pattern[str]:
    return re.compile(rf"{PATH}|{NAME}|{VERSION}|{PRODUCT}|\b\d+ ?[MGk]?B\b|\b[a-z]+\d+\b")


@cache
def _paths() -> re.Pattern[str]:
    return re.compile(PATH)


@cache
def _ours() -> re.Pattern[str]:
    return re.compile(_OURS, re.IGNORECASE)
