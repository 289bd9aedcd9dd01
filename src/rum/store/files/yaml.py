"""Read YAML from any source: plain values, within limits, errors that name line and field."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, NamedTuple

from rum.model.errors import InvalidQuery
from rum.text.shorten import shorten

LIMIT = 1024 * 1024  # Maximum characters that are parsed, which takes some seconds
MOST = 50_000  # Maximum number of values, for the same reason
DEEPEST = 64  # Maximum nesting of lists and maps

Path = tuple[str | int, ...]  # The keys and positions that lead to a value, from the top

_INTEGER = re.compile(r"[-+]?[0-9]{1,300}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,15}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,40}|[0-9]{1,40}(?:\.[0-9]{0,40})?)(?:[eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, object] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
# A tag costs the parser its length squared before it can be refused.
_LONG_TAG = re.compile(r"(?<!\S)!\S{4000}")
_MARKS = re.compile(r"(?<!\S)#[^\r\n\x85]*|([-:])(?!\S)")
_LINE_ENDS = re.compile(r"\r\n?|\n")
_LONGEST_NAME = 60
_LONGEST_FIELD = 200


class Span(NamedTuple):
    """The position of a value: its line or its key's, from 1, its characters, and those of its key."""

    line: int
    start: int
    end: int
    key: tuple[int, int] | None = None


class Located(NamedTuple):
    """A value, and the position of each of its parts in the text."""

    value: object
    spans: dict[Path, Span]

    def line(self, path: Path) -> int:
        """The line of a part, or of the nearest part around it."""
        while path and path not in self.spans:
            path = path[:-1]
        return self.spans[path].line if path in self.spans else 1


def load(text: str, where: str) -> object:
    """The one value of a YAML text, made of what JSON has: dates stay text, keys are text.

    `where` names the text in errors. InvalidQuery carries `file`, `line` and `field`. Refused are anchors and
    aliases, tags, several documents, a key twice, tabs as indentation, and what is too large or too deep.
    """
    return locate(text, where).value


def locate(text: str, where: str, first: int = 1) -> Located:
    """Parse a text, with the position of each part; `first` is the number of the text's first line."""
    if len(text) > LIMIT:
        raise InvalidQuery(
            f"{where} is larger than {LIMIT // 1024} kB, too large to be read. Move parts of it elsewhere.",
            file=where,
            limit=LIMIT,
        )
    builder = _Builder(text, where, first)
    if tag := _LONG_TAG.search(text):
        raise builder.error("holds a tag (!) of more than 4000 characters", tag.start())
    return builder.built()


def line_at(text: str, at: int) -> int:
    """The line of a character as editors count it, from 1: YAML has more line ends than they do."""
    return sum(1 for _ in _LINE_ENDS.finditer(text, 0, at)) + 1


def line_ends(text: str) -> list[int]:
    """Where each line ends, to look up the lines of many characters."""
    return [end.end() for end in _LINE_ENDS.finditer(text)]


def field_name(path: Path) -> str:
    """A path as people write it: `attempts[2].result`."""
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{_shown(step)}" if name else _shown(step)
    return shorten(name, _LONGEST_FIELD)


def _shown(key: str) -> str:
    return shorten(key, _LONGEST_NAME)


