"""Make paths of a memory relative to the repository, and collect its files with their content hashes."""

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
# `n/a` and addresses such as `https://…` are no files, though they have a slash.
_FILE = re.compile(
    rf"(?!\w+://|(?i:n/a)$)(?P<path>(?={_CHAR}*[/\\]|{_CHAR}*{_EXTENSION}(?:[:#]|$)){_CHAR}+?){_LINES}"
)
# In prose only a word with both a folder and an extension is certainly a file.
_FILE_IN_PROSE = re.compile(
    rf"(?<![\w:/\\.~@+\[\]-])(?P<path>[~\w.@+\[\]-]*(?:[/\\][\w.@+\[\]-]+)+{_EXTENSION}){_LINES}(?![\w/\\])"
)

Relative = Callable[[str], str]  # A function that makes a path relative to the repository


def relative_actions(draft: Draft, stored_at: int, relative: Relative) -> tuple[Action, ...]:
    """The actions in their stored form, with paths relative to the repository."""
    actions = (action.normalized(stored_at) for action in draft.actions)
    return tuple(_with_path(action, relative) for action in actions)


def _with_path(action: Action, relative: Relative) -> Action:
    details = action.details
    if details.file_path:
        details = replace(details, file_path=relative(details.file_path))
    if details.working_directory:
        details = replace(details, working_directory=relative(details.working_directory))
    return replace(action, details=details)


def relative_perception(perception: Perception, relative: Relative) -> Perception:
    """The perception with paths relative to the repository; a `where` that is no file is unchanged."""
    if not perception.observations and not perception.relevant_files:
        return perception
    observations = tuple(
        replace(one, where=_with_paths(one.where, relative)) for one in perception.observations
    )
    files = tuple(replace(file, path=relative(file.path)) for file in perception.relevant_files)
    return replace(perception, observations=observations, relevant_files=files)


def _with_paths(where: str, relative: Relative) -> str:
    # From the end, as replacing a path shifts the offsets after it.
    for place in reversed(_files_at(where)):
        where = where[: place.start("path")] + relative(place["path"]) + where[place.end("path") :]
    return where


def _files_at(where: str) -> list[re.Match[str]]:
    """The files that a `where` names: it is a file, with or without a line, or a text that names some."""
    alone = _FILE.fullmatch(where)
    return [alone] if alone else list(_FILE_IN_PROSE.finditer(where))


def collect_files(
    actions: Iterable[Action], perception: Perception, content: Callable[[str], str | None]
) -> tuple[FileRef, ...]:
    """Return the files that a memory names, each once, with the strongest operation on it."""
    strongest: dict[str, Operation] = {}
    for path, operation in [*_action_files(actions), *_perceived_files(perception)]:
        if path in (".", "..") or path.startswith("../"):
            continue  # a folder, or unknown without the root of a checkout
        known = strongest.get(path, Operation.READ)
        strongest[path] = max(known, operation, key=_STRENGTH.__getitem__)
    return tuple(FileRef(path, operation, content(path)) for path, operation in sorted(strongest.items()))


def _action_files(actions: Iterable[Action]) -> Iterable[tuple[str, Operation]]:
    for action in actions:
        if action.details.file_path:
            yield strip_line(action.details.file_path), OPERATION_OF.get(action.type, Operation.READ)


def _perceived_files(perception: Perception) -> Iterable[tuple[str, Operation]]:
    for file in perception.relevant_files:
        yield strip_line(file.path), Operation.READ
    for observation in perception.observations:
        for place in _files_at(observation.where):
            yield place["path"], Operation.READ
