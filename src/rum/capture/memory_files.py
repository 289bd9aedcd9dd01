"""From what an agent says it did to what is kept: paths made relative, files tied to their content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from rum.model.memory import OPERATION_OF, Draft, FileRef, Operation
from rum.model.memory_layers import Action, Perception
from rum.repo.files import strip_line

_STRENGTH = {operation: rank for rank, operation in enumerate(Operation)}
_LINES = r"(?P<lines>(?::\d{1,9}(?:[-:,]\d{1,9}){0,9}|#L\d{1,9}(?:-L?\d{1,9})?)?)"
_EXTENSION = r"\.[A-Za-z]\w{0,7}"
_CHAR = r"[^\s\x00-\x1f\x7f]"
_FILE = re.compile(
    rf"(?!\w+://|(?i:n/a)$)(?P<path>(?={_CHAR}*[/\\]|{_CHAR}*{_EXTENSION}(?:[:#]|$)){_CHAR}+?){_LINES}"
)
# In prose only what has both a folder and an extension is surely a file.
_FILE_IN_PROSE = re.compile(
    rf"(?<![\w:/\\.~@+\[\]-])(?P<path>[~\w.@+\[\]-]*(?:[/\\][\w.@+\[\]-]+)+{_EXTENSION}){_LINES}(?![\w/\\])"
)

Relative = Callable[[str], str]
"""A path as the repository knows it."""


def settled_actions(draft: Draft, stored_at: int, relative: Relative) -> tuple[Action, ...]:
    """The actions in their one form, with paths relative to the repository."""
    actions = (action.settled(stored_at) for action in draft.actions)
    return tuple(_with_path(action, relative) for action in actions)


def _with_path(action: Action, relative: Relative) -> Action:
    details = action.details
    if details.file_path:
        details = replace(details, file_path=relative(details.file_path))
    if details.working_directory:
        details = replace(details, working_directory=relative(details.working_directory))
    return replace(action, details=details)


def settled_perception(perception: Perception, relative: Relative) -> Perception:
    """What was observed, with paths relative to the repository; a `where` that is no file stays as it is."""
    if not perception.observations and not perception.relevant_files:
        return perception
    observations = tuple(
        replace(seen, where=_with_paths(seen.where, relative)) for seen in perception.observations
    )
    files = tuple(replace(file, path=relative(file.path)) for file in perception.relevant_files)
    return replace(perception, observations=observations, relevant_files=files)


def _with_paths(where: str, relative: Relative) -> str:
    for place in reversed(_files_at(where)):
        where = where[: place.start("path")] + relative(place["path"]) + where[place.end("path") :]
    return where


def _files_at(where: str) -> list[re.Match[str]]:
    """The files a place names: it is one, with or without a line, or it speaks of some."""
    alone = _FILE.fullmatch(where)
    return [alone] if alone else list(_FILE_IN_PROSE.finditer(where))


def tied_files(
    actions: Iterable[Action], perception: Perception, content: Callable[[str], str | None]
) -> tuple[FileRef, ...]:
    """Every file a memory names, once, with the strongest thing that was done to it."""
    strongest: dict[str, Operation] = {}
    for path, operation in [*_acted_on(actions), *_looked_at(perception)]:
        known = strongest.get(path, Operation.READ)
        strongest[path] = max(known, operation, key=_STRENGTH.__getitem__)
    return tuple(FileRef(path, operation, content(path)) for path, operation in sorted(strongest.items()))


def _acted_on(actions: Iterable[Action]) -> Iterable[tuple[str, Operation]]:
    for action in actions:
        if action.details.file_path:
            yield strip_line(action.details.file_path), OPERATION_OF.get(action.type, Operation.READ)


def _looked_at(perception: Perception) -> Iterable[tuple[str, Operation]]:
    for file in perception.relevant_files:
        yield strip_line(file.path), Operation.READ
    for seen in perception.observations:
        for place in _files_at(seen.where):
            yield place["path"], Operation.READ
