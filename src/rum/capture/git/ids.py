"""How commits, their authors and their days are called in a memory: the same in every import."""

from __future__ import annotations

import time

from rum.model.ids import id_of
from rum.text.invisible import without_unseen

UNKNOWN = "unknown"
LONGEST = 80


def memory_id(sha: str, at: int, step: int = 0) -> str:
    """The id of a commit's memory: from the commit alone, so that no import can bring it in twice.

    `step` keeps the order of commits made in one second, as a rebase makes them.
    """
    # Half a millisecond more, so that no rounding makes it one less.
    return id_of("mem", f"git {sha}", at + (min(step, 999) + 0.5) / 1000)


def is_memory_of(memory_id_: str, sha: str) -> bool:
    """Whether a memory is that of a commit, and not one that only was stored there."""
    undated = memory_id(sha, 0)
    return memory_id_[-_HASHED:] == undated[-_HASHED:]


_HASHED = 12  # characters at the end of an id that do not depend on its date


def author_name(name: str) -> str:
    """A person's name as an agent's: one line, without an address, which is nobody's business."""
    plain = " ".join(without_unseen(name).replace("/", "-").split())
    return plain.partition("@")[0].strip(" <")[:LONGEST].strip() or UNKNOWN


def author_id(name: str) -> str:
    """The id of an author, by name: people change addresses and keep their names."""
    return id_of("agent", f"git {name.casefold()}")


def session_of(author: str, at: int) -> str:
    """One author's commits of one day: what was done in one go, told from each commit alone."""
    day = time.strftime("%Y%m%d", time.gmtime(at))
    return f"git_{day}_{author[-8:]}"
