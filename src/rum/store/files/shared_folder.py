"""A folder that several machines see, such as one on a file server, with the same files as a shared ref."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from rum.model.errors import StorageError

_MAX_FILE = 4 << 20  # Bytes of a file that is read


class SharedFolder:
    """The files below a folder. Its state is the list of their names, compressed."""

    def __init__(self, folder: str) -> None:
        self.remote = folder
        self.refused = 0

    def fetch(self) -> str | None:
        """The present state; None if there are no files yet."""
        found = [
            os.path.relpath(os.path.join(parent, name), self.remote).replace(os.sep, "/")
            for parent, _, names in os.walk(self.remote)
            for name in names
            if name.endswith(".json")
        ]
        return _packed(found) if found else None

    def has(self, state: str) -> bool:
        """Whether a state can be compared with."""
        return bool(state)

    def is_ancestor(self, earlier: str, later: str) -> bool:
        """Whether no file has disappeared between two states."""
        return set(_unpacked(earlier)) <= set(_unpacked(later))

    def paths(self, state: str, since: str | None = None) -> list[str]:
        """The files of a state, or those that an earlier one has not."""
        known = set(_unpacked(since)) if since else set[str]()
        return [path for path in _unpacked(state) if path not in known]

    def paths_below(self, state: str, folders: Iterable[str]) -> list[str]:
        """The files in some folders."""
        wanted = set(folders)
        return [path for path in _unpacked(state) if path.rpartition("/")[0] in wanted]

    def read(self, state: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:  # noqa: ARG002
        """The contents of files; those that are too large, or gone by now, are left out."""
        for path in paths:
            with suppress(FileNotFoundError), open(os.path.join(self.remote, *path.split("/")), "rb") as file:
                content = file.read(_MAX_FILE + 1)
                if len(content) <= _MAX_FILE:
                    yield path, content

    def publish(
        self,
        state: str | None,
        added: Iterable[tuple[str, bytes]],
        removed: Iterable[str],
        *,
        message: str,  # noqa: ARG002
        sign: bool,  # noqa: ARG002
    ) -> str:
        """Write and delete files; each appears as a whole or not at all."""
        names = set(_unpacked(state)) if state else set[str]()
        try:
            for path, content in added:
                self._write(path, content)
                names.add(path)
            for path in removed:
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(self.remote, *path.split("/")))
                names.discard(path)
        except OSError as error:
            raise StorageError(
                f"{self.remote} cannot be written: {error.strerror}.", path=self.remote
            ) from None
        return _packed(names)

    def collect_garbage(self) -> None:
        """A folder has none."""

    def _write(self, path: str, content: bytes) -> None:
        target = os.path.join(self.remote, *path.split("/"))
        if os.path.exists(target):
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        part = f"{target}.{os.urandom(6).hex()}.part"
        try:
            with open(part, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise


def _packed(paths: Iterable[str]) -> str:
    return base64.b85encode(
        zlib.compress("\n".join(sorted(paths)).encode("utf-8", "surrogateescape"))
    ).decode()


def _unpacked(state: str) -> list[str]:
    text = zlib.decompress(base64.b85decode(state)).decode("utf-8", "surrogateescape")
    return text.split("\n") if text else []
