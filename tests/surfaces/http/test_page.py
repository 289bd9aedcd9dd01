"""The page of a team: people sign in with their token, and may do what its role allows."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from rum.app.access import AccessTokens, AuditLog
from rum.surfaces.web.messages import CONTENT_POLICY
from rum.surfaces.web.route_table import ROUTES
from rum.surfaces.web.routes import Route
from support.page_memories import fill
from support.projects import open_shop
from surfaces.http.running import WORK, Answer, Server, start


class Browser:
    """Somebody's browser: its cookie, and the token against forged requests."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        answer = server.ask("POST", "/api/v1/login", {"token": server.tokens[name]})
        assert answer.status == 200, answer.body
        self.me = answer.json
        self.set_cookie = answer.headers["set-cookie"]
        self.cookie = self.set_cookie.partition(";")[0]

    def ask(self, method: str, path: str, body: object = None, **headers: str | None) -> Answer:
        given: dict[str, str | None] = {"Cookie": self.cookie, "X_Rum_Csrf": self.me["csrf"], **headers}
        return self.server.ask(method, f"/api/v1/{path}", body, **given)


def test_a_token_becomes_a_strict_cookie(server: Server):
    browser = Browser(server, "writer")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(browser.set_cookie.split("; "))
    assert "Secure" not in browser.set_cookie
    assert (browser.me["role"], browser.me["name"], browser.me["is_local"]) == ("writer", "writer", False)
    assert browser.me["project"]["root"] is None
    secure = server.ask(
        "POST",
        "/api/v1/login",
        {"token": server.tokens["writer"]},
        Origin=f"https://127.0.0.1:{server.port}",
    )
    assert "Secure" in secure.headers["set-cookie"]


def test_nobody_gets_in_with_a_wrong_token(server: Server):
    for token in ("", "x", "rum_" + "0" * 64, server.tokens["writer"][:-1]):
        answer = server.ask("POST", "/api/v1/login", {"token": token})
        assert (answer.status, answer.json["error"]["code"]) == (401, "UNAUTHORIZED")
        assert "set-cookie" not in answer.headers
    assert server.ask("POST", "/api/v1/login", {"tokens": "x"}).status == 400
    assert server.ask("POST", "/api/v1/login", b"{").status == 400
    answer = server.ask("GET", "/api/v1/me")
    assert answer.json["error"]["details"] == {"login": "token"}
    assert server.ask("GET", "/api/v1/me", Cookie="rum_token=x").status == 401


def test_a_page_of_another_site_cannot_sign_somebody_in_or_act_for_them(server: Server):
    foreign = server.ask(
        "POST", "/api/v1/login", {"token": server.tokens["writer"]}, Origin="http://evil.example"
    )
    assert foreign.status == 403
    browser = Browser(server, "owner")
    for headers in ({"X_Rum_Csrf": None}, {"X_Rum_Csrf": "0"}, {"Origin": "http://evil.example"}):
        answer = browser.ask("POST", "calls/store", WORK, **headers)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
    assert browser.ask("GET", "me", Host="evil.example").status == 421


def test_a_reader_reads_and_changes_nothing(server: Server):
    owner, reader = Browser(server, "owner"), Browser(server, "reader")
    memory_id = owner.ask("POST", "calls/store", WORK).json["memory_id"]
    assert reader.me["may_write"] is False
    assert reader.ask("GET", f"memories/{memory_id}").json["may_change"] is False
    assert reader.ask("POST", "calls/recall", {"query": "login"}).json["memories"]
    changes = [
        ("POST", "calls/store", WORK),
        ("POST", f"memories/{memory_id}/forget", {}),
        ("PATCH", f"memories/{memory_id}", {"tags": ["x"]}),
        ("PUT", "facts/key", {"value": "x"}),
        ("POST", "rules", {"condition": "x y", "action": "z"}),
        ("POST", "feedback", {"id": memory_id, "useful": True}),
        ("POST", "review/accept", {"items": [{"kind": "memory", "id": memory_id}]}),
        ("POST", "trash/restore", {"id": memory_id}),
    ]
    for method, path, body in changes:
        answer = reader.ask(method, path, body)
        assert (answer.status, answer.json["error"]["code"]) == (403, "PERMISSION_DENIED"), path
    assert owner.ask("GET", f"memories/{memory_id}").json["memory"]["version"] == 1


CHANGES = [route for route in ROUTES if route.method != "GET"]


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: f"{route.method} {route.path}")
def test_every_change_needs_the_token_against_forged_requests(server: Server, route: Route):
    path = route.path.replace("{", "").replace("}", "")
    owner = Browser(server, "owner")
    for headers in ({"X_Rum_Csrf": None}, {"X_Rum_Csrf": "0" * 64}, {"Origin": "http://evil.example"}):
        answer = owner.ask(route.method, path, {}, **headers)
        assert (answer.status, answer.json["error"]["code"]) == (403, "FORBIDDEN")


def test_what_was_captured_on_the_server_is_shown_to_its_owner_only(tmp_path: Path):
    with open_shop(tmp_path) as shop:
        filled = fill(shop, now=time.time())
    server = start(shop.home)
    try:
        for role in ("reader", "writer", "owner"):
            server.create(role, role, shop.open(owner=True).project.id)
        one = f"sessions/claude-code/{filled.session}"
        owner = Browser(server, "owner")
        for path in ("sessions", one, f"{one}/events", f"{one}/offers", "offers"):
            assert "signed out in the checkout" in owner.ask("GET", path).body.decode() or "offers" in path
            for role in ("reader", "writer"):
                answer = Browser(server, role).ask("GET", path)
                assert (answer.status, answer.json["error"]["code"]) == (403, "PERMISSION_DENIED"), path
        shown = Browser(server, "reader").ask("GET", f"memories/{filled.refresh}").json
        assert "client" not in shown
    finally:
        assert server.stop() == 0


