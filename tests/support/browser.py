"""The page in a real Chromium: `rum web` as a process, and one browser for a module."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ARGUMENTS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# Where installers put Chrome on macOS and Windows.
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
PATIENCE = 20_000  # Milliseconds to wait for an element on a busy machine
# Whether the page of the address is shown and nothing loads, for some frames: what was loaded may load more.
CALM = """async () => {
  const isCalm = () => {
    const main = document.querySelector("main");
    const isShown = main?.querySelector("h1") && main.dataset.route === location.hash;
    return isShown && main.getAttribute("aria-busy") !== "true" && !main.querySelector(".loading");
  };
  for (let frames = 0; frames < 4; frames++) {
    await new Promise(requestAnimationFrame);
    if (!isCalm()) return false;
  }
  return true;
}"""
WIDE, NARROW = (1280, 860), (390, 844)


@cache
def chromium() -> str:
    """The installed browser. Its absence is an error in CI, and where `make chromium` can install it."""
    for name in ("chromium", "chromium-browser", "google-chrome", *ELSEWHERE):
        if found := shutil.which(name):
            return found
    if os.environ.get("CI") or shutil.which("apt-get"):
        pytest.fail("Chromium is missing. `make chromium` installs it on Debian and Ubuntu (as root).")
    pytest.skip("Neither Chromium nor Chrome is installed.")


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def served(folder: Path, home: Path, *options: str, **environment: str) -> Iterator[str]:
    """`rum web` for a project; yields the address that it prints."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
    own = {"RUM_HOME": str(home), "RUM_EMBEDDER": "none", **environment}
    command = [sys.executable, "-m", "rum", "web", "--no-open", "--port", "0", *options]
    with subprocess.Popen(
        command, cwd=folder, env=inherited | own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().strip()
            assert address.startswith("http://"), server.stderr.read()
            yield address
        finally:
            server.terminate()
            server.communicate()


class Tab:
    """A tab that is signed in; it collects what the browser complains about.

    With SCREENSHOTS in the environment, it keeps a picture of every page in that folder.
    """

    def __init__(self, context: BrowserContext, address: str, look: str) -> None:
        self.look = look
        context.set_default_timeout(PATIENCE)
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type == "error" else None
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.base = address.split("/?")[0]
        self.page.on(
            "request", lambda one: None if one.url.startswith(self.base) else self.foreign.append(one.url)
        )
        self.page.goto(address)
        self.page.wait_for_selector("header.bar")
        self.settle()

    def open(self, route: str) -> None:
        """Open a page and wait until nothing loads any more."""
        self.page.evaluate("address => { location.hash = address; }", f"#/{route}")
        self.settle()
        if folder := os.environ.get("SCREENSHOTS"):
            Path(folder).mkdir(exist_ok=True)
            name = re.sub(r"\W+", "-", route)[:60]
            self.page.screenshot(path=Path(folder) / f"{name}-{self.look}.png")

    def settle(self) -> None:
        """Wait until the page shows its content."""
        end = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(CALM):
            assert time.monotonic() < end, (
                f"{self.page.url} still loads: {self.page.inner_text('body')[:500]}"
            )

    def text(self) -> str:
        """What the page shows."""
        return self.page.inner_text("main")

    def findings(self, options: str = "") -> list[str]:
        """What axe-core holds to be serious, with the elements; `options` choose its rules."""
        known = list(self.complaints)
        if not self.page.evaluate("() => Boolean(window.axe)"):
            # Past the policy of the page, which allows no foreign script.
            self.page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.page.evaluate(
            f"() => axe.run({{ resultTypes: ['violations'], {options} }}).then((one) => one.violations)"
        )
        self.complaints[:] = known  # axe itself sets styles that the policy of the page forbids
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]


@contextmanager
def tab(browser: Browser, address: str, size: tuple[int, int] = WIDE, *, dark: bool = False) -> Iterator[Tab]:
    """A tab of its own, with its own cookies."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    try:
        yield Tab(context, address, f"{size[0]}-{'dark' if dark else 'light'}")
    finally:
        context.close()
