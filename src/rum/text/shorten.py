"""Make text fit to be shown: without invisible characters, on one line, of limited length."""

from __future__ import annotations

import re

_ELLIPSIS = "…"
LINE_BREAK = " ⏎ "  # Between quoted lines on one line

# None of these is compiled on import: that takes milliseconds, and hardly any text needs them.
_ESCAPE = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"  # titles, clipboard
    r"|\x1b[ -/]*[0-~]"
)
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"  # zero width, blank, or a change of the writing direction
    "\ud800-\udfff"  # lone surrogates, which no encoding can write
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tag characters: invisible to people, read by language models (prompt injection)
)
# Scripts that need joiners and non-joiners (U+200D, U+200C) between letters.
_JOINED = (
    "\u0600-\u061b\u061d-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\ufb50-\ufdff\ufe70-\ufefc"
)
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122-\u303d\u3297\u3299\U0001f000-\U0001faff"
_INVISIBLE = (
    f"[{_HIDDEN}]"
    f"|(?<![{_EMOJI}0-9#*])\ufe0f"  # a variation selector, which only an emoji may have
    f"|(?<=[0-9#*])\ufe0f(?!\u20e3)"
    f"|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])"
    f"|(?<![{_JOINED}{_EMOJI}])(?<![{_EMOJI}]\ufe0f)\u200d|\u200d(?![{_JOINED}{_EMOJI}])"
)
_LINE_END = "\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]"
_ANY = f"[{_HIDDEN}\u200c\u200d\u2028\u2029\ufe0f]"
_PLAIN = bytes(range(32, 127)) + b"\t\n"


def without_invisible(text: str) -> str:
    """A text without escape sequences and invisible characters except tabs, with `\\n` as its only line end.

    Joiners stay between letters of scripts, and between emoji, that need them.
    """
    if text.isascii() and not text.encode().translate(None, _PLAIN):
        return text
    if not re.search(_ANY, text):
        return text
    return re.sub(_INVISIBLE, "", re.sub(_LINE_END, "\n", re.sub(_ESCAPE, "", text)))


def shorten(text: str, max_length: int, mark: str = _ELLIPSIS) -> str:
    """A text of at most `max_length` characters; a longer one is cut at a word and ends with `mark`.

    A word's end is searched in the second half only: a text without blanks, such as Chinese or a URL, is cut
    inside a word.
    """
    if len(text) <= max_length:
        return text
    end_limit = max(0, max_length - len(mark))
    end = max(text.rfind(blank, max_length // 2, end_limit + 1) for blank in (" ", "\n"))
    return text[: end if end > 0 else end_limit].rstrip(" \n,.;:") + mark


def shorten_start(text: str, max_length: int) -> str:
    """The last `max_length` characters of a text: in a program's output they matter most."""
    return text if len(text) <= max_length else _ELLIPSIS + text[1 - max_length :]


def one_line(text: str, max_length: int | None = None) -> str:
    """A text on one line without invisible characters, shortened to at most `max_length` characters."""
    line = " ".join(without_invisible(text).split())
    return line if max_length is None else shorten(line, max_length)
