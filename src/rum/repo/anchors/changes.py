"""Which commit changed the code of an anchor.

The versions of its file are compared as the file itself is, so a commit that only formats is not named, as it
would be by `git log -L`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rum.model.anchors import FRESH, GONE, MOVED, Anchor, Freshness
from rum.repo.anchors.check import check_anchor
from rum.repo.anchors.source_file import SourceFile
from rum.repo.contents import read_contents
from rum.repo.git import GitRepository
from rum.repo.git_process import ask_git

MAX_CONTENT = 512 * 1024  # Bytes of a version that is compared
MAX_VERSIONS = 200  # Newest versions of a file that are compared
_BATCH = 8  # Versions that are read at once: mostly the change is among the last ones


class Change(NamedTuple):
    """A commit that changed some code, and the file to which it moved it, if it did."""

    commit: str
    at: int
    subject: str
    moved_to: str = ""


class _Version(NamedTuple):
    commit: str
    at: int
    subject: str
    before: str  # The blob that the commit replaced
    after: str


def find_change(repository: GitRepository, anchor: Anchor, now: Freshness) -> Change | None:
    """The last commit that changed the anchor's code from what it was; None if none is known to."""
    path = now.path if now.state != GONE else anchor.path
    versions = [*_versions(repository, anchor, path)]
    for start in range(0, len(versions), _BATCH):
        batch = versions[start : start + _BATCH]
        blobs = dict.fromkeys(blob for one in batch for blob in (one.after, one.before) if blob.strip("0"))
        contents = dict(read_contents(repository, list(blobs), MAX_CONTENT))
        # A missing content is that of a deleted file, or of one too large to be told.
        has = {blob: _has_code(anchor, data, path) for blob, data in contents.items()}
        for one in batch:
            is_gone = not one.after.strip("0") or has.get(one.after) is False
            if is_gone and has.get(one.before):
                found = Change(one.commit, one.at, one.subject)
                return found._replace(moved_to=_moved_to(repository, anchor, one.commit, path))
    return None


def is_committed(repository: GitRepository, anchor: Anchor, path: str) -> bool:
    """Whether the code is different in HEAD already, not only in the work tree."""
    data = ask_git(repository.git_dir, "cat-file", "blob", f"HEAD:{path}")
    return data is None or not _has_code(anchor, data, path)


def _versions(repository: GitRepository, anchor: Anchor, path: str) -> Iterator[_Version]:
    """What commits made of a file after the anchor's commit, newest first."""
    if not anchor.commit.isalnum():
        return
    printed = ask_git(
        *(repository.git_dir, "log", "--follow", "--topo-order", "--raw", "--no-abbrev"),
        *("--no-ext-diff", "--no-textconv", f"--max-count={MAX_VERSIONS}", "--format=%x00%H%x01%ct%x01%s"),
        *(f"{anchor.commit}..HEAD", "--", f":(top,literal){path}"),
    )
    for entry in (printed or b"").decode("utf-8", "replace").split("\0")[1:]:
        head, _, raw = entry.partition("\n")
        commit, at, subject = head.split("\1", 2)
        changed = [line.split(" ") for line in raw.splitlines() if line.startswith(":")]
        if changed and len(changed[0]) >= 5:
            yield _Version(commit, int(at), subject, changed[0][2], changed[0][3])


def _has_code(anchor: Anchor, data: bytes, path: str) -> bool:
    return check_anchor(anchor, SourceFile(data, path), path).state in (FRESH, MOVED)


def _moved_to(repository: GitRepository, anchor: Anchor, commit: str, path: str) -> str:
    """The other file of the same commit that has the code now; empty if there is none."""
    if not anchor.start:
        return ""
    printed = ask_git(
        *(repository.git_dir, "diff-tree", "-r", "-z", "--no-commit-id", "--no-abbrev", "--diff-filter=AM"),
        *("--no-ext-diff", "--no-textconv", commit),
    )
    fields = (printed or b"").decode("utf-8", "surrogateescape").split("\0")
    ending = path.rpartition(".")[2]
    blobs = {
        head.split(" ")[3]: name
        for head, name in zip(fields[::2], fields[1::2], strict=False)
        if name != path and name.rpartition(".")[2] == ending
    }
    for blob, data in read_contents(repository, list(blobs)[:MAX_VERSIONS], MAX_CONTENT):
        if _has_code(anchor, data, blobs[blob]):
            return blobs[blob]
    return ""
