"""Split text into sentences; find prose between code, headings and references; find Markdown code fences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

# Patterns are compiled at their first use: hooks import this module and need few of them.
_compiled = cache(re.compile)

LONGEST_TEXT = 6000  # Characters of a text that `prose_sentences` reads

_CLOSERS = r"""["')\]`]{0,2}"""
# Chinese and Japanese write no blank between sentences.
_WIDE_END = r"[。！？][”’」』）)]{0,2}"
_CAPITALS = "A-ZÀ-ÖØ-ÞĄĆĘŁŃŚŹŻŒŠŽА-ЯЁІЇЄҐ"
# A capital, digit or code sign must follow: "0.5 s. per call" and "file.py is" do not end sentences.
_STRICT_START = rf"""(?:["'(\[`„«]*[{_CAPITALS}0-9]|[`"'(\[/@_]|\.\w|\w{{1,40}}[_:(])"""
_STRICT_END = rf"(?:[.!?]{_CLOSERS}(?=\s+{_STRICT_START})|{_WIDE_END})(\s*)|(\n+)"
_ANY_CASE_END = rf"(?:[.!?]{_CLOSERS}(?=\s)|{_WIDE_END})(\s*)|(\n+)"
_SEMICOLON_END = rf"(?:[.!?;]{_CLOSERS}(?=\s)|{_WIDE_END})(\s*)|(\n+)"
_ABBREVIATION = (
    r"(?i)\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|al|z\. ?B|d\. ?h|u\. ?a|bzw|usw|ca|ggf|evtl|inkl|vgl"
    r"|Nr|p\. ?ex|[A-Z])\.\Z"
)
_MAX_ABBREVIATION = 12
# In `No. 5` the full stop ends no sentence, while "no." alone is one.
_NUMBER_SIGN = r"(?i)\bno\.\s\d"

_NO_PROSE = r"[#>|<$]|={3}|-{3}|[+@-]{2}"
_REFERENCE = (
    r"(?i)(?:assisted|bug|cc|cherry|close[sd]?|co-authored|credits?|discovered|fixe?[sd]?|follow(?:-?up|s)"
    r"|found|links?"
    r"|original|pointed|refs?|references?|regression|related|reported|reverts?|reviewed|see|similar|spotted"
    r"|suggested|thanks|upstream|via|[\w-]{1,30}-by)\b"
)
_REVERTS_COMMIT = r"(?i)(?:this )?(?:partially )?reverts? (?:commits? )?[0-9a-f]{7}"
_WRAPPED = 40  # A line of this many characters that ends within a sentence may continue in the next line
_PLAIN_WORD = r"(?<![\w#/@.-])[a-z]{3,}(?![\w/@])"
_MIN_PLAIN_WORDS = 3  # A line that begins like a reference and has fewer plain words is one
_ITEM = r"(?:[-*+•]|\d{1,2}[.)]) +"
_FOOTNOTE = r" ?\[\d{1,3}\](?=[\s.,;:)]|$)"
_SIGN = r"[^\w\s.,;:'\"()`/-]"
_MIN_LETTERS = 0.55  # The smallest share of a prose sentence that is letters and blanks
# Prose has at most one sign of the kind that programs print in this many characters.
_CHARACTERS_PER_SIGN = 12


def split_sentences(text: str, *, any_case: bool = False, semicolons: bool = False) -> list[str]:
    """Return the sentences of a text, stripped. A line break ends a sentence; an abbreviation does not.

    With `any_case` a sentence may begin with a lower-case letter, as people type prompts and notes.
    `semicolons` ends sentences at semicolons too, and implies `any_case`.
    """
    pattern = _SEMICOLON_END if semicolons else _ANY_CASE_END if any_case else _STRICT_END
    parts, start = list[str](), 0
    for end, following in _ends(text, pattern):
        parts.append(text[start:end].strip())
        start = following
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def prose_sentences(text: str) -> list[str]:
    """Return the sentences of prose: no code, quotations, headings, or lines that only refer elsewhere."""
    return [sentence for block in _blocks(text[:LONGEST_TEXT]) for sentence in split_sentences(block)]


def is_prose(sentence: str) -> bool:
    """Whether a sentence is mostly words, not an address or the output of a program."""
    letters = sum(one.isalpha() or one == " " for one in sentence)
    signs = len(_compiled(_SIGN).findall(sentence))
    return (
        letters >= _MIN_LETTERS * len(sentence)
        and (signs - 2) * _CHARACTERS_PER_SIGN <= len(sentence)
        and "://" not in sentence
    )


def _ends(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """Where each sentence but the last ends, and where the next one begins."""
    start = 0
    for match in _compiled(pattern).finditer(text):
        end = match.start(1) if match[1] is not None else match.start(2)
        if match[1] and "\n" not in match[1]:
            window = max(start, end - _MAX_ABBREVIATION)
            if _compiled(_ABBREVIATION).search(text, window, end) or _compiled(_NUMBER_SIGN).match(
                text, max(start, end - 3)
            ):
                continue
        yield end, match.end()
        start = match.end()


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs and list items, each joined into one line."""
    block, in_reference = list[str](), False
    for written in lines_outside_code(text.splitlines()):
        line = " ".join(written.split())
        item = _compiled(_ITEM).match(line)
        indented = written.startswith(("    ", "\t")) and not item and not block
        prose, in_reference = _without_references(line, in_reference and not block)
        skipped = indented or not prose or _compiled(_NO_PROSE).match(line)
        if block and (item or skipped or prose != line):
            yield _compiled(_FOOTNOTE).sub("", " ".join(block))
            block = []
        if not skipped:
            block.append(prose[item.end() :] if item else prose)
    if block:
        yield _compiled(_FOOTNOTE).sub("", " ".join(block))


def _without_references(line: str, in_reference: bool) -> tuple[str, bool]:
    """A line without the sentences at its start that only refer elsewhere.

    `in_reference` says that such a sentence began in the line before; returned is whether one continues in
    the next line.
    """
    continues = False
    while line:
        end, following = next(_ends(line, _STRICT_END), (len(line), len(line)))
        first = line[:end]
        reverts = bool(_compiled(_REVERTS_COMMIT).match(first))
        refers = (
            _compiled(_REFERENCE).match(first)
            and len(_compiled(_PLAIN_WORD).findall(first)) < _MIN_PLAIN_WORDS
        )
        if not (reverts or refers or (in_reference and line[0].islower())):
            break
        line = line[following:]
        wrapped = in_reference or len(first) >= _WRAPPED or reverts
        in_reference = False
        continues = not line and wrapped and not first.endswith((".", "!", "?"))
    return line, continues


_OPENS = r" {0,3}(?:(?P<ticks>`{3,})[^`]*|(?P<waves>~{3,}).*)"
_CLOSES = r" {0,3}(`{3,}|~{3,})[ \t]*"


def fenced_lines(lines: list[str]) -> set[int]:
    """The numbers of the lines in code fences; a fence that is never closed does not count."""
    found: set[int] = set()
    unclosed: dict[str, int] = {}
    number = 0
    while number < len(lines):
        mark = fence_marker(lines[number])
        if mark and len(mark) < unclosed.get(mark[0], len(mark) + 1):
            later = range(number + 1, len(lines))
            end = next((index for index in later if closes_fence(lines[index], mark)), None)
            if end is None:
                # No later fence of this length is closed either: searching again would take quadratic time.
                unclosed[mark[0]] = len(mark)
            else:
                found.update(range(number, end + 1))
                number = end
        number += 1
    return found


def lines_outside_code(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines outside code fences, with an empty line for each line of a fence.

    Unlike in `fenced_lines`, a fence that is never closed extends to the end, as the text may have been cut;
    and it may be indented, as in a list.
    """
    mark: str | None = None
    for line in lines:
        if mark is not None:
            mark = None if closes_fence(line.lstrip(), mark) else mark
            yield ""
        else:
            mark = fence_marker(line.lstrip())
            yield line if mark is None else ""


def fence_marker(line: str) -> str | None:
    """The marks with which a line opens a code fence."""
    found = _compiled(_OPENS).fullmatch(line)
    return (found["ticks"] or found["waves"]) if found else None


def closes_fence(line: str, mark: str) -> bool:
    """Whether a line closes a code fence that was opened with these marks."""
    found = _compiled(_CLOSES).fullmatch(line)
    return found is not None and found[1].startswith(mark)


def open_fence(text: str) -> str | None:
    """The marks that close the code fence in which a text ends, if it ends in one."""
    mark: str | None = None
    for line in text.split("\n"):
        if mark is None:
            mark = fence_marker(line.rstrip("\r"))
        elif closes_fence(line.rstrip("\r"), mark):
            mark = None
    return mark
