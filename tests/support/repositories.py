"""Real git repositories for tests, built commit by commit, with fixed times."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.builders import NOON

START = NOON - 10 * 86400  # The time of the first commit; the others follow a minute apart

Content = str | bytes | None  # The content of a file; None deletes it


class Repository:
    """A checkout that ignores this machine's git configuration."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._made = 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str | bytes, told: bytes = b"", **variables: str) -> str:
        """Run git here and return its output without the last newline."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        command = ["git", "-c", "protocol.file.allow=always", "-c", "core.autocrlf=false", *arguments]
        ran = subprocess.run(
            command,
            cwd=self.root,
            env=clean | quiet | self._people("Ann") | variables,
            input=told,
            capture_output=True,
        )
        assert ran.returncode == 0, ran.stderr.decode(errors="replace")
        return ran.stdout.decode("utf-8", "replace").strip()

    def commit(
        self,
        message: str | bytes,
        files: Mapping[str, Content] | None = None,
        *,
        author: str = "Ann",
        at: int | None = None,
        encoding: str | None = None,
    ) -> str:
        """Change some files, commit everything and return the commit's id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "--all")
        raw = message.encode() if isinstance(message, str) else message
        settings = ["-c", f"i18n.commitEncoding={encoding}"] if encoding else []
        allowing = ["--allow-empty", "--allow-empty-message", "--cleanup=verbatim"]
        self.git(*settings, "commit", "--quiet", *allowing, "--file=-", told=raw, **self._people(author, at))
        self._made += 1
        return self.head()

    def raw_commit(self, message: bytes) -> str:
        """Commit the index with exactly these bytes, as old releases of git did; return the commit's id."""
        tree, parent = self.git("write-tree"), self.head()
        person = f"Ann <ann@example.org> {START + 60 * self._made} +0000"
        head = f"tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\n"
        made = self.git("hash-object", "-t", "commit", "-w", "--stdin", told=head.encode() + message)
        self.git("update-ref", "HEAD", made)
        self._made += 1
        return made

    def revert(self, sha: str, why: str = "") -> str:
        """Revert a commit as `git revert` does, with a reason; return the new commit's id."""
        subject = self.git("log", "-1", "--format=%s", sha)
        self.git("revert", "--no-commit", sha)
        return self.commit(f'Revert "{subject}"\n\nThis reverts commit {sha}.\n\n{why}')

    def merge(self, *branches: str) -> str:
        """Merge branches into the current one; return the merge's id."""
        self.git(
            "merge",
            "--quiet",
            "--no-ff",
            "-m",
            f"Merge {' '.join(branches)}",
            *branches,
            **self._people("Ann"),
        )
        return self.head()

    def write(self, path: str, content: Content) -> None:
        """Write or delete a file."""
        file = self.root / path
        if content is None:
            file.unlink()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def head(self) -> str:
        """The commit that is checked out."""
        return self.git("rev-parse", "HEAD")

    def _people(self, author: str, at: int | None = None) -> dict[str, str]:
        when = f"{START + 60 * self._made if at is None else at} +0000"
        email = f"{author.split()[0].lower() or 'x'}@example.org"
        return {
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": author,
            "GIT_COMMITTER_EMAIL": email,
            "GIT_COMMITTER_DATE": when,
        }


def lines(*numbers: int | str) -> str:
    """A file with one line for each."""
    return "".join(f"{number}\n" for number in numbers)


def fast_history(root: Path, messages: Sequence[bytes]) -> Repository:
    """A repository with one commit per message, each changing its own file; fast to create."""
    repo = Repository(root)
    stream: list[bytes] = []
    for number, message in enumerate(messages):
        person = b"Ann <ann@example.org> %d +0000\n" % (START + number)
        stream.append(b"commit refs/heads/main\nmark :%d\n" % (number + 1))
        stream.append(b"author " + person + b"committer " + person)
        stream.append(b"data %d\n%s\n" % (len(message), message))
        stream.append(b"M 100644 inline src/f%d.py\ndata 2\n1\n\n" % number)
    repo.git("fast-import", "--quiet", told=b"".join(stream))
    return repo
