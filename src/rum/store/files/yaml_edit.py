"""Change some fields of a map in a YAML text, and leave every other character as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from rum.store.files.yaml import Located, Path, Span, locate
from rum.store.files.yaml_text import fields, flow, value

_COMMENT = re.compile(r"[ \t]+#[^\r\n\x85]*")
_LINE = re.compile(r"[^\r\n\x85]+")
_REST = re.compile(r"[ \t]*(?:[ \t]#[^\r\n\x85]*)?(?=\r|\n|\x85|\Z)")


class Edit(NamedTuple):
    """A replacement of some characters."""

    start: int
    end: int
    text: str


def line_end(text: str) -> str:
    """The line end of a text: that of its first line."""
    found = re.search(r"\r\n|[\r\n]", text)
    return found[0] if found else "\n"


def apply(text: str, edits: list[Edit], ending: str | None = None) -> str:
    """The text after some edits, with its line ends in the new lines too."""
    ending = ending or line_end(text)
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new.replace("\n", ending) + text[end:]
    return text


def changed(
    text: str,
    where: str,
    path: Path,
    changes: Mapping[str, object],
    *,
    first: int = 1,
    ending: str | None = None,
    blocks: bool = True,
) -> str:
    """The text with fields of the map at `path` set to new values; maps in it are merged, null is written.

    A field that is not there yet comes last. Comments stay, but for those inside of a value that is replaced.
    """
    edits = list(_edits(text, locate(text, where, first), path, changes, blocks=blocks))
    new = apply(text, edits, ending)
    # At the very end of a text even the last line of a block needs its end.
    return new if not edits or new[-1:] in ("\r", "\n") else new + (ending or line_end(text))


def _edits(
    text: str, located: Located, path: Path, changes: Mapping[str, object], *, blocks: bool
) -> Iterator[Edit]:
    old = _at(located.value, path)
    span = located.spans[path]
    if not isinstance(old, dict) or not old or text[span.start] == "{":
        kept = cast("dict[str, object]", old) if isinstance(old, dict) else {}
        new_value = merged(kept, changes)
        yield _replacement(text, located, path, new_value, in_brackets=bool(kept), blocks=blocks)
        return
    new: dict[str, object] = {}
    for name, one in changes.items():
        before = cast("dict[str, object]", old).get(name)
        if name not in old:
            new[name] = one
        elif isinstance(one, Mapping) and isinstance(before, dict):
            inner = cast("Mapping[str, object]", one)
            yield from _edits(text, located, (*path, name), inner, blocks=blocks)
        elif flow(before) != flow(cast("object", one)):
            yield _replacement(text, located, (*path, name), cast("object", one), blocks=blocks)
    if new:
        yield _addition(text, located, path, new, blocks=blocks)


def merged(old: Mapping[str, object], changes: Mapping[str, object]) -> dict[str, object]:
    """A map after changes: maps in it are merged, everything else is replaced."""
    new = dict(old)
    for name, one in changes.items():
        before = new.get(name)
        both = isinstance(one, Mapping) and isinstance(before, Mapping)
        new[name] = (
            merged(cast("Mapping[str, object]", before), cast("Mapping[str, object]", one)) if both else one
        )
    return new


def _replacement(
    text: str, located: Located, path: Path, new: object, *, blocks: bool, in_brackets: bool = False
) -> Edit:
    """Replace a value; a comment on the line of its key stays."""
    span = located.spans[path]
    end = content_end(text, located, path, kept=False)
    if span.key is None or in_brackets:
        return Edit(span.start, end, flow(new))
    colon = text.index(":", span.key[1]) + 1
    written = value(new, column_of(text, span.key[0]), blocks=blocks)
    head, _, more = written.partition("\n")
    on_one_line = not re.search(r"[\r\n\x85]", text[colon:end])
    if on_one_line and not more and span.end > span.start:
        return Edit(span.start, end, head.lstrip())
    if on_one_line:
        rest = _REST.match(text, end)
        end = rest.end() if rest else end
        comment = rest[0].rstrip() if rest else ""
    else:
        first = re.split(r"[\r\n\x85]", text[colon:end], maxsplit=1)[0]
        found = _COMMENT.search(first)
        comment = found[0] if found and text[span.start] not in "\"'[{" else ""
    return Edit(colon, end, head + comment + ("\n" + more if more else ""))


def _addition(text: str, located: Located, path: Path, new: dict[str, object], *, blocks: bool) -> Edit:
    """Fields after the last one of a map, at its column."""
    inner = [span for at, span in located.spans.items() if len(at) == len(path) + 1 and at[:-1] == path]
    column = column_of(text, inner[0].key[0]) if inner[0].key else 0
    end = content_end(text, located, path)
    rest = _REST.match(text, end)
    end = rest.end() if rest else end
    before = "" if text[end - 1] in "\r\n\x85" else "\n"
    after = "\n" if not before else ""
    return Edit(end, end, before + fields(new, column, blocks=blocks) + after)


def content_end(text: str, located: Located, path: Path, *, kept: bool = True) -> int:
    """Where a value ends, without the blank lines and comments after it that the parser includes.

    With `kept`, blank lines after a `|+` block are part of the value.
    """
    size = len(path)
    return max(
        _leaf_end(text, span, kept=kept)
        for at, span in located.spans.items()
        if at[:size] == path and (not _is_block(text, span, located, at))
    )


def _is_block(text: str, span: Span, located: Located, path: Path) -> bool:
    """Whether a value is a list or map in block style, which ends with its last part."""
    one = _at(located.value, path)
    return isinstance(one, list | dict) and text[span.start : span.start + 1] not in ("[", "{")


def _leaf_end(text: str, span: Span, *, kept: bool) -> int:
    if text[span.start : span.start + 1] not in ("|", ">"):
        return span.end
    header, *lines = _LINE.finditer(text, span.start, span.end)
    if kept and "+" in header[0].split("#", 1)[0]:
        return span.end
    filled = [line for line in lines if line[0].strip(" ")]
    own = min((len(line[0]) - len(line[0].lstrip(" ")) for line in filled), default=0)
    # Spaces beyond its own column are text, too.
    return max(
        (line.end() for line in lines if line in filled or len(line[0]) > own > 0), default=header.end()
    )


def column_of(text: str, at: int) -> int:
    """The column of a character, from 0."""
    return at - max(text.rfind(mark, 0, at) for mark in "\r\n\x85") - 1


def _at(root: object, path: Path) -> object:
    for step in path:
        root = cast("dict[str | int, object]", root)[step]
    return root
