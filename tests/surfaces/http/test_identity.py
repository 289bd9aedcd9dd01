"""Tokens of an identity provider: which are valid, what they allow, and how clients find the provider."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rum.surfaces.http.identity import Identities, Keys, Provider
from surfaces.http.foreign_tokens import (
    AUDIENCE,
    EC,
    ED,
    ISSUER,
    OTHER,
    RSA,
    forged,
    provider_options,
    public,
    token,
)
from surfaces.http.running import WORK, Server, create_token, start

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("identity")
    running = start(folder / "home", *provider_options(folder))
    running.create("anna")
    running.create("bob", project="bank")
    yield running
    assert running.stop() == 0


def status(served: Server, secret: str, path: str = "/mcp") -> int:
    return served.ask(body=LIST, token=secret, path=path).status


def test_a_token_of_the_provider_stores_and_finds(served: Server):
    secret = token()
    stored = served.call("store", secret, **WORK).tool
    found = served.call("recall", secret, memory_id=stored["memory_id"]).tool["memories"]
    assert [one["id"] for one in found] == [stored["memory_id"]]
    # It shares neither agents nor rights with the token of this server that has the same name.
    changed = served.call("update_memory", served.tokens["anna"], memory_id=stored["memory_id"], tags=["x"])
    assert changed.tool["code"] == "PERMISSION_DENIED"
    (month,) = (served.home / "audit").iterdir()
    said = [json.loads(line) for line in month.read_text().splitlines()]
    assert {"name": "jwt/anna", "role": "writer", "call": "store"}.items() <= said[0].items()


@pytest.mark.parametrize(
    ("key", "key_id", "algorithm"),
    [
        (RSA, "one", "RS256"),
        (RSA, "one", "PS256"),
        (RSA, None, "RS256"),
        (EC, "two", "ES256"),
        (ED, "three", "EdDSA"),
    ],
)
def test_usual_algorithms_are_accepted(served: Server, key: Any, key_id: str | None, algorithm: str):
    assert status(served, token(key, key_id, algorithm)) == 200


@pytest.mark.parametrize("kind", sorted(forged()))
def test_a_forged_or_foreign_token_is_refused(served: Server, kind: str):
    assert served.ask(body=LIST, Authorization=f"Bearer {forged()[kind]}".encode()).status == 401


@pytest.mark.parametrize(
    "scope",
    [None, "", "openid", "rum:", "rum:writer", "rum:shop", "shop:writer", "rum:shop:admin", "rum:../x:owner",
     "rum:nowhere:owner", ["rum:shop", 1], {"rum:shop:owner": 1}, 7],
)  # fmt: skip
def test_a_token_without_a_role_here_is_let_in_nowhere(served: Server, scope: object):
    answer = served.ask(body=LIST, token=token(scope=scope))
    assert answer.status == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


def test_the_address_names_one_of_several_projects(served: Server):
    both = token(scope="openid rum:shop:reader rum:shop:owner rum:bank:reader")
    assert status(served, both) == 403
    assert status(served, both, "/mcp/shop") == status(served, both, "/mcp/bank") == 200
    stored = served.ask(body=_store(), token=both, path="/mcp/shop").tool
    assert "memory_id" in stored
    assert served.ask(body=_store(), token=both, path="/mcp/bank").tool["code"] == "PERMISSION_DENIED"
    found = {"name": "trace", "arguments": {"memory_id": stored["memory_id"]}}
    elsewhere = served.ask(
        body={**LIST, "method": "tools/call", "params": found}, token=both, path="/mcp/bank"
    )
    assert elsewhere.tool["code"] == "NOT_FOUND"


def _store() -> dict[str, Any]:
    return {**LIST, "method": "tools/call", "params": {"name": "store", "arguments": WORK}}


@pytest.mark.parametrize("path", ["/mcp/bank", "/mcp/nowhere", "/mcp/..", "/mcp/%2e%2e", "/mcp/%00"])
def test_no_address_leads_to_another_project(served: Server, path: str):
    for secret in (served.tokens["anna"], token()):
        assert status(served, secret, path) == 403
    assert status(served, served.tokens["anna"], "/mcp/shop") == status(served, token(), "/mcp/shop") == 200
    assert served.ask(body=LIST, path=path).status == 401


def test_clients_are_led_to_the_provider(served: Server):
    place = f"http://127.0.0.1:{served.port}"
    answer = served.ask(body=LIST)
    where = f'resource_metadata="{place}/.well-known/oauth-protected-resource/mcp"'
    assert answer.headers["www-authenticate"] == f"Bearer {where}"
    wrong = served.ask(body=LIST, path="/mcp/shop", token="x").headers["www-authenticate"]
    assert wrong.startswith('Bearer error="invalid_token", resource_metadata=')
    assert wrong.endswith('/mcp/shop", scope="rum:shop:writer"')
    for path in ("/mcp", "/mcp/shop"):
        found = served.ask("GET", f"/.well-known/oauth-protected-resource{path}")
        assert found.json == {
            "resource": place + path,
            "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"],
            "resource_name": "RUM",
        }
    assert served.ask("GET", "/.well-known/oauth-protected-resource").json["resource"] == f"{place}/mcp"
    evil = served.ask("GET", "/.well-known/oauth-protected-resource", Host="evil.example.com")
    assert evil.status == 421
    quoted = served.ask(body=LIST, path='/mcp/"x')
    assert '"x' not in quoted.headers["www-authenticate"]


def test_without_a_provider_nothing_is_said_of_one(server: Server):
    assert server.ask("GET", "/.well-known/oauth-protected-resource").status == 404
    assert server.ask(body=LIST).headers["www-authenticate"] == "Bearer"
    assert status(server, token()) == 401


def test_the_page_and_its_api_take_tokens_of_the_provider(served: Server):
    secret = token(scope="rum:shop:reader")
    origin = f"http://127.0.0.1:{served.port}"
    entered = served.ask(path="/api/v1/login", body={"token": secret}, Origin=origin)
    assert entered.status == 200
    assert served.ask("GET", "/api/v1/me", token=secret).status == 200
    assert served.ask("GET", "/api/v1/me", token=token(exp=1)).status == 401


def test_a_single_project_needs_no_name_in_the_token(tmp_path: Path):
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"keys": [public(RSA, "one")]}))
    home = tmp_path / "home"
    create_token(home, "anna", "writer", "shop")
    create_token(home, "bob", "writer", "bank")
    options = ("--issuer", ISSUER, "--audience", AUDIENCE, "--audience", "rum", "--keys", str(keys))
    one = start(home, "--project", "shop", "--role-claim", "groups", *options)
    assert status(one, token(aud=["x", "rum"], groups=["staff", "rum:writer"], scope=None)) == 200
    assert status(one, token(groups=["rum:bank:owner"])) == 403
    assert status(one, token()) == 403
    assert one.ask(body=LIST).headers["www-authenticate"].count("scope") == 0
    assert one.stop() == 0


class _Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_new_keys_are_fetched_for_an_unknown_id_but_not_for_every_forgery(tmp_path: Path):
    sets = [{"keys": [public(RSA, "one")]}]
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if sets else 500)
            self.end_headers()
            self.wfile.write(json.dumps(sets[-1]).encode() if sets else b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    place = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=place.serve_forever, daemon=True).start()
    clock = _Clock()
    keys = Keys(f"http://127.0.0.1:{place.server_port}/keys", clock)
    try:
        assert keys.is_old("one")
        keys.read()
        assert keys.find("one", "RS256")
        assert not keys.is_old("one")
        assert not keys.is_old("new")  # asked a moment ago
        clock.now += 31
        assert keys.is_old("new")
        assert not keys.is_old("one")
        sets[:] = [{"keys": [public(OTHER, "new")]}]
        keys.read()
        assert keys.find("new", "RS256")
        assert keys.find("one", "RS256") is None  # rotated out
        sets.clear()
        clock.now += 700
        assert keys.is_old("new")
        with pytest.raises(Exception, match="cannot be read"):
            keys.read()
        assert keys.find("new", "RS256")  # the provider may be away for a while
        clock.now += 86_400
        with pytest.raises(Exception, match="cannot be read"):
            keys.find("new", "RS256")
    finally:
        place.shutdown()
        place.server_close()


def test_a_lower_role_counts_at_once(tmp_path: Path):
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"keys": [public(RSA, "one")]}))
    home = tmp_path / "home"
    create_token(home, "x", "reader", "shop")
    one = start(home, "--issuer", ISSUER, "--audience", AUDIENCE, "--keys", str(keys))
    owner, reader = token(scope="rum:shop:owner"), token(scope="rum:shop:reader")
    assert "memory_id" in one.call("store", owner, **WORK).tool
    assert one.call("store", reader, **WORK).tool["code"] == "PERMISSION_DENIED"
    assert one.stop() == 0


def test_a_provider_is_checked_before_it_is_trusted():
    for provider, what in (
        (Provider("http://login.example.com", ("a",), "k"), "use https"),
        (Provider(ISSUER, ("a",), "http://login.example.com/keys"), "use https"),
        (Provider(ISSUER, (), "k"), "--audience"),
        (Provider(ISSUER, ("a",), ""), "--keys"),
    ):
        with pytest.raises(Exception, match=what):
            provider.check()


def test_a_checked_token_is_remembered_no_longer_than_it_is_valid(tmp_path: Path):
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"keys": [public(RSA, "one")]}))
    create_token(tmp_path / "home", "x", "reader", "shop")
    clock = _Clock()
    clock.now = time.time()
    known = Identities(str(tmp_path / "home"), Provider(ISSUER, (AUDIENCE,), str(keys)), clock=clock)
    known._keys.read()
    secret = token()
    assert known.find(secret)
    keys.write_text(json.dumps({"keys": [public(OTHER, "two")]}))
    known._keys.read()
    clock.now += 31
    assert known.find(secret) is None
