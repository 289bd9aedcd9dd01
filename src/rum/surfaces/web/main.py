"""`rum web`: the page of one project, for the user of this machine alone."""

from __future__ import annotations

import hmac
import os
import secrets
import signal
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from rum.app.rum import Rum, for_token
from rum.model.errors import InvalidQuery
from rum.settings.home import ensure_private_dir, write_private
from rum.surfaces.web.messages import Refused, Request, Response, error_response
from rum.surfaces.web.server import HOST, Server, listen
from rum.surfaces.web.site import MAX_BODY, Site, Visitor, answer

PORT = 8766
IDLE = 30 * 60.0  # Seconds without a request after which the server ends
_TOKEN_BYTES = 32
# A page elsewhere may have linked here, and then the browser keeps the new cookie back from a redirect.
_GO_ON = (
    b'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
    b'<meta http-equiv="refresh" content="0;url=/"><title>RUM</title>'
)


class LocalSignIn:
    """One token in the address, then a cookie of this server alone."""

    login = "address"

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._session = secrets.token_urlsafe(_TOKEN_BYTES)
        # Cookies do not know of ports: another server of this machine must not replace this one.
        self._cookie = f"rum_{port}"

    def visitor(self, request: Request) -> Visitor | None:
        """Return the owner, if the cookie is right."""
        given = request.cookies.get(self._cookie, "")
        return Visitor(self._session) if _same(given, self._session) else None

    def enter(self, request: Request) -> Response | None:
        """Answer a request with the token in its address."""
        if request.path != "/" or request.method not in ("GET", "HEAD"):
            return None
        given = request.parameters.get("token")
        if given is None:
            return None
        if not _same(given[-1], self.token):
            raise Refused("UNAUTHORIZED", "The token is not valid. Open the address that `rum web` printed.")
        cookie = ("Set-Cookie", f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/")
        if request.header("sec-fetch-site") in ("cross-site", "same-site"):
            return Response(200, "text/html; charset=utf-8", _GO_ON, (cookie,))
        return Response(303, headers=(cookie, ("Location", "/")))


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


class LocalSite:
    """The page on loopback."""

    def __init__(self, rum: Rum, port: int) -> None:
        self._rum = for_token(rum, "owner", None, None, is_page=True)
        self._hosts = (f"{HOST}:{port}", f"localhost:{port}")
        self.sign_in = LocalSignIn(port)
        self._site = Site(self.sign_in)

    def respond(self, request: Request) -> Response:
        """The answer to a request, which must have been sent to this machine by name."""
        if request.header("host").lower() not in self._hosts:
            return error_response(Refused("WRONG_HOST", "This server does not answer to that Host."))
        prepared = self._site.prepare(request)
        return prepared if isinstance(prepared, Response) else answer(*prepared, self._rum)


def serve(
    rum: Rum,
    port: int | None,
    announce: Callable[[str], None],
    *,
    open_browser: bool = True,
    idle: float | None = IDLE,
) -> None:
    """Serve the page until Ctrl-C, SIGTERM, or `idle` seconds without a request.

    Without a port it is the usual one, or any other if that is taken.
    """
    listener = _listen(port)
    bound: int = listener.getsockname()[1]
    site = LocalSite(rum, bound)
    server = Server(listener, site.respond, MAX_BODY, idle)

    def stop(_: int, __: FrameType | None) -> None:
        server.stop()

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, stop)
    address = f"http://{HOST}:{bound}/?token={site.sign_in.token}"
    opened = None
    try:
        announce(address)
        if open_browser:
            opened = _open(rum.settings.home, bound, address)
        server.run()
    finally:
        if opened is not None:
            with suppress(OSError):
                os.unlink(opened)
        rum.settle()
        if rum.behind:
            rum.idle()


def _listen(port: int | None) -> socket.socket:
    try:
        return listen(PORT if port is None else port)
    except OSError as error:
        if port is None:
            return listen(0)
        raise InvalidQuery(f"Port {port} cannot be used: {error.strerror}.", field="port") from None


def _open(home: str, port: int, address: str) -> str | None:
    """Open the browser by a private file: other users can see the arguments of its process."""
    folder = os.path.join(home, "web")
    path = os.path.join(folder, f"open-{port}.html")
    page = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>RUM</title>\n'
    try:
        ensure_private_dir(folder)
        write_private(path, page.encode())
        webbrowser.open(f"file://{path}" if os.name != "nt" else path)
    except (OSError, webbrowser.Error):
        return None
    return path
