"""Ids of commits' memories, authors and sessions: the same in every import."""

from __future__ import annotations

import time

from rum.model.ids import id_of
from rum.text.shorten import without_invisible

_MAX_NAME = 80


def memory_id(sha: str, at: int, step: int = 0) -> str:
    """The id of a commit's memory, made from the commit alone, so that no import can add it twice.

    `step` keeps the order of commits made in the same second, as in a rebase.
    """
    # Half a millisecond more: rounding must not make it one millisecond less.
    return id_of("mem", f"git {sha}", at + (min(step, 999) + 0.5) / 1000)


def is_memory_of(memory_id_: str, sha: str) -> bool:
    """Whether a memory was imported from a commit, and not only stored while it was checked out."""
    return memory_id_[-_HASH_LENGTH:] == memory_id(sha, 0)[-_HASH_LENGTH:]


_HASH_LENGTH = 12  # characters at the end of an id that do not depend on its date


def author_name(name: str) -> str:
    """An author's name as the name of an agent: one line, without the e-mail address, which is private."""
    plain = " ".join(without_invisible(name).replace("/", "-").split())
    return plain.partition("@")[0].strip(" <")[:_MAX_NAME].strip() or "unknown"


def author_id(name: str) -> str:
    """The id of an author, by name: people change addresses and keep their names."""
    return id_of("agent", f"git {name.casefold()}")


def session_of(author: str, at: int) -> str:
    """The session of a commit: all commits of one author on one day."""
    day = time.strftime("%Y%m%d", time.gmtime(at))
    return f"git_{day}_{author[-8:]}"
