"""Check anchors against a file as it is now."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice
from zlib import crc32

from rum.model.anchors import CHANGED, FRESH, GONE, HASH_BYTES, MOVED, Freshness
from rum.repo.anchors.make import MIN_CONTEXT_LENGTH, sample
from rum.repo.anchors.source_file import hash_text, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rum.model.anchors import Anchor
    from rum.repo.anchors.source_file import SourceFile

_MAX_EQUAL = 40  # Places of one line that vote: a line such as `}` tells nothing
_MAX_CANDIDATES = 12  # Places that are compared with a span
_NEAR = 5000  # Lines around its place in which a span with other line breaks is looked for
_MAX_HASHED = 4_000_000  # Bytes that are hashed for it
_NEAR_LINES = 12  # Lines around its place in which a span within lines is looked for
_MAX_REACH = 1000  # Bytes before and behind its place at which it may begin
_MAX_HASHED_WITHIN = 400_000  # Bytes that are hashed for it on each side
_CONTEXT_WEIGHT = 0.5
_CONTEXT_REACH = 14  # Lines beside a span in which its context is looked for
_SHORT = 24  # Bytes below which code that stands in several places is no evidence without its context
_TINY = 8  # Bytes below which no code is


def check_anchor(anchor: Anchor, file: SourceFile, path: str) -> Freshness:
    """What became of an anchor's code in a file, which may have another name by now."""
    starts = _votes(anchor, file)
    nearest = sorted(starts, key=lambda at: (-starts[at], abs(_line(file, at) - anchor.start)))
    candidates = [(at, at + anchor.line_count) for at in nearest[:_MAX_CANDIDATES]]
    intact = _intact(anchor, file, candidates) or _intact(anchor, file, _equally_long(anchor, file))
    intact = intact or _within_lines(anchor, file, nearest[0] if nearest else None)
    if intact:
        return _found(anchor, file, path, *intact)
    return _different(anchor, file, path, nearest[0] if nearest else None)


def _votes(anchor: Anchor, file: SourceFile) -> dict[int, float]:
    """The positions where the span may begin: each line that is still there votes for one."""
    votes: dict[int, float] = {}
    positions, count = file.positions, anchor.line_count
    voters = [(one, at, 1.0) for one, at in zip(unpack(anchor.lines), sample(count), strict=False)]
    voters += [(one, -1 - at, _CONTEXT_WEIGHT) for at, one in enumerate(unpack(anchor.before))]
    voters += [(one, count + at, _CONTEXT_WEIGHT) for at, one in enumerate(unpack(anchor.after))]
    for one, offset, weight in voters:
        places = positions.get(one, ())
        if len(places) <= _MAX_EQUAL:
            for at in places:
                votes[at - offset] = votes.get(at - offset, 0.0) + weight / len(places)
    if not votes:  # all lines are common ones
        first = unpack(anchor.lines[:4])[0]
        votes = dict.fromkeys(positions.get(first, ()), 0.0)
    return {max(0, at): weight for at, weight in votes.items()}


def _line(file: SourceFile, at: int) -> int:
    numbers = file.numbers
    return numbers[min(at, len(numbers) - 1)] if numbers else 0


def _intact(
    anchor: Anchor, file: SourceFile, candidates: Iterable[tuple[int, int]]
) -> tuple[int, int] | None:
    """The best of the ranges that hold exactly the span's code.

    Code that also stands elsewhere is only the same code with some of its context.
    """
    found = [
        (_context_found(anchor, file, first, last), -abs(file.numbers[first] - anchor.start), (first, last))
        for first, last in candidates
        if last <= len(file.codes) and hash_text(file.codes[first:last]) == anchor.text_hash
    ]
    if not found:
        return None
    support, _, best = max(found)
    is_common = (
        anchor.repeated or anchor.byte_count < _TINY or (anchor.byte_count < _SHORT and len(found) > 1)
    )
    return None if is_common and not support and (anchor.before or anchor.after) else best


