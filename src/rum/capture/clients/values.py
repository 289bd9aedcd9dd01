"""Read values from JSON of any shape and limit their lengths."""

from __future__ import annotations

from rum.capture.events.event import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_NAME = 200  # Characters kept of a name or an id
MAX_PATH = 1000
MAX_TEXT = 8000  # Characters kept of a prompt, a command or a message
MAX_OUTPUT = 2000  # Characters kept of a tool's output: its beginning and its end
MAX_CHANGE = 4000  # Characters kept of the lines that an edit adds or removes
# Characters of any text that are read: private parts must be found before a text is cut to what is kept.
MAX_RAW = 64_000
LEFT_OUT = "\n[...]\n"


def as_dict(value: object) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """A JSON array; an empty one for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text(value: object, most: int = MAX_NAME) -> str:
    """A string, cut to `most` characters; an empty one for anything else."""
    return value[:most] if isinstance(value, str) else ""


def as_int(value: object) -> int | None:
    """A whole number that JSON can represent exactly; None for anything else."""
    return value if type(value) is int and abs(value) < 2**53 else None


def cut_middle(value: object, most: int) -> str:
    """A long text as its beginning and its end; the end is the longer part, as it has the errors."""
    whole = value if isinstance(value, str) else ""
    if len(whole) <= most:
        return whole
    first = most // 3
    return whole[:first] + LEFT_OUT + whole[-(most - first) :]


def raw_text(value: object) -> str:
    """A text of at most `MAX_RAW` characters, which is cut to what is kept after cleaning."""
    return cut_middle(value, MAX_RAW)


def text_in(content: object) -> str:
    """The texts of a message's content, whether it is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = [as_dict(block) for block in as_list(content)]
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))
