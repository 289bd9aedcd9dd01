"""Random requests for a real `rum serve`: nobody gets in, nothing of another project comes out."""

from __future__ import annotations

import http.client
import io
import json
import random
import re
import shutil
import socket
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

from chaos.figures import Figures, cpu_seconds, memory_mb
from chaos.values import HOSTILE, Maker
from rum.app.access import AccessTokens
from rum.model.sync import VersionName, item_key
from rum.surfaces.web.assets import assets
from surfaces.http.foreign_tokens import forged, provider_options, token
from surfaces.http.running import Server, start

REQUESTS_PER_SERVER = 20_000  # A store with more memories tests speed, not robustness
WARM = 1_000  # Requests after which the memory of the server is measured first
MAX_GROWTH = 200.0  # MB that it may grow from then on
MAX_CPU = 5.0  # Seconds for one request
MAX_WAIT = 20.0  # Seconds until its answer begins, or its connection is closed
MAY_BE_CUT = 4_096  # Bytes above which the server may close before it has read all: the answer is lost
CANARY = "quagga-in-the-vault"  # In every text of the other project, and in no request
_RESOURCE = "/.well-known/oauth-protected-resource"  # Answered to everybody, as is what is below it
_OPEN = ("/", "/healthz", "/api/v1/logout")  # And /static/: answered to everybody
_SECRET_FILES = (b"root:x:0", b"root:*:0", b'"digest"')
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "X", "PRI")
_TARGETS = (
    *("/mcp", "/mcp/", "//mcp", "/MCP", "/mcp?x=1", "/mcp%00", "/%6dcp", "/healthz", "/metrics", "/metrics/"),
    *(
        "/mcp/shop",
        "/mcp/bank",
        "/mcp/library",
        "/mcp/..",
        "/mcp/%00",
        "/mcp/shop/bank",
        "/mcp/%2e%2e%2fbank",
    ),
    *(
        _RESOURCE,
        f"{_RESOURCE}/mcp",
        f"{_RESOURCE}/mcp/bank",
        f"{_RESOURCE}/mcp/%22%0d%0ax",
        f"{_RESOURCE}/x",
    ),
    *("/", "//", "/.", "/..", "*", "?", "/?", "/%", "/%zz", "/%00", "/%ff%fe", "/;/", "/favicon.ico"),
    *("/static/../../../../etc/passwd", "/static/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/static//etc/passwd"),
    *("/static/..%2f..%2f..%2fetc/passwd", "/static/..%5c..%5caccess.json", "/static/%252e%252e/access.json"),
    *("/access.json", "/static/", "/static", "/api", "/api/v1", "/api/v1/", "/api/v1//me", "/api/v1/me/"),
    *("/api/v1/../../mcp", "/api/v1/%6d%65", "/api/v1/content?path=../../../../etc/passwd"),
    *("/api/v1/content?path=/etc/passwd", "/api/v1/content?path=access.json", "/api/v1/nothing"),
    *("http://evil.example/mcp", "/api/v1/memories/" + "a" * 9000, "/api/v1/me?" + "a=b&" * 2000),
    *("/api/v1/login", "/api/v1/logout", "/api/v1/openapi.json", "/api/v1/timeline?limit=1&limit=2"),
)
_FORGED_HOSTS = (
    *("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "evil.example:80", "0.0.0.0", "é"),
    *("127.0.0.1, evil.example", "[::2]:80", "localhost.", "127.1", "a" * 3000),
)
_FORGED_ORIGINS = (
    *("https://evil.example", "null", "http://127.0.0.1:1", "http://[", "file://", "http://localhost", "é"),
    *("http://127.0.0.1.evil.example", "javascript:0", "http://127.0.0.1@evil.example", "http://]:x"),
)
_RPC = (
    *("initialize", "ping", "tools/list", "resources/list", "resources/read", "prompts/list", "prompts/get"),
    *("resources/templates/list", "completion/complete", "logging/setLevel", "notifications/initialized"),
    *("server/discover", "x", "", "../mcp"),
)
_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "1", "é", "x" * 500)
_ODD_BODIES = (
    *(b"", b"\x00", b"null", b"[]", b"{}", b'"', b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}", b"[" * 50_000),
    *(b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b"1" * 6_000, b"1e999", b"-" * 99, b'{"a":1,"a":2}', b"NaN"),
    *(b'"\\ud800"', b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', b"x" * 300_000),
)


class Request(NamedTuple):
    """A request, and what is known about its answer."""

    method: str
    target: str
    data: bytes
    secret: str
    """The secret of its token; empty if it has none."""
    is_allowed: bool
    """Whether its token is valid, and with a cookie whether it only reads."""
    is_forged: bool
    """Whether it was sent to another host, or by a page of another site."""

    @property
    def path(self) -> str:
        """What the server takes for its path."""
        return unquote(self.target.partition("?")[0])


def fuzz_requests(folder: Path, rng: random.Random, number: int, figures: Figures, *options: str) -> None:
    """Send `number` requests, to a new server with a new store every `REQUESTS_PER_SERVER`."""
    while number > 0:
        share = min(number, REQUESTS_PER_SERVER)
        home = folder / f"served-{rng.randrange(10**9)}" / "home"
        home.mkdir(parents=True)
        server = start(home, *options, *provider_options(home.parent))
        try:
            _Visit(server, rng, figures).run(share)
        finally:
            if server.process.poll() is None:
                server.process.kill()
        number -= share
        shutil.rmtree(home.parent)


class _Visit:
    """One server with three projects: `shop` is used, `bank` never, and `library` only by a reader."""

    def __init__(self, server: Server, rng: random.Random, figures: Figures) -> None:
        self.server, self.rng, self.figures = server, rng, figures
        for role in ("reader", "writer", "owner"):
            server.create(role, role, per_minute=1_000_000)
        server.create("banker", "owner", "bank", 1_000_000)
        server.create("librarian", "owner", "library", 1_000_000)
        server.create("guest", "reader", "library", 1_000_000)
        server.create("revoked", "owner", per_minute=1_000_000)
        AccessTokens(str(server.home)).revoke("revoked")
        server.tokens["foreign"] = token(exp=int(time()) + 86_400)
        self.users = [server.tokens[name] for name in ("reader", "writer", "owner", "guest", "foreign")]
        self.projects = dict.fromkeys(self.users, "shop") | {server.tokens["guest"]: "library"}
        self.forged = [*forged().values()]
        self.ids: list[str] = []
        for name, text in (("banker", CANARY), ("librarian", "A quiet room"), ("owner", "A new lamp")):
            self.ids += self._fill(server.tokens[name], text)
        self.maker = Maker(rng, self.ids)
        self.operations = self._read_operations()
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        self.tools = server.ask(body=listing, token=self.users[0]).json["result"]["tools"]
        self.connection: socket.socket | None = None

    def run(self, number: int) -> None:
        """Send the requests, then compare what must not have changed, and end the server."""
        server, figures = self.server, self.figures
        before = self._untouched()
        first = 0.0
        for sent in range(number):
            self._send_one()
            if server.process.poll() is not None:
                figures.fault("server down", f"{server.process.returncode}: {server.complaints[-20:]}")
                return
            if sent == min(WARM, number // 2):
                first = memory_mb(server.process.pid)
        growth = memory_mb(server.process.pid) - first
        figures.measure("MB of memory of a server", first + growth)
        figures.measure("MB that a server grew", growth)
        if growth > MAX_GROWTH:
            figures.fault("memory", f"{growth:.0f} MB more after {number} requests")
        if (after := self._untouched()) != before:
            changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
            figures.fault("foreign write", str(changed))
        if self.connection:
            self.connection.close()
        if server.stop():
            figures.fault("server down", f"it ended with {server.process.returncode}")
        complaints = "".join(server.complaints)
        if (at := complaints.find("Traceback")) >= 0:
            figures.fault("crash", f"on stderr: {complaints[at:].partition('WARNING')[0][-1800:]}")

    # What is there

    def _fill(self, token: str, text: str) -> list[str]:
        work = {"goal": f"{text} goal", "task_type": "other"}
        stored = [
            self.server.call("store", token, intent=work, outcome={"success": True, "summary": f"{text} {n}"})
            for n in range(3)
        ]
        for path, method, body in (
            ("facts/lamp.colour", "PUT", {"value": f"{text} fact"}),
            ("rules", "POST", {"condition": f"{text} condition", "action": f"{text} action"}),
        ):
            answer = self.server.ask(method, f"/api/v1/{path}", body, token)
            assert answer.status == 200, answer
        return [answer.tool["memory_id"] for answer in stored]

    def _untouched(self) -> dict[str, Any]:
        """What the projects hold that nobody may change."""
        found: dict[str, Any] = {}
        for name in ("banker", "librarian"):
            for path in ("timeline", "notes", "facts", "rules", "chapters", "wisdom", "trash"):
                answer = self.server.ask("GET", f"/api/v1/{path}", token=self.server.tokens[name])
                assert answer.status == 200, answer
                found[f"{name} {path}"] = answer.json.get("items", answer.json)
        return found

    def _read_operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Method, path and operation of every route in the server's description of its API."""
        description = self.server.ask("GET", "/api/v1/openapi.json", token=self.users[0]).json
        schemas = description["components"]["schemas"]
        return [
            (method.upper(), path, _resolved(operation, schemas))
            for path, operations in description["paths"].items()
            for method, operation in operations.items()
        ]

    # What is sent

    def _send_one(self) -> None:
        rng = self.rng
        chosen = rng.random()
        if chosen < 0.9:
            kind, requests = "plain", [self._request()]
        elif chosen < 0.93:
            kind, requests = "pipelined", [self._request() for _ in range(rng.randrange(2, 6))]
        else:
            kind, requests = "broken" if chosen < 0.98 else "left early", [self._request()]
        data = b"".join(request.data for request in requests)
        if kind == "broken":
            data = self._broken(data)
        elif kind == "left early":
            data = data[: rng.randrange(1, len(data) + 1)]
        self.figures.count(f"{kind} requests", len(requests))
        before = cpu_seconds(self.server.process.pid)
        try:
            if kind == "plain":
                self._ask(requests, data)
            else:
                self._ask_apart(kind, requests, data)
        except TimeoutError:
            self.figures.fault("hang", f"no answer within {MAX_WAIT:g} s: {kind} {data[:1500]!r}")
            self.connection = None
        spent = cpu_seconds(self.server.process.pid) - before
        self.figures.measure("CPU seconds of one HTTP request", spent)
        if spent > MAX_CPU:
            self.figures.fault("hang", f"{spent:.1f} s of CPU: {kind} {data[:1500]!r}")

    def _request(self) -> Request:
        rng = self.rng
        chosen = rng.random()
        headers: list[tuple[str, str]] = []
        if chosen < 0.4:
            method, target, body = "POST", "/mcp", self._message(headers)
            if rng.random() < 0.15:
                target += rng.choice(("/shop", "/bank", "/library", "/nothing"))
        elif chosen < 0.42:
            method, body = "POST", self._sync()
            target = rng.choice(("/sync", "/sync", "/sync/shop", "/sync/bank"))
        elif chosen < 0.8:
            method, target, body = self._api_call()
        else:
            method = rng.choice(_METHODS) if rng.random() < 0.4 else "GET"
            target, body = rng.choice((*_TARGETS, *assets())), b""
        if rng.random() < 0.03:
            method = rng.choice(_METHODS)
        if rng.random() < 0.1:
            body = self._changed(body)
        secret, is_allowed = self._sign_in(headers, method, target)
        if target.startswith(("/mcp/", "/sync/")) and target.split("/")[2] != self.projects.get(secret):
            is_allowed = False
        is_forged = self._address(headers)
        kind = "application/json" if rng.random() < 0.97 else rng.choice(("text/plain", "", "é", "a/b;" * 99))
        headers += [("Content-Type", kind), ("Content-Length", str(len(body)))]
        if rng.random() < 0.02:
            headers.append(("X-Long", "x" * rng.choice((1_000, 15_000, 70_000))))
        if rng.random() < 0.02:
            headers.append(
                (rng.choice(("Accept", "Cookie", "Range", "Upgrade")), rng.choice(_FORGED_ORIGINS))
            )
        rng.shuffle(headers)
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", ""]
        head = "\r\n".join(lines).encode("utf-8", "surrogatepass")
        return Request(method, target, head + body, secret, is_allowed, is_forged)

    def _message(self, headers: list[tuple[str, str]]) -> bytes:
        """A message of MCP; now and then with the headers of a stateless one, or of a session."""
        rng = self.rng
        params: Any
        if rng.random() < 0.85:
            method = "tools/call"
            tool = rng.choice(self.tools)
            params = {"name": tool["name"], "arguments": self.maker.arguments(tool["inputSchema"])}
        else:
            method, text = rng.choice(_RPC), rng.choice(HOSTILE)
            params = {
                "uri": text,
                "name": text,
                "arguments": self.maker.text(""),
                "clientInfo": {"name": text},
            }
            params |= {"protocolVersion": rng.choice(_VERSIONS), "capabilities": {}}
        if rng.random() < 0.1:
            headers.append(("MCP-Protocol-Version", rng.choice(_VERSIONS)))
            headers += [
                ("Mcp-Method", method),
                ("Mcp-Name", quote(str(params["name"]), errors="surrogatepass")[:200]),
            ]
        if rng.random() < 0.05:
            headers.append(("Mcp-Session-Id", rng.choice((".", "a.b.c", "é", "0" * 24 + ".." + "0" * 32))))
        number = 1 if rng.random() < 0.95 else rng.choice((None, 1.5, "x" * 999, [], 2**70))
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()

    def _sync(self) -> bytes:
        """A request of `rum sync`: mostly one that could be meant."""
        rng = self.rng
        kind, key = (
            rng.choice(("memory", "fact", "links", "agent", "tombstone")),
            rng.choice((*self.ids, "port")),
        )
        body: Any = rng.choice(
            ({"value": "1"}, {"kind": "memory", "key": key}, {"edges": [[key, "caused_by", 1]]}, {}, [], "x")
        )
        name = VersionName(kind, item_key(key), rng.choice((1, 2, 9)), 1_700_000_000, "0123456789abcdef")
        shared = json.dumps({"id": key, "by": rng.choice(self.ids), "body": body})
        paths = [rng.choice((name.path, "../x", "senders/0/0/x", "--x", *HOSTILE)) for _ in range(3)]
        asked: dict[str, Any] = {
            "do": rng.choice(("fetch", "has", "is_ancestor", "paths", "below", "read", "publish", "x")),
            "state": rng.choice((None, "0" * 40, "HEAD", "--all", "f" * 40)),
        }
        asked |= rng.choice(
            (
                {"added": [[name.path, shared]]},
                {"added": [[paths[0], shared]], "removed": paths},
                {"removed": [name.path]},
                {"paths": paths},
                {"folders": ["memory/0/0", *paths]},
                {"earlier": "0" * 40, "later": asked["state"], "since": asked["state"], "offset": -1},
            )
        )
        return json.dumps(asked).encode("utf-8", "surrogatepass")

    def _api_call(self) -> tuple[str, str, bytes]:
        """A call of a route of the page's API, mostly as its description says."""
        method, path, operation = self.rng.choice(self.operations)
        query: list[str] = []
        for parameter in operation["parameters"]:
            value = self.maker.value(parameter["schema"], 1, parameter["name"])
            text = quote(value if isinstance(value, str) else json.dumps(value), "", errors="surrogatepass")
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", text or "x")
            elif parameter["in"] == "query" and self.rng.random() < 0.4:
                query.append(f"{parameter['name']}={text}")
        body = b""
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            body = json.dumps(self.maker.arguments(schema)).encode()
        return method, path + ("?" + "&".join(query) if query else ""), body

    def _sign_in(self, headers: list[tuple[str, str]], method: str, target: str) -> tuple[str, bool]:
        """Add a token; return its secret, and whether it is one that may do this."""
        rng = self.rng
        secret = rng.choice(self.users)
        chosen = rng.random()
        if chosen < 0.7:
            headers.append(("Authorization", f"Bearer {secret}"))
            return secret, True
        if chosen < 0.76:
            headers.append(("Cookie", f"rum_token={secret}"))
            return secret, method in ("GET", "HEAD") and target.startswith("/api/v1/")
        revoked = self.server.tokens["revoked"]
        wrong = ("", "Bearer", "Bearer ", f"Basic {secret}", f"Bearer {secret[:-1]}", f"Bearer {secret}0")
        wrong += (
            f"Bearer {revoked}",
            f"Bearer {secret[:8]}{'0' * len(secret[8:])}",
            secret,
            f"Token {secret}",
        )
        wrong += (
            f"Bearer {secret} {secret}",
            f"Bearer {secret},{secret}",
            "Bearer " + "x" * 9_000,
            "Bearer é",
            f"Bearer {rng.choice(self.forged)}",
            f"Bearer {rng.choice(self.forged)}",
        )
        if chosen < 0.95:
            headers.append(("Authorization", rng.choice(wrong)))
            return secret, False
        if chosen < 0.97:
            headers.append(("Cookie", f"rum_token={revoked}; rum_token={revoked}0"))
        return "", False

    def _address(self, headers: list[tuple[str, str]]) -> bool:
        """Add where the request goes to and comes from; return whether that is forged."""
        rng = self.rng
        own = f"127.0.0.1:{self.server.port}"
        is_forged = rng.random() < 0.04
        headers.append(("Host", rng.choice(_FORGED_HOSTS) if is_forged else own))
        if rng.random() < 0.1:
            other_site = rng.random() < 0.4
            headers.append(("Origin", rng.choice(_FORGED_ORIGINS) if other_site else f"http://{own}"))
            is_forged = is_forged or other_site
        return is_forged

    def _changed(self, body: bytes) -> bytes:
        """Another body, or this one with some bytes replaced, removed or added."""
        rng = self.rng
        if not body or rng.random() < 0.3:
            return rng.choice(_ODD_BODIES)
        at = rng.randrange(len(body))
        return body[:at] + rng.choice((b"", b"\x00", b"\xff", b"1e999", b'\\ud800"', b"[" * 3000)) + (
            body[at + rng.randrange(3) :] if rng.random() < 0.7 else b""
        )  # fmt: skip

    def _broken(self, data: bytes) -> bytes:
        """A request that is not one of HTTP."""
        rng = self.rng
        head, _, body = data.partition(b"\r\n\r\n")
        lengths = (
            b"-1",
            b"0",
            b"1",
            b"99999999",
            b"9" * 25,
            b"9" * 5000,
            b"0x10",
            b"+1",
            b"1, 2",
            b"\xb2",
            b"",
        )
        chosen = rng.randrange(6)
        if chosen == 0:
            head = re.sub(rb"Content-Length: \d+", lambda _: b"Content-Length: " + rng.choice(lengths), head)
        elif chosen == 1:
            head = re.sub(rb"Content-Length: \d+", b"Transfer-Encoding: chunked", head)
            sizes = (b"%x" % len(body), b"-1", b"zz", b"f" * 30, b"%x;" % len(body) + b"a" * 9_000, b"0")
            body = rng.choice(sizes) + b"\r\n" + body + rng.choice((b"\r\n0\r\n\r\n", b"", b"\r\n", b"0"))
        elif chosen == 2:
            head += rng.choice(
                (b"\r\nTransfer-Encoding: chunked", b"\r\nContent-Length: 7", b"\r\nHost: evil.example")
            )
        elif chosen == 3:
            at = rng.randrange(len(head))
            head = head[:at] + rng.choice((b"\x00", b"\n", b"\r", b"\xff", b" ", b"\r\n \r\n")) + head[at:]
        elif chosen == 4:
            head = head.replace(
                b"HTTP/1.1", rng.choice((b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9", b"", b"\x16\x03"))
            )
        else:
            return bytes(rng.randrange(256) for _ in range(rng.randrange(1, 400))) + b"\r\n\r\n"
        return head + b"\r\n\r\n" + body

    # What is answered

    def _ask(self, requests: list[Request], data: bytes) -> None:
        """Send over the connection that is open; once more over a new one if the server had closed it."""
        for is_last in (self.connection is None, True):
            if self.connection is None:
                self.connection = self._connect()
            answers, is_open = _exchange(self.connection, [one.method for one in requests], data)
            if not is_open:
                self.connection.close()
                self.connection = None
            if answers or is_last:
                break
        if not answers and len(data) <= MAY_BE_CUT:
            self.figures.fault("no answer", f"{data[:1500]!r}")
        for request, (status, text) in zip(requests, answers, strict=False):
            self._check(request, status, text)

    def _ask_apart(self, kind: str, requests: list[Request], data: bytes) -> None:
        """Send over a connection of its own, of which the server sees the end."""
        with self._connect() as connection:
            if kind == "pipelined":
                answers, _ = _exchange(connection, [one.method for one in requests], data)
                if not answers and len(data) <= MAY_BE_CUT:
                    self.figures.fault("no answer", f"{data[:1500]!r}")
                for request, (status, text) in zip(requests, answers, strict=False):
                    self._check(request, status, text)
                return
            received = b""
            try:
                connection.sendall(data)
                if kind == "left early":
                    return
                with suppress(OSError):  # it is closed already
                    connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65_536):
                    received += part
            except ConnectionError:
                pass  # closed before all was sent, as it may be
            self._check_text(requests[0], received)
            for found in re.findall(rb"(?:^|\n)HTTP/1.1 (\d{3})", received):
                self._check_status(requests[0], int(found), received)

    def _connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=MAX_WAIT)

    def _check(self, request: Request, status: int, text: bytes) -> None:
        self.figures.count(f"answers {status // 100}xx", 1)
        self._check_status(request, status, text)
        self._check_text(request, text)
        is_public = request.path in _OPEN or request.path.startswith(("/static/", _RESOURCE))
        refused = (not request.is_allowed and not is_public) or (
            request.is_forged and request.path != "/healthz"
        )
        if status < 300 and refused:
            self.figures.fault("let in", f"{status}: {request.data[:1200]!r} -> {text[:300]!r}")
        if status < 300 and request.secret in self.users[:3] and len(self.ids) < 60:
            self.ids += {one.decode() for one in re.findall(rb"mem_[0-9a-z]{26}", text)}.difference(self.ids)

    def _check_status(self, request: Request, status: int, text: bytes) -> None:
        if status >= 500 and status != 503:
            self.figures.fault("crash", f"{status}: {request.data[:1200]!r} -> {text[:300]!r}")
        if b"Internal error" in text or b"Traceback (most" in text:
            self.figures.fault("crash", f"{status}: {request.data[:1200]!r} -> {text[:300]!r}")

    def _check_text(self, request: Request, text: bytes) -> None:
        leaks = [CANARY.encode(), *_SECRET_FILES]
        leaks += [one.encode() for one in self.server.tokens.values() if one.encode() not in request.data]
        for leak in leaks:
            if leak in text:
                self.figures.fault("leak", f"{leak!r}: {request.data[:1200]!r} -> {text[:300]!r}")


class _Reader(io.BufferedReader):
    """Is read by one answer after the other."""

    def close(self) -> None:
        """Stay open for the next answer."""

    def makefile(self, _: str) -> io.BufferedReader:
        """What an answer reads from."""
        return self


def _exchange(
    connection: socket.socket, methods: list[str], data: bytes
) -> tuple[list[tuple[int, bytes]], bool]:
    """Send requests; return status and text of their answers, and whether the connection is still open."""
    answers: list[tuple[int, bytes]] = []
    reader = _Reader(socket.SocketIO(connection, "r"))
    with suppress(ConnectionError):  # refused before all was sent: the answer may be there
        connection.sendall(data)
    try:
        for method in methods:
            answer = http.client.HTTPResponse(cast(socket.socket, reader), method=method)
            answer.begin()
            text = answer.read()
            answers.append((answer.status, str(answer.msg).encode("utf-8", "replace") + text))
            if answer.will_close:
                return answers, False
    except (ConnectionError, http.client.HTTPException):
        return answers, False
    return answers, True


def _resolved(part: Any, schemas: dict[str, Any], depth: int = 0) -> Any:
    """A part of a description with its references replaced, to some depth."""
    if isinstance(part, list):
        return [_resolved(one, schemas, depth) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        named = schemas[part["$ref"].rpartition("/")[2]]
        return _resolved(named, schemas, depth + 1) if depth < 6 else {}
    return {key: _resolved(one, schemas, depth) for key, one in part.items() if key != "responses"}
