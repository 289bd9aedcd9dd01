"""Newline-delimited JSON-RPC 2.0 over file descriptors: framing, parsing and writing."""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
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

# About a million tokens, so no honest call comes near it, and little enough that the parsed form,
# several times as large, cannot exhaust a small machine.
MAX_LINE = 4 * 1024 * 1024
_CHUNK = 64 * 1024

# Legal inside JSON strings, yet some clients' line readers take them for line ends.
_LINE_MARKS = (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\x85", "\\u0085"))


class RpcError(Exception):
    """A JSON-RPC error reply; `request_id` is None where the request's own could not be read."""

    def __init__(
        self, code: int, message: str, data: Json | None = None, request_id: RequestId | None = None
    ):
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.request_id = request_id

    def reply(self) -> Json:
        """The message that tells the client."""
        error: Json = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


class Request:
    """A message that wants an answer, with what became of it."""

    __slots__ = ("cancelled", "id", "method", "params", "stays_open")

    def __init__(self, request_id: RequestId, method: str, params: object) -> None:
        self.id = request_id
        self.method = method
        self.params = params
        self.cancelled = False
        self.stays_open = False


class Notice:
    """A message that wants none."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: object) -> None:
        self.method = method
        self.params = params


def claim_streams() -> tuple[int, int]:
    """Keep the standard streams for the protocol alone; return descriptors to read from and write to.

    A stray print, here or in a child process, then lands on stderr, and no child can eat the client's input.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = sys.stderr
    return incoming, outgoing


def lines(source: int, limit: int = MAX_LINE) -> Iterator[bytes | None]:
    """Yield each line of a descriptor without its newline; None stands for one longer than the limit.

    It reads the descriptor itself, because a thread waiting inside a buffered reader holds that reader's
    lock, which can abort the interpreter at exit.
    """
    kept, too_long = bytearray(), False
    while chunk := _read(source):
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            kept += piece
            yield None if too_long or len(kept) > limit else bytes(kept)
            kept.clear()
            too_long = False
        kept += rest
        if len(kept) > limit:
            too_long = True
            kept.clear()
    if kept or too_long:
        yield None if too_long else bytes(kept)


def _read(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:
        return b""


def parse(line: bytes | None) -> Request | Notice | None:
    """One line as a message; None for what needs nothing done: a blank line, an answer nobody asked for."""
    if line is None:
        raise RpcError(INVALID_REQUEST, f"The message is longer than {MAX_LINE} bytes.")
    if not line.strip():
        return None
    message = _decode(line)
    if not is_object(message):
        raise RpcError(INVALID_REQUEST, "A message must be one JSON object; batches are not supported.")
    return _checked(message)


def is_object(value: object) -> TypeGuard[Json]:
    """Whether a decoded value is a JSON object."""
    return isinstance(value, dict)


def is_id(value: object) -> TypeGuard[RequestId]:
    """Whether a value may identify a request: MCP allows strings and whole numbers, and no null."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def dumps(value: object) -> str:
    """Compact JSON, readable in any script; ValueError for what JSON cannot say (NaN, infinity)."""
    return _ENCODER.encode(value)


def encode(message: Json) -> bytes:
    """A message as the one line that carries it: always valid UTF-8, always one line for every reader."""
    text = dumps(message)
    for mark, escape in _LINE_MARKS:
        text = text.replace(mark, escape)
    return text.encode("utf-8", "replace") + b"\n"


def send(target: int, data: bytes) -> None:
    """Write all of it; OSError when nobody listens any more."""
    left = memoryview(data)
    while left:
        left = left[os.write(target, left) :]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _decode(line: bytes) -> object:
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RpcError(PARSE_ERROR, "The message is not valid JSON in UTF-8.") from None


def _checked(message: Json) -> Request | Notice | None:
    method, identified = message.get("method"), message.get("id")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    # A request that can be told apart is refused by its own id, so that its sender need not wait for ever.
    known = identified if is_id(identified) else None
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0".', request_id=known)
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "A message must name its method.", request_id=known)
    if "id" not in message:
        return Notice(method, message.get("params"))
    if known is None:
        raise RpcError(INVALID_REQUEST, "A request's id must be a string or a whole number.")
    return Request(known, method, message.get("params"))
