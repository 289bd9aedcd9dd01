"""Answer MCP requests, in the protocol versions with a handshake and in the stateless one."""

from __future__ import annotations

from rum.model.errors import InvalidQuery, RumError
from rum.surfaces.mcp import apps
from rum.surfaces.mcp.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RpcError,
    dumps,
    is_object,
)

TYPE_CHECKING = False  # Not from `typing`: importing it would delay the first answer by a fifth
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from rum.surfaces.mcp.json_rpc import Request, RequestId

    Json = dict[str, Any]
    Handler = Callable[["Caller", Json], Json]

    class Application(Protocol):
        """The application behind the tools; created at the first request that needs it.

        An exception is a defect: the client gets an internal error, and the traceback goes to stderr.
        An error that the caller can correct is returned as a result with the error flag set.
        """

        def call(self, name: str, arguments: Json, caller: Caller) -> tuple[Json, bool]:
            """Run a listed tool; return its result and whether it is an error."""
            ...

        def read(self, uri: str, caller: Caller) -> Json | None:
            """Return a resource as an entry of `contents` (`uri`, `mimeType`, `text`), or None."""

        def prompt(self, name: str, arguments: Json, caller: Caller) -> Json:
            """Return a listed prompt with its arguments filled in (`description`, `messages`)."""
            ...

        def version(self, uri: str) -> object:
            """Something that differs when a resource has changed."""
            ...

        def settle(self) -> None:
            """Do work that can wait; called in a pause between requests, and at least once a second."""

        def idle_after(self) -> float | None:
            """Seconds without a request after which `idle` is called; None for never."""

        def idle(self) -> None:
            """Do pending work; called once for each idle period."""

        def close(self) -> None:
            """Release all resources; called once, at the end."""


# Newest first. A stateless request names its version; clients of the others begin with `initialize`.
STATELESS = ("2026-07-28",)
HANDSHAKE = ("2025-11-25", "2025-06-18", "2024-11-05")
SUPPORTED = STATELESS + HANDSHAKE

UNSUPPORTED_VERSION = -32022
RESOURCE_NOT_FOUND = -32002  # INVALID_PARAMS in the stateless version

VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_CLIENT = "io.modelcontextprotocol/clientInfo"
_SERVER = "io.modelcontextprotocol/serverInfo"
_SESSION = "sessionId"  # sent by Codex with every tool call
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

OFFERS = (
    "rum://offers"  # The resource that changes while the server runs, so that clients can subscribe to it
)

_HOUR = 3_600_000
# Cache duration in ms, and scope: lists never change, a memory may change at any time.
_CACHING = {
    "server/discover": (_HOUR, "public"),
    "tools/list": (_HOUR, "public"),
    "prompts/list": (_HOUR, "public"),
    "resources/list": (_HOUR, "public"),
    "resources/templates/list": (_HOUR, "public"),
    "resources/read": (0, "private"),
}
# Clients that pass both forms of a result to their model: they get only the structured one.
_STRUCTURED_ONLY = ("codex-mcp-client",)
_LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Caller:
    """The client, its session if it names one, and whether it uses the stateless version of the protocol."""

    def __init__(
        self, client: str | None, session: str | None, *, stateless: bool, shows_apps: bool = False
    ) -> None:
        self.client = client
        self.session = session
        self.stateless = stateless
        self.shows_apps = shows_apps
        """Whether it shows MCP Apps."""


class Listing:
    """Everything that a client can list; it never changes while the process runs."""

    def __init__(
        self,
        *,
        name: str,
        version: str,
        instructions: str,
        tools: list[Json],
        resources: list[Json],
        templates: list[Json],
        prompts: list[Json] | None = None,
        app_tools: list[Json] | None = None,
        app_resources: list[Json] | None = None,
    ) -> None:
        """`app_tools` and `app_resources` are listed only for clients that show MCP Apps."""
        self.name = name
        self.version = version
        self.instructions = instructions
        self.tools = tools
        self.resources = resources
        self.templates = templates
        self.prompts = prompts or []
        self.app_tools = app_tools or []
        self.app_resources = app_resources or []


