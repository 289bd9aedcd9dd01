"""What an anchor is: the piece of code that a memory speaks of, as it was; and what it is today.

Hooks load this module, so it imports little.
"""

from __future__ import annotations

import json
from collections import namedtuple
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple

    class Anchor(NamedTuple):
        """A span of lines of a file as it was.

        All hashes are of normalised lines: without spacing and comments, and empty ones left out.
        """

        path: str
        blob: str  # The start of git's id of the file's content
        start: int  # The first line; 0 for the whole file
        end: int
        symbol: str  # The function or class around it, as far as it can be told
        commit: str  # What HEAD was then; empty if not known
        line_count: int  # Its normalised lines
        byte_count: int  # Their bytes
        repeated: bool  # Whether the file had the same lines elsewhere, too
        text_hash: bytes  # Of all lines together
        lines: bytes  # The hashes of its lines; of a long span those of some lines at even distances
        before: bytes  # The hashes of lines before it, the nearest first
        after: bytes  # The hashes of lines after it, the nearest first

    class Freshness(NamedTuple):
        """What became of the code of a memory: see `STATES`."""

        state: str
        path: str = ""  # Where the code is now, or was
        start: int = 0
        end: int = 0
        share: float = 0.0  # How much of it changed, from 0 to 1
        unmerged: str = ""  # The branch of work that is not in the checkout, `tag NAME`, or `abandoned`
        since: str = ""  # The commit that changed it, with its date and subject

else:
    # `typing` is slow to load.
    Anchor = namedtuple(
        "Anchor",
        (
            *("path", "blob", "start", "end", "symbol", "commit", "line_count", "byte_count", "repeated"),
            *("text_hash", "lines", "before", "after"),
        ),
    )
    Freshness = namedtuple(
        "Freshness",
        ("state", "path", "start", "end", "share", "unmerged", "since"),
        defaults=("", 0, 0, 0.0, "", ""),
    )

FRESH = "fresh"  # The same code at the same place
MOVED = "moved"  # The same code at another place
CHANGED = "changed"  # The place is there, but some of the code is different
GONE = "gone"  # Nothing of the code is left
UNKNOWN = "unknown"  # No anchor, no checkout, or a file that cannot be compared
STATES = (FRESH, MOVED, CHANGED, GONE, UNKNOWN)

HASH_BYTES = 4  # Of a line
BLOB_LENGTH = 16  # Characters of a content's id: enough to tell the contents of one file apart
NO_ANSWER = Freshness(UNKNOWN)
_FORMAT = 1


def place(path: str, start: int, end: int) -> str:
    """A place in a file, as people write it."""
    if not start:
        return path
    return f"{path}:{start}" if end <= start else f"{path}:{start}-{end}"


def remark(state: object) -> str:
    """What must be said of code in this state, in a few words; empty for code that is what it was."""
    return "code changed since" if state == CHANGED else "code gone since" if state == GONE else ""


def add_label(text: str, state: object, unmerged: object = None) -> str:
    """A text about code, with a remark if that code is not what it was, or not in the checkout."""
    label = remark(state)
    if unmerged:
        name = str(unmerged)  # a branch has no space in its name
        where = name if name.startswith("tag ") else f"branch {name}"
        label = "branch abandoned" if name == "abandoned" else f"only on {where}"
    return f"{text} ({label})" if label else text


def text_mark(text: str) -> str:
    """What tells a text from an earlier one with the same name."""
    data = text.encode("utf-8", "replace")
    return f"{crc32(data):08x}{len(data):x}"


def encode(anchors: Sequence[Anchor]) -> bytes:
    """Anchors in the form in which a store keeps them: JSON in the first line, then the hashes."""
    heads: list[object] = [_FORMAT, anchors[0].commit if anchors else ""]
    hashes: list[bytes] = []
    for one in anchors:
        heads.append(
            [
                *(one.path, one.blob, one.start, one.end, one.symbol, one.line_count, one.byte_count),
                *(int(one.repeated), one.text_hash.hex()),
                *(len(part) // HASH_BYTES for part in (one.lines, one.before, one.after)),
            ]
        )
        hashes += (one.lines, one.before, one.after)
    text = json.dumps(heads, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n" + b"".join(hashes)


def decode(data: bytes) -> list[Anchor]:
    """The anchors in a store's row; none if it is damaged or of another format."""
    head, _, hashes = data.partition(b"\n")
    try:
        version, commit, *heads = json.loads(head.decode("utf-8", "surrogatepass"))
        if version != _FORMAT:
            return []
        at, anchors = 0, list[Anchor]()
        for path, blob, start, end, symbol, count, length, repeated, text_hash, *sizes in heads:
            parts: list[bytes] = []
            for size in sizes:
                parts.append(hashes[at : at + size * HASH_BYTES])
                at += size * HASH_BYTES
            fields = (path, blob, start, end, symbol, commit, count, length, bool(repeated))
            anchors.append(Anchor(*fields, bytes.fromhex(text_hash), *parts))
    except (TypeError, ValueError):
        return []
    return anchors if at == len(hashes) else []


def combine(found: Iterable[tuple[Anchor, Freshness]]) -> Freshness:
    """The freshness of a memory with several anchors, with the place of the one that changed most.

    Anchors that cannot be compared do not count, unless there is no other.
    """
    known = [(anchor, one) for anchor, one in found if one.state != UNKNOWN]
    if not known:
        return NO_ANSWER
    worst = max((one for _, one in known), key=lambda one: (STATES.index(one.state), one.share))
    if worst.state in (FRESH, MOVED):
        return worst
    sizes = [max(1, anchor.line_count) for anchor, _ in known]
    lost = sum(size * one.share for size, (_, one) in zip(sizes, known, strict=True))
    state = GONE if all(one.state == GONE for _, one in known) else CHANGED
    return worst._replace(state=state, share=round(min(1.0, lost / sum(sizes)), 2))
