"""Finds the secrets that are known by their own shape: vendors' tokens, keys, JWTs, private key blocks."""

from __future__ import annotations

from rum.redact.secret_plausibility import compiled, is_filler, is_random
from rum.redact.vendor_tokens import ALNUM, BEHIND, CAPITAL, MARKED, PREFIXED, URLSAFE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATOR = r"[_.~:-](?=[A-Za-z0-9_-]{16})"
_REST = r"[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]{16,}+)*+"
_ESCAPE_BEFORE = r"(?:\\[abfnrtv0]|%[0-9A-Fa-f]{2}|\\[ux][0-9A-Fa-f]{2,4}|\x1b\[[0-9;]*m)\Z"

# Forty characters of base64, and no hash, right after an access key id.
_BESIDE_AWS_ID = r"(?<![A-Za-z0-9/+=])(?=[A-Za-z0-9/+]{0,38}[G-Zg-z/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"

_KEY_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_KEY_BODY = (
    r"(?:(?:\\+[nrt]|[\s\"'>|#*,\\])*+"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\\\"]{0,120}+"
    r"|[A-Za-z0-9+/]{16,}+={0,2}))*+"
    r"(?:(?:\\+[nrt]|\s)*+[A-Za-z0-9+/]{1,15}+={0,2}(?=\s*-----|\s*\Z|={1,2}))?+"
)
_LONGEST_KEY = 20_000


def _by_tail() -> dict[str, list[tuple[str, str, str]]]:
    """Index the prefixes by their last three characters, longest prefix first."""
    index: dict[str, list[tuple[str, str, str]]] = {}
    for kind, body, prefixes in PREFIXED:
        for prefix in prefixes.split():
            index.setdefault(prefix[-3:], []).append((prefix, kind, body))
    for rules in index.values():
        rules.sort(key=lambda rule: -len(rule[0]))
    return index


_TAILS = _by_tail()
_CAPITAL_START = "[{}](?:{})".format(
    "".join(sorted({prefix[0] for prefix in CAPITAL})),
    "|".join(sorted({prefix[1:] for prefix in CAPITAL}, key=len, reverse=True)),
)


def find_shaped(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret that its own shape gives away."""
    if "-----BEGIN" in text:
        yield from _private_keys(text)
    yield from _prefixed(text)
    yield from _capital(text)
    for mark, kind, source in MARKED:
        if mark in text:
            for match in compiled(source).finditer(text):
                if match.lastindex or _begins_token(text, match.start()):
                    yield *match.span(match.lastindex or 0), kind


def _prefixed(text: str) -> Iterator[tuple[int, int, str]]:
    done = 0
    for hit in compiled(_SEPARATOR).finditer(text):
        after = hit.end()
        if after <= done:
            continue
        found = _with_prefix(text, after) or _with_something_behind(text, after)
        if found:
            yield found
            done = found[1]


def _with_prefix(text: str, after: int) -> tuple[int, int, str] | None:
    for prefix, kind, body in _TAILS.get(text[after - 3 : after], ()):
        start = after - len(prefix)
        if start < 0 or not text.startswith(prefix, start) or not _begins_token(text, start):
            continue
        match = compiled(body).match(text, after)
        if match and _is_body(text[after : max(match.end(), after + 64)]):
            return start, _end_of_token(text, match.end()), kind
    return None


def _with_something_behind(text: str, after: int) -> tuple[int, int, str] | None:
    for kind, sign, distance, behind, body in BEHIND:
        if text.startswith(sign, after - distance) and after > distance:
            begin = compiled(behind).search(text, max(0, after - 40), after)
            match = compiled(body).match(text, after) if begin else None
            if begin and match:
                return begin.start(), _end_of_token(text, match.end()), kind
    return None


def _capital(text: str) -> Iterator[tuple[int, int, str]]:
    done = 0
    for hit in compiled(_CAPITAL_START).finditer(text):
        rule = CAPITAL.get(hit.group())
        if rule and hit.start() >= done and _begins_token(text, hit.start()):
            match = compiled(rule[1]).match(text, hit.end())
            if match and not is_filler(match.group()):
                done = match.end()
                yield hit.start(), done, rule[0]
                secret = (
                    compiled(_BESIDE_AWS_ID).search(text, done, done + 100) if rule[0] == "aws-key" else None
                )
                if secret:
                    yield *secret.span(), "aws-key"


def _end_of_token(text: str, at: int) -> int:
    rest = compiled(_REST).match(text, at)
    return rest.end() if rest else at


def _begins_token(text: str, start: int) -> bool:
    """Whether a token can begin here: at a boundary, or right after an escape sequence."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return compiled(_ESCAPE_BEFORE).search(text, max(0, start - 12), start) is not None


def _is_body(following: str) -> bool:
    """Whether what follows a prefix is more than filler or words (`glpat-your-token-goes-here`)."""
    run = compiled(f"{URLSAFE}+").match(following)
    body = run.group() if run else following
    if is_filler(body):
        return False
    return bool(compiled("[0-9]|^[A-Za-z]+$").search(body)) or is_random(body, 16)


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield whole blocks; of one cut short, the lines that are there."""
    at = 0
    while begin := compiled(_KEY_BEGIN).search(text, at):
        at = begin.end()
        end = compiled(_KEY_END).search(text, at, at + _LONGEST_KEY)
        if end and "-----BEGIN" not in text[at : end.start()]:
            if compiled(f"{ALNUM}{{16}}").search(text, at, end.start()):
                yield begin.start(), end.end(), "private-key"
            at = end.end()
            continue
        body = compiled(_KEY_BODY).match(text, at)
        if body and compiled(f"{ALNUM}{{16}}").search(text, at, body.end()):
            yield begin.start(), body.end(), "private-key"
            at = body.end()
