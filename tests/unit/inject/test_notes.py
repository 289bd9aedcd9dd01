"""Which notes go into a prompt, in which order, and how they read there."""

from __future__ import annotations

from typing import Any

import pytest

from rum.inject.notes import (
    NoteQuery,
    background,
    cut,
    note_summary,
    possible_contradictions,
    rank,
    under_title,
    with_successors,
)
from rum.model.notes import Contradiction, Entry, Importance, MatchedNote, Note
from support.builders import NOON


def note(slug: str, *contents: str, **fields: Any) -> Note:
    usual: dict[str, Any] = {"when_to_use": ("login",), "importance": Importance.HIGH, "discovered_at": NOON}
    entries = [
        Entry(n=n, title=slug.title(), content=content, **(usual | fields))
        for n, content in enumerate(contents or ("text",), start=1)
    ]
    return Note(slug, tuple(entries))


def order(*notes: Note, **asked: Any) -> list[str]:
    usual: dict[str, Any] = {"task": "add a login page", "plan": "", "agent": None, "now": NOON}
    query = NoteQuery(**(usual | {"min_importance": "low", "specialties": ()} | asked))
    summaries = with_successors({one.slug: note_summary(one) for one in notes})
    return [one.summary.slug for one in rank(summaries.values(), query)]


def test_the_most_points_come_first():
    low, high = note("low", importance=Importance.LOW), note("high")
    critical = note("critical", importance=Importance.CRITICAL)
    assert order(low, high, critical) == ["critical", "high", "low"]


def test_with_equal_points_the_newer_comes_first_then_the_file_name():
    old = NOON - 1_000_000
    notes = [note("b", discovered_at=old), note("a", discovered_at=old), note("c", discovered_at=old + 1)]
    assert order(*notes, note("d", discovered_at=None)) == ["c", "a", "b", "d"]


def test_a_note_that_does_not_match_is_out_whatever_its_points():
    assert order(note("a", when_to_use=("database",)), note("b", when_to_use=())) == []


def test_the_plan_is_matched_but_gives_no_points_for_the_title():
    summaries = [note_summary(note("database", when_to_use=("database",)))]
    query = NoteQuery("add a page", "change the database", None, NOON, "low", ())
    (found,) = rank(summaries, query)
    assert found.scored.points.keywords == 0


def test_the_gate_of_its_importance_holds():
    wild = {"when_to_use": ("log.*page",)}
    some = {"when_to_use": ("login forms",)}
    assert order(
        note("a", importance=Importance.LOW, **wild), note("b", importance=Importance.MEDIUM, **wild)
    ) == ["b"]
    assert order(note("a", importance=Importance.MEDIUM, **some), note("b", **some)) == ["b"]


def test_an_agent_gets_nothing_below_its_least_importance():
    assert order(note("a", importance=Importance.MEDIUM), note("b"), min_importance="high") == ["b"]


def test_a_deprecated_or_superseded_note_is_out():
    assert order(note("a", deprecated=True), note("b", superseded_by="C"), note("c")) == ["c"]


@pytest.mark.parametrize(
    ("by", "left", "odd"),
    [
        ({"a": "gone"}, ["a", "b", "c"], {"a": "names `gone`, which does not exist"}),
        ({"a": "a"}, ["a", "b", "c"], {"a": "leads back to this note itself"}),
        ({"a": "b", "b": "A"}, ["a", "b", "c"], dict.fromkeys("ab", "leads back to this note itself")),
        ({"a": "b", "b": "c", "c": "a"}, ["a", "b", "c"], dict.fromkeys("abc", "leads back")),
        ({"a": "b", "b": "c", "c": "b"}, ["b", "c"], dict.fromkeys("bc", "leads back")),
        ({"a": "b", "b": "c"}, ["c"], {}),
        ({"a": "b", "b": "gone"}, ["b", "c"], {"b": "does not exist"}),
    ],
)
def test_a_note_is_superseded_only_by_one_that_is_there_and_not_in_turn(
    by: dict[str, str], left: list[str], odd: dict[str, str]
):
    notes = [note(slug, superseded_by=by.get(slug)) for slug in "abc"]
    assert order(*notes) == left
    remarks = {
        slug: " ".join(summary.remarks)
        for slug, summary in with_successors({one.slug: note_summary(one) for one in notes}).items()
    }
    assert {slug for slug, told in remarks.items() if told} == set(odd)
    assert all(words in remarks[slug] for slug, words in odd.items())


def test_the_newest_entry_stands_for_the_note():
    older = Entry(n=1, title="T", content="older", when_to_use=("login",), discovered_at=NOON)
    newer = Entry(n=2, title="T", content="newer", when_to_use=("database",), discovered_at=NOON + 1)
    undated = Entry(n=3, title="T", content="by hand")
    imported = Entry(n=4, title="T", content="of long ago", discovered_at=1)
    assert Note("t", (older, newer)).newest is newer
    assert Note("t", (older, newer, undated)).newest is undated
    assert Note("t", (older, newer, imported)).newest is newer
    assert order(Note("t", (older, newer))) == []


