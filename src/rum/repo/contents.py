"""Read the contents of files from git's objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO

from rum.repo.git import GitRepository
from rum.repo.git_process import ask_git, stream_git


def read_contents(repository: GitRepository, ids: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
    """(id, content) of those blobs that there are and that have at most `limit` bytes, in their order."""
    small = _small(repository, ids, limit)
    if not small:
        return
    question = "".join(f"{one}\n" for one in small).encode()
    with stream_git(repository.git_dir, "cat-file", "--batch", "--buffer", stdin=question) as printed:
        for one in small:
            yield one, _content(printed)


def _small(repository: GitRepository, ids: Sequence[str], limit: int) -> list[str]:
    question = "".join(f"{one}\n" for one in ids).encode()
    form = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    printed = ask_git(repository.git_dir, "cat-file", form, "--buffer", question=question) or b""
    rows = [line.split() for line in printed.splitlines()]
    small = {row[0].decode() for row in rows if len(row) == 3 and row[1] == b"blob" and int(row[2]) <= limit}
    return [one for one in dict.fromkeys(ids) if one in small]


def _content(printed: IO[bytes]) -> bytes:
    size = int(printed.readline().split()[2])
    data = printed.read(size)
    printed.read(1)
    return data
