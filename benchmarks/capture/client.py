"""Play runs as Claude Code would: execute the tools, and send each hook what the client sends."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.capture.stories import Run, as_steps, with_project
from benchmarks.capture.tools import (
    Result,
    Shell,
    edit_file,
    milliseconds_since,
    read_file,
    tool_input,
    write_file,
)
from benchmarks.capture.transcript import MODEL, Transcript, transcript_path

Payload = dict[str, Any]
# Called with each payload; returns what the hook said.
Hook = Callable[[Payload], str]

MATCHERS = Path(__file__).parents[2] / "plugins" / "claude-code" / "hooks" / "hooks.json"
_MODE = {"permission_mode": "bypassPermissions"}
_EFFORT = {"effort": {"level": "medium"}}
_NOTE = (
    "A task-notification fires each time this agent stops with no live background children of its own. The "
    "user can send it another message and resume it, so the same task-id may notify more than once."
)


def registered_matchers() -> dict[str, str]:
    """The tools for which RUM's plugin registers each kind of hook; an empty pattern stands for all."""
    hooks: dict[str, list[dict[str, Any]]] = json.loads(MATCHERS.read_text(encoding="utf-8"))["hooks"]
    return {event: entries[0].get("matcher", "") for event, entries in hooks.items()}


class Client:
    """One user's Claude Code in one repository: plays runs, one after the other."""

    def __init__(self, project: Path, home: Path, env: dict[str, str], hook: Hook) -> None:
        self.project = project
        self._home = home
        self._env = env
        self._hook = hook
        self._matchers = registered_matchers()
        self._session: Session | None = None

    def play(self, run: Run) -> str:
        """Play one run; return what its tools answered."""
        resumed = bool(run.get("continue")) and self._session is not None
        if not resumed or self._session is None:
            self._session = Session(self.project, self._home, self._env, self._send)
        return self._session.play(with_project(run, self.project), resumed=resumed)

    def _send(self, payload: Payload) -> str:
        event = payload["hook_event_name"]
        matcher = self._matchers.get(event)
        tool = payload.get("tool_name", "")
        if matcher is None or (matcher and not re.fullmatch(matcher, tool)):
            return ""
        return self._hook(payload)


