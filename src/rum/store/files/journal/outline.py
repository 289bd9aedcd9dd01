"""Where the top-level keys of a journal, and the items of their lists, are in its text.

A journal in the plain layout that RUM writes is outlined by regular expressions, at a cost that hardly grows
with its size. Any other layout is parsed, and outlined from the positions that the parser reports.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from rum.model.errors import InvalidQuery
from rum.store.files.yaml import Located, Path, Span, locate
from rum.store.files.yaml_edit import column_of, content_end

BREAKS = "\r\n\x85"  # Characters that end a line in YAML
REST_OF_LINE = re.compile(rf"[^{BREAKS}]*(?:\r\n|[{BREAKS}]|\Z)")
_END_MARKER = re.compile(rf"(?:\A|(?<=[{BREAKS}]))\.\.\.(?=\s|\Z)")


class Section(NamedTuple):
    """A top-level key and what belongs to it."""

    name: str
    line: int
    start: int
    value: int  # Where the text after the colon begins
    end: int  # The end of its last line that is neither blank nor a comment
    next: int  # Where the next section begins, or the text ends
    empty: bool = False  # Whether nothing but comments follows its colon
    indent: int | None = None  # The column of the dashes, if it is a block list
    items: Sequence[int] = ()  # Where the lines of the dashes begin
    # Its opening and closing bracket, if its value is written in brackets.
    flow: tuple[int, int] | None = None
    open: bool = False  # Whether blank lines after it would be part of its last value (`|+`)


class Outline(NamedTuple):
    """The sections of a text by name, in order, and where another may follow."""

    sections: dict[str, Section]
    end: int

    @property
    def open(self) -> bool:
        """Whether a blank line at the end would be part of the last value."""
        return bool(self.sections) and next(reversed(self.sections.values())).open


def outline(text: str, where: str) -> Outline:
    """The outline of a map in block style; InvalidQuery, with the line, where the text is something else."""
    return plain_outline(text) or _parsed_outline(text, where)


def plain_outline(text: str) -> Outline | None:
    """The outline of a text in the plain layout; None for any other layout, valid or not."""
    if "\x85" in text or text.count("\r") != text.count("\r\n"):
        return None
    found: list[Section] = []
    at = int(text.startswith("\ufeff"))
    line, counted = 1, 0
    while key := _KEY_LINE.match(text, at):
        start, at = key.start("name"), key.end()
        line, counted = line + text.count("\n", counted, start), start
        section = Section(key["name"], line, start, key.end("colon"), at, at)
        if key["value"] in ("[]", "{}"):
            section = section._replace(flow=(key.start("value"), key.end("value") - 1))
        elif key["value"] is None:
            section = _with_plain_body(text, section)
        found.append(section)
        at = section.end
    names = {section.name for section in found}
    if not _BLANK_LINES.fullmatch(text, at) or len(names) < len(found):
        return None
    return _joined(found, len(text))


def _with_plain_body(text: str, section: Section) -> Section:
    dash = _FIRST_DASH.match(text, section.end)
    indent = len(dash[1]) if dash else None
    body = _plain_body(indent).match(text, section.end)
    if body is None:
        return section._replace(empty=True)
    items = () if indent is None else _dash_lines(text, indent, section.end, body.end(), "\n")
    return section._replace(end=body.end(), indent=indent, items=items)


def _joined(sections: list[Section], end: int) -> Outline:
    starts = [*(section.start for section in sections[1:]), end]
    pairs = zip(sections, starts, strict=False)
    return Outline({one.name: one._replace(next=following) for one, following in pairs}, end)


_LINE, _EOL = r"[^\r\n\x85]*+", r"(?:\r?\n|\Z)"
_EMPTY_LINES = r"(?>(?:[ ]*+\r?\n)*)"
_SKIPPED = rf"(?>(?:[ ]*+(?>(?:\#{_LINE})?)\r?\n)*)"
_COMMENT = rf"(?>(?:[ ]++\#{_LINE})?)[ ]*+"
_QUOTED = r"""(?:"(?>(?:[^"\\\r\n\x85]|\\[^\r\n\x85])*)"|'(?>(?:[^'\r\n\x85]|'')*)')"""
# A stray `]` or `}` is left to the parser of the entry: it hides nothing that comes after its line.
_WORDS = r"(?>(?:-(?=\S))?)[^-\s\"'\[{&*!|>%@`\#,?:](?>(?:[^\r\n\x85:]|:(?=\S))*)"
_BLANK_LINES = re.compile(rf"{_SKIPPED}[ ]*+(?>(?:\#{_LINE})?)")
_FIRST_DASH = re.compile(rf"{_SKIPPED}([ ]*+)-[ ]")
_KEY_LINE = re.compile(
    rf"""{_SKIPPED}(?P<name>[A-Za-z_][\w-]*+)(?P<colon>:)
    (?>(?:[ ]++(?P<value>(?:{_QUOTED}|\[\]|\{{\}})(?={_COMMENT}{_EOL})|{_WORDS}))?){_COMMENT}{_EOL}""",
    re.VERBOSE,
)


