"""Other wordings of a long question: its first line, its error lines, and the names in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rum.model.requests import MAX_WORDINGS
from rum.text.sentences import split_sentences
from rum.text.terms import query_terms, says_little

MIN_LONG = 200  # Characters; a shorter question in one line is asked as it is
_MAX_LINE = 300  # Characters of a line that is asked on its own
_MAX_NAMES = 12
_MAX_READ = 10_000  # Characters in which errors and names are looked for
_ERROR = re.compile(r"\w*(?:Error|Exception|Failure|Panic)\b|fatal:|error\b|panic:")
_MAX_LEAD = 60  # Characters before the name of an error: marks of a diff or a log, the module
# snake_case, camelCase and dotted names; not numbers or the end of a sentence.
_NAME = re.compile(r"\b(?:[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*)")


def wordings_of(wordings: tuple[str, ...]) -> tuple[str, ...]:
    """The wordings of a question; a long one that was worded once is also asked in parts."""
    if len(wordings) != 1:
        return wordings
    [whole] = wordings
    if len(whole) < MIN_LONG and "\n" not in whole:
        return wordings
    parts = (part for part in _parts(whole) if not says_little(query_terms(part)))
    return tuple(dict.fromkeys([whole, *parts]))[:MAX_WORDINGS]


def _parts(text: str) -> Iterator[str]:
    """Yield the first sentence, the last error and the names of a report, a traceback or a prompt."""
    first = text.splitlines()[0]
    yield next(iter(split_sentences(first)), first)[:_MAX_LINE]
    lines = text[:_MAX_READ].splitlines()
    if error := next((line for line in reversed(lines) if _ERROR.search(line[:_MAX_LEAD])), None):
        yield error.strip()[:_MAX_LINE]
    names = list(dict.fromkeys(_NAME.findall(text[:_MAX_READ])))
    if len(names) > 1:
        yield " ".join(names[:_MAX_NAMES])
