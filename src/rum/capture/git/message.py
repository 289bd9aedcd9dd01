"""The parts of a commit's message: its subject, what it says, and the issues it closes."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from rum.model.links import LinkType
from rum.text.invisible import without_unseen
from rum.text.shorten import shorten

LONGEST = 64 * 1024
"""Of a longer message, the beginning is looked at."""
SUBJECT = 300
BODY = 6000
CUT = " […]"
"""What stands where a text was cut."""

_PEOPLE = r"[A-Z][\w-]*-(?:by|to|with)|cc"
_PLACES = (
    r"change-id|reviewed-on|commit-queue|link|url|refs?|references|see|bug|issue|prs?|pull request|message-id"
)
_TOOLS = r"(?:git|bug|x|patch)-[\w-]+|bugzilla|jira|ticket|task"
_ENDS = (
    r"close[sd]?|fix(?:e[sd])?|resolve[sd]?|reopens|restores|reverts|part of|follow[- ]?up (?:to|for|of|on)"
)
_REFERENCE = r"(?:[\w./-]*+#\d++|https?://\S++|[0-9a-f]{7,40}(?:\s*\([^()]*+\))?|[A-Z]\w++-\d++)"
_TRAILER = re.compile(
    rf"(?:{_PEOPLE}|{_PLACES}|{_TOOLS})\s*: ?\S.*"
    rf"|(?:{_ENDS})\s*:? +(?:issue |bug |pr |commit )?{_REFERENCE}(?:[,;\s]+(?:and )?{_REFERENCE})*\W*"
    r"|\(?(?:cherry[- ]picked|backported) from (?:commit )?[0-9a-f]{7,40}.*"
    r"|[A-Z][a-z]+(?:-[A-Z]?[a-z]+)++: \S.*",
    re.IGNORECASE,
)
_NAMES_SOMEBODY = re.compile(
    r"[ \t]*(?:[A-Z][\w-]{1,40}-by|cc) ?: [^<>\n]{0,200}<[^<>\s]{1,200}>[ \t]*", re.IGNORECASE
)
"""The trailer of a commit that was squashed into this one, in the midst of the message."""
_RULE = re.compile(r"-{5,}")
"""What stands between the squashed messages and their trailers."""
_TRAILER_LENGTH = 500
_UNDOING = re.compile(
    r"^[ \t]*This reverts commits?\s[^.]*?(?:,\s+reversing\s+changes made to )?[0-9a-f]{7}"
    r"(?: \(?#\d+\)?)?\W*$"
    r"|^\s*Reverts [\w./-]*#\d+\.?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSED = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:? +"
    r"((?:(?:#|https?://\S{1,200}/(?:issues|pull)/)\d+[,\s]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:#|/)(\d{1,9})\b")
_LISTED = 5
_FOLDED = 4  # lines that a trailer may be folded into


class Message(NamedTuple):
    """A message in parts; `body` has no trailers, `closes` are numbers of issues."""

    subject: str
    body: str
    closes: tuple[str, ...]


def parted(message: str) -> Message:
    """A message in its parts, none longer than anybody reads."""
    seen = without_unseen(message[:LONGEST])
    first, _, rest = seen.strip().partition("\n")
    subject, body = " ".join(first.split()), _said(rest)
    if len(subject) > SUBJECT:
        body = f"{subject}\n\n{body}"
        subject = cut(subject, SUBJECT)
    return Message(subject, cut(body.strip(), BODY), closed_by(seen))


def reason_of(body: str) -> str:
    """Why something was undone: the body of the message without the words that only say that it was."""
    return re.sub(r"\n{3,}", "\n\n", _UNDOING.sub("", body)).strip()


def cut(text: str, most: int) -> str:
    """A text shortened with a mark that differs from an ellipsis of the author's own."""
    return shorten(text, most, CUT)


