"""Replace secrets in text and JSON values before anything is written, indexed, hashed or sent."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from rum.redact.secret_assignments import find_by_name, repeats_name
from rum.redact.secret_context import find_by_context
from rum.redact.secret_locations import find_by_location
from rum.redact.secret_names import kind_of_name
from rum.redact.secret_patterns import find_by_pattern
from rum.redact.secret_phrases import find_phrases
from rum.redact.secret_plausibility import (
    MARK,
    MARKED,
    QUOTED,
    UNSEARCHED,
    TooMany,
    compiled,
    is_plausible,
    strength,
    words_in,
)
from rum.text.lexicon import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeGuard

_MOST_TEXT = 4_000_000  # Characters; what follows is cut out unread
_MIN_TEXT = 8  # Characters; no secret is shorter, except by a pattern of the user's
_MIN_TOKEN = 16  # Characters; nothing but letters is no secret by itself if it is shorter
_MOST_ROUNDS = 4
_MOST_REPEATED, _MAX_REPEATED = 20, 200  # Secrets that are looked for at other places, and their length
_MAX_ARGUMENTS, _MAX_ARGUMENT = 100, 1000  # Of a list that may be a command line
# Escaped signs, and options in lists: of a text with one of them, there are other readings to search.
_SIGNS_OF_VIEWS = word_set(
    "&quot; &#34; &#39; &#x27; %22 %3d %3a \\u0022 \\u003d \\u0027 \\x22 \\n| \"- '-"
) | {"- -"}
_BETWEEN = "\n\0\n"  # Joins texts so that no pattern matches across two of them


class Redactor:
    """Finds and replaces secrets; `extra` are patterns of the user's, `allow` are exact values to leave.

    Of an extra pattern with a group, only group 1 is replaced.
    """

    def __init__(self, extra: Sequence[str] = (), allow: Sequence[str] = ()) -> None:
        self._extra = [_user_pattern(source) for source in extra]
        self._allow = frozenset(allow)

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Every secret in the text as (start, end, kind), sorted, without overlaps."""
        if len(text) < _MIN_TEXT and not self._extra:
            return []
        found = list(chain(self._find_by_user(text), _find_all(text)))
        if not found:
            return found
        found += _repeats(text, found)
        kept = [span for span in found if not self._is_allowed(text[span[0] : span[1]])]
        return _merge(_outside_marks(text, kept))

    def redact(self, text: str) -> str:
        """The text with every secret replaced by `[REDACTED:<kind>]`.

        It repeats until nothing is found, so that redacting a redacted text changes nothing. Text that still
        has secrets after a few rounds was made for that: the rest of it is cut out.
        """
        if len(text) > _MOST_TEXT:
            text = f"{text[:_MOST_TEXT]}{MARK}{UNSEARCHED}]"
        rounds = 0
        while found := self.find(text):
            rounds += 1
            if rounds > _MOST_ROUNDS:
                found = [(found[0][0], len(text), UNSEARCHED)]
            pieces: list[str] = []
            at = 0
            for start, end, kind in found:
                pieces += (text[at:start], f"{MARK}{kind}]")
                at = end
            text = "".join(pieces) + text[at:]
        return text

    def redact_tree(self, value: object) -> object:
        """Redact nested dicts, lists and tuples, keys included; other values are unchanged.

        A string is also judged by its key, as `name=value` would be.
        """
        if not isinstance(value, str) and self._is_clean(value):
            return value
        return self._redact_value(value)

    def _is_clean(self, value: object) -> bool:
        """Whether all texts joined contain no secret, so that none needs to be searched alone: much faster.

        False where more than a text's own lines counts: its key, an option before it, a user's pattern.
        """
        texts: list[str] = []
        if self._extra or not _gather(value, texts):
            return False
        return not self.find(_BETWEEN.join(texts))

    def _redact_value(self, value: object) -> object:
        if isinstance(value, str):
            return self.redact(value)
        if _is_dict(value):
            return self._redact_dict(value)
        if _is_sequence(value):
            items = self._redact_items(value)
            return items if isinstance(value, list) else tuple(items)
        return value

    def _redact_dict(self, entries: dict[object, object]) -> dict[object, object]:
        # As in {"name": "DB_PASSWORD", "value": "..."}.
        pair_name = entries.get("name", entries.get("key"))
        clean: dict[object, object] = {}
        for key, value in entries.items():
            name = pair_name if key in ("value", "Value") else key
            new_key = self._redact_value(key)
            while new_key != key and new_key in clean:
                new_key = f"{new_key}+"
            clean[new_key] = self._redact_named(name, value)
        return clean

    def _redact_items(self, items: Iterable[object]) -> list[object]:
        """Redact one by one; an item after an option (`--password`) is judged by the option's name.

        Texts with an option among them are judged as a command line, too.
        """
        clean, old = list(items), None
        for _ in range(_MOST_ROUNDS):
            clean, old = self._redact_arguments(clean), clean
            if clean == old:
                break
        before: object = None
        for number, item in enumerate(clean):
            option = before if isinstance(before, str) and before.startswith("-") else None
            before = clean[number] = self._redact_named(option, item)
        return clean

    def _redact_arguments(self, items: list[object]) -> list[object]:
        texts = [item for item in items if isinstance(item, str) and len(item) <= _MAX_ARGUMENT]
        if not 1 < len(texts) == len(items) <= _MAX_ARGUMENTS or not any(text[:1] == "-" for text in texts):
            return items
        found = self.find(" ".join(texts))
        clean: list[object] = []
        end = -1
        for text in texts:
            start, end = end + 1, end + 1 + len(text)
            inside = [span for span in found if start <= span[0] and span[1] <= end]
            for first, last, kind in reversed(inside):
                text = f"{text[: first - start]}{MARK}{kind}]{text[last - start :]}"
            clean.append(text)
        return clean

    def _redact_named(self, name: object, value: object) -> object:
        """Redact a value; a string also by its key, or by the option before it."""
        if not isinstance(value, str) or not isinstance(name, str):
            return self._redact_value(value)
        kind = kind_of_name(name)
        if (
            kind
            and is_plausible(kind, value, QUOTED)
            and not repeats_name(name, value)
            and not self._is_allowed(value)
        ):
            return f"{MARK}{kind}]"
        if name.lower() in ("cookie", "set-cookie"):
            return self.redact(f"{name}: {value}").removeprefix(f"{name}: ")
        return self.redact(value)

    def _find_by_user(self, text: str) -> Iterator[tuple[int, int, str]]:
        for pattern in self._extra:
            group = min(pattern.groups, 1)
            for match in pattern.finditer(text):
                if match.start(group) < match.end(group):
                    yield *match.span(group), "custom"

    def _is_allowed(self, secret: str) -> bool:
        return secret in self._allow


