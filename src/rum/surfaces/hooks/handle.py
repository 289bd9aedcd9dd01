"""From what a hook is told to a line in the spool, and from there to what the agent hears."""

from __future__ import annotations

import os

from rum.capture.clients.detect import event_of
from rum.capture.events.cleaning import bare, clean
from rum.capture.events.event import to_line
from rum.capture.events.pause import is_paused
from rum.capture.events.spool import LONGEST_LINE, keep
from rum.redact.redactor import Redactor
from rum.surfaces.hooks.answer import hears, say
from rum.surfaces.hooks.child_process import take_in
from rum.surfaces.hooks.payload import LARGE, parsed
from rum.surfaces.hooks.project import find_place, spool_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.capture.events.ignored_paths import Ignored
    from rum.surfaces.hooks.project_cache import Found
    from rum.surfaces.hooks.watchdog import Watchdog

_ENDS = ("stop", "agent_stop", "end", "compact")
"""Events after which there is something to take in."""


def take(client: str, at: float, watchdog: Watchdog, *, speak: bool) -> None:
    """Keep what the hook was told; then print what is worth saying about it."""
    payload = parsed(watchdog.reading.payload)
    event = event_of(payload, client, at) if payload else None
    if payload is None or event is None:
        return
    if LARGE in payload:
        event["withheld"] = "too large"
    found = find_place(event["cwd"])
    if found is None or is_paused(found.home, found.project, at):
        return
    places = spool_folders(found)
    try:
        kept = _kept(event, found, places, at)
        if event["kind"] in _ENDS and found.project is not None:
            _have_taken_in(event, found, places)
        watchdog.kept = True
        if speak and kept and found.project is not None and hears(event, client):
            from rum.inject.offers import offers_for  # noqa: PLC0415 (not every event can be answered)

            say(kept, offers_for(kept, found.directory, found.root), places)
    except Exception as error:  # noqa: BLE001 (whatever it is, somebody must be able to read of it)
        _note(places, f"A hook failed: {_described(error)}", at)


def _kept(event: Event, found: Found, places: tuple[str, ...], at: float) -> Event | None:
    """The event as it was written down; None if it was not, or not as it should be."""
    cleaned = _cleaned(event, found, places, at)
    if found.project is not None:
        cleaned["project"] = found.project
    # By its name as it is kept: one that is a secret must not be the name of a file either.
    where, problem = keep(places, cleaned["session"], _fitting(cleaned))
    if problem is not None:
        went = f"kept in {where}" if where else "lost"
        # Not every error knows of which file it is.
        what = f"{problem.filename or places[0]}: {problem.strerror or problem}"
        _note(places, f"{what}; events were {went}", at)
    return cleaned if where and "withheld" not in cleaned else None


def _cleaned(event: Event, found: Found, places: tuple[str, ...], at: float) -> Event:
    if found.trouble:
        # Which secrets are the user's own is written in the settings.
        _note(places, f"{found.trouble}; only kinds and times of events were kept", at)
        return {**bare(event), "cwd": event["cwd"]}
    try:
        redactor = Redactor(found.redact_extra, found.redact_allow)
        return clean(event, redactor, _ignored(found))
    except Exception as error:  # noqa: BLE001 (what cannot be cleaned is not kept, whatever the reason)
        _note(places, f"Redaction failed: {_described(error)}; only kind and time were kept", at)
        return bare(event)


def _ignored(found: Found) -> Ignored | None:
    root = found.root
    if root is None or not os.path.lexists(os.path.join(root, ".rumignore")):
        return None
    from rum.capture.events.ignored_paths import read_ignored  # noqa: PLC0415 (few projects have one)

    return read_ignored(root)


def _fitting(event: Event) -> bytes:
    """The event as a line that is not too long: what was changed goes first, then all that was said."""
    line = to_line(event)
    if len(line) <= LONGEST_LINE:
        return line
    files = [{"path": file["path"], "operation": file["operation"]} for file in event.get("files", [])]
    line = to_line({**event, "files": files})  # pyright: ignore[reportArgumentType]
    if len(line) <= LONGEST_LINE:
        return line
    told = {
        name: value for name, value in event.items() if name not in ("files", "text", "output", "command")
    }
    return to_line({**told, "withheld": "too large"})  # pyright: ignore[reportArgumentType]


def _have_taken_in(event: Event, found: Found, places: tuple[str, ...]) -> None:
    try:
        take_in(places[0], found.home, at_once=event["kind"] == "end")
    except OSError as error:  # no room for one more process: it is done another time
        _note(places, f"Nothing could be started to take events in: {error.strerror or error}", event["at"])


def _note(places: tuple[str, ...], what: str, at: float) -> None:
    from rum.capture.events import problems  # noqa: PLC0415 (there is hardly ever any)

    problems.note(places, what, at)


def _described(error: Exception) -> str:
    """What kind of error and where; its words may hold what must not be kept."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f" in {os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno}" if last else ""
    return f"{type(error).__name__}{where}"
