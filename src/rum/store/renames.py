"""Which files got other names in the work that a memory tells of; the same for every backend."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from rum.model.memory_layers import Action, ActionType

RENAMED_TO = "renamed to "
"""How the deletion of a file says that it has another name now."""
MOST = 1000
"""So many renames of one memory are heeded."""

_LONGEST = 4096
_STEPS = re.compile(r"&&|\|\||[;|\n]")
_UNPLAIN = re.compile(r"[*?\[\]{}$`<>()]")
_OUTSIDE = ("/", "~", "..")


def recorded_renames(actions: Iterable[Action]) -> list[tuple[str, str]]:
    """(earlier name, new name) of the files that actions say were renamed, by a deletion or a plain `mv`."""
    found = (pair for action in actions for pair in _of_action(action))
    return list(islice(dict.fromkeys(found), MOST))


def _of_action(action: Action) -> Iterator[tuple[str, str]]:
    details = action.details
    if action.type is ActionType.FILE_DELETE and details.file_path and details.diff_summary:
        marked, _, path = details.diff_summary.partition(RENAMED_TO)
        if path and not marked:
            yield details.file_path, path
    worked = action.result is None or action.result.success
    if action.type is ActionType.COMMAND_RUN and worked and "mv" in (details.command or ""):
        yield from _of_command(details.command or "", details.working_directory or "")


def _of_command(command: str, folder: str) -> Iterator[tuple[str, str]]:
    """What the steps of a command rename that move one file to one place, both named in plain words."""
    for step in _STEPS.split(command[:_LONGEST]):
        words = _words(step)
        if words[:1] == ["git"]:
            del words[0]
        names = [word for word in words[1:] if not word.startswith("-")]
        if words[:1] == ["mv"] and len(names) == 2:
            before, after = names
            after = after + posixpath.basename(before) if after.endswith("/") else after
            pair = tuple(posixpath.normpath(posixpath.join(folder, name)) for name in (before, after))
            if pair[0] != pair[1] and not any(name.startswith(_OUTSIDE) for name in pair):
                yield pair[0], pair[1]


def _words(step: str) -> list[str]:
    """The words of one step; none if a shell would make other words of them."""
    if _UNPLAIN.search(step):
        return []
    import shlex  # noqa: PLC0415 (slow to load, and hardly any command moves a file)

    try:
        return shlex.split(step)
    except ValueError:  # a quotation that does not end
        return []
