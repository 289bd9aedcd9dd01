"""A memory as JSON and as flags, and the result of a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

JSON = {
    "intent": {"goal": "Fix the race in token refresh", "task_type": "bug_fix", "context": "Users log out"},
    "outcome": {
        "success": False,
        "summary": "The lock was held too short",
        "learnings": ["Hold the lock until the token is written"],
        "failure_reason": "Only the request was guarded",
        "failure_category": "race_condition",
    },
    "actions": [{"type": "file_edit", "file_path": "src/auth.py"}],
    "tags": ["auth"],
    "importance": 0.8,
}
# The same memory as flags.
FLAGS = [
    *("--goal", "Fix the race in token refresh", "--type", "bug-fix", "--context", "Users log out"),
    *("--summary", "The lock was held too short", "--failure"),
    *("--learning", "Hold the lock until the token is written"),
    *("--failure-reason", "Only the request was guarded", "--failure-category", "race_condition"),
    *("--touched", "src/auth.py", "--tag", "auth", "--importance", "0.8"),
]


class Ran(NamedTuple):
    """The output and exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document it printed."""
        return json.loads(self.out)

    @property
    def id(self) -> str:
        """The id it printed."""
        return self.out.strip()


Run = Callable[..., Ran]
