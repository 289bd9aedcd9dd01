"""Without a mouse: lists, pages, causes and dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.browser import Tab

if TYPE_CHECKING:
    from surfaces.page.conftest import Site

FOCUS = """() => {
  const now = document.activeElement;
  const name = now === document.body ? "" : now.innerText || now.ariaLabel || "";
  return [name, getComputedStyle(now).outlineStyle];
}"""


def focused(opened: Tab) -> str:
    return opened.page.evaluate("() => document.activeElement.textContent.trim()")


def test_keys_lead_through_lists_and_pages(opened: Tab):
    press = opened.page.keyboard.press
    press("?")
    assert "next, previous item" in opened.page.inner_text("dialog[open]")
    press("Escape")
    opened.page.wait_for_selector("dialog", state="detached")
    press("g")
    press("t")
    opened.page.wait_for_selector(".day")
    press("j")
    first = focused(opened)
    press("j")
    assert focused(opened) != first
    press("k")
    assert focused(opened) == first
    press("Enter")
    opened.page.wait_for_selector("article.memory h1")
    assert opened.page.inner_text("article.memory h1") == first
    press("v")
    opened.page.wait_for_selector("text=What led to this")


def test_every_control_can_be_reached_with_tab_and_shows_the_focus(opened: Tab):
    opened.open("review")
    reached: set[str] = set()
    for _ in range(60):
        opened.page.keyboard.press("Tab")
        name, outline = opened.page.evaluate(FOCUS)
        reached.add(name.split("\n")[0])
        assert outline != "none" or not name, name
    assert {"Skip to the content", "Overview", "Accept", "Edit", "Merge", "Reject"} <= reached


def test_causes_are_walked_with_the_arrow_keys(opened: Tab, site: Site):
    opened.open(f"causes/{site.filled.refresh}")
    page = opened.page
    page.wait_for_selector(".node.root")
    label = "() => document.activeElement.getAttribute('aria-label')"
    page.focus(".node[tabindex='0']")
    assert page.evaluate(label).startswith("Refresh the access token")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(label).startswith("Keep users logged in for a day. failed")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(label).startswith("Send the access token")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("article.memory h1 >> text=Keep users logged in for a day")
    opened.open(f"causes/{site.filled.refresh}")
    page.focus(".node[tabindex='0']")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    page.wait_for_selector("main h1 >> text=Keep users logged in for a day")
    assert page.url.endswith(f"#/causes/{site.filled.lifetime}")


def test_reviewing_needs_only_the_keyboard(opened: Tab):
    opened.open("review")
    page = opened.page
    page.wait_for_selector(".review-item :is(dl, .layer)")
    labels = page.locator(".queue li").all_inner_texts()
    page.keyboard.press("j")
    second = page.inner_text(".queue [aria-current=true]")
    assert second != labels[0]
    page.keyboard.press("k")
    page.keyboard.press("x")
    assert "1 selected" in opened.text()
    page.keyboard.press("x")
    page.keyboard.press("e")
    page.wait_for_selector("dialog[open] form")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("r")
    page.wait_for_selector("text=Rejected for good:")
    assert len(page.locator(".queue li").all()) == len(labels) - 1


def test_what_is_typed_after_a_click_on_the_search_is_searched_for(opened: Tab):
    opened.open("overview")
    opened.page.wait_for_selector("main h1")
    opened.page.click("a.find")
    opened.page.keyboard.type("gtd token")
    opened.page.wait_for_selector("#question")
    opened.page.wait_for_function("() => document.getElementById('question').value.length >= 9", timeout=5000)
    assert opened.page.input_value("#question") == "gtd token"


def test_what_is_typed_after_the_search_key_is_searched_for_from_the_first_letter(opened: Tab):
    opened.open("overview")
    opened.page.wait_for_selector("main h1")
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("gtd token")  # At once, while the page of the search is fetched
    opened.page.wait_for_selector("#question")
    opened.page.wait_for_function("() => document.getElementById('question').value.length >= 9", timeout=5000)
    assert opened.page.input_value("#question") == "gtd token"
    assert opened.page.url.partition("#")[2].startswith("/search")
