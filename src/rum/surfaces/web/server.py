"""A small HTTP server for one user: one request per connection, everything bounded, nothing logged."""

from __future__ import annotations

import os
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from time import monotonic

from rum.surfaces.web.messages import Refused, Request, Response, error_response

HOST = "127.0.0.1"
MAX_HEADERS = 16 * 1024
MAX_HEADER_COUNT = 100
MAX_CONNECTIONS = 32
HEADERS_WITHIN = 10.0  # Seconds until all headers must have come
BODY_WITHIN = 20.0
ANSWER_WITHIN = 30.0  # Seconds in which a client must take the answer
_END_WITHIN = 5.0  # Seconds for running requests when the server ends
_POLL = 1.0
_TURNED_AWAY = 0.05  # Seconds for a client that finds no place
_DRAINED = 256 * 1024  # Bytes that are read after an answer that did not need them
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ONCE = ("host", "content-length", "content-type", "cookie", "origin", "authorization", "x-rum-csrf")


def listen(port: int) -> socket.socket:
    """A socket on loopback; OSError if the port is taken."""
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "nt":  # there, SO_REUSEADDR would let another program take over the port
            server.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", -5), 1)
        else:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((HOST, port))
        server.listen(64)
    except BaseException:
        server.close()
        raise
    return server


class Server:
    """Serves requests in threads until it is stopped, or until nobody asked for `idle` seconds."""

    def __init__(
        self,
        listener: socket.socket,
        respond: Callable[[Request], Response],
        max_body: int,
        idle: float | None = None,
    ) -> None:
        self._listener = listener
        self._respond = respond
        self._max_body = max_body
        self._idle = idle
        self._used_at = monotonic()
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._running: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self._waker, self._woken = socket.socketpair()

    def stop(self) -> None:
        """End now; may be called from a signal handler or another thread."""
        self._stopped = True
        with suppress(OSError):  # it has ended already
            self._waker.send(b"x")

    def run(self) -> None:
        """Serve until it ends, and let running requests finish."""
        self._listener.setblocking(False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            try:
                while not self._stopped and not self._is_idle():
                    if selector.select(_POLL) and not self._stopped:
                        self._accept()
            finally:
                for one in (self._listener, self._waker, self._woken):
                    one.close()
                self._finish()

    def _is_idle(self) -> bool:
        return self._idle is not None and not self._running and monotonic() - self._used_at > self._idle

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:  # the client has gone, or there are no free handles
            return
        if not self._free.acquire(blocking=False):
            with connection, suppress(OSError):
                connection.settimeout(_TURNED_AWAY)
                busy = Refused("BUSY", "There are too many connections. Try again.", Retry_After="1")
                connection.sendall(_encode(error_response(busy), is_head=False))
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65536)  # what was sent must be read, or the answer may be lost
            return
        thread = threading.Thread(target=self._serve, args=(connection,), name="rum-web", daemon=True)
        with self._lock:
            self._running.add(thread)
        thread.start()

    def _finish(self) -> None:
        end = monotonic() + _END_WITHIN
        with self._lock:
            running = list(self._running)
        for thread in running:
            thread.join(max(0.0, end - monotonic()))

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError):  # the client may be gone at any time
                self._exchange(connection)
        finally:
            self._used_at = monotonic()
            with self._lock:
                self._running.discard(threading.current_thread())
            self._free.release()

    def _exchange(self, connection: socket.socket) -> None:
        method = ""
        try:
            head, rest = _read_head(connection)
            if head is None:
                return
            method, target, headers = _parse_head(head)
            body = _read_body(connection, headers, rest, self._max_body)
            path, _, query = target.partition("?")
            response = self._respond(Request(method, path, query, headers, body))
        except Refused as refused:
            response = error_response(refused)
        connection.settimeout(ANSWER_WITHIN)
        connection.sendall(_encode(response, is_head=method == "HEAD"))
        _drain(connection)


def _drain(connection: socket.socket) -> None:
    """Read what the client still sends: closing before that would make its system drop the answer."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(1.0)
    left, end = _DRAINED, monotonic() + 1.0
    while left > 0 and monotonic() < end:
        data = connection.recv(65536)
        if not data:
            return
        left -= len(data)


def _receive(connection: socket.socket, end: float) -> bytes:
    """The next bytes; Refused if they come too late, empty at the end."""
    left = end - monotonic()
    if left <= 0:
        raise Refused("TIMEOUT", "The request came too slowly.")
    connection.settimeout(left)
    try:
        return connection.recv(65536)
    except TimeoutError:
        raise Refused("TIMEOUT", "The request came too slowly.") from None


def _read_head(connection: socket.socket) -> tuple[bytes | None, bytes]:
    """The request line and headers, and what was read after them; None if the client sent nothing."""
    end, data = monotonic() + HEADERS_WITHIN, b""
    while b"\r\n\r\n" not in data:
        if len(data) > MAX_HEADERS:
            raise Refused("HEADERS_TOO_LARGE", f"The headers are longer than {MAX_HEADERS} bytes.")
        more = _receive(connection, end)
        if not more:
            if data:
                raise Refused("INVALID_QUERY", "The request ended too early.")
            return None, b""
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    if len(head) > MAX_HEADERS:
        raise Refused("HEADERS_TOO_LARGE", f"The headers are longer than {MAX_HEADERS} bytes.")
    return head, rest


def _parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Method, target and headers, read strictly."""
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or not _TOKEN.issuperset(words[0]):
        raise Refused("INVALID_QUERY", "This is not an HTTP/1.1 request.")
    method, target = words[0], words[1]
    if not target.startswith("/") or not target.isascii() or not target.isprintable():
        raise Refused("INVALID_QUERY", "The address must be a path.")
    headers: dict[str, str] = {}
    if len(lines) > MAX_HEADER_COUNT:
        raise Refused("HEADERS_TOO_LARGE", f"There are more than {MAX_HEADER_COUNT} headers.")
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        value = value.strip(" \t")
        if not colon or not name or not _TOKEN.issuperset(name) or "\n" in value or "\0" in value:
            raise Refused("INVALID_QUERY", "A header is not valid.")
        name = name.lower()
        if name in headers and name in _ONCE:
            raise Refused("INVALID_QUERY", f"The header {name} was sent twice.")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return method, target, headers


def _read_body(connection: socket.socket, headers: dict[str, str], rest: bytes, most: int) -> bytes:
    if "transfer-encoding" in headers:
        raise Refused("NOT_IMPLEMENTED", "Send the body with a Content-Length.")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdecimal() and len(length) < 12):
        raise Refused("INVALID_QUERY", "The Content-Length is not valid.")
    size = int(length)
    if size > most:
        raise Refused("TOO_LARGE", f"The body has {size} bytes; at most {most} are taken.")
    end, body = monotonic() + BODY_WITHIN, bytearray(rest)
    if size and headers.get("expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    while len(body) < size:
        more = _receive(connection, end)
        if not more:
            raise Refused("INVALID_QUERY", "The body ended too early.")
        body += more
    return bytes(body[:size])


def _encode(response: Response, *, is_head: bool) -> bytes:
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = ""
    lines = [f"HTTP/1.1 {response.status} {phrase}", "Connection: close"]
    if response.status != 304:
        lines.append(f"Content-Length: {len(response.body)}")
    lines += [f"{name}: {value}" for name, value in response.all_headers()]
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
    return head if is_head else head + response.body
