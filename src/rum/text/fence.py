"""Put text of other authors into a prompt safely: between tags, without imitations of tags and turns."""

from __future__ import annotations

import re
import sys
from unicodedata import category, normalize

from rum.text.shorten import without_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match
    from typing import Any

_SPEAKERS = ("system", "user", "human", "assistant", "instructions")  # The names of speakers in prompts
# Hexadecimal digits of the hash in a fence's tag: too many to find a text that contains its own hash.
MARK = 16

_OPENS = "<\uff1c\ufe64\u2039\u276e\u27e8\u3008"
_CLOSES = ">\uff1e\ufe65\u203a\u276f\u27e9\u3009"
# The signs between `<` and the first letter, and as many characters as a disguised name may need.
_TAG = rf"[{_OPENS}](?=((?>(?:_|[^\w{_OPENS}])*))([^{_OPENS}{_CLOSES}]{{0,96}}))"
_OPENING = frozenset(_OPENS)
_BARS = ("|", "\uff5c")
_SPEAKER = rf"(?:{'|'.join(_SPEAKERS)})(?![a-z0-9])|sys\s*\Z"
# Some models mark turns by brackets: [INST] … [/INST].
_INST = r"[\[\uff3b](?=\s*+/?\s*+INST\s*+[\]\uff3d])"
_NO_LETTERS = r"[\W_]+"
# A speaker's name at the beginning of a line, as in a transcript, perhaps as a heading or in bold type.
_TURN = r"(?m)^([^\S\n]*+)[#*_[(]*+[^\S\n]*+([^\W\d_][^\n:\uff1a\ufe55]{3,63}+)[:\uff1a\ufe55]"
_TURNS = frozenset((*_SPEAKERS, "instruction"))
_ORDERS = r"""(?ix)
    \b(?:ignore|disregard|forget)\ (?:\w+\ ){0,3}(?:previous|prior|above|earlier|all|your)
        \ (?:\w+\ ){0,2}(?:instructions?|rules?|prompts?)\b
    |\bsystem\ prompt\b|\byou\ are\ now\b|\bact\ as\ (?:an?|the)\ (?:\w+\ )?(?:assistant|admin|root)\b
    |<\|?(?:system|im_start)\b
"""


def fenced(name: str, text: str, notice: str = "") -> str:
    """Return a text between tags called `name`, under a `notice` of RUM's; empty for an empty text.

    The tags end in a hash of the text: equal texts have equal fences, and no text can contain the tag that
    closes its fence. Look-alikes of tags and turns inside are escaped.
    """
    inside = defused(text, name).strip("\n").rstrip()
    if not inside:
        return ""
    tag = f"{name}-{_sha256((name + chr(0) + inside).encode()).hexdigest()[:MARK]}"
    return f"<{tag}>\n{notice.strip()}{chr(10) * 2 if notice else ''}{inside}\n</{tag}>\n"


def gives_orders(text: str) -> bool:
    """Whether a text gives orders to the model that reads it; such text is never stored."""
    return re.search(_ORDERS, text) is not None


def defused(text: str, name: str = "") -> str:
    """Escape whatever imitates a tag called `name` or a speaker's turn; remove invisible characters."""
    own = _letters(name.casefold())

    def escape_tag(found: Match[str]) -> str:
        """Escape a tag whose signs and letters may be taken for RUM's own, or for a speaker's."""
        if found[1].lstrip().startswith(_BARS):
            return "&lt;"
        plain = _plain(found[2])
        imitates = re.match(_SPEAKER, plain) or (own and _letters(plain).startswith(own))
        return "&lt;" if imitates else found[0]

    text = without_invisible(text)
    # A pattern whose first sign is missing need not be compiled, which takes longer than all the rest.
    if not _OPENING.isdisjoint(text):
        text = re.sub(_TAG, escape_tag, text)
    if "INST" in text:
        text = re.sub(_INST, "&#91;", text)
    return re.sub(_TURN, _quote_turn, text)


def _quote_turn(found: Match[str]) -> str:
    """Quote the beginning of a line that would begin a turn; an indented `user:` is data, as in YAML."""
    indent, name = found[1], found[2]
    is_turn = _letters(_plain(name)) in _TURNS and not (indent and name[:1].islower())
    return f"> {found[0]}" if is_turn else found[0]


def _sha256(data: bytes) -> Any:
    # Not by `hashlib`, which loads OpenSSL: that takes a hook as long as all its offers.
    try:
        module = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:  # another Python than CPython
        module = __import__("hashlib")
    return module.sha256(data)


def _letters(name: str) -> str:
    return re.sub(_NO_LETTERS, "", name)


def _plain(name: str) -> str:
    letters = normalize("NFKC", name).casefold()
    return "".join(one for one in letters if category(one) not in ("Cf", "Mn", "Me"))
