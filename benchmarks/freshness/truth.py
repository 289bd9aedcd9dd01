"""What really became of lines of code: `git blame -M -C -w`, and a lexer for what was only formatted anew."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, String
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygments.lexer import Lexer

MIN_FORMATTED = 24  # Characters of code from which a text that is found elsewhere is the same code
# What formatters change: separators, the kind of quotes, parentheses around the only parameter of an arrow
# function; and parentheses around an expression.
_FORMATTING = str.maketrans({"'": '"', "`": '"', **dict.fromkeys(",;", "")})
_PARENTHESES = str.maketrans({"(": "", ")": "", "\\": ""})
_ARROW = re.compile(r"\(([\w$]+)\)=>")
_BLANK = re.compile(r"\s+")


class Code(NamedTuple):
    """The code of a file by line, from 1: without spacing and comments. Lines without code are empty."""

    lines: list[str]

    def text(self, start: int, end: int) -> str:
        """The code of some lines, without what formatters change."""
        return _ARROW.sub(r"\1=>", "".join(self.lines[start : end + 1]).translate(_FORMATTING))

    def whole(self) -> str:
        """The code of the file."""
        return self.text(1, len(self.lines))


class Truth(NamedTuple):
    """What became of a span: `intact`, `formatted`, `grown` or `rewritten`; its new place where it is known.

    `grown` means that each of its lines is there, with new lines between them.
    """

    kind: str
    start: int = 0
    end: int = 0


def is_only_formatted(old: Code, new: Code) -> bool:
    """Whether two versions of a file differ only in what formatters change."""
    return old.whole().translate(_PARENTHESES) == new.whole().translate(_PARENTHESES)


def code_of(data: bytes, path: str) -> Code | None:
    """The code of a file, by an independent lexer; None if there is no lexer for it."""
    lexer = _lexer(path.rpartition("/")[2])
    if lexer is None:
        return None
    text = data.decode("utf-8", "replace")
    lines, number = [""] * (text.count("\n") + 3), 1
    comments = (Comment,) if path.endswith(".py") else (Comment, String.Doc)  # docstrings are strings
    for kind, value in lexer.get_tokens(text.replace("\r\n", "\n")):
        is_code = (
            kind in Comment.Preproc or kind in Comment.PreprocFile or not any(kind in one for one in comments)
        )
        for at, part in enumerate(value.split("\n")):
            number += at > 0
            if is_code:
                lines[number] += _BLANK.sub("", part)
    return Code([line.removesuffix("\\") for line in lines])


@cache
def _lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def surviving_lines(git_dir: str, old: str, new: str, path: str, old_path: str) -> dict[int, int]:
    """The line in the new commit of each line of the old one that nobody changed since."""
    command = ["git", f"--git-dir={git_dir}", "blame", "-M", "-C", "-w", "--line-porcelain"]
    printed = subprocess.run(
        [*command, f"{old}..{new}", "--", path], capture_output=True, check=True, timeout=120
    ).stdout
    found: dict[int, int] = {}
    origin, sha, now = 0, "", 0
    for line in printed.split(b"\n"):
        head = line.split(b" ")
        if len(head[0]) == 40 and len(head) >= 3 and not line.startswith(b"\t"):
            sha, origin, now = head[0].decode(), int(head[1]), int(head[2])
        elif line.startswith(b"filename ") and sha == old and line[9:].decode("utf-8", "replace") == old_path:
            found.setdefault(origin, now)
    return found


def truth_of(
    span: tuple[int, int], old: Code, new: Code, survivors: dict[int, int], texts: Sequence[str]
) -> Truth | None:
    """What became of a span; None if it has no code, or if nobody could tell.

    `texts` are all code of the old and the new file.
    """
    start, end = span
    own = [number for number in range(start, end + 1) if old.lines[number]]
    if not own:
        return None
    text = old.text(start, end)
    places = [survivors[number] for number in own if number in survivors]
    if len(places) == len(own):
        first, last = min(places), max(places)
        between = [number for number in range(first, last + 1) if new.lines[number]]
        return Truth("intact", first, last) if between == places else Truth("grown")
    old_text, new_text = texts
    if text in new_text:
        # Blame does not know these lines; whether it is the same code, only its rareness can tell.
        is_certain = len(text) >= MIN_FORMATTED and old_text.count(text) == new_text.count(text) == 1
        return Truth("formatted") if is_certain else None
    return Truth("rewritten")
