"""The browser is opened by a private file, and pages of other sites in the same browser get nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from support.browser import PATIENCE
from surfaces.page.conftest import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class _Evil(BaseHTTPRequestHandler):
    """A page of another site."""

    def __init__(self, seen: list[str], *arguments: object) -> None:
        self._seen = seen
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]

    def do_GET(self) -> None:
        self._seen.append(f"{self.path} {self.headers.get('referer', '')}")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>evil</title>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def other_site() -> Iterator[tuple[str, list[str]]]:
    """Another site on this machine, and what it was asked, with the referrer."""
    seen: list[str] = []
    server = HTTPServer(("127.0.0.1", 0), partial(_Evil, seen))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_private_file_signs_in_and_the_token_leaves_the_address_and_the_history(
    browser: Browser, site: Site, tmp_path: Path
):
    opener = tmp_path / "open.html"
    opener.write_text(f'<!doctype html><meta http-equiv="refresh" content="0;url={site.address}">')
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(opener.as_uri())
        page.wait_for_selector("header.bar", timeout=PATIENCE)
        assert page.url == site.address.partition("?")[0]
        page.go_back()
        assert "token" not in page.url
        [cookie] = context.cookies()
        assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
        assert str(cookie.get("value")) not in site.address
    finally:
        context.close()


def test_a_page_of_another_site_in_the_same_browser_gets_nothing(browser: Browser, site: Site):
    base = site.address.partition("/?")[0]
    context = browser.new_context()
    try:
        own = context.new_page()
        own.goto(site.address)
        own.wait_for_selector("header.bar", timeout=PATIENCE)
        with other_site() as (address, seen):
            evil = context.new_page()
            evil.goto(address)
            asked = """async ([url, options]) => {
              try { const answer = await fetch(url, options); return answer.type + (await answer.text()); }
              catch (error) { return "refused"; }
            }"""
            for path, options in (
                ("/api/v1/me", {"credentials": "include"}),
                ("/api/v1/me", {"credentials": "include", "mode": "no-cors"}),
                (
                    "/api/v1/calls/store",
                    {"method": "POST", "mode": "no-cors", "credentials": "include", "body": "{}"},
                ),
                ("/api/v1/facts/x", {"method": "PUT", "credentials": "include", "body": '{"value": "y"}'}),
            ):
                assert evil.evaluate(asked, [base + path, options]) in ("refused", "opaque")
            framed = """url => new Promise((resolve) => {
              const frame = document.createElement("iframe");
              frame.onload = () => resolve(frame.contentDocument ? "read" : "hidden");
              frame.src = url; document.body.append(frame);
            })"""
            assert evil.evaluate(framed, base + "/") == "hidden"
            own.evaluate(
                "url => { const link = document.createElement('a'); link.href = url; "
                "document.body.append(link); link.click(); }",
                address + "/from-page",
            )
            own.wait_for_url(address + "/from-page")
            assert "/from-page " in seen  # without a referrer
            assert not [one for one in seen if "token" in one]
        assert own.request.get(base + "/api/v1/facts").status == 200
        assert "y" not in [fact["value"] for fact in own.request.get(base + "/api/v1/facts").json()["items"]]
    finally:
        context.close()
