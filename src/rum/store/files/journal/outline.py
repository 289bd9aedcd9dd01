"""Where the top-level keys of a YAML text, and the items of their lists, stand: found without parsing it.

Each line is looked at once, and only for what may hide the end of a thing: quotes, brackets, block scalars.
So a large text takes hardly longer than a small one, and what is written into it leaves the rest as it was.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rum.model.errors import InvalidQuery
from rum.store.files.journal.brackets import QUOTED, Enclosed
from rum.store.files.yaml import line_at

_LINE = re.compile(r"([^\r\n\x85]*)(?:\r\n|[\r\n\x85]|\Z)")
_NOTHING = re.compile(r"[ \t]*(?:(?:(?<=[ \t])|(?<!.))#.*)?", re.DOTALL)
_DASH = re.compile(r"-(?:[ \t]+|\Z)")
_KEY_BEGINS = re.compile(r"[^\s#\"'\[\]{}&*!|>%@`,:?-]|[-?:](?=\S)")
_KEY_ENDS = re.compile(r":(?=\s|\Z)|(?<=[ \t])#")
_COLON = re.compile(r"[ \t]*:(?=\s|\Z)")
_BLOCK = re.compile(r"[|>](?:([1-9])([-+]?)|([-+]?)([1-9]?))(?:[ \t]+#.*|[ \t]*)\Z", re.DOTALL)
_MARKER = re.compile(r"(?:---|\.\.\.)(?=\s|\Z)")
_SEVERAL = "it holds several documents; one is allowed"


class Section:
    """A top-level key and what belongs to it."""

    def __init__(self, name: str, line: int, start: int, value: int) -> None:
        self.name = name
        self.line = line
        self.start = start
        self.value = value
        """Where the text after the colon begins."""
        self.end = start
        """Where its last line that says something ends."""
        self.next = start
        """Where the next section begins, or the text is over."""
        self.indent: int | None = None
        """The column of the dashes, if it is a block list."""
        self.items: list[int] = []
        """Where the lines of the dashes begin."""
        self.empty = True
        """Whether nothing but comments follows its colon."""
        self.flow: tuple[int, int] | None = None
        """Its opening and closing bracket, if its value is written in brackets."""
        self.comma = False
        """Whether something in the brackets still needs a comma before more can follow."""
        self.open = False
        """Whether blank lines after it would be part of its last value, as `|+` has it."""


class Outline(NamedTuple):
    """The sections of a text by name, in their order, and where another may follow."""

    sections: dict[str, Section]
    end: int
    open: bool
    """Whether a blank line there would be part of the last value."""


def outline(text: str, where: str) -> Outline:
    """The outline of a mapping in block style; InvalidQuery, with the line, where it is something else."""
    return _Reader(text, where).read()


class _Reader:
    """Goes down the lines, and knows at each whether it is inside of something."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.sections: dict[str, Section] = {}
        self.section: Section | None = None
        self.at = 0
        """Where the line begins that is looked at."""
        self.over: int | None = None
        self.enclosed = Enclosed()
        self.usual_ends = "\x85" not in text and text.count("\r") == text.count("\r\n")
        self.block: tuple[int, int] | None = None
        """A block scalar's parent's column, and its own (0: not known before its first line)."""
        self.keep = False
        self.plain: int | None = None
        """The parent's column of a plain scalar, which goes on in lines that are set in further."""
        self.parent = -1
        """The column of the last key or dash with nothing after it on its line."""

    def read(self) -> Outline:
        start = int(self.text.startswith("\ufeff"))
        while start < len(self.text) and (match := _LINE.match(self.text, start)):
            self.at = start
            self.take(start, match[1], match.end())
            start = self.skip(match.end())
        if self.enclosed.open:
            raise self.error("it ends inside of quotes or brackets")
        finish = len(self.text) if self.over is None else self.over
        found = [*self.sections.values()]
        for section, start in zip(found, [*(after.start for after in found[1:]), finish], strict=False):
            section.next = start
        return Outline(self.sections, finish, self.section is not None and self.section.open)

    def take(self, start: int, line: str, end: int) -> None:
        if self.block and self.goes_on(line, end):
            return
        if self.enclosed.open:
            self.reaches(end)
            self.enclose(start, line, 0)
        elif _NOTHING.fullmatch(line):
            self.plain = None if line.strip() else self.plain
        elif self.plain is not None and _column(line) > self.plain:
            self.reaches(end)
        else:
            self.statement(start, line, end)

    def skip(self, start: int) -> int:
        """Where the next line is that has to be looked at: most lines hide nothing, and go by at once."""
        section = self.section
        idle = self.plain is None and self.block is None and not self.enclosed.open
        if not self.usual_ends or not idle or section is None or section.empty:
            return start
        found = _quiet(section.indent).match(self.text, start)
        if not found:
            return start
        if section.indent is not None:
            dashes = _dashes(section.indent).finditer(self.text, start - 1, found.end())
            section.items += [dash.start() + 1 for dash in dashes]
        self.reaches(found.end())
        return found.end()

    def reaches(self, end: int, *, open: bool = False) -> None:
        """What belongs to the section goes to here at least."""
        if section := self.section:
            section.end, section.open = end, open

    def goes_on(self, line: str, end: int) -> bool:
        """Whether a line belongs to the block scalar before it."""
        parent, own = self.block or (0, 0)
        column = _column(line)
        if column == len(line):
            if self.keep or 0 < own < column:  # spaces beyond its own column are text
                self.reaches(end, open=self.keep)
            return True
        own = own or (column if column > parent else 0)
        if own and column >= own:
            self.block = (parent, own)
            self.reaches(end, open=self.keep)
            return True
        self.block = None
        return False

    def statement(self, start: int, line: str, end: int) -> None:
        """A line on which something begins."""
        column = _column(line)
        self.plain = None
        if column == 0 and self.is_marker(start, line):
            return
        if self.over is not None:
            raise self.error(_SEVERAL)
        if line[column] == "\t":
            raise self.error("it has a tab where YAML allows only spaces")
        if column == 0 and not (self.section and _DASH.match(line)):
            self.top(start, line, end)
        elif self.section is None:
            raise self.error("its first line is set in; keys begin at the left edge")
        else:
            self.below(self.section, start, line, end)

    def is_marker(self, start: int, line: str) -> bool:
        if line.startswith("%") and not self.sections:
            return True
        if not _MARKER.match(line):
            return False
        if not _NOTHING.fullmatch(line, 3) or (line.startswith("---") and self.sections):
            raise self.error(_SEVERAL)
        if line.startswith("...") and self.over is None:
            self.over = start
        return True

    def top(self, start: int, line: str, end: int) -> None:
        name, after = self.key(line, 0)
        if name is None:
            raise self.error("a top-level key is expected here, as in `discoveries:`")
        if name in self.sections:
            raise self.error(f"it has `{name[:60]}` twice")
        self.section = self.sections[name] = Section(name, line_at(self.text, start), start, start + after)
        self.reaches(end)
        self.value(start, line, after, 0, top=self.section)

    def below(self, section: Section, start: int, line: str, end: int) -> None:
        at = _column(line)
        dash = _DASH.match(line, at)
        if section.empty and dash:
            section.indent = at
        section.empty = False
        if dash and section.indent == at:
            section.items.append(start)
        self.reaches(end)
        while dash:
            self.parent, at = at, dash.end()
            dash = _DASH.match(line, at)
        if not _NOTHING.fullmatch(line, at):
            name, after = self.key(line, at)
            self.value(start, line, after, self.parent if name is None else at)

    def key(self, line: str, at: int) -> tuple[str | None, int]:
        """The key that begins here, and where its colon ends; None where there is none."""
        if line[at] in "\"'":
            ends = QUOTED[line[at]].match(line, at + 1)
            colon = _COLON.match(line, ends.end()) if ends and ends[1] else None
            return (line[at + 1 : ends.end() - 1], colon.end()) if ends and colon else (None, at)
        ends = _KEY_ENDS.search(line, at) if _KEY_BEGINS.match(line, at) else None
        return (line[at : ends.start()].rstrip(), ends.end()) if ends and ends[0] == ":" else (None, at)

    def value(self, start: int, line: str, at: int, parent: int, *, top: Section | None = None) -> None:
        """What follows a key or a dash on its line."""
        while line[at : at + 1] in (" ", "\t"):
            at += 1
        if _NOTHING.fullmatch(line, at):
            self.parent = parent
            return
        if top:
            top.empty = False
        if line[at] in "&*!":
            raise self.error("it uses an anchor, alias or tag (&, *, !); write the value out")
        if line[at] in "\"'[{":
            if top and line[at] in "[{":
                top.flow = (start + at, -1)
            self.enclosed.begin()
            self.enclose(start, line, at)
        elif header := _BLOCK.match(line, at):
            step = int(header[1] or header[4] or 0)
            self.keep = "+" in (header[2] or header[3] or "")
            self.block = (parent, max(parent, 0) + step if step else 0)
        else:
            self.plain = parent

    def enclose(self, start: int, line: str, at: int) -> None:
        """Go on inside of quotes and brackets, to their end or that of the line."""
        closing = self.enclosed.scan(line, at)
        section = self.section
        if closing is not None and section and section.flow and section.flow[1] < 0:
            section.flow = (section.flow[0], start + closing)
            section.comma = self.enclosed.pending

    def error(self, problem: str) -> InvalidQuery:
        line = line_at(self.text, self.at)
        return InvalidQuery(f"{self.where}, line {line}: {problem}.", file=self.where, line=line)


