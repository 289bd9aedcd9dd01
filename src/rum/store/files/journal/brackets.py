"""Quotes and brackets of YAML, which may go on over several lines: where they end."""

from __future__ import annotations

import re

QUOTED = {
    '"': re.compile(r'[^"\\]*(?:\\.[^"\\]*)*\\?(")?', re.DOTALL),
    "'": re.compile(r"[^']*(?:''[^']*)*(')?"),
}
"""What follows an opening quote on its line; the first group is the closing one, if it is there."""

_WORDS = re.compile(r"[^\[\]{},:\"'#]+")


class Enclosed:
    """Whether we are inside of quotes or brackets, line by line."""

    def __init__(self) -> None:
        self.quote = ""
        self.depth = 0
        self.fresh = False
        """Whether a value may begin here: elsewhere a quote is a letter like any other."""
        self.pending = False
        """Whether there is something after the last comma of the outermost brackets."""

    @property
    def open(self) -> bool:
        """Whether the next line is still inside."""
        return bool(self.quote) or self.depth > 0

    def begin(self) -> None:
        """The next mark is the quote or bracket that opens it."""
        self.fresh, self.pending = True, False

    def scan(self, line: str, at: int) -> int | None:
        """Go on with a line; where on it the last mark stands that closes everything, if it does."""
        while at < len(line):
            if self.quote:
                ends = QUOTED[self.quote].match(line, at)
                at = ends.end() if ends else len(line)
                self.quote = "" if ends and ends[1] else self.quote
            else:
                at = self._step(line, at)
            if not self.open:
                return at - 1
        return None

    def _step(self, line: str, at: int) -> int:
        """One mark or word outside of quotes; where the next one is."""
        mark = line[at]
        if mark in "\"'" and self.fresh:
            self.quote, self.fresh, self.pending = mark, False, True
        elif mark in "[{":
            self.pending = self.depth > 0
            self.depth, self.fresh = self.depth + 1, True
        elif mark in "]}":
            self.depth, self.fresh = self.depth - 1, False
        elif mark == ",":
            self.fresh, self.pending = True, self.depth > 1
        elif mark == ":":
            self.fresh = line[at - 1 : at] in ('"', "'") or line[at + 1 : at + 2] in ("", " ", "\t", "[", "{")
        elif mark == "#" and line[at - 1 : at] in ("", " ", "\t"):
            return len(line)
        else:
            return self._word(line, at)
        return at + 1

    def _word(self, line: str, at: int) -> int:
        word = _WORDS.match(line, at)
        after = word.end() if word else at + 1
        if line[at:after].strip():
            self.fresh, self.pending = False, True
        return after
