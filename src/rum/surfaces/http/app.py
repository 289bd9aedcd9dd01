"""The web application of `rum serve`: who may come in, what is answered, and when it ends."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import monotonic, time
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rum.app.access import PER_MINUTE, AccessToken, AuditLog
from rum.app.caller import RateLimit
from rum.app.sync.hosting import read_request
from rum.model.errors import InvalidQuery, RateLimited, RumError
from rum.surfaces.http import exchange, limits, sharing
from rum.surfaces.http.exchange import Refused, Sessions
from rum.surfaces.http.hosts import host_name, is_loopback
from rum.surfaces.http.identity import SCOPE, Identities, Provider
from rum.surfaces.http.page import COOKIE, TeamPage, TeamSignIn, page_response, refusal
from rum.surfaces.http.projects import Busy, OpenProject, OpenProjects, ServedApplication, TooSlow, report
from rum.surfaces.http.tracing import start_tracing
from rum.surfaces.mcp import json_rpc
from rum.surfaces.mcp.json_rpc import Request, RpcError
from rum.surfaces.mcp.main import listing
from rum.surfaces.mcp.protocol import Dispatcher
from rum.surfaces.mcp.tools import Json
from rum.surfaces.web.messages import error_response
from rum.surfaces.web.site import METHODS

_JSON = "application/json"
_METRICS = "text/plain; version=0.0.4; charset=utf-8"
_STREAM = "text/event-stream"
_MCP = ("/mcp", "/mcp/{project}")
_SYNC = ("/sync", "/sync/{project}")
_RESOURCE = "/.well-known/oauth-protected-resource"
_PAGE = ("/", "/static/{path:path}", "/api/v1/{path:path}")
# What needs the memory; everything else is answered at once.
_WITH_MEMORY = ("tools/call", "resources/read", "prompts/get")


class Access(NamedTuple):
    """Who may use a server, and under which names it is reached."""

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()
    project: str | None = None
    """The id of the only project that is served; None for every project that has a token."""
    open_to_all: bool = False
    """Whether callers without a token are let in."""
    provider: Provider | None = None
    """Whose tokens are valid too."""


_BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)  # Seconds of a call


class Metrics:
    """Figures since the server started, as text for Prometheus; no project and no person is named.

    They are changed by the event loop's thread alone.
    """

    def __init__(self) -> None:
        self._started = time()
        self._answers: Counter[int] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[float] = Counter()
        self._total_seconds = 0.0

    def count_answer(self, status: int) -> None:
        """Count an HTTP answer."""
        self._answers[status] += 1

    def count_call(self, name: str, result: str, seconds: float) -> None:
        """Count a call of the API, its result (`ok` or the code of an error) and its duration."""
        self._calls[name, result] += 1
        self._total_seconds += seconds
        for bucket in _BUCKETS:
            self._seconds[bucket] += seconds <= bucket

    def text(self, **gauges: float) -> str:
        """All figures; `gauges` are those that go up and down."""
        lines = ["# TYPE rum_http_requests_total counter"]
        lines += [
            f'rum_http_requests_total{{status="{status}"}} {count}'
            for status, count in sorted(self._answers.items())
        ]
        lines.append("# TYPE rum_calls_total counter")
        lines += [
            f'rum_calls_total{{call="{name}",result="{result}"}} {count}'
            for (name, result), count in sorted(self._calls.items())
        ]
        calls = sum(self._calls.values())
        lines.append("# TYPE rum_call_seconds histogram")
        lines += [f'rum_call_seconds_bucket{{le="{bucket}"}} {self._seconds[bucket]}' for bucket in _BUCKETS]
        lines.append(f'rum_call_seconds_bucket{{le="+Inf"}} {calls}')
        lines.append(f"rum_call_seconds_sum {self._total_seconds:.6f}")
        lines.append(f"rum_call_seconds_count {calls}")
        for name, value in {**gauges, "start_time_seconds": round(self._started, 3)}.items():
            lines += [f"# TYPE rum_{name} gauge", f"rum_{name} {value}"]
        return "\n".join(lines) + "\n"


class Served:
    """A server: its tokens, sessions, open projects and figures."""

    def __init__(self, home: str, access: Access, default: str | None = None) -> None:
        self._access = access
        self._identities = Identities(home, access.provider, access.project)
        self._audit = AuditLog(home)
        self._sessions = Sessions(home)
        self._projects = OpenProjects(home, default)
        self._listing = listing("all")
        self._metrics = Metrics()
        self._tracing = start_tracing()
        self._rates: OrderedDict[str, RateLimit] = OrderedDict()
        self._streams: Counter[str] = Counter()
        sign_in = TeamSignIn(self._identities, access.project, open_to_all=access.open_to_all)
        self._page = TeamPage(sign_in, self._projects, self._audit, self._count_call, _read_body)
        self.stopping = asyncio.Event()

    def app(self) -> ASGIApp:
        """The ASGI application."""
        return Starlette(
            routes=[
                *(Route(path, self._mcp, methods=["POST", "GET", "DELETE"]) for path in _MCP),
                *(Route(path, self._sync, methods=["POST"]) for path in _SYNC),
                *(Route(_RESOURCE + path, self._resource, methods=["GET"]) for path in ("", *_MCP)),
                Route("/healthz", self._health, methods=["GET"]),
                Route("/metrics", self._figures, methods=["GET"]),
                *(Route(path, self._page.respond, methods=METHODS) for path in _PAGE),
            ],
            middleware=[Middleware(_Guard, served=self)],
            exception_handlers={Refused: _refuse},
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: object) -> AsyncGenerator[None]:
        keeping = asyncio.create_task(self._projects.keep_house())
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            await self._projects.close()
            await asyncio.to_thread(self._tracing.close)

    def check_address(self, path: str, host: str | None, origin: str | None) -> None:
        """Refuse requests that were sent to another name, or by a page of another site."""
        if path == "/healthz":  # asked by machines that know only the address, and it tells nothing
            return
        name = host_name(host or "")
        if name not in self._access.hosts:
            raise Refused(421, "This server does not answer to that Host. Start it with --allow-host NAME.")
        if origin is not None and origin not in self._access.origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or parts.netloc.lower() != (host or "").lower():
                raise Refused(
                    403, "Pages of this Origin may not use the server. Start it with --allow-origin."
                )

    def count(self, status: int) -> None:
        """Count an answer."""
        self._metrics.count_answer(status)

    # Who asks

    def _token(self, request: HttpRequest) -> AccessToken | None:
        """The token of a request; Refused if it needs one that it does not have."""
        given = request.headers.get("authorization")
        if given is None and self._access.open_to_all:
            return None
        secret = _bearer(given)
        try:
            token = self._identities.find(secret, request.path_params.get("project"))
            if token is None:
                problem = "The token is not valid." if given else "A token is needed."
                raise Refused(
                    401,
                    f"{problem} Send `Authorization: Bearer TOKEN`; `rum tokens create` makes one.",
                    WWW_Authenticate="Bearer" + (' error="invalid_token"' if given else ""),
                )
        except Refused as refused:
            if "WWW-Authenticate" in refused.headers:
                challenge = refused.headers["WWW-Authenticate"]
                if where := self._where_to_sign_in(request):
                    challenge += (", " if "=" in challenge else " ") + where
                refused.headers["WWW-Authenticate"] = challenge
            raise
        if self._access.project not in (None, token.project):
            raise Refused(403, "This token is for another project than the one that is served here.")
        return token

    async def prepare(self, request: HttpRequest) -> None:
        """Get ready to tell whose request it is."""
        if self._access.provider:
            given = request.headers.get("authorization")
            await self._identities.prepare(_bearer(given) if given else request.cookies.get(COOKIE, ""))

    def _where_to_sign_in(self, request: HttpRequest) -> str:
        """Parameters of `WWW-Authenticate` that lead clients to the identity provider."""
        provider = self._access.provider
        if provider is None:
            return ""
        asked = request.scope["path"]
        path = asked if asked.startswith("/mcp") and _is_plain(asked) else "/mcp"
        place = f"{_origin(request)}{_RESOURCE}{path}"
        project = request.path_params.get("project")
        scope = f"rum:{project}:writer" if project else "rum:writer" if self._access.project else ""
        wanted = f', scope="{scope}"' if scope and provider.claim == SCOPE and _is_plain(scope) else ""
        return f'resource_metadata="{place}"{wanted}'

    async def _sync(self, request: HttpRequest) -> Response:
        """One request of somebody's `rum sync`."""
        token = self._token(request)
        body = await _read_body(request, limits.MAX_BODY)
        started, result = monotonic(), "ok"
        try:
            self._count_call(token)
            asked = read_request(body)
            work = partial(sharing.reply_to, asked, token, self._audit)
            return JSONResponse(await self._projects.run(token.project if token else "", work))
        except Busy:
            result = "busy"
            raise Refused(503, "The server is busy; try again.", Retry_After="1") from None
        except TooSlow:
            result = "too_slow"
            raise Refused(504, "This takes too long. It goes on, and may still take effect.") from None
        except RumError as error:
            result = error.code
            return page_response(error_response(error))
        except Exception as error:  # noqa: BLE001 - the outer edge: a defect must not end the server
            report(error)
            result = "defect"
            raise Refused(500, f"Internal error ({type(error).__name__}); see the server's stderr.") from None
        finally:
            self._metrics.count_call(sharing.NAME, result, monotonic() - started)

    async def _resource(self, request: HttpRequest) -> Response:
        """Who gives tokens for this server (RFC 9728)."""
        provider = self._access.provider
        path = request.scope["path"].removeprefix(_RESOURCE) or "/mcp"
        if provider is None or not _is_plain(path):
            return JSONResponse({"error": "not_found"}, 404)
        return JSONResponse(
            {
                "resource": _origin(request) + path,
                "authorization_servers": [provider.issuer],
                "bearer_methods_supported": ["header"],
                "resource_name": "RUM",
            },
            headers={"Cache-Control": "max-age=300"},
        )

    def _count_call(self, token: AccessToken | None) -> None:
        key, limit = (token.id, token.per_minute) if token else ("", PER_MINUTE)
        if key not in self._rates:
            self._rates[key] = RateLimit(limit)
        self._rates.move_to_end(key)
        while len(self._rates) > limits.MAX_RATES:
            self._rates.popitem(last=False)
        self._rates[key].count_call()

    # What is asked

    async def _health(self, _: HttpRequest) -> Response:
        if self.stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok"})

    async def _figures(self, request: HttpRequest) -> Response:
        self._token(request)
        text = self._metrics.text(
            open_projects=len(self._projects),
            running_calls=self._projects.running,
            open_streams=self._streams.total(),
        )
        return Response(text, media_type=_METRICS)

    async def _mcp(self, request: HttpRequest) -> Response:
        token = self._token(request)
        given = request.headers.get("mcp-session-id")
        if request.method == "DELETE":
            self._sessions.end(given or "", token)
            return Response(status_code=204)
        if request.method != "POST":
            # The server never sends anything that was not asked for.
            raise Refused(405, "Use POST.", Allow="POST, DELETE")
        self._check_types(request)
        body = await _read_body(request, limits.MAX_BODY)
        try:
            message = json_rpc.parse(body)
        except RpcError as error:
            return _answer(error.reply(), 400)
        if not isinstance(message, Request):
            return Response(status_code=202)
        try:
            stateless = exchange.check_version(message, request.headers)
        except RpcError as error:
            reply = error.reply()
            return _answer(reply, exchange.status_of(reply, stateless=True))
        session = None
        if given is not None and not stateless and message.method != "initialize":
            session = self._sessions.read(given, token)
        try:
            self._count_call(token)
        except RateLimited as error:
            reply, status = exchange.rate_limited(message, error, stateless=stateless)
            wait = str(int(float(str(error.details["retry_after"]))) + 1)
            return _answer(reply, status, {"Retry-After": wait})
        if stateless and message.method == "subscriptions/listen":
            return self._listen(request, message, token)
        return await self._dispatch(request, message, token, session, stateless=stateless)

    def _check_types(self, request: HttpRequest) -> None:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            raise Refused(415, f"Send {_JSON}.")
        if not _accepts(request, _JSON):
            raise Refused(406, f"Accept {_JSON}.")

    async def _dispatch(
        self,
        request: HttpRequest,
        message: Request,
        token: AccessToken | None,
        session: exchange.Session | None,
        *,
        stateless: bool,
    ) -> Response:
        with self._tracing.span(message, request.headers, session.id if session else None) as outcome:
            reply, result, status, headers = await self._perform(message, token, session, stateless=stateless)
            outcome.take(reply, result)
        data = json_rpc.encode(reply)
        if len(data) > limits.MAX_ANSWER:
            error = InvalidQuery(
                f"The answer has {len(data)} bytes; at most {limits.MAX_ANSWER} are sent. Ask for less, with "
                "a smaller limit or depth."
            )
            data = json_rpc.encode(exchange.error_reply(message, error, stateless=stateless))
        status = status or exchange.status_of(reply, stateless=stateless)
        return Response(data, status, headers, _JSON)

    async def _perform(
        self,
        message: Request,
        token: AccessToken | None,
        session: exchange.Session | None,
        *,
        stateless: bool,
    ) -> tuple[Json, str, int | None, dict[str, str]]:
        """The answer, its result for the figures, its status if it is a special one, and further headers."""
        client = session.client if session else None
        shows_apps = session is not None and session.shows_apps
        if message.method not in _WITH_MEMORY:
            dispatcher = Dispatcher(self._listing, _no_application, client, shows_apps=shows_apps)
            reply = dispatcher.reply(message)
            headers: dict[str, str] = {}
            if message.method == "initialize" and "result" in reply:
                headers["Mcp-Session-Id"] = self._sessions.make(
                    token, dispatcher.client, shows_apps=dispatcher.shows_apps
                )
            return reply, "ok", None, headers
        started, (tool, _) = monotonic(), exchange.tool_of(message)
        result, status, headers = "ok", None, {}
        try:
            work = partial(self._reply, message, token, session)
            reply, result = await self._projects.run(token.project if token else "", work)
        except Busy:
            reply = RpcError(
                json_rpc.INTERNAL_ERROR, "The server is busy; try again.", request_id=message.id
            ).reply()
            result, status, headers = "busy", 503, {"Retry-After": "1"}
        except TooSlow:
            text = (
                f"The call takes longer than {limits.CALL_WITHIN:g} s. It goes on, and may still take effect."
            )
            reply = RpcError(json_rpc.INTERNAL_ERROR, text, request_id=message.id).reply()
            result, status = "too_slow", 504
        except RumError as error:
            reply = exchange.error_reply(message, error, stateless=stateless)
            result = error.code
        except Exception as error:  # noqa: BLE001 - the outer edge: a defect must not end the server
            report(error)
            text = f"Internal error ({type(error).__name__}); see the server's stderr."
            reply = RpcError(json_rpc.INTERNAL_ERROR, text, request_id=message.id).reply()
            result = "defect"
        if tool in {one["name"] for one in self._listing.tools}:
            self._metrics.count_call(tool, result, monotonic() - started)
        return reply, result, status, headers

    def _reply(
        self,
        message: Request,
        token: AccessToken | None,
        session: exchange.Session | None,
        project: OpenProject,
    ) -> tuple[Json, str]:
        """The answer to a request, and the result for the figures; runs in a thread."""
        client, name = (session.client, session.id) if session else (None, None)
        made: list[ServedApplication] = []

        def open_application() -> ServedApplication:
            made.append(ServedApplication(project, token, name, self._audit))
            return made[0]

        shows_apps = session is not None and session.shows_apps
        dispatcher = Dispatcher(self._listing, open_application, client, shows_apps=shows_apps)
        reply = dispatcher.reply(message)
        return reply, made[0].result if made else "refused"

    def _listen(self, request: HttpRequest, message: Request, token: AccessToken | None) -> Response:
        """An open stream with signs of life; nothing that a client may listen to ever changes."""
        if not _accepts(request, _STREAM):
            raise Refused(406, f"Accept {_STREAM}.")
        dispatcher = Dispatcher(self._listing, _no_application)
        first = dispatcher.reply(message)
        if "error" in first:
            return _answer(first, exchange.status_of(first, stateless=True))
        key = token.id if token else ""
        if self._streams[key] >= limits.MAX_STREAMS_EACH or self._streams.total() >= limits.MAX_STREAMS:
            raise Refused(429, "There are too many open streams. Close one first.", Retry_After="10")

        async def events() -> AsyncIterator[bytes]:
            self._streams[key] += 1
            try:
                yield _event(first)
                while not self.stopping.is_set():
                    try:
                        await asyncio.wait_for(self.stopping.wait(), limits.PING)
                    except TimeoutError:
                        if token:
                            self._token(request)
                        yield b": still here\r\n\r\n"
                yield _event(dispatcher.end_of_stream(message))
            except Refused:
                return  # the token was revoked
            finally:
                self._streams[key] -= 1

        return StreamingResponse(events(), media_type=_STREAM, headers={"Cache-Control": "no-store"})


