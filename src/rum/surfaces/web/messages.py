"""A request and its answer, whatever server they come through; and the headers that every answer has."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec

from rum.model.errors import RumError

JSON = "application/json"
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# No other site may read, frame or learn of anything.
SAFE_HEADERS = (
    ("Content-Security-Policy", CONTENT_POLICY),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
_MAX_PARAMETERS = 100
_STATUS = {
    "INVALID_QUERY": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "TIMEOUT": 408,
    "TOO_LARGE": 413,
    "WRONG_TYPE": 415,
    "WRONG_HOST": 421,
    "RATE_LIMITED": 429,
    "HEADERS_TOO_LARGE": 431,
    "INTERNAL": 500,
    "NOT_IMPLEMENTED": 501,
    "STORAGE_ERROR": 503,
    "BUSY": 503,
}


class Refused(Exception):
    """A request that is not answered, with a code and the reason in plain words."""

    def __init__(
        self, code: str, message: str, details: dict[str, object] | None = None, **headers: str
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details or {}
        self.headers = tuple((name.replace("_", "-"), value) for name, value in headers.items())


class Request(NamedTuple):
    """A request; names of headers are in lower case."""

    method: str
    path: str  # As it was sent, without the query
    query: str
    headers: dict[str, str]
    body: bytes = b""

    def header(self, name: str) -> str:
        """A header; empty if there is none."""
        return self.headers.get(name, "")

    @property
    def parameters(self) -> dict[str, list[str]]:
        """The parameters of the address; empty ones are left out."""
        found: dict[str, list[str]] = {}
        try:
            pairs = parse_qsl(self.query, errors="strict", max_num_fields=_MAX_PARAMETERS)
        except ValueError:
            raise Refused("INVALID_QUERY", "The parameters of the address are not valid.") from None
        for name, value in pairs:
            found.setdefault(name, []).append(value)
        return found

    @property
    def steps(self) -> list[str]:
        """The parts of the path, decoded one by one, so that a part may contain a slash."""
        try:
            return [unquote_to_bytes(step).decode() for step in self.path.split("/")[1:]]
        except UnicodeDecodeError:
            raise Refused("INVALID_QUERY", "The path is not valid UTF-8.") from None

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name."""
        pairs = (part.strip().partition("=") for part in self.header("cookie").split(";"))
        return {name: value for name, _, value in pairs if name}


class Response(NamedTuple):
    """An answer."""

    status: int
    content_type: str = ""
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def all_headers(self) -> list[tuple[str, str]]:
        """The headers, with those that every answer has."""
        kind = [("Content-Type", self.content_type)] if self.content_type else []
        cached = any(name == "Cache-Control" for name, _ in self.headers)
        return [*kind, *(() if cached else (("Cache-Control", "no-store"),)), *SAFE_HEADERS, *self.headers]


def json_response(answer: object, status: int = 200, *headers: tuple[str, str]) -> Response:
    """An answer of the API."""
    return Response(status, JSON, msgspec.json.encode(answer), headers)


def error_response(error: RumError | Refused) -> Response:
    """An error as the API answers it."""
    content: dict[str, object] = {"code": error.code, "message": error.message}
    if error.details:
        content["details"] = error.details
    headers = list(error.headers) if isinstance(error, Refused) else []
    if wait := error.details.get("retry_after"):
        headers.append(("Retry-After", str(int(float(str(wait))) + 1)))
    return json_response({"error": content}, _STATUS.get(error.code, 500), *headers)
