"""The text of each kind of item in a brief, and their order."""

from __future__ import annotations

from rum.inject import brief
from rum.inject.brief import NOTICE, render_brief
from rum.inject.budget import Chosen, Piece
from support.fences import inside

HOUR = 3600
ID = "mem_01h455vb4pex5vsknk084sn02q"


def whole(*pieces: Piece) -> str:
    return render_brief([Chosen(piece, 0) for piece in pieces])


def test_without_items_the_text_is_empty():
    assert render_brief([]) == ""


def test_things_stand_by_kind_whatever_their_points():
    text = whole(
        brief.journal("journal_context", "s/a", 60, ["## Current Task Context\n- Step: 2"]),
        brief.fact("python", 15, "3.11"),
        brief.note("auth#1", 80, ["### Auth\n*Importance: HIGH*\n*Discovered by: ann*\n\nIn src/auth.\n\n"]),
        brief.rule("rule_1", 40, "auth|login", "run the slow tests"),
        brief.failure(ID, 110, goal="Add OAuth", reason="Too broad", category="logic_error"),
        brief.memory(ID, 30, goal="Add JWT", summary="It works"),
        brief.follow_up(ID, 1, 20, "Add monitoring", "Add JWT"),
        brief.next_step("s/a#0", "Ask for a key"),
    )
    assert (
        inside(text)
        == f"""{NOTICE}

## Background Knowledge from Previous Runs

### Failed Before (Don't Repeat)
- Add OAuth: Too broad (logic_error) [084sn02q]

### Rules
- auth|login → run the slow tests

### Auth
*Importance: HIGH*
*Discovered by: ann*

In src/auth.

### Facts
- python: 3.11

### Earlier Work
- Add JWT: It works [084sn02q]

### Open Follow-ups
- Add monitoring (from: Add JWT) [084sn02q]

## Prior Context from This Session

## Current Task Context
- Step: 2

## Next Steps
- Ask for a key"""
    )


def test_a_failure_says_what_was_learned_and_how_it_was_solved():
    piece = brief.failure(
        ID,
        100,
        goal="Add OAuth",
        reason="Too broad.",
        category=None,
        learned=["Read the task", "Ask first", "Never said"],
        solved="JWT was enough.",
        times=2,
    )
    assert piece.forms[0] == (
        "- Add OAuth: Too broad. Learned: Read the task. Learned: Ask first. "
        "Solved later: JWT was enough (2 times) [084sn02q]"
    )
    assert piece.forms[-1] == "- Add OAuth: Too broad. (2 times) [084sn02q]"


def test_earlier_work_says_why_where_nothing_was_learned_from_it():
    piece = brief.memory(
        ID, 30, goal="Drop the cache", summary="abc123: 2 files", context="Prices were\nstale"
    )
    assert piece.forms[0] == "- Drop the cache: abc123: 2 files. Context: Prices were stale [084sn02q]"
    learned = brief.memory(ID, 30, goal="g", summary="s", learned=["Ask first"], context="Prices were stale")
    assert learned.forms[0] == "- g: s. Learned: Ask first [084sn02q]"


def test_a_follow_up_of_a_listed_memory_does_not_repeat_its_source():
    assert brief.follow_up(ID, 1, 20, "Add monitoring", None).forms == ("- Add monitoring [084sn02q]",)


def test_every_text_stays_on_its_line_and_is_cut():
    text = whole(
        brief.fact("a\n### key", 15, "one\n\n## Heading\n" + "word " * 500),
        brief.rule("r", 40, "when\never", "do\nthis"),
        brief.memory("m", 30, goal="goal\n" * 300, summary="sum\nmary"),
    )
    lines = inside(text).splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "## Background Knowledge from Previous Runs",
        "### Rules",
        "### Facts",
        "### Earlier Work",
    ]
    assert max(map(len, lines)) < 500


def test_shorter_forms_are_shorter_and_the_same_one_is_not_tried_twice():
    long = brief.fact("key", 15, "word " * 100)
    assert [len(form) for form in long.forms] == sorted((len(form) for form in long.forms), reverse=True)
    assert len(long.forms) == 2
    assert len(brief.fact("key", 15, "short").forms) == 1


def test_recency_gives_the_same_points_as_for_notes():
    now = 1_750_000_000
    assert [brief.recency(now - age * HOUR, now) for age in (1, 23, 25, 71, 73)] == [10, 10, 5, 5, 0]
