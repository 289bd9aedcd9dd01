"""Read patches in the formats that clients use: which files are changed, and how."""

from __future__ import annotations

from rum.capture.clients.values import MAX_PATH, MAX_RAW, as_dict, as_int, as_list, text
from rum.capture.events.event import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.capture.events.event import FileAccess

_HEADERS = {"*** Add File: ": "create", "*** Update File: ": "edit", "*** Delete File: ": "delete"}
_MOVED = "*** Move to: "
_MAX_FILES = 50


def file_access(
    path: str, operation: str, added: Iterable[str] = (), removed: Iterable[str] = ()
) -> FileAccess:
    """A file with the lines added and removed."""
    one = cast("FileAccess", {"path": path[:MAX_PATH], "operation": operation})
    if new := "\n".join(added)[:MAX_RAW]:
        one["added"] = new
    if old := "\n".join(removed)[:MAX_RAW]:
        one["removed"] = old
    return one


def files_of_patch(patch: str) -> list[FileAccess]:
    """The files of a patch between `*** Begin Patch` and `*** End Patch`."""
    found: list[FileAccess] = []
    path, operation, added, removed = "", "", list[str](), list[str]()

    def close() -> None:
        if path and len(found) < _MAX_FILES:
            found.append(file_access(path, operation, added, removed))

    for line in patch.splitlines():
        header = next((mark for mark in _HEADERS if line.startswith(mark)), None)
        if header:
            close()
            path, operation, added, removed = line[len(header) :].strip(), _HEADERS[header], [], []
        elif line.startswith(_MOVED):
            # The old name is deleted; the lines that follow belong to the new one.
            found.append(file_access(path, "delete"))
            path, operation = line[len(_MOVED) :].strip(), "create"
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
    close()
    return found


def file_of_hunks(path: str, operation: str, hunks: object) -> FileAccess:
    """A file from the hunks of a structured patch: the start of each, and its lines with + or - in front."""
    tables = [as_dict(hunk) for hunk in as_list(hunks)]
    lines = [text(line, MAX_RAW) for hunk in tables for line in as_list(hunk.get("lines"))]
    one = file_access(
        path,
        operation,
        [line[1:] for line in lines if line.startswith("+")],
        [line[1:] for line in lines if line.startswith("-")],
    )
    if spans := [span for hunk in tables if (span := _span(hunk))]:
        one["lines"] = ", ".join(spans[:10])
    return one


def _span(hunk: dict[str, object]) -> str | None:
    """The lines of a hunk that were changed, without those around them."""
    start = as_int(hunk.get("newStart"))
    lines = [text(line, 1) for line in as_list(hunk.get("lines"))]
    changed = [at for at, mark in enumerate(lines) if mark in ("+", "-")]
    if start is None or not changed:
        return None
    # Removed lines do not count: positions are those of the new file.
    before = sum(mark != "-" for mark in lines[: changed[0]])
    within = sum(mark != "-" for mark in lines[changed[0] : changed[-1] + 1])
    return line_range(start + before, max(1, within))


def line_range(first: int, count: int) -> str:
    """Lines as `12-20`, or `12` for a single one."""
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def read_lines(first: object, count: object) -> str | None:
    """The lines that were read, as a range; None where that is unknown."""
    start, length = as_int(first), as_int(count)
    return None if start is None or length is None or length < 1 else line_range(start, length)
