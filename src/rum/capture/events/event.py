"""An event that a client's hook or transcript reports: the same shape for every client."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, NotRequired, TypedDict, cast

    EventKind = Literal[
        "start",  # a session began, was resumed, cleared or compacted (`source`)
        "prompt",  # the user sent a prompt (`text`)
        "before",  # a tool is about to run
        "after",  # a tool has run
        "failed",  # a tool has failed
        "agent_start",  # a subagent began
        "agent_stop",  # a subagent has finished (`text`: its last words)
        "compact",  # the conversation is about to be compacted
        "stop",  # the turn is over (`text`: the agent's last words)
        "end",  # the session is over
        "offered",  # RUM added something to the prompt (`offers`)
        "muted",  # a hook ran out of time before it could answer (`source`: at which kind of event)
    ]
    Tool = Literal["read", "edit", "write", "delete", "run", "search", "agent", "rum", "other"]

    class FileAccess(TypedDict):
        """A file that a tool read or changed."""

        path: str
        operation: Literal["read", "edit", "create", "delete"]
        lines: NotRequired[str]  # As `12-20`, in the file after the change
        added: NotRequired[str]  # The lines that an edit adds
        removed: NotRequired[str]

    class Event(TypedDict):
        """A key that does not apply is left out."""

        id: str  # Equal for the same event from a hook and from a transcript
        client: str
        session: str
        kind: EventKind
        at: float  # Unix seconds
        cwd: str
        turn: NotRequired[str]  # The client's name for all work on one prompt
        agent: NotRequired[str]  # The client's id of the subagent that acted
        agent_type: NotRequired[str]
        transcript: NotRequired[str]
        # Why a session began or ended; `INTERRUPTED` for a call that the user stopped.
        source: NotRequired[str]
        # The client's id of a tool call: it ties `before` to `after`, and both to the transcript.
        call: NotRequired[str]
        tool: NotRequired[Tool]
        tool_name: NotRequired[str]  # The client's own name for it
        files: NotRequired[list[FileAccess]]
        command: NotRequired[str]
        exit: NotRequired[int]
        output: NotRequired[str]  # The tool's output, its middle left out if it is long
        text: NotRequired[str]  # A prompt, last words, a search pattern or a subagent's task
        memories: NotRequired[list[str]]  # Memories that a call of RUM's own tools returned or stored
        offers: NotRequired[list[dict[str, object]]]
        project: NotRequired[str]  # The project's id, where the folder of the line does not give it
        # Why texts or files are missing.
        withheld: NotRequired[Literal["private", "ignored", "unredacted", "too large"]]

else:

    def cast(_type: str, value: object) -> object:
        """As in `typing`, which is slow to load: hooks import this module."""
        return value


CONTINUED = "continued"  # The `source` of a stop after a stop hook made the agent continue
INTERRUPTED = "broken off"  # The `source` of a call that did not fail but was stopped by the user


def new_event(
    client: str, session: str, kind: str, at: float, cwd: str, names: tuple[str, ...], **optional: object
) -> Event:
    """Make an event; optional values that are empty are left out. `names` are the further parts of its id."""
    event: dict[str, object] = {
        "id": event_id(client, session, kind, *names),
        "client": client,
        "session": session,
        "kind": kind,
        "at": at,
        "cwd": cwd,
    }
    event.update({name: value for name, value in optional.items() if value})
    return cast("Event", event)


def event_id(client: str, session: str, kind: str, *parts: object) -> str:
    """The id of an event, made from the client's ids, so that it is the same in hook and transcript."""
    return ":".join([client, session, kind, *(str(part) for part in parts if part not in (None, ""))])


def to_line(event: Event) -> bytes:
    """An event as one line of JSON with a line break at its end and none inside."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def from_line(line: bytes) -> Event | None:
    """The event of a line; None for an incomplete line, or one that is not an event."""
    try:
        found: object = json.loads(line)
    except ValueError:
        return None
    needed = ("id", "client", "session", "kind", "at", "cwd")
    whole = isinstance(found, dict) and all(name in found for name in needed)
    return cast("Event", found) if whole else None
