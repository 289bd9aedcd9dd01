"""RUM as an agent uses it: a real `rum mcp` over its standard input and output, with a home of its own."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from typing import Any

from benchmarks.quality.arms import Answer
from benchmarks.quality.cases import Piece, Question
from benchmarks.server import Server, rum_command

MOST_FILES = 50
TASK_TYPES = (
    ("security_fix", r"\bCVE-|\bsecurity\b"),
    ("bug_fix", r"\b(?:fix|fixes|fixed|bug|revert|avoid|prevent|correct)\b"),
    ("test_write", r"\btests?\b"),
    ("documentation", r"\b(?:docs?|readme|typo|comment|changelog)\b"),
    ("optimization", r"\b(?:optimi[sz]e|faster|speed|performance)\b"),
    ("refactor", r"\b(?:refactor|clean ?up|rename|move|split|simplify|drop|remove)\b"),
    ("dependency_update", r"\b(?:bump|upgrade|dependenc)"),
    ("configuration", r"\b(?:ci|cmake|build|config|configure)\b"),
    ("feature_add", r"\b(?:add|introduce|implement|support|allow|new)\b"),
)


class ThroughMcp:
    """One store; pieces of another session come in through another server, as in life."""

    def __init__(self, **variables: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rum-quality-", ignore_cleanup_errors=True)
        self._checkout = os.path.join(self._folder.name, "checkout")
        os.makedirs(self._checkout)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
        inherited.pop("PYTHONDONTWRITEBYTECODE", None)
        self._environment = inherited | {"RUM_HOME": os.path.join(self._folder.name, "home")} | variables
        self._keys: dict[str, str] = {}
        self._session = ""
        self._server: Server | None = None

    def store(self, piece: Piece) -> None:
        """One `store` call."""
        intent = {"goal": piece.goal, "task_type": task_type(piece.goal), "context": piece.context}
        actions = [{"type": "file_edit", "file_path": path} for path in piece.files[:MOST_FILES]]
        outcome = {"success": True, "summary": piece.goal}
        result = self._call("store", piece.session, intent=intent, outcome=outcome, actions=actions)
        self._keys[result["structuredContent"]["memory_id"]] = piece.key

    def settle(self) -> None:
        """See to it that every memory has its vector, if this RUM makes any."""
        self.close_server()
        listed = self._run("--help").stdout
        if "tidy" in listed:
            self._run("tidy", "--wait", check=True)

    def ask(self, question: Question, limit: int, *, sure: bool) -> Answer:
        """One `recall` call at the depth of a summary."""
        asked: dict[str, Any] = {"query": question.text, "depth": "summary", "limit": limit}
        if question.files:
            asked["file"] = list(question.files[:MOST_FILES])
        if not sure:
            asked["min_confidence"] = 0
        result = self._call("recall", "", **asked)
        found = [one for one in result["structuredContent"]["memories"] if one["id"] in self._keys]
        return Answer(
            [self._keys[one["id"]] for one in found],
            [one.get("confidence") for one in found],
            sum(len(part.get("text", "")) for part in result["content"]),
        )

    def close(self) -> None:
        """End the server and remove its home."""
        self.close_server()
        self._folder.cleanup()

    def close_server(self) -> None:
        """End the server; the next call starts another."""
        if self._server:
            self._server.close()
            self._server = None

    def _call(self, tool: str, session: str, **arguments: Any) -> dict[str, Any]:
        if session != self._session:
            self.close_server()
            self._session = session
        if not self._server:
            named = {"RUM_SESSION": session} if session else {}
            self._server = Server(rum_command(), self._checkout, self._environment | named)
            self._server.tools()
        return self._server.call(tool, arguments)

    def _run(self, *arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        command = [*rum_command()[:1], *arguments]
        return subprocess.run(
            command, cwd=self._checkout, env=self._environment, capture_output=True, text=True, check=check
        )


def task_type(goal: str) -> str:
    """What kind of work a subject line tells of."""
    found = (name for name, pattern in TASK_TYPES if re.search(pattern, goal, re.IGNORECASE))
    return next(found, "other")
