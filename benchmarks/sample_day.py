"""A simulated day of an agent's work: the hook calls of Claude Code, and the memories expected from them.

`make_day` gives the same day for the same seed. Its sessions have turns of every sort: fixes that fail before
they work, work that is given up or broken off, subagents, compaction, questions, and small talk.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
BEGAN = 1_790_000_000.0  # When the day began, in Unix seconds


class HookCall(NamedTuple):
    """The payload of a hook, and its time."""

    at: float
    payload: Json


class Expected(NamedTuple):
    """A turn by its session, subagent and prompt, what sort it is of, and whether it should make a memory."""

    session: str
    agent: str
    turn: str
    sort: str
    memory: bool
    success: bool | None = None
    failed_attempts: int = 0


class Day(NamedTuple):
    """Hook calls in their order, and the memories expected from them."""

    hook_calls: list[HookCall]
    expected: list[Expected]
    calls: int


def make_day(cwd: str, calls: int = 2000, seed: int = 1, began: float = BEGAN) -> Day:
    """Make a day with at least this number of tool calls."""
    maker = _Maker(cwd, random.Random(seed), began)
    while maker.calls < calls:
        maker.session()
    return Day(maker.hook_calls, maker.expected, maker.calls)


class _Maker:
    """Makes the events one after the other and advances the clock."""

    def __init__(self, cwd: str, chance: random.Random, began: float) -> None:
        self.hook_calls: list[HookCall] = []
        self.expected: list[Expected] = []
        self.calls = 0
        self._cwd = cwd
        self._chance = chance
        self._at = began
        self._session = self._turn = self._agent = ""
        self._names = self._ids()

    def _ids(self) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"{number:06d}-{self._chance.getrandbits(32):08x}"

    def session(self) -> None:
        """One session of a dozen turns, compacted now and then."""
        self._session = f"session-{next(self._names)}"
        self._tell("SessionStart", source="startup")
        for _ in range(self._chance.randint(8, 16)):
            sorts = list(_SORTS)
            sort = self._chance.choices(sorts, [_SORTS[one][0] for one in sorts])[0]
            self._turn = f"prompt-{next(self._names)}"
            _SORTS[sort][1](self)
            if self._chance.random() < 0.08:
                self._tell("PreCompact", trigger="auto")
                self._tell("SessionStart", source="compact")
        self._tell("SessionEnd", reason="exit")

    def _tell(self, event: str, **more: Any) -> None:
        self._at += self._chance.uniform(0.05, 4)
        payload: Json = {"session_id": self._session, "cwd": self._cwd, "hook_event_name": event, **more}
        if event not in ("SessionStart", "SessionEnd"):
            payload["prompt_id"] = self._turn
        if self._agent:
            payload |= {"agent_id": self._agent, "agent_type": "explorer"}
        self.hook_calls.append(HookCall(round(self._at, 3), payload))

    def prompt(self, text: str) -> None:
        self._tell("UserPromptSubmit", prompt=text)

    def stop(self, text: str) -> None:
        self._tell("Stop", last_assistant_message=text)

    def expect(self, sort: str, *, memory: bool, success: bool | None = None, failed: int = 0) -> None:
        self.expected.append(Expected(self._session, self._agent, self._turn, sort, memory, success, failed))

    def call(self, tool: str, given: Json, gave: object = None, error: str | None = None) -> None:
        self.calls += 1
        named = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{next(self._names)}"}
        self._tell("PreToolUse", **named)
        if error is None:
            self._tell("PostToolUse", **named, tool_response=gave)
        else:
            self._tell("PostToolUseFailure", **named, error=error)

    def file(self) -> str:
        folder, name = self._chance.choice(_FOLDERS), self._chance.choice(_FILES)
        return f"{self._cwd}/{folder}/{name}_{self._chance.randint(1, 40)}.py"

    def read(self, path: str) -> None:
        first, count = self._chance.randint(1, 200), self._chance.randint(20, 200)
        file = {"filePath": path, "content": "…", "startLine": first, "numLines": count, "totalLines": 500}
        self.call("Read", {"file_path": path}, {"type": "text", "file": file})

    def edit(self, path: str, old: str, new: str) -> None:
        hunk = {
            "oldStart": 10,
            "newStart": 10,
            "lines": [f"-{old}", *(f"+{line}" for line in new.split("\n"))],
        }
        given = {"file_path": path, "old_string": old, "new_string": new}
        self.call("Edit", given, {"filePath": path, "structuredPatch": [hunk]})

    def run(self, command: str, output: str = "", error: str | None = None) -> None:
        gave = {"stdout": output, "stderr": "", "interrupted": False}
        self.call("Bash", {"command": command}, gave, error)

    def tests(self, name: str, fault: str | None = None) -> None:
        """A run of tests that passes, or fails with something."""
        count = self._chance.randint(3, 90)
        if fault is None:
            self.run(f"pytest -q tests/test_{name}.py", f"{count} passed in 0.{count}s")
            return
        output = (
            f"Exit code 1\nE       {fault}\n\nsrc/{name}.py:{count}: in compute\n"
            f"FAILED tests/test_{name}.py::test_{name} - {fault}\n1 failed, {count} passed in 0.3s"
        )
        self.run(f"pytest -q tests/test_{name}.py", error=output)

    def agent(self, task: str, work: Callable[[], None]) -> None:
        """A subagent at work, within a call of the main agent's."""
        given = {"prompt": task, "subagent_type": "explorer"}
        named = {"tool_name": "Agent", "tool_input": given, "tool_use_id": f"toolu_{next(self._names)}"}
        self.calls += 1
        self._tell("PreToolUse", **named)
        self._agent = f"a{next(self._names)}"
        self._tell("SubagentStart")
        work()
        self._tell("SubagentStop", last_assistant_message=f"{task} It is done, and the tests pass.")
        self._agent = ""
        self._tell("PostToolUse", **named, tool_response={"content": [{"type": "text", "text": "Done."}]})

    def topic(self) -> tuple[str, str]:
        return self._chance.choice(_TOPICS), self._chance.choice(_FILES)

    def times(self, least: int, most: int) -> range:
        return range(self._chance.randint(least, most))


