"""Make paths of a memory relative to the repository; collect its files with their hashes, and its lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

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

# A word that may be a file, with lines or a symbol. Whoever uses it looks whether there is such a file.
_MENTION = re.compile(
    r"(?<![\w/\\.~@:+\[\]-])(?P<path>(?:\.{1,2}/)?[\w.@+\[\]-]*\w(?:/[\w.@+\[\]-]*\w)*)"
    r"(?:(?P<lines>:\d{1,9}(?:-\d{1,9})?|#L\d{1,9}(?:-L?\d{1,9})?)|(?:#|::)(?P<symbol>[A-Za-z_$][\w$.]*))?"
)
_QUOTED_NAME = re.compile(r"`([A-Za-z_$][\w$.:]{1,100})(?:\(\))?`")
_MAX_MENTIONS = 40  # Words of a text that are looked for among the files

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


class Place(NamedTuple):
    """Lines of a file that a memory names; without a start it is the whole file.

    `added` are lines that an edit added there, if they are known: they tell the place better than numbers.
    """

    path: str
    start: int = 0
    end: int = 0
    added: str = ""


class Mention(NamedTuple):
    """Code that a text names: a file, with lines or a symbol if the text has them."""

    path: str
    start: int = 0
    end: int = 0
    symbol: str = ""


def code_in(text: str) -> list[Mention]:
    """What may be a file in a text, with its lines or symbol; other words are among it."""
    found: list[Mention] = []
    for match in _MENTION.finditer(text):
        path = match["path"].removeprefix("./")
        if "/" not in path and "." not in path:
            continue
        places = _places(path, match["lines"] or "")
        found += [Mention(path, one.start, one.end, match["symbol"] or "") for one in places]
    return list(dict.fromkeys(found))[:_MAX_MENTIONS]


def quoted_names(text: str) -> list[str]:
    """The names of code that a text has in backticks."""
    return list(dict.fromkeys(_QUOTED_NAME.findall(text)))[:_MAX_MENTIONS]


_SPAN = re.compile(r"(?:^|[:,#\s])L?(\d{1,9})(?:-L?(\d{1,9}))?")
_WORK = (Operation.EDIT, Operation.CREATE)


def named_places(actions: Iterable[Action], perception: Perception) -> list[Place]:
    """The code that a memory speaks of: first what it changed, then what it saw; files without lines last."""
    changed: list[Place] = []
    seen: list[Place] = []
    for action in actions:
        operation = OPERATION_OF.get(action.type)
        if not action.details.file_path or operation is Operation.DELETE or operation is None:
            continue
        if action.result is not None and not action.result.success:
            continue  # what was tried there is not there
        path = strip_line(action.details.file_path)
        lines = action.details.lines_affected or action.details.file_path[len(path) :]
        found = changed if operation in _WORK else seen
        found += _with_added(_places(path, lines), action.details.diff_summary or "")
    for file in perception.relevant_files:
        path = strip_line(file.path)
        seen += _places(path, file.path[len(path) :])
    for observation in perception.observations:
        for match in _files_at(observation.where):
            seen += _places(match["path"], match["lines"])
    every = list(dict.fromkeys((*changed, *seen)))
    with_lines = {place.path for place in every if place.start or place.added}
    whole = [place for place in every if place.path not in with_lines]
    return [*(place for place in every if place.start or place.added), *whole]


def _places(path: str, lines: str) -> list[Place]:
    spans = [(int(first), int(last or first)) for first, last in _SPAN.findall(lines)]
    return [Place(path, first, last) for first, last in spans if 0 < first <= last] or [Place(path)]


def _with_added(places: list[Place], diff: str) -> list[Place]:
    """The place of an edit whose new lines are known, instead of the lines that it had then."""
    added = [line[1:] for line in diff.split("\n") if line.startswith("+")]
    if not added or len(added) + sum(line.startswith("-") for line in diff.split("\n")) < diff.count("\n"):
        return places  # it is no diff
    return [Place(places[0].path, places[0].start, places[0].end, "\n".join(added))]


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
