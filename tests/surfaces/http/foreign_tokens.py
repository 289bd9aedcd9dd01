"""Tokens of an identity provider, valid and forged ones, and a server's options that name it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ISSUER, AUDIENCE = "https://login.example.com", "https://memory.example.com/mcp"
RSA, OTHER = (rsa.generate_private_key(65537, 2048) for _ in range(2))
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()


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


def provider_options(folder: Path) -> tuple[str, ...]:
    """Options of a server that accepts the tokens of these tests; the keys are in the folder."""
    keys = folder / "keys.json"
    shared = {"kty": "oct", "k": "c2VjcmV0" * 8, "kid": "shared", "alg": "HS256"}
    known = [public(RSA, "one"), public(EC, "two"), public(ED, "three"), shared]
    keys.write_text(json.dumps({"keys": [*known, {"kty": "new"}, public(OTHER, "seal", use="enc")]}))
    return ("--issuer", ISSUER, "--audience", AUDIENCE, "--keys", str(keys))


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