def plain_scalar(text: str) -> object:
    """The value of an unquoted word: null, true, false, a number, or itself."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    return float(text) if _FLOAT.fullmatch(text) else text


class _Open:
    """A list or map whose end was not read yet."""

    __slots__ = ("key", "key_at", "line", "path", "start", "value")

    def __init__(self, value: dict[str, object] | list[object], path: Path, line: int, start: int) -> None:
        self.value = value
        self.path = path
        self.line = line
        self.start = start
        self.key: str | None = None
        self.key_at: tuple[int, int] | None = None


class _Builder:
    """Turns the parser's events into values, and refuses what is not allowed before anything is built."""

    def __init__(self, text: str, where: str, first: int) -> None:
        self.text = text
        self.where = where
        self.first = first
        self.lines = line_ends(text)
        """Where lines begin, but for the first."""
        self.stack: list[_Open] = []
        self.spans: dict[Path, Span] = {}
        self.key_line = 0
        self.last = 0
        """Where the last key or value ended."""
        self.result: object = None

    def built(self) -> Located:
        from ruamel.yaml import YAML  # noqa: PLC0415 (takes longer to load than most calls that need no YAML)
        from ruamel.yaml.error import YAMLError  # noqa: PLC0415 (as above)

        reader: Any = YAML(typ="safe", pure=True)
        documents = 0
        try:
            for event in reader.parse(self.text):
                documents += type(event).__name__ == "DocumentStartEvent"
                if documents > 1:
                    raise self.error("holds several documents; one is allowed", event.start_mark.index)
                self.take(event)
        except YAMLError as error:
            raise self.broken(error) from None
        return Located(self.result, self.spans)

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        at = event.start_mark.index
        if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise self.error("uses an anchor or alias (& or *); write the value out", at)
        if kind == "ScalarEvent":
            self.scalar(event)
            self.last = event.end_mark.index if event.value or event.style else self.last
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self.refuse_tag(event)
            if len(self.stack) >= DEEPEST:
                raise self.error(f"is nested more than {DEEPEST} levels deep", at)
            if self.awaits_key():
                raise self.error("has a list or map as a key; a key is a word", at)
            value: dict[str, object] | list[object] = {} if kind.startswith("M") else []
            self.stack.append(_Open(value, self.path(), self.line(at), at))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            done = self.stack.pop()
            self.put(done.value, Span(done.line, done.start, event.end_mark.index))

    def scalar(self, event: Any) -> None:
        self.refuse_tag(event)
        at = event.start_mark.index
        if self.awaits_key():
            opened = self.stack[-1]
            if event.value in opened.value:
                raise self.error(f"has `{_shown(event.value)}` twice", at)
            opened.key, self.key_line = event.value, self.number(at)
            opened.key_at = (at, event.end_mark.index)
            return
        value = event.value if event.style else plain_scalar(event.value)
        start, end = at, event.end_mark.index
        if start == end:  # the parser says where the next thing begins
            start = end = self.after_mark(end)
        self.put(value, Span(self.line(at), start, end))

    def after_mark(self, end: int) -> int:
        """The position of an empty value: after its colon or dash."""
        marks = list(_MARKS.finditer(self.text, self.last, end))
        return max((mark.end() for mark in marks if mark[1]), default=end)

    def refuse_tag(self, event: Any) -> None:
        if event.tag is not None:
            raise self.error("uses a tag (!); only plain values are allowed", event.start_mark.index)

    def awaits_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def number(self, at: int) -> int:
        """The number of the line on which a character stands."""
        return self.first + bisect_right(self.lines, at)

    def line(self, at: int) -> int:
        """The line to report: that of the key if there is one."""
        in_map = bool(self.stack) and isinstance(self.stack[-1].value, dict)
        return self.key_line if in_map else self.number(at)

    def path(self) -> Path:
        """Where the next value belongs."""
        if not self.stack:
            return ()
        top = self.stack[-1]
        return (*top.path, len(top.value) if isinstance(top.value, list) else top.key or "")

    def put(self, value: object, span: Span) -> None:
        self.spans[self.path()] = span._replace(key=self.stack[-1].key_at) if self.stack else span
        if not self.stack:
            self.result = value
            return
        if len(self.spans) > MOST:
            raise self.error(f"holds more than {MOST} values, too many to be read", span.start)
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None

    def broken(self, error: Any) -> InvalidQuery:
        """The parser's error: it has a mark, or for a forbidden character a position."""
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        at = mark.index if mark else getattr(error, "position", 0)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        if "'\\t'" in problem:
            return self.error("has a tab where YAML allows only spaces", at)
        return self.error(f"is not valid YAML: {problem}", at)

    def error(self, problem: str, at: int) -> InvalidQuery:
        field = field_name(self.stack[-1].path if self.awaits_key() else self.path())
        in_field = f", in `{field}`" if field else ""
        line = self.number(at)
        return InvalidQuery(
            f"{self.where}, line {line}{in_field}: it {problem}.",
            file=self.where,
            line=line,
            field=field or None,
        )
