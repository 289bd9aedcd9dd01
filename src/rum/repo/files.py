"""Paths as memories store them, and git's blob id of a file."""

from __future__ import annotations

import os
import posixpath
import re

from rum.model.errors import InvalidQuery
from rum.settings.home import read_bounded

BLOB_LIMIT = 4 * 1024 * 1024

_LINE_REFERENCE = r"(?<=[^:/\\]):\d+(?::\d+|-\d+)?$"
_CONTROL = r"[\x00-\x1f\x7f]"
_DRIVE = r"[A-Za-z]:/"


def blob_id(path: str) -> str | None:
    """Git's blob id of a file; None if it is missing, not a regular file, or larger than `BLOB_LIMIT`."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which looking up a path does not need)

    try:
        data, _ = read_bounded(path, BLOB_LIMIT)
    except (OSError, ValueError):
        return None
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def strip_line(path: str) -> str:
    """A path without a line reference such as `:12`, `:12:5` or `:12-40`."""
    return re.sub(_LINE_REFERENCE, "", path)


def relative_path(path: str, root: str | None, cwd: str) -> str:
    """A path as memories store it: POSIX and relative to the root, or absolute (home as `~`) outside.

    Without a root a relative path is only normalised. With one it is resolved against the root, unless the
    file exists only relative to `cwd` below the root, or the path would lead out of the root.
    """
    path = _check_path(path)
    if path == "~" or path.startswith("~/"):
        path = _with_slashes(os.path.expanduser("~")) + path[1:]
    if not root:
        return _with_tilde(_normalise(path)) if _is_absolute(path) else _normalise(path)
    root = _normalise(_with_slashes(root))
    if _is_absolute(path):
        return _relative_or_absolute(_normalise(path), root)
    cwd_path = _normalise(_with_slashes(cwd))
    from_root, from_cwd = (_normalise(posixpath.join(base, path)) for base in (root, cwd_path))
    if cwd_path != root and _below(cwd_path, root) is not None and _prefer_cwd(from_cwd, from_root, root):
        return _relative_or_absolute(from_cwd, root)
    return _relative_or_absolute(from_root, root)


def _check_path(path: str) -> str:
    path = path.strip("\r\n")
    if not path.strip() or re.search(_CONTROL, path):
        raise InvalidQuery(
            "A path must not be empty or contain control characters such as NUL or a line break.",
            field="file",
        )
    # On every system: file names of a repository that Windows can check out contain no backslashes.
    return path.replace("\\", "/")


def _prefer_cwd(from_cwd: str, from_root: str, root: str) -> bool:
    if os.path.lexists(from_root):
        return False
    return os.path.lexists(from_cwd) or _below(from_root, root) is None


def _relative_or_absolute(path: str, root: str) -> str:
    """Relative to the root, also if one of them is written through a symbolic link."""
    found = _below(path, root)
    if found is None:
        folder, name = posixpath.split(path)
        real_root = _with_slashes(os.path.realpath(root))
        found = _below(path, real_root)
        if found is None:
            found = _below(posixpath.join(_with_slashes(os.path.realpath(folder)), name), real_root)
    return found if found is not None else _with_tilde(path)


def _below(path: str, root: str) -> str | None:
    if os.path.normcase(path) == os.path.normcase(root):
        return "."
    start = root.rstrip("/") + "/"
    return path[len(start) :] if os.path.normcase(path).startswith(os.path.normcase(start)) else None


def _with_tilde(path: str) -> str:
    home = _normalise(_with_slashes(os.path.expanduser("~")))
    below = _below(path, home) if _is_absolute(home) and home != "/" else None
    if below is None:
        return path
    return "~" if below == "." else f"~/{below}"


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or re.match(_DRIVE, path) is not None


def _with_slashes(path: str) -> str:
    return path.replace("\\", "/") if os.name == "nt" else path


def _normalise(path: str) -> str:
    # Two leading slashes mean a network share on Windows, and nothing special elsewhere.
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") and os.name != "nt" else normal
