"""The sentences of a text that people wrote for people, without code, references and what programs print."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_TEXT = 6000
"""Characters of a text that are looked at."""

_FENCE = re.compile(r"(?:```|~~~)")
_NO_PROSE = re.compile(r"[#>|<$]|={3}|-{3}|[+@-]{2}")
_POINTER = re.compile(
    r"(?:assisted|bug|cc|cherry|close[sd]?|co-authored|credits?|discovered|fixe?[sd]?|follow(?:-?up|s)|found|links?"
    r"|original|pointed|refs?|references?|regression|related|reported|reverts?|reviewed|see|similar|spotted"
    r"|suggested|thanks|upstream|via|[\w-]{1,30}-by)\b",
    re.IGNORECASE,
)
_UNDOES = re.compile(r"(?:this )?(?:partially )?reverts? (?:commits? )?[0-9a-f]{7}", re.IGNORECASE)
_WRAPPED = 40
"""A line of so many characters that ends within a sentence may go on in the next."""
_PLAIN_WORD = re.compile(r"(?<![\w#/@.-])[a-z]{3,}(?![\w/@])")
_FEWEST_PLAIN = 3
"""A line that begins like a reference, and has fewer plain words than these, is one."""
_ITEM = re.compile(r"(?:[-*+•]|\d{1,2}[.)]) +")
_FOOTNOTE = re.compile(r" ?\[\d{1,3}\](?=[\s.,;:)]|$)")
_END = re.compile(r"""[.!?]["')\]]{0,2}( )(?=["'(\[`]?[A-Z0-9]|`|\w{1,40}[_:(])""")
_SHORTENED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|al|[A-Z])\.\Z", re.IGNORECASE)
_SHORT = 12
"""Characters at the end of a sentence in which an abbreviation would stand."""
_SIGN = re.compile(r"[^\w\s.,;:'\"()`/-]")
_LETTERS = 0.55
"""The least share of a sentence that must be letters and blanks."""
_SIGNS = 12
"""Characters for each sign that only programs print."""


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each on one line."""
    return [sentence for block in _blocks(text[:LONGEST_TEXT]) for sentence in _parted(block)]


def is_prose(sentence: str) -> bool:
    """Whether a sentence is mostly words, and no address or output of a program."""
    letters = sum(one.isalpha() or one == " " for one in sentence)
    signs = len(_SIGN.findall(sentence))
    return (
        letters >= _LETTERS * len(sentence)
        and (signs - 2) * _SIGNS <= len(sentence)
        and "://" not in sentence
    )


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs and items of lists, each with its lines put together."""
    block, in_code, torn = list[str](), False, False
    for written in text.splitlines():
        line = " ".join(written.split())
        if _FENCE.match(line):
            in_code, line = not in_code, ""
        item = _ITEM.match(line)
        indented = written.startswith(("    ", "\t")) and not item and not block
        told, torn = _without_pointers(line, torn and not block)
        skipped = in_code or indented or not told or _NO_PROSE.match(line)
        if item or skipped or told != line:
            yield from _joined(block)
            block = []
        if not skipped:
            block.append(told[item.end() :] if item else told)
    yield from _joined(block)


def _without_pointers(line: str, torn: bool) -> tuple[str, bool]:
    """A line without the sentences at its beginning that only point elsewhere, or began with such a one.

    Beside it, whether the last of those goes on in the next line.
    """
    goes_on = False
    while line and (_points(line) or (torn and line[0].islower())):
        end = _first_end(line)
        first, line = line[: end.start(1)] if end else line, line[end.end() :] if end else ""
        wrapped = torn or len(first) >= _WRAPPED or bool(_UNDOES.match(first))
        torn, goes_on = False, not line and wrapped and not first.endswith((".", "!", "?"))
    return line, goes_on


def _points(line: str) -> bool:
    """Whether the sentence that a line begins with only points elsewhere or names people."""
    end = _first_end(line)
    first = line[: end.start(1)] if end else line
    return bool(_UNDOES.match(first)) or (
        bool(_POINTER.match(first)) and len(_PLAIN_WORD.findall(first)) < _FEWEST_PLAIN
    )


def _first_end(text: str) -> re.Match[str] | None:
    """Where the first sentence of a text ends, if another one follows."""
    return next(_ends(text), None)


def _joined(lines: list[str]) -> Iterator[str]:
    if lines:
        yield _FOOTNOTE.sub("", " ".join(lines))


def _parted(block: str) -> Iterator[str]:
    start = 0
    for end in _ends(block):
        yield block[start : end.start(1)]
        start = end.end()
    yield block[start:]


def _ends(block: str) -> Iterator[re.Match[str]]:
    """The ends of all sentences but the last; what is only shortened ends none."""
    start = 0
    for end in _END.finditer(block):
        if not _SHORTENED.search(block, max(start, end.start(1) - _SHORT), end.start(1)):
            yield end
            start = end.end()
