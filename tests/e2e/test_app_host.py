"""The views of `rum mcp` in Chromium, inside a host made of the official client and bridge for MCP Apps."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from rum import Rum
from support.browser import PATIENCE, launched
from support.page_memories import Filled, fill
from support.projects import Shop, open_shop

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

PACKAGES = ("@modelcontextprotocol/ext-apps@2.0.4", "@modelcontextprotocol/client@2", "zod@4", "esbuild@0.28")
HOST = Path(__file__).with_name("app_host.js")

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The host with its packages as one script."""
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp("host")
    assert npm, "`make e2e` needs node and npm"
    (folder / "package.json").write_text("{}")
    shutil.copy(HOST, folder / "host.js")
    for command in (
        [npm, "install", "--no-audit", "--no-fund", *PACKAGES],
        [str(folder / "node_modules/.bin/esbuild"), "host.js", "--bundle", "--outfile=bundle.js"],
    ):
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
    return (folder / "bundle.js").read_text(encoding="utf-8")


class Host(NamedTuple):
    """A page that shows views, and the memory behind them."""

    page: Page
    shop: Shop
    filled: Filled

    def show(self, tool: str, *, may_write: bool = False, **arguments: str) -> Frame:
        self.page.evaluate("given => show(...given)", [tool, arguments, may_write])
        return self.page.frames[1]


@pytest.fixture(scope="module")
def host(script: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with open_shop(tmp_path_factory.mktemp("app")) as shop:
        filled = fill(shop, now=time.time())
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
    environment |= {"RUM_HOME": str(shop.home), "RUM_EMBEDDER": "none", "RUM_IDLE_AFTER": "0"}
    command = [sys.executable, "-m", "rum", "mcp"]
    with subprocess.Popen(
        command, cwd=shop.folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:

        def to_server(line: str) -> str | None:
            server.stdin.write(line + "\n")
            server.stdin.flush()
            return server.stdout.readline() if "id" in json.loads(line) else None

        complaints: list[str] = []
        with launched() as browser:
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.expose_function("toServer", to_server)
            page.set_content("<!doctype html><title>Host</title>")
            page.evaluate(script)
            yield Host(page, shop, filled)
            assert page.evaluate("errors") == []
        server.stdin.close()
        assert complaints == []


def test_the_bridge_accepts_the_handshake_and_the_sizes(host: Host):
    view = host.show("show_memory", memory_id=host.filled.refresh)
    view.wait_for_selector("h1 >> text=Refresh the access token when the server answers 401")
    app = host.page.evaluate("app")
    assert app["info"]["name"] == "rum"
    assert host.page.evaluate("size")["height"] > 0
    assert host.page.evaluate("teardown()") == {}


def test_the_causes_of_a_memory_are_drawn(host: Host):
    view = host.show("show_causes", memory_id=host.filled.refresh)
    view.wait_for_selector(".node.root")
    assert view.locator(".node").count() == 3
    view.locator(".node", has_text="Send the access token").click()
    view.wait_for_selector("article.memory h1 >> text=Send the access token with every request")
    view.click("button:text-is('Share')")
    view.wait_for_selector("dialog >> text=Nothing leaves this machine")


def test_a_view_follows_the_theme_of_its_host(host: Host):
    view = host.show("show_causes", memory_id=host.filled.queue)
    view.wait_for_selector("html[data-theme=light] .node.root")
    host.page.evaluate("setTheme('dark')")
    view.wait_for_selector("html[data-theme=dark]")


def test_what_waits_for_review_is_shown_and_decided_by_a_person_elsewhere(host: Host):
    view = host.show("show_review", may_write=True)
    view.wait_for_selector(".review-item h2")
    with Rum.open(host.shop.folder, home=host.shop.home, owner=True) as rum:
        assert view.locator(".queue-item").count() == len(rum.review.list())
    assert view.locator("button", has_text="Accept").count() == 0


def test_a_change_that_the_user_refuses_is_not_made(host: Host):
    memory = host.filled.lifetime
    view = host.show("show_memory", memory_id=memory)
    view.click("button:text-is('Useful')")
    view.wait_for_selector("[role=alert] >> text=The user said no.")
    with Rum.open(host.shop.folder, home=host.shop.home) as rum:
        assert rum.pages.memory(memory).use.usefulness == 0


def test_a_change_with_consent_is_made(host: Host):
    memory = host.filled.refresh
    view = host.show("show_memory", may_write=True, memory_id=memory)
    view.click("button:text-is('Useful')")
    view.wait_for_selector("dt:text-is('useful')")
    with Rum.open(host.shop.folder, home=host.shop.home) as rum:
        assert rum.pages.memory(memory).use.usefulness > 0
