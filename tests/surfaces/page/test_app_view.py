"""The views of the MCP App in a real browser, inside a host that follows the extension's specification."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rum import Rum
from rum.surfaces.mcp.protocol import Caller
from rum.surfaces.mcp.tools import RumApplication
from rum.surfaces.web.app_view import VIEWS, document
from support.browser import PATIENCE
from support.page_memories import Filled, fill
from support.projects import open_shop
from surfaces.page.test_hostile_text import ALIEN, PAYLOADS, evil_memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page

# What a host must set if a view declares no domains.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
HOST = """<!doctype html><iframe id="view" sandbox="allow-scripts" style="width: 60em; height: 40em"></iframe>
<script>
const view = document.getElementById("view");
window.said = [];
const say = (message) => view.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", async ({ source, data }) => {
  if (source !== view.contentWindow) return;
  said.push(data);
  if (data.method === "ui/initialize")
    say({ id: data.id, result: { protocolVersion: "2026-01-26", hostInfo: { name: "host", version: "1" },
      hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark" } } });
  if (data.method === "ui/notifications/initialized")
    say({ method: "ui/notifications/tool-input", params: { arguments: window.input } });
  if (data.method === "tools/call")
    say({ id: data.id, result: JSON.parse(await window.callTool(JSON.stringify(data.params))) });
});
</script>"""


class Host:
    """A host that shows one view."""

    def __init__(self, page: Page, view: str, arguments: dict[str, str]) -> None:
        self.page = page
        page.set_content(HOST)
        page.evaluate("input => { window.input = input; }", arguments)
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        html = document(view).replace("<head>", f"<head>{policy}", 1)
        page.evaluate("html => { document.getElementById('view').srcdoc = html; }", html)

    @property
    def view(self) -> Frame:
        return self.page.frames[1]

    def said(self) -> list[dict[str, Any]]:
        return self.page.evaluate("said")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rum, Filled]]:
    base: Path = tmp_path_factory.mktemp("app")
    with open_shop(base) as opened:
        filled = fill(opened, now=time.time())
    with Rum.open(opened.folder, home=opened.home, client="host") as rum:
        yield rum, filled


@pytest.fixture
def show(browser: Browser, shop: tuple[Rum, Filled]) -> Iterator[Any]:
    """Opens a view in a host; a complaint of the browser fails the test."""
    application, caller = RumApplication(rum=shop[0]), Caller("host", None, stateless=False, shows_apps=True)
    complaints: list[str] = []
    requests: list[str] = []

    def call(text: str) -> str:
        asked = json.loads(text)
        answer, failed = application.call(asked["name"], asked["arguments"], caller)
        return json.dumps({"content": [], "structuredContent": answer, "isError": failed})

    context = browser.new_context()
    context.set_default_timeout(PATIENCE)

    def open_view(view: str, **arguments: str) -> Host:
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda one: requests.append(one.url))
        page.expose_function("callTool", call)
        return Host(page, view, arguments)

    yield open_view
    context.close()
    assert complaints == []
    assert [one for one in requests if not one.startswith(("about:", "data:"))] == []


def memory_of(shop: tuple[Rum, Filled]) -> str:
    return shop[0].pages.timeline(limit=1).items[0].id


def test_the_handshake_comes_first_and_tells_size_and_version(show: Any, shop: tuple[Rum, Filled]):
    host = show("memory", memory_id=memory_of(shop))
    host.view.wait_for_selector("main h1")
    said = host.said()
    assert said[0]["method"] == "ui/initialize"
    assert said[0]["params"]["protocolVersion"] == "2026-01-26"
    methods = [one["method"] for one in said]
    assert methods[1] == "ui/notifications/initialized"
    assert "ui/notifications/size-changed" in methods
    assert host.view.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_view_of_a_memory_shows_the_one_that_the_tool_was_called_with(
    show: Any, shop: tuple[Rum, Filled]
):
    memory = shop[0].pages.timeline(limit=1).items[0]
    host = show("memory", memory_id=memory.id)
    host.view.wait_for_selector(f"h1:has-text({json.dumps(memory.goal)})")
    calls = [one["params"] for one in host.said() if one["method"] == "tools/call"]
    assert {call["name"] for call in calls} == {"page"}
    assert f"/api/v1/memories/{memory.id}" in {call["arguments"]["path"] for call in calls}


def test_links_lead_on_inside_the_view(show: Any, shop: tuple[Rum, Filled]):
    host = show("memory", memory_id=memory_of(shop))
    host.view.wait_for_selector("main h1")
    host.view.evaluate("() => document.querySelector('nav a[href^=\"#/timeline\"]').click()")
    host.view.wait_for_selector("main[data-route='#/timeline'] h1")
    assert host.view.evaluate("location.href") == "about:srcdoc#/timeline"


def test_the_view_of_causes_draws_the_graph(show: Any, shop: tuple[Rum, Filled]):
    rum = shop[0]
    linked = next(one.id for one in rum.pages.timeline(limit=100).items if rum.pages.memory(one.id).links)
    host = show("causes", memory_id=linked)
    host.view.wait_for_selector("main svg")
    assert "/causes/" in host.view.evaluate("location.hash")


def test_the_view_of_the_review_lists_what_waits(show: Any):
    host = show("review")
    host.view.wait_for_selector("main[data-route^='#/review'] h1")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_everything_inside_it(view: str):
    html = document(view)
    assert html.count("</script>") == 1
    for foreign in ('src="', "<link", "@import"):
        assert foreign not in html.split("<script")[0]


def test_markup_in_a_memory_is_inert_in_a_view(show: Any, shop: tuple[Rum, Filled]):
    memory = shop[0].store(**evil_memory()).memory_id
    for view in ("memory", "causes"):
        host = show(view, memory_id=memory)
        host.view.wait_for_selector(f"h1:has-text({json.dumps(PAYLOADS[1])})")
        assert host.view.locator(ALIEN).count() == 0
        assert not host.view.evaluate("'broken' in window")
