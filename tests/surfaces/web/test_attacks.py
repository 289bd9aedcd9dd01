"""Nobody but the user's own page gets an answer: other hosts, sites, users and broken clients do not."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from time import monotonic

import pytest

from rum.surfaces.web import server as web_server
from rum.surfaces.web.assets import assets
from rum.surfaces.web.messages import CONTENT_POLICY
from rum.surfaces.web.route_table import ROUTES
from support.builders import make_draft
from surfaces.web.running import Web, ask, exchange, running

GET_ROUTES = [route.path for route in ROUTES if route.method == "GET"]
WRITE_ROUTES = [(route.method, route.path) for route in ROUTES if route.method != "GET"]


def filled(path: str) -> str:
    return "/api/v1/" + path.replace("{", "").replace("}", "")


@pytest.mark.parametrize("path", GET_ROUTES)
def test_without_a_cookie_every_route_is_refused(web: Web, path: str):
    answer = ask(web.port, "GET", filled(path))
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert answer.json["error"]["details"] == {"login": "address"}


@pytest.mark.parametrize(("method", "path"), WRITE_ROUTES)
def test_a_change_needs_the_cookie_and_the_token_against_forged_requests(web: Web, method: str, path: str):
    assert ask(web.port, method, filled(path), {}, X_Rum_Csrf=web.csrf).status == 401
    for given in (None, "", "0" * 64, web.csrf[:-1]):
        answer = web.request(method, filled(path), {}, X_Rum_Csrf=given)
        assert (answer.status, answer.code) == (403, "FORBIDDEN"), answer.body
    assert web.rum.summary()["memories"] == 0


@pytest.mark.parametrize(
    "cookie", ["", "rum=x", "rum_{port}=", "rum_{port}=x", "rum_{port}={token}", "rum_1={value}"]
)
def test_a_wrong_cookie_is_refused(web: Web, cookie: str):
    value = web.cookie.partition("=")[2]
    given = cookie.format(port=web.port, token=web.token, value=value)
    assert web.get("me", Cookie=given).status == 401


def test_a_wrong_token_in_the_address_sets_no_cookie(web: Web):
    for token in ("", "x", web.token[:-1], web.token + "x", "%00", web.token.swapcase()):
        answer = ask(web.port, "GET", f"/?token={token}")
        assert "set-cookie" not in answer.headers
        assert answer.status in ((401,) if token else (200, 404))


def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(web: Web):
    answer = ask(web.port, "GET", f"/?token={web.token}")
    assert (answer.status, answer.headers["location"], answer.body) == (303, "/", b"")
    name, *attributes = answer.headers["set-cookie"].split("; ")
    assert name.startswith(f"rum_{web.port}=")
    assert web.token not in name
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Strict"]


def test_after_a_link_from_elsewhere_the_page_itself_goes_on_as_a_redirect_would_not_carry_the_cookie(
    web: Web,
):
    answer = ask(
        web.port, "GET", f"/?token={web.token}", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate"
    )
    assert answer.status == 200
    assert "set-cookie" in answer.headers
    assert b"url=/" in answer.body
    assert web.token.encode() not in answer.body


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example:{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "2130706433:{port}",
        "",
        None,
    ],
)
def test_a_name_that_was_bound_to_this_machine_by_somebody_else_is_refused(web: Web, host: str | None):
    given = host if host is None else host.format(port=web.port)
    for path in ("/", f"/?token={web.token}", "/api/v1/me", "/static/app.js"):
        answer = web.request("GET", path, Host=given)
        assert (answer.status, answer.code) == (421, "WRONG_HOST")
        assert "set-cookie" not in answer.headers


def test_localhost_is_a_name_of_this_machine(web: Web):
    assert web.get("me", Host=f"localhost:{web.port}").status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://evil.example:{port}",
        "http://127.0.0.1:{port}.evil.example",
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}",
    ],
)
def test_pages_of_other_sites_get_nothing_even_with_the_cookie(web: Web, origin: str):
    given = origin.format(port=web.port)
    assert web.get("me", Origin=given).code == "FORBIDDEN"
    answer = web.send("POST", "calls/store", make_draft(), Origin=given)
    assert answer.code == "FORBIDDEN"
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert web.rum.summary()["memories"] == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_the_request_comes_from_elsewhere_is_believed(web: Web, site: str):
    assert web.get("me", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors").code == "FORBIDDEN"
    assert web.get("me", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").code == "FORBIDDEN"
    assert web.request("GET", "/static/app.js", Sec_Fetch_Site=site).code == "FORBIDDEN"
    link = web.request("GET", "/", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate")
    assert link.status in (200, 404)  # the page itself may be linked to; it has no data


def test_the_policy_allows_scripts_and_requests_of_this_server_alone():
    policy = dict(one.strip().partition(" ")[::2] for one in CONTENT_POLICY.split(";"))
    assert {name: policy.pop(name) for name in ("script-src", "style-src", "connect-src")} == {
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
    }
    assert policy.pop("img-src") == "'self' data:"
    assert {"default-src", "base-uri", "form-action", "frame-ancestors"} == policy.keys()
    assert set(policy.values()) == {"'none'"}


def test_a_preflight_is_not_answered_with_permission(web: Web):
    answer = web.request(
        "OPTIONS", "/api/v1/me", Origin="http://evil.example", Access_Control_Request_Method="PUT"
    )
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_other_methods_are_not_known(web: Web, method: str):
    assert web.request(method, "/api/v1/me").status == 501


def test_a_known_path_names_its_methods(web: Web):
    answer = web.send("DELETE", "me")
    assert (answer.status, answer.headers["allow"]) == (405, "GET")
    assert web.send("PUT", "review/accept").headers["allow"] == "POST"


PATHS = [
    "/static/../site.py",
    "/static/..%2fsite.py",
    "/static/%2e%2e/site.py",
    "/static/..%5csite.py",
    "/static/....//site.py",
    "/static//etc/passwd",
    "/static/%00",
    "/static/",
    "/static",
    "/../../etc/passwd",
    "//etc/passwd",
    "/index.html",
    "/static/app.js%00.css",
    "/static/app.js/",
    "/%2e%2e/%2e%2e/etc/passwd",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out_of_the_table_of_files(web: Web, path: str):
    answer = web.request("GET", path)
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


def test_only_the_files_of_the_page_are_served():
    assert {path for path in assets() if not path.startswith("/static/")} <= {"/"}
    assert not any(path.endswith(".py") or ".." in path for path in assets())


@pytest.mark.parametrize(
    "path", ["../../secret.txt", "/etc/passwd", "src/../../secret.txt", "link.txt", "~/.ssh/id_rsa", "pipe"]
)
def test_no_file_outside_of_the_repository_is_shown(web: Web, folder: Path, path: str):
    (folder / "secret.txt").write_text("hidden")
    (folder / "work" / "link.txt").symlink_to(folder / "secret.txt")
    os.mkfifo(folder / "work" / "pipe")
    web.rum.store(**make_draft(actions=[{"type": "file_edit", "file_path": path}]))
    answer = web.get(f"content?path={path}")
    assert answer.status == 404
    assert b"hidden" not in answer.body


def test_a_file_that_no_memory_touched_is_not_shown(web: Web, folder: Path):
    (folder / "work" / "notes.txt").write_text("hidden")
    assert web.get("content?path=notes.txt").status == 404
    web.rum.store(**make_draft(actions=[{"type": "file_edit", "file_path": "notes.txt"}]))
    assert web.get("content?path=notes.txt").json["lines"] == ["hidden"]


def test_secrets_in_a_shown_file_are_cut_out(web: Web, folder: Path):
    secret = "ghp_" + "a1B2c3D4e5" * 4
    (folder / "work" / "env.txt").write_text(f"token = {secret}\n")
    web.rum.store(**make_draft(actions=[{"type": "file_edit", "file_path": "env.txt"}]))
    answer = web.get("content?path=env.txt")
    assert answer.status == 200
    assert secret.encode() not in answer.body


def test_every_answer_has_the_headers_that_keep_others_out(web: Web):
    for answer in (
        web.get("me"),
        web.get("nope"),
        web.request("GET", "/nope"),
        ask(web.port, "GET", "/api/v1/me"),
    ):
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "</textarea><svg/onload=alert(1)>",
    "{{constructor.constructor('alert(1)')()}}",
    "\u2028\u2029<!--",
]


def test_hostile_text_in_every_field_comes_back_as_json_and_nothing_else(web: Web):
    evil = " ".join(PAYLOADS)
    listed = [evil]
    memory_id = web.rum.store(
        intent={"goal": evil, "task_type": "bug_fix", "context": evil, "constraints": listed},
        outcome={
            "success": False,
            "summary": evil,
            "learnings": listed,
            "failure_reason": evil,
            "follow_up_needed": listed,
        },
        perception={"observations": [{"what": evil}], "patterns_noticed": listed, "anomalies": listed},
        reasoning={
            "approach_chosen": evil,
            "alternatives_considered": [{"approach": evil}],
            "assumptions": listed,
        },
        actions=[{"type": "command_run", "command": evil}, {"type": "file_edit", "file_path": "src/<b>.py"}],
        tags=["<i>tag</i>"],
    ).memory_id
    web.rum.facts.set("<b>key</b>", evil)
    web.rum.rules.add("deploy <b>", evil)
    web.rum.notes.add("Title <script>", evil, ["deploy"])
    web.rum.chapters.create(memory_ids=[memory_id], title="<b>title</b>", summary=evil, learnings=listed)
    seen = 0
    for path in GET_ROUTES:
        name = path.replace("{id}", memory_id) if path.startswith("memories/") else path
        answer = web.get(f"{name}?q=alert" if path == "search" else name.replace("{", "").replace("}", ""))
        kind = answer.headers["content-type"]
        assert kind == ("text/markdown; charset=utf-8" if path.endswith("markdown") else "application/json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        seen += PAYLOADS[0].encode() in answer.body
    assert seen >= 8
    page = web.request("GET", "/")
    assert PAYLOADS[0].encode() not in page.body


def test_hostile_text_in_a_request_is_not_reflected_as_html(web: Web):
    for path in (
        "/<script>",
        "/api/v1/%3Cscript%3E",
        "/api/v1/memories/%3Cscript%3E",
        "/api/v1/timeline?%3Cscript%3E=1",
    ):
        answer = web.request("GET", path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.status in (400, 404)


def test_bodies_are_bounded(web: Web):
    answer = web.send("POST", "calls/recall", b"x" * (1024 * 1024 + 1))
    assert (answer.status, answer.code) == (413, "TOO_LARGE")
    assert web.send("POST", "calls/recall", {"query": "x" * 1000}).status == 200


def test_a_body_that_is_no_json_is_refused(web: Web):
    assert web.send("POST", "calls/recall", b"{").code == "INVALID_QUERY"
    assert web.send("POST", "calls/recall", b"[" * 100_000).code == "INVALID_QUERY"
    assert web.send("POST", "calls/recall", b"[]").code == "INVALID_QUERY"
    assert web.send("POST", "calls/recall", b"\xff\xfe").code == "INVALID_QUERY"
    assert web.send("POST", "calls/recall", {"query": "x"}, Content_Type="text/plain").code == "WRONG_TYPE"
    assert (
        web.send("POST", "calls/recall", {}, Content_Type="application/x-www-form-urlencoded").status == 415
    )


HEAD = b"Host: 127.0.0.1:%d\r\n"


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1e3\r\n\r\n",
        b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : 127.0.0.1:%d\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n folded: x\r\n\r\n",
        b"GET / HTTP/1.1\nHost: 127.0.0.1:%d\n\n\r\n\r\n",
        b"GET  / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"GET / HTTP/2.0\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"\x16\x03\x01\x02\x00%d\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: \x00\r\n\r\n",
    ],
)
def test_a_malformed_request_is_refused(web: Web, request_text: bytes):
    answer = exchange(web.port, request_text % web.port)
    assert answer.split(b" ", 2)[1] in (b"400", b"501")
    assert web.get("me").status == 200


def test_headers_are_bounded(web: Web):
    long = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: %s\r\n\r\n" % (web.port, b"x" * 20_000)
    assert exchange(web.port, long).startswith(b"HTTP/1.1 431")
    many = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (web.port, b"X: y\r\n" * 200)
    assert exchange(web.port, many).startswith(b"HTTP/1.1 431")
    endless = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: %s" % (web.port, b"x" * 200_000)
    assert exchange(web.port, endless).startswith(b"HTTP/1.1 431")


def test_a_client_that_sends_one_byte_at_a_time_is_cut_off_while_others_are_served(
    web: Web, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(web_server, "HEADERS_WITHIN", 0.5)
    started, answers = monotonic(), list[bytes]()

    def drip() -> None:
        with socket.create_connection(("127.0.0.1", web.port), timeout=30) as connection:
            connection.settimeout(0.05)
            for byte in b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000:
                try:
                    connection.sendall(bytes([byte]))
                    answers.append(connection.recv(100))
                    return
                except TimeoutError:
                    continue
                except OSError:
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    assert web.get("me").status == 200
    thread.join(30)
    assert monotonic() - started < 20
    assert all(one.startswith(b"HTTP/1.1 408") for one in answers)


def test_a_body_that_never_comes_is_given_up(web: Web, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(web_server, "BODY_WITHIN", 0.2)
    head = b"POST /api/v1/feedback HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 10\r\n\r\n" % web.port
    with socket.create_connection(("127.0.0.1", web.port), timeout=30) as connection:
        connection.sendall(head)
        assert connection.recv(100).startswith(b"HTTP/1.1 408")


def test_connections_are_bounded_and_the_next_one_is_told_to_come_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(web_server, "MAX_CONNECTIONS", 3)
    with running(folder) as web:
        idle = [socket.create_connection(("127.0.0.1", web.port), timeout=30) for _ in range(3)]
        try:
            answer = b""
            for _ in range(100):  # until all three were accepted
                answer = exchange(web.port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % web.port)
                if answer.startswith(b"HTTP/1.1 503"):
                    break
            assert answer.startswith(b"HTTP/1.1 503")
            assert b"Retry-After" in answer
        finally:
            for one in idle:
                one.close()
        for _ in range(200):
            if web.get("me").status == 200:
                break
        assert web.get("me").status == 200
