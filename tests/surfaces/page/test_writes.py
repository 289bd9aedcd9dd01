"""Everything that the page changes, seen on the page and in the store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rum import Rum
from support.browser import Tab, served, tab
from support.page_memories import MAIL, MAIL_TODAY, Filled, fill
from support.projects import Shop, open_shop

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Desk:
    """A page that is open, and the store behind it."""

    def __init__(self, opened: Tab, shop: Shop, filled: Filled) -> None:
        self.opened, self.page, self.filled, self.shop = opened, opened.page, filled, shop

    def rum(self) -> Rum:
        return Rum.open(self.shop.folder, home=self.shop.home, owner=True)

    def says(self, text: str) -> None:
        """Wait until the live region says something."""
        self.page.wait_for_selector(f".announcements >> text={text}")


@pytest.fixture(scope="module")
def desk(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base: Path = tmp_path_factory.mktemp("desk")
    with open_shop(base) as shop:
        filled = fill(shop, now=time.time())
        with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
            yield Desk(opened, shop, filled)
            assert opened.complaints == []


def test_a_memory_is_edited_and_its_history_shows_the_difference(desk: Desk):
    memory = desk.filled.memories[1]
    desk.opened.open(f"memory/{memory}")
    desk.page.click("button:text-is('Edit')")
    shown = (
        "fields => fields.every((one) => one.clientHeight >= 20 && one.clientHeight >= one.scrollHeight - 2)"
    )
    desk.page.wait_for_function("() => document.querySelector('dialog textarea')?.style.height")
    assert desk.page.eval_on_selector_all("dialog textarea", shown)
    desk.page.fill("dialog textarea >> nth=1", "Prices are rounded half to even, once, in the view")
    desk.page.click("dialog button[type=submit]")
    desk.says("Saved as a new version.")
    with desk.rum() as rum:
        assert rum.show(memory).outcome.summary.startswith("Prices are rounded half to even")
    desk.page.click("text=History (2)")
    assert desk.page.inner_text("ins") != ""
    desk.page.click("text=Restore this version")
    desk.says("Version 1 is the current one again.")
    with desk.rum() as rum:
        assert rum.show(memory).outcome.summary == "Prices are rounded once, in the view"


def test_a_memory_is_rated(desk: Desk):
    desk.opened.open(f"memory/{desk.filled.lifetime}")
    desk.page.click("button:text-is('Useful')")
    desk.says("Marked as useful.")
    desk.page.wait_for_selector("dt:text-is('useful')")


def test_a_memory_is_forgotten_and_brought_back(desk: Desk):
    memory = desk.filled.memories[8]
    desk.opened.open(f"memory/{memory}")
    desk.page.click("button:text-is('Forget')")
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash for 30 days.")
    with desk.rum() as rum:
        assert memory in {one.id for one in rum.trash.list()}
    desk.page.click(".toast button")
    desk.says("Restored.")
    with desk.rum() as rum:
        assert rum.show(memory).id == memory


def test_who_forgets_a_memory_is_back_in_the_list(desk: Desk):
    desk.opened.open("files?path=src%2Fshop")
    desk.page.click(".entry-goal >> text=Translate the shop, part 3")
    desk.page.wait_for_selector("article.memory h1")
    desk.page.click("button:text-is('Forget')")
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash for 30 days.")
    desk.page.wait_for_selector("h1 >> text=shop")
    assert desk.page.url.endswith("#/files?path=src%2Fshop")
    desk.page.click(".toast button")
    desk.says("Restored.")


def test_a_memory_is_copied_as_markdown(desk: Desk):
    desk.opened.open(f"memory/{desk.filled.refresh}")
    desk.page.click("button:text-is('Share')")
    desk.page.click("text=Copy as Markdown")
    desk.says("The memory as Markdown was copied.")
    copied = desk.page.evaluate("() => navigator.clipboard.readText()")
    assert "Refresh the access token when the server answers 401" in copied
    assert "#" in copied


def test_one_memory_is_shared_by_its_tag(browser: Browser, desk: Desk):
    memory = desk.filled.queue
    desk.opened.open(f"memory/{memory}")
    desk.page.click("button:text-is('Share')")
    desk.page.wait_for_selector("dialog >> text=Nothing leaves this machine")
    desk.page.keyboard.press("Escape")
    with (
        served(desk.shop.folder, desk.shop.home, RUM_SHARE="tagged:team") as address,
        tab(browser, address) as opened,
    ):
        opened.open(f"memory/{memory}")
        opened.page.click("button:text-is('Share')")
        opened.page.click("text=Give it this tag")
        opened.page.wait_for_selector(".announcements >> text=It has the tag team now")
        opened.page.wait_for_selector(".side .tag >> text=team")
        opened.page.click("button:text-is('Share')")
        opened.page.wait_for_selector("dialog >> text=It is sent with the next rum sync")
        assert opened.complaints == []
    with desk.rum() as rum:
        assert "team" in (rum.show(memory).tags or ())


def test_a_rule_is_corrected_in_place(desk: Desk):
    desk.opened.open("rules")
    line = desk.page.locator(".lines > li", has_text="npm run smoke")
    line.get_by_role("button", name="Edit").click()
    desk.page.fill("form.panel textarea >> nth=1", "Run `npm run smoke` twice before a deploy.")
    desk.page.click("form.panel button[type=submit]")
    desk.says("Saved as a new version.")
    with desk.rum() as rum:
        shown = rum.rules.show(desk.filled.rule)
        assert shown.action == "Run `npm run smoke` twice before a deploy."
        assert len(rum.rules.history(desk.filled.rule)) == 3
    line.get_by_role("button", name="Version 3").click()
    desk.page.wait_for_selector("dialog ins >> text=twice")
    assert "agent_" not in desk.page.inner_text("dialog")
    desk.page.keyboard.press("Escape")


def test_a_rule_is_added_and_forgotten(desk: Desk):
    desk.opened.open("rules")
    desk.page.click("text=New rule")
    desk.page.fill("form.panel textarea >> nth=0", "write a migration")
    desk.page.fill("form.panel textarea >> nth=1", "Number it after the newest one.")
    desk.page.click("form.panel button[type=submit]")
    desk.says("Saved.")
    line = desk.page.locator(".lines > li", has_text="Number it after")
    line.get_by_role("button", name="Forget").click()
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash")
    with desk.rum() as rum:
        assert not [rule for rule in rum.rules.list() if rule.condition == "write a migration"]


def test_a_fact_is_added_and_changed(desk: Desk):
    desk.opened.open("facts")
    desk.page.click("text=New fact")
    desk.page.fill("form.panel textarea >> nth=0", "db.port")
    desk.page.fill("form.panel textarea >> nth=1", "5432")
    desk.page.click("form.panel button[type=submit]")
    line = desk.page.locator(".lines > li", has_text="db.port")
    line.get_by_role("button", name="Edit").click()
    desk.page.fill("form.panel textarea >> nth=1", "5433")
    desk.page.click("form.panel button[type=submit]")
    line.get_by_text("5433").wait_for()
    with desk.rum() as rum:
        assert [one.value for one in rum.facts.history("db.port")] == ["5432", "5433"]


def test_a_note_is_corrected_by_a_further_entry_and_confirmed(desk: Desk):
    desk.opened.open(f"notes/{desk.filled.note}")
    desk.page.click("text=Correct it")
    desk.page.fill("form.panel textarea >> nth=0", "The provider allows **three** connections.")
    desk.page.click("form.panel button[type=submit]")
    desk.says("Entry added; it is the current one.")
    desk.page.wait_for_selector("strong >> text=three")
    desk.page.click("text=Still true")
    desk.says("Confirmed")
    with desk.rum() as rum:
        entries = rum.notes.show(desk.filled.note).entries
        assert len(entries) == 3
        assert entries[-1].content == entries[-2].content == "The provider allows **three** connections."


def test_pending_items_are_edited_accepted_and_rejected(desk: Desk):
    desk.opened.open("review?kind=memory")
    page = desk.page
    page.click(".queue-item >> text=Show the name of the shop")
    page.wait_for_selector(".review-item h2 >> text=Show the name of the shop")
    page.click(".review-item >> button:text-is('Edit')")
    page.fill("dialog textarea >> nth=0", "Show the shop's name in every title")
    page.click("dialog button[type=submit]")
    desk.says("Accepted with your changes.")
    page.click(".queue-item >> text=Mails are sent twice")
    page.wait_for_selector(".review-item h2 >> text=Mails are sent twice")
    page.click(".review-item >> button:text-is('Accept')")
    desk.says("1 item accepted.")
    with desk.rum() as rum:
        goals = {one.intent_goal for one in rum.list(limit=100).memories}
        assert "Show the shop's name in every title" in goals
        assert any(goal.startswith("Mails are sent twice") for goal in goals)


def test_a_pending_item_is_merged_into_a_kept_memory(desk: Desk):
    desk.opened.open("review?kind=memory")
    label = desk.page.inner_text(".review-item h2")
    desk.page.wait_for_selector(".review-item :is(dl, .layer)")
    desk.page.keyboard.press("m")
    desk.page.get_by_label("Or by id").fill(desk.filled.queue)
    desk.page.click("dialog button[type=submit]")
    desk.says("Merged.")
    with desk.rum() as rum:
        assert label not in {one.label for one in rum.review.list(kind="memory")}
        assert label not in {one.intent_goal for one in rum.list(limit=100).memories}


def test_a_double_click_rejects_one_item(desk: Desk):
    desk.opened.open("review")
    desk.page.wait_for_selector(".queue li")
    with desk.rum() as rum:
        before = len(rum.review.list())
    desk.page.wait_for_timeout(700)  # the pause after a decision of another test
    desk.page.dblclick(".review-item >> button.danger")
    desk.says("Rejected for good:")
    desk.page.keyboard.press("r")
    desk.page.wait_for_timeout(400)
    with desk.rum() as rum:
        assert len(rum.review.list()) == before - 1


def test_several_pending_items_are_rejected_at_once(desk: Desk):
    desk.opened.open("review")
    desk.page.wait_for_selector(".queue li")
    desk.page.click("text=Select all")
    desk.page.click(".review-item >> button.danger")
    desk.page.click("dialog button.primary")
    desk.says("items rejected for good.")
    desk.page.wait_for_selector("text=Nothing waits for review.")
    with desk.rum() as rum:
        assert rum.review.list() == []


def test_a_stale_memory_is_forgotten_after_a_question_and_comes_back(desk: Desk):
    desk.opened.open("stale")
    line = desk.page.locator(".lines > li", has_text="Move the retry of mails into a queue")
    line.get_by_role("button", name="Forget").click()
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash")
    line.wait_for(state="detached")
    desk.page.click(".toast button")
    desk.says("Restored.")
    line.wait_for()


def test_a_stale_memory_is_confirmed(desk: Desk):
    with desk.rum() as rum:
        assert rum.verify().stale == 1
    desk.opened.open("stale")
    line = desk.page.locator(".lines > li", has_text="Move the retry of mails into a queue")
    line.get_by_role("button", name="Still true").click()
    desk.says("Confirmed")
    line.wait_for(state="detached")
    with desk.rum() as rum:
        stale = {memory.id for file in rum.verify().files for memory in file.memories}
        assert desk.filled.queue not in stale


def test_a_harmless_setting_is_changed_and_put_back(desk: Desk):
    desk.opened.open("settings")
    line = desk.page.locator(".lines > li", has_text="recall_limit")
    line.get_by_role("button", name="Change").click()
    line.locator("input").fill("7")
    line.get_by_role("button", name="Save").click()
    desk.says("recall_limit saved.")
    with desk.rum() as rum:
        assert rum.settings.recall_limit == 7
    line.get_by_role("button", name="Default").click()
    desk.says("recall_limit is back to its default.")


def test_something_in_the_trash_is_restored(desk: Desk):
    desk.opened.open("trash")
    desk.page.locator(".lines > li", has_text="Translate the shop, part 8").get_by_role(
        "button", name="Restore"
    ).click()
    desk.says("Restored.")
    with desk.rum() as rum:
        assert "Translate the shop, part 8" in {one.intent_goal for one in rum.list(limit=100).memories}


def test_a_chapter_is_refreshed_and_forgotten(desk: Desk):
    desk.opened.open(f"chapter/{desk.filled.chapter}")
    desk.page.click("button:text-is('Refresh')")
    desk.says("Refreshed.")
    desk.page.click("button:text-is('Forget')")
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash.")
    with desk.rum() as rum:
        assert desk.filled.chapter not in {one.id for one in rum.chapters.list().chapters}


def test_a_refused_change_says_that_nothing_was_changed(desk: Desk):
    desk.opened.open("rules")
    refusal = {"error": {"code": "PERMISSION_DENIED", "message": "Not you."}}
    desk.page.route(
        "**/api/v1/rules",
        lambda route: (
            route.fulfill(status=403, json=refusal) if route.request.method == "POST" else route.continue_()
        ),
    )
    desk.page.click("text=New rule")
    desk.page.fill("form.panel textarea >> nth=0", "never")
    desk.page.fill("form.panel textarea >> nth=1", "nothing")
    desk.page.click("form.panel button[type=submit]")
    desk.page.wait_for_selector("[role=alert] >> text=Nothing was changed. Not you.")
    desk.page.unroute("**/api/v1/rules")
    desk.opened.complaints.clear()  # The browser reports the 403


def test_an_entry_of_a_note_is_forgotten_and_deleted_for_good(desk: Desk):
    desk.opened.open("notes/names-of-branches")
    desk.page.click("text=Forget this entry")
    desk.page.click("dialog button.primary")
    desk.says("The entry was moved to the trash.")
    desk.opened.open("trash")
    line = desk.page.locator(".lines > li", has_text="Names of branches")
    line.get_by_role("button", name="Delete now").click()
    desk.page.click("dialog button.primary")
    desk.says("Deleted for good.")
    with desk.rum() as rum:
        assert "names-of-branches" not in {one.id for one in rum.notes.list().notes}
        assert not [one for one in rum.trash.list() if one.kind == "note"]


def test_a_rule_is_rated(desk: Desk):
    desk.opened.open("rules")
    line = desk.page.locator(".lines > li", has_text="package.json")
    line.get_by_role("button", name="Not useful").click()
    desk.says("Marked as not useful.")
    line.get_by_text("not useful so far").wait_for()


def test_a_fact_is_rated_forgotten_and_brought_back(desk: Desk):
    desk.opened.open("facts")
    line = desk.page.locator(".lines > li", has_text="staging.url")
    line.get_by_role("button", name="Useful", exact=True).click()
    desk.says("Marked as useful.")
    line.get_by_text("useful so far").wait_for()
    line.get_by_role("button", name="Forget").click()
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash for 30 days.")
    with desk.rum() as rum:
        assert rum.facts.get("staging.url") is None
    desk.page.click(".toast button")
    desk.says("Restored.")
    with desk.rum() as rum:
        assert rum.facts.get("staging.url").value == "https://staging.shop.example"


def test_wisdom_is_refreshed_forgotten_and_brought_back(desk: Desk):
    wisdom = desk.filled.wisdom
    desk.opened.open(f"wisdom/{wisdom}")
    desk.page.click("button:text-is('Refresh')")
    desk.says("Refreshed.")
    desk.page.click("button:text-is('Forget')")
    desk.page.click("dialog button.primary")
    desk.says("Moved to the trash.")
    with desk.rum() as rum:
        assert wisdom in {one.id for one in rum.trash.list()}
    desk.page.click(".toast button")
    desk.says("Restored.")
    with desk.rum() as rum:
        assert wisdom not in {one.id for one in rum.trash.list()}


def test_a_note_is_written_with_the_keyboard_alone(desk: Desk):
    desk.opened.open("notes")
    press, write = desk.page.keyboard.press, desk.page.keyboard.type
    desk.page.focus("text=New note")
    press("Enter")
    desk.page.wait_for_selector("form.panel input:focus")
    for text in ("Opening hours", "The shop is closed on **Mondays**.", "hours|opening", "shop, time"):
        write(text)
        press("Tab")
    press("Tab")
    press("Enter")
    desk.says("Note written.")
    with desk.rum() as rum:
        [entry] = rum.notes.show("opening-hours").entries
        assert (entry.content, entry.when_to_use) == (
            "The shop is closed on **Mondays**.",
            ("hours|opening",),
        )
        assert entry.tags == ("shop", "time")


def test_a_rule_is_changed_with_the_keyboard_alone_which_goes_on_where_it_was(desk: Desk):
    desk.opened.open("rules")
    line = desk.page.locator(".lines > li", has_text="package.json")
    line.get_by_role("button", name="Edit").focus()
    press = desk.page.keyboard.press
    press("Enter")
    desk.page.wait_for_selector("form.panel textarea:focus")
    press("Tab")
    press("ControlOrMeta+A")
    desk.page.keyboard.type("Ask twice before adding a package to `package.json`.")
    press("Tab")
    press("Enter")
    desk.says("Saved as a new version.")
    line.get_by_text("Ask twice").wait_for()
    assert "Ask twice" in desk.page.evaluate("() => document.activeElement.textContent")


def test_a_memory_is_confirmed_on_its_own_page(desk: Desk):
    path = desk.shop.folder / MAIL
    path.write_text(MAIL_TODAY.replace("pause = 60", "pause = 90"))
    try:
        desk.opened.open(f"memory/{desk.filled.queue}")
        desk.page.wait_for_selector("text=The code changed since")
        desk.page.click("button:text-is('Still true')")
        desk.says("Confirmed")
        desk.page.wait_for_selector("text=The code is still the same")
    finally:
        path.write_text(MAIL_TODAY)