class _Guard:
    """Checks where a request was sent to and where it comes from, and counts the answers."""

    def __init__(self, app: ASGIApp, served: Served) -> None:
        self._app = app
        self._served = served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._served.count(message["status"])
            await send(message)

        request = HttpRequest(scope, receive)
        try:
            if sum(len(name) + len(value) for name, value in scope["headers"]) > limits.MAX_HEADERS:
                raise Refused(431, f"The headers are longer than {limits.MAX_HEADERS} bytes.")
            origin = request.headers.get("origin")
            self._served.check_address(scope["path"], request.headers.get("host"), origin)
            await self._served.prepare(request)
        except (Refused, ValueError) as error:
            refused = error if isinstance(error, Refused) else Refused(403, "The Origin is not valid.")
            if scope["path"].startswith("/mcp"):
                answer = _refuse(request, refused)
            else:
                found = refusal(refused)
                answer = Response(found.body, found.status, dict(found.all_headers()))
            await answer(scope, receive, counted)
            return
        with suppress(ClientDisconnect):
            await self._app(scope, receive, counted)


def _refuse(_: HttpRequest, error: Exception) -> Response:
    assert isinstance(error, Refused)
    body = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": json_rpc.INVALID_REQUEST, "message": error.message},
    }
    return JSONResponse(body, error.status, error.headers)


