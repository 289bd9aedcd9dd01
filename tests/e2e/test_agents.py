"""Real agents with RUM installed by `rum install`: the next session uses what one session learned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.agents import Desk, make_desk, session, write
from e2e.scripted_model import Planned, Step
from rum.inject.offers.store_request import REQUEST
from support.repositories import Repository

pytestmark = pytest.mark.e2e

CART = "def label(cents):\n    return cents\n"
FILES = {
    "cart.py": CART,
    "check_cart.py": 'from cart import label\n\nassert label(250) == "2.50", label(250)\nprint("well")\n',
}
WRONG = "    return str(cents / 100)"
RIGHT = '    return f"{cents / 100:.2f}"'
BUSY = 10
CHECK = "python3 check_cart.py"
FIRST = "The label of a cart must show the price with two decimals. Fix label in cart.py."
EXPLAINED = {
    "intent": {"goal": "Keep prices in the cart as cents", "task_type": "refactor"},
    "reasoning": {
        "alternatives_considered": [{"approach": "euros", "why_rejected": "floats lose cents in sums"}]
    },
    "actions": [{"type": "file_edit", "file_path": "cart.py", "lines_affected": "1-2"}],
    "outcome": {"success": True, "summary": "The cart label returns cents"},
}
TIDES = [
    (
        "tide",
        [
            "--goal",
            "Stop counting gauges twice",
            "--type",
            "bug_fix",
            "--success",
            "--summary",
            "Readings have numbers",
            "--learning",
            "Compare sequence numbers before you add a reading",
        ],
    ),
    (
        "tide",
        [
            "--goal",
            "Batch the uploads",
            "--type",
            "optimization",
            "--failure",
            "--summary",
            "Uploads timed out",
            "--learning",
            "The harbour proxy cuts requests after 20 seconds",
        ],
    ),
    (
        "tide",
        [
            "--goal",
            "Upload in parts",
            "--type",
            "bug_fix",
            "--success",
            "--summary",
            "Parts of 200 readings pass",
            "--learning",
            "Upload readings in parts of 200",
        ],
    ),
]
REASON = "decided against euros, as floats lose cents in sums"
LABEL = "Code changed since."
SECOND = "Labels of carts are wrong again: show two decimals in cart.py."


def edit(client: str, project: Path, old: str, new: str) -> Step:
    """A change of one line, as the client's own tool for it takes it."""
    path = str(project / "cart.py")
    if client == "claude-code":
        return "Edit", {"file_path": path, "old_string": old, "new_string": new}
    patch = ["*** Begin Patch", f"*** Update File: {path}", "@@", f"-{old}", f"+{new}", "*** End Patch", ""]
    return "apply_patch", "\n".join(patch)  # pyright: ignore[reportReturnType]


def run(client: str, command: str) -> Step:
    return ("Bash", {"command": command}) if client == "claude-code" else ("exec_command", {"cmd": command})


def look(client: str, project: Path) -> Step:
    if client == "claude-code":
        return "Read", {"file_path": str(project / "cart.py")}
    return run(client, "cat cart.py")


def work(client: str, desk: Desk) -> list[Step]:
    """A fix that fails, then one that works."""
    old = CART.splitlines()[1]
    return [
        look(client, desk.project),
        edit(client, desk.project, old, WRONG),
        run(client, CHECK),
        edit(client, desk.project, WRONG, RIGHT),
        run(client, CHECK),
        "Labels now have two decimals: str() drops the last zero, a format keeps it. The check passes.",
    ]


def again(client: str, desk: Desk) -> list[Step]:
    """The same fix that failed, and a question to the memory."""
    return [
        look(client, desk.project),
        edit(client, desk.project, CART.splitlines()[1], WRONG),
        run(client, CHECK),
        ("mcp__rum__recall", {"file": "cart.py", "depth": "reasoning"}),
        "It does not work; I stop here.",
    ]


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_next_session_is_warned_before_it_repeats_a_failure(client: str, tmp_path: Path):
    """Hooks say nothing rather than be late: a busy machine may need the story more than once."""
    everything = {"the brief at the start", "the warning before the edit", "the memory through MCP"}
    stories: list[set[str]] = []
    while everything not in stories and len(stories) < BUSY:
        stories.append(story(client, tmp_path / str(len(stories))))
    assert everything in stories, stories


