"""What was done, step by step: the events of each tool call put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

from rum.capture.clients.patches import enveloped
from rum.capture.events.event import BROKEN_OFF
from rum.capture.observe.commands import looks_only, read_by
from rum.text.shell import segments

if TYPE_CHECKING:
    from rum.capture.events.event import Event, Touched

_DENIED = ("The user doesn't want", "User rejected", "The user rejected", "Permission to use")
_INTERRUPTED = "[Request interrupted by user"
_ENDED, _TIMED_OUT = (130, 143), 124
"""Exit codes of what was ended by a signal that asks for it, and by `timeout`."""
_PATCH = "*** Begin Patch"


class Step(NamedTuple):
    """One call of a tool; `failed` is None where that was not seen."""

    tool: str
    at: float
    cwd: str
    name: str = ""
    files: tuple[Touched, ...] = ()
    command: str = ""
    exit: int | None = None
    output: str = ""
    text: str = ""
    memories: tuple[str, ...] = ()
    failed: bool | None = None

    @property
    def changes(self) -> tuple[Touched, ...]:
        """The files that it changed, or was to change."""
        return tuple(file for file in self.files if file["operation"] != "read")

    @property
    def only_looks(self) -> bool:
        """Whether it leaves everything as it was."""
        if self.tool == "run":
            return looks_only(self.command)
        return not self.changes


def steps_of(events: Iterable[Event]) -> list[Step]:
    """The calls of a turn that came to an end, in their order."""
    calls: dict[str, list[Event]] = {}
    for event in events:
        if event["kind"] in ("before", "after", "failed"):
            # Where a client names no calls, what came before a tool adds nothing to what came after it.
            if not event.get("call") and event["kind"] == "before":
                continue
            calls.setdefault(event.get("call") or event["id"], []).append(event)
    found = [_step(seen) for seen in calls.values()]
    return [step for step in found if step is not None]


def _step(seen: list[Event]) -> Step | None:
    kinds = {event["kind"] for event in seen}
    ended = [event for event in seen if event["kind"] != "before"]
    if not ended:
        return None  # it was denied, or never came to an end
    whole: dict[str, object] = {}
    for event in seen:
        whole.update(event)
    told = cast("Event", whole)
    output = told.get("output", "")
    if "failed" in kinds and (_is_denied(output) or told.get("source") == BROKEN_OFF):
        return None
    code = told.get("exit")
    is_run = told.get("tool") == "run"
    failed: bool | None = "failed" in kinds or bool(code)
    if is_run and (_was_ended(code, told.get("command", "")) or (code is None and not failed)):
        failed = None
    step = Step(
        tool=told.get("tool", "other"),
        at=ended[-1]["at"],
        cwd=told["cwd"],
        name=told.get("tool_name", ""),
        files=tuple(
            file for file in told.get("files", ()) if file["path"].strip() and file["path"].isprintable()
        ),
        command=told.get("command", ""),
        exit=code,
        output=output,
        text=told.get("text", ""),
        memories=tuple(told.get("memories", ())),
        failed=failed,
    )
    return _understood(step)


def _was_ended(code: int | None, command: str) -> bool:
    """Whether somebody ended a command, as one does with a server: that is no failure of it."""
    return code in _ENDED or (code == _TIMED_OUT and "timeout" in command)


def _is_denied(output: str) -> bool:
    return output.startswith(_DENIED) or _INTERRUPTED in output


def _understood(step: Step) -> Step:
    """A shell that patches or prints files does what other clients have tools for."""
    if step.tool != "run":
        return step
    if _PATCH in step.command and (patched := enveloped(step.command)):
        return step._replace(tool="edit", files=tuple(patched))
    read = [file for segment in segments(step.command) for file in read_by(segment)]
    return step._replace(files=tuple(read)) if read and looks_only(step.command) else step
