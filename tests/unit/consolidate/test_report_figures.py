"""Memories counted for a report: each figure as one would count it by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rum.consolidate import report_figures
from rum.consolidate.report_figures import ROWS, Tally, area_of, most_of
from rum.model.memory import Memory
from rum.model.report import Area, Counted, Worker
from support.builders import NOON, make_file, make_intent, make_memory, make_outcome

DAY = 86400
JUNE = 1_748_779_200  # 2025-06-01T12:00:00Z


def make_one(number: int, day: float, *paths: str, success: bool = True, **more: Any) -> Memory:
    outcome = make_outcome(success=success, **more.pop("outcome", {}))
    intent = make_intent(more.pop("goal", f"Goal {number}"), task_type=more.pop("kind", "bug_fix"))
    at = {"created_at": JUNE + int(day * DAY), "files": [make_file(path) for path in sorted(paths)]}
    return make_memory(f"mem_{number:04}", **(at | {"intent": intent, "outcome": outcome} | more))


def tallied(memories: Sequence[Memory]) -> Tally:
    tally = Tally()
    for memory in memories:
        tally.add(memory)
    return tally


def make_month() -> list[Memory]:
    """Seven memories over two months, of which one is superseded."""
    return [
        make_one(1, 0, "src/auth/a.py", "src/auth/b.py", "README.md"),
        make_one(2, 1, "src/auth/a.py", success=False, outcome={"failure_category": "race_condition"}),
        make_one(3, 2, "src/auth/a.py", success=False, agent_id="agent_bob", goal="Lock it"),
        make_one(4, 3, "src/auth/deep/er/c.py", kind="feature_add", session_id="session_2"),
        make_one(5, 4, "src/auth/a.py", superseded_by=["mem_0004"], success=False),
        make_one(6, 35, "docs/x.md", kind="documentation", agent_id="agent_bob"),
        make_one(7, 36, kind="investigation", success=False, outcome={"failure_category": "race_condition"}),
    ]


def test_months_are_counted_newest_first_with_their_kinds_and_places():
    july, june = tallied(make_month()).periods(2, 2)
    assert (july.name, july.memories, july.successes) == ("2025-07", 2, 1)
    assert july.kinds == (Counted("documentation", 1), Counted("investigation", 1))
    assert july.areas == (Counted("docs", 1),)
    assert (june.name, june.memories, june.successes) == ("2025-06", 4, 2)
    assert june.kinds == (Counted("bug_fix", 3), Counted("feature_add", 1))
    assert june.areas == (Counted("src/auth", 4), Counted(".", 1))


def test_areas_are_the_first_two_folders_and_count_a_memory_once():
    tally = tallied(make_month())
    assert tally.area_count == 3
    assert tally.areas(2) == (
        Area(path="src/auth", memories=4, successes=2, last_at=JUNE + 3 * DAY),
        Area(path=".", memories=1, successes=1, last_at=JUNE),
    )
    assert [area_of(path) for path in ("a", "a/b", "a/b/c", "a/b/c/d", "/etc/hosts")] == [
        ".",
        "a",
        "a/b",
        "a/b",
        "/etc",
    ]


def test_failures_are_counted_by_file_and_category():
    tally = tallied(make_month())
    (worst,) = tally.failing_files(9)
    assert (worst.path, worst.failures, worst.memories) == ("src/auth/a.py", 2, 3)
    assert (worst.last_id, worst.last_goal, worst.last_at) == ("mem_0003", "Lock it", JUNE + 2 * DAY)
    assert tally.failing_file_count == 1
    assert most_of(tally.categories, 9) == (Counted("race_condition", 2), Counted("no category", 1))


def test_agents_are_counted_with_their_sessions():
    tally = tallied(make_month())
    ann, bob = tally.agents({"agent_bob": "Bob"}, 5)
    assert ann == Worker(
        agent_id="agent_ann", name="agent_ann", memories=4, successes=2, sessions=2, last_at=JUNE + 36 * DAY
    )
    assert (bob.name, bob.memories, bob.successes, bob.sessions) == ("Bob", 2, 1, 1)
    assert (tally.agent_count, tally.superseded, tally.memories, tally.successes) == (2, 1, 6, 3)


def test_many_months_become_quarters_and_many_quarters_become_years():
    monthly = [make_one(number, 30.5 * number) for number in range(ROWS + 3)]
    quarters = tallied(monthly).periods(1, 1)
    assert [one.name for one in quarters[-3:]] == ["2025 Q4", "2025 Q3", "2025 Q2"]
    assert quarters[-2].memories == 3
    years = tallied([make_one(number, 31 * number) for number in range(120)]).periods(1, 1)
    assert [one.name for one in years[-2:]] == ["2026", "2025"]
    for periods in (quarters, years):
        assert len(periods) <= ROWS
    assert sum(one.memories for one in years) == 120


def test_a_clock_that_ran_wild_adds_no_rows_without_end():
    wild = [make_one(number, 366 * number) for number in range(200)]
    periods = tallied([*wild, make_one(999, 10**9)]).periods(1, 1)
    assert len(periods) == ROWS
    assert periods[0].name == "9999"
    assert periods[-1].name == "2025–2202"
    assert sum(one.memories for one in periods) == 201


def left(*said: str) -> dict[str, Any]:
    return {"follow_up_needed": list(said)}


def open_texts(tally: Tally) -> list[str]:
    return [one.text for one in tally.open.newest(100)]


def test_a_follow_up_is_open_until_a_later_success_does_it():
    memories = [
        make_one(1, 0, goal="Add vouchers", outcome=left("Write tests for vouchers", "Translate the mail")),
        make_one(2, 1, goal="Try the tests", success=False, outcome=left("Repair the runner")),
        make_one(3, 2, goal="Write some tests for all vouchers"),
        make_one(4, 3, goal="Translate the mail", success=False),
        make_one(5, 4, goal="try the TESTS"),
        make_one(6, 5, goal="Rest", outcome=left("  ", "Sleep")),
    ]
    tally = tallied(memories)
    assert open_texts(tally) == ["Sleep", "Translate the mail"]
    assert len(tally.open) == 2
    assert tally.open.newest(1)[0].memory_id == "mem_0006"


def test_a_follow_up_is_closed_if_its_memory_led_to_a_success():
    tally = Tally()
    tally.add(make_one(1, 0, outcome=left("One", "Two"), success=False))
    tally.add(make_one(2, 1, success=False), ["mem_0001"])
    assert open_texts(tally) == ["Two", "One"]
    tally.add(make_one(3, 2), ["mem_0001", "mem_unknown"])
    assert open_texts(tally) == []


def test_only_the_newest_of_very_many_follow_ups_are_considered():
    count = report_figures.MOST_OPEN + 7
    tally = tallied(
        [
            make_one(number, number, goal="Same", outcome=left(f"Do {number}"), success=False)
            for number in range(count)
        ]
    )
    assert (len(tally.open), tally.open.exact) == (report_figures.MOST_OPEN, False)
    assert open_texts(tally)[:2] == [f"Do {count - 1}", f"Do {count - 2}"]


def lessons(*said: str) -> dict[str, Any]:
    return {"learnings": list(said)}


def test_lessons_of_most_memories_come_first_then_the_most_important():
    tally = tallied(
        [
            make_one(1, 0, outcome=lessons("Lock it.", "Once")),
            make_one(2, 1, outcome=lessons("lock  it", "Lock it!"), importance=0.9),
            make_one(3, 2, outcome=lessons("Important"), importance=0.9),
            make_one(4, 3, outcome=lessons("Twice", "Lock it")),
            make_one(5, 4, outcome=lessons("Twice", "Newest")),
            make_one(6, 5, outcome=lessons("LOCK IT")),
        ]
    )
    best = tally.lessons.best(9)
    assert [(one.text, one.supporting) for one in best] == [
        ("Lock it!", 4),
        ("Twice", 2),
        ("Important", 1),
        ("Newest", 1),
        ("Once", 1),
    ]
    assert best[0].memory_ids == ("mem_0006", "mem_0004", "mem_0002")
    assert best[0].last_confirmed == JUNE + 5 * DAY
    assert len(tally.lessons) == 5
    assert tally.lessons.best(1) == best[:1]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3), max_size=200))
def test_lessons_are_counted_as_by_hand(said: list[list[str]]):
    memories = [make_one(number, number, outcome=lessons(*some)) for number, some in enumerate(said)]
    told = {one.text: one.supporting for one in tallied(memories).lessons.best(99)}
    assert told == {
        word: sum(word in some for some in said) for word in "abcdefgh" if any(word in some for some in said)
    }


def test_the_usual_time_of_tests_is_in_june():
    assert tallied([make_memory("mem_x", created_at=NOON)]).periods(1, 1)[0].name == "2025-06"
