"""Find secrets by their place: in URLs, headers, cookies and arguments of known commands."""

from __future__ import annotations

from rum.redact.secret_plausibility import (
    QUOTED,
    compiled,
    is_basic_auth,
    is_chosen,
    is_placeholder,
    is_plausible,
    is_random,
    limited,
    looking,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMES = r"(?:(?!basic\s)[a-z][a-z0-9-]{1,20}\s{1,4})?"

# A word that must be in the lower-case text, kind, pattern for that text; its group is the secret.
_HEADERS = (
    (
        "authorization",
        "authorization",
        rf"authorization[\"']?\s{{0,4}}[:=,]\s{{0,4}}[\"'`]?{_SCHEMES}(?!aws4-)([\w.~+/=:-]{{8,}}+)",
    ),
    ("bearer", "bearer-token", r"bearer[ \t:=]{1,3}([\w.~+/=-]{12,}+)"),
    ("basic ", "basic-auth", r"basic[ \t\"'+]{1,8}([a-z0-9+/]{6,}+={0,2})"),
)

_COOKIES = (
    r"cookies?[\"']?(?:[ \t]{0,3}[:=][ \t]{0,3}|[ \t]{1,3})[\"']?"
    r"([\w.%-]{1,64}=[^\r\n\"'\\]{8,8000}+)"
)
_COOKIE = r"([\w.%-]{1,64}+)=([^;\s,\"'=][^;\s,\"']{7,}+)"
# A session's cookie by its usual names, outside of a header; `curl -b`; a line of curl's cookie file.
_SESSION_COOKIE = (
    r"(?:session_?id|sessid|connect\.sid|logged_in_[0-9a-f]{32}|aspnetcore\.[\w.]{3,40}|aspxauth)"
    r"=([^;\s,\"'&]{16,4000}+)"
)
_COOKIE_FLAG = r"\s-b\s?[\"']?[\w.%-]{1,64}=([^;\s,\"']{16,4000}+)"
_COOKIE_LINE = r"\t(?:true|false)\t/\S{0,200}\t(?:true|false)\t[0-9]{1,12}\t\S{1,100}\t(\S{8,4000}+)"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SESSION = r"sess|sid\b|auth|token|jwt|csrf|xsrf|remember|login"

_USER = r"://[^\s/?#@:'\"`<>]{0,100}+:"
_IN_URL = rf"{_USER}(?![0-9]{{1,5}}[?#])([^\s/'\"`<>\\]{{1,256}})@(?=[\w.\[%${{-])"
# People put passwords into database URLs as they are, with slashes.
_IN_DATABASE_URL = rf"{_USER}(?![0-9]{{1,5}}[/?#])([^\s'\"`<>,\\]{{1,256}})@(?=[\w.\[-])"
_DATABASE = (
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse)[\w+]{0,12}\Z"
)
# The user of an HTTP URL may be a token; the public key of an error tracker's address is none.
_AS_USER = r"://(?<=[ps]://)([A-Za-z0-9_-]{20,256}+)(?::[^\s@/]{0,40})?@(?!o[0-9]+\.ingest\.)"


# `user:password@host`, without a scheme; `name@example.com:password`.
_HOST = r"@(?:(?:tcp|udp|unix)\(|/(?=\w)|(?!sha(?:256|512)|[0-9]+(?![\w.-])|[0-9]{4}/)[\w\[.{-])"
_USER_BEFORE = r"(?<![^\s\"'=(,>/:])(?!mailto:)(?=[\w.+-]{0,39}[A-Za-z])[\w.+-]{1,40}:([^\s:/\"'<>]{5,64})\Z"
_AFTER_ADDRESS = r"@[\w-]{1,40}\.[\w.-]{1,60}(?:[:|;]| / | : )([^\s\"'`,;<>|/]{6,64})(?=[\s\"'`,;<]|\Z)"


def find_by_location(text: str, lower: str, _words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret known by its place; `lower` is the text in lower case."""
    if "://" in text and "@" in text:
        yield from _in_urls(text, lower)
    if "@" in text:
        yield from _before_hosts(text)
        for match in limited(compiled(_AFTER_ADDRESS).finditer(text)):
            if is_chosen(match[1]):
                yield *match.span(1), "password"
    if "cookie" in lower:
        yield from _in_cookies(text, lower)
    yield from _other_cookies(text, lower)
    for mark, kind, source in _HEADERS:
        if mark in lower:
            for match in limited(compiled(source).finditer(lower)):
                start, end = match.span(1)
                if _is_credential(kind, text[start:end]):
                    yield start, end, kind


def _before_hosts(text: str) -> Iterator[tuple[int, int, str]]:
    looked = looking(text)
    for sign in compiled(r"@(?<=[^\s@]{5}@)").finditer(text):
        at = sign.start()
        if text.rfind(":", max(0, at - 66), at - 4) >= 0 and compiled(_HOST).match(text, at):
            looked.spend(at)
            match = compiled(_USER_BEFORE).search(text, max(0, at - 108), at)
            if match and (is_chosen(match[1]) or is_random(match[1], 12)):
                yield *match.span(1), "password"


def _is_credential(kind: str, value: str) -> bool:
    if kind == "basic-auth":
        return is_basic_auth(value)
    return is_random(value, 8) and not is_placeholder(value)


def _in_urls(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(_IN_URL).finditer(text)):
        if is_plausible("password", match[1], QUOTED):
            yield *match.span(1), "url-password"
    for match in limited(compiled(_IN_DATABASE_URL).finditer(text)):
        scheme = compiled(_DATABASE).search(lower, max(0, match.start() - 24), match.start())
        if scheme and is_plausible("password", match[1], QUOTED):
            yield *match.span(1), "url-password"
    for match in limited(compiled(_AS_USER).finditer(text)):
        if is_random(match[1], 20):
            yield *match.span(1), "url-password"


def _in_cookies(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    for header in limited(compiled(_COOKIES).finditer(lower)):
        for pair in limited(compiled(_COOKIE).finditer(text, *header.span(1))):
            least = 8 if compiled(_SESSION).search(lower, *pair.span(1)) else 20
            if is_random(pair[2], least):
                yield *pair.span(2), "cookie"


def _other_cookies(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    named = any(mark in lower for mark in ("sess", "connect.sid", "logged_in_", "asp"))
    sources = (
        (named, _SESSION_COOKIE),
        ("curl" in lower and " -b" in lower, _COOKIE_FLAG),
        ("e\t/" in lower, _COOKIE_LINE),
    )
    for source in (source for may, source in sources if may):
        for match in limited(compiled(source).finditer(lower)):
            value = text[match.start(1) : match.end(1)]
            # Programs number their sessions by UUIDs, which let nobody in.
            if is_random(value, 16) and not compiled(_UUID).fullmatch(value.lower()):
                yield *match.span(1), "cookie"
