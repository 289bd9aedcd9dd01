"""The files of journals: a folder per session, with a folder per agent or one journal of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rum.model.errors import InvalidQuery, RumError, StorageError
from rum.store.files.atomic_write import inside, make_folder, replace
from rum.store.files.journal.file import JournalFile, text_of
from rum.store.files.journal.text import JournalText

FILE = "agent-memory.yaml"
METADATA = "metadata.yaml"
IGNORE = b"# What agents note down while they work is for this checkout alone.\n*\n"

_LONGEST = 128
# What a folder name may not contain on any system.
FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\<>:"|?*]|^[. ]|[. ]$')
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_OURS = re.compile(r"(?i).*\.(yaml|yml|lock|tmp)")
_HEAD = 64 * 1024
_AGENT = re.compile(
    rb"""^agent:[ ]*(?:"([^"\\\r\n]+)"|'([^'\r\n]+)'|([^\s"'#][^#\r\n]*?))[ ]*(?:#.*)?\r?$""", re.M
)


class Sessions:
    """The folder of all sessions; RUM's own (`.rum/sessions`) or another system's, used in place."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def journal(self, session: str, agent: str) -> JournalFile:
        """An agent's journal of a session; the file need not exist."""
        place = self.place(session)
        if self.own_agent(session) == agent:
            return JournalFile(self.folder, os.path.join(place, FILE), session, agent)
        path = os.path.join(place, checked(agent, "agent"), FILE)
        return JournalFile(self.folder, path, session, agent)

    def place(self, session: str) -> str:
        """The folder of one session."""
        return os.path.join(self.folder, checked(session, "session"))

    def own_agent(self, session: str) -> str | None:
        """The agent of the journal directly in a session's folder, if there is one.

        If it cannot be parsed, its line `agent: NAME` is used.
        """
        path = os.path.join(self.place(session), FILE)
        try:
            real = inside(self.folder, path)
            text = text_of(real) if os.path.isfile(real) else ""
            agent = JournalText(text, path).scalar("agent")
        except RumError:
            agent = _agent_line(self.folder, path)
        return agent if isinstance(agent, str) and agent.strip() else None

    def files(self, session: str) -> list[JournalFile]:
        """The journals of a session, by agent; a broken one that names no agent has an empty name."""
        own, place = self.own_agent(session), self.place(session)
        found: dict[str, JournalFile] = {}
        for name in _folders(place):
            path = os.path.join(place, name, FILE)
            if os.path.isfile(path) and _is_name(name):
                found[name] = JournalFile(self.folder, path, session, name)
        path = os.path.join(place, FILE)
        if os.path.isfile(path):
            found[own or ""] = JournalFile(self.folder, path, session, own or "")
        return [found[name] for name in sorted(found)]

    def agents(self, session: str) -> list[str]:
        """The agents with a journal in a session, by name."""
        return [file.agent for file in self.files(session) if file.agent]

    def names(self) -> list[str]:
        """The sessions with a journal or metadata, last written first."""
        found = {name: self._changed(name) for name in _folders(self.folder) if _is_name(name)}
        known = [name for name, at in found.items() if at]
        return sorted(known, key=lambda name: (-found[name], name))

    def prepare(self) -> None:
        """Create the folder if it is missing, with a .gitignore for all of it.

        A folder that holds something already gets none: whether to commit it is the user's decision.
        """
        make_folder(self.folder)
        if not os.listdir(self.folder):
            replace(os.path.join(self.folder, ".gitignore"), IGNORE)

    def _changed(self, session: str) -> float:
        place = os.path.join(self.folder, session)
        files = [os.path.join(place, name) for name in (FILE, METADATA)]
        files += [os.path.join(place, name, FILE) for name in _folders(place)]
        return max((_modified(path) for path in files), default=0.0)


def checked(name: str, what: str) -> str:
    """A session's or agent's name, if it is a valid folder name on every system."""
    if _is_name(name):
        return name
    raise InvalidQuery(
        f"`{name[:60]}` cannot name {'an' if what == 'agent' else 'a'} {what}'s folder: at most {_LONGEST} "
        'characters, none of / \\ < > : " | ? *, no dot or space at its ends, and not .yaml at the end.',
        field=what,
    )


def _is_name(name: str) -> bool:
    odd = FORBIDDEN.search(name) or _DEVICE.fullmatch(name) or _OURS.fullmatch(name)
    return bool(name) and len(name.encode()) <= _LONGEST and not odd


def _folders(place: str) -> Iterator[str]:
    """The folders in a folder; links are not followed, as they could lead anywhere."""
    try:
        with os.scandir(place) as found:
            yield from sorted(one.name for one in found if one.is_dir(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise StorageError(f"{place}: {error.strerror or error}.", path=place) from error


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _agent_line(folder: str, path: str) -> str | None:
    """The agent that a broken journal names on a line of its own."""
    try:
        with open(inside(folder, path), "rb") as file:
            found = _AGENT.search(file.read(_HEAD))
    except (InvalidQuery, OSError):
        return None
    name = next((one for one in found.groups() if one), b"") if found else b""
    return name.decode(errors="replace")
