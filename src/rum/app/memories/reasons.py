"""Why the work of a memory was done or failed, quoted from its commit message or its outcome."""

from __future__ import annotations

import re
from collections.abc import Callable

from rum.capture.git.message import reason_of
from rum.inject.brief import REASON
from rum.model.memory import SHORT_SHA, Memory, OriginKind
from rum.text.sentences import is_prose, prose_sentences, split_sentences
from rum.text.shorten import one_line
from rum.text.terms import content_words, terms

MAX_PARAGRAPHS = 3  # Of a commit message
MAX_SENTENCES = 40  # Of a commit message that are compared with a question
MAX_SENTENCE = 400  # Characters; what is longer is rarely a sentence
GAP = " … "  # Between two sentences that do not follow each other
_BULLETS = ("-", "*", "•")
_ITEM = re.compile(r"\n[^\S\n]*[-*•][^\S\n]+")
_CLOSES = "; closes "


def is_commit(memory: Memory) -> bool:
    """Whether a memory is a commit with the summary that git's import gave it: id, author and size only."""
    sha = (memory.origin.reference or "")[:SHORT_SHA]
    return memory.origin.kind is OriginKind.COMMIT and memory.outcome.summary.startswith(sha)


def commit_reason(memory: Memory) -> str:
    """The beginning of the first paragraph of a commit message that adds to the subject; else empty."""
    starts = (_start(paragraph, REASON) for paragraph in _paragraphs(memory))
    return next((one for one in starts if _adds_to_subject(memory, one)), "")


def summary_with_reason(memory: Memory, weigh: Callable[[str], float] | None = None) -> str:
    """The summary for one line: of a commit its id, author and reason, of a failure also why it failed.

    The reason is the first whole sentence that says more than the goal. With `weigh`, the weight of a
    question's words in indexed terms, the further sentence with the most of them follows.
    """
    summary = memory.outcome.summary
    if is_commit(memory):
        reason = _first_sentence(memory)
        if not reason:
            return summary
        who, _, size = summary.partition(": ")
        closed = size.partition(_CLOSES)
        answering = _answering(memory, reason, weigh) if weigh else ""
        return f"{who}{', closes ' + closed[2] if closed[1] else ''}: {reason}{answering}"
    reason = "" if memory.outcome.success or memory.reverted_by else memory.outcome.failure_reason or ""
    sentence = _start(reason, 1)
    if not set(content_words(sentence)) - set(content_words(summary)):
        return summary
    return f"{summary} ({sentence})"


def _paragraphs(memory: Memory) -> list[str]:
    """The first paragraphs of a commit message, without the subjects of commits squashed into it."""
    first, *others = reason_of(memory.intent.context).split("\n\n")[:MAX_PARAGRAPHS]
    return [first, *(one for one in others if not one.startswith(_BULLETS))]


def _adds_to_subject(memory: Memory, text: str) -> bool:
    return bool(set(content_words(text)) - set(content_words(memory.intent.goal)))


def _first_sentence(memory: Memory) -> str:
    """The first sentence of a commit message that adds to the subject; rather none that leads to a list."""
    telling = [one for one in _prose(memory) if _adds_to_subject(memory, one) and not one.endswith(":")]
    return telling[0] if telling else _start(commit_reason(memory), 1)


def _answering(memory: Memory, first: str, weigh: Callable[[str], float]) -> str:
    """The further sentence with the most of the question's words, if any has some."""
    sentences = _prose(memory)
    weights = {one: weigh(" ".join(terms(one))) for one in sentences if one != first}
    best = max(weights, key=lambda one: weights[one], default="")
    if not weights.get(best):
        return ""
    is_whole = first in sentences and first.endswith((".", "!", "?"))
    follows = is_whole and sentences.index(best) == sentences.index(first) + 1
    return f"{' ' if follows else GAP}{best}"


def _prose(memory: Memory) -> list[str]:
    """The sentences of a commit message without code and quotations."""
    sentences = prose_sentences(reason_of(memory.intent.context))[:MAX_SENTENCES]
    return [one_line(one, MAX_SENTENCE) for one in sentences if is_prose(one)]


def _start(paragraph: str, length: int) -> str:
    """The first sentences of a paragraph, at least one, up to a length."""
    start = ""
    for one in _sentences(paragraph):
        if start and len(start) + len(one) >= length:
            break
        start = f"{start} {one}".lstrip()
    return start


def _sentences(paragraph: str) -> list[str]:
    """The sentences of a text; list items become one line."""
    listed = _ITEM.sub("; ", paragraph.lstrip("-*• "))
    return [one_line(one, MAX_SENTENCE) for one in split_sentences(" ".join(listed.split()))]
