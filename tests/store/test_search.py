"""Finders give plain rows: best or newest first, each memory once, with a total that no cap changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from making import NOON, add_memory, make_file, make_intent, make_outcome
from rum.store.base import Store
from rum.store.filters import Filters
from rum.store.terms import query_terms, terms


def ids(rows: list[Any]) -> list[str]:
    return [row[0] for row in rows]


@pytest.fixture
def shelf(store: Store) -> Store:
    """Five memories that differ in everything a filter can ask for."""
    rows: list[dict[str, Any]] = [
        {"session_id": "s1", "tags": ["auth", "jwt"]},
        {"session_id": "s1", "outcome": make_outcome(success=False), "tags": ["auth"]},
        {"session_id": "s2", "agent_id": "agent_bob", "tags": ["jwt"]},
        {"session_id": "s3", "intent": make_intent("Fix the guide", task_type="documentation")},
        {"session_id": "s3", "importance": 0.9, "tags": ["auth", "jwt", "x y"]},
    ]
    for number, row in enumerate(rows):
        add_memory(store, f"mem_{number}", created_at=NOON + number, files=[make_file("a.py")], **row)
    return store


FILTERS = [
    (Filters(), "43210"),
    (Filters(task_type="documentation"), "3"),
    (Filters(agent_id="agent_bob"), "2"),
    (Filters(session_id="s1"), "10"),
    (Filters(success=False), "1"),
    (Filters(success=True), "4320"),
    (Filters(since=NOON + 3), "43"),
    (Filters(before=NOON + 1), "0"),
    (Filters(since=NOON + 1, before=NOON + 3), "21"),
    (Filters(tags=("auth",)), "410"),
    (Filters(tags=("auth", "jwt")), "40"),
    (Filters(tags=("auth", "auth")), "410"),
    (Filters(tags=("auth", "jwt", "x y")), "4"),
    (Filters(tags=("auth", "unknown")), ""),
    (Filters(tags=("AUTH",)), ""),
    (Filters(tags=("auth",), success=False, session_id="s1"), "1"),
    (Filters(agent_id="agent_bob", success=False), ""),
    (Filters(tags=tuple(f"tag {number}" for number in range(3000))), ""),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters_exclude_and_the_newest_comes_first(shelf: Store, filters: Filters, expected: str):
    rows, total = shelf.search.by_filters(filters, 10)
    assert ids(rows) == [f"mem_{number}" for number in expected]
    assert total == len(expected)


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters_exclude_the_same_among_words_and_files(shelf: Store, filters: Filters, expected: str):
    wanted = {f"mem_{number}" for number in expected}
    assert set(ids(shelf.search.by_terms(terms("fix"), True, filters, 10))) == wanted
    rows, total = shelf.search.by_paths(["a.py"], filters, 10)
    assert (set(ids(rows)), total) == (wanted, len(wanted))


def test_a_row_says_when_how_important_and_in_which_session(shelf: Store):
    assert shelf.search.by_filters(Filters(), 1) == ([("mem_4", NOON + 4, 0.9, "s3")], 5)


def test_the_id_decides_between_memories_of_one_second(store: Store):
    for name in ("mem_b", "mem_c", "mem_a"):
        add_memory(store, name)
    assert ids(store.search.by_filters(Filters(), 10)[0]) == ["mem_c", "mem_b", "mem_a"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("recent", "43210"), ("importance", "43210"), ("access_count", "14320")],
)
def test_a_list_comes_in_the_order_asked_for(shelf: Store, sort: str, expected: str):
    uses = [("mem_1", 7), ("mem_4", 2), ("mem_forgotten", 9)]
    found, total = shelf.search.listed(Filters(), sort, 3, uses)
    assert found == [f"mem_{number}" for number in expected[:3]]
    assert total == 5
    assert shelf.search.listed(Filters(agent_id="agent_bob"), sort, 3, uses) == (["mem_2"], 1)


@pytest.fixture
def tree(store: Store) -> Store:
    """A wide memory on twenty files, a newer and an older one on single files."""
    wide = [make_file(f"src/f{number:02}.py", "read") for number in range(20)]
    add_memory(store, "mem_old", created_at=NOON, files=[make_file("src/f00.py")])
    add_memory(store, "mem_wide", created_at=NOON + 1, files=wide)
    add_memory(store, "mem_new", created_at=NOON + 2, files=[make_file("docs/a.md", "create")])
    return store


def test_files_find_the_memories_tied_to_them_newest_first(tree: Store):
    rows, total = tree.search.by_paths(["src/f00.py", "docs/a.md"], Filters(), 10)
    assert ids(rows) == ["mem_new", "mem_wide", "mem_old"]
    assert total == 3
    assert rows[0] == ("mem_new", NOON + 2, 0.5, "session_1", "docs/a.md", "create")
    assert rows[2][4:] == ("src/f00.py", "edit")
    assert tree.search.by_paths(["src"], Filters(), 10) == ([], 0)
    assert tree.search.by_paths([], Filters(), 10) == ([], 0)


def test_a_memory_on_many_of_the_files_leaves_room_for_others(tree: Store):
    paths = [f"src/f{number:02}.py" for number in range(20)]
    rows, total = tree.search.by_paths([*paths, *paths], Filters(), 2)
    assert ids(rows) == ["mem_wide", "mem_old"]
    assert rows[0][4:] == ("src/f00.py", "read")
    assert total == 2


def test_the_total_of_files_does_not_depend_on_the_cap(tree: Store):
    paths = tree.search.known_paths("")
    assert [tree.search.by_paths(paths, Filters(), cap)[1] for cap in (1, 2, 3, 4)] == [3, 3, 3, 3]
    assert tree.search.by_paths(paths, Filters(since=NOON + 1), 1)[1] == 2


def test_known_paths_are_those_that_begin_with_the_prefix(store: Store):
    paths = ["src/a.py", "src/b/c.py", "src2/a.py", "src/é.py", "src/記憶.py", "S%_c/'q\".py", "src"]
    add_memory(store, "mem_a", files=[make_file(path) for path in paths])
    add_memory(store, "mem_b", files=[make_file("src/a.py")])
    assert set(store.search.known_paths("src/")) == {"src/a.py", "src/b/c.py", "src/é.py", "src/記憶.py"}
    assert set(store.search.known_paths("S%_")) == {"S%_c/'q\".py"}
    assert sorted(store.search.known_paths("")) == sorted(paths)
    assert store.search.known_paths("nowhere/") == []


def test_paths_that_look_alike_are_not_the_same(store: Store):
    composed, decomposed = "caf\u00e9.py", "cafe\u0301.py"
    add_memory(store, "mem_composed", files=[make_file(composed)])
    add_memory(store, "mem_decomposed", files=[make_file(decomposed)])
    add_memory(store, "mem_upper", files=[make_file("CAFÉ.py")])
    assert ids(store.search.by_paths([composed], Filters(), 9)[0]) == ["mem_composed"]
    assert ids(store.search.by_paths([decomposed], Filters(), 9)[0]) == ["mem_decomposed"]


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
        if ids(store.search.by_terms(terms(word), True, Filters(), 9)) != ["mem_a"]
    ]
    assert missing == []


@pytest.fixture
def library(store: Store) -> Store:
    add_memory(store, "mem_both", "Refresh the token", created_at=NOON)
    add_memory(store, "mem_token", "Revoke a token", created_at=NOON + 1)
    add_memory(store, "mem_refresh", "Refresh a page", created_at=NOON + 2)
    add_memory(store, "mem_late", "Page", outcome=make_outcome("The token broke"), created_at=NOON + 3)
    return store


def test_every_term_or_any_term(library: Store):
    both = terms("refresh token")
    assert ids(library.search.by_terms(both, True, Filters(), 9)) == ["mem_both"]
    found = library.search.by_terms(both, False, Filters(), 9)
    assert ids(found)[0] == "mem_both"
    assert set(ids(found)) == {"mem_both", "mem_token", "mem_refresh", "mem_late"}
    scores = [row[4] for row in found]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


def test_a_word_in_the_goal_counts_more_than_one_in_the_outcome(library: Store):
    found = ids(library.search.by_terms(terms("token"), True, Filters(), 9))
    assert found.index("mem_token") < found.index("mem_late")


def test_the_cap_keeps_the_best(library: Store):
    assert ids(library.search.by_terms(terms("refresh token"), False, Filters(), 1)) == ["mem_both"]


def test_terms_are_counted(library: Store):
    (token,) = terms("tokens")
    assert library.search.frequency(token, 100) == 3
    assert library.search.frequency(token, 2) == 2
    assert library.search.frequency("zebra", 100) == 0
    assert library.search.count_terms(terms("revoke page")) == 3
    assert library.search.existing(["zebra", token, "refresh", "refres"]) == [token, "refresh"]
    assert library.search.existing([]) == []


def test_an_empty_question_finds_nothing(library: Store):
    assert library.search.by_terms([], False, Filters(), 9) == []
    assert library.search.count_terms([]) == 0


def test_the_indexed_terms_can_be_read_field_by_field(library: Store):
    texts = library.search.texts(["mem_late", "mem_unknown"])
    assert list(texts) == ["mem_late"]
    assert texts["mem_late"][0] == " ".join(terms("Page"))
    assert texts["mem_late"][2] == " ".join(terms("The token broke"))
    assert len(texts["mem_late"]) == 9


def test_the_size_is_about_right(store: Store):
    assert store.search.size() == 0
    for number in range(3):
        add_memory(store, f"mem_{number}")
    assert store.search.size() == 3


def test_common_tags_come_first(store: Store):
    add_memory(store, "mem_a", tags=["b", "a", "rare"])
    add_memory(store, "mem_b", tags=["b", "a"])
    add_memory(store, "mem_c", tags=["b"])
    assert store.search.common_tags(2) == ["b", "a"]
    assert store.search.common_tags(9) == ["b", "a", "rare"]


HOSTILE = [
    '"', "'", '""""', "AND", "NOT token", "token OR", "NEAR(a b", "goal: token", "token*", "^token", "-token",
    "{goal intent}: x", "a" * 5000, "+", "(", "\\", "%", "tok\nen", "🧠", "ﷺ", "‮token", "記憶",
    "'; DROP TABLE memories; --",
]  # fmt: skip


@pytest.mark.parametrize("term", HOSTILE)
def test_a_term_is_taken_literally_whatever_it_holds(library: Store, term: str):
    assert library.search.frequency(term, 9) <= 4
    library.search.by_terms([term, "token"], False, Filters(), 9)
    library.search.count_terms([term, "token"])
    library.search.existing([term])
    assert library.memories.count() == 4


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=80))
def test_no_question_is_a_syntax_error(library: Store, text: str):
    asked = query_terms(text)
    for every in (True, False):
        library.search.by_terms(asked, every, Filters(), 9)
    for term in asked:
        library.search.frequency(term, 9)


GOALS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60).filter(terms)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(goal=GOALS)
def test_a_memory_is_found_by_its_own_words_in_any_script(store: Store, goal: str):
    memory_id = f"mem_{store.memories.count()}"
    add_memory(store, memory_id, goal)
    asked = query_terms(goal)
    assert memory_id in ids(store.search.by_terms(asked, True, Filters(), 1000))
