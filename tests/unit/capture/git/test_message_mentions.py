"""Which commits a message names, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.git.message import MAX_MENTIONS, Mention, Naming, mentions
from rum.model.memory import LinkType

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "naming"),
    [
        ("This reverts commit {}.", Naming.REVERTS),
        ("Revert {}", Naming.REVERTS),
        ("Reverting commits:\n{}", Naming.REVERTS),
        ("This partially reverts commit {}.", Naming.REVERTS),
        ("Mostly reverts {}", Naming.REVERTS),
        ("This is a partial revert of commit {}", Naming.REVERTS),
        ("This reverts v1.2-34-g{}", Naming.REVERTS),
        ("It was reverted in {}", Naming.NAMES),
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
    (found,) = mentions(f"Subject\n\n{text.format(SHA[:length].replace('0', 'f', 1))}\n")
    assert (found.naming, len(found.sha)) == (naming, length)


def test_the_ids_of_a_list_have_the_same_reason():
    text = "This reverts commits abcdef1, abcdef2 and\nabcdef3.\n\nSee abcdef4."
    assert [(one.naming.value, one.sha) for one in mentions(text)] == [
        ("reverts", "abcdef1"),
        ("reverts", "abcdef2"),
        ("reverts", "abcdef3"),
        ("names", "abcdef4"),
    ]


def test_the_strongest_reason_counts():
    (found,) = mentions("Since abcdef1 it leaks.\n\nThis reverts commit abcdef1.")
    assert (found.naming, found.sha) == (Naming.REVERTS, "abcdef1")


def test_the_target_of_a_merge_is_not_mentioned():
    text = "This reverts commit abcdef1, reversing\nchanges made to abcdef2."
    assert [one.sha for one in mentions(text)] == ["abcdef1"]


@pytest.mark.parametrize(
    "text", ["In 20240131 it rained", "port 12345678", "deadline", "abcdef", "x" + SHA, SHA + "x"]
)
def test_numbers_and_words_are_no_ids(text: str):
    assert mentions(text) == ()


def test_digits_alone_are_an_id_after_the_word_commit():
    assert mentions("Follow-up to 5278462") == (Mention(Naming.FOLLOWS, "5278462"),)
    assert mentions("as of commit 5278462") == (Mention(Naming.NAMES, "5278462"),)


def test_reverts_and_fixes_are_causal_links():
    assert {naming.link for naming in (Naming.REVERTS, Naming.FOLLOWS)} == {LinkType.CAUSED_BY}
    assert {naming.link for naming in (Naming.PICKS, Naming.NAMES)} == {LinkType.RELATED_TO}


def test_the_number_of_mentions_is_limited():
    assert len(mentions(" ".join(f"{number:07x}a" for number in range(10**6, 10**6 + 500)))) == MAX_MENTIONS


@given(st.text(alphabet=" \nabcdef0123456789 reverts commit fixes,", max_size=400))
def test_every_mentioned_id_is_in_the_message(text: str):
    found = mentions(text)
    assert all(one.sha in text for one in found)
    assert len({one.sha for one in found}) == len(found)


@pytest.mark.parametrize(
    "hostile", ["revert " * 9000, "the " * 16000 + SHA, f"{SHA} " * 1500, " " * 60000 + SHA]
)
def test_a_hostile_message_takes_linear_time(hostile: str):
    assert len(mentions(hostile)) <= MAX_MENTIONS
