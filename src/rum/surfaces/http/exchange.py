"""One MCP message over HTTP: its headers, its session, and the answer with the right status.

Clients with a handshake get a session id, which carries the client's name and a signature: any process of the
server can read it, and none has to remember it. Stateless clients repeat in headers what the body says, and
both must agree.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

from rum.app.access import AccessToken
from rum.capture.tombstones import installation_key
from rum.model.errors import RateLimited, RumError
from rum.settings.home import ensure_private_dir
from rum.surfaces.http import limits
from rum.surfaces.mcp import json_rpc
from rum.surfaces.mcp.json_rpc import Request, RpcError
from rum.surfaces.mcp.protocol import STATELESS, SUPPORTED, UNSUPPORTED_VERSION, VERSION
from rum.surfaces.mcp.tools import Json

HEADER_MISMATCH = -32020
# The revision that clients speak which do not send the header, and which answers like the next one.
_WITHOUT_HEADER = "2025-03-26"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_SHOWS_APPS = ".apps"  # Behind the name in a session id
_MAX_CLIENT = 100  # Bytes of a client's name in a session id
# Clients of the stateless revision learn from the status, those with a handshake from the body alone.
_STATUS = {
    json_rpc.PARSE_ERROR: 400,
    json_rpc.INVALID_REQUEST: 400,
    json_rpc.INVALID_PARAMS: 400,
    json_rpc.METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
}


class Refused(Exception):
    """A request that is not answered as MCP: its status, a sentence, and further headers."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Session(NamedTuple):
    """A session of a client with a handshake."""

    id: str
    client: str | None
    shows_apps: bool = False


class Sessions:
    """Makes and reads session ids; an id is valid for the token that it was made for, and no other."""

    def __init__(self, home: str) -> None:
        ensure_private_dir(home)
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._key = hashlib.sha256(b"rum http session\0" + installation_key(home)).digest()

    def make(self, token: AccessToken | None, client: str | None, *, shows_apps: bool = False) -> str:
        """A new session id, with what the client declared of itself."""
        name = (client or "").encode("utf-8", "replace")[:_MAX_CLIENT]
        body = f"{os.urandom(12).hex()}.{base64.urlsafe_b64encode(name).decode().rstrip('=')}"
        body += _SHOWS_APPS if shows_apps else ""
        return f"{body}.{self._sign(body, token)}"

    def read(self, text: str, token: AccessToken | None) -> Session:
        """The session with an id; Refused with 404, after which clients begin a new one."""
        body, _, signature = text.rpartition(".")
        if not text.isascii() or not hmac.compare_digest(self._sign(body, token), signature):
            raise Refused(404, "There is no such session. Begin with `initialize`.")
        one, _, name = body.removesuffix(_SHOWS_APPS).partition(".")
        if one in self._ended:
            raise Refused(404, "This session was ended. Begin with `initialize`.")
        try:
            client = base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode("utf-8", "ignore")
        except binascii.Error:
            client = ""
        return Session(one, client or None, body.endswith(_SHOWS_APPS))

    def end(self, text: str, token: AccessToken | None) -> None:
        """End a session; the last ones that ended are remembered."""
        self._ended[self.read(text, token).id] = None
        while len(self._ended) > limits.MAX_ENDED:
            self._ended.popitem(last=False)

    def _sign(self, body: str, token: AccessToken | None) -> str:
        text = f"{token.id if token else ''}\0{body}".encode()
        return hmac.new(self._key, text, hashlib.sha256).hexdigest()[:32]


def check_version(request: Request, headers: Mapping[str, str]) -> bool:
    """Whether a request is stateless; RpcError if its version is unknown, or its headers contradict it."""
    header = headers.get("mcp-protocol-version")
    meta = _part(request.params, "_meta")
    named = meta.get(VERSION)
    if header is not None and header not in (*SUPPORTED, _WITHOUT_HEADER):
        data = {"supported": list(SUPPORTED), "requested": header[:40]}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data, request.id)
    if header not in STATELESS and named not in STATELESS:
        return False
    if VERSION in meta:
        _check_header("MCP-Protocol-Version", header, named, request)
    _check_header("Mcp-Method", headers.get("mcp-method"), request.method, request)
    field = _NAMED_BY.get(request.method)
    name = json_rpc.is_object(request.params) and request.params.get(field) if field else None
    if isinstance(name, str):
        _check_header("Mcp-Name", _decoded(headers.get("mcp-name")), name, request)
    if request.method == "initialize":
        raise RpcError(json_rpc.METHOD_NOT_FOUND, "Method not found: initialize", request_id=request.id)
    return True


def _check_header(name: str, header: str | None, value: object, request: Request) -> None:
    if header is None or header != value:
        what = "is missing" if header is None else "differs from the body"
        raise RpcError(HEADER_MISMATCH, f"The header {name} {what}.", request_id=request.id)


def _decoded(header: str | None) -> str | None:
    """A header's value; one with other characters than ASCII is sent as base64."""
    if header is None or not (header.startswith("=?base64?") and header.endswith("?=")):
        return header
    try:
        return base64.b64decode(header[9:-2], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None


def _part(value: object, field: str) -> Json:
    found = value.get(field) if json_rpc.is_object(value) else None
    return found if json_rpc.is_object(found) else {}


def tool_of(request: Request) -> tuple[str, Json]:
    """The tool that a request calls, and its arguments; an empty name if it calls none."""
    name = request.params.get("name") if json_rpc.is_object(request.params) else None
    if request.method != "tools/call" or not isinstance(name, str):
        return "", {}
    return name, _part(request.params, "arguments")


def status_of(reply: Json, *, stateless: bool) -> int:
    """The HTTP status of an answer; with a handshake, errors of the protocol have 200."""
    code = reply["error"]["code"] if "error" in reply else None
    return _STATUS.get(code, 200) if code is not None and stateless else 200


def error_reply(request: Request, error: RumError, *, stateless: bool) -> Json:
    """An error as the result of a tool, which agents can read; for other requests as one of the protocol."""
    if not tool_of(request)[0]:
        return RpcError(json_rpc.INTERNAL_ERROR, error.message, error.to_dict(), request.id).reply()
    text = json_rpc.dumps(error.to_dict())
    result: Json = {"content": [{"type": "text", "text": text}], "isError": True}
    if stateless:
        result["resultType"] = "complete"
    return {"jsonrpc": "2.0", "id": request.id, "result": result}


def rate_limited(request: Request, error: RateLimited, *, stateless: bool) -> tuple[Json, int]:
    """The answer to one call too many, and its status."""
    if tool_of(request)[0]:
        return error_reply(request, error, stateless=stateless), 200
    return RpcError(json_rpc.INVALID_REQUEST, error.message, error.to_dict(), request.id).reply(), 429
