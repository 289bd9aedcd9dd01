"""Reads commits out of a git directory."""

from __future__ import annotations

import re
import subprocess
from typing import NamedTuple

RECORD, FIELD = "\x1e", "\x1f"
TRAILER = re.compile(
    r"^[ \t]*(?:(?:[a-z]+(?:-[a-z]+)*[- ]by|cc|thanks-to|change-id|bug|ref|url|link):"
    r"|(?:closes|fixes|see):? *(?:#\d|https?:))[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
ADDRESS = re.compile(r"<?[^\s<>]+@[^\s<>]+\.\w+>?")
BLANK_LINES = re.compile(r"\n\s*\n+")
SHORT = 12


class Commit(NamedTuple):
    """One commit: its message and its changed files."""

    sha: str
    time: int
    author: str
    subject: str
    body: str
    files: list[str]

    @property
    def text(self) -> str:
        """All that was said."""
        return f"{self.subject}\n{self.body}".strip()


def read(
    git_dir: str, *, since: str | None = None, until: str | None = None, newest: int | None = None
) -> list[Commit]:
    """The commits that are no merges, oldest first."""
    git = ["git", "-c", "core.quotePath=false", "-C", git_dir]
    command = [*git, "log", "--date-order", "--no-merges", "--name-only"]
    command += [f"--format={RECORD}%H{FIELD}%ct{FIELD}%an{FIELD}%B{FIELD}"]
    command += [f"--since={since}"] if since else []
    command += [f"--until={until}"] if until else []
    command += [f"--max-count={newest}"] if newest else []
    output = subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace")
    records = output.split(RECORD)[1:]
    # A message may hold the separators itself.
    return [_commit(record) for record in records if record.count(FIELD) == 4][::-1]


def _commit(record: str) -> Commit:
    sha, when, author, message, files = record.split(FIELD)
    subject, _, body = message.strip().partition("\n")
    return Commit(
        sha[:SHORT],
        int(when),
        ADDRESS.sub("", author).strip(),
        subject.strip(),
        plain(body),
        [file for file in files.split("\n") if file],
    )


def plain(body: str) -> str:
    """What a commit says below its subject, without trailers and addresses."""
    return BLANK_LINES.sub("\n\n", ADDRESS.sub("", TRAILER.sub("", body))).strip()
