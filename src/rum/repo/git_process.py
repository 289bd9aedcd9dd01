"""Run git safely: a hostile repository's configuration and hooks cannot run programs."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from rum.model.errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from typing import IO

_TIMEOUT = 20.0
_MESSAGE_LIMIT = 500
_PIPE_SIZE = 1 << 20  # bytes git may print while its reader is busy, where the system allows it
_CREATION_FLAGS = 0x08000000 if sys.platform == "win32" else 0  # CREATE_NO_WINDOW
_SAFE_SETTINGS = (
    "advice.graftFileDeprecated=false",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "protocol.allow=never",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS": "",
}


class GitFailed(StorageError):
    """Git ended with an error, such as an object that it cannot read."""


def run_git(git_dir: str, *arguments: str) -> str | None:
    """Git's output for this git dir; None if git fails, takes too long or is not installed."""
    printed = ask_git(git_dir, *arguments)
    return None if printed is None else printed.decode("utf-8", "replace")


def ask_git(git_dir: str, *arguments: str, question: bytes = b"", objects: str | None = None) -> bytes | None:
    """The same as bytes, with a question on stdin, and another folder of objects if one is given."""
    program = find_program()
    if not program:
        return None
    import subprocess  # noqa: PLC0415 (slow to load; a repository that is known needs no git)

    try:
        done = subprocess.run(
            _command(program, git_dir, arguments),
            cwd=git_dir,
            env=_environment() | ({"GIT_OBJECT_DIRECTORY": objects} if objects else {}),
            input=question,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
            creationflags=_CREATION_FLAGS,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


@contextmanager
def stream_git(git_dir: str, *arguments: str, stdin: bytes = b"") -> Generator[IO[bytes]]:
    """Git's output as a stream, to be read to its end while git runs; GitFailed if git fails."""
    program = find_program()
    if not program:
        raise StorageError("git was not found on the PATH. Install it and try again.")
    import subprocess  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryFile() as input_file, tempfile.TemporaryFile() as stderr:
        input_file.write(stdin)
        input_file.seek(0)
        process = subprocess.Popen(
            _command(program, git_dir, arguments),
            cwd=git_dir,
            env=_environment(),
            stdin=input_file,
            stdout=subprocess.PIPE,
            stderr=stderr,
            pipesize=_PIPE_SIZE,
            creationflags=_CREATION_FLAGS,
        )
        with process:
            try:
                assert process.stdout
                yield process.stdout
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            stderr.seek(0)
            message = " ".join(stderr.read(_MESSAGE_LIMIT).decode("utf-8", "replace").split())
            raise GitFailed(
                f"git could not read {git_dir}: {message or process.returncode}.",
                path=git_dir,
                problem=message or str(process.returncode),
            )


def _command(program: str, git_dir: str, arguments: Iterable[str]) -> list[str]:
    settings = (part for setting in _SAFE_SETTINGS for part in ("-c", setting))
    return [program, "--no-pager", f"--git-dir={git_dir}", *settings, *arguments]


def _environment() -> dict[str, str]:
    # RUM may run inside a git hook, whose GIT_* variables would point git at another repository.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return inherited | _ENVIRONMENT


def find_program() -> str | None:
    """Git in the absolute folders of PATH: Windows would also run a `git.exe` in the repository itself."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        program = os.path.join(folder, "git.exe" if os.name == "nt" else "git")
        if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return None
