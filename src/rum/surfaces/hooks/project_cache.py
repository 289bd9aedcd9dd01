"""Where the work in a folder belongs, as it was found out before: found anew once anything speaks for it."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from zlib import crc32

from rum.settings.home import ensure_private_dir, read_bounded, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Stamp = list[int] | None

_FOLDER = "hooks"
_LIMIT = 256 * 1024
_MOST = 500
"""Folders that are remembered."""
_OWN = ("config.toml", "projects.json", "trust.json")
"""The files of RUM's home that decide which project a folder belongs to, and what is a secret there."""
_MARKS = (".git", ".rum", "HEAD")
"""What makes a folder above the root of a project: a checkout, RUM's own mark, a git folder itself."""
_OF_GIT = ("config", "description", "shallow", "refs/heads")
"""What tells a repository from others, and whether it has a history by now."""


class Found:
    """RUM's home, the project unless it cannot be told, and then why; and what the user calls a secret."""

    __slots__ = ("directory", "home", "project", "redact_allow", "redact_extra", "root", "trouble")

    def __init__(
        self,
        home: str,
        project: str | None = None,
        directory: str = "",
        root: str | None = None,
        redact_extra: tuple[str, ...] = (),
        redact_allow: tuple[str, ...] = (),
        trouble: str = "",
    ) -> None:
        self.home = home
        self.project = project
        """Its id."""
        self.directory = directory
        """Where RUM keeps it."""
        self.root = root
        self.redact_extra = redact_extra
        self.redact_allow = redact_allow
        self.trouble = trouble


def settled(home: str, folder: str) -> Found | None:
    """What was found out about a folder, if all that spoke for it is still as it was."""
    try:
        known = json.loads(read_bounded(_file(home, folder), _LIMIT)[0])
        as_before = known["folder"] == folder and known["environment"] == _environment()
        if not as_before or any(_stamp(path) != stamp for path, stamp in known["stamps"].items()):
            return None
        extra, allow = tuple(known["redact_extra"]), tuple(known["redact_allow"])
        return Found(home, known["project"], known["directory"], known["root"], extra, allow)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # there is none, or it is damaged: everything is found out anew


def settle(folder: str, found: Found, common_dir: str | None) -> None:
    """Remember it; where nothing can be written, it is found out each time."""
    known = {
        "folder": folder,
        "environment": _environment(),
        "stamps": {path: _stamp(path) for path in _deciding(folder, found, common_dir)},
        "project": found.project,
        "directory": found.directory,
        "root": found.root,
        "redact_extra": found.redact_extra,
        "redact_allow": found.redact_allow,
    }
    path = _file(found.home, folder)
    with suppress(OSError):
        ensure_private_dir(os.path.dirname(path))
        _make_room(os.path.dirname(path))
        write_private(path, json.dumps(known).encode())


def _make_room(kept: str) -> None:
    """Let go of the oldest half once there are many: agents work in folders that are gone the next day."""
    paths = [os.path.join(kept, name) for name in os.listdir(kept)]
    if len(paths) >= _MOST:
        for path in sorted(paths, key=lambda path: os.stat(path).st_mtime)[: _MOST // 2]:
            os.unlink(path)


def _deciding(folder: str, found: Found, common_dir: str | None) -> Iterator[str]:
    """The files and folders that make this the project of the folder; not all of them need be there."""
    yield from (os.path.join(found.home, name) for name in _OWN)
    if found.root:
        yield found.root
        yield os.path.join(found.root, ".rum", "config.toml")
    if common_dir:
        yield from (os.path.join(common_dir, name) for name in _OF_GIT)
    above = os.path.realpath(folder)
    while True:
        yield from (os.path.join(above, name) for name in _MARKS)
        if os.path.dirname(above) == above:
            return
        above = os.path.dirname(above)


def _stamp(path: str) -> Stamp:
    """What changes with a file; of a folder only that it is another one, but for git's list of branches."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(state.st_mode) and not path.endswith("heads"):
        return [state.st_ino]
    return [state.st_ino, state.st_mtime_ns, state.st_size]


def _environment() -> int:
    """What changes with the variables that settings, homes and git go by; keys and tokens are among them."""
    told = ("HOME", "USERPROFILE")
    names = sorted(name for name in os.environ if name in told or name[:4] in ("RUM_", "GIT_"))
    return crc32(repr([(name, os.environ[name]) for name in names]).encode("utf-8", "surrogateescape"))


def _file(home: str, folder: str) -> str:
    return os.path.join(home, _FOLDER, f"{crc32(os.fsencode(folder)):08x}.json")