class Session:
    """One session of the client: its ids, transcript and shell."""

    def __init__(self, project: Path, home: Path, env: dict[str, str], send: Hook) -> None:
        self.id = str(uuid.uuid4())
        self.project = project
        self._send = send
        self._shell = Shell(project, env)
        self._path = transcript_path(home, project, self.id)
        self._transcript = Transcript(self._path, self.id)
        self._prompt_id = ""
        self._seen: list[str] = []
        self._background: list[BackgroundAgent] = []
        self._subagent_turns: list[Any] = []

    def play(self, run: Run, *, resumed: bool) -> str:
        """Play a run from the start of the client to its end."""
        self._seen = []
        self._subagent_turns = run.get("subagent_turns", [{"say": "Done."}])
        self._shell.folder = self.project
        if resumed:
            more = {
                "seconds_since_last_response": 1,
                "context_tokens": 20,
                "prompt_cache_likely_expired": False,
            }
            self._report("SessionStart", source="resume", **more, estimated_cache_write_usd=0.0001)
        else:
            self._report("SessionStart", source="startup")
        self._ask(run["prompt"], promptSource="sdk")
        self._answer(iter(enumerate(run["turns"], 1)), run.get("killed_at"))
        self._report("SessionEnd", reason="other", prompt_id=self._prompt_id)
        return "\n".join(self._seen)

    def _ask(self, text: str, **more: Any) -> None:
        self._prompt_id = str(uuid.uuid4())
        self._transcript.prompt(text, self._prompt_id, self.project, **more)
        self._report("UserPromptSubmit", prompt_id=self._prompt_id, **_MODE, prompt=text)

    def _answer(self, turns: Iterator[tuple[int, Any]], killed_at: int | None) -> None:
        """Play turns until the agent has nothing more to say; background agents wake it up again."""
        while True:
            last = self._work(turns, killed_at)
            if last is None:
                return
            tasks = [agent.task for agent in self._background]
            self._report_work(
                "Stop", stop_hook_active=False, last_assistant_message=last, background_tasks=tasks
            )
            if not self._background:
                return
            agent = self._background.pop(0)
            agent.finish(tasks)
            self._ask(agent.notification(), promptSource="system", turnOrigin="task_notification")

    def _work(self, turns: Iterator[tuple[int, Any]], killed_at: int | None) -> str | None:
        """Play turns up to one without a tool; return its text, or None if the client is closed before."""
        for number, turn in turns:
            steps = as_steps(turn)
            message, calls = f"msg_{self._prompt_id[:6]}_{number}", self._calls_of(steps, number)
            self._write(self._transcript, steps, calls, message)
            if not any(calls):
                return "\n\n".join(step["say"] for step in steps)
            for step, call in zip(steps, calls, strict=True):
                if call:
                    killed = killed_at == number
                    self._use(step, call, killed=killed)
                    if killed:
                        return None
                    for agent in self._background:
                        agent.go_on()
        self._write(self._transcript, [{"say": "Done."}], [""], f"msg_{self._prompt_id[:6]}_end")
        return "Done."

    def _calls_of(self, steps: list[dict[str, Any]], number: int) -> list[str]:
        return [
            f"toolu_{self._prompt_id[:6]}_{number}_{place}" if "tool" in step else ""
            for place, step in enumerate(steps)
        ]

    def _write(
        self, transcript: Transcript, steps: list[dict[str, Any]], calls: list[str], message: str
    ) -> None:
        for step, call in zip(steps, calls, strict=True):
            if call:
                given = tool_input(step["tool"], step["input"])
                block = {"type": "tool_use", "id": call, "name": step["tool"], "input": given}
            else:
                block = {"type": "text", "text": step["say"]}
            transcript.say(block, message, self._shell.folder, last=not any(calls))

    def _use(
        self, step: dict[str, Any], call: str, *, killed: bool = False, agent: Subagent | None = None
    ) -> None:
        """Use a tool: the hook before it, the tool, the hook after it."""
        name, given = step["tool"], tool_input(step["tool"], step["input"])
        who = agent.who if agent else {}
        transcript = agent.transcript if agent else self._transcript
        refused = self._refusal(name, given)
        common = {**who, "tool_name": name, "tool_input": given}
        if not refused:
            self._report_work("PreToolUse", **common, tool_use_id=call)
        began = time.monotonic()
        result = refused or self._execute(name, given, call, killed=killed)
        took = milliseconds_since(began)
        self._seen.append(result.content)
        answer: Any = result.response if result.error is None else f"Error: {result.error}"
        failed = result.error is not None
        transcript.result(call, result.content, answer, self._prompt_id, self._shell.folder, failed=failed)
        if killed or result.silent:
            return
        if result.error is None:
            self._report_work(
                "PostToolUse", **common, tool_response=result.response, tool_use_id=call, duration_ms=took
            )
        else:
            self._report_work(
                "PostToolUseFailure",
                **common, tool_use_id=call, error=result.error, is_interrupt=False, duration_ms=took,
            )  # fmt: skip

    def _refusal(self, name: str, given: dict[str, Any]) -> Result | None:
        """The result of an edit that the client refuses before any hook."""
        if name != "Edit":
            return None
        path, old = Path(given["file_path"]), given["old_string"]
        text = path.read_text(encoding="utf-8") if path.is_file() else None
        if text is None and old == "":
            return None
        if text is None or old not in text or (text.count(old) > 1 and not given["replace_all"]):
            return edit_file(given)
        return None

    def _execute(self, name: str, given: dict[str, Any], call: str, *, killed: bool) -> Result:
        if name == "Bash":
            return self._shell.run(given["command"], killed=killed)
        if name == "Read":
            return read_file(given, self._shell.folder)
        if name == "Edit":
            return edit_file(given)
        if name == "Write":
            return write_file(given)
        return self._delegate(given, call)

    def _delegate(self, given: dict[str, Any], call: str) -> Result:
        """Start a subagent; unless told otherwise it works in the background."""
        agent = Subagent(self, given)
        if given.get("run_in_background", True):
            self._background.append(BackgroundAgent(agent, call, self._turns_of(agent)))
            response = {
                "isAsync": True,
                "status": "async_launched",
                "agentId": agent.id,
                "description": given["description"],
                "resolvedModel": MODEL,
                "prompt": given["prompt"],
                "outputFile": f"/tmp/claude/{self.id}/tasks/{agent.id}.output",
                "canReadOutputFile": True,
                "canContinueAgent": True,
            }
            return Result("Async agent launched successfully.", response)
        began = time.monotonic()
        for _ in self._turns_of(agent):
            pass
        self.stop_subagent(agent, [])
        response = {
            "status": "completed",
            "prompt": given["prompt"],
            "agentId": agent.id,
            "agentType": agent.kind,
            "toolsUsed": sorted(agent.tools),
            "content": [{"type": "text", "text": agent.last}],
            "resolvedModel": MODEL,
            "totalDurationMs": milliseconds_since(began),
            "totalTokens": 20,
            "totalToolUseCount": agent.uses,
            "canContinueAgent": True,
        }
        return Result(f"[Subagent hand-back] {agent.last}", response)

    def _turns_of(self, agent: Subagent) -> Iterator[None]:
        """The work of a subagent, one tool call at a time."""
        self._report("SubagentStart", prompt_id=self._prompt_id, **agent.who)
        agent.transcript.prompt(agent.prompt, self._prompt_id, self.project)
        return self._subagent_work(agent)

    def _subagent_work(self, agent: Subagent) -> Iterator[None]:
        for number, turn in enumerate(self._subagent_turns):
            steps = as_steps(turn)
            calls = [f"toolu_{agent.id[:6]}_{number}_{i}" if "tool" in s else "" for i, s in enumerate(steps)]
            self._write(agent.transcript, steps, calls, f"msg_{agent.id[:6]}_{number}")
            for step, call in zip(steps, calls, strict=True):
                if call:
                    agent.tools.add(step["tool"])
                    agent.uses += 1
                    self._use(step, call, agent=agent)
                    yield
            if not any(calls):
                agent.last = "\n\n".join(step["say"] for step in steps)
                return

    def stop_subagent(self, agent: Subagent, tasks: list[dict[str, Any]]) -> None:
        """Report the end of a subagent."""
        self._report_work(
            "SubagentStop",
            **agent.who, stop_hook_active=False, agent_transcript_path=str(agent.transcript.path),
            last_assistant_message=agent.last, background_tasks=tasks,
        )  # fmt: skip

    def _report_work(self, event: str, **fields: Any) -> None:
        if event in ("Stop", "SubagentStop"):
            fields["session_crons"] = []
        self._report(event, prompt_id=self._prompt_id, **_MODE, **_EFFORT, **fields)

    def _report(self, event: str, **fields: Any) -> None:
        common = {"session_id": self.id, "transcript_path": str(self._path), "cwd": str(self._shell.folder)}
        self._send({**common, "hook_event_name": event, **fields})

    def transcript_of(self, agent_id: str) -> Transcript:
        """The transcript of a subagent."""
        folder = self._path.with_suffix("") / "subagents"
        return Transcript(folder / f"agent-{agent_id}.jsonl", self.id, agent_id)