async def _read_body(request: HttpRequest, most: int) -> bytes:
    """The body, if it is neither too long nor too slow."""
    too_long = Refused(413, f"The message is longer than {most} bytes.", Connection="close")
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > most:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(limits.BODY_WITHIN):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise too_long
    except TimeoutError:
        raise Refused(408, "The message did not arrive in time.", Connection="close") from None
    return bytes(body)


def _bearer(header: str | None) -> str:
    """The secret in a header `Authorization`."""
    scheme, _, secret = (header or "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _origin(request: HttpRequest) -> str:
    """The address under which a client reached the server; only the own machine is reached without TLS."""
    host = request.headers.get("host", "")
    return f"http{'' if is_loopback(host_name(host)) else 's'}://{host}"


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"[\w/:.-]+", text, re.ASCII) is not None


def _accepts(request: HttpRequest, kind: str) -> bool:
    given = request.headers.get("accept", "*/*")
    kinds = {one.partition(";")[0].strip().lower() for one in given.split(",")}
    return bool({kind, "*/*", kind.partition("/")[0] + "/*"} & kinds)


def _answer(reply: Json, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(json_rpc.encode(reply), status, headers, _JSON)


def _event(message: Json) -> bytes:
    return b"event: message\r\ndata: " + json_rpc.encode(message).rstrip(b"\n") + b"\r\n\r\n"


def _no_application() -> ServedApplication:
    raise AssertionError("No memory is needed for this.")
