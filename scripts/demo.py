"""A one-minute demo: a repository gets a memory of its history, and two agents learn from it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

BOLD, DIM, END = ("\033[1m", "\033[2m", "\033[0m") if sys.stdout.isatty() else ("", "", "")

FILE = "src/auth/interceptor.ts"
COMPLAINT = "customers complain that sign-in sessions expire too early"


class Commit(NamedTuple):
    """What somebody did, in one file; `{name}` in a text stands for the id of the commit of that name."""

    name: str
    author: str
    day: str
    file: str
    content: str
    subject: str
    body: str = ""


HISTORY = (
    Commit(
        "begin", "Ann", "2026-02-02", FILE, "const TTL = 3600", "Send the access token with every request"
    ),
    Commit("prices", "Ben", "2026-02-11", "src/cart/price.ts", "round(2)", "Show prices with two decimals"),
    Commit(
        "raise",
        "Ben",
        "2026-03-03",
        FILE,
        "const TTL = 86400",
        "Keep users logged in for a day",
        "Their tokens end after an hour, for some in the middle of the checkout.",
    ),
    Commit(
        "revert",
        "Ann",
        "2026-03-05",
        FILE,
        "const TTL = 3600",
        "Take the token lifetime back to an hour",
        "This reverts commit {raise}.\n\nThe security tests fail: a stolen token must be worthless soon.",
    ),
    Commit(
        "mail",
        "Ben",
        "2026-04-20",
        "src/mail/queue.ts",
        "retry(3)",
        "Try three times to send a mail",
        "A mail server that is busy says so, and takes the message a minute later.",
    ),
    Commit(
        "stock",
        "Ann",
        "2026-05-06",
        "src/cart/stock.ts",
        "lock(row)",
        "Lock the row of an article that is sold",
    ),
)

WORKED = {
    "intent": {"goal": "Refresh the access token when the server answers 401", "task_type": "bug_fix"},
    "reasoning": {
        "approach_chosen": "Refresh in the interceptor, with a queue for requests that wait",
        "why_chosen": "The lifetime must stay, so the client has to refresh",
        "alternatives_considered": [
            {"approach": "A timer that refreshes early", "why_rejected": "races with sleeping laptops"}
        ],
    },
    "actions": [{"type": "file_edit", "file_path": FILE, "diff_summary": "one refresh at a time on 401"}],
    "outcome": {
        "success": True,
        "summary": "No more logouts; 14 auth tests pass",
        "learnings": ["Queue requests while a refresh is running, or they all get 401"],
        "verified_by": {"type": "test", "command": "npm test -- auth", "result": "14 passed"},
    },
}


def say(text: str) -> None:
    """Print a heading between the commands."""
    print(f"\n{BOLD}{text}{END}")


class Shell:
    """Runs real commands in a temporary repository and home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "shop"
        # The reader's own settings of git and RUM must not matter.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUM_", "GIT_"))}
        kept.pop("XDG_CONFIG_HOME", None)
        own = {"HOME": str(folder), "RUM_HOME": str(folder / "memory"), "GIT_CONFIG_NOSYSTEM": "1"}
        self._environment = kept | own
        self._folder.mkdir()
        self._git("init", "--quiet")

    def _git(self, *arguments: str, **variables: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self._folder,
            env=self._environment | variables,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, commit: Commit, known: dict[str, str]) -> str:
        """Make one commit and return its id."""
        path = self._folder / commit.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(commit.content + "\n", encoding="utf-8")
        self._git("add", commit.file)
        messages = ["-m", commit.subject, *(["-m", commit.body.format(**known)] if commit.body else [])]
        name, address, when = commit.author, f"{commit.author.lower()}@example.com", f"{commit.day}T10:00:00Z"
        self._git(
            *("commit", "--quiet", *messages),
            GIT_AUTHOR_NAME=name,
            GIT_AUTHOR_EMAIL=address,
            GIT_AUTHOR_DATE=when,
            GIT_COMMITTER_NAME=name,
            GIT_COMMITTER_EMAIL=address,
            GIT_COMMITTER_DATE=when,
        )
        return self._git("rev-parse", "HEAD")

    def log(self) -> None:
        """Show the history, newest first."""
        print(f"{DIM}$ {END}git log --oneline\n{self._git('log', '--oneline')}")

    def rum(self, command: str, given: dict[str, Any] | None = None) -> str:
        """Run one command and show it with its output."""
        print(f"{DIM}$ {END}rum {command}{' <<JSON' if given else ''}")
        if given:
            print(f"{DIM}{_layer_by_layer(given)}\nJSON{END}")
        done = self._run(command, given)
        print("\n".join(filter(None, (done.stdout.rstrip(), f"{DIM}{done.stderr.rstrip()}{END}"))))
        return done.stdout

    def tail(self, command: str) -> str:
        """The short id of the first memory that a command finds; prints nothing."""
        return json.loads(self._run(f"{command} --json", None).stdout)["memories"][0]["id"][-8:]

    def _run(self, command: str, given: dict[str, Any] | None) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "rum", *shlex.split(command)],
            input="" if given is None else json.dumps(given),
            capture_output=True,
            text=True,
            cwd=self._folder,
            env=self._environment,
        )
        if done.returncode:
            print(done.stderr.rstrip(), file=sys.stderr)
            raise SystemExit(done.returncode)
        return done


def _layer_by_layer(memory: dict[str, Any]) -> str:
    """A memory as JSON, one layer per line."""
    return "{" + ",\n ".join(f'"{name}": {json.dumps(layer)}' for name, layer in memory.items()) + "}"


def main() -> None:
    """Run the demo."""
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(Path(folder))
        known: dict[str, str] = {}
        for commit in HISTORY:
            known[commit.name] = shell.commit(commit, known)
        say("A shop with some months of history, and no memory yet.")
        shell.log()
        say("Import the history: what was done, by whom and why, and what was reverted.")
        shell.rum("import git")
        say("Vectors, for search by meaning, are computed when agents are idle, or now:")
        shell.rum("tidy")
        say("Agent `ada` gets a complaint from customers. No commit uses these words, but one is found:")
        shell.rum(f'recall --agent ada "{COMPLAINT}" --limit 1')
        say("The last number is the confidence. --explain shows the reasons.")
        shell.rum(f'recall --agent ada "{COMPLAINT}" --limit 1 --explain')
        say("If nothing fits, RUM says so.")
        shell.rum('recall --agent ada "kubernetes ingress certificates"')
        say("Before it edits the file, the agent asks what failed there.")
        shell.rum(f"recall --agent ada --file {FILE} --failures-only --depth outcome")
        say("So a longer lifetime is no solution. The agent finds another one, and stores it with its cause.")
        cause = shell.tail(f"recall --file {FILE} --success-only --limit 1")
        stored = shell.rum("store --agent ada", {**WORKED, "links": {"caused_by": [cause]}})
        say("Weeks later, agent `bob` asks why the code is like this. The trace leads back to the cause.")
        shell.rum(f"trace {stored.strip()[-8:]}")
        say("Two people and two agents share one memory. It is stored only in RUM_HOME.")


if __name__ == "__main__":
    main()
