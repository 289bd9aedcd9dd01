"""Run git where reading its files is not enough, so that nothing of a hostile repository runs with it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_TIMEOUT = 20.0
_HARMLESS = (
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

    command = [program, "--no-pager", f"--git-dir={git_dir}"]
    for setting in _HARMLESS:
        command += ["-c", setting]
    # Our own surroundings may be those of a git hook, which would send git elsewhere.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=git_dir,
            env=inherited | _ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
            creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _find_program(folders: Iterable[str]) -> str | None:
    """Git on the absolute parts of the path: Windows would take a `git.exe` that lies in the repository."""
    for folder in folders:
        program = os.path.join(folder, "git.exe" if os.name == "nt" else "git")
        if os.path.isabs(folder) and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return None
