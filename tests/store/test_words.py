"""A memory is found by the words of its every field, in any script, and no word is more than a word."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.app.memories.store import memories_with_most_words
from rum.model.memory import Edge, LinkType
from rum.store.base import Store
from rum.store.filters import Filters
from rum.text.terms import query_terms, terms
from support.builders import NOON, add_memory, make_file, make_intent, make_outcome
from support.finding import at, existing, holders, newest_with


def ids(rows: list[Any]) -> list[str]:
    return [row[0] for row in rows]


def test_every_field_of_a_memory_is_indexed(store: Store):
    add_memory(
        store,
        "mem_a",
        intent=make_intent("wgoal", context="wcontext", constraints=["wconstraint"]),
        perception={
            "observations": [{"what": "wwhat", "where": "", "significance": "wsignificance"}],
            "relevant_files": [{"path": "a", "relevance": "wrelevance", "state_summary": "wstate"}],
            "patterns_noticed": ["wpattern"],
            "anomalies": ["wanomaly"],
        },
        reasoning={
            "approach_chosen": "wapproach",
            "why_chosen": "wwhy",
            "alternatives_considered": [{"approach": "walternative", "why_rejected": "wrejected"}],
            "assumptions": ["wassumption"],
            "risks_identified": ["wrisk"],
        },
        actions=[
            {
                "type": "command_run",
                "timestamp": NOON,
                "details": {"command": "wcommand", "query": "wquery", "diff_summary": "wdiff"},
                "result": {"success": False, "output_summary": "woutput", "error": "werror"},
            }
        ],
        outcome=make_outcome(
            "wsummary",
            learnings=["wlearning"],
            failure_reason="wreason",
            verified_by={"type": "test", "command": "wcheck", "result": "wresult"},
            follow_up_needed=["wfollow"],
        ),
        tags=["wtag"],
        files=[make_file("wfolder/wfile.py")],
    )
    add_memory(store, "mem_b", "Something else")
    words = (
        "wgoal wcontext wconstraint wwhat wsignificance wrelevance wstate wpattern wanomaly wapproach wwhy "
        "walternative wrejected wassumption wrisk wcommand wquery wdiff woutput werror wsummary wlearning "
        "wreason wcheck wresult wfollow wtag wfolder wfile"
    )
    missing = [
        word
        for word in words.split()
        if ids(newest_with(store, terms(word), False, Filters(), 9)) != ["mem_a"]
    ]
    assert missing == []


@pytest.fixture
def library(store: Store) -> Store:
    add_memory(store, "mem_both", "Refresh the token", created_at=NOON)
    add_memory(store, "mem_token", "Revoke a token", created_at=NOON + 1)
    add_memory(store, "mem_refresh", "Refresh a page", created_at=NOON + 2)
    add_memory(store, "mem_late", "Page", outcome=make_outcome("The token broke"), created_at=NOON + 3)
    return store


def test_the_holders_of_a_term_are_counted_from_the_one_stored_last(library: Store):
    (token,) = terms("tokens")
    assert holders(library, token, 9) == holders(library, token, 3) == [4, 2, 1]
    assert holders(library, token, 2) == [4, 2]
    assert holders(library, token, 0) == []
    assert holders(library, "zebra", 9) == []
    assert holders(library, "", 9) == []


def test_only_whole_terms_are_held(library: Store):
    assert holders(library, "refres", 9) == []
    assert existing(library, ["zebra", "token", "refresh", "refres"]) == ["token", "refresh"]
    assert existing(library, []) == []


def test_a_changed_memory_holds_its_new_words_under_its_old_number(library: Store):
    changed = msgspec.structs.replace(library.memories.get(["mem_token"])[0], tags=("zebra",))
    library.memories.replace(changed)
    assert holders(library, "zebra", 9) == [2]
    library.memories.delete("mem_token")
    assert holders(library, "zebra", 9) == []
    assert holders(library, "token", 9) == [4, 1]


def test_a_superseded_memory_holds_its_words_until_filters_leave_it_out(library: Store):
    library.links.add(Edge.of("mem_late", "mem_both", LinkType.SUPERSEDES), NOON)
    held = holders(library, "token", 9)
    assert held == [4, 2, 1]
    assert {row[4] for row in at(library, held, Filters())} == {4, 2}


def test_the_indexed_terms_can_be_read_field_by_field(library: Store):
    texts = library.search.texts(["mem_late", "mem_unknown"])
    assert list(texts) == ["mem_late"]
    assert texts["mem_late"][0] == " ".join(terms("Page"))
    assert texts["mem_late"][2] == " ".join(terms("The token broke"))
    assert len(texts["mem_late"]) == 9


HOSTILE = [
    '"', "'", '""""', "AND", "NOT token", "token OR", "NEAR(a b", "goal: token", "token*", "^token", "-token",
    "{goal intent}: x", "a" * 5000, "+", "(", "\\", "%", "tok\nen", "\0", "token\0", "tok\0en", "🧠", "ﷺ",
    "\u202etoken", "記憶", "'; DROP TABLE memories; --", '") OR goal : ("token',
]  # fmt: skip


@pytest.mark.parametrize("term", HOSTILE)
def test_a_term_is_taken_literally_whatever_it_holds(library: Store, term: str):
    """Signs around a word may be passed over, but they never ask for anything else than the word."""
    held = holders(library, "token", 9)
    assert holders(library, term, 9) in ([], held)
    for in_goal, most in ((False, held), (True, [2, 1])):
        found = newest_with(library, [term, "token"], in_goal, Filters(), 9)
        assert [row[4] for row in found] in ([], most)
    assert set(memories_with_most_words(library.search, [term], 9, 9)) <= {
        "mem_both",
        "mem_token",
        "mem_late",
    }
    assert set(existing(library, [term, "token"])) == {"token"}
    assert library.memories.count() == 4


KNOWN = ("token", "refresh", "page", "revoke", "broke", "zebra")
RAW = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
ASKED = st.lists(st.one_of(st.sampled_from(KNOWN), st.sampled_from(HOSTILE), RAW), max_size=4)


@settings(max_examples=100)
@given(asked=st.one_of(ASKED, st.text(max_size=80).map(query_terms)))
def test_no_question_is_a_syntax_error(library: Store, asked: list[str]):
    """However the terms look, those with all of them are those that hold each of them."""
    held = [set(holders(library, term, 9)) for term in asked]
    in_all = set[int].intersection(*held) if held else set[int]()
    found = [row[4] for row in newest_with(library, asked, False, Filters(), 9)]
    assert found == sorted(in_all, reverse=True)
    in_goals = {row[4] for row in newest_with(library, asked, True, Filters(), 9)}
    assert in_goals <= in_all
    assert all(holders(library, term, 1) for term in existing(library, asked))


GOALS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60).filter(terms)


@settings(max_examples=60)
@given(goal=GOALS)
def test_a_memory_is_found_by_its_own_words_in_any_script(store: Store, goal: str):
    memory_id = f"mem_{store.memories.count()}"
    add_memory(store, memory_id, goal)
    asked = query_terms(goal)
    for in_goal in (False, True):
        found = newest_with(store, asked, in_goal, Filters(), 1)
        assert ids(found) == [memory_id]
    (number,) = (row[4] for row in found)
    assert all(holders(store, term, 1) == [number] for term in asked)
    assert sorted(existing(store, asked)) == sorted(asked)
