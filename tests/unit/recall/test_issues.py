"""A question that is nothing but an issue's number finds who names it, and nobody else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum import Rum
from rum.recall.query import issue_asked_for
from rum.store.filters import Filters
from rum.store.sqlite.store import SqliteStore
from support.builders import add_memory, make_intent, make_memory, make_outcome
from support.projects import Shop, keep

ASKED = [
    "#6767",
    "(#6767)",
    " #6767? ",
    "gh-6767",
    "GH-6767",
    "!6767",
    "issue 6767",
    "Issue #6767",
    "PR 6767",
    "pull request #6767",
    "bug 6767",
    "fixes #6767",
    "Closes: #6767",
    "what was #6767 about?",
    "show me issue #6767",
    "curl/curl#6767",
    "https://github.com/curl/curl/issues/6767",
    "https://github.com/curl/curl/pull/6767#issuecomment-1",
    "https://gitlab.com/group/part/-/merge_requests/6767",
]
NAMED = [
    "Fixes #6767",
    "closes: #6767, and more",
    "see gh-6767",
    "Merge pull request #6767 from somebody/branch",
    "reported as curl/curl#6767",
    "see https://github.com/curl/curl/issues/6767.",
    "as https://github.com/curl/curl/pull/6767/files shows",
    "Issue 6767 again",
    "a follow-up to PR 6767",
    "(!6767)",
]
OTHER = [
    "6767 lines changed",
    "+6767 -12",
    "fixes #67670",
    "fixes #16767",
    "listens on port 6767",
    "gh-67678",
    "version 1.6767",
]


@pytest.mark.parametrize("text", ASKED)
def test_an_issue_number_is_recognised_by_its_sign_or_name(text: str):
    assert issue_asked_for(text) == "6767"


@pytest.mark.parametrize(
    "text",
    [
        "6767",
        "error 404",
        "port 6767",
        "#6767 leaks memory",
        "why did #6767 break the parser",
        "#6767 and #6768",
        "#6767abc",
        "#include",
        "#" + "1" * 20,
        "c# 8",
        "utf-8",
        "",
        "issue",
        "the bug in line 12",
        "https://example.org/6767",
    ],
)
def test_a_query_with_other_words_is_no_issue_query(text: str):
    assert issue_asked_for(text) is None


@given(st.text())
def test_any_query_has_one_issue_number_or_none(text: str):
    found = issue_asked_for(text)
    assert found is None or (found in text and found.isdigit())


@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize("asked", ["#6767", "issue 6767", "gh-6767"])
def test_only_memories_that_name_the_issue_are_found_with_certainty(rum: Rum, named: str, asked: str):
    wanted = keep(rum, f"Mend the gate, {named}")
    for text in (*OTHER, "An issue with the gate", "Fixes the gate issue"):
        keep(rum, text)
    answer = rum.recall(query=asked)
    assert [(one.id, one.confidence) for one in answer.memories] == [(wanted, 1.0)]
    assert (answer.query_strategy_used, answer.total_matches) == ("exact", 1)


@pytest.mark.parametrize("strategy", ["auto", "exact"])
def test_memories_that_name_the_issue_anywhere_are_found_newest_first(shop: Shop, strategy: str):
    rum, named = shop.open(), list[str]()
    for said in (
        {"goal": "Close #6767"},
        {"intent": make_intent("Mend", context="Fixes #6767\n")},
        {"outcome": make_outcome("Done", learnings=["#6767 was right"])},
        {"reasoning": {"approach_chosen": "as in #6767"}},
        {"perception": {"observations": [{"where": "a.py", "what": "it is #6767", "significance": "x"}]}},
        {"actions": [{"type": "command_run", "command": "gh issue view", "query": "#6767"}]},
    ):
        named.append(keep(rum, **said))
        shop.clock.forward(60)
    found = rum.recall(query="#6767", strategy=strategy, limit=9).memories
    assert [one.id for one in found] == named[::-1]


def test_filters_hold_for_it_too(rum: Rum):
    keep(rum, "Close #6767")
    tagged = keep(rum, "Close #6767 again", tags=["gate"])
    assert [one.id for one in rum.recall(query="#6767", tags=["gate"]).memories] == [tagged]


def test_if_no_memory_names_the_issue_the_number_alone_is_searched(rum: Rum):
    holder = keep(rum, "Listen on port 6767")
    keep(rum, "An issue with the gate")
    found = rum.recall(query="issue 6767").memories
    assert [one.id for one in found] == [holder]
    assert found[0].confidence < 1
    assert rum.recall(query="#6768").memories == []


def test_the_number_of_checked_memories_with_the_number_is_limited(store: SqliteStore):
    add_memory(store, "mem_old", "Close #7")
    for number in range(5):
        store.memories.add(make_memory(f"mem_{number}", f"{number} of 7"))
    assert [row[0] for row in store.search.by_issue("7", Filters(), 9, 6)] == ["mem_old"]
    assert store.search.by_issue("7", Filters(), 9, 5) == []
