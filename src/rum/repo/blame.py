"""Who last changed each line of a file, as git tells it; moved and reindented lines are followed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from rum.repo.git import GitRepository
from rum.repo.git_process import ask_git
from rum.settings.home import read_bounded

IGNORED_COMMITS = ".git-blame-ignore-revs"  # A list that forges and editors honour too
_MAX_FILE = 4 * 1024 * 1024  # Bytes of that file
_MAX_IGNORED = 64 * 1024  # Bytes of it that count
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HEADER = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?) (\d+) (\d+)(?: \d+)?")


class BlamedLines(NamedTuple):
    """The lines of a range that one commit changed last; without a commit they are not committed yet."""

    sha: str
    author: str
    at: int  # Author time, in Unix seconds
    subject: str
    lines: tuple[int, ...]
    path: str = ""  # The file in that commit
    numbers: tuple[int, ...] = ()  # Of each line, its number in that commit
    texts: tuple[str, ...] = ()  # Of each line, what it is now

    @property
    def committed(self) -> bool:
        """Whether any commit has these lines."""
        return self.sha.strip("0") != ""


def blame(
    repository: GitRepository,
    path: str,
    first: int,
    last: int,
    content: bytes | None,
    *,
    ignored: Sequence[str] = (),
    around: int = 0,
) -> list[BlamedLines] | None:
    """The commits that last changed the lines of a file, those with the most lines first.

    `content` is the file as it is now, with changes that are not committed; None means as in HEAD. `ignored`
    are commits whose changes count as those of the commits before them. Git follows moved blocks, but not
    single short lines: `around` is the number of lines on both sides that it gets too. None if git fails.
    """
    lines = f"-L{max(1, first - around)},{last + around}"
    options = ["--porcelain", "-w", "-M", "-C", "--no-textconv", lines]
    options += [f"--ignore-rev={sha}" for sha in (*ignored, *_listed(repository))]
    where = ["HEAD"] if content is None else ["--contents", "-"]
    # From the root, as the user's setting `blame.ignoreRevsFile` may be relative to it.
    command = ("-C", repository.root, "blame", *options, *where, "--", path)
    printed = ask_git(repository.git_dir, *command, question=content or b"")
    return None if printed is None else _parse(printed, first, last)


def _listed(repository: GitRepository) -> list[str]:
    """The commits that the repository asks to be ignored, as far as it has them."""
    try:
        # The repository may have a link to a pipe or a terminal in its place.
        data, _ = read_bounded(os.path.join(repository.root, IGNORED_COMMITS), _MAX_FILE)
    except (OSError, ValueError):
        return []
    text = data[:_MAX_IGNORED].decode("utf-8", "replace")
    shas = [word for line in text.splitlines() if _SHA.fullmatch(word := line.partition("#")[0].strip())]
    question = "".join(f"{sha}\n" for sha in shas).encode()
    known = ask_git(repository.git_dir, "cat-file", "--batch-check=%(objecttype)", question=question)
    kinds = (known or b"").decode().splitlines()
    return [sha for sha, kind in zip(shas, kinds, strict=False) if kind == "commit"]


def _parse(printed: bytes, first: int, last: int) -> list[BlamedLines]:
    lines: dict[str, list[tuple[int, int, str]]] = {}
    about: dict[str, dict[str, str]] = {}
    sha, before, number = "", 0, 0
    for line in printed.split(b"\n"):
        if line.startswith(b"\t"):
            if first <= number <= last:
                text = line[1:].decode("utf-8", "replace")
                lines.setdefault(sha, []).append((number, before, text))
        elif found := _HEADER.fullmatch(line):
            sha, before, number = found[1].decode(), int(found[2]), int(found[3])
        elif sha:
            key, _, value = line.decode("utf-8", "replace").partition(" ")
            about.setdefault(sha, {}).setdefault(key, value)
    blamed = [
        BlamedLines(
            sha,
            about.get(sha, {}).get("author", ""),
            _number(about.get(sha, {}).get("author-time", "")),
            about.get(sha, {}).get("summary", ""),
            tuple(number for number, _, _ in found),
            about.get(sha, {}).get("filename", ""),
            tuple(before for _, before, _ in found),
            tuple(text for _, _, text in found),
        )
        for sha, found in lines.items()
    ]
    return sorted(blamed, key=lambda one: (-len(one.lines), -one.at))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() else 0