def _gather(value: object, texts: list[str]) -> bool:
    """Collect all texts; False if one of them must be judged by its key or its neighbour."""
    if isinstance(value, str):
        texts.append(value)
        return not value.startswith("-")
    if _is_dict(value):
        if "value" in value or "Value" in value:
            return False
        return all(_is_harmless(key) and _gather(part, texts) for key, part in value.items())
    return all(_gather(part, texts) for part in value) if _is_sequence(value) else True


@lru_cache(maxsize=256)
def _is_harmless(key: object) -> bool:
    """Whether a key announces no secret, and is none itself."""
    if not isinstance(key, str):
        return True
    if kind_of_name(key) or "cookie" in key.lower():
        return False
    is_plain = len(key) < _MIN_TOKEN and key.islower() and key.replace("_", "").isalpha()
    return is_plain or not any(True for _ in _find_all(key))


def _is_dict(value: object) -> TypeGuard[dict[object, object]]:
    return isinstance(value, dict)


def _is_sequence(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(value, (list, tuple))


def _user_pattern(source: str) -> re.Pattern[str]:
    try:
        return re.compile(source)
    except re.error as error:
        raise ValueError(f"not a regular expression: {source!r} ({error})") from error


def _find_all(text: str) -> Iterator[tuple[int, int, str]]:
    lower = text.lower()
    if len(lower) != len(text):  # a capital dotted I becomes two characters, which would shift all offsets
        lower = text.replace("\u0130", "I").lower()
    searched = len(text)
    for start, end, kind in _find_in(text, lower):
        searched = min(searched, start) if kind == UNSEARCHED else searched
        yield start, end, kind
    text, lower = text[:searched], lower[:searched]
    if not any(sign in lower for sign in _SIGNS_OF_VIEWS):
        return
    from rum.redact.secret_views import views  # noqa: PLC0415 (few texts have other readings)

    for view in views(text):
        read = view.text()
        for start, end, kind in _find_in(read, read.lower()):
            first, last = view.origin(start, end)
            yield first, len(text) if kind == UNSEARCHED else last, kind


_FINDERS = (find_by_pattern, find_by_location, find_by_name, find_by_context, find_phrases)


def _find_in(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield what all finders find; what one of them does not search, the following ones need not either."""
    words, end = words_in(lower), len(text)
    for finder in _FINDERS:
        try:
            yield from finder(text, lower, words)
        except TooMany as stopped:
            yield stopped.at, end, UNSEARCHED
            text, lower = text[: stopped.at], lower[: stopped.at]


def _repeats(text: str, found: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the other places of the first secrets that a generator made: what they are is known now."""
    values = {text[start:end]: kind for start, end, kind in found[:_MOST_REPEATED]}
    for value, kind in values.items():
        if _MIN_TOKEN <= len(value) <= _MAX_REPEATED and strength(value) == 7:
            at = text.find(value)
            while at >= 0:
                yield at, at + len(value), kind
                at = text.find(value, at + len(value))


def _outside_marks(text: str, found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Drop finds that overlap a mark of an earlier redaction, except for a rest that was not searched."""
    marks = [mark.span() for mark in compiled(MARKED).finditer(text)]
    if not marks:
        return found
    from bisect import bisect_right  # noqa: PLC0415 (few texts were redacted before)

    ends = [end for _, end in marks]
    kept: list[tuple[int, int, str]] = []
    for span in found:
        following = bisect_right(ends, span[0])
        if span[2] == UNSEARCHED or following == len(marks) or marks[following][0] >= span[1]:
            kept.append(span)
    return kept


def _merge(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Join overlapping finds; the kind is that of the one that begins first, then of the longest."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end, merged[-1][2])
        else:
            merged.append((start, end, kind))
    return merged
