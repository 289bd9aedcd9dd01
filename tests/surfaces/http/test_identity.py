"""Tokens of an identity provider: which are valid, what they allow, and how clients find the provider."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from rum.surfaces.http.identity import Identities, Keys, Provider
from surfaces.http.running import WORK, Server, create_token, start

ISSUER, AUDIENCE = "https://login.example.com", "https://memory.example.com/mcp"
RSA, OTHER = (rsa.generate_private_key(65537, 2048) for _ in range(2))
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def public(key: Any, key_id: str, **more: str) -> dict[str, Any]:
    kinds = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm = next((one for kind, one in kinds.items() if isinstance(key, kind)), OKPAlgorithm)
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": key_id, **more}


def token(
    key: Any = RSA, key_id: str | None = "one", algorithm: str = "RS256", headers: Any = None, **claims: Any
) -> str:
    now = int(time.time())
    said = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "exp": now + 60, "scope": "rum:shop:writer"}
    given = {name: value for name, value in {**said, **claims}.items() if value is not None}
    return jwt.encode(given, key, algorithm, {"kid": key_id, **(headers or {})} if key_id else headers)


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("identity")
    keys = folder / "keys.json"
    shared = {"kty": "oct", "k": "c2VjcmV0" * 8, "kid": "shared", "alg": "HS256"}
    known = [public(RSA, "one"), public(EC, "two"), public(ED, "three"), shared]
    keys.write_text(json.dumps({"keys": [*known, {"kty": "new"}, public(OTHER, "seal", use="enc")]}))
    options = ("--issuer", ISSUER, "--audience", AUDIENCE, "--keys", str(keys))
    running = start(folder / "home", *options)
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


def forged() -> dict[str, str]:
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "eve", "exp": now + 60, "scope": "rum:shop:owner"}
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    confused = f"{part({'alg': 'HS256', 'kid': 'one'})}.{part(claims)}"
    mac = base64.urlsafe_b64encode(hmac.digest(pem, confused.encode(), hashlib.sha256)).decode().rstrip("=")
    good = token()
    head, _, signature = good.split(".")
    return {
        "no signature": f"{part({'alg': 'none'})}.{part(claims)}.",
        "no signature, other case": f"{part({'alg': 'nOnE', 'kid': 'one'})}.{part(claims)}.",
        "the public key as a secret": f"{confused}.{mac}",
        "a shared secret of the set": token("secret" * 8, "shared", "HS256"),
        "another key of that id": token(OTHER, "one"),
        "a key for encryption": token(OTHER, "seal"),
        "an unknown key": token(OTHER, "nine"),
        "the key of another algorithm": token(EC, "one", "ES256"),
        "an own key in the header": token(OTHER, "one", headers={"jwk": public(OTHER, "one")}),
        "an own address in the header": token(OTHER, "x", headers={"jku": "http://127.0.0.1:9/"}),
        "a critical header": token(headers={"crit": ["exp"], "exp": 1}),
        "another kind of token": token(headers={"typ": "logout+jwt"}),
        "another body": f"{head}.{part(claims)}.{signature}",
        "a cut signature": good[:-8],
        "expired": token(exp=now - 60),
        "no end": token(exp=None),
        "not yet": token(nbf=now + 300),
        "another issuer": token(iss="https://evil.example.com"),
        "the issuer as a prefix": token(iss=ISSUER + ".evil.example.com"),
        "another audience": token(aud="https://other.example.com"),
        "no audience": token(aud=None),
        "nobody": token(sub=None),
        "an empty name": token(sub=""),
        "too long": token(note="x" * 9000),
        "no JWT": "a.b.c",
        "deep": f"{base64.urlsafe_b64encode(b'[' * 3000).decode()}.{part(claims)}.x",
        "text beyond ASCII": f"{head}.ü.{signature}",
    }


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

        def log_message(self, *_: object) -> None:
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
