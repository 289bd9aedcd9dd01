"""What a repository's history says: its commits, oldest first, and what each of them changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import IO, NamedTuple

from rum.repo.git import GitPlace
from rum.repo.git_process import run_git, stream_git
from rum.repo.patch import Change, changes_of, text, thinned
from rum.settings.home import read_bounded

CHUNK = 1 << 20
LARGE = 8 * CHUNK
"""A commit that prints more than this is thinned out while it is read."""

_SETTINGS = (
    "mailmap.blob=HEAD:.mailmap",
    f"mailmap.file={os.devnull}",
    # What is larger counts as binary: nobody needs its lines, and comparing them takes for ever.
    "core.bigFileThreshold=4m",
)
_FIELDS = "%H%x00%ct%x00%at%x00%P%x00%aN%x00%B%x00"
_COUNT = _FIELDS.count("%x00")
# Nothing that a repository's own configuration asks for may run, or change what is printed.
_DIFF = (
    "-r --root --always -M -l200 -z --raw --no-abbrev --no-ext-diff --no-textconv --ignore-submodules=none"
)
_LINES = "-p -U0 --inter-hunk-context=0 --submodule=short --no-color --diff-algorithm=myers"


class Commit(NamedTuple):
    """A commit as git tells it; `at` is when it came into the history, `authored_at` when it was written."""

    sha: str
    at: int
    authored_at: int
    parents: tuple[str, ...]
    author: str
    message: str


def commits(place: GitPlace) -> Iterator[Commit]:
    """Every commit that HEAD stands on, parents before children; none before the first commit."""
    if run_git(place.git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
        return
    order = ("--date-order", "--reverse", "--encoding=UTF-8")
    with _told(place, "rev-list", *order, f"--format=%x00{_FIELDS}", "HEAD", "--") as printed:
        fields: list[bytes] = []
        for chunk in _pieces(printed, b"\0"):
            fields += chunk
            whole = len(fields) - len(fields) % (_COUNT + 1)
            for start in range(0, whole, _COUNT + 1):
                yield _commit(fields[start + 1 : start + 1 + _COUNT])
            del fields[:whole]


def changed(
    place: GitPlace, shas: Iterable[str], *, lines: bool = True
) -> Iterator[tuple[Commit, list[Change]]]:
    """Some commits with what each changed against its first parent, in the order given.

    `lines` False leaves out which lines, for a clone that does not have the files' contents.
    """
    # Unknown to whoever wrote the files, so nothing in them can pass for the start of a commit.
    mark = os.urandom(16).hex()
    asked = "".join(f"{sha}\n" for sha in shas).encode()
    options = [*_DIFF.split(), *(_LINES.split() if lines else ["-M100%"])]
    arguments = ["diff-tree", "--stdin", *options, "--encoding=UTF-8", f"--format={mark}%x00{_FIELDS}"]
    with _told(place, *arguments, told=asked) as printed:
        for record in _records(printed, mark.encode()):
            _, *fields, rest = record.split(b"\0", _COUNT + 1)
            yield _commit(fields), changes_of(rest)


def touching(place: GitPlace, paths: Iterable[str]) -> set[str]:
    """The commits that changed any of the files, folders or globs."""
    wanted = [":(top)" if path == "." else f":(top,glob){path.rstrip('/')}" for path in paths]
    with _told(place, "rev-list", "--full-history", "HEAD", "--", *wanted) as printed:
        return {line.decode().strip() for line in printed}


def merged_by(place: GitPlace, sha: str, most: int = 200) -> list[str]:
    """The commits a merge brought in; none if they are too many to be one piece of work."""
    found = run_git(place.git_dir, "rev-list", "--no-merges", f"-n{most + 1}", f"{sha}^1..{sha}", "--") or ""
    shas = found.split()
    return shas if len(shas) <= most else []


def in_any_branch(place: GitPlace) -> set[str]:
    """Every commit that a branch, a tag or another ref still holds."""
    with _told(place, "rev-list", "--all", "HEAD", "--") as printed:
        return {line.decode().strip() for line in printed}


def cut_off(place: GitPlace) -> frozenset[str]:
    """Where a shallow clone ends: what these commits changed cannot be known."""
    try:
        return frozenset(read_bounded(os.path.join(place.common_dir, "shallow"), LARGE)[0].decode().split())
    except (OSError, ValueError):
        return frozenset()


def has_contents(place: GitPlace) -> bool:
    """Whether the files' contents are here; a partial clone leaves them with its remote."""
    pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$"
    return run_git(place.git_dir, "config", "--get-regexp", pattern) is None


def _told(
    place: GitPlace, command: str, *arguments: str, told: bytes = b""
) -> AbstractContextManager[IO[bytes]]:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    return stream_git(place.git_dir, *settings, command, *arguments, told=told)


def _pieces(printed: IO[bytes], end: bytes) -> Iterator[list[bytes]]:
    """What is printed, cut after each `end`, a chunk's worth at a time; what follows the last is left out."""
    rest = b""
    while chunk := printed.read(CHUNK):
        *pieces, rest = (rest + chunk).split(end)
        yield pieces


def _records(printed: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """What is printed from one mark to the next."""
    rest = b""
    while chunk := printed.read(CHUNK):
        *whole, rest = (rest + chunk).split(mark)
        yield from filter(None, whole)
        if len(rest) > LARGE and (after := _message_end(rest)):
            rest = thinned(rest, after)
    yield from filter(None, [rest])


def _message_end(record: bytes) -> int:
    """Where what is said of a commit ends and its changes begin; 0 if that is yet to be printed."""
    at = 0
    for _ in range(_COUNT + 1):
        at = record.find(b"\0", at) + 1
        if not at:
            break
    return at


def _commit(fields: list[bytes]) -> Commit:
    sha, at, authored_at, parents, author, message = fields
    return Commit(
        sha.decode(),
        _seconds(at),
        _seconds(authored_at),
        tuple(parents.decode().split()),
        text(author),
        text(message),
    )


def _seconds(told: bytes) -> int:
    """A time; what no clock can have said is the beginning of time."""
    return int(told) if told.isdigit() and len(told) <= 12 else 0