def story(client: str, place: Path) -> set[str]:
    """Two sessions in a new repository; what the requests of the second show that its model was told."""
    place.mkdir()
    desk = make_desk(place, FILES)
    desk.rum("install", client, "--anyway")
    session(client, desk, FIRST, work(client, desk))
    (memory,) = desk.wait_for_memories(1)
    assert memory["outcome_success"]
    write(desk, {"cart.py": CART})
    model = session(client, desk, SECOND, again(client, desk))
    with_edit = model.texts(2)[len(model.texts(1)) :]
    told = {
        "the brief at the start": "str(cents / 100)` failed" in model.texts(0),
        "the warning before the edit": "rum-warning" in with_edit and "cents / 100:.2f" in with_edit,
        "the memory through MCP": memory["id"] in [one["id"] for one in recalled(model.requests[4])],
    }
    return {what for what, is_so in told.items() if is_so}


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_an_agent_that_is_asked_stores_its_work_itself(client: str, tmp_path: Path):
    desk = make_desk(tmp_path, FILES)
    desk.rum("install", client, "--anyway")
    (desk.home / ".rum").mkdir(exist_ok=True)
    (desk.home / ".rum" / "config.toml").write_text('capture_by_agent = "on"\n')
    own = {
        "intent": {"goal": "Show prices with two decimals", "task_type": "bug_fix"},
        "reasoning": {"approach_chosen": "A format string", "why_chosen": "str() drops the last zero"},
        "outcome": {"success": True, "summary": "label() formats cents with two decimals"},
    }
    steps = work(client, desk)
    model = session(client, desk, FIRST, [*steps, ("mcp__rum__store", own), steps[-1]])
    assert REQUEST in model.texts(len(steps))
    desk.rum("tidy")
    (memory,) = desk.memories()
    assert memory["intent_goal"] == "Show prices with two decimals"


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_an_agent_about_to_edit_is_told_the_reason_and_whether_the_code_changed(client: str, tmp_path: Path):
    """As above, the story may be needed more than once."""
    now, later = {"the reason"}, {"the reason", "the label"}
    for changed, expected in ((CART, now), (CART.replace("return cents", "return int(cents)"), later)):
        told: list[set[str]] = []
        while expected not in told and len(told) < BUSY:
            told.append(told_at_the_edit(client, tmp_path / f"{len(expected)}-{len(told)}", changed))
            assert told[-1] <= expected
        assert expected in told, told


def told_at_the_edit(client: str, place: Path, changed: str) -> set[str]:
    """What the hooks tell the model between its prompt and its edit of code that a memory explains.

    The code becomes `changed` by a commit after the memory was stored.
    """
    place.mkdir()
    desk = make_desk(place, {})
    repository = Repository(desk.project)
    repository.commit("Label prices", FILES)
    (desk.home / "memory.json").write_text(json.dumps(EXPLAINED))
    desk.rum("store", "--file", str(desk.home / "memory.json"))
    desk.rum("install", client, "--anyway")
    repository.commit("Work on the cart", {"cart.py": changed})
    line = changed.splitlines()[1]
    steps = [look(client, desk.project), edit(client, desk.project, line, RIGHT), "Labels have two decimals."]
    model = session(client, desk, "Show prices of the cart label in euros, not cents.", steps)
    assert RIGHT in (desk.project / "cart.py").read_text()
    said = model.texts(2)[len(model.texts(0)) :]
    return {what for what, words in (("the reason", REASON), ("the label", LABEL)) if words in said}


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_an_agent_writes_a_chapter_and_wisdom_from_their_material(client: str, tmp_path: Path):
    desk = make_desk(tmp_path, FILES)
    ids = [json.loads(desk.rum("store", "--json", "--tag", tag, *said))["memory_id"] for tag, said in TIDES]
    desk.rum("chapter", "create", *ids[1:], "--title", "Uploads")
    desk.rum("install", client, "--anyway")
    steps: list[Planned] = [
        ("mcp__rum__create_chapter", {"memory_ids": ids}),
        lambda body: (
            "mcp__rum__create_chapter",
            {
                "chapter_id": last_answer(body, "chapter_id")["chapter_id"],
                "title": "Gauges and the proxy",
                "learnings": ["The proxy cuts requests after 20 seconds [2]", "Buy a faster proxy [2]"],
            },
        ),
        ("mcp__rum__synthesize", {"tags": ["tide"]}),
        lambda body: (
            "mcp__rum__synthesize",
            {
                "wisdom_id": last_answer(body, "wisdom_id")["wisdom_id"],
                "insights": ["The proxy cuts requests after 20 seconds [2]", "Sea water is salty [1]"],
                "patterns": [],
                "best_practices": ["Upload in parts of 200 readings [3]"],
            },
        ),
        "The chapter is written.",
    ]
    model = session(client, desk, "Write down what we know about gauges.", steps)
    assert "write better ones" in model.texts(1)
    chapter = last_answer(model.requests[2], "chapter_id")
    assert chapter["title"] == "Gauges and the proxy"
    assert chapter["learnings"] == ["The proxy cuts requests after 20 seconds"]
    assert chapter["evidence"][0]["memory_ids"] == [ids[1]]
    assert "Buy a faster proxy" in chapter["note"]
    wisdom = last_answer(model.requests[4], "wisdom_id")
    assert wisdom["insights"] == ["The proxy cuts requests after 20 seconds"]
    assert wisdom["best_practices"] == ["Upload in parts of 200 readings"]
    assert "Sea water is salty" in wisdom["note"]
    assert "Gauges and the proxy" in desk.rum("chapter", "list")


def last_answer(body: dict[str, Any], field: str) -> dict[str, Any]:
    """The last tool result in a request that has a field."""
    text = next(
        text for text in reversed(list(texts(body))) if text.lstrip().startswith("{") and f'"{field}"' in text
    )
    answer = json.loads(text)
    return answer.get("structuredContent", answer)


def recalled(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The memories of the last tool result in a request."""
    last = next(text for text in reversed(list(texts(body))) if '"memories"' in text)
    answer = json.loads(last)
    return answer.get("structuredContent", answer)["memories"]


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in texts(one)]