def _equally_long(anchor: Anchor, file: SourceFile) -> list[tuple[int, int]]:
    """The ranges of lines as long as the span: a formatter breaks the same code into other lines."""
    ends, line_at, length = file.ends, file.line_at, anchor.byte_count
    middle = bisect_left(file.numbers, anchor.start)
    near = range(max(0, middle - _NEAR), min(len(ends), middle + _NEAR))
    found = ((at, line_at[ends[at] + length]) for at in near if ends[at] + length in line_at)
    # Of a hostile file each line may be one; no more is hashed than of any large file.
    return list(islice(found, 1 + _MAX_HASHED // max(1, length)))


def _within_lines(anchor: Anchor, file: SourceFile, best: int | None) -> tuple[int, int] | None:
    """The range of lines that holds the span, if it begins or ends within a line by now.

    A formatter that joins and breaks lines does that. It is looked for near the place with most votes.
    """
    length, text, ends = anchor.byte_count, file.text, file.ends
    if best is None:
        best = bisect_left(file.numbers, anchor.start)
    if not anchor.start or length < _TINY or not text:
        return None
    middle = ends[min(best, len(ends) - 1)]
    reach = min(_MAX_REACH, 1 + _MAX_HASHED_WITHIN // length)
    begin = max(middle - reach, ends[max(0, best - _NEAR_LINES)])
    end = min(middle + reach, ends[min(len(ends) - 1, best + _NEAR_LINES)])
    wanted, view = int.from_bytes(anchor.text_hash[:4], "big"), memoryview(text)
    for at in range(begin, min(end, len(text) - length + 1)):
        if (
            crc32(view[at : at + length]) == wanted
            and hash_text((text[at : at + length],)) == anchor.text_hash
        ):
            first, last = bisect_right(ends, at) - 1, bisect_left(ends, at + length)
            is_certain = length >= _SHORT and not anchor.repeated
            return (first, last) if is_certain or _context_found(anchor, file, first, last) else None
    return None


def _context_found(anchor: Anchor, file: SourceFile, first: int, last: int) -> int:
    """How many of the lines that were beside the span are beside this place."""
    hashes = file.hashes
    above = set(hashes[max(0, first - _CONTEXT_REACH) : first])
    below = set(hashes[last : last + _CONTEXT_REACH])
    return sum(one in above for one in unpack(anchor.before)) + sum(
        one in below for one in unpack(anchor.after)
    )


def _is_deleted(anchor: Anchor, file: SourceFile, best: int) -> bool:
    """Whether what stood before and behind the span stands side by side now."""
    before, after = unpack(anchor.before[:HASH_BYTES]), unpack(anchor.after[:HASH_BYTES])
    places = file.positions.get(before[0], []) if before else [-1]
    if not places:
        return False
    following = min(places, key=lambda at: abs(at + 1 - best)) + 1
    codes = file.codes
    while following < len(codes) and len(codes[following]) < MIN_CONTEXT_LENGTH:
        following += 1
    return file.hashes[following : following + 1] == after


def _found(anchor: Anchor, file: SourceFile, path: str, first: int, last: int) -> Freshness:
    start, end = file.numbers[first], file.numbers[last - 1]
    if not anchor.start:
        return Freshness(FRESH if path == anchor.path else MOVED, path)
    # The anchor's own lines may begin and end with empty ones or comments.
    is_there = path == anchor.path and anchor.start <= start <= end <= anchor.end
    return Freshness(FRESH if is_there else MOVED, path, start, end)


def _different(anchor: Anchor, file: SourceFile, path: str, best: int | None) -> Freshness:
    """How much of the span is left near the place with most votes, or anywhere for a whole file."""
    kept, count = unpack(anchor.lines), anchor.line_count
    if best is None or not file.codes:
        return Freshness(GONE, anchor.path, anchor.start, anchor.end, 1.0)
    first, last = (max(0, best - count), best + 2 * count) if anchor.start else (0, len(file.codes))
    near = set(file.hashes[first:last])
    share = sum(one not in near for one in kept) / len(kept)
    end = min(best + count, len(file.codes))
    if share == 1 and (not _context_found(anchor, file, best, end) or _is_deleted(anchor, file, best)):
        return Freshness(GONE, anchor.path, anchor.start, anchor.end, 1.0)
    # Without a missing line, others were added between them, or they are in another order.
    share = max(round(share, 2), 0.01)
    if not anchor.start:
        return Freshness(CHANGED, path, 0, 0, share)
    return Freshness(CHANGED, path, _line(file, best), _line(file, end - 1), share)