def test_an_earlier_entry_that_says_otherwise_is_known():
    summary = note_summary(note("auth", "Use JWT.", "Nothing new.", "Do not use JWT."))
    assert summary.contradictions == (Contradiction("Do not use JWT.", "auth#1", "Use JWT.", NOON),)


def test_another_note_that_may_say_otherwise_is_known_unless_it_is_retired():
    mine = note_summary(note("auth", "Use JWT."))
    others = [
        note_summary(note("b", "Do not use JWT.")),
        note_summary(note("c", "Use cookies.")),
        note_summary(note("d", "Do not use JWT.", deprecated=True)),
    ]
    assert [one.slug for one in possible_contradictions(mine, [mine, *others])] == ["b"]


def shown(content: str, **more: Any) -> MatchedNote:
    usual: dict[str, Any] = {
        "id": "a#1",
        "title": "A title",
        "importance": Importance.HIGH,
        "discovered_by": "planner",
    }
    usual |= {"discovered_at": NOON, "score": 1, "points": {}, "match": "", "pattern": "", "why": []}
    return MatchedNote(content=content, **(usual | more))


def test_the_text_for_a_prompt():
    assert background([], str) == ""
    assert background([shown("First."), shown("Second.", importance=Importance.CRITICAL)], str) == (
        "## Background Knowledge from Previous Runs\n\n"
        "### A title\n*Importance: HIGH*\n*Discovered by: planner*\n\nFirst.\n\n"
        "### A title\n*Importance: CRITICAL*\n*Discovered by: planner*\n\nSecond.\n\n"
    )


def test_contradicting_statements_are_shown_side_by_side():
    otherwise = [Contradiction("Use JWT.", "b#2", "Do not use JWT.", NOON), Contradiction("x", "c#1", "y")]
    text = background([shown("Use JWT.", contradictions=otherwise)], lambda at: f"day {at}")
    assert text.endswith(
        "\n\nUse JWT.\n\n*Contradicted by (b#2, day 1750000000): Do not use JWT.*\n\n"
        "*Contradicted by (c#1): y*\n\n"
    )


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [
        ("short", 10, "short"),
        ("exactly 10", 10, "exactly 10"),
        ("one two three", 10, "one two…"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("one\ntwo three", 7, "one…"),
        ("abcdefghijkl", 6, "abcde…"),
        ("one   two", 6, "one…"),
        ("one two. three", 10, "one two…"),
        ("......", 4, "...…"),
    ],
)
def test_a_long_text_is_cut_at_a_word(text: str, most: int, short: str):
    assert cut(text, most) == short


def test_a_fence_that_is_cut_open_is_closed():
    text = "intro\n\n```python\n" + "code line here\n" * 50 + "```\n"
    short = cut(text)
    assert len(short) <= 500
    assert short.endswith("…\n```")
    assert short.count("```") == 2
    assert cut("~~~\ncode") == "~~~\ncode\n~~~"


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [
        ("one two\n\n## Code Example\n\n```python\nprint()\n```", 34, "one two\n…"),
        ("one two\n\n## Code Example\n\n```python\nprint()\n```", 20, "one two\n…"),
        ("one two\n\n## Next\n\nthree four five", 22, "one two\n…"),
        ("one two\n\n## Next\n\nthree four five", 28, "one two\n\n## Next\n\nthree…"),
        ("## A heading alone that is long", 16, "## A heading…"),
    ],
)
def test_no_heading_or_fence_is_left_with_nothing_under_it(text: str, most: int, short: str):
    assert cut(text, most) == short


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("# Auth module\n\nText.", "Text."),
        ("\n#  AUTH  Module #\nText.", "Text."),
        ("# Other\n\nText.", "#### Other\n\nText."),
        ("Text.\n\n# Auth module", "Text.\n\n#### Auth module"),
        ("## Two\n##### Five\n####### none\n#none", "#### Two\n###### Five\n####### none\n#none"),
        ("##### Five\ntext", "##### Five\ntext"),
        ("```sh\n# a comment\n```\n# Heading", "```sh\n# a comment\n```\n#### Heading"),
        ("# Auth module", "#### Auth module"),
    ],
)
def test_under_a_heading_of_its_own_a_note_does_not_repeat_it_and_has_lower_ones(content: str, shown: str):
    assert under_title("Auth module", content) == shown


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("Sessions live in `redis.py`. Cookies cannot be revoked.", "Cookies cannot be revoked."),
        ("Sessions live in redis.py.\n\nCookies cannot be revoked.", "Cookies cannot be revoked."),
        ("Sessions live in redis.py.", "Sessions live in redis.py."),
        ("Sessions live in redis.py, not in cookies.", "Sessions live in redis.py, not in cookies."),
    ],
)
def test_a_first_sentence_equal_to_the_title_is_left_out(content: str, left: str):
    assert under_title("Sessions live in redis.py", content) == left
