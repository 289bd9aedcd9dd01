"""Old and new entries of journals: found by id, by words and by what they name; and what an arbiter sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from rum import NotFound, Rum
from rum.app.journal.journals import AgentJournal
from support.projects import Shop

HOUR = 3600


@pytest.fixture
def journal(shop: Shop) -> AgentJournal:
    """A journal of seven hours: what came first is archived."""
    journal = shop.open(agent="developer").journal("s1")
    journal.discovery("code_pattern", "Workers use a bounded queue", id="disc-1")
    journal.attempt("Read all rows at once", id="try-1")
    journal.complete("try-1", "failure", error="Memory ran out at two million rows")
    journal.decision(
        "architectural",
        "Stream the rows",
        id="dec-1",
        reasoning="As try-1 showed, they do not fit",
        relatedDiscoveries=["disc-1"],
    )
    shop.clock.forward(7 * HOUR)
    journal.attempt("Stream with a cursor", id="try-2", basis="dec-1")
    journal.complete("try-2", "success", output="A million rows in 40 MB")
    assert journal.archive().moved or "archive" in str(list(shop.folder.rglob("*.yaml")))
    return journal


def call(shop: Shop, **request: Any) -> Any:
    return shop.open(agent="developer").call("journal", {"session": "s1", **request})


def test_an_archived_entry_is_found_by_its_id(journal: AgentJournal, shop: Shop) -> None:
    assert "try-1" not in {one["id"] for one in journal.entries("attempt")}
    assert journal.entry("try-1")["error"] == "Memory ran out at two million rows"
    assert call(shop, action="show", id="dec-1").entry["relatedDiscoveries"] == ["disc-1"]
    with pytest.raises(NotFound, match="try-2"):
        journal.entry("try-3")


def test_a_trace_leads_from_an_attempt_to_its_decision_and_discovery(journal: AgentJournal) -> None:
    traced = journal.trace("try-2")
    assert traced.entry["output"] == "A million rows in 40 MB"
    steps = [
        (one.relationship, one.kind, one.entry["id"], one.distance, one.archived) for one in traced.chain
    ]
    assert steps == [
        ("names", "decision", "dec-1", 1, True),
        ("names", "discovery", "disc-1", 2, True),
        ("names", "attempt", "try-1", 2, True),
    ]
    back = journal.trace("disc-1", max_depth=1)
    assert [(one.relationship, one.entry["id"]) for one in back.chain] == [("named_by", "dec-1")]


def test_a_trace_of_an_entry_that_names_nothing_says_so(shop: Shop) -> None:
    shop.open(agent="developer").journal("s1").discovery("api_surface", "There is a REST API", id="d-1")
    answer = call(shop, action="trace", id="d-1")
    assert (answer.chain, answer.code) == ([], "NO_RESULTS")
    assert answer.hint


def test_words_find_entries_of_all_agents_and_the_archive(journal: AgentJournal, shop: Shop) -> None:
    shop.open(agent="tester").journal("s1").discovery("failure_cause", "Rows have no order", id="disc-9")
    found = shop.open().journals.search("rows")
    assert {(one.agent, one.entry["id"], one.archived) for one in found} == {
        ("tester", "disc-9", False),
        ("developer", "try-1", True),
        ("developer", "dec-1", True),
        ("developer", "try-2", False),
    }
    assert [one.entry["id"] for one in shop.open().journals.search("bounded queue", limit=1)] == ["disc-1"]
    assert call(shop, action="search", query="memory").found[0].entry["id"] == "try-1"
    nothing = call(shop, action="search", query="kubernetes")
    assert (nothing.found, nothing.code) == ([], "NO_RESULTS")


def test_the_arbiter_of_a_task_sees_recurring_failures_what_was_tried_and_what_is_known(shop: Shop) -> None:
    for agent in ("developer", "tester"):
        journal = shop.open(agent=agent).journal("s1")
        attempt = journal.attempt("Export the rows to a spreadsheet")
        journal.complete(attempt.id or "", "failure", error="The sheet does not fit in memory")
    journal.discovery("dependency_check", "A CSV writer for an export is in the standard library")
    journal.attempt("Rename the menu", result="success")
    rum: Rum = shop.open()
    assert rum.journals.arbiter("s1").count("##") == 1
    text = rum.journals.arbiter("s1", task="Export rows as CSV")
    assert "**tester**: Last attempt (success) - Rename the menu" in text
    assert (
        "## Recurring Failures\n"
        "- Export the rows to a spreadsheet: The sheet does not fit in memory (2 times: developer, tester)\n"
    ) in text
    assert (
        "## Already Tried\n"
        "- developer (failure): Export the rows to a spreadsheet: The sheet does not fit in memory\n"
        "- tester (failure): Export the rows to a spreadsheet: The sheet does not fit in memory\n"
    ) in text
    assert "## Already Known\n- [dependency_check] A CSV writer" in text
    assert text.count("Rename the menu") == 1
    assert call(shop, action="arbiter", task="Export rows as CSV").text == rum.journals.arbiter(
        "s1", task="Export rows as CSV"
    )


@pytest.mark.parametrize(
    ("hours", "kilobytes", "limit"), [(1, 40, None), (1, 60, "50 KB"), (3, 60, None), (3, 120, "100 KB")]
)
def test_a_journal_that_is_larger_than_it_should_be_says_so(
    shop: Shop, hours: float, kilobytes: int, limit: str | None
) -> None:
    rum = shop.open(agent="developer")
    journal = rum.journal("s1")
    journal.discovery("data_model", "x" * 20_000)
    shop.clock.forward(hours * HOUR)
    for _ in range(kilobytes // 20 - 1):
        journal.discovery("data_model", "x" * 20_000)
    (validated,) = rum.journals.validate("s1")
    shown = call(shop, action="show")
    assert validated.valid
    if limit is None:
        assert (journal.remarks(), validated.remarks, shown.hint) == ([], UNSET, UNSET)
        return
    assert limit in (journal.remarks() or [""])[0]
    assert validated.remarks == journal.remarks()
    assert limit in shown.hint
    assert any(limit in one for one in rum.doctor().remarks)


def test_null_is_written_where_it_is_given(shop: Shop) -> None:
    journal = shop.open(agent="developer").journal("s1")
    journal.attempt("Log in", id="try-1", currentIssue=None, timestamp=None)
    assert "currentIssue: null" in Path(journal.path).read_text()
    entry = journal.entry("try-1")
    assert entry["currentIssue"] is None
    assert entry["timestamp"]
    assert call(shop, action="add", kind="attempt", entry={"description": "x", "output": None}).id
    assert journal.entries("attempt")[-1]["output"] is None
