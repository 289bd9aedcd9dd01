"""How a brief tells what came of earlier work; a commit's own summary, its size, tells nobody anything."""

from __future__ import annotations

import posixpath
import re

from rum.capture.git.commit_memory import is_size_of
from rum.capture.git.message import reason_of
from rum.inject.brief import REASON
from rum.model.memory import Memory
from rum.model.origin import OriginKind
from rum.text.sentences import split_sentences
from rum.text.terms import content_words

PARAGRAPHS = 3
"""So many paragraphs of a message are looked at."""
_BULLETS = ("-", "*", "•")
_ITEM = re.compile(r"\n[^\S\n]*[-*•][^\S\n]+")
NAMED = 3
"""So many of a commit's files are named."""


def is_commit(memory: Memory) -> bool:
    """Whether a memory is that of a commit, with nothing but its size as its summary."""
    is_from_git = memory.origin is not None and memory.origin.kind is OriginKind.COMMIT
    return is_from_git and memory.commit is not None and is_size_of(memory.outcome.summary, memory.commit)


def came_of(memory: Memory) -> str:
    """What came of some work: its summary; of a commit how its message begins, or the names of its files."""
    if not is_commit(memory):
        return memory.result
    return _reason(memory) or _names(memory) or memory.result


def solution(memory: Memory) -> str:
    """What solved something, in short: a commit says so in its subject."""
    return memory.intent.goal if is_commit(memory) else memory.result


def are_copies(one: Memory, other: Memory) -> bool:
    """Whether two memories are of one commit, picked from one branch onto another."""
    return (
        is_commit(one)
        and is_commit(other)
        and (one.agent_id, one.intent) == (other.agent_id, other.intent)
        and [action.timestamp for action in one.actions[:1]]
        == [action.timestamp for action in other.actions[:1]]
    )


def _reason(memory: Memory) -> str:
    """How the message of a commit begins to say more than its subject; nothing where it never does."""
    subject = set(content_words(memory.intent.goal))
    first, *others = reason_of(memory.intent.context).split("\n\n")[:PARAGRAPHS]
    # Further items are the subjects of commits that were squashed into one.
    told = map(_beginning, [first, *(one for one in others if not one.startswith(_BULLETS))])
    return next((one for one in told if set(content_words(one)) - subject), "")


def _beginning(paragraph: str) -> str:
    """The first sentence of a paragraph, and more as long as they are short; items as a list in a line."""
    told = ""
    listed = _ITEM.sub("; ", paragraph.lstrip("-*• "))
    for one in split_sentences(" ".join(listed.split())):
        if told and len(told) + len(one) >= REASON:
            break
        told = f"{told} {one}".lstrip()
    return told


def _names(memory: Memory) -> str:
    names = list(dict.fromkeys(posixpath.basename(file.path) for file in memory.files))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
