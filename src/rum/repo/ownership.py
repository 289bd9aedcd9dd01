"""Whether a repository belongs to the user, as git's `safe.directory` decides it."""

from __future__ import annotations

import os
import sys

from rum.repo.git_config import user_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def is_own(paths: Iterable[str], environ: Mapping[str, str]) -> bool:
    """Whether all these paths belong to the user; always on Windows, where git asks the system."""
    if sys.platform == "win32":
        return True
    users = {os.geteuid()}
    # Root under sudo works in the folders of the user who called it.
    if users == {0} and environ.get("SUDO_UID", "").isdecimal():
        users.add(int(environ["SUDO_UID"]))
    try:
        return all(os.lstat(path).st_uid in users for path in paths)
    except OSError:
        return False


def is_listed(folder: str, environ: Mapping[str, str]) -> bool:
    """Whether the user's own git settings name the folder in `safe.directory`."""
    listed = False
    for section, subsection, name, value in user_settings(environ):
        if (section, subsection, name) != ("safe", None, "directory"):
            continue
        # An empty value revokes all before it.
        listed = bool(value) and (listed or _covers(value, folder))
    return listed


def _covers(pattern: str, folder: str) -> bool:
    if pattern == "*":
        return True
    path = os.path.expanduser(pattern)
    if path.endswith("/*"):
        return folder.startswith(os.path.join(os.path.realpath(path[:-2]), ""))
    return os.path.isabs(path) and os.path.realpath(path) == folder
