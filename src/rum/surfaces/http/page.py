"""The page for a team: people sign in with their token, and get what its role allows."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import IO, TypeVar

import msgspec
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse

from rum.app.access import AccessToken, AuditLog
from rum.app.calls import is_write
from rum.model.errors import RumError, StorageError
from rum.surfaces.http import exchange, limits
from rum.surfaces.http.identity import Identities
from rum.surfaces.http.projects import Busy, OpenProject, OpenProjects, TooSlow, hide_details
from rum.surfaces.web import routes
from rum.surfaces.web.messages import Refused, Request, Response, error_response
from rum.surfaces.web.route_table import ROUTES
from rum.surfaces.web.site import PREFIX, Site, Visitor, answer, check_origin, internal_error

T = TypeVar("T")
COOKIE = "rum_token"
_LOGIN, _LOGOUT = f"{PREFIX}login", f"{PREFIX}logout"
_FLAGS = "HttpOnly; SameSite=Strict; Path=/"
_CODES = {408: "TIMEOUT", 413: "TOO_LARGE", 421: "WRONG_HOST", 503: "STORAGE_ERROR"}
ReadBody = Callable[[HttpRequest, int], Awaitable[bytes]]


class Credentials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody signs in with."""

    token: str


class TeamSignIn:
    """A token by a cookie, or in the header `Authorization`."""

    login = "token"

    def __init__(self, identities: Identities, project: str | None, *, open_to_all: bool) -> None:
        self._identities = identities
        self._project = project
        self._everybody = secrets.token_hex(32) if open_to_all else ""

    def find(self, secret: str) -> AccessToken | None:
        """Return the token with this secret, if it is valid here."""
        token = self._identities.find(secret)
        return token if token and self._project in (None, token.project) else None

    async def prepare(self, secret: str) -> None:
        """Get ready to find this secret."""
        await self._identities.prepare(secret)

    def visitor(self, request: Request) -> Visitor | None:
        """Return who asks, if their token is valid."""
        scheme, _, given = request.header("authorization").partition(" ")
        if scheme.lower() == "bearer":
            return Visitor(given.strip(), by_cookie=False) if self.find(given.strip()) else None
        secret = request.cookies.get(COOKIE, "")
        if self.find(secret):
            return Visitor(secret)
        return Visitor(self._everybody) if self._everybody else None

    def enter(self, request: Request) -> Response | None:
        """Answer a request to sign out."""
        if (request.method, request.path) != ("POST", _LOGOUT):
            return None
        return Response(204, headers=(("Set-Cookie", f"{COOKIE}=; Max-Age=0; {_FLAGS}"),))


