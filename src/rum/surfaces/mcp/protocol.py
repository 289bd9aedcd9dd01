"""What every MCP method answers, in the revisions with a handshake and in the stateless one."""

from __future__ import annotations

from rum.model.errors import InvalidQuery, RumError
from rum.surfaces.mcp.application import Caller
from rum.surfaces.mcp.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RpcError,
    dumps,
    is_object,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rum.surfaces.mcp.application import Application, Listing
    from rum.surfaces.mcp.json_rpc import Request, RequestId

    Json = dict[str, Any]
    Handler = Callable[[Caller, Json], Json]

# Each newest first. A stateless request carries its revision; the others begin with `initialize`.
STATELESS = ("2026-07-28",)
HANDSHAKE = ("2025-11-25", "2025-06-18", "2024-11-05")
SUPPORTED = STATELESS + HANDSHAKE

UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND = -32002  # replaced by INVALID_PARAMS in the stateless revision

_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_SERVER = "io.modelcontextprotocol/serverInfo"
_SESSION = "sessionId"  # Codex names its session in every tool call
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

_HOUR = 3_600_000
# How long (in ms) and by whom an answer may be kept: listings are fixed, a memory may change at any moment.
_CACHING = {
    "server/discover": (_HOUR, "public"),
    "tools/list": (_HOUR, "public"),
    "prompts/list": (_HOUR, "public"),
    "resources/list": (_HOUR, "public"),
    "resources/templates/list": (_HOUR, "public"),
    "resources/read": (0, "private"),
}
# Clients that may hand a result to their model as it is, both forms of it; the others pick one.
_WHOLE = ("codex-mcp-client",)
_LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Dispatcher:
    """Answers the requests of one client, whichever revision each of them speaks."""

    def __init__(self, listing: Listing, open_application: Callable[[], Application]) -> None:
        self._listing = listing
        self._open_application = open_application
        self._application: Application | None = None
        self._greeted: str | None = None
        self._tools = {tool["name"]: tool for tool in listing.tools}
        shared: dict[str, Handler] = {
            "tools/list": _lister("tools", listing.tools),
            "tools/call": self._call,
            "resources/list": _lister("resources", listing.resources),
            "resources/templates/list": _lister("resourceTemplates", listing.templates),
            "resources/read": self._read,
            # Some clients ask for prompts whether or not any were announced.
            "prompts/list": _lister("prompts", listing.prompts),
            **({"prompts/get": self._prompt} if listing.prompts else {}),
        }
        self._stateless: dict[str, Handler] = {
            **shared,
            "server/discover": self._discover,
            "subscriptions/listen": self._listen,
        }
        self._handshake: dict[str, Handler] = {
            **shared,
            "initialize": self._initialize,
            "ping": lambda _caller, _params: {},
            "logging/setLevel": _set_level,
        }

    def reply(self, request: Request) -> Json:
        """The message to send now: a response, or for a stream that stays open its acknowledgement."""
        try:
            return self._answer(request)
        except RpcError as error:
            error.request_id = request.id
            return error.reply()

    def farewell(self, request: Request) -> Json:
        """The response that ends a stream which was kept open."""
        result = self._stamped("subscriptions/listen", {})
        result["_meta"][_SUBSCRIPTION] = request.id
        return _response(request.id, result)

    def settle(self) -> None:
        """Let the application do what waited for the answer to be sent."""
        if self._application is not None:
            self._application.settle()

    def idle_after(self) -> float | None:
        """After how many seconds of quiet the application wants to hear of it; None for never."""
        return self._application.idle_after() if self._application is not None else None

    def idle(self) -> None:
        """Let the application use the time."""
        if self._application is not None:
            self._application.idle()

    def close(self) -> None:
        """Close the application if it was ever opened."""
        if self._application is not None:
            self._application.close()

    def _answer(self, request: Request) -> Json:
        params = _object(request.params, "params")
        caller = self._identify(request.method, _object(params.get("_meta"), "_meta"))
        handler = (self._stateless if caller.stateless else self._handshake).get(request.method)
        if handler is None:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
        result = handler(caller, params)
        if request.method == "subscriptions/listen":
            request.stays_open = True
            return _acknowledged(request.id, result)
        return _response(request.id, self._stamped(request.method, result) if caller.stateless else result)

    def _identify(self, method: str, meta: Json) -> Caller:
        session = _string(meta, _SESSION)
        if method == "initialize" or not any(key in meta for key in (_VERSION, _CAPABILITIES, _CLIENT)):
            # Without a handshake either, the request is served all the same: nothing depends on it.
            if method in self._stateless and method not in self._handshake:
                raise _missing(_VERSION)
            return Caller(self._greeted, session, stateless=False)
        version = meta.get(_VERSION)
        if not isinstance(version, str):
            raise _missing(_VERSION)
        if version not in SUPPORTED:
            told = {"supported": list(SUPPORTED), "requested": version}
            raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", told)
        if version in STATELESS and not is_object(meta.get(_CAPABILITIES)):
            raise _missing(_CAPABILITIES)
        return Caller(_string(meta.get(_CLIENT), "name"), session, stateless=version in STATELESS)

    def _stamped(self, method: str, result: Json) -> Json:
        stamped = {"resultType": "complete", **result, "_meta": {_SERVER: self._implementation()}}
        if method in _CACHING:
            stamped["ttlMs"], stamped["cacheScope"] = _CACHING[method]
        return stamped

    def _implementation(self) -> Json:
        return {"name": self._listing.name, "version": self._listing.version}

    def _capabilities(self) -> Json:
        offered = {"tools": True, "resources": True, "prompts": bool(self._listing.prompts)}
        return {name: {} for name, is_there in offered.items() if is_there}

    def _initialize(self, _caller: Caller, params: Json) -> Json:
        wanted = _text(params, "protocolVersion")
        self._greeted = _string(params.get("clientInfo"), "name")
        return {
            "protocolVersion": wanted if wanted in HANDSHAKE else HANDSHAKE[0],
            "capabilities": self._capabilities(),
            "serverInfo": self._implementation(),
            "instructions": self._listing.instructions,
        }

    def _discover(self, _caller: Caller, _params: Json) -> Json:
        return {
            "supportedVersions": list(SUPPORTED),
            "capabilities": self._capabilities(),
            "instructions": self._listing.instructions,
        }

    def _listen(self, _caller: Caller, params: Json) -> Json:
        if not is_object(params.get("notifications")):
            raise RpcError(INVALID_PARAMS, "notifications must be an object.")
        # Nothing listed here ever changes while the server runs, so there is no kind of news to promise.
        return {"notifications": {}}

    def _call(self, caller: Caller, params: Json) -> Json:
        name = _text(params, "name")
        if name not in self._tools:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
        arguments = _object(params.get("arguments"), "arguments")
        answer, failed = self._opened().call(name, arguments, caller)
        once = caller.client in _WHOLE and not failed
        result: Json = {"content": [] if once else [{"type": "text", "text": dumps(answer)}]}
        # Many clients hold even an error against the schema meant for success, and then hide what it says.
        if not (failed and "outputSchema" in self._tools[name]):
            result["structuredContent"] = answer
        if failed:
            result["isError"] = True
        return result

    def _read(self, caller: Caller, params: Json) -> Json:
        uri = _text(params, "uri")
        try:
            entry = self._opened().read(uri, caller)
        except RumError as error:
            raise RpcError(INTERNAL_ERROR, error.message) from error
        if entry is None:
            code = INVALID_PARAMS if caller.stateless else RESOURCE_NOT_FOUND
            raise RpcError(code, "Resource not found", {"uri": uri})
        return {"contents": [entry]}

    def _prompt(self, caller: Caller, params: Json) -> Json:
        name, arguments = _text(params, "name"), _object(params.get("arguments"), "arguments")
        known = next((prompt for prompt in self._listing.prompts if prompt["name"] == name), None)
        if known is None:
            raise RpcError(INVALID_PARAMS, f"Unknown prompt: {name}")
        for argument in known["arguments"]:
            if argument["required"] and not _string(arguments, argument["name"]):
                raise RpcError(INVALID_PARAMS, f"The prompt {name} needs the argument {argument['name']}.")
        try:
            return self._opened().prompt(name, arguments, caller)
        except InvalidQuery as error:
            raise RpcError(INVALID_PARAMS, error.message) from error
        except RumError as error:
            raise RpcError(INTERNAL_ERROR, error.message) from error

    def _opened(self) -> Application:
        if self._application is None:
            self._application = self._open_application()
        return self._application


