"""Every page in a real browser: with nothing and with 20 memories, dark and narrow, for everybody."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from support.browser import NARROW, WIDE, Tab, served, tab
from support.projects import keep, open_shop
from support.repositories import Repository

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from surfaces.page.conftest import Site

LISTS = (
    *("overview", "timeline", "search", "files", "chapters", "notes", "rules", "facts"),
    *("sessions", "review", "stale", "sync", "settings", "health", "trash"),
)


def routes(site: Site) -> dict[str, str]:
    """Every page, and what it must show of the full project."""
    one = site.filled
    return {
        "overview": "Remove the old refresh timer from the worker",
        "timeline": "Translate the shop, part 7",
        "timeline?outcome=failure": "The provider blocks more than two connections",
        "search?q=token%20refresh": "Why: ",
        f"memory/{one.refresh}": "A timer that refreshes early",
        f"memory/{one.refresh}/history": "Version 2",
        f"memory/{one.refresh}/offers": "because the prompt is like earlier work",
        f"memory/{one.queue}/code": "+ const tries = 5",
        f"causes/{one.refresh}": "3 memories and 2 links are shown.",
        "files": "src/",
        "files?path=src": "auth/",
        f"files?path={quote('src/auth/token.ts')}": "Keep users logged in for a day",
        "chapters": "Tokens and their lifetime",
        f"chapter/{one.chapter}": "Queue requests while a refresh is running",
        f"wisdom/{one.wisdom}": "Sending mails",
        "notes": "Mail provider limits",
        f"notes/{one.note}": "a third is closed at once",
        "rules": "and wait for it before a deploy",
        "facts": "staging.url",
        "sessions": "Customers say that they are signed out in the checkout.",
        f"session/claude-code/{one.session}": "became a memory",
        f"session/claude-code/{one.session}/offers": "Refresh the access token",
        f"session/claude-code/{one.session}/events": "npm test -- auth",
        "review": "Mails are sent twice when the queue restarts",
        "stale": "Try five times to send a mail",
        "sync": "only on this machine",
        "settings": "recall_limit",
        "health": "Facts",
        "trash": "Translate the shop, part 8",
    }


def test_every_page_shows_its_content_and_passes_axe(browser: Browser, site: Site):
    with tab(browser, site.address) as opened:
        for route, expected in routes(site).items():
            opened.open(route)
            opened.page.wait_for_function("text => document.body.innerText.includes(text)", arg=expected)
            assert opened.findings() == [], route
            assert opened.page.title().endswith("· shop · RUM"), route
        assert opened.complaints == []
        assert opened.foreign == []


def test_pages_of_an_empty_project_say_what_to_do(browser: Browser, empty_address: str):
    with tab(browser, empty_address) as opened:
        for route in LISTS:
            opened.open(route)
            assert not opened.page.query_selector("main .failure[role=alert]"), (route, opened.text())
            assert len(opened.text()) > 40, route
        opened.open("overview")
        assert "rum install" in opened.text()
        assert opened.findings() == []
        assert opened.complaints == []


@pytest.mark.parametrize(("size", "dark"), [(WIDE, True), (NARROW, False)])
def test_dark_and_narrow_pages_are_readable_and_nothing_sticks_out(
    browser: Browser, site: Site, size: tuple[int, int], dark: bool
):
    # Other colours change the contrast only, another width everything else.
    rules = "runOnly: ['color-contrast']" if dark else "rules: { 'color-contrast': { enabled: false } }"
    with tab(browser, site.address, size, dark=dark) as opened:
        for route in routes(site):
            opened.open(route)
            width = opened.page.evaluate("() => document.documentElement.scrollWidth")
            assert width <= size[0], (route, width)
            assert opened.findings(rules) == [], route
        background = opened.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
        assert (background == "rgb(23, 21, 18)") is dark
        assert opened.complaints == []


def test_the_theme_can_be_chosen_and_stays(opened: Tab):
    opened.page.click("text=Theme")
    assert opened.page.get_attribute("html", "data-theme") == "dark"
    opened.page.reload()
    opened.settle()
    assert opened.page.get_attribute("html", "data-theme") == "dark"


def test_search_answers_while_you_type_and_keeps_the_question_in_the_address(opened: Tab):
    opened.page.keyboard.press("/")
    opened.page.wait_for_selector("#question:focus")
    opened.page.keyboard.type("mail provider", delay=20)
    opened.page.wait_for_selector(".entry-goal >> text=Send mails in parallel")
    assert "q=mail+provider" in opened.page.url
    opened.page.select_option("text=Outcome >> xpath=.. >> select", "success")
    opened.page.wait_for_selector(".entry-goal >> text=Send mails in parallel", state="detached")
    opened.page.fill("#question", "zebra quantum")
    opened.page.wait_for_selector("text=No memory has these words. These fit the filters:")
    opened.page.select_option("text=Outcome >> xpath=.. >> select", "")
    opened.page.wait_for_selector("text=Nothing found.")


def test_what_is_typed_while_the_address_changes_is_kept(opened: Tab):
    opened.open("search")
    more = """() => addEventListener("hashchange", () => {
      const field = document.getElementById("question");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "mail provider");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }, { once: true })"""
    opened.page.evaluate(more)
    opened.page.keyboard.type("mail")
    opened.page.wait_for_function("() => location.hash.includes('mail+provider')")
    opened.page.wait_for_selector(".entry-goal >> text=Send mails in parallel")
    assert opened.page.input_value("#question") == "mail provider"


def test_a_found_memory_has_the_outcome_that_the_timeline_shows(browser: Browser, tmp_path: Path):
    with open_shop(tmp_path) as shop:
        rum = shop.open()
        outcome = {"success": True, "summary": "It may work"}
        intent = {"goal": "Guess the exchange rate", "task_type": "bug_fix"}
        rum.store(intent=intent, outcome=outcome, tags=["unverified"])
        weak = {"goal": "Guess the weather", "task_type": "bug_fix"}
        rum.store(intent=weak, outcome={"success": True, "summary": "Rain"})
    with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
        for route in ("timeline", "search?q=guess+the+exchange+rate"):
            opened.open(route)
            line = opened.page.locator(".entry", has_text="Guess the exchange rate")
            assert line.locator(".outcome").get_attribute("title") == "not verified"
        opened.page.click("text=Show those that fit less")
        opened.page.wait_for_selector(".entry-goal >> text=Guess the weather")


def test_a_file_is_opened_by_its_name(opened: Tab):
    opened.open("files")
    opened.page.get_by_label("Find a file or folder").fill("token.ts")
    opened.page.keyboard.press("Enter")
    opened.page.wait_for_selector("h1 >> text=auth")
    assert "4 memories, 1 failed" in opened.text()
    opened.page.click("text=1 failed")
    opened.page.wait_for_selector(".day .entry-goal >> text=Keep users logged in for a day")
    opened.page.wait_for_function("() => document.querySelectorAll('.entry').length === 1")


def test_names_in_texts_keep_their_underscores_and_found_words_are_marked(browser: Browser, tmp_path: Path):
    with open_shop(tmp_path) as shop:
        keep(shop.open(), "Let __init__ take *args and `a**b`", "Both `__new__` and __init__ do")
    with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
        for route in ("timeline", "search?q=init"):
            opened.open(route)
            entry = opened.page.locator(".entry")
            assert entry.locator(".entry-goal").inner_text() == "Let __init__ take *args and a**b"
            assert entry.locator("code").all_inner_texts() == ["a**b", "__new__"]
        assert entry.locator("mark").all_inner_texts() == ["init", "init"]


def test_a_graph_runs_from_causes_to_effects_whatever_is_related(browser: Browser, tmp_path: Path):
    with open_shop(tmp_path) as shop:
        rum = shop.open()
        ids = []
        for goal in ("First", "Second", "Third"):
            ids.append(keep(rum, goal))
            shop.clock.forward(60)
        rum.link(ids[1], ids[0], "caused_by")
        rum.link(ids[2], ids[1], "caused_by")
        rum.link(ids[0], ids[2], "related_to")
        rum.link(ids[2], ids[0], "related_to")
    with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
        opened.open(f"causes/{ids[1]}")
        place = "(nodes) => nodes.map((one) => [one.getBoundingClientRect().x, one.ariaLabel])"
        names = [label.split(".")[0] for _, label in sorted(opened.page.eval_on_selector_all(".node", place))]
        assert names == ["First", "Second", "Third"]


def test_what_waits_for_review_does_not_say_that_nothing_was_done(opened: Tab):
    opened.open("review?kind=memory")
    opened.page.wait_for_selector(".review-item .layer >> text=Outcome")
    assert "Actions" not in opened.page.inner_text(".review-item")


def test_a_session_leads_to_what_waits_for_review(opened: Tab):
    opened.open("sessions")
    opened.page.click("main tbody a >> text=Mails are sent twice when the queue restarts")
    opened.page.wait_for_selector("h1 >> text=Mails are sent twice")
    opened.page.locator(".turns > li", has_text="Greet customers by their name").get_by_text(
        "Review it"
    ).click()
    opened.page.wait_for_selector(".review-item h2 >> text=Greet customers by their name")


def test_the_session_of_a_captured_memory_is_one_click_away(opened: Tab, site: Site):
    opened.open(f"session/claude-code/{site.filled.session}")
    opened.page.click(".turns a")
    opened.page.wait_for_selector("article.memory h1")
    opened.page.click(f".side a >> text={site.filled.session}")
    opened.page.wait_for_selector("h1 >> text=Customers say that they are signed out")


def test_the_root_of_a_cause_says_that_it_began_there(opened: Tab, site: Site):
    opened.open(f"causes/{site.filled.refresh}")
    opened.page.click("text=Where it began >> a")
    opened.page.wait_for_selector("article.memory h1 >> text=Send the access token with every request")
    opened.page.click("text=as a graph")
    opened.page.wait_for_selector("text=it began here.")


def test_a_note_that_nobody_confirmed_for_long_is_found_and_confirmed(browser: Browser, tmp_path: Path):
    with open_shop(tmp_path) as shop:
        shop.clock.at = time.time() - 200 * 86_400
        tags = ("doorbells-and-other-noise",)
        note = {"title": "Old habit", "content": "Ring twice.", "when_to_use": ["ring"], "tags": tags}
        shop.open(owner=True).notes.add(**note)
    with served(shop.folder, shop.home) as address, tab(browser, address, NARROW) as opened:
        opened.open("notes")
        assert "not confirmed for 6 months" in opened.text()
        assert opened.page.evaluate("() => document.documentElement.scrollWidth") <= NARROW[0]
        opened.open("stale")
        opened.page.wait_for_selector("text=Notes that nobody confirmed for half a year")
        order = "() => document.querySelector('main').firstElementChild.querySelector('h1')?.textContent"
        assert opened.page.evaluate(order) == "Stale"
        opened.page.click("text=Old habit")
        opened.page.click("text=Still true")
        opened.page.wait_for_selector("text=Entry 2")
        opened.open("stale")
        assert "Old habit" not in opened.text()
        assert opened.complaints == []


def test_an_error_is_shown_as_an_error_and_can_be_tried_again(opened: Tab):
    def fail(route):
        route.fulfill(status=503, json={"error": {"code": "STORAGE_ERROR", "message": "The disk is full."}})

    opened.page.route("**/api/v1/timeline*", fail)
    opened.open("timeline")
    opened.page.wait_for_selector("[role=alert] >> text=The disk is full.")
    assert "No memories yet" not in opened.text()
    opened.page.unroute("**/api/v1/timeline*")
    opened.page.click("text=Try again")
    opened.page.wait_for_selector(".entry-goal")
    opened.complaints[:] = [one for one in opened.complaints if "503" not in one]


@pytest.mark.parametrize("address", ["empty_address", "site"])
def test_no_page_takes_an_error_for_an_empty_list(
    browser: Browser, address: str, request: pytest.FixtureRequest
):
    found = request.getfixturevalue(address)

    def fail(route):
        if "/api/v1/me" in route.request.url:
            return route.continue_()
        return route.fulfill(status=503, json={"error": {"code": "STORAGE_ERROR", "message": "No disk."}})

    with tab(browser, found if isinstance(found, str) else found.address) as opened:
        opened.page.route("**/api/v1/**", fail)
        for route in (*LISTS[1:], LISTS[0]):  # The first one is open already
            opened.open(route.replace("search", "search?q=token"))
            opened.page.wait_for_selector("main [role=alert] >> text=No disk.")
            assert not opened.page.query_selector("main .message.empty"), route
            assert " 0 " not in opened.text(), route


def test_every_page_can_be_opened_by_its_address(browser: Browser, site: Site):
    with tab(browser, site.address) as opened:
        for route, expected in routes(site).items():
            opened.page.goto("about:blank")
            opened.page.goto(f"{opened.base}/#/{route}")
            opened.page.wait_for_function("text => document.body.innerText.includes(text)", arg=expected)
        assert opened.complaints == []


def test_a_server_that_has_ended_is_named(browser: Browser, site: Site):
    with tab(browser, site.address) as opened:
        opened.page.route("**/api/**", lambda route: route.abort())
        opened.open("facts")
        opened.page.wait_for_selector("text=Run `rum web` again.")


def test_without_the_address_with_its_token_nothing_is_shown(browser: Browser, site: Site):
    page = browser.new_context().new_page()
    page.goto(site.address.split("?")[0])
    page.wait_for_selector("text=Open the address that rum web printed")
    assert "Keep users logged in" not in page.inner_text("body")
    page.context.close()


def test_a_page_that_does_not_exist_and_a_memory_that_is_not_there_say_so(opened: Tab):
    opened.open("nonsense")
    assert "There is no page" in opened.text()
    opened.page.evaluate("() => { location.hash = '#/memory/mem_nowhere'; }")
    opened.page.wait_for_selector("text=Not found.")
    opened.complaints.clear()  # The browser reports the 404


def test_a_line_of_a_file_tells_why_it_is_so(browser: Browser, tmp_path: Path):
    with open_shop(tmp_path) as shop:
        git = Repository(shop.folder)
        message = "Allow five seconds of skew\n\nThe clocks of two servers differ."
        git.commit(message, {"src/token.ts": "const TTL = 3600\nconst SKEW = 5\n"})
        shop.open(owner=True).import_git()
    with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
        opened.open("files?path=src%2Ftoken.ts")
        opened.page.click("summary")
        opened.page.click("a.line-number >> text=2")
        opened.page.wait_for_selector(".why-line >> text=Allow five seconds of skew")
        opened.page.click(".why-line a")
        opened.page.wait_for_selector("article.memory h1 >> text=Allow five seconds of skew")
        assert opened.complaints == []


def test_a_page_is_printed_in_light_colours_without_its_frame(browser: Browser, site: Site):
    with tab(browser, site.address, dark=True) as opened:
        opened.open(f"memory/{site.filled.refresh}")
        opened.page.emulate_media(media="print", color_scheme="dark")
        colours = (
            "() => ['color', 'backgroundColor'].map((one) => getComputedStyle(document.documentElement)[one])"
        )
        assert opened.page.evaluate(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
        assert not opened.page.is_visible("nav#navigation")
        assert opened.page.is_visible("article.memory h1")
