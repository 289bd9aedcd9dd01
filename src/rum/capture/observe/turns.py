"""What one prompt set off, told from what else goes on in a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from rum.capture.events.event import cast
from rum.model.ids import id_of
from rum.store.captured_events import TurnKey as Key
from rum.text.invisible import without_unseen

if TYPE_CHECKING:
    from rum.capture.events.event import Event


CLOSING = ("stop", "agent_stop")
"""Events that end a turn."""


def merge_events(events: Iterable[Event]) -> list[Event]:
    """Each event once, in the order of time; what came first is kept, what it lacks is filled in."""
    found: dict[str, Event] = {}
    for event in events:
        known = found.get(event["id"])
        found[event["id"]] = event if known is None else merge_event(known, event)
    return sorted(found.values(), key=lambda event: event["at"])


def merge_event(known: Event, other: Event) -> Event:
    """An event with what another sight of it adds."""
    whole = cast(
        "Event", {**other, **{name: value for name, value in known.items() if value not in ("", [])}}
    )
    if not any("lines" in file for file in known.get("files", [])) and (files := other.get("files")):
        whole["files"] = files
    if known["kind"] in CLOSING and other["at"] > known["at"] and (last := other.get("text")):
        # A turn that was made to go on has several last words.
        whole["text"] = last
        whole["at"] = other["at"]
    return whole


ASIDE = ("start", "end", "compact", "offered")
"""Events that are nobody's work."""


class Turn(NamedTuple):
    """The events of one agent from a prompt on, in their order, and what was said around them.

    `earlier` is the prompt before this one, `reply` the one after it; `task` is what a subagent was told.
    """

    key: Key
    events: tuple[Event, ...]
    earlier: str = ""
    reply: str = ""
    task: str = ""

    @property
    def prompt(self) -> str:
        """What was asked for."""
        return self.task or next((told for event in self.events if (told := _said(event, "prompt"))), "")

    @property
    def last_words(self) -> str:
        """What the agent said at the end."""
        kinds = ("stop", "agent_stop")
        return next((told for event in reversed(self.events) if (told := _said(event, *kinds))), "")

    @property
    def agent_type(self) -> str:
        """What kind of subagent it was."""
        return next((kind for event in self.events if (kind := event.get("agent_type"))), "")

    @property
    def began(self) -> float:
        """When it began, in Unix seconds."""
        return self.events[0]["at"]

    @property
    def ended(self) -> float:
        """When the last thing was seen of it."""
        return self.events[-1]["at"]

    @property
    def cwd(self) -> str:
        """The folder in which it began."""
        return next((event["cwd"] for event in self.events if event["cwd"]), "")

    @property
    def is_finished(self) -> bool:
        """Whether the agent came to an end by itself."""
        return any(event["kind"] in ("stop", "agent_stop") for event in self.events)


def key_of(event: Event) -> Key:
    """Whose work an event belongs to."""
    return Key(event["client"], event["session"], event.get("agent", ""), event.get("turn", ""))


def with_turns(events: Iterable[Event], known: Sequence[tuple[float, str]] = ()) -> list[Event]:
    """The events of one session, each with the name of its turn.

    A client that names none has its turns named by their prompts. `known` are (time, turn) of earlier ones.
    """
    prompts = list(known)
    times = Counter(turn.partition("-")[0] for _, turn in prompts)
    named: list[Event] = []
    for event in events:
        if not event.get("turn") and event["kind"] not in ("start", "end"):
            if event["kind"] == "prompt":
                said = f"{crc32(event.get('text', '').strip().encode('utf-8', 'replace')):08x}"
                times[said] += 1
                prompts.append((event["at"], f"{said}-{times[said]}"))
            turn = next((turn for at, turn in reversed(prompts) if at <= event["at"]), "")
            named.append({**event, "turn": turn})
            continue
        if event["kind"] == "prompt" and not event.get("agent"):
            prompts.append((event["at"], event.get("turn", "")))
        named.append(event)
    return named


def split(events: Iterable[Event]) -> list[Turn]:
    """The turns of a session in their order, subagents' after the prompt that set them off."""
    grouped: dict[Key, list[Event]] = {}
    for event in merge_events(events):
        if event["kind"] not in ASIDE:
            grouped.setdefault(key_of(event), []).append(event)
    turns = [Turn(key, tuple(found)) for key, found in grouped.items()]
    main = [turn for turn in turns if not turn.key.agent]
    around = {
        turn.key: (
            main[at - 1].prompt if at else "",
            main[at + 1].prompt if at + 1 < len(main) else "",
        )
        for at, turn in enumerate(main)
    }
    calls = [event for turn in main for event in turn.events if event.get("tool") == "agent"]
    told = tasks(calls, [(turn.key, turn.began) for turn in turns if turn.key.agent])
    return [
        turn._replace(task=told.get(turn.key, ""))
        if turn.key.agent
        else turn._replace(earlier=around[turn.key][0], reply=around[turn.key][1])
        for turn in turns
    ]


def tasks(calls: Iterable[Event], begun: Iterable[tuple[Key, float]]) -> dict[Key, str]:
    """What each subagent was told: calls and beginnings are matched in the order of their times."""
    told: dict[str, str] = {}
    for event in sorted(calls, key=lambda event: event["at"]):
        if said := event.get("text"):
            told.setdefault(event.get("call") or event["id"], said)
    in_order = sorted(dict(begun).items(), key=lambda one: one[1])
    return {key: text for (key, _), text in zip(in_order, told.values(), strict=False)}


def parents(turns: Iterable[tuple[Key, float]]) -> dict[Key, Key]:
    """The turn of the main agent that each subagent's turn belongs to, of turns with their beginnings."""
    begun = dict(turns)
    main = sorted((at, key) for key, at in begun.items() if not key.agent)
    found: dict[Key, Key] = {}
    for key, at in begun.items():
        if key.agent:
            same = key._replace(agent="")
            # A client may name a subagent's turn otherwise; then it is the one that was going on.
            before = [one for began, one in main if began <= at and one[:2] == key[:2]]
            if same in begun or before:
                found[key] = same if same in begun else before[-1]
    return found


def _said(event: Event, *kinds: str) -> str:
    return event.get("text", "") if event["kind"] in kinds else ""


_LONGEST_NAME = 60


def memory_id(key: Key) -> str:
    """The id of a turn's memory.

    It has no date: the clocks of a hook and of a transcript differ by a moment, and there must be one id.
    """
    return id_of("mem", " ".join(("turn", *key)))


def subagent_id(main_id: str, agent_type: str) -> str:
    """The id of a kind of subagent below a main agent."""
    return id_of("agent", f"{main_id} {agent_type}")


def subagent_name(agent_type: str) -> str:
    """What a kind of subagent is called."""
    plain = " ".join(without_unseen(agent_type).replace("/", "-").split())
    return plain[:_LONGEST_NAME].strip() or "subagent"
