"""Turns: the events of a session grouped by the prompt that started them and the agent at work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from rum.capture.events.event import cast
from rum.capture.observe.goals import sets_task, task_type
from rum.model.ids import id_of
from rum.model.memory_layers import TaskType
from rum.store.captured_events import TurnKey
from rum.text.shorten import without_invisible

if TYPE_CHECKING:
    from rum.capture.events.event import Event


CLOSING = ("stop", "agent_stop")  # Events that end a turn
_NO = re.compile(r"\W*(?:no|nope|nein|non|não|nee|nie|нет)\b|\W*(?:不|いいえ|아니)", re.IGNORECASE)


def merge_events(events: Iterable[Event]) -> list[Event]:
    """Return each event once, ordered by time; a repeated event only adds the values that the first lacks."""
    merged: dict[str, Event] = {}
    for event in events:
        first = merged.get(event["id"])
        merged[event["id"]] = event if first is None else merge_event(first, event)
    return sorted(merged.values(), key=lambda event: event["at"])


def merge_event(first: Event, second: Event) -> Event:
    """Return an event with the values that another report of it adds."""
    merged = cast(
        "Event", {**second, **{name: value for name, value in first.items() if value not in ("", [])}}
    )
    if not any("lines" in file for file in first.get("files", [])) and (files := second.get("files")):
        merged["files"] = files
    if first["kind"] in CLOSING and second["at"] > first["at"] and (last := second.get("text")):
        # A turn that a stop hook continued has several last words; the latest count.
        merged["text"] = last
        merged["at"] = second["at"]
    return merged


_NO_WORK = ("start", "end", "compact", "offered", "muted")  # Events that belong to no turn


class Report(NamedTuple):
    """What a subagent reported to the agent that started it: its type, its task and its last words."""

    agent_type: str
    task: str
    text: str


class Turn(NamedTuple):
    """The events of one agent after a prompt, in their order.

    `earlier` is the last prompt before this one that set a task, `said` are the agent's words just before it;
    `reply` is the next prompt, `answer` the one after it, `task` the prompt of a subagent. `after` are the
    events of the next turn, which may take back what this one did.

    A story that several turns tell is one turn too: `members` are their keys, `then` the prompts with which
    it went on, `words` the agent's words about it, `finished` whether the agent ended it.
    """

    key: TurnKey
    events: tuple[Event, ...]
    earlier: str = ""
    said: str = ""
    reply: str = ""
    answer: str = ""
    task: str = ""
    members: tuple[TurnKey, ...] = ()
    then: tuple[str, ...] = ()
    words: str = ""
    finished: bool | None = None
    reports: tuple[Report, ...] = ()
    after: tuple[Event, ...] = ()

    @property
    def prompt(self) -> str:
        """The prompt that started it."""
        return self.task or next((text for event in self.events if (text := _text(event, "prompt"))), "")

    @property
    def last_words(self) -> str:
        """The agent's last message."""
        return self.words or next(
            (text for event in reversed(self.events) if (text := _text(event, *CLOSING))), ""
        )

    @property
    def asks(self) -> bool:
        """Whether the prompt asks something: by its words, or as the agent answers it with a no."""
        if task_type(self.prompt, self.earlier, self.said) is TaskType.INVESTIGATION:
            return True
        return "?" in self.prompt and _NO.match(self.last_words) is not None

    @property
    def agent_type(self) -> str:
        """The type of the subagent; empty for the main agent."""
        return next((kind for event in self.events if (kind := event.get("agent_type"))), "")

    @property
    def began(self) -> float:
        """When it began, in Unix seconds."""
        return self.events[0]["at"]

    @property
    def ended(self) -> float:
        """The time of its last event, in Unix seconds."""
        return self.events[-1]["at"]

    @property
    def cwd(self) -> str:
        """The folder in which it began."""
        return next((event["cwd"] for event in self.events if event["cwd"]), "")

    @property
    def is_finished(self) -> bool:
        """Whether the agent ended it; False while it runs, or if it was interrupted."""
        if self.finished is not None:
            return self.finished
        return any(event["kind"] in CLOSING for event in self.events)


def key_of(event: Event) -> TurnKey:
    """The turn that an event belongs to."""
    return TurnKey(event["client"], event["session"], event.get("agent", ""), event.get("turn", ""))


def with_turns(events: Iterable[Event], known: Sequence[tuple[float, str]] = ()) -> list[Event]:
    """Return the events of one session, each with the name of its turn.

    Turns of a client that names none are named by a checksum of their prompt. `known` are (time, turn) of
    earlier turns.
    """
    prompts = list(known)
    times = Counter(turn.partition("-")[0] for _, turn in prompts)
    named: list[Event] = []
    for event in events:
        if not event.get("turn") and event["kind"] not in ("start", "end"):
            if event["kind"] == "prompt":
                # A checksum is the same in hook and transcript; a number tells repeated prompts apart.
                name = f"{crc32(event.get('text', '').strip().encode('utf-8', 'replace')):08x}"
                times[name] += 1
                prompts.append((event["at"], f"{name}-{times[name]}"))
            # Hooks of one session may report out of order, so the time decides.
            turn = next((turn for at, turn in reversed(prompts) if at <= event["at"]), "")
            named.append({**event, "turn": turn})
            continue
        if event["kind"] == "prompt" and not event.get("agent"):
            prompts.append((event["at"], event.get("turn", "")))
        named.append(event)
    return named


