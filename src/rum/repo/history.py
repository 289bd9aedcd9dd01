"""Read a repository's history from git: its commits, oldest first, and the changes of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import IO, NamedTuple

from rum.repo.git import GitRepository
from rum.repo.git_process import GitFailed, run_git, stream_git
from rum.settings.home import read_bounded

CHUNK = 1 << 20
# Bytes of one commit's output above which the lines of its patch are dropped while it is read.
LARGE = 8 * CHUNK

_SETTINGS = (
    "mailmap.blob=HEAD:.mailmap",
    f"mailmap.file={os.devnull}",
    # Larger files count as binary: their lines are not needed, and comparing them takes too long.
    "core.bigFileThreshold=4m",
)
_FIELDS = "%H%x00%ct%x00%at%x00%P%x00%aN%x00%B%x00"
_FIELD_COUNT = _FIELDS.count("%x00")
# The repository's own configuration must not run programs or change the output.
_DIFF_OPTIONS = (
    "-r --root --always -M -l200 -z --raw --no-abbrev --no-ext-diff --no-textconv --ignore-submodules=none"
)
_PATCH_OPTIONS = "-p -U0 --inter-hunk-context=0 --submodule=short --no-color --diff-algorithm=myers"
_FILE = b"diff --git "
_HUNK = b"@@ "
_HEADERS = (_HUNK, _FILE)
_HUNK_HEADER = re.compile(rb"@@ -(?:\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_REGULAR_MODES = (b"100644", b"100755")
_SUBMODULE_MODE = b"160000"
_SHA1_LENGTH = 40


class Commit(NamedTuple):
    """A commit; `at` is its committer time, `authored_at` its author time, both in Unix seconds."""

    sha: str
    at: int
    authored_at: int
    parents: tuple[str, ...]
    author: str
    message: str


class Change(NamedTuple):
    """The change of one file.

    `status` is git's letter: A added, M modified, D deleted, R renamed (from `old_path`), T type changed.
    `blob` is git's id of the new content if it is a regular file. `lines` are the changed ranges of the
    new file (for a removal, the line where it happened); `hunk_contexts` are the context lines of git's hunk
    headers, such as a function's signature. Both are empty when the lines are not known.
    """

    path: str
    status: str
    old_path: str | None = None
    blob: str | None = None
    submodule: bool = False
    added: int = 0
    removed: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    hunk_contexts: tuple[str, ...] = ()


class Unreadable(NamedTuple):
    """A commit with an object that git cannot read, and what is known of it without that object."""

    sha: str
    problem: str
    known: tuple[Commit, list[Change]] | None


def commits(
    repository: GitRepository, *, without: Iterable[str] = (), since: int = 0, newest_first: bool = False
) -> Iterator[Commit]:
    """The commits of HEAD; none in an empty repository. GitFailed after those before an unreadable one.

    Parents come before children, or roughly the other way round, as git finds them, so that a caller may stop
    early. `without` are commits that are left out with all before them; unknown ones are ignored.
    """
    if run_git(repository.git_dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
        return
    chosen = [*([] if newest_first else ["--date-order", "--reverse"])]
    chosen += [f"--max-age={since}"] if since else []
    stdin = "".join(("HEAD\n", *(f"^{sha}\n" for sha in without)))
    yield from _list(repository, *chosen, stdin=stdin)


def named_commits(repository: GitRepository, prefixes: Iterable[str]) -> Iterator[Commit]:
    """The commits of HEAD whose ids begin so; none for what is unknown or ambiguous."""
    stdin = "".join(f"{prefix}^{{commit}}\n" for prefix in prefixes)
    found = list(_list(repository, "--no-walk=unsorted", stdin=stdin)) if stdin else []
    if found:
        stdin = "".join(("^HEAD\n", *(f"{commit.sha}\n" for commit in found)))
        with _stream(repository, "rev-list", "--stdin", stdin=stdin.encode()) as printed:
            elsewhere = {line.decode().strip() for line in printed}
        yield from (commit for commit in found if commit.sha not in elsewhere)


def commits_saying(repository: GitRepository, words: Iterable[str]) -> Iterator[Commit]:
    """The commits of HEAD whose messages contain one of these texts, parents before children."""
    patterns = [f"--grep={one}" for one in words]
    if patterns:
        order = ("--date-order", "--reverse", "--fixed-strings")
        yield from _list(repository, *order, *patterns, stdin="HEAD\n")


def _list(repository: GitRepository, *options: str, stdin: str) -> Iterator[Commit]:
    form = ("--encoding=UTF-8", f"--format=%x00{_FIELDS}", "--ignore-missing", "--stdin")
    with _stream(repository, "rev-list", *options, *form, stdin=stdin.encode()) as printed:
        fields: list[bytes] = []
        for chunk in _split_fields(printed, b"\0"):
            fields += chunk
            complete = len(fields) - len(fields) % (_FIELD_COUNT + 1)
            for start in range(0, complete, _FIELD_COUNT + 1):
                yield _parse_commit(fields[start + 1 : start + 1 + _FIELD_COUNT])
            del fields[:complete]


def commits_with_changes(
    repository: GitRepository, shas: Iterable[str], *, lines: bool = True
) -> Iterator[tuple[Commit, list[Change]] | Unreadable]:
    """The given commits, in order, with their changes against the first parent.

    `lines=False` leaves out the changed lines, for a clone without the files' contents.
    """
    waiting, at = list(shas), 0
    while at < len(waiting):
        try:
            for record in _read_changes(repository, waiting[at:], lines=lines):
                yield record
                at += 1
            return
        except GitFailed:
            # It failed here, or at the next commit: its output does not tell, so this one is read again.
            yield _read_alone(repository, waiting[at], lines=lines)
            at += 1


def _read_alone(
    repository: GitRepository, sha: str, *, lines: bool
) -> tuple[Commit, list[Change]] | Unreadable:
    problem = ""
    for with_lines in (True, False) if lines else (False,):
        try:
            (found,) = _read_changes(repository, [sha], lines=with_lines)
        except GitFailed as failed:
            problem = problem or str(failed.details["problem"])
        else:
            return Unreadable(sha, problem, found) if problem else found
    return Unreadable(sha, problem, None)


def _read_changes(
    repository: GitRepository, shas: Iterable[str], *, lines: bool
) -> Iterator[tuple[Commit, list[Change]]]:
    # Random, so that no file's content can imitate the start of a commit.
    mark = os.urandom(16).hex()
    stdin = "".join(f"{sha}\n" for sha in shas).encode()
    options = [*_DIFF_OPTIONS.split(), *(_PATCH_OPTIONS.split() if lines else ["-M100%"])]
    arguments = ["diff-tree", "--stdin", *options, "--encoding=UTF-8", f"--format={mark}%x00{_FIELDS}"]
    last: bytes | None = None
    with _stream(repository, *arguments, stdin=stdin) as printed:
        for record in _split_records(printed, mark.encode()):
            if last is not None:
                yield _parse_record(last)
            last = record
    # Only here is it known that the last one is complete.
    if last is not None:
        yield _parse_record(last)


def _parse_record(record: bytes) -> tuple[Commit, list[Change]]:
    _, *fields, rest = record.split(b"\0", _FIELD_COUNT + 1)
    return _parse_commit(fields), _parse_changes(rest)


def commits_touching(
    repository: GitRepository, paths: Iterable[str], without: Iterable[str] = ()
) -> set[str]:
    """The commits of HEAD that changed any of these files, folders or globs; `without` as in `commits`."""
    stdin = "".join(("HEAD\n", *(f"^{sha}\n" for sha in without))).encode()
    wanted = [":(top)" if path == "." else f":(top,glob){path.rstrip('/')}" for path in paths]
    options = ("--full-history", "--ignore-missing", "--stdin", "--")
    with _stream(repository, "rev-list", *options, *wanted, stdin=stdin) as printed:
        return {line.decode().strip() for line in printed}


def commits_merged_by(repository: GitRepository, sha: str, limit: int = 200) -> list[str]:
    """The commits a merge brought in; empty if there are more than `limit`, too many for one task."""
    output = (
        run_git(repository.git_dir, "rev-list", "--no-merges", f"-n{limit + 1}", f"{sha}^1..{sha}", "--")
        or ""
    )
    shas = output.split()
    return shas if len(shas) <= limit else []


_MAX_UNDONE = 50  # Files of a commit that is looked at


def undone_by(repository: GitRepository, sha: str) -> tuple[str, bool] | None:
    """The commit that another one undoes exactly, and whether only some of its files.

    It is the last one that changed these files, and each of them is now as it was before.
    """
    own = _blobs(repository, sha)
    if not own or len(own) > _MAX_UNDONE:
        return None
    paths = (f":(top,literal){path}" for path in own)
    before = (run_git(repository.git_dir, "rev-list", "-n1", f"{sha}^1", "--", *paths) or "").strip()
    theirs = _blobs(repository, before) if before else {}
    is_inverse = all(theirs.get(path) == (new, old) for path, (old, new) in own.items())
    return (before, len(own) < len(theirs)) if is_inverse else None


def _blobs(repository: GitRepository, sha: str) -> dict[str, tuple[str, str]]:
    """The ids of each changed file's content before and after a commit, by path."""
    arguments = ("diff-tree", "-r", "--root", "--no-renames", "-z", "--raw", "--no-abbrev", "--no-commit-id")
    fields = (run_git(repository.git_dir, *arguments, sha) or "").split("\0")
    return {
        path: (entry.split()[2], entry.split()[3])
        for entry, path in zip(fields[::2], fields[1::2], strict=False)
    }


