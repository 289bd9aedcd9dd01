"""Text that others wrote, in a prompt: fenced as data, defused, and searched for orders to the model."""

from __future__ import annotations

import re
from unicodedata import category, normalize

from rum.text.invisible import without_unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

SPEAKERS = ("system", "user", "human", "assistant", "instructions")
"""The names by which prompts tell apart who is speaking."""
MARK = 16
"""Hexadecimal digits of a fence's mark: nobody finds a text that holds the mark of itself."""

_OPENS = "<\uff1c\ufe64\u2039\u276e\u27e8\u3008"
_CLOSES = ">\uff1e\ufe65\u203a\u276f\u27e9\u3009"
# What stands between the sign and the first letter, and as much after it as a name in disguise may need.
_TAG = re.compile(rf"[{_OPENS}](?=((?:_|[^\w{_OPENS}])*+)([^{_OPENS}{_CLOSES}]{{0,96}}))")
_BARS = ("|", "\uff5c")
_SPEAKER = re.compile(rf"(?:{'|'.join(SPEAKERS)})(?![a-z0-9])|sys\s*\Z")
# The turns of some models stand between brackets.
_BRACKETED = re.compile(r"[\[\uff3b](?=\s*+/?\s*+INST\s*+[\]\uff3d])")
_BETWEEN = re.compile(r"[\W_]+")
# A name at the beginning of a line, as transcripts have it, with what headings and bold type put around it.
_TURN = re.compile(
    r"^([^\S\n]*+)[#*_[(]*+[^\S\n]*+([^\W\d_][^\n:\uff1a\ufe55]{3,63}+)[:\uff1a\ufe55]", re.MULTILINE
)
_TURNS = frozenset((*SPEAKERS, "instruction"))
# Not compiled beforehand: a hook loads this module and never needs it.
_ORDERS = r"""(?ix)
    \b(?:ignore|disregard|forget)\ (?:\w+\ ){0,3}(?:previous|prior|above|earlier|all|your)
        \ (?:\w+\ ){0,2}(?:instructions?|rules?|prompts?)\b
    |\bsystem\ prompt\b|\byou\ are\ now\b|\bact\ as\ (?:an?|the)\ (?:\w+\ )?(?:assistant|admin|root)\b
    |<\|?(?:system|im_start)\b
"""


def fenced(name: str, text: str, notice: str = "") -> str:
    """A text behind a fence called `name`, under a `notice` of ours; a text of nothing stays nothing.

    The fence's tags end in a mark made of the text itself: the same text has the same fence, and no text
    can hold the tag that ends it. What only looks like a tag inside, or like somebody's turn, is defused.
    """
    inside = defused(text, name).strip("\n").rstrip()
    if not inside:
        return ""
    tag = f"{name}-{_mark(name, inside)}"
    return f"<{tag}>\n{notice.strip()}{chr(10) * 2 if notice else ''}{inside}\n</{tag}>\n"


def gives_orders(text: str) -> bool:
    """Whether a text speaks to the model that will read it, not to people; such text is never kept."""
    return re.search(_ORDERS, text) is not None


def defused(text: str, name: str = "") -> str:
    """A text in which nothing looks like a tag called `name`, begins another's turn, or hides from people."""
    own = _BETWEEN.sub("", name.casefold())

    def escaped(found: Match[str]) -> str:
        return "&lt;" if _speaks(found[1], found[2], own) else found[0]

    tame = _BRACKETED.sub("&#91;", _TAG.sub(escaped, without_unseen(text)))
    return _TURN.sub(_quoted, tame)


def _quoted(found: Match[str]) -> str:
    """The beginning of a line, as a quotation where it would begin a turn; an indented `user:` is data."""
    indent, name = found[1], found[2]
    speaks = _BETWEEN.sub("", _plain(name)) in _TURNS and not (indent and name[:1].islower())
    return f"> {found[0]}" if speaks else found[0]


def _speaks(before: str, after: str, own: str) -> bool:
    """Whether a tag with these signs and letters may be taken for our own, or for a speaker's."""
    if before.lstrip().startswith(_BARS):
        return True
    plain = _plain(after)
    return bool(_SPEAKER.match(plain)) or (bool(own) and _BETWEEN.sub("", plain).startswith(own))


def _plain(name: str) -> str:
    letters = normalize("NFKC", name).casefold()
    return "".join(one for one in letters if category(one) not in ("Cf", "Mn", "Me"))


def _mark(name: str, text: str) -> str:
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which what has nothing to say does not need)

    return hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()[:MARK]
