"""The report of a project: counted over its whole memory, with what wisdom says where there is any."""

from __future__ import annotations

import pytest

from rum import InvalidQuery, Rum
from rum.model.report import Counted
from support.builders import NOON, make_draft, make_intent, make_outcome
from support.projects import Shop, edited, keep

DAY = 86400


@pytest.fixture
def worked(shop: Shop) -> Rum:
    """A project in which two agents did five things over three days."""
    ann, bob = shop.open(agent="ann", session="one"), shop.open(agent="bob", session="two")
    failed = ann.store(
        intent=make_intent("Cache prices", task_type="optimization"),
        outcome=make_outcome(
            "Stale prices", False, failure_category="logic_error", follow_up_needed=["Try a short cache"]
        ),
        actions=edited("src/shop/prices.py", "src/shop/cache.py"),
    )
    shop.clock.forward(DAY)
    keep(bob, "Sort orders", actions=edited("src/shop/orders.py"))
    bob.store(
        **make_draft("Cache prices for a minute", actions=edited("src/shop/prices.py")),
        links={"caused_by": failed.memory_id},
    )
    shop.clock.forward(DAY)
    lessons = make_outcome(learnings=["Prices change hourly"], follow_up_needed=["Measure the hits"])
    ann.store(intent=make_intent("Describe the cache"), outcome=lessons, actions=edited("README.md"))
    ann.store(intent=make_intent("Explain prices"), outcome=make_outcome(learnings=["prices change hourly."]))
    old = ann.store(intent=make_intent("Old"), outcome=make_outcome(success=False)).memory_id
    keep(ann, "New", links={"supersedes": old})
    return ann


def test_every_figure_is_what_one_counts_by_hand(worked: Rum):
    told = worked.report()
    assert (told.project, told.written_at, told.since) == ("shop", NOON + 2 * DAY, None)
    assert (told.memories, told.successes, told.superseded) == (6, 5, 1)
    assert (told.first_at, told.last_at) == (NOON, NOON + 2 * DAY)
    (june,) = told.periods
    assert (june.name, june.memories, june.successes) == ("2025-06", 6, 5)
    assert june.kinds == (Counted("bug_fix", 5), Counted("optimization", 1))
    assert [(one.path, one.memories, one.successes) for one in told.areas] == [
        ("src/shop", 3, 2),
        (".", 1, 1),
    ]
    assert [(one.path, one.failures, one.memories) for one in told.failing_files] == [
        ("src/shop/cache.py", 1, 1),
        ("src/shop/prices.py", 1, 2),
    ]
    assert told.failure_categories == (Counted("logic_error", 1),)
    assert [(one.text, one.goal) for one in told.follow_ups] == [("Measure the hits", "Describe the cache")]
    assert [(one.name, one.memories, one.successes, one.sessions) for one in told.agents] == [
        ("ann", 4, 3, 1),
        ("bob", 2, 2, 1),
    ]


def test_without_wisdom_it_tells_what_memories_learned(worked: Rum):
    told = worked.report()
    assert told.insights_from == "learnings"
    (lesson,) = told.insights
    assert (lesson.text, lesson.supporting, len(lesson.memory_ids)) == ("prices change hourly.", 2, 2)
    assert "- “prices change hourly.” – 2 memories, last 2025-06-17: " in told.text


def test_with_wisdom_the_report_lists_its_claims_and_what_is_stale(worked: Rum, shop: Shop):
    ids = [memory.id for memory in shop.open(owner=True).list(limit=20).memories]
    chapters = [worked.chapters.create(memory_ids=ids[half::2]).chapter_id for half in (0, 1)]
    worked.wisdom.synthesize(
        chapter_ids=chapters, insights=["Prices change hourly"], patterns=[], best_practices=[]
    )
    told = worked.report()
    assert (told.insights_from, told.insight_count, told.stale_wisdom) == ("wisdom", 1, 0)
    (claim,) = told.insights
    assert (claim.text, claim.supporting) == ("Prices change hourly", 2)
    assert set(claim.memory_ids) <= set(ids)
    changed = next(one for one in claim.memory_ids)
    shop.open(owner=True).update_memory(changed, tags=["changed"])
    assert worked.report().stale_wisdom == 1
    assert "Stale wisdom: 1." in worked.report().text


