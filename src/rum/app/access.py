"""Access to a server: tokens, of which only hashes are kept, and the log of who changed what."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import time
from collections.abc import Callable
from typing import IO

import msgspec
from msgspec.structs import replace

from rum.app.caller import Role
from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.model.ids import new_id
from rum.settings.home import ensure_private_dir, file_lock, read_bounded, write_private
from rum.settings.table import AGENT_NAME

ROLES: tuple[Role, ...] = ("reader", "writer", "owner")
PER_MINUTE = 600  # Calls that a token allows, unless it is given another number
_SECRET = re.compile(r"rum_[0-9a-f]{64}")
_MAX_TOKENS = 10_000
_MAX_BYTES = 8 * 1024 * 1024


class AccessToken(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may use a project, and the SHA-256 of the secret that they show."""

    id: str
    name: str
    role: Role
    project: str
    created_at: int
    digest: str
    per_minute: int = PER_MINUTE
    revoked_at: int | None = None


class _File(msgspec.Struct, frozen=True):
    """What the file holds."""

    tokens: list[AccessToken]


class AccessTokens:
    """The tokens of an installation, in one file for its owner alone.

    The secrets have 256 random bits, so a plain hash is enough: there is nothing to guess.
    """

    def __init__(self, home: str, clock: Callable[[], float] = time.time) -> None:
        self._home = home
        self._path = os.path.join(home, "access.json")
        self._clock = clock
        self._stamp: tuple[int, ...] = ()
        self._by_digest: dict[str, AccessToken] = {}

    def create(
        self, name: str, role: Role, project: str, per_minute: int = PER_MINUTE
    ) -> tuple[AccessToken, str]:
        """A new token and its secret, which cannot be read again."""
        try:
            name = str(AGENT_NAME.check(name))
        except ValueError:
            raise InvalidQuery(f"The name of a token is {AGENT_NAME.allowed}.", field="name") from None
        secret = f"rum_{secrets.token_hex(32)}"
        made = AccessToken(
            id=new_id("token"),
            name=name,
            role=role,
            project=project,
            created_at=int(self._clock()),
            digest=_digest(secret),
            per_minute=per_minute,
        )

        def add(known: list[AccessToken]) -> list[AccessToken]:
            if any(one.name == name and one.revoked_at is None for one in known):
                raise InvalidQuery(
                    f"There is a token `{name}`. Revoke it first, or take another name.", field="name"
                )
            if len(known) >= _MAX_TOKENS:
                raise StorageError(f"There are {_MAX_TOKENS} tokens. Remove revoked ones from {self._path}.")
            return [*known, made]

        self._change(add)
        return made, secret

    def revoke(self, name: str) -> AccessToken:
        """End a token, given by its name or id, from the next request on."""
        revoked: list[AccessToken] = []

        def end(known: list[AccessToken]) -> list[AccessToken]:
            live = [one for one in known if one.revoked_at is None and name in (one.name, one.id)]
            if not live:
                raise NotFound(f"No token `{name}`. `rum tokens list` shows them.", name=name)
            revoked.append(replace(live[0], revoked_at=int(self._clock())))
            return [revoked[0] if one.id == live[0].id else one for one in known]

        self._change(end)
        return revoked[0]

    def all(self) -> list[AccessToken]:
        """Every token, revoked ones too, oldest first."""
        return self._read()

    def find(self, secret: str) -> AccessToken | None:
        """The token of a secret; None if there is none, or if it was revoked."""
        if not _SECRET.fullmatch(secret):
            return None
        if (stamp := self._file_stamp()) != self._stamp:
            self._by_digest = {one.digest: one for one in self._read() if one.revoked_at is None}
            self._stamp = stamp
        digest = _digest(secret)
        found = self._by_digest.get(digest)
        return found if found and hmac.compare_digest(found.digest, digest) else None

    def _file_stamp(self) -> tuple[int, ...]:
        try:
            state = os.stat(self._path)
        except FileNotFoundError:
            return (0,)
        return state.st_ino, state.st_mtime_ns, state.st_size

    def _read(self) -> list[AccessToken]:
        try:
            data, _ = read_bounded(self._path, _MAX_BYTES)
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise StorageError(f"{self._path} cannot be read: {error}.") from None
        try:
            return msgspec.json.decode(data, type=_File).tokens
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise StorageError(
                f"{self._path} is damaged. Restore it, or delete it and create new tokens."
            ) from None

    def _change(self, change: Callable[[list[AccessToken]], list[AccessToken]]) -> None:
        ensure_private_dir(self._home)
        with file_lock(self._path + ".lock"):
            data = msgspec.json.encode(_File(change(self._read())))
            write_private(self._path, msgspec.json.format(data, indent=1) + b"\n")


class AuditLog:
    """Every attempt to change something over the network, a line of JSON each, in a file for each month.

    It names tokens, calls and ids, and holds no text of a memory.
    """

    def __init__(self, home: str, clock: Callable[[], float] = time.time) -> None:
        self.folder = os.path.join(home, "audit")
        self._clock = clock

    def open(self) -> IO[bytes]:
        """The file of this month, to append to; StorageError if nothing can be written there."""
        try:
            ensure_private_dir(self.folder)
            month = time.strftime("%Y-%m", time.gmtime(self._clock()))
            path = os.path.join(self.folder, f"{month}.jsonl")
            handle = os.open(
                path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600
            )
        except OSError as error:
            raise StorageError(
                f"The audit log cannot be written ({error.strerror}), so nothing was changed."
            ) from None
        return open(handle, "ab", buffering=0)

    def add(self, file: IO[bytes], **fields: object) -> None:
        """Append one line, in one write, so that lines of several processes do not mix."""
        line = {
            "at": int(self._clock()),
            **{name: value for name, value in fields.items() if value is not None},
        }
        # In ASCII, as ids and actions come from callers and may hold half a character.
        file.write(json.dumps(line).encode() + b"\n")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
