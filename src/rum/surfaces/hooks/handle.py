"""Handle one hook call: payload to event, event to spool, then offers to the agent in the client's format."""

from __future__ import annotations

import json
import os
import re

from rum.capture.clients.detect import CAN_CONTINUE, CLIENTS, event_of, hook_answer, module_of
from rum.capture.clients.values import as_dict
from rum.capture.events.cleaning import clean, minimal_event
from rum.capture.events.event import event_id, new_event, to_line
from rum.capture.events.pause import is_paused
from rum.capture.events.spool import MAX_LINE, write_line
from rum.redact.redactor import Redactor
from rum.surfaces.hooks.child_process import start_intake
from rum.surfaces.hooks.project import find_project, spool_folders
from rum.surfaces.hooks.watchdog import END_SIZE, LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event
    from rum.inject.offers.text import Offer
    from rum.surfaces.hooks.project import HookProject
    from rum.surfaces.hooks.watchdog import Watchdog

TOO_LARGE = "too_large_for_rum"  # Key that marks a payload too large to parse

_FIELDS = (
    "hook_event_name|hookEventName|session_id|sessionId|conversation_id|transcript_path|cwd|prompt_id|turn_id"
    "|generation_id|agent_id|agent_type|tool_name|tool_use_id|cursor_version|timestamp"
)
_FIELD = rf'(?<!\\)"({_FIELDS})"\s*:\s*("(?:[^"\\\x00-\x1f]|\\.){{0,1000}}")'
MAX_CHARACTERS = (
    9_400  # Maximum length of the offers of a hook. Clients cut longer output or move it into a file.
)
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
        if answer and recorded and _ask_to_store(recorded, hook_project, spools, client):
            watchdog.recorded = True
            return  # the turn goes on
        if event["kind"] in _TURN_ENDS and hook_project.project is not None:
            try:
                start_intake(spools[0], hook_project.home, at_once=event["kind"] == "end")
            except OSError as error:  # no process can be started now: the next hook tries again
                reason = error.strerror or error
                _record_problem(spools, f"The intake process could not be started: {reason}", event["at"])
        answerable = recorded and hook_project.project is not None and can_answer(event, client)
        if recorded and answerable:
            muted = lambda: _record_muted(recorded, spools)  # noqa: E731
            if not answer:  # this process continues a hook that ran out of time
                muted()
                return
            watchdog.record_muted = muted
        watchdog.recorded = True
        if recorded and answerable:
            # Not every event can be answered.
            from rum.inject.offers import OfferLimits, offers_for  # noqa: PLC0415

            limits = OfferLimits(*hook_project.offer_limits)
            offers = offers_for(recorded, hook_project.directory, hook_project.root, limits)
            watchdog.record_muted = None
            print_offers(recorded, offers, spools)
    except Exception as error:  # noqa: BLE001 (the outer edge: `rum doctor` shows it)
        _record_problem(spools, f"A hook failed: {_describe_error(error)}", at)


def _ask_to_store(event: Event, hook_project: HookProject, spools: tuple[str, ...], client: str) -> bool:
    """Whether the agent was asked to store its work before it stops; see the setting `capture_by_agent`."""
    mode = hook_project.capture_by_agent
    if event["kind"] != "stop" or mode == "off" or event["client"] != client or client not in CAN_CONTINUE:
        return False
    from rum.inject.offers.store_request import store_request  # noqa: PLC0415 (off by default)

    request = store_request(event, hook_project.directory, hook_project.root, mode)
    if request is None or not record_offers(event, [request], spools):
        return False
    os.write(1, json.dumps(hook_answer(client, "stop", request.text)).encode() + b"\n")
    return True


def parse_payload(raw: bytes) -> dict[str, Any] | None:
    """Parse the payload; of one that is too large only known fields at its ends. None if it is no object."""
    if len(raw) > LARGEST:
        ends = (raw[:END_SIZE] + b"\n" + raw[-END_SIZE:]).decode("utf-8", "replace")
        found: dict[str, Any] = {TOO_LARGE: True}
        for name, value in re.findall(_FIELD, ends):
            found.setdefault(name, json.loads(value))
        return found
    try:
        # An invalid byte must not lose the whole payload.
        return as_dict(json.loads(raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))) or None
    except (ValueError, RecursionError):
        return None


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
        root, ignored = hook_project.root, None
        if root is not None and os.path.lexists(os.path.join(root, ".rumignore")):
            from rum.capture.events.ignored_paths import read_ignored  # noqa: PLC0415 (few projects have one)

            ignored = read_ignored(root)
        return clean(event, redactor, ignored)
    except Exception as error:  # noqa: BLE001 (an event that cannot be redacted is not recorded)
        _record_problem(
            spools, f"Redaction failed: {_describe_error(error)}; only kind and time were recorded", at
        )
        return minimal_event(event)


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


def can_answer(event: Event, client: str) -> bool:
    """Whether output at this event reaches the agent.

    A client that runs another client's hooks but has hooks of its own would get everything twice.
    """
    is_own_client = event["client"] == client or event["client"] not in CLIENTS
    return is_own_client and event["kind"] in module_of(event["client"]).ANSWERABLE


def print_offers(event: Event, offers: list[Offer], spools: tuple[str, ...]) -> None:
    """Print the offers that fit, each only once in a session."""
    fitting = record_offers(event, offers, spools)
    if fitting:
        from rum.inject.offers.text import render_offers  # noqa: PLC0415 (loaded with the first offer)

        answer = hook_answer(event["client"], event["kind"], render_offers(fitting))
        os.write(1, json.dumps(answer).encode() + b"\n")


def record_offers(event: Event, offers: list[Offer], spools: tuple[str, ...]) -> list[Offer]:
    """Record the offers that fit, and return them.

    None are returned if they cannot be recorded, as they would then be offered again.
    """
    fitting = fitting_offers(offers)
    if not fitting:
        return []
    offered: Event = {
        "id": event_id(event["client"], event["session"], "offered", event["id"]),
        "client": event["client"],
        "session": event["session"],
        "kind": "offered",
        "at": event["at"],
        "cwd": event["cwd"],
        "offers": [
            {
                "kind": offer.kind,
                "memories": [*offer.memory_ids],
                "text": offer.text,
                **({"files": [*offer.files]} if offer.files else {}),
            }
            for offer in fitting
        ],
    }
    shared = {name: value for name, value in event.items() if name in ("turn", "agent", "call", "project")}
    offered.update(shared)  # pyright: ignore[reportArgumentType, reportCallIssue]
    file, _ = write_line(spools, event["session"], to_line(offered))
    return [] if file is None else fitting


def _record_muted(event: Event, spools: tuple[str, ...]) -> None:
    """Record that the agent got no answer at an event for lack of time."""
    muted = new_event(
        *(event["client"], event["session"], "muted", event["at"], event["cwd"], (event["id"],)),
        source=event["kind"],
        turn=event.get("turn"),
        agent=event.get("agent"),
        project=event.get("project"),
    )
    write_line(spools, event["session"], to_line(muted))


def fitting_offers(offers: list[Offer]) -> list[Offer]:
    """Return the first offers that fit into MAX_CHARACTERS together; none is cut."""
    fitting: list[Offer] = []
    remaining = MAX_CHARACTERS
    for offer in offers:
        remaining -= len(offer.text) + 1
        if remaining < 0:
            break
        fitting.append(offer)
    return fitting
