"""Take out of a text what nobody sees: escape sequences, control characters, letters for machines alone."""

from __future__ import annotations

import re

# Not compiled here: that takes milliseconds, and hardly any text needs it.
_ESCAPE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"  # titles, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"  # no width, no ink, or another direction for what follows
    "\ud800-\udfff"  # cannot be written at all
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # letters that nobody sees but a language model
)
_JOINED = (
    "\u0600-\u061b\u061d-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\ufb50-\ufdff\ufe70-\ufefc"
)
"""Scripts in which a joiner, or what keeps two letters from joining, is a part of writing."""
_PICTURES = "\u00a9\u00ae\u203c\u2049\u2122-\u303d\u3297\u3299\U0001f000-\U0001faff"
_UNSEEN = (
    f"[{_HIDDEN}]"
    f"|(?<![{_PICTURES}0-9#*])\ufe0f"  # only a picture has two looks
    f"|(?<=[0-9#*])\ufe0f(?!\u20e3)"
    f"|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])"
    f"|(?<![{_JOINED}{_PICTURES}])(?<![{_PICTURES}]\ufe0f)\u200d|\u200d(?![{_JOINED}{_PICTURES}])"
)
_LINE_END = "\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]"
_ANY = re.compile(f"[{_HIDDEN}\u200c\u200d\u2028\u2029\ufe0f]")


def without_unseen(text: str) -> str:
    """The text with every line end as one `\\n`, and of all else that is not seen only tabs.

    What scripts and pictures need to be written at all stays where it stands between two of them.
    """
    if not _ANY.search(text):
        return text
    return re.sub(_UNSEEN, "", re.sub(_LINE_END, "\n", re.sub(_ESCAPE, "", text)))