def _fix(day: _Maker) -> None:
    topic, name = day.topic()
    day.prompt(f"Fix the {topic} in {name}: it crashes with an empty list.")
    path = day.file()
    for _ in day.times(1, 8):
        day.read(day.file())
    tries = len(day.times(1, 2))
    old = f"    return {name}(values)"
    for attempt in range(tries):
        new = f"    if values is None and {attempt}:\n        return 0"
        day.edit(path, old, new)
        day.tests(name, f"ZeroDivisionError: division by zero ({name})")
        old = f"    if values is None and {attempt}:"
    day.edit(path, old, "    if not values:")
    day.tests(name)
    day.stop(f"The {topic} divided by zero; {name} returns 0 for an empty list now. All tests pass.")
    day.expect("fix", memory=True, success=True, failed=tries)


def _feature(day: _Maker) -> None:
    topic, name = day.topic()
    day.prompt(f"Add support for {topic} to {name}.")
    for _ in day.times(2, 10):
        day.read(day.file())
    for number in day.times(2, 8):
        day.edit(day.file(), f"# place {number}", f"def {name}_{number}(value):\n    return value")
    day.run("ruff check .", "All checks passed!")
    day.tests(name)
    day.run(
        "git commit -am 'Add it'",
        f"[main {abs(hash_of(topic, name)):07x}] Add {topic} to {name}\n 2 files changed",
    )
    day.stop(f"Added {topic} to {name}, with tests.")
    day.expect("feature", memory=True, success=True)


def _given_up(day: _Maker) -> None:
    topic, name = day.topic()
    day.prompt(f"Make {name} faster when there is a lot of {topic}.")
    for number in day.times(1, 4):
        day.edit(day.file(), f"# slow {number}", f"cache_{number} = dict()")
        day.tests(name, f"AssertionError: cache of {name} is stale")
    day.stop(f"I could not make {name} faster: the cache gets stale and the tests still fail.")
    day.expect("given up", memory=True, success=False)


def _broken_off(day: _Maker) -> None:
    topic, name = day.topic()
    day.prompt(f"Rename {name} to {topic.replace(' ', '_')} everywhere.")
    for number in day.times(1, 3):
        day.edit(day.file(), f"{name}_{number}", f"{topic}_{number}")
    day.expect("broken off", memory=True, success=False)


def _question(day: _Maker) -> None:
    topic, name = day.topic()
    day.prompt(f"How does {name} deal with {topic}?")
    for _ in day.times(4, 9):
        day.read(day.file())
    day.stop(
        f"{name} keeps {topic} in a table by key and reads it lazily; nothing is written before the first "
        "commit, and whatever is older than a day is dropped at the next start."
    )
    day.expect("question", memory=True, success=True)


def _delegated(day: _Maker) -> None:
    topic, name = day.topic()
    day.prompt(f"Let somebody implement {topic} in {name}, and check it.")

    def work() -> None:
        for _ in day.times(2, 12):
            day.read(day.file())
        day.edit(day.file(), "pass", f"return {name}")
        day.tests(name)
        day.expect("subagent", memory=True, success=True)

    day.agent(f"Implement {topic} in {name}.", work)
    day.tests(name)
    day.stop(f"{topic} is implemented in {name}; the tests pass.")
    day.expect("delegated", memory=True, success=True)


def _look(day: _Maker) -> None:
    day.prompt("Open that file again.")
    day.read(day.file())
    day.stop("Here it is.")
    day.expect("look", memory=False)


def _talk(day: _Maker) -> None:
    day.prompt("Thanks, that looks good!")
    day.stop("You're welcome.")
    day.expect("talk", memory=False)


# What a turn may be, with its weight.
_SORTS: dict[str, tuple[float, Callable[[_Maker], None]]] = {
    "fix": (4, _fix),
    "feature": (4, _feature),
    "given up": (1, _given_up),
    "broken off": (1, _broken_off),
    "question": (2, _question),
    "delegated": (2, _delegated),
    "look": (2, _look),
    "talk": (3, _talk),
}
_TOPICS = (
    "rounding",
    "paging",
    "retries",
    "caching",
    "time zones",
    "sorting",
    "logging",
    "locking",
    "quotas",
)
_FILES = ("mean", "median", "parser", "router", "session", "cart", "invoice", "report", "search", "export")
_FOLDERS = ("src/core", "src/api", "src/store", "src/web")


def hash_of(*words: str) -> int:
    """A number for some words, the same in every process."""
    return sum(ord(letter) * 31**at for at, letter in enumerate("".join(words))) % 16**7
