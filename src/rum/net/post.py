"""GET or POST JSON with limits on time and size; follows no redirects and never shows the key."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector

_MAX_ANSWER = 32 * 1024 * 1024
_MAX_EXCERPT = 200
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")


class PostError(Exception):
    """The request failed; the message continues a sentence that starts with the URL."""

    def __init__(self, what: str, status: int | None = None, wait: float | None = None) -> None:
        super().__init__(what)
        self.status = status
        """The HTTP status, if there was one."""
        self.wait = wait
        """Seconds from the `Retry-After` header."""


class NoAnswerYet(PostError):
    """The time limit passed before the answer was complete."""


def is_loopback(host: str) -> bool:
    """Whether a host is the own machine."""
    return _LOOPBACK.fullmatch(host) is not None


def bearer(key: str | None) -> dict[str, str]:
    """The Authorization header for a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def post(
    url: str, body: bytes, timeout: float, *, headers: Mapping[str, str] | None = None, key: str | None = None
) -> bytes:
    """The response body; all of it must arrive within `timeout` seconds.

    `headers` are added to the default ones; `key` is removed from error messages.
    """
    return _exchange(url, body, timeout, headers or {}, key)


def get(url: str, timeout: float) -> bytes:
    """The body at an address; all of it must arrive within `timeout` seconds."""
    return _exchange(url, None, timeout, {}, None)


def _exchange(
    url: str, body: bytes | None, timeout: float, headers: Mapping[str, str], key: str | None
) -> bytes:
    if timeout <= 0:
        raise NoAnswerYet("was not contacted, as no time was left")
    outcome: list[bytes | PostError] = []
    all_headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": "rum",
        **headers,
    }
    # In a thread, because neither name resolution nor a slowly sent body can be timed out otherwise.
    sender = threading.Thread(
        target=lambda: outcome.append(_send(url, body, all_headers, key, timeout)), daemon=True
    )
    sender.start()
    sender.join(timeout)
    answer = outcome[0] if outcome else NoAnswerYet(f"did not answer within {timeout:.3g} s")
    if isinstance(answer, PostError):
        raise answer
    return answer


def _send(
    url: str, body: bytes | None, headers: Mapping[str, str], key: str | None, timeout: float
) -> bytes | PostError:
    # Slow to load, with ssl, and needed by the first request only.
    from http.client import HTTPException  # noqa: PLC0415
    from urllib.error import HTTPError  # noqa: PLC0415
    from urllib.request import Request  # noqa: PLC0415

    try:
        request = Request(url, data=body, headers=dict(headers))  # noqa: S310
        # Longer than the caller waits, so that a timeout always gives the same message.
        with _opener(url).open(request, timeout=timeout + 1) as response:
            return _read_bounded(response, monotonic() + timeout)
    except HTTPError as error:
        with error:
            excerpt = ""
            with suppress(OSError, HTTPException):
                excerpt = _one_line(error.read(4096).decode("utf-8", "replace"), key)
            what = f"answered with status {error.code}{f' ({excerpt})' if excerpt else ''}"
            # Dates in this header, which few servers send, are ignored.
            wait = (error.headers.get("Retry-After") or "").strip()
            is_number = re.fullmatch(r"\d{1,6}(\.\d{1,3})?", wait, re.ASCII)
            return PostError(what, error.code, float(wait) if is_number else None)
    except ValueError:
        # Not the library's message: it would show the key.
        return PostError("cannot be contacted: the URL or the key contains invalid characters")
    except (OSError, HTTPException) as error:
        return PostError(f"cannot be reached ({_one_line(str(error), key) or type(error).__name__})")


def _read_bounded(response: HTTPResponse, deadline: float) -> bytes | PostError:
    """The body, unless it is too large; reading stops at the deadline, when the caller has given up."""
    raw = bytearray()
    while monotonic() < deadline and (chunk := response.read1(1 << 16)):
        raw += chunk
        if len(raw) > _MAX_ANSWER:
            return PostError(f"sent more than {_MAX_ANSWER >> 20} MB")
    return bytes(raw)


def _opener(url: str) -> OpenerDirector:
    """Without a proxy for local addresses: the proxy would resolve `localhost` to itself."""
    from urllib.parse import urlsplit  # noqa: PLC0415
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener  # noqa: PLC0415

    class NoRedirects(HTTPRedirectHandler):
        """Makes a redirect an error: it could send texts and the key to another host."""

        def redirect_request(self, *_args: object, **_named: object) -> None:
            pass

    own = is_loopback(urlsplit(url).hostname or "")
    return build_opener(NoRedirects, *([ProxyHandler({})] if own else []))


def _one_line(text: str, key: str | None) -> str:
    """Untrusted text as one short line, without the key."""
    if key:
        text = text.replace(key, "***")
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()[:_MAX_EXCERPT]
