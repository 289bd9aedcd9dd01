"""The text of a journal: its entries, found and read one by one, and the same text with more in it.

Whatever is added or changed is spliced in: every other character stays as somebody wrote it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, cast

from rum.model.errors import InvalidQuery, NotFound
from rum.model.journal import SCHEMA, VERSION, Kind, seconds_of
from rum.store.files.outline import Outline, Section, outline
from rum.store.files.yaml import Located, locate
from rum.store.files.yaml_edit import Edit, apply, changed, content_end, line_end, merged
from rum.store.files.yaml_text import STEP, fields, flow, item

_BREAKS = ("\r", "\n", "\x85")
_EMPTY = re.compile(r"[ \t]*(?:\[\s*\]|(?:~|null|Null|NULL)(?=[ \t]*(?:[ \t]#|[\r\n\x85]|\Z)))")
_ENTRIES = "a list of entries, each after a dash"
_REST = re.compile(r"[^\r\n\x85]*(?:\r\n|[\r\n\x85]|\Z)")
_DASH = re.compile(r"[ ]*-[ ]+(?=\S)")


class Entry:
    """One entry as it stands in the text; parsed when it is asked for."""

    def __init__(self, journal: JournalText, start: int, end: int, *, in_brackets: bool) -> None:
        self.journal = journal
        self.start = start
        self.end = end
        self.in_brackets = in_brackets

    @cached_property
    def text(self) -> str:
        """How it is written, with what comes before the next one."""
        return self.journal.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line on which it begins, counted from 1."""
        return self.journal.text.count("\n", 0, self.start) + 1

    @cached_property
    def _located(self) -> Located:
        return locate(self.text, self.journal.where, self.line)

    @property
    def value(self) -> dict[str, Any]:
        """What it says; nothing where it is no map."""
        found = self._located.value
        if not self.in_brackets:
            found = cast("list[object]", found)[0] if isinstance(found, list) and found else None
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    @property
    def lines(self) -> str:
        """It alone, without the blank lines and comments that come before the next one."""
        found = _REST.match(self.text, content_end(self.text, self._located, (0,)))
        return self.text[: found.end()] if found else self.text

    def field(self, name: str) -> object:
        """A short field; only where it is written in an unusual way the entry is parsed for it."""
        if self._dash is None:
            return self.value.get(name)
        found = _written(name, len(self._dash)).search(self.text)
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
        """When it was written down, in Unix seconds."""
        return seconds_of(self.field("timestamp"))


class JournalText:
    """One text; what changes it gives a new one."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    @cached_property
    def outline(self) -> Outline:
        """Its sections; InvalidQuery where it is no journal that could be read or edited."""
        return outline(self.text, self.where)

    def scalar(self, name: str) -> object:
        """The value of a top-level key, as of `agent` or `version`."""
        section = self.outline.sections.get(name)
        if section is None:
            return None
        found = locate(self.text[section.start : section.end], self.where, section.line).value
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

    def _entry(self, section: Section, start: int, end: int) -> Entry:
        return Entry(self, start, end, in_brackets=section.flow is not None)

    def _bounds(self, section: Section) -> list[tuple[int, int]]:
        """Where the entries of a section begin, and where the next one does."""
        if section.flow is None:
            return list(zip(section.items, [*section.items[1:], section.end], strict=False))
        start, end = section.flow
        located = locate(self.text[start : end + 1], self.where, section.line)
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
        numbers = re.findall(rf"{kind}-(\d{{1,9}})", self.text)
        return f"{kind}-{max(map(int, numbers), default=0) + 1:03}"

    def with_entry(self, name: str, entry: Mapping[str, object]) -> str:
        """The text with one more entry at the end of a section."""
        section = self.outline.sections.get(name)
        if section is None or not section.flow or self._gap(section):
            return self.with_lines(name, item(entry, 0))
        if self.text[section.flow[0]] == "{":
            raise self._unfit(section, _ENTRIES)
        comma = ", " if section.comma else ""
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

    def one(self, entry_id: str) -> tuple[Kind, dict[str, Any]]:
        """The entry with this id, and what kind of entry it is."""
        found = self.find(entry_id)
        if found is None:
            raise NotFound(f"{self.where} has no entry `{entry_id}`.", id=entry_id)
        return found[0], found[1].value

    def with_changes(self, entry_id: str, changes: Mapping[str, object]) -> str:
        """The text with some fields of one entry set; maps in it are merged."""
        found = self.find(entry_id)
        if found is None:
            return self.text
        _, entry = found
        if entry.in_brackets:
            new = flow(merged(entry.value, changes))
        else:
            new = changed(entry.text, self.where, (0,), changes, first=entry.line, ending=line_end(self.text))
        return self.text[: entry.start] + new + self.text[entry.end :]

    def with_context(self, changes: Mapping[str, object]) -> str:
        """The text with some fields of the context set; maps in it are merged."""
        section = self.outline.sections.get("context")
        if section is None:
            return self._with_section(f"context:\n{fields(changes, STEP)}")
        part = self.text[section.start : section.end]
        if not isinstance(self.scalar("context"), dict | None):
            raise self._unfit(section, "a map of fields")
        name = ("context",)
        new = changed(part, self.where, name, changes, first=section.line, ending=line_end(self.text))
        return self.text[: section.start] + new + self.text[section.end :]

    def _with_section(self, lines: str) -> str:
        end, blank = self.outline.end, "" if self.outline.open or not self.text.strip() else "\n"
        return apply(self.text, [self._inserted(end, blank + lines)])

    def _inserted(self, at: int, lines: str) -> Edit:
        """Whole lines at the end of another one, which may be the last and have no end itself."""
        broken = at == 0 or self.text[at - 1] in _BREAKS or self.text[:at] == "\ufeff"
        return Edit(at, at, ("" if broken else "\n") + lines + "\n")

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


@lru_cache(64)
def _written(name: str, column: int) -> re.Pattern[str]:
    """A field at this column or after the dash, and its value where that is a word or a simple quote."""
    start = rf"^(?:[ ]*-[ ]+(?<=^.{{{column}}})|[ ]{{{column}}})"
    value = r"""[ ]*(?:"([^"\\\r\n]*)"|'([^'\r\n]*)'|([\w.:+-]+))[ ]*\r?$"""
    return re.compile(rf"{start}[\"']?{name}[\"']?[ ]*:(?:{value})?", re.MULTILINE)