def test_a_writer_changes_its_own_memories_only_and_does_not_review(server: Server):
    owner, writer = Browser(server, "owner"), Browser(server, "writer")
    theirs = owner.ask("POST", "calls/store", WORK).json["memory_id"]
    own = writer.ask("POST", "calls/store", WORK).json["memory_id"]
    assert writer.ask("POST", f"memories/{own}/forget", {}).status == 200
    assert writer.ask("POST", f"memories/{theirs}/forget", {}).status == 403
    assert writer.ask("POST", "review/reject", {"items": [{"kind": "memory", "id": theirs}]}).status in (
        403,
        404,
    )
    assert writer.me["may_review"] is False


def test_the_machine_of_the_server_is_not_shown_to_the_team(server: Server):
    writer, owner = Browser(server, "writer"), Browser(server, "owner")
    assert writer.ask("GET", "doctor").status == 403
    assert writer.ask("GET", "settings").status == 403
    assert owner.ask("GET", "settings").status == 403
    assert owner.ask("PUT", "settings/recall_limit", {"value": 3}).status == 403
    assert owner.ask("GET", "content?path=tests/test_login.py").status == 404
    assert writer.ask("GET", "sync").json["team"] == []
    assert {"reader", "writer", "owner"} <= {one["name"] for one in owner.ask("GET", "sync").json["team"]}


def test_projects_stay_apart(server: Server):
    owner, other = Browser(server, "owner"), Browser(server, "other")
    memory_id = owner.ask("POST", "calls/store", WORK).json["memory_id"]
    assert other.ask("GET", f"memories/{memory_id}").status == 404
    assert memory_id in [one["id"] for one in owner.ask("GET", "timeline").json["items"]]
    assert memory_id not in [one["id"] for one in other.ask("GET", "timeline").json["items"]]


def test_a_program_uses_the_api_with_its_token_and_needs_no_cookie(server: Server):
    answer = server.ask("POST", "/api/v1/calls/store", WORK, token=server.tokens["writer"])
    assert answer.status == 200
    found = server.ask("GET", "/api/v1/timeline?limit=1", token=server.tokens["reader"])
    assert found.json["items"][0]["id"] == answer.json["memory_id"]


def test_every_change_on_the_page_is_in_the_audit_log(server: Server):
    browser = Browser(server, "owner")
    memory_id = browser.ask("POST", "calls/store", WORK).json["memory_id"]
    browser.ask("POST", f"memories/{memory_id}/forget", {})
    browser.ask("GET", "timeline")
    browser.ask("POST", "calls/recall", {"query": "login"})
    [path] = (server.home / "audit").glob("*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    named = [line for line in lines if memory_id in line.get("ids", [])]
    assert [(line["name"], line["call"], line["result"]) for line in named] == [
        ("owner", "POST memories/{id}/forget", "ok")
    ]
    assert "POST calls/store" in {line["call"] for line in lines}
    assert "POST calls/recall" not in {line["call"] for line in lines}
    assert AuditLog(str(server.home)).folder == str(server.home / "audit")


def test_a_revoked_token_ends_the_cookie_too(server: Server):
    server.create("guest", "reader")
    browser = Browser(server, "guest")
    assert browser.ask("GET", "me").status == 200
    AccessTokens(str(server.home)).revoke("guest")
    assert browser.ask("GET", "me").status == 401


def test_signing_out_removes_the_cookie(server: Server):
    answer = Browser(server, "reader").ask("POST", "logout", {})
    assert answer.status == 204
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_answers_of_the_page_have_its_headers(server: Server):
    for path in ("/", "/api/v1/me", "/static/none.js"):
        answer = server.ask("GET", path)
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert server.ask("GET", "/static/../app.py").status == 404


def test_long_bodies_are_read_of_those_who_have_signed_in_only(server: Server):
    long = json.dumps({"token": "x" * 100_000}).encode()
    for path in ("login", "logout", "calls/store", "nothing"):
        assert server.ask("POST", f"/api/v1/{path}", long).status == 413, path
    assert server.ask("POST", "/static/app.js", long).status == 413
    assert server.ask("POST", "/api/v1/calls/store", long, token=server.tokens["writer"]).status == 400


def test_one_project_does_not_take_every_place_of_the_others(tmp_path: Path):
    home = tmp_path / "home"
    server = start(home, limits={"MAX_WAITING_EACH": 0})
    try:
        token = server.create("anna")
        busy = server.ask("GET", "/api/v1/me", token=token)
        assert (busy.status, busy.json["error"]["code"]) == (503, "BUSY")
        assert server.call("list", token).status == 503
    finally:
        assert server.stop() == 0


def test_no_token_is_in_what_the_server_prints_or_keeps(tmp_path: Path):
    server = start(tmp_path / "home")
    token = server.create("ann", "owner")
    browser = Browser(server, "ann")
    browser.ask("POST", "calls/store", WORK)
    browser.ask("GET", f"timeline?token={token}")
    server.ask("GET", f"/?token={token}")
    server.ask("POST", "/api/v1/login", {"tokens": token})
    assert server.stop() == 0
    secrets = [token, browser.cookie.partition("=")[2], browser.me["csrf"]]
    kept = [path.read_bytes() for path in server.home.rglob("*") if path.is_file()]
    for secret in secrets:
        assert not [line for line in server.complaints if secret in line]
        assert not [data for data in kept if secret.encode() in data]
