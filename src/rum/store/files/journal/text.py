"""The text of a journal: its entries, parsed one by one when needed, and the text after an edit.

Whatever is added or changed is spliced in: every other character stays as it was written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, cast

from rum.model.errors import InvalidQuery, NotFound
from rum.model.journal import SCHEMA, VERSION, Kind, seconds_of
from rum.store.files.journal.outline import BREAKS, REST_OF_LINE, Outline, Section, outline
from rum.store.files.yaml import Located, line_at, locate
from rum.store.files.yaml_edit import Edit, apply, changed, content_end, line_end, merged
from rum.store.files.yaml_text import STEP, fields, flow, item

_EMPTY = re.compile(r"[ \t]*(?:\[\s*\]|(?:~|null|Null|NULL)(?=[ \t]*(?:[ \t]#|[\r\n\x85]|\Z)))")
_COMMENT = re.compile(r"(?:(?<=\s)|\A)#[^\r\n\x85]*")
_ENTRIES = "a list of entries, each after a dash"
_DASH = re.compile(r"[ ]*-[ ]+(?=\S)")
_HEADER = re.compile(r"([|>])([1-9]?)[-+]?([1-9]?)")
_NEWEST_NAMED = 3
# Digits of a generated id's number. A longer one, such as a date, was not generated here.
_LONGEST_NUMBER = 5


class Entry:
    """One entry in the text; parsed when its value is needed."""

    def __init__(self, journal: JournalText, start: int, end: int, *, in_brackets: bool) -> None:
        self.journal = journal
        self.start = start
        self.end = end
        self.in_brackets = in_brackets

    @cached_property
    def text(self) -> str:
        """Its text, with the blank lines and comments before the next one."""
        return self.journal.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The number of its first line, from 1."""
        return line_at(self.journal.text, self.start)

    @cached_property
    def _located(self) -> Located:
        return self.journal.located(self.start, self.end)

    @property
    def value(self) -> dict[str, Any]:
        """Its fields; none if it is no map."""
        found = self._located.value
        if not self.in_brackets:
            found = cast("list[object]", found)[0] if isinstance(found, list) and found else None
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    @property
    def lines(self) -> str:
        """Its text without the blank lines and comments before the next one."""
        found = REST_OF_LINE.match(self.text, content_end(self.text, self._located, (0,)))
        return self.text[: found.end()] if found else self.text

    def field(self, name: str) -> object:
        """A short field. The entry is parsed for it only if the field is not written in the plain layout."""
        if self._dash is None:
            return self.value.get(name)
        found = _field_pattern(name, len(self._dash)).search(self.text)
        if found is None:
            return None
        plain = next((one for one in found.groups() if one is not None), None)
        return self.value.get(name) if plain is None else plain

    @cached_property
    def _dash(self) -> str | None:
        found = _DASH.match(self.text)
        return found[0] if found and not self.in_brackets else None

    @cached_property
    def time(self) -> float | None:
        """Its timestamp in Unix seconds."""
        return seconds_of(self.field("timestamp"))


