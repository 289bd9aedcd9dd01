"""One thing that an agent's client told us or wrote down: the same shape whatever the client."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, NotRequired, TypedDict, cast

    Kind = Literal[
        "start",  # a session began, was resumed, cleared or compacted (`source`)
        "prompt",  # the user said something (`text`)
        "before",  # a tool is about to run
        "after",  # a tool has run
        "failed",  # a tool has failed
        "agent_start",  # a subagent began
        "agent_stop",  # a subagent is done (`text`: its last words)
        "compact",  # the conversation is about to be compacted
        "stop",  # the turn is over (`text`: the agent's last words)
        "end",  # the session is over
        "offered",  # RUM said something by itself (`offers`)
    ]
    Tool = Literal["read", "edit", "write", "delete", "run", "search", "agent", "rum", "other"]

    class Touched(TypedDict):
        """A file that a tool touched."""

        path: str
        operation: Literal["read", "edit", "create", "delete"]
        lines: NotRequired[str]
        """As `12-20`, in the file after the change."""
        added: NotRequired[str]
        """The lines that an edit puts in."""
        removed: NotRequired[str]

    class Event(TypedDict):
        """What was seen; a key that does not apply is left out."""

        id: str
        """The same thing has the same id, seen by a hook or read from a transcript."""
        client: str
        session: str
        kind: Kind
        at: float
        """Unix seconds."""
        cwd: str
        turn: NotRequired[str]
        """The client's name for what one prompt set off."""
        agent: NotRequired[str]
        """The client's id of the subagent that acted."""
        agent_type: NotRequired[str]
        transcript: NotRequired[str]
        source: NotRequired[str]
        """Why a session began or ended; of a call that failed, that it was `BROKEN_OFF`."""
        call: NotRequired[str]
        """The client's id of a tool call: it ties `before` to `after`, and both to the transcript."""
        tool: NotRequired[Tool]
        tool_name: NotRequired[str]
        """As the client calls it."""
        files: NotRequired[list[Touched]]
        command: NotRequired[str]
        exit: NotRequired[int]
        output: NotRequired[str]
        """What a tool gave, condensed."""
        text: NotRequired[str]
        """What was said: a prompt, last words, an error."""
        memories: NotRequired[list[str]]
        """Memories that a call of RUM's own tools gave or made."""
        offers: NotRequired[list[dict[str, object]]]
        project: NotRequired[str]
        """The project's id, where the line's place does not tell it."""
        withheld: NotRequired[Literal["private", "ignored", "unredacted", "too large"]]
        """Why what was said or touched is missing."""

else:

    def cast(_type: str, value: object) -> object:
        """As in `typing`, which is slow to load."""
        return value


BROKEN_OFF = "broken off"
"""The source of a failure that was no failure: the user did not let the tool go on."""


def event_id(client: str, session: str, kind: str, *parts: object) -> str:
    """The id of an event: made of the names that its client gave, so that hook and transcript agree on it."""
    return ":".join([client, session, kind, *(str(part) for part in parts if part not in (None, ""))])


def to_line(event: Event) -> bytes:
    """An event as one line; never with a line break inside."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def from_line(line: bytes) -> Event | None:
    """The event of a line; None for half a line, or what is none."""
    try:
        found: object = json.loads(line)
    except ValueError:
        return None
    needed = ("id", "client", "session", "kind", "at", "cwd")
    whole = isinstance(found, dict) and all(name in found for name in needed)
    return cast("Event", found) if whole else None
