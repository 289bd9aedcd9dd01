"""The code of a memory as it was, beside the code as it is today."""

from __future__ import annotations

import re

from msgspec import UNSET, UnsetType

from rum.app.caller import Caller
from rum.app.freshness.check import check_anchors
from rum.app.pages.timeline import read_text
from rum.app.project import Project
from rum.model.anchors import GONE, UNKNOWN, Anchor, Freshness, place
from rum.model.errors import NotFound
from rum.model.pages import AnchoredCode
from rum.repo.git_process import ask_git

MAX_ANCHORS = 20  # Pieces of code that are shown of one memory
MAX_LINES = 400  # Lines that are shown of one
_BLOB = re.compile(r"[0-9a-f]{12,64}")


def anchors(caller: Caller, memory_id: str) -> list[AnchoredCode]:
    """The pieces of code that a memory speaks of, each with its state and, as far as known, both texts."""
    project = caller.project
    memory = project.memory(memory_id)
    is_here = caller.role is None  # a team's files are elsewhere
    found = check_anchors(project, [memory.id]).get(memory.id, []) if is_here else []
    return [_code(project, anchor, state) for anchor, state in found[:MAX_ANCHORS]]


def _code(project: Project, anchor: Anchor, now: Freshness) -> AnchoredCode:
    is_there = now.state not in (GONE, UNKNOWN)
    return AnchoredCode(
        path=anchor.path,
        place=place(anchor.path, anchor.start, anchor.end),
        symbol=anchor.symbol,
        state=now.state,
        place_now=place(now.path, now.start, now.end) if is_there else UNSET,
        changed=round(now.share, 3),
        before=_before(project, anchor),
        after=_after(project, now) if is_there else UNSET,
    )


def _before(project: Project, anchor: Anchor) -> list[str] | UnsetType:
    """The lines as they were, if git has that content."""
    repository = project.repository()
    if repository is None or not _BLOB.fullmatch(anchor.blob):
        return UNSET
    data = ask_git(repository.git_dir, "cat-file", "blob", anchor.blob)
    if data is None or b"\0" in data:
        return UNSET
    return _lines(project.redactor.redact(data.decode("utf-8", "replace")), anchor.start, anchor.end)


def _after(project: Project, now: Freshness) -> list[str] | UnsetType:
    try:
        return _lines(read_text(project, now.path)[0], now.start, now.end)
    except NotFound:
        return UNSET


def _lines(text: str, start: int, end: int) -> list[str]:
    lines = text.splitlines()
    chosen = lines[start - 1 : max(start, end)] if start else lines
    return chosen[:MAX_LINES]
