"""The words of chapters and wisdom as they may be kept: without secrets, seen by everybody, within limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from rum.app.project import Project
from rum.model.chapters import LONGEST_CLAIM, LONGEST_TEXT, LONGEST_TITLE, ChapterWords, WisdomWords
from rum.text.invisible import without_unseen

TEXTS = ("title", "summary")
CLAIMS = ("learnings", "insights", "patterns", "best_practices")
_SIDES = ("claim", "against")
_LONGEST = {"title": LONGEST_TITLE, "summary": LONGEST_TEXT}

W = TypeVar("W", ChapterWords, WisdomWords)
Change = Callable[[str, str], str]
"""From the name of a part, and a text of it, to another text."""


def kept_words(project: Project, words: W) -> W:
    """Words as they may be kept."""
    return msgspec.convert(presentable(project, msgspec.to_builtins(words)), type(words))


def presentable(project: Project, told: dict[str, Any]) -> dict[str, Any]:
    """The parts of some words by name, as they may be kept; there are as many claims as before.

    What nobody sees goes first, as it could hide a secret.
    """
    return _changed(project.clean(_changed(told, _seen)), _fitting)


def _changed(told: dict[str, Any], change: Change) -> dict[str, Any]:
    return {name: _part(name, part, change) for name, part in told.items()}


def _part(name: str, part: Any, change: Change) -> Any:
    if name in TEXTS:
        return change(name, part)
    if name in CLAIMS or name == "topics":
        return [change(name, text) for text in part]
    if name == "contradictions":
        return [{**two, **{side: change(name, two[side]) for side in _SIDES}} for two in part]
    return part


def _seen(name: str, text: str) -> str:
    shown = without_unseen(text)
    return shown if name == "summary" else " ".join(shown.split())


def _fitting(name: str, text: str) -> str:
    """Cutting secrets out can make a text longer than it may be."""
    return text[: _LONGEST.get(name, LONGEST_CLAIM)].rstrip()
