"""Read story files and check their form.

A story is an object with `name`, `covers` (what it is about), `files`, `setup` (shell commands), `runs` and
`checks`; optional are `repo` (the folder's name) and `needs` (programs without which it is skipped).

A run is one prompt: `prompt`, `turns`, `subagent_turns`, `continue` (in the same session), `happened` and
`not_happened` (regexes that tool output must or must not show, else the story is void), `killed_at` N (the
client is closed while the tool call of the N-th turn is running). A turn is a step or a list of steps: `say`,
or `tool` with `input`. A turn without a tool ends the prompt. `$PROJECT` is the repository.

A check has a `kind`, `why`, and `after` (the run after which it is made; default: the last):

must_say, must_not_say   one of the regexes `any` must, or none may, be in `where`; so must each of `all`
title                    a goal of run `run` has at least `need` of `words` and none of `not`, on one line
no_memory                run `run` made no memory
must_warn, must_not_warn the hook before `tool` with `input` says `any` (default: a warning), or does not

`where` is a list: memories (all, complete, one JSON line each), of:N (those that run N made), goals, rules,
candidates, recall (`words`), brief (`task`, `files`), start, prompt (`task`), touch (`files`),
told (start + prompt + touch + brief), kept (memories + rules + candidates), raw (all bytes that RUM wrote).
`field` names a part of each memory, such as outcome.summary. In a regex, `{id:N}`
stands for the memories of run N.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Story = dict[str, Any]
Run = dict[str, Any]
Check = dict[str, Any]

HERE = Path(__file__).parent
TOOLS = ("Bash", "Read", "Edit", "Write", "Agent")
PLACES = (
    "memories", "goals", "rules", "candidates", "recall", "brief", "start", "prompt", "touch",
    "told", "kept", "raw",
)  # fmt: skip
# Made up, and put together here so that no scanner finds a key in the story files.
SECRETS = {
    "%AWS%": "AKIA" + "Q3EGRZ5UXKXJ7BNQ",
    "%GH%": "ghp_" + "a1B2c" * 7 + "d",
    "%PW%": "Tr0ub4dor" + "-x93kq",
    "%STRIPE%": "sk_live_" + "51HxQ2eGk8" * 3,
}
_STORY_KEYS = {"name", "covers", "files", "setup", "runs", "checks", "repo", "needs"}
_RUN_KEYS = {"prompt", "turns", "subagent_turns", "continue", "happened", "not_happened", "killed_at"}
_COMMON = {"kind", "why", "after"}
_SAY = {"where", "any", "all", "field", "task", "files", "words"}
_CHECK_KEYS = {
    "must_say": _SAY,
    "must_not_say": _SAY,
    "title": {"run", "need", "words", "not"},
    "no_memory": {"run"},
    "must_warn": {"tool", "input", "any"},
    "must_not_warn": {"tool", "input", "any"},
}
_REQUIRED = {
    "must_say": {"where", "any"},
    "must_not_say": {"where", "any"},
    "title": {"run", "need", "words"},
    "no_memory": {"run"},
    "must_warn": {"tool", "input"},
    "must_not_warn": {"tool", "input"},
}


def story_files() -> list[Path]:
    """The story files of this folder."""
    return sorted((HERE / "known").glob("*.json"))


def read_stories(paths: Iterable[Path]) -> list[Story]:
    """The stories of the files; raises ValueError if one does not have the right form."""
    stories: list[Story] = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for name, secret in SECRETS.items():
            text = text.replace(name, secret)
        stories += json.loads(text)["stories"]
    faults = [fault for story in stories for fault in faults_of(story)]
    names = [story.get("name") for story in stories]
    faults += [f"{name}: the name is used twice" for name in {*names} if names.count(name) > 1]
    if faults:
        raise ValueError("\n".join(faults))
    return stories


def missing_programs(story: Story) -> list[str]:
    """The programs that the story needs and this machine lacks."""
    return [program for program in story.get("needs", ()) if shutil.which(program) is None]


def faults_of(story: Story) -> list[str]:
    """What is wrong with a story's form."""
    name = story.get("name", "(no name)")
    faults = [f"unknown key {key}" for key in story.keys() - _STORY_KEYS]
    faults += [f"no {key}" for key in ("name", "covers", "runs", "checks") if not story.get(key)]
    runs: list[Run] = story.get("runs", [])
    for number, run in enumerate(runs):
        faults += [f"run {number}: {fault}" for fault in _faults_of_run(run, is_first=number == 0)]
    for number, check in enumerate(story.get("checks", [])):
        faults += [f"check {number}: {fault}" for fault in _faults_of_check(check, len(runs))]
    return [f"{name}: {fault}" for fault in faults]


def _faults_of_run(run: Run, *, is_first: bool) -> list[str]:
    faults = [f"unknown key {key}" for key in run.keys() - _RUN_KEYS]
    if not run.get("prompt") or not run.get("turns"):
        faults.append("no prompt or no turns")
    if is_first and run.get("continue"):
        faults.append("the first run cannot continue a session")
    for pattern in (*run.get("happened", ()), *run.get("not_happened", ())):
        faults += _faults_of_pattern(pattern)
    for turn in (*run.get("turns", ()), *run.get("subagent_turns", ())):
        for step in as_steps(turn):
            if not ({"say"} == step.keys() or {"tool", "input"} == step.keys()):
                faults.append(f"a step has either `say`, or `tool` and `input`: {sorted(step)}")
            elif step.get("tool", "Bash") not in TOOLS:
                faults.append(f"unknown tool {step['tool']}")
    return faults


def _faults_of_check(check: Check, runs: int) -> list[str]:
    kind = check.get("kind", "")
    if kind not in _CHECK_KEYS:
        return [f"unknown kind {kind!r}"]
    faults = [f"unknown key {key}" for key in check.keys() - _CHECK_KEYS[kind] - _COMMON]
    faults += [f"no {key}" for key in _REQUIRED[kind] | {"why"} if key not in check]
    for number in (check.get("run"), check.get("after")):
        if number is not None and not 0 <= number < runs:
            faults.append(f"there is no run {number}")
    words = check.get("words", []) if kind == "title" else []
    for pattern in (*check.get("any", ()), *check.get("all", ()), *check.get("not", ()), *words):
        faults += _faults_of_pattern(pattern)
    for where in check.get("where", ()):
        of = re.fullmatch(r"of:(\d+)", where)
        if (int(of[1]) >= runs) if of else where not in PLACES:
            faults.append(f"unknown place {where}")
        if where == "recall" and not check.get("words"):
            faults.append("recall needs words")
        if where in ("brief", "prompt", "told") and not check.get("task"):
            faults.append(f"{where} needs a task")
    return faults


def _faults_of_pattern(pattern: str) -> list[str]:
    try:
        re.compile(re.sub(r"\{id:\d+\}", "x", pattern))
    except re.error as error:
        return [f"{pattern!r} is no regex: {error}"]
    return []


def as_steps(turn: dict[str, Any] | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a turn."""
    return turn if isinstance(turn, list) else [turn]


def with_project(value: Any, project: Path) -> Any:
    """The value with `$PROJECT` replaced in all its strings."""
    text = json.dumps(value)
    return json.loads(text.replace("$PROJECT", json.dumps(str(project))[1:-1]))
