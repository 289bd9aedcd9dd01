"""One ranking and one budget: never over it, best first, no warning left out while others have room."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from rum.inject.brief import HEADINGS, JOURNAL, render_brief
from rum.inject.budget import MAX_TOKEN_LENGTH, WARNING, Chosen, Piece, choose, fits, rank
from rum.text.tokens import estimate_tokens

KINDS = [*HEADINGS, *JOURNAL]
TEXTS = st.one_of(
    st.text(max_size=300),
    st.sampled_from(["-" * 5000, " " * 3000, "=" * 20_000, "词" * 400, "👧" * 100, "x" * 4000, "… " * 900]),
    st.text(alphabet="ab ", max_size=2000),
)
PIECES = st.lists(
    st.builds(
        Piece,
        st.sampled_from(KINDS),
        st.text(alphabet="abcdef", min_size=1, max_size=6),
        st.floats(0, 200).map(lambda points: round(points, 2)),
        st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    ),
    max_size=15,
)
TOKENS = st.integers(1, 900)
MARK = 8  # The mark of a fence follows from its content: so many tokens may another content need more


def plain(said: list[Chosen]) -> str:
    return "\n".join(piece.forms[form] for piece, form in said)


@settings(max_examples=150)
@given(PIECES, TOKENS)
def test_a_brief_is_never_over_its_budget(pieces: list[Piece], tokens: int):
    text = render_brief(choose(pieces, tokens, render_brief))
    assert estimate_tokens(text) <= tokens
    assert len(text) <= MAX_TOKEN_LENGTH * tokens


@settings(max_examples=150)
@given(PIECES, TOKENS)
def test_a_warning_is_left_out_only_where_other_warnings_leave_no_room(pieces: list[Piece], tokens: int):
    taken = [one.piece for one in choose(pieces, tokens, render_brief)]
    before: list[Chosen] = []
    for piece in rank(pieces):
        shortest = Chosen(piece, len(piece.forms) - 1)
        if any(piece is one for one in taken):
            before.append(shortest)
        elif piece.points >= WARNING:
            assert not fits(render_brief([*before, shortest]), tokens - MARK)


@settings(max_examples=100)
@given(PIECES, TOKENS, st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_found_changes_nothing(
    pieces: list[Piece], tokens: int, dice: random.Random
):
    shuffled = list(pieces)
    dice.shuffle(shuffled)
    assert render_brief(choose(pieces, tokens, render_brief)) == render_brief(
        choose(shuffled, tokens, render_brief)
    )


def test_the_best_come_first_and_at_full_length():
    low = Piece("fact", "low", 10, ("a long way of saying it " * 5, "short"))
    high = Piece("fact", "high", 20, ("another long way of saying it " * 5, "brief"))
    said = choose([low, high], estimate_tokens(high.forms[0]) + 4, plain)
    assert [(one.piece.id, one.form) for one in said] == [("high", 0), ("low", 1)]


def test_an_item_that_is_too_long_does_not_exclude_others():
    long = Piece("note", "long", 90, ("words without end " * 500,))
    short = Piece("note", "short", 1, ("few words",))
    assert [one.piece.id for one in choose([long, short], 50, plain)] == ["short"]


def test_every_warning_is_given_in_short_before_any_is_given_at_length():
    warnings = [
        Piece("failure", name, WARNING + at, (f"{name} went wrong in very many words " * 8, f"{name} failed"))
        for at, name in enumerate("abc")
    ]
    greedy = Piece("note", "greedy", WARNING - 1, ("everything there is to know " * 8,))
    room = estimate_tokens(warnings[2].forms[0]) + 12
    said = choose([*warnings, greedy], room, plain)
    assert [one.piece.id for one in said] == ["c", "b", "a"]
    assert said[0].form == 0
    assert said[2].form == 1


def test_drawn_lines_cost_next_to_nothing_and_still_do_not_fill_a_prompt():
    drawn = Piece("note", "drawn", 50, ("-" * 50_000,))
    assert estimate_tokens(drawn.forms[0]) < 10
    assert choose([drawn], 600, plain) == []


def test_with_equal_points_the_newer_comes_first_then_the_id():
    pieces = [
        Piece("memory", "b", 10, ("b",), at=5),
        Piece("memory", "a", 10, ("a",), at=5),
        Piece("memory", "c", 10, ("c",), at=6),
        Piece("memory", "d", 11, ("d",), at=1),
    ]
    assert [piece.id for piece in rank(pieces)] == ["d", "c", "a", "b"]
