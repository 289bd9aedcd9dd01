"""The embedded text of a memory: its most informative texts, each once, up to a limit."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rum.embed.base import embedded_text
from support.builders import make_intent, make_memory, make_outcome


def test_the_texts_come_in_the_order_of_their_weight():
    memory = make_memory(
        "mem_1",
        intent=make_intent("the goal", context="the context", constraints=["not this"]),
        outcome=make_outcome(
            "the summary", success=False, failure_reason="the reason", learnings=["one", "two"]
        ),
        reasoning={"approach_chosen": "the approach", "why_chosen": "why", "risks_identified": ["not this"]},
        perception={"anomalies": ["not this"]},
        tags=["not this"],
    )
    assert embedded_text(memory).split("\n") == [
        "the goal",
        "the context",
        "the summary",
        "the reason",
        "one",
        "two",
        "the approach",
        "why",
    ]


def test_repeated_text_is_embedded_once():
    memory = make_memory(
        "mem_1",
        intent=make_intent("Fix  the\nlogin", context="fix the LOGIN "),
        outcome=make_outcome("FIX THE LOGIN", learnings=["Fix the login.", "", " "]),
    )
    assert embedded_text(memory) == "Fix the login\nFix the login."


def test_a_long_context_leaves_space_for_the_outcome():
    memory = make_memory(
        "mem_1",
        intent=make_intent("the goal", context="c" * 100_000),
        outcome=make_outcome("the summary", learnings=["l" * 100_000]),
    )
    text = embedded_text(memory)
    assert text.startswith("the goal\nccc")
    assert "c\nthe summary\nl" in text
    assert len(text) == 2000


def test_the_id_and_size_of_a_commit_are_not_embedded():
    sha = "0123456789abcdef" + "0" * 24
    memory = make_memory(
        "mem_1",
        intent=make_intent("Open the gate", context="People wait."),
        outcome=make_outcome(f"{sha[:10]}: 3 files, +10 -2"),
        origin={"kind": "commit", "reference": sha},
        reverted_by={"id": "mem_2", "reason": "Burglars came in."},
    )
    assert embedded_text(memory).split("\n") == ["Open the gate", "People wait.", "Burglars came in."]
    told = msgspec.structs.replace(
        memory, outcome=msgspec.structs.replace(memory.outcome, summary="It works")
    )
    assert "It works" in embedded_text(told)


@given(st.text(min_size=1).filter(str.strip), st.text(), st.lists(st.text()))
def test_the_embedded_text_of_any_memory_is_short_and_has_no_empty_line(
    goal: str, context: str, learnings: list[str]
):
    memory = make_memory(
        "mem_1", intent=make_intent(goal, context=context), outcome=make_outcome(learnings=learnings)
    )
    text = embedded_text(memory)
    assert 0 < len(text) <= 2000
    assert all(line.strip() for line in text.split("\n"))