class JournalText:
    """One text; an edit gives a new one."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    @cached_property
    def outline(self) -> Outline:
        """Its sections; InvalidQuery if it cannot be read or edited."""
        return outline(self.text, self.where)

    def located(self, start: int, end: int) -> Located:
        """A part, parsed. An error is the one that parsing the whole text gives, with the same line."""
        part = self.text[start:end]
        try:
            return locate(part, self.where)
        except InvalidQuery:
            locate(self.text, self.where)
            return locate(part, self.where, line_at(self.text, start))

    def scalar(self, name: str) -> object:
        """The value of a top-level key such as `agent`; None if there is no such key."""
        section = self.outline.sections.get(name)
        if section is None:
            return None
        found = self.located(section.start, section.next).value
        return next(iter(cast("dict[str, object]", found).values()))

    def count(self, kind: Kind) -> int:
        """The number of entries of a kind."""
        section = self.outline.sections.get(kind.section)
        return 0 if section is None else len(self._bounds(section))

    def entries(self, name: str) -> list[Entry]:
        """The entries of a section, in order."""
        section = self.outline.sections.get(name)
        return [] if section is None else [self._entry(section, *one) for one in self._bounds(section)]

    def first_and_last(self, name: str) -> list[Entry]:
        """The first and the last entry of a section, if it has any."""
        section = self.outline.sections.get(name)
        bounds = self._bounds(section) if section else []
        return [self._entry(section, *bounds[number]) for number in (0, -1)] if section and bounds else []

    def newest(self, name: str, limit: int, **fields: str) -> list[dict[str, Any]]:
        """The newest entries of a section with these field values; no other entry is parsed."""
        found = [entry for entry in self.entries(name) if all(entry.field(k) == v for k, v in fields.items())]
        found.sort(key=lambda entry: -math.inf if entry.time is None else entry.time, reverse=True)
        return [entry.value for entry in found[:limit]]

    def slices(self, name: str) -> list[str]:
        """The texts of a section's entries, each with the blank lines and comments after it.

        A section that is no block list is one text, with its key.
        """
        section = self.outline.sections[name]
        if section.indent is None:
            return [self.text[section.start : section.next]]
        return [self.text[start:end] for start, end in self._bounds(section)]

    def is_empty(self, name: str) -> bool:
        """Whether a section is there and empty, so that the first entry replaces its value."""
        section = self.outline.sections.get(name)
        return section is not None and self._empty_value(section) is not None

    def _entry(self, section: Section, start: int, end: int) -> Entry:
        return Entry(self, start, end, in_brackets=section.flow is not None)

    def _bounds(self, section: Section) -> list[tuple[int, int]]:
        """Start and end of each entry of a section."""
        if section.flow is None:
            return list(zip(section.items, [*section.items[1:], section.next], strict=False))
        start, end = section.flow
        located = self.located(start, end + 1)
        spans = [span for path, span in located.spans.items() if len(path) == 1]
        return [(start + span.start, start + span.end) for span in spans]

    @property
    def context(self) -> dict[str, Any] | None:
        """The section `context`; None if there is none."""
        found = self.scalar("context")
        return cast("dict[str, Any]", found) if isinstance(found, dict) else None

    def find(self, entry_id: str) -> tuple[Kind, Entry] | None:
        """The kind and the entry with this id; None if there is none. Two with one id are an error."""
        everything = [(kind, entry) for kind in Kind for entry in self.entries(kind.section)]
        found = [(kind, entry) for kind, entry in everything if entry.field("id") == entry_id]
        if len(found) > 1:
            lines = ", ".join(str(entry.line) for _, entry in found)
            raise InvalidQuery(
                f"{self.where}: the entries in lines {lines} share the id `{entry_id}`; rename all but one.",
                file=self.where,
                id=entry_id,
            )
        return found[0] if found else None

    def next_id(self, kind: Kind) -> str:
        """The next id that no entry has, nor any archived one had: `attempt-007` after `attempt-006`."""
        ids = [entry.field("id") for one in Kind for entry in self.entries(one.section)]
        taken = {one for one in ids if isinstance(one, str)} | self._archived(kind)
        made = re.compile(rf"{kind}-(\d{{3,{_LONGEST_NUMBER}}})")
        numbers = [int(found[1]) for one in taken if (found := made.fullmatch(one))]
        number = max(numbers, default=0) + 1
        while f"{kind}-{number:03}" in taken:
            number += 1
        return f"{kind}-{number:03}"

    def _archived(self, kind: Kind) -> set[str]:
        """The ids of a kind in the history."""
        section = self.outline.sections.get("history")
        text = self.text[section.start : section.end] if section else ""
        return set(
            re.findall(rf"(?m)(?:^[ ]*(?:-[ ]+)*|[{{,][ ]*)[\"']?id[\"']?:[ ]*[\"']?({kind}-\d+)\b", text)
        )

    def with_entry(self, name: str, entry: Mapping[str, object], *, blocks: bool = True) -> str:
        """The text with one more entry at the end of a section."""
        section = self.outline.sections.get(name)
        if section is None or not section.flow or self.is_empty(name):
            return self.with_entry_lines(name, item(entry, 0, blocks=blocks))
        if self.text[section.flow[0]] == "{":
            raise self._unfit(section, _ENTRIES)
        last = self._bounds(section)[-1:]
        rest = _COMMENT.sub("", self.text[last[0][1] : section.flow[1]]) if last else ","
        comma = "" if "," in rest else ", "
        return apply(self.text, [Edit(section.flow[1], section.flow[1], comma + flow(entry))])

    def with_entry_lines(self, name: str, lines: str) -> str:
        """The text with more entries at the end of a section, given as lines with dashes at the left edge."""
        section = self.outline.sections.get(name)
        if section is None:
            return self._with_section(f"{name}:\n{reindent(lines, STEP)}")
        if section.indent is not None:
            blank = "" if section.open else "\n"
            return apply(self.text, [self._insertion(section.end, blank + reindent(lines, section.indent))])
        if (gap := self._empty_value(section)) is not None:
            return apply(self.text, [gap, self._insertion(section.end, reindent(lines, STEP))])
        raise self._unfit(section, _ENTRIES)

    def get(self, entry_id: str) -> tuple[Kind, Entry]:
        """The kind and the entry with this id; NotFound, naming the newest ids, if there is none."""
        found = self.find(entry_id)
        if found is None:
            raise NotFound(f"{self.where} has no entry `{entry_id}`.{self._newest_ids()}", id=entry_id)
        return found

    def _newest_ids(self) -> str:
        ids = [
            entry.field("id") for kind in Kind for entry in list(self.entries(kind.section))[-_NEWEST_NAMED:]
        ]
        named = [f"`{one}`" for one in ids if isinstance(one, str)]
        return f" The newest are {', '.join(named)}." if named else " It has no entries yet."

    def with_changes(self, entry: Entry, changes: Mapping[str, object], *, blocks: bool = True) -> str:
        """The text with some fields of an entry set; maps are merged."""
        if entry.in_brackets:
            new = flow(merged(entry.value, changes))
        else:
            ending = line_end(self.text)
            new = changed(
                entry.text, self.where, (0,), changes, first=entry.line, ending=ending, blocks=blocks
            )
        return self.text[: entry.start] + new + self.text[entry.end :]

    def with_context(self, changes: Mapping[str, object], *, blocks: bool = True) -> str:
        """The text with some fields of the context set; maps are merged."""
        section = self.outline.sections.get("context")
        if section is None:
            return self._with_section(f"context:\n{fields(changes, STEP, blocks=blocks)}")
        part = self.text[section.start : section.end]
        if not isinstance(self.scalar("context"), dict | None):
            raise self._unfit(section, "a map of fields")
        path, ending = ("context",), line_end(self.text)
        new = changed(part, self.where, path, changes, first=section.line, ending=ending, blocks=blocks)
        return self.text[: section.start] + new + self.text[section.end :]

    def _with_section(self, lines: str) -> str:
        end, blank = self.outline.end, "" if self.outline.open or not self.text.strip() else "\n"
        return apply(self.text, [self._insertion(end, blank + lines)])

    def _insertion(self, at: int, lines: str) -> Edit:
        """Insert whole lines after a line, which may be the last of the text and have no line break."""
        broken = at == 0 or self.text[at - 1] in BREAKS or self.text[:at] == "\ufeff"
        return Edit(at, at, ("" if broken else "\n") + lines + "\n")

    def with_line_end(self) -> JournalText:
        """The same values in a text to which lines can be appended.

        If the last line is part of a block scalar and has no line break, adding one would add a character to
        the value, unless its header is changed to strip it.
        """
        if not self.outline.sections or self.text[-1] in BREAKS or self.outline.end < len(self.text):
            return self
        ending = line_end(self.text)
        last = self.slices(list(self.outline.sections)[-1])[-1]
        located, head = locate(last, self.where), self.text.removesuffix(last)
        spaceless = last.rstrip(" \t")
        for whole in (last + ending, spaceless, _with_stripping_header(last, located) + ending):
            if whole[-1] in BREAKS and locate(whole, self.where).value == located.value:
                return self if whole == last + ending else JournalText(head + whole, self.where)
        return self

    def _empty_value(self, section: Section) -> Edit | None:
        """The edit that removes an empty value such as `[]` or `null`; None if the value is not empty."""
        if section.empty:
            return Edit(section.value, section.value, "")
        found = _EMPTY.match(self.text, section.value)
        return Edit(section.value, found.end(), "") if found else None

    def _unfit(self, section: Section, what: str) -> InvalidQuery:
        return InvalidQuery(
            f"{self.where}, line {section.line}: `{section.name}` must be {what}.",
            file=self.where,
            line=section.line,
            field=section.name,
        )


def with_header(text: str, session: str, agent: str, created: str) -> str:
    """A new journal: the header after the comments that the text may hold already."""
    about = {"sessionId": session, "agent": agent, "createdAt": created}
    lines = f"{fields({'version': VERSION, 'schema': SCHEMA}, 0)}\n\n{fields(about, 0)}\n"
    gap = "" if not text.strip("\ufeff") or text[-1] in BREAKS else "\n"
    return text + (gap + lines).replace("\n", line_end(text))


def reindent(lines: str, columns: int) -> str:
    """Lines indented by this many columns more, or less; blank ones stay."""
    if columns >= 0:
        return re.sub(r"^(?=[^\r\n])", " " * columns, lines, flags=re.MULTILINE)
    return re.sub(rf"^ {{1,{-columns}}}", "", lines, flags=re.MULTILINE)


def _with_stripping_header(text: str, located: Located) -> str:
    """A text that ends with a block scalar, with the header that strips its last line break."""
    last = max(span.start for span in located.spans.values())
    header = _HEADER.match(text, last)
    return f"{text[:last]}{header[1]}{header[2]}{header[3]}-{text[header.end() :]}" if header else text


@lru_cache(64)
def _field_pattern(name: str, column: int) -> re.Pattern[str]:
    """A field at this column or after the dash, and its value if that is a word or simply quoted."""
    start = rf"^(?:[ ]*-[ ]+(?<=^.{{{column}}})|[ ]{{{column}}})"
    value = r"""[ ]*(?:"([^"\\\r\n]*)"|'([^'\r\n]*)'|([\w.:+-]+))[ ]*\r?$"""
    return re.compile(rf"{start}[\"']?{name}[\"']?[ ]*:(?:{value})?", re.MULTILINE)