def reachable_commits(repository: GitRepository, since: int = 0) -> set[str]:
    """Every commit since a time that is reachable from HEAD, a branch, a tag or another ref."""
    with _stream(repository, "rev-list", f"--max-age={since}", "--all", "HEAD", "--") as printed:
        return {line.decode().strip() for line in printed}


def shallow_boundary(repository: GitRepository) -> frozenset[str]:
    """The oldest commits of a shallow clone, whose changes cannot be known."""
    try:
        return frozenset(
            read_bounded(os.path.join(repository.common_dir, "shallow"), LARGE)[0].decode().split()
        )
    except (OSError, ValueError):
        return frozenset()


def has_contents(repository: GitRepository) -> bool:
    """Whether the files' contents are available locally; a partial clone leaves them on its remote."""
    pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$"
    return run_git(repository.git_dir, "config", "--get-regexp", pattern) is None


def _stream(
    repository: GitRepository, command: str, *arguments: str, stdin: bytes = b""
) -> AbstractContextManager[IO[bytes]]:
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    return stream_git(repository.git_dir, *settings, command, *arguments, stdin=stdin)


def _split_fields(printed: IO[bytes], end: bytes) -> Iterator[list[bytes]]:
    """The output split at `end`, one list for each chunk read; text after the last `end` is dropped."""
    rest = b""
    while chunk := printed.read(CHUNK):
        *pieces, rest = (rest + chunk).split(end)
        yield pieces


