"""How an offer is worded: never beyond its tokens, never out of its fence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.inject.offers.text import MAX_TOKENS, offer
from rum.text.tokens import estimate_tokens

LONGEST = "Tried before and failed in {1} on 2026-01-01: `{0}` ({2}). Worked instead: `{3}`."


@pytest.mark.parametrize(
    "text", ["修复登录页面在空列表情况下崩溃的问题" * 9, "é~ß" * 60, "word " * 200, "🙂" * 300]
)
def test_an_offer_in_any_script_stays_within_its_tokens(text: str):
    found = offer("warning", ["mem_1"], LONGEST, (text,) * 4, "recall memory_id=abcdefgh")
    assert estimate_tokens(found.text) <= MAX_TOKENS
    assert "recall memory_id=abcdefgh" in found.text


def test_a_part_loses_whole_sentences_first():
    why = "The pool reuses closed connections. " + "This sentence says more about it than fits. " * 9
    found = offer("touching", [], "{0}: {1}.", ("Fix the pool.", why), "recall memory_id=abcdefgh")
    assert found.text.startswith("Fix the pool: The pool reuses closed connections. This sentence says more")
    assert "than fits. More: recall" in found.text


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("Why is the build slow?", "Why is the build slow? It is cached."),
        ("Fix the build.:", "Fix the build: It is cached."),
    ],
)
def test_no_sign_follows_another(goal: str, text: str):
    assert offer("touching", [], "{0}: {1}.", (goal, "It is cached.")).text == text


@given(st.lists(st.text(max_size=300), min_size=4, max_size=4))
def test_any_parts_fit(parts: list[str]):
    assert (
        estimate_tokens(offer("warning", [], LONGEST, parts, "recall memory_id=abcdefgh").text) <= MAX_TOKENS
    )
