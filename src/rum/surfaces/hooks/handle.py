"""Handle one hook call: payload to event, event to spool, then offers to the agent."""

from __future__ import annotations

import os

from rum.capture.clients.detect import event_of
from rum.capture.events.cleaning import clean, minimal_event
from rum.capture.events.event import to_line
from rum.capture.events.pause import is_paused
from rum.capture.events.spool import MAX_LINE, write_line
from rum.redact.redactor import Redactor
from rum.surfaces.hooks.answer import can_answer, print_offers
from rum.surfaces.hooks.child_process import start_intake
from rum.surfaces.hooks.payload import TOO_LARGE, parse_payload
from rum.surfaces.hooks.project import find_project, spool_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.capture.events.ignored_paths import Ignored
    from rum.surfaces.hooks.project import HookProject
    from rum.surfaces.hooks.watchdog import Watchdog

_TURN_ENDS = ("stop", "agent_stop", "end", "compact")  # Kinds of events after which the spool is processed


def handle_hook(client: str, at: float, watchdog: Watchdog, *, answer: bool) -> None:
    """Record the event; then, with `answer`, print the offers for it."""
    payload = parse_payload(watchdog.reader.payload)
    event = event_of(payload, client, at) if payload else None
    if payload is None or event is None:
        return
    if TOO_LARGE in payload:
        event["withheld"] = "too large"
    hook_project = find_project(event["cwd"])
    if hook_project is None or is_paused(hook_project.home, hook_project.project, at):
        return
    spools = spool_folders(hook_project)
    try:
        # Recorded before anything is printed: looking for offers may take up the rest of the time.
        recorded = _record(event, hook_project, spools, at)
        if event["kind"] in _TURN_ENDS and hook_project.project is not None:
            _start_intake(event, hook_project, spools)
        watchdog.recorded = True
        if answer and recorded and hook_project.project is not None and can_answer(event, client):
            from rum.inject.offers import offers_for  # noqa: PLC0415 (not every event can be answered)

            print_offers(recorded, offers_for(recorded, hook_project.directory, hook_project.root), spools)
    except Exception as error:  # noqa: BLE001 (the outer edge: `rum doctor` shows it)
        _record_problem(spools, f"A hook failed: {_describe_error(error)}", at)


def _record(event: Event, hook_project: HookProject, spools: tuple[str, ...], at: float) -> Event | None:
    """Return the event as recorded; None if it could not be recorded, or only in part."""
    cleaned = _clean(event, hook_project, spools, at)
    if hook_project.project is not None:
        cleaned["project"] = hook_project.project
    # The cleaned session id: a secret in it must not become a file name.
    where, problem = write_line(spools, cleaned["session"], _fit_line(cleaned))
    if problem is not None:
        outcome = f"saved in {where}" if where else "lost"
        # Not every error names its file.
        cause = f"{problem.filename or spools[0]}: {problem.strerror or problem}"
        _record_problem(spools, f"{cause}; events were {outcome}", at)
    return cleaned if where and "withheld" not in cleaned else None


def _clean(event: Event, hook_project: HookProject, spools: tuple[str, ...], at: float) -> Event:
    if hook_project.problem:
        # The user's own secret patterns are in the settings, which could not be read.
        _record_problem(spools, f"{hook_project.problem}; only kinds and times of events were recorded", at)
        return {**minimal_event(event), "cwd": event["cwd"]}
    try:
        redactor = Redactor(hook_project.redact_extra, hook_project.redact_allow)
        return clean(event, redactor, _ignored_paths(hook_project))
    except Exception as error:  # noqa: BLE001 (an event that cannot be redacted is not recorded)
        _record_problem(
            spools, f"Redaction failed: {_describe_error(error)}; only kind and time were recorded", at
        )
        return minimal_event(event)


def _ignored_paths(hook_project: HookProject) -> Ignored | None:
    root = hook_project.root
    if root is None or not os.path.lexists(os.path.join(root, ".rumignore")):
        return None
    from rum.capture.events.ignored_paths import read_ignored  # noqa: PLC0415 (few projects have one)

    return read_ignored(root)


def _fit_line(event: Event) -> bytes:
    """The event as one line within the limit: file contents are dropped first, then all text."""
    line = to_line(event)
    if len(line) <= MAX_LINE:
        return line
    files = [{"path": file["path"], "operation": file["operation"]} for file in event.get("files", [])]
    line = to_line({**event, "files": files})  # pyright: ignore[reportArgumentType]
    if len(line) <= MAX_LINE:
        return line
    small_fields = {
        name: value for name, value in event.items() if name not in ("files", "text", "output", "command")
    }
    return to_line({**small_fields, "withheld": "too large"})  # pyright: ignore[reportArgumentType]


def _start_intake(event: Event, hook_project: HookProject, spools: tuple[str, ...]) -> None:
    try:
        start_intake(spools[0], hook_project.home, at_once=event["kind"] == "end")
    except OSError as error:  # no process can be started now: the next hook tries again
        _record_problem(
            spools, f"The intake process could not be started: {error.strerror or error}", event["at"]
        )


def _record_problem(spools: tuple[str, ...], problem: str, at: float) -> None:
    from rum.capture.events.problems import record_problem  # noqa: PLC0415 (rarely needed)

    record_problem(spools, problem, at)


def _describe_error(error: Exception) -> str:
    """The type and position of an error, without its message, which may hold secrets."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f" in {os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno}" if last else ""
    return f"{type(error).__name__}{where}"
