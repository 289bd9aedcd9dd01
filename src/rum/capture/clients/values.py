"""Take plain values out of JSON that may hold anything, each no longer than is kept."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, cast
else:

    def cast(_type: str, value: object) -> object:
        """As in `typing`, which is slow to load."""
        return value


NAME = 200
"""Characters kept of a name or an id."""
PATH = 1000
SAID = 8000
"""Characters kept of what a person or an agent said."""
GAVE = 2000
"""Characters kept of what a tool gave: its beginning and its end."""
CHANGED = 4000
"""Characters kept of the lines that an edit put in or took out."""

RAW = 64_000
"""Characters of any one text that are looked at: what is private must be found before a text is cut."""
LEFT_OUT = "\n[...]\n"


def as_dict(value: object) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """A JSON array; an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text(value: object, most: int = NAME) -> str:
    """A string, cut; an empty one for anything else."""
    return value[:most] if isinstance(value, str) else ""


def as_int(value: object) -> int | None:
    """A whole number of sensible size."""
    return value if type(value) is int and abs(value) < 2**53 else None


def condensed(value: object, most: int = GAVE) -> str:
    """A long text as its beginning and its end; errors stand at the end, so that is the longer part."""
    said = value if isinstance(value, str) else ""
    if len(said) <= most:
        return said
    first = most // 3
    return said[:first] + LEFT_OUT + said[-(most - first) :]


def bounded_text(value: object) -> str:
    """As much of a text as is looked at, to be cut to what is kept once it is clean."""
    return condensed(value, RAW)


def text_in(content: object) -> str:
    """The texts of a message's content, whether it is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = [as_dict(block) for block in as_list(content)]
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))