def _split_records(printed: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """The output split at the marks; the patch of a very large record is reduced to its headers."""
    rest = b""
    while chunk := printed.read(CHUNK):
        *complete, rest = (rest + chunk).split(mark)
        yield from filter(None, complete)
        if len(rest) > LARGE and (after := _message_end(rest)):
            rest = _drop_file_lines(rest, after)
    yield from filter(None, [rest])


def _message_end(record: bytes) -> int:
    """The offset where a record's changes begin; 0 if its message is not complete yet."""
    at = 0
    for _ in range(_FIELD_COUNT + 1):
        at = record.find(b"\0", at) + 1
        if not at:
            break
    return at


def _parse_commit(fields: list[bytes]) -> Commit:
    sha, at, authored_at, parents, author, message = fields
    return Commit(
        sha.decode(),
        _seconds(at),
        _seconds(authored_at),
        tuple(parents.decode().split()),
        _decode(author),
        _decode(message),
    )


def _seconds(field: bytes) -> int:
    """Unix seconds; 0 for a value that is no plausible time."""
    return int(field) if field.isdigit() and len(field) <= 12 else 0


class _Hunks:
    """The sums and ranges of one file's hunks."""

    def __init__(self) -> None:
        self.added = self.removed = 0
        self.lines: list[tuple[int, int]] = []
        self.contexts: dict[str, None] = {}

    def add(self, line: bytes) -> None:
        match = _HUNK_HEADER.match(line)
        if not match:
            return
        removed, start, added, context = match.groups()
        count = 1 if added is None else int(added)
        self.removed += 1 if removed is None else int(removed)
        self.added += count
        first = max(1, int(start))
        self.lines.append((first, first + max(0, count - 1)))
        if context:
            self.contexts[_decode(context)] = None


def _parse_changes(printed: bytes) -> list[Change]:
    """The changes of one commit, from git's output after its message: a list of files, then a patch."""
    changes, start = _parse_file_list(printed, 0)
    blocks = list(_parse_hunks(printed[start:]))
    # Git prints a type change as two blocks, a deletion and an addition.
    if len(blocks) != sum(2 if change.status == "T" else 1 for change in changes):
        return changes
    remaining_blocks = iter(blocks)
    return [_with_lines(change, remaining_blocks) for change in changes]


def _parse_file_list(printed: bytes, at: int) -> tuple[list[Change], int]:
    """The files listed at an offset, and the offset of the patch; ValueError if the list is incomplete."""
    changes: list[Change] = []
    at = _skip_separators(printed, at)
    while printed.startswith(b":", at):
        change, at = _parse_entry(printed, at)
        changes.append(change)
    return changes, _skip_separators(printed, at)


def _skip_separators(printed: bytes, at: int) -> int:
    while printed[at : at + 1] in (b"\0", b"\n"):
        at += 1
    return at


def _parse_entry(fields: bytes, at: int) -> tuple[Change, int]:
    """One entry `:modes ids status NUL path NUL`, and the offset of the next."""
    end = fields.index(b"\0", at)
    _, mode, _, blob, status = fields[at + 1 : end].split(b" ")
    letter = status[:1].decode()
    names: list[bytes] = []
    for _ in range(2 if letter in "RC" else 1):
        start, end = end + 1, fields.index(b"\0", end + 1)
        names.append(fields[start:end])
    is_blob = mode in _REGULAR_MODES and len(blob) == _SHA1_LENGTH
    change = Change(
        path=_decode(names[-1]),
        status=letter,
        old_path=_decode(names[0]) if len(names) > 1 else None,
        blob=blob.decode() if is_blob else None,
        submodule=mode == _SUBMODULE_MODE,
    )
    return change, end + 1


def _parse_hunks(patch: bytes) -> Iterator[_Hunks]:
    hunks: _Hunks | None = None
    for line in _header_lines(patch):
        if line.startswith(_FILE):
            if hunks:
                yield hunks
            hunks = _Hunks()
        elif hunks:
            hunks.add(line)
    if hunks:
        yield hunks


def _with_lines(change: Change, blocks: Iterator[_Hunks]) -> Change:
    hunks = next(blocks)
    if change.status == "T":
        hunks = next(blocks)
    if change.submodule:
        return change
    deleted = change.status == "D"
    return change._replace(
        added=hunks.added,
        removed=hunks.removed,
        lines=() if deleted else tuple(hunks.lines),
        hunk_contexts=() if deleted else tuple(hunks.contexts),
    )


def _drop_file_lines(record: bytes, after: int) -> bytes:
    """An incomplete record with only the header lines of its patch, to bound memory.

    `after` is the end of the message, which people write and which may look like a patch.
    """
    try:
        _, start = _parse_file_list(record, after)
    except ValueError:  # the list of files is not complete yet
        return record
    end = record.rfind(b"\n") + 1
    if end <= start:
        return record
    headers = b"\n".join(_header_lines(record[start:end]))
    return record[:start] + headers + b"\n" + record[end:]


def _header_lines(patch: bytes) -> list[bytes]:
    # Lines of file content start with a sign (+ or -), so none can look like a header.
    return [line for line in patch.split(b"\n") if line.startswith(_HEADERS)]


def _decode(raw: bytes) -> str:
    """Decode as UTF-8, else as Windows-1252, the most common older encoding."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")
