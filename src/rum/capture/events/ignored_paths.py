"""The paths that a project's `.rumignore` lists: events that name them are not stored."""

from __future__ import annotations

import os
import re

from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = ".rumignore"
_REPLACEMENT = "[ignored]"  # Replaces an ignored path in a text

_LIMIT = 64 * 1024
_MAX_PATTERNS = 1000
# Each multiplies the time of a match by the length of the path. After the last one, any path matches.
_MAX_DOUBLE_STARS = 2
_WORD = re.compile(r"[^\s'\"`;|&<>()\[\]{}=,:]+")


class Ignored:
    """The patterns of a `.rumignore`, in the syntax of `.gitignore`."""

    def __init__(self, root: str, patterns: str) -> None:
        self._root = os.path.normpath(root)
        lines = [line for line in patterns.splitlines() if line.strip() and not line.startswith("#")]
        self._rules = [_rule(line) for line in lines[:_MAX_PATTERNS]]
        self._cache: dict[tuple[str, str], bool] = {}

    def covers(self, path: str, base: str) -> bool:
        """Whether a path, relative to `base`, or a folder above it is ignored."""
        is_ignored = self._cache.get((path, base))
        if is_ignored is None:
            is_ignored = self._cache[path, base] = self._covers(path, base)
        return is_ignored

    def _covers(self, path: str, base: str) -> bool:
        try:
            parts = self._inside(path, base)
        except ValueError:
            return False
        return any(self._names("/".join(parts[:end])) for end in range(1, len(parts) + 1))

    def named_in(self, text: str, base: str) -> bool:
        """Whether any word of a text is an ignored path."""
        return any(self.covers(word[0], base) for word in _WORD.finditer(text))

    def without_named(self, text: str, base: str) -> str:
        """A text with its ignored paths replaced."""
        return _WORD.sub(lambda word: _REPLACEMENT if self.covers(word[0], base) else word[0], text)

    def without_lines(self, text: str, base: str, max_length: int) -> str:
        """A text without the lines that name an ignored path; about `max_length` characters of each end."""
        lines = text.splitlines(keepends=True)
        first, count = self._allowed_lines(lines, base, max_length)
        last, _ = self._allowed_lines(reversed(lines[count:]), base, max_length)
        return "".join((*first, *reversed(last)))

    def _allowed_lines(self, lines: Iterable[str], base: str, max_length: int) -> tuple[list[str], int]:
        """The first lines without ignored paths, about `max_length` characters, and how many were read."""
        allowed: list[str] = []
        length = count = 0
        for line in lines:
            if length >= max_length:
                break
            count += 1
            if not self.named_in(line, base):
                allowed.append(line)
                length += len(line)
        return allowed, count

    def _inside(self, path: str, base: str) -> list[str]:
        """The parts of a path below the root; empty for a path outside."""
        absolute = os.path.normpath(os.path.join(base or self._root, os.path.expanduser(path)))
        below = os.path.join(self._root, "")
        # Links are resolved only where needed: that takes a disk access, and most words are no paths.
        real = absolute if absolute.startswith(below) else os.path.realpath(absolute)
        if not real.startswith(below):
            return []
        return real[len(self._root) :].replace(os.sep, "/").strip("/").split("/")

    def _names(self, path: str) -> bool:
        # As in git, the last pattern that matches decides.
        return next(
            (is_ignored for pattern, is_ignored in reversed(self._rules) if pattern.fullmatch(path)), False
        )


def read_ignored(root: str | None) -> Ignored | None:
    """The patterns of the project at `root`; None if it has none.

    If they cannot be read, all paths are ignored: capturing too little is safer.
    """
    if root is None:
        return None
    try:
        raw, _ = read_bounded(os.path.join(root, FILE), _LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return Ignored(root, "*")
    return Ignored(root, raw.decode("utf-8", "replace"))


def _rule(line: str) -> tuple[re.Pattern[str], bool]:
    """A line as a pattern of paths from the root, and whether it ignores them (False after a `!`)."""
    is_ignored = not line.startswith("!")
    pattern = line if is_ignored else line[1:]
    pattern = re.sub(r"(?<!\\)\s+$", "", pattern.removeprefix("\\"))
    anchored = "/" in pattern.rstrip("/")
    source = _source(pattern.strip("/"))
    return re.compile(source if anchored else f"(?:.*/)?{source}", re.DOTALL), is_ignored


def _source(pattern: str) -> str:
    parts: list[str] = []
    stars = 0
    for part in pattern.split("/"):
        if part != "**":
            parts += (_segment(part), "/")
            continue
        stars += 1
        if stars > _MAX_DOUBLE_STARS:
            return "".join(parts) + ".*"
        parts.append("(?:.*/)?")
    if pattern.endswith("**"):
        return "".join(parts[:-1]) + ".+"
    return "".join(parts[:-1])


def _segment(part: str) -> str:
    """The pattern of one name of a path.

    Each star but the last is an atomic group that takes as little as it can: backtracking through several
    stars would take exponential time.
    """
    pieces = [_piece(piece) for piece in re.split(r"\*+", part)]
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle) + f"[^/]*{last}"


def _piece(text: str) -> str:
    """The pattern of a part without stars: characters, `?` and `[…]`."""
    parts: list[str] = []
    for match in re.finditer(r"\\(.)|\[([!^]?)(\]?[^\]]*)\]|(\?)|(.)", text, re.DOTALL):
        escaped, negated, inside, anything, plain = match.groups()
        if inside:
            within = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside)
            parts.append(f"[{'^' if negated else ''}{within}]")
        else:
            parts.append("[^/]" if anything else re.escape(escaped or plain or match[0]))
    return "".join(parts)