def test_what_only_its_author_says_is_no_insight(worked: Rum, shop: Shop):
    ids = [memory.id for memory in shop.open(owner=True).list(limit=20).memories]
    chapters = [worked.chapters.create(memory_ids=ids[half::2]).chapter_id for half in (0, 1)]
    invented = "The price list was invented by unicorns"
    given = {"patterns": [], "best_practices": []}
    worked.wisdom.synthesize(chapter_ids=chapters, insights=["Prices change hourly", invented], **given)
    told = worked.report()
    assert ([one.text for one in told.insights], told.insight_count) == (["Prices change hourly"], 1)
    assert invented not in told.text
    worked.wisdom.synthesize(chapter_ids=chapters, insights=[invented], **given)
    told = worked.report()
    assert (told.insights_from, told.insights[0].text) == ("learnings", "prices change hourly.")


def test_since_a_time_only_what_came_then_is_counted(worked: Rum):
    told = worked.report(since=NOON + DAY)
    assert (told.since, told.memories, told.successes, told.first_at) == (NOON + DAY, 5, 5, NOON + DAY)
    assert told.failing_files == ()
    assert worked.report(since=(NOON + DAY) * 1000).memories == 5
    assert worked.report(since=NOON + 3 * DAY).memories == 0
    with pytest.raises(InvalidQuery, match="since"):
        worked.report(since=-1)
    with pytest.raises(InvalidQuery, match="since"):
        worked.report(since="yesterday")


def test_the_same_memory_at_the_same_time_gives_the_same_bytes(worked: Rum, shop: Shop):
    assert shop.open(owner=True).report() == worked.report()


def test_a_project_without_memories_says_what_to_do(shop: Shop):
    told = shop.open().report()
    assert told.memories == 0
    assert "There are no memories yet." in told.text


def test_archived_memories_count_as_before(worked: Rum, shop: Shop):
    before = worked.report()
    ids = [memory.id for memory in shop.open(owner=True).list(limit=20).memories]
    assert worked._caller.project.store.archive.put(ids[:4], NOON) == 4
    assert worked.report() == before


def test_learnings_come_before_patterns_and_are_listed_once(shop: Shop, rum: Rum):
    files = edited("src/schema.sql", "src/models.py")
    lesson = make_outcome(learnings=["Columns must be widened online"])
    rest = [keep(rum, f"Widen column {number}", actions=files) for number in range(6)]
    first = rum.store(intent=make_intent("Widen it"), outcome=lesson, actions=files).memory_id
    one = rum.chapters.create(memory_ids=[first, *rest[:3]]).chapter_id
    other = rum.chapters.create(memory_ids=rest[3:]).chapter_id
    rum.wisdom.synthesize(chapter_ids=[one], min_chapters=1)
    rum.wisdom.synthesize(chapter_ids=[one, other])
    told = rum.report()
    assert [claim.text for claim in told.insights] == [
        "Columns must be widened online",
        "In these chapters, changes of src/models.py came with changes of src/schema.sql.",
    ]
    assert told.insight_count == 2


def test_work_with_an_unknown_outcome_is_neither_success_nor_failure(rum: Rum):
    keep(rum, "Sort orders", actions=edited("src/shop/orders.py"))
    keep(rum, "Sort prices", actions=edited("src/shop/prices.py"), tags=["unverified"])
    failed = make_outcome("Nobody said", success=False)
    rum.store(
        intent=make_intent("Sort all"), outcome=failed, actions=edited("src/shop/a.py"), tags=["unverified"]
    )
    told = rum.report()
    assert (told.memories, told.successes, told.unverified) == (3, 1, 2)
    assert (told.failing_files, told.failure_categories) == ((), ())
    assert "1 succeeded (33 %), 0 failed. Unknown outcome: 2." in told.text
    assert "| `src/shop` | 3 | 33 % | 0 |" in told.text
