"""Whatever the order of edits, checks and undoings: a captured memory says nothing that they refute."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rum.capture.observe.turn_memory import observe_turn
from support.captured_events import Telling

LINES = (
    "rows = load(path)",
    "rows = fetch(path, 5)",
    "if rows is None:",
    "total = sum(rows)",
    "x = cache[1]",
)
FILES = ("kv.py", "lib/rates.py")
GREEN = "3 passed in 0.05s"
COMMANDS = (
    "git checkout -- {file}",
    "git restore .",
    "git stash",
    "git stash pop",
    "git stash drop",
    "git commit -am x",
    "git revert --no-edit HEAD",
    "git reset --hard",
)

Content = dict[str, list[str]]


def red(names: tuple[str, ...]) -> str:
    failed = "\n".join(f"FAILED tests/test_kv.py::{name} - assert 1 == 2" for name in names)
    return f"Exit code 1\nE   AssertionError: assert 1 == 2\n{failed}\n{len(names)} failed, 2 passed in 0.1s"


@dataclass
class World:
    """A repository in which an agent works, with what was really there when."""

    telling: Telling = field(default_factory=lambda: Telling().prompt("Make load() faster"))
    files: Content = field(default_factory=lambda: {name: ["def load():", "pass"] for name in FILES})
    commits: list[Content] = field(default_factory=list[Content])
    stashes: list[Content] = field(default_factory=list[Content])
    checks: list[tuple[bool, Content]] = field(default_factory=list[tuple[bool, Content]])
    was_edited: bool = False

    def __post_init__(self) -> None:
        self.commits.append(self.copy())
        self.start = self.copy()

    def copy(self) -> Content:
        return {name: list(lines) for name, lines in self.files.items()}

    def put(self, content: Content) -> None:
        self.files = {name: list(lines) for name, lines in content.items()}

    def edit(self, name: str, at: int, new: list[str]) -> None:
        lines = self.files[name]
        at = at % len(lines)
        old = lines[at]
        if [old] == new:
            return
        self.telling.edit(name, old, "\n".join(new))
        lines[at : at + 1] = new or []
        if not lines:
            lines.append("pass")
        self.was_edited = True

    def check(self, names: tuple[str, ...]) -> None:
        self.telling.run("pytest -q", red(names) if names else GREEN, 1 if names else 0)
        self.checks.append((not names, self.copy()))

    def run(self, command: str, name: str) -> None:
        head, command = self.commits[-1], command.format(file=name)
        clean = self.files == head
        output, code = "", 0
        if command == "git stash":
            if clean:
                output = "No local changes to save"
            else:
                self.stashes.append(self.copy())
                self.put(head)
        elif command in ("git stash pop", "git stash drop"):
            if not self.stashes:
                output, code = "error: No stash entries found.", 1
            elif command.endswith("pop"):
                if not clean:
                    return  # it might conflict
                self.put(self.stashes.pop())
            else:
                self.stashes.pop()
        elif command == "git commit -am x":
            if clean:
                output, code = "nothing to commit, working tree clean", 1
            else:
                self.commits.append(self.copy())
                output = f"[main {len(self.commits):07x}] x"
        elif command.startswith("git revert"):
            if not clean or len(self.commits) < 2:
                return
            before = self.commits[-2]
            self.commits.append(before)
            self.put(before)
            output = f'[main {len(self.commits):07x}] Revert "x"'
        elif command.startswith("git checkout"):
            self.put({**self.files, name: head[name]})
        else:
            self.put(head)
        self.telling.run(command, output, code)


edits = st.tuples(
    st.just("edit"),
    st.sampled_from(FILES),
    st.integers(0, 5),
    st.lists(st.sampled_from(LINES), max_size=2, unique=True),
)
checks = st.tuples(st.just("check"), st.sampled_from([(), (), ("test_a",), ("test_a", "test_b")]))
commands = st.tuples(st.just("run"), st.sampled_from(COMMANDS), st.sampled_from(FILES))
stories = st.lists(st.one_of(edits, checks, edits, commands), min_size=2, max_size=14)


def play(story: list[tuple[Any, ...]]) -> tuple[World, dict[str, Any] | None]:
    world = World()
    for kind, *how in story:
        getattr(world, kind)(*how)
    (turn,) = world.telling.stop("Done, load() is faster.").turns()
    return world, observe_turn(turn, lambda path: "\n".join(world.files[path])).fields


def blamed(memory: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The lines that a memory says did not work, with their files and the reasons."""
    return [
        (action["file_path"], line[1:].strip(), action["result"]["error"])
        for action in memory["actions"]
        if "file_path" in action and action.get("result", {}).get("success") is False
        for line in (action["diff_summary"] or "").splitlines()
        if line.startswith("+")
    ]


@settings(max_examples=500, deadline=None, derandomize=True)
@given(stories)
def test_captured_work_says_nothing_that_its_events_refute(story: list[tuple[Any, ...]]):
    world, memory = play(story)
    if memory is None:
        return
    outcome, checks = memory["outcome"], world.checks
    changed = world.files != world.start
    for path, line, why in blamed(memory):
        assert line not in world.files[path], "a line that is in the file is blamed"
        failed_with = any(not passed and line in content[path] for passed, content in checks)
        assert failed_with or why.startswith("undone by"), f"{line} was in no check that failed"
    # How the last check of what is there now ended.
    last_passed = next((passed for passed, content in reversed(checks) if content == world.files), None)
    proof, reason = outcome.get("verified_by"), outcome.get("failure_reason") or ""
    if outcome["success"] and changed:
        if proof:  # or all that fails failed before
            assert last_passed or proof["result"].endswith("as before")
        else:
            assert "unverified" in memory["tags"]
    if reason.startswith("pytest"):
        assert last_passed is False or not changed
    assert "changes were undone" not in reason.lower() or not changed, "something of the work is left"
    if not changed and world.was_edited:
        assert not (outcome["success"] and proof), "nothing of the work is left"
    for text in outcome["learnings"]:
        path = next(name for name in FILES if text.startswith(name.rpartition("/")[2]))
        if instead := re.search(r"; replaced by `([^`]+)`", text):
            assert instead[1] in world.files[path]
        if text.endswith(" passed"):
            assert last_passed
