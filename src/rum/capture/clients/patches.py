"""What a patch does to which files, in the notations that clients use."""

from __future__ import annotations

from rum.capture.clients.values import PATH, RAW, as_dict, as_int, as_list, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.capture.events.event import Touched

_BEGINS = {"*** Add File: ": "create", "*** Update File: ": "edit", "*** Delete File: ": "delete"}
_MOVED = "*** Move to: "
_MOST_FILES = 50


def touched(path: str, operation: str, added: Iterable[str] = (), removed: Iterable[str] = ()) -> Touched:
    """A file with the lines that were put in and taken out."""
    one: Touched = {"path": path[:PATH], "operation": operation}  # pyright: ignore[reportAssignmentType]
    if new := "\n".join(added)[:RAW]:
        one["added"] = new
    if old := "\n".join(removed)[:RAW]:
        one["removed"] = old
    return one


def enveloped(patch: str) -> list[Touched]:
    """The files of a patch between `*** Begin Patch` and `*** End Patch`."""
    found: list[Touched] = []
    path, operation, added, removed = "", "", list[str](), list[str]()

    def close() -> None:
        if path and len(found) < _MOST_FILES:
            found.append(touched(path, operation, added, removed))

    for line in patch.splitlines():
        begins = next((mark for mark in _BEGINS if line.startswith(mark)), None)
        if begins:
            close()
            path, operation, added, removed = line[len(begins) :].strip(), _BEGINS[begins], [], []
        elif line.startswith(_MOVED):
            # The old name goes, the new one has what follows.
            found.append(touched(path, "delete"))
            path, operation = line[len(_MOVED) :].strip(), "create"
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
    close()
    return found


def hunked(path: str, operation: str, hunks: object) -> Touched:
    """A file with the hunks of a structured patch: where each begins, and its lines with + and - in front."""
    tables = [as_dict(hunk) for hunk in as_list(hunks)]
    lines = [text(line, RAW) for hunk in tables for line in as_list(hunk.get("lines"))]
    one = touched(
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
    before = sum(mark != "-" for mark in lines[: changed[0]])
    within = sum(mark != "-" for mark in lines[changed[0] : changed[-1] + 1])
    return _range(start + before, max(1, within))


def _range(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def read_lines(first: object, count: object) -> str | None:
    """The lines that were read, as a range."""
    start, length = as_int(first), as_int(count)
    return None if start is None or length is None or length < 1 else _range(start, length)
