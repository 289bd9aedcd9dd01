"""Tokens of an identity provider (JWTs): whether one is valid here, and what it allows.

A token names its projects and roles in one claim, as `rum:PROJECT:ROLE`, or as `rum:ROLE` where a single
project is served. Only signatures with a public key of the provider count, never `none` or a shared secret.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import jwt
import msgspec
from jwt.types import Options

from rum.app.access import PER_MINUTE, ROLES, AccessToken, AccessTokens
from rum.app.caller import Role
from rum.model.errors import InvalidQuery, RumError, StorageError
from rum.net.post import PostError, get
from rum.repo.project import all_projects
from rum.settings.home import read_bounded
from rum.surfaces.http.exchange import Refused
from rum.surfaces.http.hosts import is_loopback

SCOPE = "scope"
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_KINDS = ("RSA", "EC", "OKP")  # Of public keys; `oct` is a secret
_TYPES = ("jwt", "at+jwt", "application/at+jwt")
_LEEWAY = 30.0  # Seconds that clocks may differ
_MAX_TOKEN = 8 * 1024
_MAX_KEYS = 256 * 1024  # Bytes of a key set
_FETCH_WITHIN = 5.0
_RENEW_AFTER = 600.0  # Seconds after which the keys are read again
_TRY_AFTER = 30.0  # Seconds between two reads for keys that are unknown
_TRUST_FOR = 86_400.0  # Seconds for which keys hold that cannot be read again
_REMEMBER = 30.0  # Seconds for which a token that was checked needs no further check
_MAX_REMEMBERED = 2_000


class Provider(NamedTuple):
    """An identity provider, as `rum serve` was told of it."""

    issuer: str
    audiences: tuple[str, ...]
    keys: str
    """A file or the address of the key set (JWKS)."""
    claim: str = SCOPE

    def check(self) -> None:
        """Raise InvalidQuery for what cannot be meant."""
        if not self.audiences:
            raise InvalidQuery("Say with --audience what this server is called in the provider's tokens.")
        if not self.keys:
            raise InvalidQuery("Say with --keys where the provider's keys (JWKS) are: a file or an address.")
        for option, address in (("--issuer", self.issuer), ("--keys", self.keys)):
            parts = urlsplit(address)
            if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
                raise InvalidQuery(f"{option} {address}: use https, or anybody on the way could replace it.")


class Keys:
    """The public keys of a provider, by their ids; read again from time to time, and for an unknown id."""

    def __init__(self, source: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._clock = clock
        self._read_at = self._tried_at = -_TRUST_FOR
        self._known: list[jwt.PyJWK] = []

    def find(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key of a token; one without an id is signed by the only key of its kind."""
        if self._clock() - self._read_at > _TRUST_FOR:
            raise StorageError("The keys of the identity provider cannot be read.")
        fit = [one for one in self._known if one.algorithm_name == algorithm]
        if key_id is not None:
            return next((one for one in fit if one.key_id == key_id), None)
        return fit[0] if len(fit) == 1 else None

    def is_old(self, key_id: str | None) -> bool:
        """Whether the keys are to be read again before a token with this key is looked at."""
        now = self._clock()
        if now - self._tried_at < _TRY_AFTER:
            return False
        is_known = key_id is None or any(one.key_id == key_id for one in self._known)
        return not is_known or now - self._read_at > _RENEW_AFTER

    def read(self) -> None:
        """Read the keys; StorageError if that fails, and the earlier ones stay."""
        self._tried_at = self._clock()
        try:
            if urlsplit(self._source).scheme in ("http", "https"):
                data = get(self._source, _FETCH_WITHIN)
            else:
                data = read_bounded(self._source, _MAX_KEYS)[0]
            if len(data) > _MAX_KEYS:
                raise ValueError("it is too long")
            found = msgspec.json.decode(data)["keys"]
            self._known = [key for one in found for key in _usable(one)]
        except (PostError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise StorageError(f"The key set {self._source} cannot be read: {error}.") from None
        if not self._known:
            raise StorageError(f"The key set {self._source} has no usable public key.")
        self._read_at = self._clock()


def _usable(given: Any) -> list[jwt.PyJWK]:
    """A public key for signatures, once for each algorithm that it may be used with; others are left out."""
    if given.get("kty") not in _KINDS or given.get("use", "sig") != "sig" or "d" in given:
        return []
    named = given.get("alg")
    algorithms = (named,) if named else ("RS256", "PS256") if given["kty"] == "RSA" else (None,)
    try:
        keys = [jwt.PyJWK(given, one) for one in algorithms]
    except (jwt.PyJWTError, ValueError, TypeError):
        return []
    return [one for one in keys if one.algorithm_name in _ALGORITHMS]


class _Valid(NamedTuple):
    """A token whose signature and claims are right."""

    token: AccessToken
    until: float


class Identities:
    """Finds who shows a secret: somebody with a token of `rum tokens create`, or with one of the provider."""

    def __init__(
        self,
        home: str,
        provider: Provider | None = None,
        only: str | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`only` is the id of the single project that is served."""
        self.provider = provider
        self._own = AccessTokens(home)
        self._home, self._only, self._clock = home, only, clock
        self._keys = Keys(provider.keys) if provider else None
        self._reading = asyncio.Lock()
        self._checked: OrderedDict[tuple[bytes, str | None], _Valid] = OrderedDict()

    async def prepare(self, secret: str) -> None:
        """Read the provider's keys, if a token needs newer ones; so `find` never waits."""
        header = _header(secret) if self._keys else None
        if self._keys is None or header is None:
            return
        async with self._reading:
            if self._keys.is_old(_key_id(header)):
                try:
                    await asyncio.to_thread(self._keys.read)
                except StorageError as error:
                    sys.stderr.write(f"rum serve: {error.message}\n")

    def find(self, secret: str, project: str | None = None) -> AccessToken | None:
        """The token of a secret, None if it is not valid; Refused if it does not allow what is asked for.

        `project` is the one that the address names, by its name or id.
        """
        try:
            found = self._own.find(secret)
            if found is None:
                return self._find_foreign(secret, project)
            if project is not None and self._project_id(project) != found.project:
                raise Refused(403, "This token is for another project.")
        except RumError as error:
            # Where the file is, and what is wrong with it, only the owner is told.
            sys.stderr.write(f"rum serve: {error.message}\n")
            text = "The server cannot check tokens; its owner finds out more on stderr."
            raise Refused(503, text) from None
        return found

    def _find_foreign(self, secret: str, project: str | None) -> AccessToken | None:
        if self.provider is None or self._keys is None or not secret.isascii():
            return None
        key = hashlib.sha256(secret.encode()).digest(), project
        known = self._checked.get(key)
        if known and known.until > self._clock():
            return known.token
        claims = self._claims(secret, self.provider, self._keys)
        if claims is None:
            return None
        found = self._access(claims, project)
        until = min(self._clock() + _REMEMBER, float(claims["exp"]) + _LEEWAY)
        self._checked[key] = _Valid(found, until)
        self._checked.move_to_end(key)
        while len(self._checked) > _MAX_REMEMBERED:
            self._checked.popitem(last=False)
        return found

    def _claims(self, secret: str, provider: Provider, keys: Keys) -> Mapping[str, Any] | None:
        """What a token says, if its signature, issuer, audience and times are right."""
        header = _header(secret)
        if header is None or header.get("alg") not in _ALGORITHMS or "crit" in header:
            return None
        if str(header.get("typ", "jwt")).lower() not in _TYPES:
            return None
        key = keys.find(_key_id(header), header["alg"])
        if key is None:
            return None
        options: Options = {"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True}
        try:
            claims = jwt.decode(
                secret,
                key,
                algorithms=[key.algorithm_name],
                audience=provider.audiences,
                issuer=provider.issuer,
                leeway=_LEEWAY,
                options=options,
            )
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
            return None
        return claims if isinstance(claims["sub"], str) and claims["sub"] else None

    def _access(self, claims: Mapping[str, Any], project: str | None) -> AccessToken:
        roles = self._roles(claims)
        wanted = self._only or (self._project_id(project) if project is not None else None)
        if wanted is None and len(roles) > 1:
            raise _no_access("This token is for several projects. Use the address /mcp/PROJECT.")
        chosen = wanted or next(iter(roles), "")
        if chosen not in roles or (project is not None and self._project_id(project) != chosen):
            raise _no_access("This token allows nothing here.")
        subject = claims["sub"]
        digest = hashlib.sha256(f"{claims['iss']}\0{subject}\0{chosen}".encode()).hexdigest()
        return AccessToken(
            id=f"jwt_{digest[:26]}",
            # With a character that names of other tokens cannot have, and never one that a person chose.
            name=f"jwt/{subject}" if re.fullmatch(r"[\w.@|+-]{1,60}", subject) else f"jwt/{digest[:12]}",
            role=roles[chosen],
            project=chosen,
            created_at=0,
            digest="",
            per_minute=PER_MINUTE,
        )

    def _roles(self, claims: Mapping[str, Any]) -> dict[str, Role]:
        """The highest role for each existing project that a token names."""
        assert self.provider
        given = claims.get(self.provider.claim)
        entries = given.split() if isinstance(given, str) else given
        found: dict[str, Role] = {}
        for entry in cast("list[object]", entries) if isinstance(entries, list) else []:
            prefix, _, rest = entry.partition(":") if isinstance(entry, str) else ("", "", "")
            name, _, role = rest.rpartition(":")
            project = self._project_id(name) if name else self._only
            if prefix != "rum" or role not in ROLES or not project:
                continue
            if project not in found or ROLES.index(role) > ROLES.index(found[project]):
                found[project] = role
        return found

    def _project_id(self, name: str) -> str | None:
        """The id of a project with this id or name, if there is one."""
        known = [one for one in all_projects(self._home) if name in (one.id, one.name)]
        found = [one for one in known if one.id == name] or known
        return found[0].id if len(found) == 1 else None


def _header(secret: str) -> dict[str, Any] | None:
    """The header of a text that looks like a JWT."""
    if len(secret) > _MAX_TOKEN or secret.count(".") != 2 or not secret.isascii():
        return None
    try:
        return jwt.get_unverified_header(secret)
    except (jwt.PyJWTError, ValueError, RecursionError):
        return None


def _key_id(header: Mapping[str, Any]) -> str | None:
    found = header.get("kid")
    return found if isinstance(found, str) else None


def _no_access(text: str) -> Refused:
    return Refused(403, text, WWW_Authenticate='Bearer error="insufficient_scope"')
