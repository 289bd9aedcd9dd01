"""Markup in any text of the memory stays text."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from msgspec import inspect

from rum.model.memory import Draft, LinkType
from support.browser import served, tab
from support.captured_events import Telling
from support.projects import open_shop
from support.repositories import Repository
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
            {
                "type": "file_edit",
                "file_path": "src/<img src=x onerror=broken=1>.ts",
                "lines_affected": "1 <svg onload=broken=1>",
                "diff_summary": EVIL,
                "diff_hash": EVIL,
            },
            {"type": "file_edit", "file_path": "src/evil.ts", "diff_summary": f"+{EVIL}\n-{EVIL}"},
            {
                "type": "command_run",
                "command": EVIL,
                "working_directory": EVIL,
                "result": {"success": False, "error": EVIL, "output_summary": EVIL},
            },
            {"type": "search", "query": EVIL, "scope": EVIL},
        ],
        "outcome": {
            "success": False,
            "summary": EVIL,
            "full_text": EVIL,
            "failure_reason": EVIL,
            "learnings": [EVIL],
            "follow_up_needed": [EVIL],
            "verified_by": {"type": "test", "command": EVIL, "result": EVIL},
        },
        "tags": ["<b onmouseover=broken=1>"],
    }


def texts_of(kind: inspect.Type) -> set[str]:
    """The names of all fields within a type that hold text."""
    match kind:
        case inspect.StructType():
            return {
                field.encode_name if found == "" else found
                for field in kind.fields
                for found in texts_of(field.type)
            }
        case inspect.ListType() | inspect.VarTupleType():
            return texts_of(kind.item_type)
        case inspect.UnionType():
            return {found for one in kind.types for found in texts_of(one)}
        case inspect.StrType():
            return {""}
        case _:
            return set()


def names_in(value: object) -> set[str]:
    """The names of all fields of a value."""
    if isinstance(value, dict):
        return set(value) | {name for one in value.values() for name in names_in(one)}
    return {name for one in value for name in names_in(one)} if isinstance(value, list) else set()


def test_every_field_that_holds_text_has_markup_in_these_tests():
    texts = texts_of(inspect.type_info(Draft))
    assert {"goal", "significance", "why_rejected", "diff_summary", "full_text"} <= texts
    links = {one.value for one in LinkType} | {"led_to"}  # Ids of other memories
    assert texts - links <= names_in(evil_memory())


def test_markup_in_every_field_is_inert_on_every_page(browser: Browser, tmp_path: Path):
    now = time.time()
    with open_shop(tmp_path) as shop:
        shop.clock.at = now - 3600
        git = Repository(shop.folder)
        git.commit(EVIL, {"src/evil.ts": f"{EVIL}\n" * 9}, author="svg onload=broken=1")
        shop.open(owner=True).import_git()
        rum = shop.open(owner=True, session="<i onclick=broken=1>", agent="<img src=x onerror=broken=1>")
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
        wisdom = rum.wisdom.synthesize(
            chapter_ids=[chapter.chapter_id], min_chapters=1, insights=[EVIL[:900]]
        ).wisdom_id
        rum.forget(rum.store(**evil_memory()).memory_id)
        rum.store(
            **evil_memory() | {"outcome": {"success": True, "summary": EVIL}}
        )  # Failures are never stale
        git.commit(f"changed {EVIL}", {"src/evil.ts": f"new {EVIL}\n" * 9})
        told = Telling(cwd=str(shop.folder), session="<img src=x onerror=broken=1>", at=now - 1800)
        told.prompt(EVIL).add(
            "offered", "o1", offers=[{"kind": "touching", "text": EVIL, "memories": [first]}]
        )
        told.edit("src/a.ts", EVIL, f"new {EVIL}").run(EVIL, EVIL, 1).stop(EVIL)
        Sessions(shop, shop.open()).take(told)
        with patch.dict(os.environ, RUM_REVIEW="first"):
            later = Telling(cwd=str(shop.folder), session="later", at=now - 900)
            later.prompt(EVIL).edit("src/a.ts", EVIL, f"new {EVIL}").run(EVIL, EVIL, 1).stop(EVIL)
            later.prompt(f"From now on, always write {PAYLOADS[0]} first.").stop(EVIL)
            Sessions(shop, shop.open()).take(later)
        commit = next(one.id for one in rum.pages.timeline().items if one.origin == "commit")
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
            "trash",
            "stale",
            "sync",
        ),
        *(f"memory/{second}", f"memory/{second}/history", f"memory/{first}/offers", f"causes/{second}"),
        *(f"memory/{second}/code", f"memory/{commit}", f"wisdom/{wisdom}", "files?path=src/evil.ts&line=2"),
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
            if route in ("review", "trash", "stale", f"memory/{second}", "files?path=src/evil.ts&line=2"):
                assert PAYLOADS[1] in opened.text(), route
        assert opened.foreign == []
        assert [one for one in opened.complaints if "404" not in one] == []
