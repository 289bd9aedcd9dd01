"""The text of a journal: its entries, found and read one by one, and the same text with more in it.

Whatever is added or changed is spliced in: every other character stays as somebody wrote it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from rum.model.errors import InvalidQuery, NotFound
from rum.model.journal import SCHEMA, VERSION, Kind
from rum.store.files.journal.entry import Entry
from rum.store.files.journal.outline import Outline, Section, outline
from rum.store.files.yaml import Located, line_ends, locate
from rum.store.files.yaml_edit import Edit, apply, changed, line_end, merged
from rum.store.files.yaml_text import STEP, fields, flow, item

_BREAKS = ("\r", "\n", "\x85")
_EMPTY = re.compile(r"[ \t]*(?:\[\s*\]|(?:~|null|Null|NULL)(?=[ \t]*(?:[ \t]#|[\r\n\x85]|\Z)))")
_COMMENT = re.compile(r"(?:(?<=\s)|\A)#[^\r\n\x85]*")
_ENTRIES = "a list of entries, each after a dash"
_HEADER = re.compile(r"([|>])([1-9]?)[-+]?([1-9]?)")
_NEWEST_NAMED = 3
_SANE = 5
"""So many digits at most has the number of an id that is counted on from."""


class JournalText:
    """One text; what changes it gives a new one."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    @cached_property
    def outline(self) -> Outline:
        """Its sections; InvalidQuery where it is no journal that could be read or edited."""
        return outline(self.text, self.where)

    @cached_property
    def _line_ends(self) -> list[int]:
        return line_ends(self.text)

    def line_at(self, at: int) -> int:
        """The line of a character, from 1."""
        return bisect_right(self._line_ends, at) + 1

    def located(self, start: int, end: int) -> Located:
        """What a part of it says; what is wrong with it is told as for the whole, with the same line."""
        try:
            return locate(self.text[start:end], self.where, self.line_at(start))
        except InvalidQuery:
            locate(self.text, self.where)
            raise

    def scalar(self, name: str) -> object:
        """The value of a top-level key, as of `agent` or `version`."""
        section = self.outline.sections.get(name)
        if section is None:
            return None
        found = self.located(section.start, section.next).value
        return next(iter(cast("dict[str, object]", found).values()))

    def count(self, kind: Kind) -> int:
        """How many entries of a kind there are."""
        section = self.outline.sections.get(kind.section)
        return 0 if section is None else len(self._bounds(section))

    def entries(self, name: str) -> list[Entry]:
        """The entries of a section, in their order."""
        section = self.outline.sections.get(name)
        return [] if section is None else [self._entry(section, *one) for one in self._bounds(section)]

    def ends(self, name: str) -> list[Entry]:
        """The first and the last entry of a section, if it has any."""
        section = self.outline.sections.get(name)
        bounds = self._bounds(section) if section else []
        return [self._entry(section, *bounds[number]) for number in (0, -1)] if section and bounds else []

    def newest(self, name: str, most: int, **having: str) -> list[dict[str, Any]]:
        """The newest entries of a section, those with these fields only; of the rest nothing is parsed."""
        found = [entry for entry in self.entries(name) if all(entry.field(k) == v for k, v in having.items())]
        found.sort(key=lambda entry: -math.inf if entry.time is None else entry.time, reverse=True)
        return [entry.value for entry in found[:most]]

    def slices(self, name: str) -> list[str]:
        """The texts of a section's entries, each with all that comes before the next thing.

        A section that is no list of entries after dashes is one text, with its key.
        """
        section = self.outline.sections[name]
        if section.indent is None:
            return [self.text[section.start : section.next]]
        return [self.text[start:end] for start, end in self._bounds(section)]

    def is_empty(self, name: str) -> bool:
        """Whether a section is there that holds nothing: it gives way to the first entry."""
        section = self.outline.sections.get(name)
        return section is not None and self._gap(section) is not None

    def _entry(self, section: Section, start: int, end: int) -> Entry:
        return Entry(self, start, end, in_brackets=section.flow is not None)

    def _bounds(self, section: Section) -> list[tuple[int, int]]:
        """Where the entries of a section begin, and where the next one does."""
        if section.flow is None:
            return list(zip(section.items, [*section.items[1:], section.next], strict=False))
        start, end = section.flow
        located = self.located(start, end + 1)
        spans = [span for path, span in located.spans.items() if len(path) == 1]
        return [(start + span.start, start + span.end) for span in spans]

    @property
    def context(self) -> dict[str, Any] | None:
        """The section of that name."""
        found = self.scalar("context")
        return cast("dict[str, Any]", found) if isinstance(found, dict) else None

    def find(self, entry_id: str) -> tuple[Kind, Entry] | None:
        """The one entry with this id, and what kind of entry it is."""
        everything = [(kind, entry) for kind in Kind for entry in self.entries(kind.section)]
        found = [(kind, entry) for kind, entry in everything if entry.field("id") == entry_id]
        if len(found) > 1:
            lines = ", ".join(str(entry.line) for _, entry in found)
            raise InvalidQuery(
                f"{self.where}: the entries of lines {lines} are all called `{entry_id}`; rename them.",
                file=self.where,
                id=entry_id,
            )
        return found[0] if found else None

    def next_id(self, kind: Kind) -> str:
        """An id that no entry has, nor had before it was archived: `attempt-007` after `attempt-006`."""
        ids = [entry.field("id") for one in Kind for entry in self.entries(one.section)]
        taken = {one for one in ids if isinstance(one, str)} | self._archived(kind)
        made = re.compile(rf"{kind}-(\d{{3,{_SANE}}})")
        numbers = [int(found[1]) for one in taken if (found := made.fullmatch(one))]
        number = max(numbers, default=0) + 1
        while f"{kind}-{number:03}" in taken:
            number += 1
        return f"{kind}-{number:03}"

    def _archived(self, kind: Kind) -> set[str]:
        """The ids of a kind that the history names."""
        section = self.outline.sections.get("history")
        text = self.text[section.start : section.end] if section else ""
        return set(
            re.findall(rf"(?m)(?:^[ ]*(?:-[ ]+)*|[{{,][ ]*)[\"']?id[\"']?:[ ]*[\"']?({kind}-\d+)\b", text)
        )

    def with_entry(self, name: str, entry: Mapping[str, object], *, blocks: bool = True) -> str:
        """The text with one more entry at the end of a section."""
        section = self.outline.sections.get(name)
        if section is None or not section.flow or self.is_empty(name):
            return self.with_lines(name, item(entry, 0, blocks=blocks))
        if self.text[section.flow[0]] == "{":
            raise self._unfit(section, _ENTRIES)
        last = self._bounds(section)[-1:]
        rest = _COMMENT.sub("", self.text[last[0][1] : section.flow[1]]) if last else ","
        comma = "" if "," in rest else ", "
        return apply(self.text, [Edit(section.flow[1], section.flow[1], comma + flow(entry))])

    def with_lines(self, name: str, lines: str) -> str:
        """The same with entries that are written already, their dashes at the left edge."""
        section = self.outline.sections.get(name)
        if section is None:
            return self._with_section(f"{name}:\n{shifted(lines, STEP)}")
        if section.indent is not None:
            blank = "" if section.open else "\n"
            return apply(self.text, [self._inserted(section.end, blank + shifted(lines, section.indent))])
        if (gap := self._gap(section)) is not None:
            return apply(self.text, [gap, self._inserted(section.end, shifted(lines, STEP))])
        raise self._unfit(section, _ENTRIES)

    def one(self, entry_id: str) -> tuple[Kind, Entry]:
        """The entry with this id, and what kind of entry it is."""
        found = self.find(entry_id)
        if found is None:
            raise NotFound(f"{self.where} has no entry `{entry_id}`.{self._there()}", id=entry_id)
        return found

    def _there(self) -> str:
        """Which entries there are, of each kind the newest ones."""
        ids = [
            entry.field("id") for kind in Kind for entry in list(self.entries(kind.section))[-_NEWEST_NAMED:]
        ]
        named = [f"`{one}`" for one in ids if isinstance(one, str)]
        return f" The newest are {', '.join(named)}." if named else " It has none yet."

    def with_changes(self, entry: Entry, changes: Mapping[str, object], *, blocks: bool = True) -> str:
        """The text with some fields of one of its entries set; maps in it are merged."""
        if entry.in_brackets:
            new = flow(merged(entry.value, changes))
        else:
            ending = line_end(self.text)
            new = changed(
                entry.text, self.where, (0,), changes, first=entry.line, ending=ending, blocks=blocks
            )
        return self.text[: entry.start] + new + self.text[entry.end :]

    def with_context(self, changes: Mapping[str, object], *, blocks: bool = True) -> str:
        """The text with some fields of the context set; maps in it are merged."""
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
        return apply(self.text, [self._inserted(end, blank + lines)])

    def _inserted(self, at: int, lines: str) -> Edit:
        """Whole lines at the end of another one, which may be the last and have no end itself."""
        broken = at == 0 or self.text[at - 1] in _BREAKS or self.text[:at] == "\ufeff"
        return Edit(at, at, ("" if broken else "\n") + lines + "\n")

    def ended(self) -> JournalText:
        """The same, fit to go on after its last line, even where that is a block's and has no end.

        Then the end would be one more character of the block, unless its header says otherwise.
        """
        if not self.outline.sections or self.text[-1] in _BREAKS or self.outline.end < len(self.text):
            return self
        ending = line_end(self.text)
        last = self.slices(list(self.outline.sections)[-1])[-1]
        located, head = locate(last, self.where), self.text.removesuffix(last)
        spaceless = last.rstrip(" \t")
        for whole in (last + ending, spaceless, _stripped(last, located) + ending):
            if whole[-1] in _BREAKS and locate(whole, self.where).value == located.value:
                return self if whole == last + ending else JournalText(head + whole, self.where)
        return self

    def _gap(self, section: Section) -> Edit | None:
        """How an empty value gives way: `[]` and `null` are taken out; None where there is something."""
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


def begun(text: str, session: str, agent: str, created: str) -> str:
    """A journal that says whose it is, after whatever comments the text holds already."""
    about = {"sessionId": session, "agent": agent, "createdAt": created}
    lines = f"{fields({'version': VERSION, 'schema': SCHEMA}, 0)}\n\n{fields(about, 0)}\n"
    gap = "" if not text.strip("\ufeff") or text[-1] in _BREAKS else "\n"
    return text + (gap + lines).replace("\n", line_end(text))


def shifted(lines: str, columns: int) -> str:
    """Lines set in by so many columns more, or less; blank ones stay."""
    if columns >= 0:
        return re.sub(r"^(?=[^\r\n])", " " * columns, lines, flags=re.MULTILINE)
    return re.sub(rf"^ {{1,{-columns}}}", "", lines, flags=re.MULTILINE)


def _stripped(text: str, located: Located) -> str:
    """A text whose last value is a block, with the header that gives it no end of its own."""
    last = max(span.start for span in located.spans.values())
    header = _HEADER.match(text, last)
    return f"{text[:last]}{header[1]}{header[2]}{header[3]}-{text[header.end() :]}" if header else text
