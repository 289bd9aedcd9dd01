"""Shared files at a team server: the same as a shared ref, asked for over HTTP."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from rum.model.errors import InvalidQuery, PermissionDenied, StorageError
from rum.net.post import PostError, bearer, is_loopback, post
from rum.repo.shared_ref import RefusedError

_ADDRESS = re.compile(r"(?P<base>https?://[^?#]+?)(/mcp(?P<project>/[^/?#]+)?)?/?\Z", re.IGNORECASE)
_TIMEOUT = 120.0
_MAX_WAIT = 70.0  # Seconds to wait where too many calls were made in a minute
_TRIES = 5
_READ_AT_ONCE = 500  # Files that are asked for at once; the server answers with as many as it likes
_SEND_AT_ONCE = 1 << 20  # Bytes of files in one request


def is_server(address: str) -> bool:
    """Whether an address is that of a team server, as clients of MCP have it, and of no git repository."""
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and re.fullmatch(r"/?|.*/mcp(/[^/]+)?/?", parts.path) is not None


class SharedServer:
    """The shared files of one project of a team server; a state is one of the server's own."""

    def __init__(self, address: str, token: str | None) -> None:
        found = _ADDRESS.fullmatch(address)
        parts = urlsplit(address)
        if not found or parts.username or parts.password:
            raise InvalidQuery(f"{address} is no address of a team server.", field="with")
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            raise InvalidQuery("Use https: on the way, others could read the token.", field="with")
        if not token:
            raise InvalidQuery(
                "A team server needs a token. Set RUM_TOKEN, or the setting `token` of your own config.toml.",
                field="token",
            )
        self.remote = address
        self.refused = 0
        self._url = f"{found['base'].rstrip('/')}/sync{found['project'] or ''}"
        self._token = token

    def fetch(self) -> str | None:
        """The present state; None if there are no files yet."""
        return self._ask("fetch")["state"]

    def has(self, state: str) -> bool:
        """Whether the server knows a state."""
        return self._ask("has", state=state)["answer"]

    def is_ancestor(self, earlier: str, later: str) -> bool:
        """Whether the later state was made from the earlier one."""
        return self._ask("is_ancestor", earlier=earlier, later=later)["answer"]

    def paths(self, state: str, since: str | None = None) -> list[str]:
        """The files of a state, or those that were added after an earlier one."""
        found: list[str] = []
        while (answer := self._ask("paths", state=state, since=since, offset=len(found)))["paths"]:
            found += answer["paths"]
            if not answer["more"]:
                break
        return found

    def paths_below(self, state: str, folders: Iterable[str]) -> list[str]:
        """The files of a state in some folders."""
        wanted, found = sorted(set(folders)), list[str]()
        for start in range(0, len(wanted), 256):
            found += self._ask("below", state=state, folders=wanted[start : start + 256])["paths"]
        return found

    def read(self, state: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of files; those that are too large are left out."""
        left = list(paths)
        while left:
            answer = self._ask("read", state=state, paths=left[:_READ_AT_ONCE])
            for path, content in answer["files"]:
                yield path, content.encode()
            if not answer["done"]:
                raise StorageError(f"{self.remote} sent no files; try again.")
            left = left[answer["done"] :]

    def publish(
        self,
        state: str | None,
        added: Iterable[tuple[str, bytes]],
        removed: Iterable[str],
        *,
        message: str,  # noqa: ARG002
        sign: bool,  # noqa: ARG002
    ) -> str:
        """Send files, some at a time: each request counts, whatever becomes of the next. The new state."""
        self.refused, size = 0, 0
        some: list[tuple[str, str]] = []
        for path, content in added:
            if some and size + len(content) > _SEND_AT_ONCE:
                state, size = self._send(state, some, ()), 0
                some = []
            some.append((path, content.decode()))
            size += len(content)
        return self._send(state, some, list(removed))

    def collect_garbage(self) -> None:
        """The server does it."""

    def _send(self, state: str | None, added: list[tuple[str, str]], removed: Sequence[str]) -> str:
        answer = self._ask("publish", state=state, added=added, removed=removed)
        self.refused += answer["refused"]
        return answer["state"]

    def _ask(self, what: str, **given: Any) -> Any:
        body = json.dumps({"do": what, **given}).encode()
        for attempt in range(1, _TRIES + 1):
            try:
                return json.loads(
                    post(self._url, body, _TIMEOUT, headers=bearer(self._token), key=self._token)
                )
            except PostError as error:
                if attempt < _TRIES and error.status == 429 and (error.wait or 1.0) < _MAX_WAIT:
                    time.sleep(error.wait or 1.0)
                    continue
                raise self._problem(error, what) from None
            except ValueError:
                raise StorageError(f"{self.remote} is no team server of this version of RUM.") from None
        raise AssertionError

    def _problem(self, error: PostError, what: str) -> Exception:
        if error.status == 403 and what == "publish":
            return RefusedError("this token may only read")
        if error.status in (401, 403):
            return PermissionDenied(f"{self.remote} does not accept the token: {error}.")
        return StorageError(f"{self.remote} {error}. Nothing is lost; try again.", remote=self.remote)