class TeamPage:
    """The page and its API behind the server of a team."""

    def __init__(
        self,
        sign_in: TeamSignIn,
        projects: OpenProjects,
        audit: AuditLog,
        count_call: Callable[[AccessToken | None], None],
        read_body: ReadBody,
    ) -> None:
        self._sign_in = sign_in
        self._site = Site(sign_in)
        self._projects = projects
        self._audit = audit
        self._count_call = count_call
        self._read_body = read_body

    async def respond(self, http: HttpRequest) -> HttpResponse:
        """The answer to a request for the page or its API."""
        try:
            request = await self._request(http)
            response = await self._respond(request)
        except (Refused, RumError) as error:
            response = error_response(error)
        except exchange.Refused as error:
            response = refusal(error)
        return page_response(response, with_body=http.method != "HEAD")

    async def _request(self, http: HttpRequest) -> Request:
        headers: dict[str, str] = {}
        for name, value in http.headers.items():
            if name in headers and name in ("host", "cookie", "origin", "authorization", "x-rum-csrf"):
                raise Refused("INVALID_QUERY", f"The header {name} was sent twice.")
            headers[name] = value
        path = http.scope.get("raw_path", b"").partition(b"?")[0].decode("latin-1")
        query = http.scope["query_string"].decode("latin-1")
        request = Request(http.method, path, query, headers)
        most = limits.MAX_BODY if self._sign_in.visitor(request) else limits.MAX_UNSIGNED_BODY
        return request._replace(body=await self._read_body(http, most))

    async def _respond(self, request: Request) -> Response:
        if (request.method, request.path) == ("POST", _LOGIN):
            return await self._log_in(request)
        prepared = self._site.prepare(request)
        if isinstance(prepared, Response):
            return prepared
        return await self._run(*prepared)

    async def _log_in(self, request: Request) -> Response:
        """The cookie for a token, and who it belongs to."""
        check_origin(request, request.header("host"))
        try:
            given = msgspec.json.decode(request.body, type=Credentials).token.strip()
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise Refused("INVALID_QUERY", 'Send {"token": "rum_..."}.') from None
        await self._sign_in.prepare(given)
        if self._sign_in.find(given) is None:
            raise Refused("UNAUTHORIZED", "The token is not valid.", {"login": self._sign_in.login})
        me = routes.find(Request("GET", f"{PREFIX}me", "", {}), ROUTES)
        found = await self._run(me, Visitor(given))
        secure = "; Secure" if request.header("origin").startswith("https://") else ""
        cookie = ("Set-Cookie", f"{COOKIE}={given}; {_FLAGS}{secure}")
        return found._replace(headers=(*found.headers, cookie)) if found.status == 200 else found

    async def _run(self, match: routes.Match, visitor: Visitor) -> Response:
        token = self._sign_in.find(visitor.secret)
        self._count_call(token)
        work = partial(self._answer, match, visitor, token)
        try:
            return await self._projects.run(token.project if token else "", work)
        except Busy:
            raise Refused("BUSY", "The server is busy; try again.", Retry_After="1") from None
        except TooSlow:
            text = f"This takes longer than {limits.CALL_WITHIN:g} s. It goes on, and may still take effect."
            raise Refused("BUSY", text) from None
        except RumError:
            raise
        except Exception as error:  # noqa: BLE001 - the outer edge: a defect must not end the server
            return internal_error(error)

    def _answer(
        self, match: routes.Match, visitor: Visitor, token: AccessToken | None, project: OpenProject
    ) -> Response:
        """The answer of a route; a change is recorded in the audit log. Runs in a thread."""
        rum = project.rum_of(token, None, None, is_page=True)
        if not _changes(match):
            return _for_client(answer(match, visitor, rum), token)
        try:
            file = self._audit.open()
        except RumError as error:
            return error_response(error)
        with file:
            found = answer(match, visitor, rum)
            self._record(file, match, token, project, found)
        return _for_client(found, token)

    def _record(
        self,
        file: IO[bytes],
        match: routes.Match,
        token: AccessToken | None,
        project: OpenProject,
        found: Response,
    ) -> None:
        ids = [*match.asked.path.values(), *match.named_ids()]
        try:
            self._audit.add(
                file,
                token=token.id if token else None,
                name=token.name if token else None,
                role=token.role if token else None,
                project=project.rum.project.id,
                call=f"{match.route.method} {match.route.path}",
                ids=[one[:80] for one in dict.fromkeys(ids)] or None,
                result="ok" if found.status == 200 else str(found.status),
            )
        except OSError as error:
            sys.stderr.write(f"rum serve: the audit log could not be written: {error.strerror}\n")


def page_response(response: Response, *, with_body: bool = True) -> HttpResponse:
    """An answer as the web framework sends it."""
    headers = {name: value for name, value in response.all_headers() if name != "Content-Type"}
    return HttpResponse(
        response.body if with_body else b"", response.status, headers, response.content_type or None
    )


def _changes(match: routes.Match) -> bool:
    route, call = match.route, match.route.path.removeprefix("calls/")
    if route.method == "GET":
        return False
    return route.is_write or is_write(call, match.asked.given)


def _for_client(response: Response, token: AccessToken | None) -> Response:
    """An answer that is not too long, and tells of no file or host of the server."""
    if token and response.status == 503:
        error = msgspec.json.decode(response.body)["error"]
        if error["code"] == StorageError.code:
            return error_response(hide_details(error))
    if len(response.body) <= limits.MAX_ANSWER:
        return response
    return error_response(Refused("TOO_LARGE", "The answer is too long. Ask for less, with a smaller limit."))


def refusal(error: exchange.Refused) -> Response:
    """A refusal of the server in the form of the page's API."""
    found = error_response(Refused(_CODES.get(error.status, "FORBIDDEN"), error.message))
    return found._replace(status=error.status)
