"""Markup in any text of the memory stays text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.browser import served, tab
from support.captured_events import Telling
from support.projects import open_shop
from support.sessions import Sessions

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAYLOADS = (
    '<img src=x onerror="window.broken=1">',
    "<script>window.broken=1</script>",
    '"><svg onload=window.broken=1>',
    "javascript:window.broken=1",
    "[click](javascript:window.broken=1) ![x](data:text/html,<script>window.broken=1</script>)",
    "</title></style></textarea><iframe srcdoc='<script>parent.broken=1</script>'>",
    "`<b onmouseover=window.broken=1>` **<a href=javascript:window.broken=1>x</a>**",
    "${window.broken=1} {{constructor.constructor('window.broken=1')()}}",
)
EVIL = " ".join(PAYLOADS)
# Elements that only markup from a memory can have made.
ALIEN = ", ".join(
    f"#app {one}"
    for one in (
        *("img", "iframe", "script", "[onerror]", "[onload]", "[onclick]", "[onmouseover]", "[srcdoc]"),
        *('a[href^="javascript"]', 'a[href^="data"]'),
    )
)


def evil_memory() -> dict[str, Any]:
    """A memory with markup in every field of every layer."""
    return {
        "intent": {"goal": EVIL, "task_type": "bug_fix", "context": EVIL, "constraints": [EVIL]},
        "perception": {
            "observations": [{"what": EVIL, "where": EVIL, "significance": EVIL}],
            "relevant_files": [{"path": "src/<img src=x>.ts", "relevance": EVIL, "state_summary": EVIL}],
            "patterns_noticed": [EVIL],
            "anomalies": [EVIL],
        },
        "reasoning": {
            "approach_chosen": EVIL,
            "why_chosen": EVIL,
            "alternatives_considered": [{"approach": EVIL, "why_rejected": EVIL}],
            "assumptions": [EVIL],
            "risks_identified": [EVIL],
        },
        "actions": [
            {"type": "file_edit", "file_path": "src/<img src=x onerror=broken=1>.ts", "diff_summary": EVIL},
            {"type": "command_run", "command": EVIL, "result": {"success": False, "error": EVIL}},
            {"type": "search", "query": EVIL, "scope": EVIL},
        ],
        "outcome": {
            "success": False,
            "summary": EVIL,
            "failure_reason": EVIL,
            "learnings": [EVIL],
            "follow_up_needed": [EVIL],
            "verified_by": {"type": "test", "command": EVIL, "result": EVIL},
        },
        "tags": ["<b onmouseover=broken=1>"],
    }


def test_markup_in_every_field_is_inert_on_every_page(browser: Browser, tmp_path: Path):
    now = time.time()
    with open_shop(tmp_path) as shop:
        shop.clock.at = now - 3600
        rum = shop.open(owner=True, session="<i onclick=broken=1>")
        first = rum.store(**evil_memory()).memory_id
        second = rum.store(**evil_memory() | {"links": {"caused_by": first}}).memory_id
        rum.update_memory(second, outcome={"summary": f"changed {EVIL}"})
        rum.notes.add(
            title="<img src=x onerror=broken=1>", content=EVIL, when_to_use=["<svg onload=broken=1>"]
        )
        rule = rum.rules.add("<svg onload=broken=1>", EVIL).id
        rum.rules.set(rule, "<svg onload=broken=1>", f"changed {EVIL}")
        rum.facts.set("<img src=x onerror=broken=1>", EVIL)
        chapter = rum.chapters.create(
            memory_ids=[first, second],
            title="<svg onload=broken=1>",
            summary=EVIL[:900],
            learnings=[EVIL[:900]],
        )
        told = Telling(cwd=str(shop.folder), session="<img src=x onerror=broken=1>", at=now - 1800)
        told.prompt(EVIL).add(
            "offered", "o1", offers=[{"kind": "touching", "text": EVIL, "memories": [first]}]
        )
        told.edit("src/a.ts", EVIL, f"new {EVIL}").run(EVIL, EVIL, 1).stop(EVIL)
        Sessions(shop, shop.open()).take(told)
    note = next(path.stem for path in (shop.folder / ".rum" / "notes").glob("*.md"))
    session = "%3Cimg%20src%3Dx%20onerror%3Dbroken%3D1%3E"
    routes = [
        *(
            "overview",
            "timeline",
            "files",
            "files?path=src",
            "chapters",
            "notes",
            "rules",
            "facts",
            "sessions",
        ),
        *(
            "search?q=window",
            "search?q=%3Cscript%3Ebroken%3D1%3C%2Fscript%3E",
            "review",
            "settings",
            "health",
        ),
        *(f"memory/{second}", f"memory/{second}/history", f"memory/{first}/offers", f"causes/{second}"),
        *(f"chapter/{chapter.chapter_id}", f"notes/{note}", f"session/claude-code/{session}"),
        *(f"session/claude-code/{session}/events", f"session/claude-code/{session}/offers"),
        *("%3Cimg%20src%3Dx%20onerror%3Dbroken%3D1%3E", "memory/%3Csvg%20onload%3Dbroken%3D1%3E"),
        *(
            "files?path=%3Cimg%20src%3Dx%20onerror%3Dbroken%3D1%3E",
            "timeline?tag=%3Csvg%20onload%3Dbroken%3D1%3E",
        ),
    ]
    with served(shop.folder, shop.home) as address, tab(browser, address) as opened:
        for route in routes:
            opened.open(route)
            alien = opened.page.evaluate(f"() => document.querySelectorAll(`{ALIEN}`).length")
            assert alien == 0, route
            assert not opened.page.evaluate("() => 'broken' in window"), route
        opened.open(f"memory/{second}")
        assert PAYLOADS[0] in opened.text()
        assert opened.foreign == []
        assert [one for one in opened.complaints if "404" not in one] == []
