"""One POST of JSON, bounded in time and size, that follows no redirect and never shows a key."""

from __future__ import annotations

import http.client
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from time import monotonic
from urllib.parse import urlsplit

_LARGEST = 32 * 1024 * 1024
_LONGEST_WORD = 200
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")


class PostError(Exception):
    """What the other side did instead of answering; to be read after its address."""

    def __init__(self, what: str, status: int | None = None, wait: float | None = None) -> None:
        super().__init__(what)
        self.status = status
        """The HTTP status, where it was one that is no answer."""
        self.wait = wait
        """Seconds after which it says that it may be asked again."""


class NoAnswerYet(PostError):
    """The time was over before the answer was there."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect could carry texts and key to another host."""

    def redirect_request(self, *_args: object, **_named: object) -> None:
        """Follow none: it is an error like any other status."""


def bearer(key: str | None) -> dict[str, str]:
    """The header by which most servers want a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def post(
    url: str, body: bytes, timeout: float, *, headers: Mapping[str, str] | None = None, key: str | None = None
) -> bytes:
    """The answer's body. All of it must have come within `timeout` seconds, however slowly it drips.

    `headers` are sent beside the usual ones; `key` is what no error may show.
    """
    if timeout <= 0:
        raise NoAnswerYet("was not asked, as no time was left")
    outcome: list[bytes | PostError] = []
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": "rum",
        **(headers or {}),
    }
    # In a thread, because neither a name that is not resolved nor a slow drip can be timed out otherwise.
    asking = threading.Thread(
        target=lambda: outcome.append(_asked(url, body, sent, key, timeout)), daemon=True
    )
    asking.start()
    asking.join(timeout)
    answer = outcome[0] if outcome else NoAnswerYet(f"did not answer within {timeout:.3g} s")
    if isinstance(answer, PostError):
        raise answer
    return answer


def _asked(
    url: str, body: bytes, headers: Mapping[str, str], key: str | None, timeout: float
) -> bytes | PostError:
    try:
        request = urllib.request.Request(url, data=body, headers=dict(headers), method="POST")  # noqa: S310
        # Longer than anybody waits, so that it is always told in the same words.
        with _opener(url).open(request, timeout=timeout + 1) as response:
            return _bounded(response, monotonic() + timeout)
    except urllib.error.HTTPError as error:
        with error:
            what = f"answered with status {error.code}{_excerpt(error, key)}"
            return PostError(what, error.code, _wait(error.headers.get("Retry-After")))
    except ValueError:
        # Not in the library's words: they would show a key that cannot be sent.
        return PostError("cannot be asked: the address or the key holds characters that are not allowed")
    except (OSError, http.client.HTTPException) as error:
        return PostError(f"cannot be reached ({_plain(str(error), key) or type(error).__name__})")


def _wait(told: str | None) -> float | None:
    """Seconds that a server asks for; a date, which some give instead, is not worth a parser."""
    return float(told) if told and re.fullmatch(r"\d{1,6}(\.\d{1,3})?", told.strip(), re.ASCII) else None


def _bounded(response: http.client.HTTPResponse, deadline: float) -> bytes | PostError:
    """The body, unless it is too large; what comes after the deadline is awaited by nobody."""
    raw = bytearray()
    while monotonic() < deadline and (chunk := response.read1(1 << 16)):
        raw += chunk
        if len(raw) > _LARGEST:
            return PostError(f"gave more than {_LARGEST >> 20} MB")
    return bytes(raw)


def _opener(url: str) -> urllib.request.OpenerDirector:
    """A proxy is for other machines: it would look for `localhost` on its own."""
    own = _LOOPBACK.fullmatch(urlsplit(url).hostname or "")
    return urllib.request.build_opener(_NoRedirects, *([urllib.request.ProxyHandler({})] if own else []))


def _excerpt(error: urllib.error.HTTPError, key: str | None) -> str:
    """The beginning of what the server says about it."""
    try:
        said = _plain(error.read(4096).decode("utf-8", "replace"), key)
    except (OSError, http.client.HTTPException):
        said = ""
    return f" ({said})" if said else ""


def _plain(text: str, key: str | None) -> str:
    """A stranger's words as they may be shown: one short line, without the key."""
    if key:
        text = text.replace(key, "***")
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()[:_LONGEST_WORD]
