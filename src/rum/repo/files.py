"""The files that memories name: one spelling for a path, and git's id of what a file holds."""

from __future__ import annotations

import os
import posixpath
import re

from rum.model.errors import InvalidQuery
from rum.settings.home import read_bounded

BLOB_LIMIT = 4 * 1024 * 1024

_LINE = r"(?<=[^:/\\]):\d+(?::\d+|-\d+)?$"
_CONTROL = r"[\x00-\x1f\x7f]"
_DRIVE = r"[A-Za-z]:/"


def blob_id(path: str) -> str | None:
    """Git's blob id of a file's bytes; None when it is missing, no regular file, or above 4 MB."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which looking up a path does not need)

    try:
        data, _ = read_bounded(path, BLOB_LIMIT)
    except (OSError, ValueError):
        return None
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def strip_line(path: str) -> str:
    """A path without the `:12`, `:12:5` or `:12-40` that points into the file."""
    return re.sub(_LINE, "", path)


def relative_path(path: str, root: str | None, cwd: str) -> str:
    """A path as memories keep it: POSIX and relative to the root, or absolute (home as `~`) outside.

    Without a root a relative path stays as it is. With one it is meant from the root, unless it exists
    only from `cwd` below the root, or would lead out of the root from there.
    """
    path = _cleaned(path)
    if path == "~" or path.startswith("~/"):
        path = _slashed(os.path.expanduser("~")) + path[1:]
    if not root:
        return _outside(_normal(path)) if _is_absolute(path) else _normal(path)
    top = _normal(_slashed(root))
    if _is_absolute(path):
        return _inside(_normal(path), top)
    here = _normal(_slashed(cwd))
    from_top, from_here = (_normal(posixpath.join(base, path)) for base in (top, here))
    if here != top and _below(here, top) is not None and _is_better(from_here, from_top, top):
        return _inside(from_here, top)
    return _inside(from_top, top)


def _cleaned(path: str) -> str:
    path = path.strip("\r\n")
    if not path.strip() or re.search(_CONTROL, path):
        raise InvalidQuery(
            "A path must not be empty or hold control characters such as NUL or a line break.", field="file"
        )
    # Backslashes too: a repository that Windows can check out has none in its names.
    return path.replace("\\", "/")


def _is_better(from_here: str, from_top: str, top: str) -> bool:
    if os.path.lexists(from_top):
        return False
    return os.path.lexists(from_here) or _below(from_top, top) is None


def _inside(path: str, top: str) -> str:
    """Relative to the top, also where one of them is spelled through a link."""
    found = _below(path, top)
    if found is None:
        folder, name = posixpath.split(path)
        real_top = _slashed(os.path.realpath(top))
        found = _below(path, real_top)
        if found is None:
            found = _below(posixpath.join(_slashed(os.path.realpath(folder)), name), real_top)
    return found if found is not None else _outside(path)


def _below(path: str, top: str) -> str | None:
    if os.path.normcase(path) == os.path.normcase(top):
        return "."
    start = top.rstrip("/") + "/"
    return path[len(start) :] if os.path.normcase(path).startswith(os.path.normcase(start)) else None


def _outside(path: str) -> str:
    home = _normal(_slashed(os.path.expanduser("~")))
    below = _below(path, home) if _is_absolute(home) and home != "/" else None
    if below is None:
        return path
    return "~" if below == "." else f"~/{below}"


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or re.match(_DRIVE, path) is not None


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if os.name == "nt" else path


def _normal(path: str) -> str:
    # Two leading slashes name a server on Windows, and nothing elsewhere.
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") and os.name != "nt" else normal