@lru_cache(64)
def _plain_body(indent: int | None) -> re.Pattern[str]:
    """Lines below a key in the plain layout, with blank lines and comments between them, whole values only.

    `indent` is the column of the dashes if the key holds a list. Unquoted words are a whole value if the next
    line is not indented further, or has a key of its own; a key with nothing after it, if a key or dash
    follows.
    """
    indentation = r"[ ]++" if indent is None else rf"[ ]{{{indent}}}(?=-[ ])|[ ]{{{indent + 1},}}+"
    key = rf"(?:[A-Za-z_][\w-]*+|{_QUOTED}):"
    marks = rf"(?:(?>(?:-[ ]++)+)(?>(?:{key}[ ]++)?)|{key}[ ]++)"
    next_key = rf"{key}(?:[ ]|\r?\n)"
    header = rf"[|>]-?+{_COMMENT}{_EOL}"
    return re.compile(
        rf"""(?>(?:{_SKIPPED}({indentation})(?:
            (?:(?:{key}[ ]++|-[ ]){header}|-[ ]{key}[ ]++{header}(?={_EMPTY_LINES}\1[ ]{{3}}))
            {_EMPTY_LINES}(?P<text>\1[ ]++)(?=\S){_LINE}{_EOL}(?>(?:{_EMPTY_LINES}(?P=text){_LINE}{_EOL})*)
            (?!(?:[ ]*+\r?\n)*?(?P=text)[ ]++{_EOL})
          | {marks}(?:{_QUOTED}|\[\]|\{{\}}){_COMMENT}{_EOL}
          | {marks}{_WORDS}{_EOL}(?:(?!{_EMPTY_LINES}\1[ ])|(?={_EMPTY_LINES}[ ]+{next_key}))
          | (?>(?:-[ ])?){key}[ ]*+\r?\n(?={_EMPTY_LINES}[ ]+(?:-[ ]|{next_key}))
        ))+)""",
        re.VERBOSE,
    )


def _dash_lines(text: str, indent: int, start: int, end: int, breaks: str = BREAKS) -> list[int]:
    """Where the lines with a dash at this column begin; one kind of line break is found fastest."""
    found = _dash_pattern(indent, breaks).finditer(text, start - 1, end)
    return [dash.start() + 1 for dash in found]


@lru_cache(64)
def _dash_pattern(indent: int, breaks: str) -> re.Pattern[str]:
    return re.compile(rf"[{breaks}]{' ' * indent}-(?=\s|\Z)")


def _parsed_outline(text: str, where: str) -> Outline:
    located = locate(text, where)
    whole = located.spans.get(())
    if whole is None or (located.value is None and whole.start == whole.end):
        return Outline({}, _document_end(text, 0))
    if not isinstance(located.value, dict) or text[whole.start] == "{":
        raise _unfit(where, whole.line, "a top-level key is expected here, as in `discoveries:`")
    parts: dict[str, dict[Path, Span]] = {}
    for path, span in located.spans.items():
        if path:
            parts.setdefault(str(path[0]), {})[path] = span
    sections = [
        _parsed_section(text, where, name, located._replace(spans=spans)) for name, spans in parts.items()
    ]
    return _joined(sections, _document_end(text, sections[-1].end))


def _parsed_section(text: str, where: str, name: str, located: Located) -> Section:
    path = (name,)
    span, value = located.spans[path], cast("dict[str, object]", located.value)[name]
    key_start, key_end = span.key or (span.start, span.end)
    if column_of(text, key_start) and text[:key_start] != "\ufeff":
        raise _unfit(where, span.line, "this key is indented; top-level keys begin at the left edge")
    end = content_end(text, located, path)
    if text[end - 1] not in BREAKS and (rest := REST_OF_LINE.match(text, end)):
        end = rest.end()
    last = max(located.spans.values(), key=lambda one: one.start)
    header = REST_OF_LINE.match(text, last.start)
    section = Section(
        name,
        span.line,
        key_start,
        text.index(":", key_end) + 1,
        end,
        end,
        empty=value is None and span.start == span.end,
        open=bool(header and header[0][:1] in ("|", ">") and "+" in header[0].split("#", 1)[0]),
    )
    if isinstance(value, list | dict) and text[span.start] in "[{":
        return section._replace(flow=(span.start, span.end - 1))
    if not isinstance(value, list):
        return section
    indent = column_of(text, span.start)
    dashes = _dash_lines(text, indent, section.value, end)
    starts = [located.spans[*path, number].start for number in range(len(cast("list[object]", value)))]
    # Before an item there may be lines in quotes that look like one: the last dash before it is its own.
    items = [dashes[bisect_right(dashes, start) - 1] for start in starts]
    return section._replace(indent=indent, items=items)


def _document_end(text: str, start: int) -> int:
    marker = _END_MARKER.search(text, start)
    return marker.start() if marker else len(text)


def _unfit(where: str, line: int, problem: str) -> InvalidQuery:
    return InvalidQuery(f"{where}, line {line}: {problem}.", file=where, line=line)