def _response(request_id: RequestId, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def _acknowledged(request_id: RequestId, params: Json) -> Json:
    method = "notifications/subscriptions/acknowledged"
    return {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": {_SUBSCRIPTION: request_id}}}


def _lister(field: str, items: list[Json]) -> Handler:
    def only_page(_caller: Caller, params: Json) -> Json:
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Unknown cursor: every list has one page.")
        return {field: items}

    return only_page


def _set_level(_caller: Caller, params: Json) -> Json:
    if params.get("level") not in _LOG_LEVELS:
        raise RpcError(INVALID_PARAMS, f"level must be one of {', '.join(_LOG_LEVELS)}.")
    # Accepted for clients that always send it; diagnostics go to stderr.
    return {}


def _object(value: object, field: str) -> Json:
    if value is None:
        return {}
    if not is_object(value):
        raise RpcError(INVALID_PARAMS, f"{field} must be an object.")
    return value


def _text(params: Json, field: str) -> str:
    value = _string(params, field)
    if value is None:
        raise RpcError(INVALID_PARAMS, f"{field} must be a string.")
    return value


def _string(value: object, field: str) -> str | None:
    found = value.get(field) if is_object(value) else None
    return found if isinstance(found, str) else None


def _missing(key: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"params._meta must carry {key}.")