@lru_cache(64)
def _dashes(indent: int) -> re.Pattern[str]:
    """The end of a line before a dash at this column."""
    return re.compile(f"\n{' ' * indent}-(?= )")


@lru_cache(64)
def _quiet(indent: int | None) -> re.Pattern[str]:
    """Lines below a key that hide nothing, with blank ones and comments between them, whole values only.

    `indent` is the column of the dashes if the key holds a list. A word without quotes is whole if the next
    line is not set in further, or has a key of its own; a key with nothing after it if a key or dash follows.
    """
    line, end = r"[^\r\n\x85]*+", r"(?:\r?\n|\Z)"
    blank, note = r"(?:[ ]*+\r?\n)*+", rf"(?:[ ]++\#{line})?+[ ]*+"
    word = r"[A-Za-z_][\w-]*+:"
    set_in = r"[ ]++" if indent is None else rf"[ ]{{{indent}}}(?=-[ ])|[ ]{{{indent + 1},}}+"
    begins = rf"(?:{word}[ ]++|-[ ]++(?:{word}[ ]++)?+)"
    follows = rf"{word}(?:[ ]|\r?\n)"
    return re.compile(
        rf"""(?:(?:[ ]*+(?:\#{line})?+\r?\n)*+({set_in})(?:
            {word}[ ]++[|>]-?+{note}{end}(?:{blank}\1[ ]{line}{end})*+(?!(?:\r?\n)*+[ ]++{end})
          | {begins}(?:"(?:[^"\\\r\n\x85]|\\[^\r\n\x85])*+"|\[\]|\{{\}}){note}{end}
          | {begins}[A-Za-z0-9_./~](?:[^\r\n\x85:]|:(?=\S))*+{end}
            (?:(?!{blank}\1[ ])|(?={blank}[ ]+{follows}))
          | {word}[ ]*+\r?\n(?={blank}[ ]+(?:-[ ]|{follows}))
        ))++""",
        re.VERBOSE,
    )


def _column(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
