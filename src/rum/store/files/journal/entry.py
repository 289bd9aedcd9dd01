"""One entry of a journal, where it stands in the text; of what is not asked for nothing is parsed."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast

from rum.model.journal import seconds_of
from rum.store.files.yaml import Located
from rum.store.files.yaml_edit import content_end

if TYPE_CHECKING:
    from rum.store.files.journal.text import JournalText

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
        return self.journal.line_at(self.start)

    @cached_property
    def _located(self) -> Located:
        return self.journal.located(self.start, self.end)

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


@lru_cache(64)
def _written(name: str, column: int) -> re.Pattern[str]:
    """A field at this column or after the dash, and its value where that is a word or a simple quote."""
    start = rf"^(?:[ ]*-[ ]+(?<=^.{{{column}}})|[ ]{{{column}}})"
    value = r"""[ ]*(?:"([^"\\\r\n]*)"|'([^'\r\n]*)'|([\w.:+-]+))[ ]*\r?$"""
    return re.compile(rf"{start}[\"']?{name}[\"']?[ ]*:(?:{value})?", re.MULTILINE)