class Dispatcher:
    """Answers the requests of one client, each in its own version of the protocol."""

    def __init__(
        self,
        listing: Listing,
        open_application: Callable[[], Application],
        client: str | None = None,
        *,
        notifies: bool = False,
        shows_apps: bool = False,
    ) -> None:
        """`client` is the name that the client gave in an earlier handshake, `shows_apps` what it declared.

        `notifies` says that `updates` will be sent, so that clients may subscribe.
        """
        self._listing = listing
        self._open_application = open_application
        self.application: Application | None = None  # None until a request needs it
        self.client = client
        self.shows_apps = shows_apps
        self._notifies = notifies and any(one["uri"] == OFFERS for one in listing.resources)
        self.subscriptions: dict[RequestId | None, Request | None] = {}
        """Who subscribed to the offers: by the stream's request; None with a handshake."""
        self._version: object = None
        self._tools = {tool["name"]: tool for tool in listing.tools}
        self._app_tools = {tool["name"]: tool for tool in listing.app_tools}
        shared: dict[str, Handler] = {
            "tools/list": _list_handler("tools", listing.tools, listing.app_tools),
            "tools/call": self._call,
            "resources/list": _list_handler("resources", listing.resources, listing.app_resources),
            "resources/templates/list": _list_handler("resourceTemplates", listing.templates),
            "resources/read": self._read,
            # Some clients list prompts even if the server did not announce any.
            "prompts/list": _list_handler("prompts", listing.prompts),
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
            **(
                {"resources/subscribe": self._subscribe, "resources/unsubscribe": self._unsubscribe}
                if self._notifies
                else {}
            ),
        }

    def reply(self, request: Request) -> Json:
        """Return the message to send: a response, or the acknowledgement of a stream that stays open."""
        try:
            return self._answer(request)
        except RpcError as error:
            error.request_id = request.id
            return error.reply()

    def updates(self) -> list[Json]:
        """The notifications to send if the offers have changed since the last call."""
        for name, stream in tuple(self.subscriptions.items()):
            if stream is not None and stream.cancelled:
                del self.subscriptions[name]
        if not self.subscriptions or self.application is None:
            return []
        version, before = self.application.version(OFFERS), self._version
        self._version = version
        return [
            {
                "jsonrpc": "2.0",
                "method": "notifications/resources/updated",
                "params": {"uri": OFFERS, **({"_meta": {_SUBSCRIPTION: stream.id}} if stream else {})},
            }
            for stream in self.subscriptions.values()
            if version != before
        ]

    def end_of_stream(self, request: Request) -> Json:
        """Return the response that ends an open stream."""
        result = self._with_metadata("subscriptions/listen", {})
        result["_meta"][_SUBSCRIPTION] = request.id
        return _response(request.id, result)

    def _answer(self, request: Request) -> Json:
        params = _object(request.params, "params")
        caller = self._identify(request.method, _object(params.get("_meta"), "_meta"))
        handler = (self._stateless if caller.stateless else self._handshake).get(request.method)
        if handler is None:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method}")
        result = handler(caller, params)
        if request.method == "subscriptions/listen":
            request.is_deferred = True
            if result["notifications"]:
                self.subscriptions[request.id] = request
            method = "notifications/subscriptions/acknowledged"
            return {
                "jsonrpc": "2.0",
                "method": method,
                "params": {**result, "_meta": {_SUBSCRIPTION: request.id}},
            }
        if caller.stateless:
            result = self._with_metadata(request.method, result, caller)
        return _response(request.id, result)

    def _identify(self, method: str, meta: Json) -> Caller:
        session = _string(meta, _SESSION)
        if method == "initialize" or not any(key in meta for key in (VERSION, _CAPABILITIES, _CLIENT)):
            # A request without a handshake is answered too: no answer depends on it.
            if method in self._stateless and method not in self._handshake:
                raise _missing_meta(VERSION)
            return Caller(self.client, session, stateless=False, shows_apps=self.shows_apps)
        version = meta.get(VERSION)
        if not isinstance(version, str):
            raise _missing_meta(VERSION)
        if version not in SUPPORTED:
            versions = {"supported": list(SUPPORTED), "requested": version}
            raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", versions)
        if version in STATELESS and not is_object(meta.get(_CAPABILITIES)):
            raise _missing_meta(_CAPABILITIES)
        return Caller(
            _string(meta.get(_CLIENT), "name"),
            session,
            stateless=version in STATELESS,
            shows_apps=apps.shows_apps(meta.get(_CAPABILITIES)),
        )

    def _with_metadata(self, method: str, result: Json, caller: Caller | None = None) -> Json:
        answer = {"resultType": "complete", **result, "_meta": {_SERVER: self._implementation()}}
        if method in _CACHING:
            answer["ttlMs"], answer["cacheScope"] = _CACHING[method]
            if caller is not None and caller.shows_apps:  # other clients get other lists
                answer["cacheScope"] = "private"
        return answer

    def _implementation(self) -> Json:
        return {"name": self._listing.name, "version": self._listing.version}

    def _capabilities(self, shows_apps: bool) -> Json:
        resources = {"subscribe": True} if self._notifies else {}
        more: Json = {"prompts": {}} if self._listing.prompts else {}
        if shows_apps and self._listing.app_resources:
            more["extensions"] = {apps.EXTENSION: {}}
        return {"tools": {}, "resources": resources, **more}

    def _initialize(self, _caller: Caller, params: Json) -> Json:
        requested = _required_string(params, "protocolVersion")
        self.client = _string(params.get("clientInfo"), "name")
        self.shows_apps = apps.shows_apps(params.get("capabilities"))
        return {
            "protocolVersion": requested if requested in HANDSHAKE else HANDSHAKE[0],
            "capabilities": self._capabilities(self.shows_apps),
            "serverInfo": self._implementation(),
            "instructions": self._listing.instructions,
        }

    def _discover(self, caller: Caller, _params: Json) -> Json:
        return {
            "supportedVersions": list(SUPPORTED),
            "capabilities": self._capabilities(caller.shows_apps),
            "instructions": self._listing.instructions,
        }

    def _listen(self, _caller: Caller, params: Json) -> Json:
        if not is_object(params.get("notifications")):
            raise RpcError(INVALID_PARAMS, "notifications must be an object.")
        # No list changes while the server runs, so there is nothing else to notify about.
        wanted = params["notifications"].get("resourceSubscriptions")
        found = isinstance(wanted, list) and OFFERS in wanted and self._notifies
        return {"notifications": {"resourceSubscriptions": [OFFERS]} if found else {}}

    def _subscribe(self, _caller: Caller, params: Json) -> Json:
        uri = _required_string(params, "uri")
        if uri != OFFERS:
            raise RpcError(RESOURCE_NOT_FOUND, f"Only {OFFERS} can be subscribed to.", {"uri": uri})
        self.subscriptions[None] = None
        return {}

    def _unsubscribe(self, _caller: Caller, params: Json) -> Json:
        if _required_string(params, "uri") == OFFERS:
            self.subscriptions.pop(None, None)
        return {}

    def _call(self, caller: Caller, params: Json) -> Json:
        name = _required_string(params, "name")
        tool = self._tools.get(name) or (self._app_tools.get(name) if caller.shows_apps else None)
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
        arguments = _object(params.get("arguments"), "arguments")
        answer, failed = self._open().call(name, arguments, caller)
        no_text = caller.client in _STRUCTURED_ONLY and not failed
        result: Json = {"content": [] if no_text else [{"type": "text", "text": dumps(answer)}]}
        # Many clients validate even an error with the output schema, and then hide its message.
        if not (failed and "outputSchema" in tool):
            result["structuredContent"] = answer
        if failed:
            result["isError"] = True
        return result

    def _read(self, caller: Caller, params: Json) -> Json:
        uri = _required_string(params, "uri")
        try:
            hidden = uri.startswith(apps.SCHEME) and not caller.shows_apps
            entry = None if hidden else self._open().read(uri, caller)
        except RumError as error:
            raise RpcError(INTERNAL_ERROR, error.message) from error
        if entry is None:
            code = INVALID_PARAMS if caller.stateless else RESOURCE_NOT_FOUND
            raise RpcError(code, "Resource not found", {"uri": uri})
        return {"contents": [entry]}

    def _prompt(self, caller: Caller, params: Json) -> Json:
        name, arguments = _required_string(params, "name"), _object(params.get("arguments"), "arguments")
        prompt = next((one for one in self._listing.prompts if one["name"] == name), None)
        if prompt is None:
            raise RpcError(INVALID_PARAMS, f"Unknown prompt: {name}")
        for argument in prompt["arguments"]:
            if argument["required"] and not _string(arguments, argument["name"]):
                raise RpcError(INVALID_PARAMS, f"The prompt {name} needs the argument {argument['name']}.")
        try:
            return self._open().prompt(name, arguments, caller)
        except InvalidQuery as error:
            raise RpcError(INVALID_PARAMS, error.message) from error
        except RumError as error:
            raise RpcError(INTERNAL_ERROR, error.message) from error

    def _open(self) -> Application:
        if self.application is None:
            self.application = self._open_application()
        return self.application


def _response(request_id: RequestId, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def _list_handler(field: str, items: list[Json], for_apps: list[Json] | None = None) -> Handler:
    """Lists items; `for_apps` are added for clients that show MCP Apps."""

    def list_items(caller: Caller, params: Json) -> Json:
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Unknown cursor: every list has one page.")
        return {field: items + for_apps if for_apps and caller.shows_apps else items}

    return list_items


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


def _required_string(params: Json, field: str) -> str:
    value = _string(params, field)
    if value is None:
        raise RpcError(INVALID_PARAMS, f"{field} must be a string.")
    return value


def _string(value: object, field: str) -> str | None:
    found = value.get(field) if is_object(value) else None
    return found if isinstance(found, str) else None


def _missing_meta(key: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"params._meta must carry {key}.")
