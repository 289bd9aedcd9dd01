"""The page of a team server: sign in with a token, and see what the role allows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from surfaces.http.running import WORK, Server, start

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("team") / "home"
    running = start(home)
    for role in ("reader", "writer", "owner"):
        running.create(role, role)
    running.call("store", running.tokens["writer"], **WORK)
    yield running
    assert running.stop() == 0


def signed_in(browser: Browser, server: Server, role: str) -> tuple[Page, list[str]]:
    page = browser.new_context().new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"http://127.0.0.1:{server.port}/")
    page.fill("input[type=password]", "rum_wrong")
    page.click("text=Sign in")
    page.wait_for_selector("[role=alert]")
    page.fill("input[type=password]", server.tokens[role])
    page.click("text=Sign in")
    page.wait_for_selector("a.entry-goal >> text=Fix the flaky login test")
    return page, complaints


def test_a_reader_sees_everything_and_is_offered_no_change(browser: Browser, server: Server):
    page, complaints = signed_in(browser, server, "reader")
    assert "reading only" in page.inner_text("header.bar")
    assert not {"Settings", "Sessions"} & set(page.inner_text("nav").split("\n"))
    page.click("a.entry-goal")
    page.wait_for_selector("article.memory h1")
    assert page.locator("button", has_text="Forget").count() == 0
    assert page.locator("button", has_text="Useful").count() == 0
    page.click("nav >> text=Rules")
    page.wait_for_selector("h1 >> text=Rules")
    assert page.locator("button", has_text="New rule").count() == 0
    page.click("text=Sign out reader")
    page.wait_for_selector("input[type=password]")
    page.reload()
    page.wait_for_selector("input[type=password]")
    assert complaints == []
    page.context.close()


def test_an_owner_changes_the_shared_memory(browser: Browser, server: Server):
    page, complaints = signed_in(browser, server, "owner")
    page.click("nav >> text=Facts")
    page.click("text=New fact")
    page.fill("form.panel textarea >> nth=0", "staging.url")
    page.fill("form.panel textarea >> nth=1", "https://staging.example")
    page.click("form.panel button[type=submit]")
    page.wait_for_selector(".lines >> text=https://staging.example")
    page.click("nav >> text=Sync and team")
    page.wait_for_selector("td >> text=writer")
    assert complaints == []
    page.context.close()
