"""Which commits a message names, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.git.message import MAX_MENTIONS, Naming, mentions
from rum.model.links import LinkType

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "naming"),
    [
        ("This reverts commit {}.", Naming.REVERTS),
        ("Revert {}", Naming.REVERTS),
        ("Reverting commits:\n{}", Naming.REVERTS),
        ("This partially reverts commit {}.", Naming.FOLLOWS),
        ("Mostly reverts {}", Naming.FOLLOWS),
        ("This is a partial revert of commit {}", Naming.FOLLOWS),
        ("Fixes: {}", Naming.FOLLOWS),
        ('Fixes: {} ("the gate")', Naming.FOLLOWS),
        ("Fixes commit {}", Naming.FOLLOWS),
        ("Follow-up for {}", Naming.FOLLOWS),
        ("Follow-up to {} #12", Naming.FOLLOWS),
        ("followup {}", Naming.FOLLOWS),
        ("Regression from {}", Naming.FOLLOWS),
        ("was introduced in commit {}", Naming.FOLLOWS),
        ("broken since {} (gate: open it, 2020-01-01)", Naming.FOLLOWS),
        ("(cherry picked from commit {})", Naming.PICKS),
        ("see {} (gate: open it, 2020-01-01)", Naming.NAMES),
        ("as in https://example.org/project/commit/{}", Naming.NAMES),
    ],
)
@pytest.mark.parametrize("length", [7, 12, 40])
def test_the_words_before_an_id_give_the_reason(text: str, naming: Naming, length: int):
    ((found, sha),) = mentions(f"Subject\n\n{text.format(SHA[:length].replace('0', 'f', 1))}\n")
    assert (found, len(sha)) == (naming, length)


def test_the_ids_of_a_list_have_the_same_reason():
    text = "This reverts commits abcdef1, abcdef2 and\nabcdef3.\n\nSee abcdef4."
    assert [(found.value, sha) for found, sha in mentions(text)] == [
        ("reverts", "abcdef1"),
        ("reverts", "abcdef2"),
        ("reverts", "abcdef3"),
        ("names", "abcdef4"),
    ]


def test_the_strongest_reason_counts():
    assert mentions("Since abcdef1 it leaks.\n\nThis reverts commit abcdef1.") == (
        (Naming.REVERTS, "abcdef1"),
    )


def test_the_target_of_a_merge_is_not_mentioned():
    text = "This reverts commit abcdef1, reversing\nchanges made to abcdef2."
    assert mentions(text) == ((Naming.REVERTS, "abcdef1"),)


@pytest.mark.parametrize(
    "text", ["In 20240131 it rained", "port 12345678", "deadline", "abcdef", "x" + SHA, SHA + "x"]
)
def test_numbers_and_words_are_no_ids(text: str):
    assert mentions(text) == ()


def test_digits_alone_are_an_id_after_the_word_commit():
    assert mentions("Follow-up to 5278462") == ((Naming.FOLLOWS, "5278462"),)
    assert mentions("as of commit 5278462") == ((Naming.NAMES, "5278462"),)


def test_reverts_and_fixes_are_causal_links():
    assert {naming.link for naming in (Naming.REVERTS, Naming.FOLLOWS)} == {LinkType.CAUSED_BY}
    assert {naming.link for naming in (Naming.PICKS, Naming.NAMES)} == {LinkType.RELATED_TO}


def test_the_number_of_mentions_is_limited():
    assert len(mentions(" ".join(f"{number:07x}a" for number in range(10**6, 10**6 + 500)))) == MAX_MENTIONS


@given(st.text(alphabet=" \nabcdef0123456789 reverts commit fixes,", max_size=400))
def test_every_mentioned_id_is_in_the_message(text: str):
    found = mentions(text)
    assert all(sha in text for _, sha in found)
    assert len({sha for _, sha in found}) == len(found)


@pytest.mark.parametrize(
    "hostile", ["revert " * 9000, "the " * 16000 + SHA, f"{SHA} " * 1500, " " * 60000 + SHA]
)
def test_a_hostile_message_takes_linear_time(hostile: str):
    assert len(mentions(hostile)) <= MAX_MENTIONS
