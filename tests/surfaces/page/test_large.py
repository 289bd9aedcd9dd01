"""Every page and a write of each kind in a project with 100,000 memories, at once and on a phone."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rum import Rum
from support.browser import NARROW, Tab, served, tab
from support.page_memories import fill
from support.projects import open_shop
from surfaces.page.conftest import Site
from surfaces.page.test_pages import routes

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

COPIES = 5_300
MANY = 100_000
SPACING = 600  # Seconds from one memory to the one before
SHOWN = 110  # Rows of a list that are on a page before it asks for more

# Copies of all memories, each with a number in its goal. All are older, so lists begin with the originals.
NUMBERS = "WITH RECURSIVE copy(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM copy WHERE n < :copies)"
GOAL = "m.intent_goal || ', copy ' || copy.n"
ID = "substr(m.id, 1, length(m.id) - 6) || printf('%06d', copy.n)"
OLDER = "created_at - 100 * 86400 - copy.n * :spacing"


def multiply(database: Path) -> None:
    """Copy the memories of a store with their files, tags and texts."""
    with closing(sqlite3.connect(database)) as store:
        store.execute("PRAGMA synchronous = OFF")
        size: int = store.execute("SELECT max(seq) FROM memories").fetchone()[0]
        values = {"copies": COPIES, "spacing": SPACING, "size": size}
        columns = [row[1] for row in store.execute("PRAGMA table_info(memories)")]
        changed = {
            "seq": "m.seq + copy.n * :size",
            "id": ID,
            "created_at": f"m.{OLDER}",
            "intent_goal": GOAL,
            "intent": f"json_set(m.intent, '$.goal', {GOAL})",
        }
        taken = ", ".join(changed.get(name, f"m.{name}") for name in columns)
        store.execute(
            f"{NUMBERS} INSERT INTO memories SELECT {taken} FROM copy, memories AS m ORDER BY 1", values
        )
        of_memory = f"(SELECT {ID} FROM memories AS m WHERE m.id = one.memory_id)"
        store.execute(
            f"{NUMBERS} INSERT INTO memory_files SELECT {of_memory}, file_path, operation, content_hash, "
            f"one.{OLDER} FROM copy, memory_files AS one",
            values,
        )
        store.execute(
            f"{NUMBERS} INSERT INTO memory_tags SELECT tag, {of_memory} FROM copy, memory_tags AS one", values
        )
        texts = [row[1] for row in store.execute("PRAGMA table_info(memory_text)")]
        given = ", ".join("t.goal || ' copy ' || copy.n" if name == "goal" else f"t.{name}" for name in texts)
        store.execute(
            f"{NUMBERS} INSERT INTO memory_text (rowid, {', '.join(texts)}) "
            f"SELECT t.rowid + copy.n * :size, {given} FROM copy, memory_text AS t ORDER BY 1",
            values,
        )
        store.commit()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path, Path]]:
    """A project with 100,000 memories, its folder and its home."""
    base = tmp_path_factory.mktemp("large")
    with open_shop(base) as shop:
        filled = fill(shop, now=time.time())
    [database] = shop.home.glob("projects/*/rum.db")
    multiply(database)
    with Rum.open(shop.folder, home=shop.home) as rum:
        assert rum.summary()["memories"] > MANY
    with served(shop.folder, shop.home) as address:
        yield Site(address, filled), shop.folder, shop.home


def test_every_page_of_100000_memories_shows_its_content_in_parts(
    browser: Browser, large: tuple[Site, Path, Path]
):
    site = large[0]
    with tab(browser, site.address, NARROW) as opened:
        pages = routes(site)
        del pages["health"]  # It reads the whole file, which takes its time and says so
        for route, expected in pages.items():
            opened.open(route)
            opened.page.wait_for_function("text => document.body.innerText.includes(text)", arg=expected)
            rows = opened.page.locator("main :is(.entry, tbody tr, .lines > li)").count()
            assert rows <= SHOWN, (route, rows)
            width = opened.page.evaluate("() => document.documentElement.scrollWidth")
            assert width <= NARROW[0], (route, width)
        assert opened.complaints == []
        assert opened.foreign == []


def test_a_long_list_goes_on_and_a_search_names_what_it_finds(
    browser: Browser, large: tuple[Site, Path, Path]
):
    with tab(browser, large[0].address) as opened:
        opened.open("timeline?outcome=failure")
        first = opened.page.locator(".entry").count()
        opened.page.click("text=Show more")
        opened.page.wait_for_function(
            "first => document.querySelectorAll('.entry').length > first", arg=first
        )
        opened.open("search")
        opened.page.keyboard.type("mails parallel copy 4711")
        opened.page.wait_for_selector(".entry-goal >> text=Send mails in parallel, copy 4711")
        opened.open("files?path=src%2Fmail")
        assert "More than" in opened.text()
        assert opened.findings() == []
        assert opened.complaints == []


def test_a_memory_a_rule_and_a_review_are_changed_among_100000(
    browser: Browser, large: tuple[Site, Path, Path]
):
    site, folder, home = large
    memory = site.filled.memories[1]
    with tab(browser, site.address) as opened:
        _change(opened, memory)
        assert opened.complaints == []
    with Rum.open(folder, home=home, owner=True) as rum:
        assert rum.show(memory).outcome.summary == "Rounded once"
        assert rum.rules.show(site.filled.rule).action == "Wait for the smoke test."
        assert len(rum.review.list()) == rum.pages.review().total


def _change(opened: Tab, memory: str) -> None:
    page = opened.page
    opened.open(f"memory/{memory}")
    page.keyboard.press("e")
    page.fill("dialog textarea >> nth=1", "Rounded once")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".announcements >> text=Saved as a new version.")
    opened.open("rules")
    page.locator(".lines > li", has_text="npm run smoke").get_by_role("button", name="Edit").click()
    page.fill("form.panel textarea >> nth=1", "Wait for the smoke test.")
    page.click("form.panel button[type=submit]")
    page.locator(".lines > li", has_text="Wait for the smoke test.").wait_for()
    opened.open("review")
    waiting = page.locator(".queue li").count()
    page.keyboard.press("a")
    page.wait_for_function("waiting => document.querySelectorAll('.queue li').length < waiting", arg=waiting)
