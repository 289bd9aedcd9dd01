"""Take out of a text what nobody sees: escape sequences, control characters, letters for machines alone."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"  # titles, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # turn the direction of what follows
    "\ufeff"
    "\ud800-\udfff"  # cannot be written at all
    "\U000e0000-\U000e007f]"  # letters that nobody sees but a language model
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ANY = re.compile(f"{_UNSEEN.pattern[:-1]}\u2028\u2029]")


def without_unseen(text: str) -> str:
    """The text with every line end as one `\\n`, and of all else that is not seen only tabs."""
    if not _ANY.search(text):
        return text
    return _UNSEEN.sub("", _LINE_END.sub("\n", _ESCAPE.sub("", text)))
