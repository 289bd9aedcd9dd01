"""A ref of a git remote that holds shared files: fetch it, read it, and add files to it.

Everything happens in a bare repository of its own: the user's repository, its work tree, its branches and its
hooks are not touched. Of the user's repository only the settings are used that say how to reach the remote.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from rum.model.errors import InvalidQuery, StorageError
from rum.repo.git_process import find_program, run_git

REF = "refs/rum/memory"
MAX_FILE = 4 << 20  # Bytes of a file that is read
_AT_ONCE = 16  # Files that git is asked for at once: few enough that their names fit into any pipe
_NEXT = "refs/rum/next"
_TIMEOUT = 600.0
_MESSAGE = 600  # Characters of git's own message in an error
# Settings of the user's repository that say how a remote is reached, and who signs.
_PASSED_ON = re.compile(
    r"(?i)(url|credential|http|ssh|user|gpg|author|committer)\.|core\.(sshcommand|gitproxy)$|commit\.gpgsign$"
    r"|remote\..*\.(url|pushurl|proxy|proxyauthmethod)$"
)
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "transfer.fsckObjects": "true",
}
_NOBODY = {
    "GIT_AUTHOR_NAME": "RUM",
    "GIT_AUTHOR_EMAIL": "rum@localhost",
    "GIT_COMMITTER_NAME": "RUM",
    "GIT_COMMITTER_EMAIL": "rum@localhost",
}
# Variables of the user's own that say how to reach a remote.
_KEPT = {
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_SSL_CAINFO", "GIT_ASKPASS"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
}
_OUTDATED = ("fetch first", "non-fast-forward", "cannot lock ref", "stale info", "already exists")


class OutdatedError(Exception):
    """Somebody else has added to the ref since it was fetched."""


class RefusedError(Exception):
    """The remote takes nothing from here; the message says why."""


class SharedRef:
    """The ref at a remote: a remote's name of the user's repository, or an address."""

    def __init__(self, directory: str, remote: str, repository: str | None, *, prompt: bool = False) -> None:
        """`directory` is the bare repository; `repository` the git dir whose remotes are meant.

        With `prompt`, git may ask for a password.
        """
        program = find_program()
        if not program:
            raise StorageError("git was not found on the PATH. Install it and try again.")
        passed_on = _connection_settings(repository) if repository else {}
        if not _is_address(remote) and f"remote.{remote}.url" not in passed_on:
            names = sorted({key.split(".")[1] for key in passed_on if key.startswith("remote.")})
            known = f"It has: {', '.join(names)}." if names else "It has none: `git remote add origin URL`."
            raise InvalidQuery(f"This repository has no remote `{remote}`. {known}", field="remote")
        self.remote = remote
        self.refused = 0
        self._stdin = None if prompt else subprocess.DEVNULL
        self._command = (program, "--no-pager", f"--git-dir={directory}")
        # Where a relative address of a remote starts.
        self._folder = os.path.dirname(repository) if repository else None
        self._environment = _environment(passed_on, prompt=prompt)
        if not os.path.isdir(os.path.join(directory, "objects")):
            self._git("init", "--bare", "--quiet", "--template=")
        if self._run("config", "--get", "user.email").returncode:
            self._environment |= _NOBODY  # git would take the machine's name

    def fetch(self) -> str | None:
        """The commit that the ref has at the remote now; None if there is none yet."""
        found = self._git("ls-remote", "--", self.remote, REF).split()
        if not found:
            return None
        tip = found[0].decode()
        if not self.has(tip):
            self._git(
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-auto-gc",
                "--",
                self.remote,
                f"+{REF}:{REF}",
            )
            return self._git("rev-parse", REF).decode().strip()
        return tip

    def has(self, state: str) -> bool:
        """Whether a commit is here with everything that belongs to it."""
        return self._succeeds("cat-file", "-e", f"{state}^{{commit}}")

    def is_ancestor(self, earlier: str, later: str) -> bool:
        """Whether nothing was taken out of the ref's history between two commits."""
        return self._succeeds("merge-base", "--is-ancestor", earlier, later)

    def paths(self, state: str, since: str | None = None) -> list[str]:
        """The files of a commit, or those that were added after an earlier one."""
        if since is None:
            printed = self._git("ls-tree", "-r", "-z", "--name-only", state)
        else:
            printed = self._git(
                "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=AM", since, state
            )
        return [os.fsdecode(path) for path in printed.split(b"\0") if path]

    def paths_below(self, state: str, folders: Iterable[str]) -> list[str]:
        """The files of a commit in some folders."""
        wanted, found = sorted(set(folders)), list[str]()
        for start in range(0, len(wanted), 200):
            some = (f"{folder}/" for folder in wanted[start : start + 200])
            printed = self._git("ls-tree", "-r", "-z", "--name-only", state, "--", *some)
            found += [os.fsdecode(path) for path in printed.split(b"\0") if path]
        return found

    def read(self, state: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of files; those that are too large are left out."""
        with self._process("cat-file", "--batch") as (stdin, stdout):
            for number, path in enumerate(paths):
                if number % _AT_ONCE == 0:
                    some = paths[number : number + _AT_ONCE]
                    stdin.write(os.fsencode("".join(f"{state}:{one}\n" for one in some)))
                    stdin.flush()
                header = stdout.readline().split()
                if len(header) != 3:
                    raise StorageError(f"The shared memory lacks {path}; sync again.")
                size = int(header[2])
                content = stdout.read(size + 1)[:-1]
                if len(content) != size:
                    raise StorageError("git ended before it had read everything; sync again.")
                if size <= MAX_FILE:
                    yield path, content

    def publish(
        self,
        state: str | None,
        added: Iterable[tuple[str, bytes]],
        removed: Iterable[str],
        *,
        message: str,
        sign: bool,
    ) -> str:
        """Add and remove files on top of a commit and push that; the new commit.

        OutdatedError if the remote has moved on, RefusedError if it does not take anything.
        """
        self._write(state, added, removed)
        tree = self._git("rev-parse", f"{_NEXT}^{{tree}}").decode().strip()
        parent = ("-p", state) if state else ()
        signature = ("-S",) if sign or self._signs() else ()
        commit = self._git("commit-tree", tree, *parent, *signature, "-m", message).decode().strip()
        self._git("update-ref", "-d", _NEXT)
        done = self._run(
            "push", "--porcelain", "--no-verify", "--quiet", "--", self.remote, f"{commit}:{REF}"
        )
        if done.returncode:
            said = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
            if any(sign in said for sign in _OUTDATED):
                raise OutdatedError
            raise RefusedError(_in_one_line(said))
        self._git("update-ref", REF, commit)
        return commit

    def collect_garbage(self) -> None:
        """Pack loose objects, if there are many."""
        self._run("-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet")

    def _write(self, tip: str | None, added: Iterable[tuple[str, bytes]], removed: Iterable[str]) -> None:
        with self._process("fast-import", "--quiet", "--force", "--done") as (stdin, _):
            stdin.write(f"commit {_NEXT}\ncommitter RUM <rum@localhost> 0 +0000\ndata 0\n".encode())
            if tip:
                stdin.write(f"from {tip}\n".encode())
            for path in removed:
                stdin.write(os.fsencode(f"D {path}\n"))
            for path, content in added:
                stdin.write(os.fsencode(f"M 100644 inline {path}\ndata {len(content)}\n") + content + b"\n")
            stdin.write(b"done\n")

    def _signs(self) -> bool:
        return self._run("config", "--type=bool", "commit.gpgsign").stdout.strip() == b"true"

    def _git(self, *arguments: str) -> bytes:
        done = self._run(*arguments)
        if done.returncode:
            said = _in_one_line(done.stderr.decode("utf-8", "replace"))
            raise StorageError(
                f"git {arguments[0]} failed for {self.remote}: {said} Nothing is lost; try again.",
                remote=self.remote,
            )
        return done.stdout

    def _succeeds(self, *arguments: str) -> bool:
        return self._run(*arguments).returncode == 0

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                [*self._command, *arguments],
                cwd=self._folder,
                env=self._environment,
                stdin=self._stdin,
                capture_output=True,
                timeout=_TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise StorageError(f"git {arguments[0]} failed: {error}. Nothing is lost; try again.") from None

    @contextmanager
    def _process(self, *arguments: str) -> Generator[tuple[IO[bytes], IO[bytes]]]:
        """A process of git that is written to and read from in turn."""
        process = subprocess.Popen(
            [*self._command, *arguments],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin
        assert process.stdout
        failure = StorageError(f"git {arguments[0]} failed. Nothing is lost; try again.")
        with process:
            try:
                yield process.stdin, process.stdout
                process.stdin.close()
            except BrokenPipeError:
                process.kill()
                raise failure from None
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            raise failure


def _environment(passed_on: dict[str, str], *, prompt: bool) -> dict[str, str]:
    # RUM may run inside a git hook, whose GIT_* variables would point git at another repository.
    found = {
        name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith("GIT_")
    }
    found |= {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "LC_ALL": "C"}
    settings = passed_on | _SETTINGS
    if not prompt:
        found |= {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS": "", "GIT_ASKPASS": ""}
        if "core.sshcommand" not in passed_on:
            found.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    for number, (name, value) in enumerate(settings.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return found | {"GIT_CONFIG_COUNT": str(len(settings))}


def _is_address(remote: str) -> bool:
    return "/" in remote or "\\" in remote or ":" in remote


def _connection_settings(git_dir: str) -> dict[str, str]:
    """The settings of a repository that say how its remotes are reached; of several values the last."""
    path = os.path.join(git_dir, "config")
    printed = run_git(git_dir, "config", "--file", path, "--list", "-z") or ""
    pairs = (entry.partition("\n") for entry in printed.split("\0") if entry)
    return {name: value for name, _, value in pairs if _PASSED_ON.match(name)}


def _in_one_line(text: str) -> str:
    lines = (line.removeprefix("remote: ").strip() for line in text.splitlines())
    return " ".join(line for line in lines if line and not line.startswith(("To ", "Done")))[:_MESSAGE]