class Subagent:
    """A subagent: who it is and what it said last."""

    def __init__(self, session: Session, given: dict[str, Any]) -> None:
        self.id = "a" + uuid.uuid4().hex[:16]
        self.kind = given.get("subagent_type", "general-purpose")
        self.prompt = given["prompt"]
        self.description = given["description"]
        self.who = {"agent_id": self.id, "agent_type": self.kind}
        self.session = session
        self.transcript = session.transcript_of(self.id)
        self.tools: set[str] = set()
        self.uses = 0
        self.last = "Done."


class BackgroundAgent:
    """A subagent that works while the main agent goes on."""

    def __init__(self, agent: Subagent, call: str, work: Iterator[None]) -> None:
        self.agent = agent
        self._call = call
        self._work = work

    @property
    def task(self) -> dict[str, Any]:
        """How the client lists it among the background tasks."""
        agent = self.agent
        more = {"description": agent.description, "agent_type": agent.kind}
        return {"id": agent.id, "type": "subagent", "status": "running", **more}

    def go_on(self) -> None:
        """Do one more tool call."""
        next(self._work, None)

    def finish(self, tasks: list[dict[str, Any]]) -> None:
        """Do the rest."""
        for _ in self._work:
            pass
        self.agent.session.stop_subagent(self.agent, tasks)

    def notification(self) -> str:
        """The prompt by which the client tells the main agent of the result."""
        agent = self.agent
        return (
            f"<task-notification>\n<task-id>{agent.id}</task-id>\n<tool-use-id>{self._call}</tool-use-id>\n"
            f"<output-file>/tmp/claude/{agent.session.id}/tasks/{agent.id}.output</output-file>\n"
            f'<status>completed</status>\n<summary>Agent "{agent.description}" finished</summary>\n'
            f"<note>{_NOTE}</note>\n<result>{agent.last}</result>\n<usage><subagent_tokens>38</subagent_tokens>"
            f"<tool_uses>{agent.uses}</tool_uses><duration_ms>500</duration_ms></usage>\n</task-notification>"
        )
