"""The commands with which other programs start RUM: by its interpreter, or by its name on PATH."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from rum.model.errors import InvalidQuery

# Environments of `uvx` and `pipx run`, which are deleted when their cache is cleaned.
_TEMPORARY = re.compile(
    r"[/\\](?:uv|\.uv|uv-cache)[/\\](?:cache[/\\])?(?:archive|builds|environments)-v\d+[/\\]|[/\\]\.?cache[/\\](?:uv|pipx)[/\\]"
    r"|[/\\]pipx[/\\]\.cache[/\\]",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


class Launch(NamedTuple):
    """The first words of the commands that start RUM and its hooks."""

    rum: tuple[str, ...]
    hook: tuple[str, ...]

    def mcp_command(self) -> list[str]:
        """The command of the MCP server, as a list of words."""
        return [*self.rum, "mcp"]

    def hook_command(self, client: str) -> list[str]:
        """The command of a client's hooks, as a list of words."""
        return [*self.hook, client]


def launch_with_interpreter(environ: Mapping[str, str], *, anyway: bool = False) -> Launch:
    """Start RUM with the interpreter that runs now; refused if that one is temporary."""
    if not sys.executable or getattr(sys, "frozen", False):
        raise InvalidQuery(
            "RUM runs inside another program here, which a client cannot start. "
            "Install it separately, for example with `pipx install rum-memory`, and run `rum install` there."
        )
    if not anyway and (reason := temporary_reason(sys.executable, environ)):
        raise InvalidQuery(
            f"{sys.executable} {reason}: hooks that name it would soon fail. Install RUM permanently, for "
            "example with `uv tool install rum-memory` or `pipx install rum-memory`, and run `rum install` "
            "from there; or give --anyway.",
            path=sys.executable,
        )
    # -P: no module may be imported from the client's folder, which may be a stranger's repository.
    words = (sys.executable, "-P", "-m", "rum")
    return Launch(words, (*words, "hook"))


def launch_from_path(path: str) -> Launch:
    """Start RUM by its names on PATH: for files that are shared with others."""
    for name in ("rum", "rum-hook"):
        if shutil.which(name) is None:
            raise InvalidQuery(
                f"{path} is shared with others, so it may name no interpreter of yours, and `{name}` is not "
                "on PATH. Put it there, as `uv tool install rum-memory` or `pipx install rum-memory` does, "
                "or use --scope user.",
                path=path,
            )
    return Launch(("rum",), ("rum-hook",))


def temporary_reason(executable: str, environ: Mapping[str, str]) -> str | None:
    """Say why an interpreter may soon be deleted; None if it is not in a temporary folder."""
    own, real = os.path.abspath(executable), os.path.realpath(os.path.dirname(executable))
    cache = environ.get("UV_CACHE_DIR")
    for path in (own, os.path.join(real, os.path.basename(own))):
        if _TEMPORARY.search(path) or (cache and _inside(path, cache)):
            return "is in a cache that may be cleared"
        if _inside(path, tempfile.gettempdir()):
            return "is in a folder for temporary files"
    return None


def _inside(path: str, folder: str) -> bool:
    top = os.path.normcase(os.path.join(os.path.realpath(folder), ""))
    return os.path.normcase(os.path.realpath(os.path.dirname(path)) + os.sep).startswith(top)


def shell_line(words: list[str], *, windows: bool = os.name == "nt") -> str:
    """A command as one line of a shell; on Windows in a form that both sh and cmd accept."""
    if not windows:
        return shlex.join(words)
    slashed = [words[0].replace("\\", "/"), *words[1:]]
    return " ".join(word if _PLAIN.fullmatch(word) else f'"{word}"' for word in slashed)
