"""Run `rum serve`, or check a deployment without running it."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

import uvicorn
from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

from rum.app.access import AccessTokens, AuditLog
from rum.app.rum import Rum, check_databases, locate
from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.surfaces.http import limits
from rum.surfaces.http.app import Access, Served
from rum.surfaces.http.hosts import is_loopback, known_hosts
from rum.surfaces.http.identity import SCOPE, Keys, Provider
from rum.surfaces.http.tracing import start_tracing


class ServeOptions(NamedTuple):
    """What `rum serve` was asked for."""

    home: str
    host: str
    port: int
    project: str | None
    no_auth: bool
    allow_host: tuple[str, ...]
    allow_origin: tuple[str, ...]
    provider: Provider | None = None


class Check(NamedTuple):
    """What is served where, and what is wrong with it."""

    address: str
    projects: int
    tokens: int
    problems: list[str]
    advice: list[str]


def identity_provider(
    issuer: str | None, audiences: tuple[str, ...], keys: str | None, claim: str | None
) -> Provider | None:
    """The provider that the options name, if they name one."""
    if not issuer:
        if audiences or keys or claim:
            raise InvalidQuery("--audience, --keys and --role-claim need --issuer.", field="issuer")
        return None
    return Provider(issuer, audiences, keys or "", claim or SCOPE)


def serve(options: ServeOptions, say: Callable[[str], None]) -> None:
    """Serve until a signal ends the process; `say` prints where, as soon as connections are accepted."""
    access = _access(options)
    listener = _listen(options)
    host, port = listener.getsockname()[:2]
    say(_address(host, port))
    asyncio.run(_serve(options, access, listener))


async def _serve(options: ServeOptions, access: Access, listener: socket.socket) -> None:
    served = Served(options.home, access, options.project)
    config = uvicorn.Config(
        served.app(),
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.MAX_CONNECTIONS,
        h11_max_incomplete_event_size=limits.MAX_HEADERS,
        timeout_graceful_shutdown=limits.SHUTDOWN_WITHIN,
    )
    await _Server(config, served.stopping).serve(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that tells open streams to end when a signal comes."""

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping
        self._loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Begin to end; a second signal ends at once."""
        # Not the inherited way, which raises the signal once more after a graceful end.
        self._loop.call_soon_threadsafe(self._stopping.set)
        self.force_exit = self.should_exit
        self.should_exit = True


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that waits for the headers of a request only so long."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        """Begin to wait when a further request begins."""
        waiting = bool(self.cycle) and self.cycle.response_complete  # there is none before the first request
        super().data_received(data)
        if waiting and self.cycle.response_complete:
            self._expect_headers()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP; a request whose body it was in gets no second answer."""
        if self.cycle and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except LocalProtocolError:  # the answer to HEAD has no text
            self.transport.close()

    def _expect_headers(self) -> None:
        cycle = self.cycle

        def close_if_none() -> None:
            if self.cycle is cycle and not self.transport.is_closing():
                self.transport.close()

        self.loop.call_later(limits.HEADERS_WITHIN, close_if_none)


def check(options: ServeOptions) -> Check:
    """What would be wrong with a server that is started like this; nothing is changed."""
    problems: list[str] = []
    advice: list[str] = []
    tokens = AccessTokens(options.home)
    live = []

    provider = options.provider
    steps = (
        lambda: Keys(provider.keys).read() if provider else None,
        lambda: start_tracing().close(),
        lambda: _access(options),
        lambda: _listen(options).close(),
        lambda: Rum.open(options.home, home=options.home, owner=True).close(),
    )
    for step in steps:
        try:
            step()
        except RumError as error:
            problems.append(error.message)
    try:
        for known, found in zip((problems, advice), check_databases(options.home), strict=True):
            known += [one for one in found if one not in known]
        live = [one for one in tokens.all() if one.revoked_at is None]
        AuditLog(options.home).open().close()
    except RumError as error:
        problems.append(error.message)
    if not live and not options.no_auth and not options.provider:
        problems.append("Nobody has a token. Run `rum tokens create --name NAME --role writer`.")
    projects = {one.project for one in live}
    for project in sorted(projects):
        try:
            with Rum.open(options.home, project=project, home=options.home, owner=True) as rum:
                if rum.project.id != project or not rum.project.exists:
                    raise NotFound(f"Project {project} of a token does not exist. Revoke the token.")
                problems += [f"{rum.project.name}: {one.what}" for one in rum.doctor().problems]
        except RumError as error:
            problems.append(error.message)
    if (
        os.name != "nt"
        and os.path.isdir(options.home)
        and stat.S_IMODE(os.stat(options.home).st_mode) & 0o077
    ):
        problems.append(f"Others on this machine can look into {options.home}. Run `chmod 700` on it.")
    if not is_loopback(options.host):
        advice.append(
            "Tokens cross the network: put a proxy with TLS in front, and let only it reach this port."
        )
        if not options.allow_host:
            advice.append("Name the server with --allow-host, or clients that use its name are refused.")
    return Check(_address(options.host, options.port), len(projects), len(live), problems, advice)


def _access(options: ServeOptions) -> Access:
    if options.no_auth and not is_loopback(options.host):
        raise InvalidQuery(
            "--no-auth is for 127.0.0.1 and ::1 only: anybody else could write.", field="no_auth"
        )
    only = None
    if options.project and not options.no_auth:
        _, location = locate(os.getcwd(), {"project": options.project, "home": options.home})
        if not location.exists:
            raise NotFound(f"There is no project `{options.project}`. `rum tokens create` makes one.")
        only = location.id
    if options.provider:
        if options.no_auth:
            raise InvalidQuery("Give --no-auth or --issuer, not both.", field="no_auth")
        options.provider.check()
    hosts = known_hosts(options.host, options.allow_host)
    return Access(hosts, frozenset(options.allow_origin), only, options.no_auth, options.provider)


def _listen(options: ServeOptions) -> socket.socket:
    try:
        family = socket.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((options.host, options.port), family=family, backlog=256)
        # Connections inherit it; else every answer would wait 40 ms for the client's acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise StorageError(
            f"Cannot listen at {options.host}, port {options.port}: {error.strerror}. Choose another --port."
        ) from None


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"
