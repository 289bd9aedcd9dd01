"""A project with some of everything that the page shows: memories, sessions, offers, knowledge, reviews."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from rum import Rum
from support.builders import make_draft
from support.captured_events import Telling
from support.projects import Shop, edited
from support.repositories import Repository
from support.sessions import Sessions

DAY = 86_400
TOKEN, MAIL, CART, STOCK = "src/auth/token.ts", "src/mail/queue.ts", "src/cart/price.ts", "src/cart/stock.ts"
MAIL_BEFORE = (
    "const queue = []\nconst tries = 3\nconst pause = 60\nfunction send(mail) {\n  queue.push(mail)\n}\n"
)
MAIL_TODAY = MAIL_BEFORE.replace("tries = 3", "tries = 5")

# Goal, summary, whether it worked, kind of work, files, more of the outcome.
WORK: tuple[tuple[str, str, bool, str, tuple[str, ...], dict[str, Any]], ...] = (
    (
        "Send the access token with every request",
        "Every request carries the token",
        True,
        "feature_add",
        (TOKEN,),
        {},
    ),
    ("Show prices with two decimals", "Prices are rounded once, in the view", True, "bug_fix", (CART,), {}),
    (
        "Keep users logged in for a day",
        "The security tests fail: a stolen token must be worthless soon",
        False,
        "feature_add",
        (TOKEN, "tests/auth/test_lifetime.ts"),
        {
            "failure_reason": "The lifetime of a token is bounded by the security policy, not by taste",
            "failure_category": "incorrect_assumption",
            "verified_by": {"type": "test", "command": "npm test -- auth", "result": "2 of 14 failed"},
        },
    ),
    (
        "Refresh the access token when the server answers 401",
        "No more logouts; 14 auth tests pass",
        True,
        "bug_fix",
        (TOKEN,),
        {
            "learnings": ["Queue requests while a refresh is running, or they all get 401"],
            "verified_by": {"type": "test", "command": "npm test -- auth", "result": "14 passed"},
            "follow_up_needed": ["Remove the old refresh timer from the worker"],
        },
    ),
    (
        "Try three times to send a mail",
        "Busy mail servers lose no message any more",
        True,
        "bug_fix",
        (MAIL,),
        {},
    ),
    (
        "Send mails in parallel",
        "The provider blocks more than two connections",
        False,
        "optimization",
        (MAIL,),
        {
            "failure_reason": "The mail provider closes the third connection",
            "failure_category": "unexpected_side_effect",
            "learnings": ["At most two connections to the mail provider"],
        },
    ),
    ("Lock the row of an article that is sold", "No article is sold twice", True, "bug_fix", (STOCK,), {}),
    (
        "Lock the whole table while selling",
        "Checkout takes nine seconds under load",
        False,
        "bug_fix",
        (STOCK, "src/cart/checkout.ts"),
        {"failure_reason": "Every sale waits for all others", "failure_category": "logic_error"},
    ),
    (
        "Write tests for the price of bundles",
        "12 tests, all pass",
        True,
        "test_write",
        ("tests/cart/test_price.ts",),
        {},
    ),
    (
        "Move the retry of mails into a queue",
        "One worker, one queue, three tries",
        True,
        "refactor",
        (MAIL,),
        {},
    ),
    (
        "Find out why the nightly build is slow",
        "Half of the time goes into installing packages again",
        True,
        "investigation",
        ("ci/build.yml",),
        {"follow_up_needed": ["Cache the packages of the nightly build"]},
    ),
    (
        "Cache the packages of the build",
        "Builds take four minutes instead of nine",
        True,
        "configuration",
        ("ci/build.yml",),
        {},
    ),
)


class Filled(NamedTuple):
    """Ids of what was stored."""

    memories: list[str]
    refresh: str  # A memory with causes, a history, offers and every layer
    lifetime: str  # A failure that led to it
    queue: str  # A memory with causes of several kinds
    rule: str
    chapter: str
    wisdom: str
    note: str
    session: str


def fill(shop: Shop, *, now: float) -> Filled:
    """Fill a project with 20 memories and the rest; the newest is a few hours old at `now`."""
    shop.clock.at = now - 61 * DAY
    files = {TOKEN: "export const TTL = 3600\n", MAIL: MAIL_BEFORE, STOCK: "lock(row)\n"}
    git = Repository(shop.folder)
    git.commit("Begin", files, at=int(shop.clock.at))
    ann = shop.open(agent="ann", client="claude-code", session="s-auth")
    bulk = [_translate(shop, ann, number) for number in range(1, 9)]
    ids = [_store(shop, ann, *work) for work in WORK]
    lifetime, refresh = ids[2], ids[3]
    ann.link(refresh, lifetime, "caused_by")
    ann.link(lifetime, ids[0], "caused_by")
    ann.link(ids[7], ids[6], "related_to")
    ann.link(ids[5], ids[4], "caused_by")
    ann.link(ids[9], ids[4], "supersedes")
    ann.link(ids[9], ids[5], "caused_by")
    ann.link(ids[11], ids[10], "caused_by")
    _detail(ann, refresh)
    git.commit("Try five times to send a mail", {MAIL: MAIL_TODAY}, at=int(now - 3 * DAY))
    shop.clock.at = now - 2.5 * DAY
    owner = shop.open(owner=True)
    rule, note = _knowledge(owner)
    auth = ann.chapters.create(memory_ids=[ids[0], lifetime, refresh], title="Tokens and their lifetime")
    mail = ann.chapters.create(memory_ids=[ids[4], ids[5], ids[9]], title="Sending mails")
    wisdom = ann.wisdom.synthesize(chapter_ids=[auth.chapter_id, mail.chapter_id]).wisdom_id
    session = _sessions(shop, now, refresh)
    owner.forget(bulk.pop())
    return Filled([*ids, *bulk], refresh, lifetime, ids[9], rule, auth.chapter_id, wisdom, note, session)


def _translate(shop: Shop, rum: Rum, number: int) -> str:
    shop.clock.forward(1.5 * DAY)
    fields = make_draft(f"Translate the shop, part {number}", f"Part {number} is in three languages")
    actions = edited(f"src/shop/part{number}.ts")
    return rum.store(**fields, actions=actions, tags=["i18n"]).memory_id


def _store(
    shop: Shop,
    rum: Rum,
    goal: str,
    summary: str,
    success: bool,
    kind: str,
    files: tuple[str, ...],
    more: dict[str, Any],
) -> str:
    shop.clock.forward(3.8 * DAY)
    intent = {"goal": goal, "task_type": kind}
    outcome = {"success": success, "summary": summary, **more}
    tags = [files[0].split("/")[1]]
    return rum.store(intent=intent, outcome=outcome, actions=edited(*files), tags=tags).memory_id


def _detail(rum: Rum, memory: str) -> None:
    """Give one memory all five layers and a second version."""
    rum.update_memory(
        memory,
        intent={
            "context": "Customers are signed out in the middle of the checkout.",
            "constraints": ["Keep the lifetime"],
        },
        perception={
            "observations": [
                {
                    "what": "Ten requests get 401 at once",
                    "where": TOKEN,
                    "significance": "Each starts a refresh",
                }
            ],
            "patterns_noticed": ["It happens after a laptop wakes up"],
        },
        reasoning={
            "approach_chosen": "Refresh in the interceptor, with a queue for requests that wait",
            "why_chosen": "The lifetime must stay, so the client has to refresh",
            "alternatives_considered": [
                {"approach": "A timer that refreshes early", "why_rejected": "races with sleeping laptops"}
            ],
            "risks_identified": ["A refresh that hangs holds up every request"],
        },
        outcome={"summary": "No more logouts; all 14 auth tests pass"},
    )


def _knowledge(rum: Rum) -> tuple[str, str]:
    rum.rules.add("add a dependency", "Ask before adding a package to `package.json`.")
    rule = rum.rules.add("deploy|release", "Run `npm run smoke` before a deploy.").id
    rum.rules.set(rule, "deploy|release", "Run `npm run smoke` and wait for it before a deploy.")
    rum.facts.set("staging.url", "https://staging.shop.example")
    rum.facts.set("build.command", "npm run build")
    rum.facts.set("build.command", "npm run build -- --production")
    rum.notes.add(
        title="Mail provider limits",
        content="The provider allows **two connections**.\n\n- a third is closed at once\n"
        "- `421` means: wait a minute\n\n```\nmaxConnections: 2\n```",
        when_to_use=["mail|smtp"],
        tags=("mail",),
        importance="high",
    )
    rum.notes.add(title="Names of branches", content="Use `topic/name`.", when_to_use=["branch|pull request"])
    return rule, "mail-provider-limits"


def _sessions(shop: Shop, now: float, memory: str) -> str:
    """A session with an offer; then one whose turns, and a rule, wait for review."""
    rum = shop.open()
    sessions = Sessions(shop, rum)
    done = Telling(cwd=str(shop.folder), session="9f3c-checkout", at=now - 2 * DAY)
    done.prompt("Customers say that they are signed out in the checkout. Fix it.")
    text = 'Earlier work on src/auth/token.ts: "Refresh the access token when the server answers 401" worked.'
    done.add("offered", "o1", offers=[{"kind": "intent", "text": text, "memories": [memory]}])
    done.read(TOKEN).edit(TOKEN, "if (status == 401)", "if (status == 401 && !refreshing)")
    done.run("npm test -- auth", "14 passed").stop("Only one refresh runs at a time; 14 tests pass.")
    sessions.take(done)
    shop.clock.at = now - 7200
    kept, os.environ["RUM_REVIEW"] = os.environ.get("RUM_REVIEW"), "first"
    try:
        sessions = Sessions(shop, shop.open())
        later = Telling(cwd=str(shop.folder), session="b771-mail", at=now - 7200)
        later.prompt("Mails are sent twice when the queue restarts. Fix it.")
        later.read(MAIL).edit(MAIL, "send(mail)", "if (!sent.has(mail.id)) send(mail)")
        later.run("npm test -- mail", "9 passed").stop(
            "Each mail has an id now, and is sent once; 9 tests pass."
        )
        later.prompt(
            "From now on, always run `npm test -- mail` before you commit changes of the mail queue."
        )
        later.edit(MAIL, "retry(3)", "retry(5)").run("npm test -- mail", "1 failed", 1)
        later.stop("Five retries break the test of the pause between them.")
        later.prompt("Show the name of the shop in the title of every page.")
        later.edit("src/shop/title.ts", "title()", "title(shop.name)").run("npm test", "77 passed").stop(
            "Every page shows it."
        )
        for what, file in (("Greet customers by their name", "hello"), ("Sort articles by price", "sort")):
            later.prompt(f"{what}.").edit(f"src/shop/{file}.ts", "old()", f"{file}()")
            later.run("npm test", "78 passed").stop("It works; 78 tests pass.")
        sessions.take(later)
    finally:
        del os.environ["RUM_REVIEW"]
        if kept is not None:
            os.environ["RUM_REVIEW"] = kept
    return "9f3c-checkout"
