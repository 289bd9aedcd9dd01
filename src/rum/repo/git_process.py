"""Run git where reading its files is not enough, so that nothing of a hostile repository runs with it."""

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
_WORDS = 500
_AHEAD = 1 << 20  # so much git may print while its reader is busy, where the system allows it
_FLAGS = 0x08000000 if sys.platform == "win32" else 0  # no window of its own
_HARMLESS = (
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


def run_git(git_dir: str, *arguments: str) -> str | None:
    """What git prints for this git dir; None when it fails, takes too long, or is not there."""
    program = _find_program(os.environ.get("PATH", "").split(os.pathsep))
    if not program:
        return None
    import subprocess  # noqa: PLC0415 (slow to load; a repository that is known needs no git)

    try:
        done = subprocess.run(
            _command(program, git_dir, arguments),
            cwd=git_dir,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
            creationflags=_FLAGS,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


@contextmanager
def stream_git(git_dir: str, *arguments: str, told: bytes = b"") -> Generator[IO[bytes]]:
    """What git prints, to be read to its end while git goes on; StorageError when git fails."""
    program = _find_program(os.environ.get("PATH", "").split(os.pathsep))
    if not program:
        raise StorageError("There is no git on the PATH; install it, and try again.")
    import subprocess  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as complaints:
        given.write(told)
        given.seek(0)
        process = subprocess.Popen(
            _command(program, git_dir, arguments),
            cwd=git_dir,
            env=_environment(),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=complaints,
            pipesize=_AHEAD,
            creationflags=_FLAGS,
        )
        with process:
            try:
                assert process.stdout
                yield process.stdout
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            complaints.seek(0)
            words = " ".join(complaints.read(_WORDS).decode("utf-8", "replace").split())
            raise StorageError(f"git could not read {git_dir}: {words or process.returncode}.", path=git_dir)


def _command(program: str, git_dir: str, arguments: Iterable[str]) -> list[str]:
    settings = (part for setting in _HARMLESS for part in ("-c", setting))
    return [program, "--no-pager", f"--git-dir={git_dir}", *settings, *arguments]


def _environment() -> dict[str, str]:
    # Our own surroundings may be those of a git hook, which would send git elsewhere.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return inherited | _ENVIRONMENT


def _find_program(folders: Iterable[str]) -> str | None:
    """Git on the absolute parts of the path: Windows would take a `git.exe` that lies in the repository."""
    for folder in folders:
        program = os.path.join(folder, "git.exe" if os.name == "nt" else "git")
        if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return None
