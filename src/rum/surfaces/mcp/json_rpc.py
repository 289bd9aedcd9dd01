"""Newline-delimited JSON-RPC 2.0 over file descriptors: framing, parsing and writing."""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False  # Importing `typing` would slow down the start
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn, TypeGuard

    Json = dict[str, Any]
    RequestId = int | str

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

# Maximum bytes of a message: about a million tokens, more than any real call needs, but small enough that
# the parsed form, several times as large, does not exhaust a small machine.
MAX_LINE = 4 * 1024 * 1024
_CHUNK = 64 * 1024

# Valid inside JSON strings, but some clients split lines at them.
_LINE_SEPARATORS = (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\x85", "\\u0085"))


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(parse_constant=_reject_constant)


class RpcError(Exception):
    """A JSON-RPC error; `request_id` is None if the request has no readable id."""

    def __init__(
        self, code: int, message: str, data: Json | None = None, request_id: RequestId | None = None
    ):
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.request_id = request_id

    def reply(self) -> Json:
        """The error as a message to the client."""
        error: Json = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


class Request:
    """A request, and whether it was cancelled or its answer is deferred until the stream ends."""

    def __init__(self, request_id: RequestId, method: str, params: object) -> None:
        self.id = request_id
        self.method = method
        self.params = params
        self.cancelled = False
        self.is_deferred = False


class Notification:
    """A message that expects no response."""

    def __init__(self, method: str, params: object) -> None:
        self.method = method
        self.params = params


def claim_streams() -> tuple[int, int]:
    """Reserve the standard streams for the protocol; return descriptors to read from and write to.

    A `print`, here or in a child process, then goes to stderr, and no child can read the client's input.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(null, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return incoming, outgoing


def read_lines(fd: int, limit: int = MAX_LINE) -> Iterator[bytes | None]:
    """Yield each line of a descriptor without its newline; None for a line longer than the limit.

    It reads the descriptor directly, because a thread waiting inside a buffered reader holds that reader's
    lock, which can abort the interpreter at exit.
    """
    buffer, too_long = bytearray(), False
    while chunk := _read(fd):
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            buffer += piece
            yield None if too_long or len(buffer) > limit else bytes(buffer)
            buffer.clear()
            too_long = False
        buffer += rest
        if len(buffer) > limit:
            too_long = True
            buffer.clear()
    if buffer or too_long:
        yield None if too_long else bytes(buffer)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK)
    except OSError:
        return b""


def parse(line: bytes | None) -> Request | Notification | None:
    """Parse a line; None for a blank line, or a response, as the server sends no requests."""
    if line is None:
        raise RpcError(INVALID_REQUEST, f"The message is longer than {MAX_LINE} bytes.")
    if not line.strip():
        return None
    try:
        message: object = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "The message is not valid JSON in UTF-8.") from None
    if not is_object(message):
        raise RpcError(INVALID_REQUEST, "A message must be one JSON object; batches are not supported.")
    method = message.get("method")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    # An invalid request is refused with its own id if possible, so that the client does not wait for it.
    value = message.get("id")
    request_id = value if is_request_id(value) else None
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0".', request_id=request_id)
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, 'A message must have a string "method".', request_id=request_id)
    if "id" not in message:
        return Notification(method, message.get("params"))
    if request_id is None:
        raise RpcError(INVALID_REQUEST, "A request's id must be a string or a whole number.")
    return Request(request_id, method, message.get("params"))


def is_object(value: object) -> TypeGuard[Json]:
    """Whether a decoded value is a JSON object."""
    return isinstance(value, dict)


def is_request_id(value: object) -> TypeGuard[RequestId]:
    """Whether a value can be the id of a request: MCP allows strings and integers, but not null."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def dumps(value: object) -> str:
    """Encode compact JSON without ASCII escapes; ValueError for NaN and infinity."""
    return _ENCODER.encode(value)


def encode(message: Json) -> bytes:
    """Encode a message as one line of valid UTF-8."""
    text = dumps(message)
    for separator, escape in _LINE_SEPARATORS:
        text = text.replace(separator, escape)
    return text.encode("utf-8", "replace") + b"\n"


def send(fd: int, data: bytes) -> None:
    """Write all data; OSError if the client has closed the stream."""
    remaining = memoryview(data)
    while remaining:
        remaining = remaining[os.write(fd, remaining) :]
