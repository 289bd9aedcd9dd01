"""Which other commits a message names, and what it says of them."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from rum.capture.git.message import LONGEST
from rum.model.links import LinkType

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