def _said(rest: str) -> str:
    """The text without trailers: people, links and marks of tools at its end, people anywhere."""
    lines = [line.rstrip() for line in rest.strip("\n").split("\n")]
    end = len(lines)
    while end and (not lines[end - 1] or _is_trailer(lines, end - 1)):
        end -= 1
    told = (line for line in lines[:end] if not (_NAMES_SOMEBODY.fullmatch(line) or _RULE.fullmatch(line)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(told)).strip("\n")


def _is_trailer(lines: list[str], number: int) -> bool:
    """Whether a line is a trailer, or goes on with one."""
    for line in reversed(lines[max(0, number + 1 - _FOLDED) : number + 1]):
        if line[:1] not in (" ", "\t"):
            return len(line) <= _TRAILER_LENGTH and _TRAILER.fullmatch(line.strip()) is not None
    return False


def closed_by(text: str) -> tuple[str, ...]:
    """The numbers of the issues that a message says it closes."""
    found = (number for named in _CLOSED.finditer(text) for number in _NUMBER.findall(named[1]))
    return tuple(dict.fromkeys(found))[:_LISTED]


MOST = 50
"""So many names are heeded in one message."""


class Naming(StrEnum):
    """Why a commit is named, strongest first."""

    REVERTS = "reverts"
    FOLLOWS = "follows"
    PICKS = "picks"
    NAMES = "names"

    @property
    def link(self) -> LinkType:
        """A commit that undoes or mends another was caused by it."""
        causal = self in (Naming.REVERTS, Naming.FOLLOWS)
        return LinkType.CAUSED_BY if causal else LinkType.RELATED_TO


class Mention(NamedTuple):
    """The beginning of another commit's id, or its whole, and why it is named."""

    naming: Naming
    sha: str


_SHA = re.compile(r"\b[0-9a-f]{7,64}\b", re.ASCII)
_BEFORE = 80
_WORD = (
    r"(?:\s+(?:the|git|upstream|my|our|his|her|their|earlier|previous|recent))*"
    r"(?:\s+commits?)?(?:\s+rev(?:ision)?)?[\s:(\[\"'`#]*$"
)
_REVERTS = re.compile(
    rf"(?<!partially )(?<!partly )(?<!part )(?<!mostly )\brevert(?:s|ed|ing)?{_WORD}", re.IGNORECASE
)
_PARENT = re.compile(r"changes made to\s*$")
_PICKS = re.compile(
    rf"\b(?:picked|backported?|ported|taken)\s+from{_WORD}|\bupstream\s+commit\s*$", re.IGNORECASE
)
_FOLLOWS = re.compile(
    r"(?:\bfix(?:es|ed|ing|up)?|\bamends?|\bcorrects?|\brepairs?|\bundoes|\bcompletes?|\bregressed"
    r"|\bfix(?:up)? (?:for|of|to)|\bfollow(?:s|ed|ing)?[- ]?(?:up)?(?: (?:for|to|of|on|from|after))?"
    r"|\b(?:mostly |part(?:ial)?ly )?revert(?:s|ed)?(?: (?:parts? )?of)?"
    r"|\bregress(?:ed|ion)s?[- ](?:from|in|of|since|by|due to|caused by|introduced (?:in|by|with))"
    r"|\b(?:introduced|caused|broken|broke) (?:in|by|with|since)|\bbreakage (?:from|in|of|since)"
    r"|\b(?:bug|goof|typo|mistake|oversight|fallout|leftover|warning|error|failure|problem)s?[- ]"
    r"(?:from|in|of|since|after)"
    rf"|\bbroken since|\bsince){_WORD}",
    re.IGNORECASE,
)
_GAP = 12
_LIST = re.compile(r"[\s,;&+]*(?:and)?[\s,]*")


def mentions(message: str) -> tuple[Mention, ...]:
    """Every commit that is named, once, with the strongest thing that is said of it."""
    found: dict[str, Naming] = {}
    end, naming = 0, Naming.NAMES
    for match in _SHA.finditer(message, 0, LONGEST):
        between = message[max(end, match.start() - _BEFORE) : match.start()]
        # `reverts commits 1234567 and 89abcde` says the same of both.
        if not (found and match.start() - end < _GAP and _LIST.fullmatch(message, end, match.start())):
            naming = _naming(between)
        end = match.end()
        if naming and len(found) < MOST and not (naming is Naming.NAMES and _is_number(match[0], between)):
            known = found.get(match[0], naming)
            found[match[0]] = min(known, naming, key=_ORDER.__getitem__)
    return tuple(Mention(naming, sha) for sha, naming in found.items())


_ORDER = {naming: rank for rank, naming in enumerate(Naming)}


def _naming(before: str) -> Naming | None:
    """What the words just before a name say; None where it is not named for its own sake."""
    if _PARENT.search(before):
        return None
    if _REVERTS.search(before):
        return Naming.REVERTS
    if _PICKS.search(before):
        return Naming.PICKS
    return Naming.FOLLOWS if _FOLLOWS.search(before) else Naming.NAMES


def _is_number(word: str, before: str) -> bool:
    """Whether digits alone are rather a number than a name."""
    return word.isdigit() and len(word) < 20 and not before.rstrip(' ("').lower().endswith("commit")
