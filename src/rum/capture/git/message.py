"""Read a commit's message: subject, body, the issues it closes, and the other commits it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from rum.capture.git.revert_words import Extent, extent_before
from rum.model.memory import LinkType
from rum.text.sentences import split_sentences
from rum.text.shorten import shorten, without_invisible

MAX_MESSAGE = 64 * 1024  # Characters of a message that are read
MAX_SUBJECT = 300
MAX_BODY = 6000
_CUT_MARK = " […]"  # Differs from an ellipsis that the author may have written

# The possessive quantifiers (`*+`, `++`) below keep long lines of a message from taking quadratic time.
_PEOPLE = r"[A-Z][\w-]*-(?:by|to|with)|cc"
_PLACES = (
    r"change-id|reviewed-on|commit-queue|link|url|refs?|references|see|bug|issue|prs?|pull request|message-id"
)
_TOOLS = r"(?:git|bug|x|patch)-[\w-]+|bugzilla|jira|ticket|task"
_CLOSES = (
    r"close[sd]?|fix(?:e[sd])?|resolve[sd]?|reopens|restores|reverts|part of|follow[- ]?up (?:to|for|of|on)"
)
_REFERENCE = r"(?:[\w./-]*+#\d++|https?://\S++|[0-9a-f]{7,40}(?:\s*\([^()]*+\))?|[A-Z]\w++-\d++)"
_TRAILER = re.compile(
    rf"(?:{_PEOPLE}|{_PLACES}|{_TOOLS})\s*: ?\S.*"
    rf"|(?:{_CLOSES})\s*:? +(?:issue |bug |pr |commit )?{_REFERENCE}(?:[,;\s]+(?:and )?{_REFERENCE})*\W*"
    r"|\(?(?:cherry[- ]picked|backported) from (?:commit )?[0-9a-f]{7,40}.*"
    r"|[A-Z][a-z]+(?>(?:-[A-Z]?[a-z]+)+): \S.*",
    re.IGNORECASE,
)
# A trailer in the middle of the message, of a commit that was squashed into this one.
_NAMES_SOMEBODY = re.compile(
    r"[ \t]*(?:[A-Z][\w-]{1,40}-by|cc) ?: [^<>\n]{0,200}<[^<>\s]{1,200}>[ \t]*", re.IGNORECASE
)
_RULE = re.compile(r"-{5,}")  # The line between squashed messages
_TRAILER_LENGTH = 500
_REVERT_NOTICE = re.compile(
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
_MAX_CLOSED = 5
_MIN_REASON = 7  # Words that the paragraph naming a reverted commit has at least, to be the reason
_CUT_SIGNS = ("…", "...")  # Where a forge cut a title; its rest begins the body
_WRAPPED = 55  # A line of at least so many characters may go on in the next one
_SHORT_LINE = 45  # A shorter line ends its paragraph
_GOES_ON = re.compile(r"[a-z(`'\"]")  # How the next line begins then
# A subject that ends so goes on in any case.
_OPEN = re.compile(
    r"(?:,|\s(?:an?|the|and|or|but|to|of|in|on|at|by|for|from|with|as|if|when|that|which|because|since|is|was))$"
)
# Not an item of a list, an indented or quoted line, or one like `Key: value`.
_TEXT_LINE = re.compile(r"(?![-*+•>#|=]|\d{1,2}[.)] |\s|[\w-]{1,30}:)\S")
_FOLDED_LINES = 4  # of one trailer


class Message(NamedTuple):
    """`body` has no trailers; `closes` are numbers of issues."""

    subject: str
    body: str
    closes: tuple[str, ...]


def parse_message(message: str) -> Message:
    """Return the parts of a message, each of limited length."""
    visible = without_invisible(message[:MAX_MESSAGE])
    first, _, rest = visible.strip().partition("\n")
    subject, body = _whole_sentence(
        " ".join(first.split()), _without_trailers(rest), is_next=rest[:1] != "\n"
    )
    if len(subject) > MAX_SUBJECT:
        body = f"{subject}\n\n{body}"
        subject = cut(subject, MAX_SUBJECT)
    return Message(subject, cut(body.strip(), MAX_BODY), closed_by(visible))


def _whole_sentence(subject: str, body: str, *, is_next: bool) -> tuple[str, str]:
    """A subject that was broken within a sentence, with the rest of that sentence; and the rest of the body.

    `is_next`: the body begins in the next line.
    """
    lines = body.split("\n")
    is_open = _OPEN.search(subject) is not None and (is_next or body[:1].islower())
    is_wrapped = is_next and len(subject) >= _WRAPPED and _GOES_ON.match(lines[0]) is not None
    if subject.endswith(_CUT_SIGNS) and body.startswith(_CUT_SIGNS):
        subject, lines[0] = subject.rstrip("….") + lines[0].lstrip("…."), ""
        return subject, "\n".join(lines).strip("\n")
    if not (is_open or (is_wrapped and subject[-1] not in ".!?:;")):
        return subject, body
    taken = 0
    while taken < len(lines) and _TEXT_LINE.match(lines[taken]):
        taken += 1
        if len(lines[taken - 1]) < _SHORT_LINE:
            break
    # Whole sentences, as many as the first line needs.
    sentences, whole = split_sentences(" ".join((subject, *lines[:taken]))), ""
    while sentences and len(whole) < len(subject):
        whole = f"{whole} {sentences.pop(0)}".strip()
    if not taken or len(whole) > MAX_SUBJECT:
        return subject, body
    return whole, "\n".join((" ".join(sentences), *lines[taken:])).strip("\n")


def reason_of(body: str, named: Iterable[str] = ()) -> str:
    """Why something was reverted: the body without the sentence that git adds.

    Of a body about several things, the paragraph that names what is reverted, if that says more.
    """
    reason = re.sub(r"\n{3,}", "\n\n", _REVERT_NOTICE.sub("", body)).strip()
    paragraphs = re.split(r"\n\s*\n|\n(?=[-*] )", reason)
    about = next((one.strip() for one in paragraphs if any(name in one for name in named)), "")
    return about if len(about.split()) > _MIN_REASON else reason


def cut(text: str, most: int) -> str:
    """A text of at most `most` characters; a longer one ends with `_CUT_MARK`."""
    return shorten(text, most, _CUT_MARK)


def _without_trailers(rest: str) -> str:
    """A body without the trailers at its end, and without names of people anywhere."""
    lines = [line.rstrip() for line in rest.strip("\n").split("\n")]
    end = len(lines)
    while end and (not lines[end - 1] or _is_trailer(lines, end - 1)):
        end -= 1
    kept = (line for line in lines[:end] if not (_NAMES_SOMEBODY.fullmatch(line) or _RULE.fullmatch(line)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def _is_trailer(lines: list[str], number: int) -> bool:
    """Whether a line is a trailer or continues one."""
    for line in reversed(lines[max(0, number + 1 - _FOLDED_LINES) : number + 1]):
        if line[:1] not in (" ", "\t"):
            return len(line) <= _TRAILER_LENGTH and _TRAILER.fullmatch(line.strip()) is not None
    return False


def closed_by(text: str) -> tuple[str, ...]:
    """The numbers of the issues that a message says it closes."""
    found = (number for named in _CLOSED.finditer(text) for number in _NUMBER.findall(named[1]))
    return tuple(dict.fromkeys(found))[:_MAX_CLOSED]


MAX_MENTIONS = 50


class Naming(StrEnum):
    """Why a message names a commit, strongest first."""

    REVERTS = "reverts"
    FOLLOWS = "follows"
    PICKS = "picks"
    NAMES = "names"

    @property
    def link(self) -> LinkType:
        """A commit that reverts or fixes another was caused by it."""
        causal = self in (Naming.REVERTS, Naming.FOLLOWS)
        return LinkType.CAUSED_BY if causal else LinkType.RELATED_TO


class Mention(NamedTuple):
    """The id of another commit, or its beginning, and why it is named."""

    naming: Naming
    sha: str
    extent: Extent | None = None  # How much of it is reverted


# Also as `git describe` writes it: v1.2-34-g0123456
_SHA = re.compile(r"(?:\b|(?<=-g))[0-9a-f]{7,64}\b", re.ASCII)
_DESCRIBED = re.compile(r"\S{1,40}-\d+-g$")
_BEFORE = 80  # characters before an id that are read
_WORD = (
    r"(?:\s+(?:the|git|upstream|my|our|his|her|their|earlier|previous|recent))*"
    r"(?:\s+commits?)?(?:\s+rev(?:ision)?)?[\s:(\[\"'`#]*$"
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
_GAP = 12  # characters between the ids of a list, at most
_LIST = re.compile(r"[\s,;&+]*(?:and)?[\s,]*")


def mentions(message: str) -> tuple[Mention, ...]:
    """Return the commits that a message names, each once, with the strongest reason."""
    found: dict[str, Mention] = {}
    end, naming, extent = 0, Naming.NAMES, None
    for match in _SHA.finditer(message, 0, MAX_MESSAGE):
        between = _DESCRIBED.sub("", message[max(end, match.start() - _BEFORE) : match.start()])
        # "reverts commits 1234567 and 89abcde" reverts both.
        if not (found and match.start() - end < _GAP and _LIST.fullmatch(message, end, match.start())):
            after = message[match.end() : match.end() + _BEFORE]
            extent = extent_before(between, after, other=end > 0)
            naming = Naming.REVERTS if extent else _naming(between)
        end, word = match.end(), match[0]
        is_short_number = naming is Naming.NAMES and word.isdigit() and len(word) < 20
        is_number = is_short_number and not between.rstrip(' ("').lower().endswith("commit")
        if naming and len(found) < MAX_MENTIONS and not is_number:
            both = (found.get(word), Mention(naming, word, extent))
            found[word] = min(filter(None, both), key=lambda mention: list(Naming).index(mention.naming))
    return tuple(found.values())


def _naming(before: str) -> Naming | None:
    """The reason that the words before an id give; None if it is only the parent of another one."""
    if _PARENT.search(before):
        return None
    if _PICKS.search(before):
        return Naming.PICKS
    return Naming.FOLLOWS if _FOLLOWS.search(before) else Naming.NAMES
