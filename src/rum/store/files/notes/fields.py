"""The fields of a note's frontmatter: read tolerantly, with remarks on what is odd."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

from rum.model.fields import LONGEST_PATTERN, seconds
from rum.model.notes import LONGEST_TITLE, MOST_PATTERNS, Importance
from rum.store.files.yaml import Path
from rum.text.shorten import one_line, shorten

# Returns what is wrong with a pattern that rarely or never matches, or None.
PatternCheck = Callable[[str], str | None]

WHEN = "whenToUse"
# The fields that RUM knows.
FIELDS = (
    "title",
    WHEN,
    "tags",
    "importance",
    "discoveredAt",
    "discoveredBy",
    "discoveredIn",
    "source",
    "relatedMemories",
    "deprecated",
    "supersededBy",
)
MOST_REMARKS = 20
_SPELLED = {name.lower(): name for name in FIELDS}
_LATEST = 253_402_300_800  # The end of the year 9999, in Unix seconds
_MAX_SHOWN = 60  # Characters of a name or pattern in a remark
_MIN_BEGINNING = 4  # Characters at the beginning of a field's name that are enough to recognise it
_MIN_SIMILARITY = 0.75
_SEPARATORS = re.compile(r"[\W_]+")


def no_check(_: str) -> None:
    """A check that accepts every pattern."""


class Frontmatter:
    """The fields of one entry; `line_of` gives the line of a part in the file."""

    def __init__(
        self,
        fields: dict[str, object],
        line_of: Callable[[Path], int],
        check_pattern: PatternCheck = no_check,
    ) -> None:
        self._fields = fields
        self._line_of = line_of
        self._check_pattern = check_pattern
        self._remarks: list[tuple[int, str]] = []

    def remarks(self, *, retired: bool) -> tuple[str, ...]:
        """Remarks on odd values and on unknown fields, by line."""
        meant = {self._unknown(name) for name in self._fields if name not in FIELDS}
        if not retired and WHEN not in meant and not self._items(WHEN, MOST_PATTERNS, LONGEST_PATTERN):
            what = "has no pattern" if WHEN in self._fields else "is missing"
            self._remark((WHEN,), f"`{WHEN}` {what}, so no task asks for this entry.")
        remarks = [f"line {line}: {what}" for line, what in sorted(set(self._remarks))]
        left = len(remarks) - MOST_REMARKS
        return (
            (*remarks[:MOST_REMARKS], f"line {self._line_of(())}: and {left} more.")
            if left > 0
            else (*remarks,)
        )

    def _unknown(self, name: str) -> str | None:
        """Remark on an unknown field; returns the known one that it resembles, if any."""
        near = _similar_field(_SEPARATORS.sub("", name.lower()))
        hint = f"Did you mean `{near}`?" if near else "It is kept in the file."
        self._remark((name,), f"unknown field `{_short(name)}`. {hint}")
        return near

    def line(self, name: str, longest: int = LONGEST_TITLE) -> str | None:
        """A text of one line."""
        value = self._fields.get(name)
        if isinstance(value, dict | list):
            self._should_be(name, "a text", "ignored")
            return None
        text = one_line(_text(value))
        if len(text) > longest:
            self._should_be(name, f"at most {longest} characters", "cut")
        return text[:longest] or None

    def list(self, name: str, most: int, longest: int = LONGEST_TITLE) -> tuple[str, ...]:
        """A list of texts; a single text counts as a list of one."""
        return tuple(text for _, text in self._items(name, most, longest))

    def patterns(self) -> tuple[str, ...]:
        """When to use it, with a remark on each pattern that rarely or never matches."""
        found = self._items(WHEN, MOST_PATTERNS, LONGEST_PATTERN)
        for path, pattern in found:
            if odd := self._check_pattern(pattern):
                self._remark(path, f"`{_short(pattern)}` {odd}.")
        return tuple(pattern for _, pattern in found)

    def _items(self, name: str, most: int, longest: int) -> list[tuple[Path, str]]:
        value = self._fields.get(name)
        if not isinstance(value, list):
            listed: list[tuple[Path, Any]] = [((name,), value)]
        else:
            listed = [((name, at), item) for at, item in enumerate(cast("list[Any]", value))]
        kept: list[tuple[Path, str]] = []
        for path, item in listed:
            text = _text(item).strip()
            if isinstance(item, dict | list):
                self._should_be(name, "a text or a list of texts", "ignored", path)
            elif len(text) > longest or (text and len(kept) == most):
                allowed = f"at most {most} texts of {longest} characters"
                self._should_be(name, allowed, "ignored where it is more", path)
            elif text:
                kept.append((path, text))
        return kept

    def importance(self) -> Importance:
        """The importance; medium if it is missing or unknown."""
        value = _text(self._fields.get("importance")).strip().lower()
        try:
            return Importance(value or Importance.MEDIUM)
        except ValueError:
            self._should_be("importance", f"one of {', '.join(Importance)}", "taken as medium")
            return Importance.MEDIUM

    def flag(self, name: str) -> bool:
        """A boolean; False if it is missing."""
        value = _text(self._fields.get(name)).strip().lower()
        if value not in ("", "true", "yes", "1", "false", "no", "0"):
            self._should_be(name, "true or false", "taken as false")
        return value in ("true", "yes", "1")

    def time(self, name: str) -> int | None:
        """A time in Unix seconds; None if it is missing or unreadable."""
        value = self._fields.get(name)
        if value is None:
            return None
        try:
            at = seconds(value) if isinstance(value, int | float) else _moment(_text(value).strip())
            if 0 <= at < _LATEST:
                return at
            raise ValueError
        except (ValueError, OverflowError):
            self._should_be(name, "a time such as 2026-01-23T10:30:00Z", "ignored")
            return None

    def _should_be(self, name: str, allowed: str, taken: str, path: Path | None = None) -> None:
        self._remark(path or (name,), f"`{name}` should be {allowed}; it is {taken}.")

    def _remark(self, path: Path, what: str) -> None:
        self._remarks.append((self._line_of(path), what))


def _similar_field(name: str) -> str | None:
    """The one known field that begins with this name, or else the most similar one."""
    begun = [known for known in _SPELLED if known.startswith(name) and len(name) >= _MIN_BEGINNING]
    alike = difflib.get_close_matches(name, list(_SPELLED), n=1, cutoff=_MIN_SIMILARITY)
    return next((_SPELLED[known] for known in (begun if len(begun) == 1 else alike)), None)


def _short(text: str) -> str:
    flat = one_line(text)
    return shorten(flat, _MAX_SHOWN)


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _moment(text: str) -> int:
    at = datetime.fromisoformat(text)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