def split_turns(events: Iterable[Event]) -> list[Turn]:
    """Return the turns of a session in their order, with the prompts around them."""
    grouped: dict[TurnKey, list[Event]] = {}
    for event in merge_events(events):
        if event["kind"] not in _NO_WORK:
            grouped.setdefault(key_of(event), []).append(event)
    turns = [Turn(key, tuple(found)) for key, found in grouped.items()]
    main = [turn for turn in turns if not turn.key.agent]
    around = {turn.key: turn for turn in with_neighbours(main)}
    calls = [event for turn in main for event in turn.events if event.get("tool") == "agent"]
    prompts = tasks(calls, [(turn.key, turn.began) for turn in turns if turn.key.agent])
    agents = [turn._replace(task=prompts.get(turn.key, "")) for turn in turns if turn.key.agent]
    callers = parents([(turn.key, turn.began) for turn in turns])
    reports = {
        key: reports_of([agent for agent in agents if callers.get(agent.key) == key])
        for key in set(callers.values())
    }
    by_key = around | {agent.key: agent for agent in agents}
    return [by_key[turn.key]._replace(reports=reports.get(turn.key, ())) for turn in turns]


def reports_of(agents: Iterable[Turn]) -> tuple[Report, ...]:
    """What subagents reported, in the order in which they began."""
    told = sorted((agent for agent in agents if agent.events), key=lambda agent: agent.began)
    return tuple(Report(one.agent_type, one.task, one.last_words) for one in told if one.last_words.strip())


def with_neighbours(main: Sequence[Turn]) -> list[Turn]:
    """The main agent's turns, each with what was said before and after it."""
    earlier = said = ""
    found: list[Turn] = []
    for at, turn in enumerate(main):
        reply = main[at + 1].prompt if at + 1 < len(main) else ""
        answer = main[at + 2].prompt if at + 2 < len(main) else ""
        after = main[at + 1].events if at + 1 < len(main) else ()
        found.append(turn._replace(earlier=earlier, said=said, reply=reply, answer=answer, after=after))
        earlier = turn.prompt if sets_task(turn.prompt, said) else earlier
        said = turn.last_words
    return found


def tasks(calls: Iterable[Event], started: Iterable[tuple[TurnKey, float]]) -> dict[TurnKey, str]:
    """Return the prompt of each subagent: calls and starts are matched in the order of their times."""
    prompts: dict[str, str] = {}
    for event in sorted(calls, key=lambda event: event["at"]):
        if text := event.get("text"):
            prompts.setdefault(event.get("call") or event["id"], text)
    in_order = sorted(dict(started).items(), key=lambda one: one[1])
    return {key: text for (key, _), text in zip(in_order, prompts.values(), strict=False)}


def parents(turns: Iterable[tuple[TurnKey, float]]) -> dict[TurnKey, TurnKey]:
    """Return the main agent's turn for each subagent's turn; `turns` come with their start times."""
    started = dict(turns)
    main = sorted((at, key) for key, at in started.items() if not key.agent)
    found: dict[TurnKey, TurnKey] = {}
    for key, at in started.items():
        if key.agent:
            same = key._replace(agent="")
            # Where the client names a subagent's turn differently, its parent is the turn that was running.
            before = [one for began, one in main if began <= at and one[:2] == key[:2]]
            if same in started or before:
                found[key] = same if same in started else before[-1]
    return found


def _text(event: Event, *kinds: str) -> str:
    return event.get("text", "") if event["kind"] in kinds else ""


_MAX_NAME = 60


def memory_id(key: TurnKey) -> str:
    """The id of a turn's memory.

    It has no date: the times of a hook and of a transcript differ slightly, and the id must be the same.
    """
    return id_of("mem", " ".join(("turn", *key)))


def is_turn_memory_id(name: str) -> bool:
    """Whether an id is one that `memory_id` makes: the only ones whose date is 0."""
    return name.startswith("mem_0000000000")


def subagent_id(main_id: str, agent_type: str) -> str:
    """The id of a type of subagent of a main agent."""
    return id_of("agent", f"{main_id} {agent_type}")


def subagent_name(agent_type: str) -> str:
    """The name of a type of subagent: one line, without the slashes that agent names may not have."""
    plain = " ".join(without_invisible(agent_type).replace("/", "-").split())
    return plain[:_MAX_NAME].strip() or "subagent"
