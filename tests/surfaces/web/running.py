"""The page's server in a thread, plain requests to it, and a browser's cookie."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rum import Rum
from rum.surfaces.web.main import LocalSite
from rum.surfaces.web.server import Server, listen
from rum.surfaces.web.site import MAX_BODY

PATIENCE = 60


@dataclass
class Answer:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error."""
        return self.json["error"]["code"]


def ask(port: int, method: str, path: str, body: object = None, **headers: str | None) -> Answer:
    """Send a request; None as a header leaves it out."""
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    given: dict[str, str | None] = {"Host": f"127.0.0.1:{port}", "Content-Length": str(len(data))}
    if data:
        given["Content-Type"] = "application/json"
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def exchange(port: int, data: bytes) -> bytes:
    """Send bytes as they are, and read the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@dataclass
class Web:
    """A running server, and the browser of its user."""

    port: int
    rum: Rum
    token: str
    cookie: str = ""
    csrf: str = ""
    extra: dict[str, str | None] = field(default_factory=dict)

    def sign_in(self) -> None:
        """Open the address, as the browser does."""
        answer = ask(self.port, "GET", f"/?token={self.token}")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.csrf = self.get("me").json["csrf"]

    def request(self, method: str, path: str, body: object = None, **headers: str | None) -> Answer:
        """Send a request of the signed-in page; None as a header leaves it out."""
        given: dict[str, str | None] = {"Cookie": self.cookie, "X_Rum_Csrf": self.csrf}
        return ask(self.port, method, path, body, **(given | headers))

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.request("GET", f"/api/v1/{path}", **headers)

    def send(self, method: str, path: str, body: object = None, **headers: str | None) -> Answer:
        return self.request(method, f"/api/v1/{path}", {} if body is None else body, **headers)

    def items(self, path: str) -> list[Any]:
        """The items of all pages of a list."""
        found: list[Any] = []
        cursor: str | None = ""
        while cursor is not None:
            joint = "&" if "?" in path else "?"
            page = self.get(path + (f"{joint}cursor={cursor}" if cursor else ""))
            assert page.status == 200, page.body
            found += page.json["items"]
            cursor = page.json["next"]
        return found


@contextmanager
def running(folder: Path, **options: Any) -> Iterator[Web]:
    """Serve the project of a folder, with the user signed in."""
    with Rum.open(folder / "work", home=folder / "home", owner=True, **options) as rum:
        listener = listen(0)
        port: int = listener.getsockname()[1]
        site = LocalSite(rum, port)
        server = Server(listener, site.respond, MAX_BODY)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            web = Web(port, rum, site.sign_in.token)
            web.sign_in()
            yield web
        finally:
            server.stop()
            thread.join(PATIENCE)
