"""Compute the changes of an install or uninstall, and apply them: validated, atomic, with a backup."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, cast

from rum.model.errors import InvalidQuery, RumError, StorageError
from rum.settings.home import ensure_private_dir, write_private
from rum.store.files import atomic_write
from rum.surfaces.install.settings_file import Target

# Maximum size of a settings file, in bytes; Claude Code's grows with every project.
LARGEST = 64 * 1024 * 1024
FOLDER = "installed"  # The folder in RUM's home for backups


class Change(NamedTuple):
    """A file before and after, None if it does not exist; `base` is its content without RUM's entries."""

    target: Target
    path: str
    before: bytes | None
    after: bytes | None
    base: bytes | None

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (
            _text(data or b"", self.path).splitlines(keepends=True) for data in (self.before, self.after)
        )
        before, after = (os.devnull if data is None else self.path for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, before, after)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


def to_install(home: str, target: Target) -> Change | None:
    """The change that installs RUM in a file; None if it is up to date."""
    path, before = _read(target)
    text = _text(before or b"", path)
    with _name_file_in_errors(path):
        base = _base(home, target, path, before)
        plain = _text(base or b"", path)
        new = target.add(plain, text)
        if before is not None and target.parse(new) == target.parse(text):
            return None
        _check(target, plain, new)
    return Change(target, path, before, new.encode(), base)


def to_uninstall(home: str, target: Target) -> Change | None:
    """The change that removes RUM from a file; None if there is nothing to remove."""
    path, before = _read(target)
    if before is None:
        return None
    with _name_file_in_errors(path):
        base = _base(home, target, path, before)
    return None if base == before else Change(target, path, before, base, base)


def apply(home: str, changes: Sequence[Change]) -> list[str]:
    """Write all files, or none if one cannot be written; return the paths of the backups."""
    done: list[Change] = []
    backups: list[str | None] = []
    for change in changes:
        try:
            backups.append(_write(home, change))
        except (RumError, OSError) as error:
            failed = _revert(home, done)
            if isinstance(error, RumError) and not failed:
                raise
            reason = (
                error.message if isinstance(error, RumError) else f"{change.path}: {error.strerror or error}."
            )
            rest = f"Already changed: {', '.join(failed)}." if failed else "Nothing was changed."
            raise StorageError(f"{reason} {rest}", path=change.path) from error
        done.append(change)
    return [path for path in backups if path]


def _revert(home: str, done: Sequence[Change]) -> list[str]:
    """Restore files after a failure; return those that could not be restored."""
    failed: list[str] = []
    for change in reversed(done):
        try:
            _write(home, change._replace(before=change.after, after=change.before))
        except (RumError, OSError):
            failed.append(change.path)
    return failed


def _write(home: str, change: Change) -> str | None:
    """Write a file, unless another program has changed it meanwhile; return the path of the backup."""
    folder = os.path.dirname(change.path)
    atomic_write.make_folder(folder)
    with atomic_write.locked(change.path):
        if atomic_write.read(change.path, LARGEST) != change.before:
            raise StorageError(
                f"{change.path} was just changed by another program. Try again.", path=change.path
            )
        backup = _save_backup(home, change)
        if change.after is None:
            os.unlink(change.path)
        elif change.before is None and change.target.within is None:
            # Clients store tokens in the user's own files; the files of a project are for everybody in it.
            write_private(change.path, change.after)
        else:
            atomic_write.replace(change.path, change.after)
    if change.after is None:
        with suppress(OSError):  # it may hold other files
            os.rmdir(folder)
    return backup


def _read(target: Target) -> tuple[str, bytes | None]:
    path = target.path
    if os.path.lexists(path):
        path = atomic_write.inside(target.within, path) if target.within else os.path.realpath(path)
    elif target.within:
        atomic_write.inside(target.within, os.path.dirname(path) + os.sep + "x")
    return path, atomic_write.read(path, LARGEST)


def _base(home: str, target: Target, path: str, before: bytes | None) -> bytes | None:
    """The file without RUM: the backup if the file is unchanged since, else with RUM's entries removed."""
    saved = atomic_write.read(_backup_path(home, target, path, ".json"), LARGEST)
    try:
        found: Any = json.loads(saved or b"{}")
    except ValueError:
        found = {}
    record = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if before is not None and record.get("after") == _hash(before):
        if record.get("created"):
            return None
        backup = atomic_write.read(_backup_path(home, target, path), LARGEST)
        if backup is not None and _hash(backup) == record.get("base"):
            return backup
    if before is None:
        return None
    text = _text(before, path)
    remaining = target.remove(text)
    if record.get("created") and remaining != text and remaining.strip("\ufeff \t\r\n") in ("", "{}"):
        return None
    return remaining.encode()


def _check(target: Target, plain: str, new: str) -> None:
    """Refuse an edit that adds nothing, or that changes anything but RUM's entries."""
    if target.parse(new) == target.parse(plain) or _without_empty(
        target.parse(target.remove(new))
    ) != _without_empty(target.parse(target.remove(plain))):
        raise InvalidQuery("It cannot be changed without changing other things in it.")


def _without_empty(value: Any) -> Any:
    """A value without empty tables and lists, which mean the same as missing ones."""
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {name: kept for name, one in table.items() if (kept := _without_empty(one)) not in ({}, [])}
    if isinstance(value, list):
        return [kept for one in cast("list[Any]", value) if (kept := _without_empty(one)) not in ({}, [])]
    return value.strip() if isinstance(value, str) else value


def _save_backup(home: str, change: Change) -> str | None:
    """Save a backup (for an install without RUM's entries), and a record of what is written."""
    backup, record_path = (_backup_path(home, change.target, change.path, end) for end in ("", ".json"))
    ensure_private_dir(os.path.dirname(backup))
    installs = change.after != change.base
    content = change.base if installs else change.before
    if content is not None:
        write_private(backup, content)
    record: dict[str, Any] = {"path": change.path, "created": change.base is None}
    if installs:
        record |= {"after": _hash(change.after or b""), "base": _hash(change.base or b"")}
    write_private(record_path, json.dumps(record).encode())
    return backup if content is not None else None


def _backup_path(home: str, target: Target, path: str, ending: str = "") -> str:
    name = hashlib.sha256(f"{path}\0{target.part}".encode()).hexdigest()[:12]
    return os.path.join(home, FOLDER, f"{name}-{os.path.basename(path)}{ending}")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidQuery(
            f"{path} is not UTF-8 text (byte {error.start}); nothing was changed.", path=path
        ) from None


@contextmanager
def _name_file_in_errors(path: str) -> Generator[None]:
    try:
        yield
    except (InvalidQuery, RecursionError) as error:
        reason = "It is nested too deeply to be settings."
        if isinstance(error, InvalidQuery):
            if path in error.message:
                raise
            reason = error.message
        raise InvalidQuery(f"{path}: {reason} Nothing was changed.", path=path) from None
