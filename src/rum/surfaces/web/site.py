"""The page and its API: who may use them, and what is answered."""

from __future__ import annotations

import hashlib
import hmac
import sys
from typing import NamedTuple, Protocol

from rum.app.rum import Rum
from rum.model.errors import RumError
from rum.surfaces.web import routes
from rum.surfaces.web.assets import assets
from rum.surfaces.web.messages import JSON, Refused, Request, Response, error_response
from rum.surfaces.web.openapi import description
from rum.surfaces.web.route_table import ROUTES

PREFIX = "/api/v1/"
DESCRIPTION = f"{PREFIX}openapi.json"
CSRF = "x-rum-csrf"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_READING = ("GET", "HEAD")
MAX_BODY = 1024 * 1024


class Visitor(NamedTuple):
    """Somebody who has shown a valid cookie or token."""

    secret: str
    """What the token against forged requests is made of."""
    by_cookie: bool = True
    """Whether a browser sent it without being asked; then writes need a further token."""


class SignIn(Protocol):
    """How visitors sign in, and whose memory they get."""

    login: str
    """How to sign in, for those who have not: by an `address` or with a `token`."""

    def visitor(self, request: Request) -> Visitor | None:
        """Return who asks; None if they have not signed in."""
        ...

    def enter(self, request: Request) -> Response | None:
        """Answer a request to sign in or out; None for any other request."""
        ...


def check_origin(request: Request, host: str) -> None:
    """Refuse requests that another site's page makes; a link from there to the page is allowed."""
    origin, site = request.header("origin"), request.header("sec-fetch-site")
    is_link = request.method in _READING and request.header("sec-fetch-mode") == "navigate"
    if origin and origin not in (f"http://{host}", f"https://{host}"):
        raise Refused("FORBIDDEN", "Pages of another site may not use this one.")
    if site in ("cross-site", "same-site") and not (is_link and not request.path.startswith(PREFIX)):
        raise Refused("FORBIDDEN", "Pages of another site may not use this one.")


def csrf_token(visitor: Visitor) -> str:
    """The token that a page must send with every change."""
    return hmac.new(visitor.secret.encode(), b"rum csrf", hashlib.sha256).hexdigest()


def static_response(request: Request) -> Response:
    """A file of the page."""
    asset = assets().get(request.path)
    if asset is None:
        raise Refused("NOT_FOUND", "There is nothing here.")
    if request.method not in _READING:
        raise Refused("METHOD_NOT_ALLOWED", "Use GET.", Allow="GET, HEAD")
    headers = (("ETag", f'"{asset.tag}"'), ("Cache-Control", "no-cache"))
    if request.header("if-none-match") == f'"{asset.tag}"':
        return Response(304, headers=headers)
    return Response(200, asset.content_type, asset.data, headers)


class Site:
    """Answers requests that were sent to the right host."""

    def __init__(self, sign_in: SignIn) -> None:
        self._sign_in = sign_in

    def prepare(self, request: Request) -> Response | tuple[routes.Match, Visitor]:
        """Return an answer, or what is asked by whom if the memory is needed for it."""
        try:
            return self._prepare(request)
        except (Refused, RumError) as error:
            return error_response(error)

    def _prepare(self, request: Request) -> Response | tuple[routes.Match, Visitor]:
        check_origin(request, request.header("host"))
        if request.method not in METHODS:
            raise Refused("NOT_IMPLEMENTED", "This method is not known.", Allow=", ".join(METHODS))
        if (entered := self._sign_in.enter(request)) is not None:
            return entered
        if not request.path.startswith(PREFIX):
            return static_response(request)
        visitor = self._sign_in.visitor(request)
        if visitor is None:
            raise Refused("UNAUTHORIZED", _SIGN_IN[self._sign_in.login], {"login": self._sign_in.login})
        if request.path == DESCRIPTION and request.method in _READING:
            return Response(200, JSON, description())
        if request.method not in _READING:  # before its body is looked at
            _check_change(request, visitor)
        return routes.find(request, ROUTES), visitor


_SIGN_IN = {
    "address": "Open the address that `rum web` printed.",
    "token": "Sign in with a token of `rum tokens create`.",
}


def _check_change(request: Request, visitor: Visitor) -> None:
    """Refuse a change that a page of another site may have sent in this browser."""
    given = request.header(CSRF)
    if visitor.by_cookie and not hmac.compare_digest(given.encode(), csrf_token(visitor).encode()):
        raise Refused("FORBIDDEN", f"Send the header {CSRF} with the `csrf` of /api/v1/me.")
    if request.body and request.header("content-type").partition(";")[0].strip().lower() != JSON:
        raise Refused("WRONG_TYPE", f"Send {JSON}.")


def answer(match: routes.Match, visitor: Visitor, rum: Rum) -> Response:
    """Run what was asked; every error becomes an answer."""
    try:
        return match.respond(rum, csrf_token(visitor))
    except (Refused, RumError) as error:
        return error_response(error)
    except Exception as error:  # noqa: BLE001 - the outer edge: a defect must not end the server
        return internal_error(error)


def internal_error(error: BaseException) -> Response:
    """Print a defect with its traceback, and answer that there was one."""
    sys.excepthook(type(error), error, error.__traceback__)
    name = type(error).__name__
    return error_response(Refused("INTERNAL", f"Internal error ({name}); see the output of the server."))
