"""Read git's config files without running git, and decide by them whom a repository belongs to.

`include` and `includeIf` are not followed.
"""

from __future__ import annotations

import os
import re
import sys

from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Setting = tuple[str, str | None, str, str | None]  # section, subsection, name, value


_LIMIT = 1024 * 1024
_HEADER = r'\s*\[\s*([^\s\]"]+)(?:\s+"((?:\\.|[^"\\])*)")?\s*\]'
_ENTRY = r"(?i)\s*([a-z][a-z0-9-]*)\s*(?:=(.*))?$"
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def read_settings(path: str) -> list[Setting]:
    """The settings in a config file; none if it is missing or unusable."""
    try:
        data, _ = read_bounded(path, _LIMIT)
    except (OSError, ValueError):
        return []
    return list(parse_settings(data.decode("utf-8", "surrogateescape")))


def parse_settings(text: str) -> Iterator[Setting]:
    """Yield every setting in the text of a config file; a name without a value has None."""
    section, subsection = "", None
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        if header := re.match(_HEADER, line):
            section, subsection = _split_header(header[1], header[2])
            line = line[header.end() :]
        if entry := re.match(_ENTRY, line):
            value = entry[2] and _parse_value(entry[2])
            yield section, subsection, entry[1].lower(), value


def read_setting(path: str, section: str, name: str) -> str | None:
    """The last value of a setting outside of subsections; without a value it is `true`, as for git."""
    found = [value for at, sub, key, value in read_settings(path) if (at, sub, key) == (section, None, name)]
    return None if not found else "true" if found[-1] is None else found[-1]


def user_settings(environ: Mapping[str, str]) -> Iterator[Setting]:
    """Yield the settings of the system, the user and the environment, in git's order."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")
    files: list[str] = []
    if environ.get("GIT_CONFIG_NOSYSTEM", "0").lower() in ("", "0", "false", "no", "off"):
        files.append(environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig")
    if named := environ.get("GIT_CONFIG_GLOBAL"):
        files.append(named)
    else:
        folder = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        files += [os.path.join(folder, "git", "config"), os.path.join(home, ".gitconfig")]
    for path in files:
        yield from read_settings(path)
    count = environ.get("GIT_CONFIG_COUNT", "")
    for number in range(min(int(count), 1000) if count.isdecimal() else 0):
        section, _, name = environ.get(f"GIT_CONFIG_KEY_{number}", "").lower().partition(".")
        yield section, None, name, environ.get(f"GIT_CONFIG_VALUE_{number}", "")


def _split_header(section: str, subsection: str | None) -> tuple[str, str | None]:
    if subsection is not None:
        return section.lower(), re.sub(r"\\(.)", r"\1", subsection)
    # The old form `[remote.origin]`.
    kind, dot, name = section.partition(".")
    return kind.lower(), name if dot else None


def _parse_value(text: str) -> str:
    """A config value as git reads it: without quotes, escapes, comment and surrounding blanks."""
    value, length, quoted, at = "", 0, False, 0
    text = text.strip()
    while at < len(text):
        character = text[at]
        if character == "\\" and at + 1 < len(text):
            at += 1
            value += _ESCAPES.get(text[at], text[at])
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            value += character
        at += 1
        if quoted or not character.isspace():
            length = len(value)
    return value[:length]


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
