"""Every change that the page can make, with the keyboard alone: each control is reached with the tab key."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rum import Rum
from support.browser import Tab, served, tab
from support.page_memories import Filled, fill
from support.projects import Shop, open_shop

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_STOPS = 200
# The name of what has the focus, and the text of its line.
FOCUSED = """() => {
  const now = document.activeElement;
  const label = now.labels?.[0];
  const name = now.getAttribute("aria-label") ?? (label?.querySelector("span") ?? label ?? now).textContent;
  return [name.trim(), now.closest("li, tr, article, dialog")?.textContent ?? ""];
}"""


class Keys:
    """Hands on a keyboard, before an open page."""

    def __init__(self, opened: Tab, shop: Shop, filled: Filled) -> None:
        self.opened, self.page, self.shop, self.filled = opened, opened.page, shop, filled

    def rum(self) -> Rum:
        return Rum.open(self.shop.folder, home=self.shop.home, owner=True)

    def open(self, route: str) -> None:
        self.opened.open(route)

    def reach(self, name: str, line: str = "") -> None:
        """Go to a control by its name, in the line with a text."""
        for _ in range(MOST_STOPS):
            found, around = self.page.evaluate(FOCUSED)
            if found == name and line in around:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{name} is not reached with the tab key.")

    def press(self, name: str, line: str = "") -> None:
        """Press a button, or follow a link."""
        self.reach(name, line)
        self.page.keyboard.press("Enter")

    def write(self, name: str, text: str) -> None:
        """Replace the text of a field."""
        self.reach(name)
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.type(text)

    def confirm(self, action: str) -> None:
        self.page.wait_for_selector("dialog[open] button")
        self.press(action, "Cancel")

    def says(self, text: str) -> None:
        self.page.wait_for_selector(f".announcements >> text={text}")


@pytest.fixture(scope="module")
def keys(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keys]:
    base: Path = tmp_path_factory.mktemp("keys")
    with open_shop(base) as shop:
        filled = fill(shop, now=time.time())
        with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
            yield Keys(opened, shop, filled)
            assert opened.complaints == []


def test_memories(keys: Keys):
    memory, gone = keys.filled.memories[1], keys.filled.memories[8]
    keys.open(f"memory/{memory}")
    keys.page.keyboard.press("e")
    keys.write("What came of it", "Rounded half to even")
    keys.press("Save")
    keys.says("Saved as a new version.")
    keys.page.keyboard.press("w")
    keys.says("Marked as not useful")
    keys.page.keyboard.press("c")
    keys.says("The memory as Markdown was copied.")
    keys.press("History (2)")
    keys.press("Restore this version")
    keys.says("Version 1 is the current one again.")
    keys.open(f"memory/{gone}")
    keys.press("Forget")
    keys.confirm("Forget")
    keys.says("Moved to the trash for 30 days.")
    keys.open("trash")
    keys.press("Restore", "Write tests for the price of bundles")
    keys.says("Restored.")
    keys.press("Delete now", "Translate the shop, part 8")
    keys.confirm("Delete")
    keys.says("Deleted for good.")
    with keys.rum() as rum:
        summaries = [one.memory["outcome"]["summary"] for one in rum.pages.versions(memory)]
        assert (len(summaries), summaries[1], summaries[2]) == (3, "Rounded half to even", summaries[0])
        assert rum.pages.memory(memory).use.usefulness < 0
        assert rum.show(gone).id == gone
        assert rum.trash.list() == []


def test_rules_facts_and_notes(keys: Keys):
    keys.open("rules")
    keys.press("New rule")
    keys.write("When", "write a migration")
    keys.write("Do", "Number it.")
    keys.press("Save")
    keys.says("Saved.")
    keys.press("Edit", "Number it.")
    keys.write("Do", "Number it after the newest.")
    keys.press("Save")
    keys.says("Saved as a new version.")
    keys.press("Useful", "Number it after")
    keys.says("Marked as useful.")
    keys.press("Forget", "npm run smoke")
    keys.confirm("Forget")
    keys.says("Moved to the trash")
    keys.open("facts")
    keys.press("Edit", "staging.url")
    keys.write("Value", "https://other.example")
    keys.press("Save")
    keys.says("Saved as a new version.")
    keys.open(f"notes/{keys.filled.note}")
    keys.press("Correct it")
    keys.write("Text", "Three connections.")
    keys.press("Save")
    keys.says("Entry added")
    keys.press("Still true")
    keys.says("Confirmed")
    keys.press("Forget this entry", "Entry 1")
    keys.confirm("Forget")
    keys.says("The entry was moved to the trash.")
    with keys.rum() as rum:
        assert {rule.action for rule in rum.rules.list()} >= {"Number it after the newest."}
        assert not [rule for rule in rum.rules.list() if "smoke" in rule.action]
        assert rum.facts.get("staging.url").value == "https://other.example"
        contents = [entry.content for entry in rum.notes.show(keys.filled.note).entries]
        assert contents == ["Three connections."] * 2


def test_what_waits_for_review(keys: Keys):
    press, page = keys.page.keyboard.press, keys.page
    keys.open("review?kind=memory")
    page.wait_for_selector(".review-item .layer")
    kept = page.inner_text(".review-item h2")
    press("a")
    keys.says("1 item accepted.")
    page.wait_for_selector(".review-item .layer")
    press("e")
    keys.write("Goal", "Said better")
    keys.press("Save and accept")
    keys.says("Accepted with your changes.")
    page.wait_for_selector(".review-item .layer")
    press("m")
    keys.write("Or by id", keys.filled.queue)
    keys.press("Merge", "Cancel")
    keys.says("Merged.")
    page.wait_for_selector(".review-item .layer")
    press("r")
    keys.says("Rejected for good:")
    keys.open("review")
    page.wait_for_timeout(700)  # right after a decision no other counts
    keys.press("Select all 2") if page.locator(".queue li").count() == 2 else press("x")
    press("a")
    page.wait_for_selector("text=Nothing waits for review.")
    with keys.rum() as rum:
        goals = {one.intent_goal for one in rum.list(limit=100).memories}
        assert {kept, "Said better"} <= goals
        assert rum.review.list() == []


def test_chapters_settings_and_stale_memories(keys: Keys):
    keys.open("settings")
    keys.press("Change", "recall_limit")
    keys.write("recall_limit", "7")
    keys.press("Save", "recall_limit")
    keys.says("recall_limit saved.")
    keys.open(f"chapter/{keys.filled.chapter}")
    keys.press("Refresh")
    keys.says("Refreshed.")
    keys.press("Forget")
    keys.confirm("Forget")
    keys.says("Moved to the trash.")
    keys.open("stale")
    keys.press("Still true", "Move the retry of mails into a queue")
    keys.says("Confirmed")
    keys.page.wait_for_selector("text=Nothing is stale.")
    with keys.rum() as rum:
        assert rum.settings.recall_limit == 7
        assert keys.filled.chapter not in {one.id for one in rum.chapters.list().chapters}
        assert rum.verify().stale == 0
