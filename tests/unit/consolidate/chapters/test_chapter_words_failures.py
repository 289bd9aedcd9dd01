"""What failed, why, how often, and what worked after it."""

from __future__ import annotations

from rum.consolidate.chapters.chapter_words import LONGEST_REASON, failure_reason_of, find_failures
from rum.model.memory import Memory
from support.chapter_memories import LOGINS, make_work


def texts(*members: Memory) -> list[str]:
    return [failure.text for failure in find_failures(members)]


def test_a_failure_says_why_and_what_worked_later():
    assert texts(*LOGINS) == [
        "Lock the refresh endpoint with a database row lock failed: Row locks deadlocked under load: every "
        "request held a connection. The pool ran dry. What worked: Lock the refresh endpoint with an "
        "advisory lock"
    ]
    [failure] = find_failures(LOGINS)
    assert failure.statement.memory_ids == ("mem_002", "mem_003")


def test_the_same_work_that_failed_again_is_counted():
    tried = [
        make_work(n, "Upgrade the TLS library", failed="Its API changed again", files=["Cargo.toml"])
        for n in (1, 2, 3)
    ]
    assert texts(*tried) == ["Upgrade the TLS library failed 3 times: Its API changed again"]


def test_work_on_other_files_or_with_other_words_is_not_what_worked():
    failed = make_work(1, "Cache the session lookup", failed="The cache went stale", files=["a.py"])
    elsewhere = make_work(2, "Cache the session lookup", files=["b.py"])
    other = make_work(3, "Format the code", files=["a.py"])
    earlier = make_work(0, "Cache the session lookup", files=["a.py"])
    assert texts(earlier, failed, elsewhere, other) == [
        "Cache the session lookup failed: The cache went stale"
    ]


def test_taking_work_back_is_neither_a_failure_nor_what_worked():
    failed = make_work(1, "Cache the lookup", failed="The cache went stale", files=["a.py"])
    undone = make_work(2, 'Revert "Cache the lookup"', files=["a.py"])
    undone_again = make_work(3, 'Revert "Revert "Cache the lookup""', failed="No", files=["a.py"])
    assert texts(failed, undone, undone_again) == ["Cache the lookup failed: The cache went stale"]


def test_without_a_reason_only_what_worked_instead_is_worth_saying():
    untold = "Reverted without a reason given: Revert x"
    failed = make_work(1, "Stabilize layout two", failed=untold, files=["a.rs"])
    assert texts(failed) == []
    again = make_work(2, "Stabilize layout two again", files=["a.rs"])
    assert texts(failed, again) == ["Stabilize layout two failed. What worked: Stabilize layout two again"]


def test_a_long_reason_is_cut_after_its_first_sentences():
    reason = "The pool ran dry. " + "It was a long day for everybody involved in this. " * 40
    told = failure_reason_of(make_work(1, "Add a lock", failed=reason))
    assert told.startswith("The pool ran dry. It was a long day")
    assert told.endswith("this.")
    assert len(told) <= LONGEST_REASON


def test_a_reason_that_repeats_the_goal_gives_none():
    assert failure_reason_of(make_work(1, "Add a lock", failed="The lock failed")) == ""
    assert failure_reason_of(make_work(1, "Add a lock")) == ""


def test_a_later_success_without_a_common_file_is_not_called_the_remedy():
    failed = make_work(1, "Cache the price list", failed="Customers saw stale prices")
    later = make_work(2, "Cache the price list for an hour")
    assert texts(failed, later) == [
        "Cache the price list failed: Customers saw stale prices. "
        "Later succeeded: Cache the price list for an hour"
    ]
    untold = make_work(1, "Cache the price list", failed="Reverting commits: fc9dfac bc3eddc")
    assert texts(untold, later) == []


def test_neither_is_the_opposite_or_the_same_for_something_else():
    for goal, other in (
        ("Enable caching for the price list", "Disable caching for the price list"),
        ("Upload images to the eu bucket in batches", "Upload images to the us bucket in batches"),
    ):
        failed = make_work(1, goal, failed="Customers saw stale prices", files=["a.py"])
        later = make_work(2, other, files=["a.py"])
        [told] = texts(failed, later)
        assert told.endswith(f"Later succeeded: {other}")
        proven = make_work(3, f"{goal} again", files=["a.py"])
        [told] = texts(failed, later, proven)
        assert told.endswith(f"What worked: {goal} again")


def test_work_on_different_things_that_failed_is_not_counted_together():
    tried = [
        make_work(n, f"Upload images to the {name} bucket", failed=f"The {name} bucket rejects large batches")
        for n, name in enumerate(("eu", "us", "eu"))
    ]
    assert texts(*tried) == [
        "Upload images to the eu bucket failed twice: The eu bucket rejects large batches",
        "Upload images to the us bucket failed: The us bucket rejects large batches",
    ]


def test_the_reverted_commit_is_no_part_of_the_reason():
    reason = (
        "Reverts commit 4d69165ab6e17fa754139d348cdfd9edacbcb999. Now that a\nrelease has it, it is shown."
    )
    assert failure_reason_of(make_work(1, "Hide the option", failed=reason)) == (
        "Now that a release has it, it is shown."
    )
