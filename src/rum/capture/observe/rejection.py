"""Work that the user rejected, in their words, and which of its lines the next turn took back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rum.capture.observe.goals import goal_of
from rum.capture.observe.guidance import guidance_in
from rum.capture.observe.messages import may_reject, rejects, reports_failure
from rum.capture.observe.timeline import significant_lines
from rum.capture.observe.undoing import Effect, effect_of, is_file_named
from rum.text.shell import segments

if TYPE_CHECKING:
    from rum.capture.events.event import Event, FileAccess
    from rum.capture.observe.turns import Turn

Lines = dict[str, frozenset[str]]  # Lines without indentation, by file

_MOST = 0.5  # The share of a file's new lines that must be gone
_UNDOING = ("restore", "delete", "stash", "revert")


def rejection_of(turn: Turn) -> str:
    """What the user said when they rejected the work of a turn; empty if they did not."""
    if not turn.reply or not may_reject(turn.reply) or not changed_files(turn.events):
        return ""
    # What only forbids something is an objection if the work was then taken back.
    if not rejects(turn.reply) and not undoes(turn.events, turn.after):
        return ""
    wanted = guidance_in(turn.reply, follows_work=True)
    return " ".join(one.text for one in wanted) or goal_of(turn.reply)


def wish_after(turn: Turn) -> str:
    """What the user said that they want after a turn, if the next turn then took some of its lines out."""
    if not turn.after or not changed_files(turn.events) or reports_failure(turn.reply):
        return ""
    wanted = guidance_in(turn.reply, follows_work=True, undoes=undoes(turn.events, turn.after))
    return " ".join(one.text for one in wanted)


def may_correct(prompt: str) -> bool:
    """Whether a prompt may be about how the work before it was done: an objection, or a wish."""
    return may_reject(prompt) or bool(guidance_in(prompt, follows_work=True))


def changed_files(events: Iterable[Event]) -> list[str]:
    """The files that events changed, each once."""
    files = (file for event in _done(events) for file in event.get("files", []))
    paths = (file["path"] for file in files if file["operation"] != "read")
    return list(dict.fromkeys(paths))


def undone_lines(before: Iterable[Event], after: Iterable[Event]) -> Lines:
    """The lines that some events added and later ones removed again for good."""
    added, removed = _added_lines(before), Lines()
    for event in _done(after):
        for file in event.get("files", []):
            old, new = significant_lines(file.get("removed", "")), significant_lines(file.get("added", ""))
            removed[file["path"]] = (removed.get(file["path"], frozenset()) | old) - new
        for effect in filter(None, map(effect_of, segments(event.get("command", "")))):
            if effect.kind in _UNDOING:
                removed |= {path: lines for path, lines in added.items() if _is_meant(path, effect)}
    found = {path: lines & removed.get(path, frozenset()) for path, lines in added.items()}
    return {path: lines for path, lines in found.items() if lines}


def undoes(before: Iterable[Event], after: Iterable[Event]) -> bool:
    """Whether later events took back most of what earlier ones added to a file."""
    known = list(before)
    added = _added_lines(known)
    return any(len(lines) >= _MOST * len(added[path]) for path, lines in undone_lines(known, after).items())


def new_lines(file: FileAccess) -> frozenset[str]:
    """The lines that a change adds, without those that it only moves."""
    return significant_lines(file.get("added", "")) - significant_lines(file.get("removed", ""))


def _added_lines(events: Iterable[Event]) -> Lines:
    found = Lines()
    for event in _done(events):
        for file in event.get("files", []):
            if lines := new_lines(file):
                found[file["path"]] = found.get(file["path"], frozenset()) | lines
    return found


def _is_meant(path: str, effect: Effect) -> bool:
    return not effect.files or any(is_file_named(path, name) for name in effect.files)


def _done(events: Iterable[Event]) -> Iterable[Event]:
    return (event for event in events if event["kind"] == "after")
