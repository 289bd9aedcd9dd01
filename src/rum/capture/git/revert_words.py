"""The words by which a message says that it reverts other work, wholly or in part."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import islice


class Extent(StrEnum):
    """How much of the other work a revert undoes."""

    WHOLE = "whole"
    MOSTLY = "mostly"
    PARTLY = "partly"


_PARTLY = r"(?:part(?:ial(?:ly)?|ly)|in part|semi)"
_MOSTLY = (
    r"(?:mostly|largely|effectively|essentially|basically|functionally|practically|conceptually|"
    r"\(?morally\)?|somewhat|kinda|in effect)"
)
_THING = (
    r"(?:changes?|fix(?:es)?|bug ?fix|patch(?:es)?|hunks?|workaround|hack|functionality|effects?|logic|"
    r"behaviou?r|work|additions?|removal|introduction)"
)
_SOME = (
    r"(?:(?:some|many|(?:a )?few|several|most)(?: of)?"
    r"|(?:the )?(?:\w+ )?(?:parts?|bits?|pieces?|portions?|half)(?: of)?)"
)
_FROM = r"(?:of|from|for|in|by|(?:made|introduced|added|done|brought|applied)(?: (?:in|by|with|as|for))?)"
_OWNER = (
    r"(?:the|this|that|my|our|his|her|their|earlier|later|previous|recent|original|bad|needless|bogus|broken|upstream|"
    r"mistaken|accidental|unintended|unnecessary|wrong|incorrect|faulty)"
)
_NOUN = (
    r"(?:git|commits?|rev(?:ision)?s?|change ?sets?|prs?|pull requests?|mrs?|merge requests?|issues?|bugs?"
    r"|https?://\S{1,80}/)"
)
# What may stand between the verb and the id: "some of the changes made in commit".
_OBJECT = (
    rf":?(?:\s+{_SOME})?(?:\s+{_OWNER})*(?:\s+{_THING}(?:\s+{_FROM})?(?:\s+{_OWNER})*)?(?:\s*{_NOUN})*"
    r"[\s:(\[\"'`#!]*$"
)
_ADVERB = rf"(?:(?P<partly>{_PARTLY})|(?P<mostly>{_MOSTLY}))(?:\s+|-)(?:an?\s+)?"
_FORMS = (
    # A plain verb, unless it is only spoken of: "we may revert", "if we revert", "git revert".
    r"(?P<spoken>\b(?:may|might|could|should|would|can(?:not|'t)?|will|won't|must|to|not|never|do(?:es)?n't|"
    r"didn't|than|if|when|or|please|git|(?:if|when|once|until|unless) (?:we|you|I))\s+)?"
    rf"(?:{_ADVERB})?\b(?<!un-)(?:reverts?|backs?[ -]?out|undo(?:es)?)",
    rf"\b(?:by |{_ADVERB})(?:reverting|backing[ -]?out|undoing)",
    rf"(?:^|[.:;*\n-][ \t]*)(?:{_ADVERB})?(?:revert(?:ed|ing)|back(?:ed|ing)[ -]?out|undid|undoing)",
    # The noun, unless it is another revert that is spoken of.
    rf"(?P<spoken>\b(?:the|that|his|her|their|our|my|after|since|for|of)\s+)?(?:{_ADVERB})?\brevert\s+of",
)
_REVERTS = [re.compile(f"{form}(?P<object>{_OBJECT})", re.IGNORECASE) for form in _FORMS]
# A commit named before in the same sentence is the one that reverts: "1234567 reverted 89abcde".
_BY_OTHER = re.compile(
    r"[ \t)\]\"'`(,-]*(?:\([^()]*\)[ \t-]*)?(?:(?:which|that|had|has|was|also|then|later|and) )*(?:\w+ly )?"
    r"(?:revert|und(?:o|id)|back)",
    re.IGNORECASE,
)
_CHECKED = re.compile(r"\b(?:verif|test|confirm|reproduc)\w+\b[^.]*$", re.IGNORECASE)
_SOME_OF = re.compile(rf"\b(?:{_SOME}|hunks?)\b", re.IGNORECASE)
_MAIN = re.compile(r"\b(?:main|most|bulk|remaining)\b", re.IGNORECASE)
_IN_PART = re.compile(
    r"[^\n.]{0,40}\b(?:in part|partially|partly)\b"
    r"|'s\b|[ \t]*\n?(?:\(?#\d+\)? )?(?:changes )?(?:from|in|for|when|on)\s"
    r"(?!(?:now|good|full|the time|favou?r|head|HEAD|master|main|all)\b)"
)


def extent_before(before: str, after: str = "", *, other: bool = False) -> Extent | None:
    """How much the words before an id say is reverted; None if they do not say that this commit reverts it.

    `other`: another id stands before these words.
    """
    if other and _BY_OTHER.match(re.sub(r"\n(?=[a-z \t-])", " ", before)):
        return None
    found = next(filter(None, (form.search(before) for form in _REVERTS)), None)
    if not found or (names := found.groupdict()).get("spoken"):
        return None
    if found[0].lower().startswith("by ") and _CHECKED.search(before[: found.start()]):
        return None
    if names["mostly"] or _MAIN.search(names["object"]):
        return Extent.MOSTLY
    in_part = names["partly"] or _SOME_OF.search(names["object"]) or _IN_PART.match(after)
    return Extent.PARTLY if in_part else Extent.WHOLE


_NUMBER = re.compile(
    r"(?<![\w#])(?:[\w.-]{1,60}/[\w.-]{1,60})?[#!](\d{1,7})\b"
    r"|\b(?:issue|bug|pr|pull request|merge request) #?(\d{1,7})\b",
    re.IGNORECASE,
)
_ANY = re.compile(r"revert|back\w*[ -]?out|und(?:o|id)", re.IGNORECASE)
_MAX_NUMBERS = 100  # Numbers of a message that are looked at
_WORDS = 80  # Characters before and after an id or number that are read


def reverted_numbers(message: str) -> dict[str, Extent]:
    """The numbers of pull requests and issues whose work a message says that it reverts."""
    found: dict[str, Extent] = {}
    if not _ANY.search(message):
        return found
    for match in islice(_NUMBER.finditer(message), _MAX_NUMBERS):
        before = message[max(0, match.start() - _WORDS) : match.start()]
        extent = extent_before(before, message[match.end() : match.end() + _WORDS])
        if extent:
            found.setdefault(match[1] or match[2], extent)
    return found


_SUBJECT = re.compile(
    rf"(?:[\w./ +\[\]-]{{1,40}}:\s+)?(?:{_ADVERB})?(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)?[ -]?out|"
    r"undo(?:es|ing)?|undid)\b(?!:|\s+(?:back\s+)?to\b)|.*\(revert(?:ed)?\)",
    re.IGNORECASE,
)


def says_revert(subject: str) -> bool:
    """Whether a subject says that the commit reverts something, whatever it is."""
    return _SUBJECT.match(subject) is not None
