"""Commits that were made in a turn, told from what `git commit` printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from rum.capture.observe.steps import Step
from rum.text.shell import segments

_MADE = re.compile(r"^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,200})$", re.MULTILINE)
_MAKING = ("commit", "merge", "cherry-pick", "revert", "rebase")


class Commit(NamedTuple):
    """The beginning of a commit's id, and its subject."""

    sha: str
    subject: str


def commits_in(steps: Iterable[Step]) -> list[Commit]:
    """The commits that were made, in their order."""
    return [
        Commit(sha, subject.strip())
        for step in steps
        if step.tool == "run" and not step.failed and any(_commits(words) for words in segments(step.command))
        for sha, subject in _MADE.findall(step.output)
    ]


def _commits(words: list[str]) -> bool:
    return words[0] == "git" and any(word in _MAKING for word in words[1:6])
