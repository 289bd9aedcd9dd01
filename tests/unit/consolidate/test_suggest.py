"""Suggested groups of related memories, each with its reason, in any order of input."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.consolidate import suggest as suggesting
from rum.consolidate.suggest import Suggestion, suggest
from rum.model.memory import Edge, LinkType, Memory
from support.builders import NOON, make_file, make_memory

DAY = 86400
PARTS = ("parser", "billing", "search", "mailer", "charts", "login", "export", "themes")
DEEDS = (
    "speed up",
    "rename",
    "document",
    "simplify",
    "harden",
    "translate",
    "log",
    "restyle",
    "pin",
    "split",
)


def make_one(name: str, goal: str, day: float, *paths: str, **more: Any) -> Memory:
    files = [make_file(path) for path in sorted(paths)]
    at = {"created_at": NOON + int(day * DAY), "files": files, "session_id": f"{name}-session"}
    return make_memory(f"mem_{name}", goal, **(at | more))


def make_everyday(count: int = 120) -> list[Memory]:
    """Work of every day: one piece a day, each on a part of its own or on one that is touched by many."""
    chosen = random.Random(3)
    return [
        make_one(
            f"day{number:03}",
            f"{PARTS[number % len(PARTS)]}: {chosen.choice(DEEDS)} item {number} of {chosen.choice(PARTS)}",
            number,
            f"src/{PARTS[number % len(PARTS)]}/file{number}.py",
            "src/index.py",
            agent_id=f"agent_{chosen.choice('abcde')}",
        )
        for number in range(count)
    ]


def make_webhooks() -> list[Memory]:
    """A feature with what followed it, by two agents within a week."""
    return [
        make_one(
            "hook1", "Add webhooks with signed payloads", 40.1, "src/hooks/send.py", "src/hooks/sign.py"
        ),
        make_one("hook2", "Retry failed webhooks with backoff", 41.2, "src/hooks/send.py"),
        make_one(
            "hook3", "Fix webhooks retried after success", 43.0, "src/hooks/send.py", agent_id="agent_b"
        ),
        make_one("hook4", "Verify the signature of webhooks in constant time", 45.9, "src/hooks/sign.py"),
    ]


def ids(memories: Sequence[Memory]) -> tuple[str, ...]:
    return tuple(memory.id for memory in memories)


def caused(later: Memory, earlier: Memory) -> Edge:
    return Edge.of(later.id, earlier.id, LinkType.CAUSED_BY)


def test_a_feature_and_what_followed_it_is_one_group_with_its_reason():
    story = make_webhooks()
    [found] = suggest([*make_everyday(), *story], [caused(story[2], story[1])], most=20)
    assert found.memory_ids == ids(story)
    assert found.title in {memory.intent.goal for memory in story}
    assert found.reason == (
        "4 memories by 2 agents from 2025-07-25 to 2025-07-31: one link ties two of them; "
        "their goals speak of “webhooks” (all), “retry” (2 of 4); "
        "they touch src/hooks/send.py (3 of 4), src/hooks/sign.py (2 of 4)."
    )


def test_work_that_was_reverted_and_repeated_months_later_is_one_group():
    steps = [
        make_one("a", "Cache prices in the session", 10, "src/prices.py"),
        make_one("b", "Take the cache of prices out again", 14, "src/prices.py"),
        make_one("c", "Cache prices by shop", 75, "src/prices.py", "src/shops.py"),
    ]
    edges = [caused(steps[1], steps[0]), caused(steps[2], steps[1])]
    [found] = suggest([*make_everyday(), *steps], edges, most=20)
    assert found.memory_ids == ids(steps)
    assert "2 links tie them together" in found.reason


def test_a_folder_in_common_makes_no_story():
    folder = [
        make_one(
            f"f{number}", goal, 9 * number, f"src/ui/{number}.py", tags=["ui"], agent_id=f"agent_{number}"
        )
        for number, goal in enumerate(
            [
                "Draw the menu",
                "Round the corners of buttons",
                "Close dialogs on escape",
                "Show a spinner",
                "Dark mode",
            ]
        )
    ]
    assert suggest([*make_everyday(), *folder], [], most=20) == []


def test_a_file_that_is_edited_now_and_then_makes_no_story():
    edits = [
        make_one(f"e{number}", goal, 20 * number, "docs/policy.md", agent_id=f"agent_{number}")
        for number, goal in enumerate(
            ["Name who to write to", "Allow longer holidays", "Typo", "New address"]
        )
    ]
    assert suggest([*make_everyday(), *edits], [], most=20) == []


def test_chores_belong_to_no_story():
    chores = [
        make_one(f"c{number}", f"Release version 1.{number}", 6 * number, "CHANGES.md") for number in range(9)
    ]
    assert suggest([*make_everyday(), *chores], [], most=20) == []


def test_superseded_memories_belong_to_no_group():
    story = make_webhooks()
    old = make_one(
        "old", "Add webhooks with signed payloads", 40, "src/hooks/send.py", superseded_by=["mem_hook1"]
    )
    [found] = suggest([*make_everyday(), *story, old], [], most=20)
    assert found.memory_ids == ids(story)


def test_what_is_a_chapter_already_is_not_suggested_again():
    story = make_webhooks()
    memories = [*make_everyday(), *story]
    assert suggest(memories, [], most=20, chapters=[set(ids(story))]) == []
    assert suggest(memories, [], most=20, chapters=[ids(story)[:3]]) == []
    [found] = suggest(memories, [], most=20, chapters=[ids(story)[:2], ids(story)[2:]])
    assert found.memory_ids == ids(story)


def test_few_memories_can_hold_a_story_too():
    memories = [*make_webhooks(), *make_everyday(30)]
    assert [found.memory_ids for found in suggest(memories, [], most=5)] == [ids(make_webhooks())]
    assert suggest(make_everyday(2), [], most=5) == []
    assert suggest([], [], most=5) == []


def test_a_long_campaign_is_split_into_several_groups():
    campaign = [
        make_one(
            f"k{number:02}",
            f"Convert report {number} to the grid layout",
            30 + number / 20,
            f"src/r{number}.py",
        )
        for number in range(70)
    ]
    found = suggest([*make_everyday(2000), *campaign], [], most=20)
    assert all(len(one.memory_ids) <= 30 for one in found)
    told = [memory_id for one in found for memory_id in one.memory_ids]
    assert set(told) <= set(ids(campaign))
    assert len(told) > 50


def test_the_tags_of_a_group_are_those_that_half_of_it_has():
    story = [
        make_one(
            f"t{number}", f"Teach the robot to climb step {number}", 5 + number / 9, "src/robot.py", tags=tags
        )
        for number, tags in enumerate([["robot", "x"], ["robot", "legs"], ["legs", "robot"], ["robot", "y"]])
    ]
    [found] = suggest([*make_everyday(), *story], [], most=5)
    assert found.tags == ("robot", "legs")


def test_a_title_is_one_line_that_is_cut_at_a_word():
    goal = "Move the\nwarehouse importer over to streaming so that catalogues of any size can be taken in"
    story = [make_one(f"w{number}", goal, 5 + number / 9, "src/warehouse.py") for number in range(3)]
    [found] = suggest([*make_everyday(), *story], [], most=5)
    assert found.title == "Move the warehouse importer over to streaming so that catalogues of any size…"


def test_only_the_newest_of_very_many_memories_are_considered(monkeypatch: pytest.MonkeyPatch):
    old, new = (
        make_webhooks(),
        [
            make_one(
                f"n{number}", f"Teach the robot to climb step {number}", 110 + number / 9, "src/robot.py"
            )
            for number in range(4)
        ],
    )
    memories = [*make_everyday(), *old, *new]
    assert {found.memory_ids for found in suggest(memories, [], most=9)} == {ids(old), ids(new)}
    monkeypatch.setattr(suggesting, "MOST_READ", 60)
    assert [found.memory_ids for found in suggest(memories, [], most=9)] == [ids(new)]


WORDS = st.sampled_from(
    ["cache", "robot", "price", "menu", "token", "retry", "数据库", "42", "the", "refresh_token"]
)
ONE = st.builds(
    lambda words, day, files, tags, agent: {
        "goal": " ".join(words),
        "day": day,
        "files": files,
        "tags": tags,
        "agent": agent,
    },
    st.lists(WORDS, min_size=1, max_size=4),
    st.integers(0, 60),
    st.sets(st.sampled_from(["a.py", "src/b.py", "src/ui/c.py"]), max_size=3),
    st.sets(st.sampled_from(["ui", "x"]), max_size=2),
    st.sampled_from(["agent_a", "agent_b"]),
)


@settings(max_examples=60)
@given(
    st.lists(ONE, max_size=90),
    st.lists(st.tuples(st.integers(0, 89), st.integers(0, 89)), max_size=40),
    st.integers(0, 12),
    st.randoms(use_true_random=False),
)
def test_no_memory_is_in_two_groups_and_the_order_of_memories_does_not_matter(
    drafts: list[dict[str, Any]], linked: list[tuple[int, int]], most: int, chosen: random.Random
):
    memories = [
        make_one(
            f"{number:02}",
            one["goal"],
            one["day"],
            *one["files"],
            tags=sorted(one["tags"]),
            agent_id=one["agent"],
        )
        for number, one in enumerate(drafts)
    ]
    edges = [Edge.of(f"mem_{one:02}", f"mem_{other:02}", LinkType.CAUSED_BY) for one, other in linked]
    found = suggest(memories, edges, most=most)
    _check(found, memories, most)
    chosen.shuffle(memories)
    chosen.shuffle(edges)
    assert suggest(iter(memories), iter(edges), most=most) == found


def _check(found: list[Suggestion], memories: list[Memory], most: int) -> None:
    assert len(found) <= most
    told = [memory_id for one in found for memory_id in one.memory_ids]
    assert len(told) == len(set(told))
    assert set(told) <= set(ids(memories))
    for one in found:
        assert 3 <= len(one.memory_ids) <= 30
        assert one.title
        assert one.reason.startswith(f"{len(one.memory_ids)} memories ")
    assert [one.sureness for one in found] == sorted((one.sureness for one in found), reverse=True)


def test_neither_verbs_nor_changelogs_are_a_reason():
    goals = ("Switch docs to zeppelin", "Switch examples to zeppelin", "Switch tests to zeppelin")
    story = [
        make_one(f"z{n}", goal, 5 + n / 9, "CHANGES.md", "zeppelin.toml") for n, goal in enumerate(goals)
    ]
    [found] = suggest([*make_everyday(), *story], [], most=5)
    assert found.reason.endswith("their goals speak of “zeppelin” (all); they touch zeppelin.toml (all).")
