"""Which commits a repository holds in its own object store: what it borrows from others proves nothing."""

from __future__ import annotations

import os
import re

from rum.repo.git import COMMIT_PATTERN
from rum.repo.git_process import ask_git, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rum.repo.git import GitRepository

MAX_COMMITS = 400  # Maximum number of commits that are looked up in a repository
_MAX_CHECKED = 3  # Of those found, how many are read to check them


def holds_any(repository: GitRepository, commits: Iterable[str]) -> bool:
    """Whether the repository's own object store holds one of these commits.

    Objects borrowed through `alternates` or symbolic links do not count: a folder that somebody else made
    could name any repository on this machine. The content of a commit is checked against its id.
    """
    wanted = [sha for sha in dict.fromkeys(commits) if re.fullmatch(COMMIT_PATTERN, sha)][:MAX_COMMITS]
    objects = os.path.join(repository.common_dir, "objects")
    if not wanted or _has_links(objects):
        return False
    wanted = [sha for sha in wanted if not os.path.islink(os.path.join(objects, sha[:2], sha[2:]))]
    if not os.path.lexists(os.path.join(objects, "info", "alternates")):
        return _holds_any(repository, wanted, None)
    import tempfile  # noqa: PLC0415 (rarely needed)

    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in {"pack", *(sha[:2] for sha in wanted)}:
                if os.path.isdir(os.path.join(objects, name)):
                    os.symlink(os.path.join(objects, name), os.path.join(folder, name))
            return _holds_any(repository, wanted, folder)
    except OSError:
        return False


def newest_commits(repository: GitRepository) -> list[str]:
    """The newest commits on all branches."""
    printed = run_git(repository.git_dir, "rev-list", "--all", f"--max-count={MAX_COMMITS - 1}", "--")
    return (printed or "").split()


def _has_links(objects: str) -> bool:
    """Whether the store, its folders or its packs are symbolic links."""
    if os.path.islink(objects):
        return True
    try:
        folders = (objects, os.path.join(objects, "pack"), os.path.join(objects, "info"))
        return any(_any_link(folder) for folder in folders if os.path.isdir(folder))
    except OSError:
        return True


def _any_link(folder: str) -> bool:
    with os.scandir(folder) as entries:
        return any(entry.is_symlink() for entry in entries)


def _holds_any(repository: GitRepository, commits: list[str], objects: str | None) -> bool:
    form = "--batch-check=%(objectname) %(objecttype)"
    question = "".join(f"{sha}\n" for sha in commits).encode()
    printed = ask_git(repository.git_dir, "cat-file", form, question=question, objects=objects) or b""
    found = [line[: -len(b" commit")] for line in printed.split(b"\n") if line.endswith(b" commit")]
    if not found:
        return False
    question = b"".join(sha + b"\n" for sha in found[:_MAX_CHECKED])
    content = ask_git(repository.git_dir, "cat-file", "--batch", question=question, objects=objects)
    return any(_is_genuine(sha, data) for sha, data in _objects(content or b""))


def _objects(printed: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield (id, content) of the objects in the output of `git cat-file --batch`."""
    at = 0
    while header := re.compile(rb"([0-9a-f]+) commit (\d+)\n").match(printed, at):
        end = header.end() + int(header[2])
        yield header[1].decode(), printed[header.end() : end]
        at = end + 1


def _is_genuine(sha: str, content: bytes) -> bool:
    """Whether the id is the hash of the content: anyone can name a file after a commit."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which a known repository does not need)

    make = hashlib.sha1 if len(sha) == 40 else hashlib.sha256
    return make(b"commit %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == sha
