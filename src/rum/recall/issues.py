"""Whether a question is nothing but the number of an issue or pull request."""

from __future__ import annotations

import re

from rum.text.terms import says_little, terms

LONGEST = 200
"""Whoever writes more asks for more than a number."""

_NUMBER = r"([0-9]{1,9})(?!\w)"
_ISSUE = re.compile(
    rf"https?://\S+/(?:issues|pull|merge_requests)/{_NUMBER}\S*"
    rf"|(?:(?<!\w)[\w.-]+/[\w.-]+)?#{_NUMBER}"
    rf"|(?<!\w)(?:gh-|!){_NUMBER}"
    rf"|(?<!\w)(?:issue|bug|ticket|pr|mr|(?:pull|merge) request)\s+#?{_NUMBER}",
    re.IGNORECASE,
)
_BESIDE = frozenset(
    terms(
        "issue issues bug ticket pr pull merge request fix fixes fixed close closes closed resolve resolves "
        "resolved refs references see show find tell give happened"
    )
)
"""What may stand beside a number without asking for anything else."""


def issue_asked_for(text: str) -> str | None:
    """The number, if a question names an issue and says nothing else; a number alone may be any number."""
    if len(text) > LONGEST:
        return None
    numbers = {number for found in _ISSUE.finditer(text) for number in found.groups() if number}
    beside = [term for term in terms(_ISSUE.sub(" ", text)) if term not in _BESIDE]
    return numbers.pop() if len(numbers) == 1 and says_little(beside) else None
