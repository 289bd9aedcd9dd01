"""The parts of a commit's message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.git.message import MAX_BODY, MAX_SUBJECT, cut, parse_message, reason_of


def test_the_first_line_is_the_subject_and_the_rest_the_body():
    assert parse_message("\n  Fix   the gate \n\nIt was\nopen.\n")[:2] == ("Fix the gate", "It was\nopen.")


@pytest.mark.parametrize(
    "trailer",
    [
        "Signed-off-by: Ann <ann@example.org>",
        "Co-authored-by: Bob <bob@example.org>",
        "Reviewed-By: Carol",
        "Closes #12",
        "Fixes: #12, #13 and #14",
        "Fixes https://example.org/project/issues/12",
        'Fixes: 1234567890ab ("the gate")',
        "Change-Id: I0123456789abcdef",
        "(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)",
        "Follow-up to 0123456789abcdef",
        "Cc: everybody",
        "Bug: https://example.org/12",
        "Link: https://example.org/12\n  folded into two lines",
    ],
)
def test_trailers_are_removed_from_the_body(trailer: str):
    assert parse_message(f"Fix it\n\nIt was open.\n\n{trailer}\nReported-by: Dave\n").body == "It was open."


def test_names_of_people_in_squashed_messages_are_removed():
    squashed = """Do not log 204 (#12)

* Don't log 204

Signed-off-by: Ann <ann@example.org>

* Add an entry

Co-authored-by: Bob <bob@example.org>

---------

Signed-off-by: Ann <ann@example.org>
"""
    assert parse_message(squashed).body == "* Don't log 204\n\n* Add an entry"


@pytest.mark.parametrize(
    "sentence",
    [
        "Note: the gate stays open",
        "Fixes #12 by closing the gate twice",
        "Follow-up to 0123456789abcdef that forgot the lock",
        "See how it goes",
    ],
)
def test_a_sentence_that_begins_like_a_trailer_is_kept(sentence: str):
    assert parse_message(f"Fix it\n\n{sentence}\n\nCloses #1").body == sentence


@pytest.mark.parametrize(
    ("message", "closes"),
    [
        ("x\n\nCloses #12", ("12",)),
        ("Fix it (fixes #7)", ("7",)),
        ("x\n\nFixes: #1, #2 and #3", ("1", "2", "3")),
        ("x\n\nResolves https://example.org/a/b/issues/99", ("99",)),
        ("x\n\nCloses other/project#5", ()),
        ("x\n\nSee #5", ()),
        ("x\n\nCloses #1\nFixes #1", ("1",)),
    ],
)
def test_closed_issues_are_found(message: str, closes: tuple[str, ...]):
    assert parse_message(message).closes == closes


def test_invisible_characters_are_removed():
    message = parse_message("Fix \x1b[31mred\x1b[0m\x07 gate\u202e\n\nline\r\nnext\x00")
    assert message[:2] == ("Fix red gate", "line\nnext")


def test_a_long_subject_is_cut_and_repeated_in_the_body():
    novel = "word " * 200
    message = parse_message(novel)
    assert len(message.subject) <= MAX_SUBJECT
    assert message.subject.endswith("word […]")
    assert message.body == novel.strip()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("This reverts commit 0123456789abcdef0123456789abcdef01234567.", ""),
        ("This reverts commit 0123456 (#12)\n\nIt broke the build.", "It broke the build."),
        ("This reverts commit 0123456, reversing\nchanges made to 89abcde.\n\nToo slow.", "Too slow."),
        ("It leaks.\n\nThis reverts commits 0123456 and 89abcde.", "It leaks."),
        ("Reverts example/project#12", ""),
        ("This reverts commit 0123456 because it leaks.", "This reverts commit 0123456 because it leaks."),
    ],
)
def test_the_reason_of_a_revert_is_the_rest_of_its_body(body: str, reason: str):
    assert reason_of(body) == reason


@given(st.text())
def test_any_message_can_be_parsed(text: str):
    message = parse_message(text)
    assert "\n" not in message.subject
    assert len(message.subject) <= MAX_SUBJECT
    assert len(message.body) <= MAX_BODY


@given(st.text(min_size=1), st.integers(min_value=20, max_value=200))
def test_a_cut_text_has_the_same_beginning_and_the_allowed_length(text: str, most: int):
    short = cut(text, most)
    assert len(short) <= max(most, len(text) if len(text) <= most else 0)
    assert text.startswith(short.removesuffix(" […]").rstrip())


@pytest.mark.parametrize("hostile", ["\n" * 60000, " x\n" * 20000, "-" * 60000, "a-" * 30000, "#1, " * 15000])
def test_a_hostile_message_takes_linear_time(hostile: str):
    assert parse_message(f"subject\n\n{hostile}\nCloses #1").subject == "subject"


@pytest.mark.parametrize(
    ("message", "subject", "body"),
    [
        (
            "Close the gate at night, as the people living there were\nwoken by burglars. Paint it.\n\nMore.",
            "Close the gate at night, as the people living there were woken by burglars.",
            "Paint it.\n\nMore.",
        ),
        (
            "Close the gate because\n\nburglars came. It is safe now.",
            "Close the gate because burglars came.",
            "It is safe now.",
        ),
        ("Close the gate at nig…\n\n…ht (#12)\n\nMore.", "Close the gate at night (#12)", "More."),
        ("Close the gate\nadd a test", "Close the gate", "add a test"),
        (
            "Close the gate and paint it in the colour of the house next door\n- and oil it",
            "Close the gate and paint it in the colour of the house next door",
            "- and oil it",
        ),
        ("Support cp -a\n\nit is short.", "Support cp -a", "it is short."),
    ],
)
def test_a_subject_that_was_broken_in_a_sentence_is_whole(message: str, subject: str, body: str):
    assert parse_message(message)[:2] == (subject, body)
