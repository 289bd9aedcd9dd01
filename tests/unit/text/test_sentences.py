"""Prose: sentences out of texts that people wrote, without what they pasted."""

from __future__ import annotations

import pytest

from rum.text.sentences import LONGEST_TEXT, is_prose, sentences


def test_wrapped_lines_are_one_sentence_and_paragraphs_are_parted():
    text = "The cache is shared by\nall workers. It must be\nlocked.\n\nTests need a server."
    assert sentences(text) == [
        "The cache is shared by all workers.",
        "It must be locked.",
        "Tests need a server.",
    ]


def test_items_of_a_list_are_sentences_of_their_own():
    text = "Also:\n- drop the cache\n- keep the lock,\n  it is cheap\n2. test both"
    assert sentences(text) == ["Also:", "drop the cache", "keep the lock, it is cheap", "test both"]


@pytest.mark.parametrize(
    "left_out",
    [
        "```\nint main() { return 1; }\n```",
        "    $ make check",
        "> quoted from a mail",
        "### What does this change do",
        "| a | b |",
        "Reported-by: Ann Example",
        "Fixes #1234",
        "Follow-up to 13c1a934144e98d0 #20215",
        "Ref: https://example.org/issues/1",
        "Spotted by Some Analyzer",
    ],
)
def test_code_headings_quotes_and_references_are_no_prose(left_out: str):
    assert sentences(f"It leaks memory.\n\n{left_out}\n\nSo it is freed.") == [
        "It leaks memory.",
        "So it is freed.",
    ]


def test_a_sentence_that_begins_like_a_reference_is_kept():
    assert sentences("See how the parser treats quotes before changing it.") != []
    assert sentences("Found by reading the code that only one of both paths frees the buffer.") != []


def test_abbreviations_and_versions_end_no_sentence():
    text = "Some tools, e.g. Clang 3.2, fail. Others do not."
    assert sentences(text) == ["Some tools, e.g. Clang 3.2, fail.", "Others do not."]


def test_only_the_beginning_of_a_huge_text_is_read():
    assert sum(map(len, sentences("word " * 100_000))) <= LONGEST_TEXT


@pytest.mark.parametrize(
    "line", ["see https://example.org", "== 0x3f ++ %% $$ {} [] <>", "----- 12345 ====="]
)
def test_addresses_and_output_of_programs_are_told_from_prose(line: str):
    assert not is_prose(line)
    assert is_prose("The `open()` call fails on Windows (see `docs/io.md`).")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Reverts commit 4d69165ab6e17fa754139d348cdfd9edacbcb999. Now that a\nrelease has this option, "
            "it is shown.",
            ["Now that a release has this option, it is shown."],
        ),
        ("Fixes #1234. The cache\nwas never flushed.", ["The cache was never flushed."]),
        ("This reverts commit 4d69165 because it\nbroke the build. Tests need it.", ["Tests need it."]),
        ("This reverts commit 4d69165.\n\nthe build needs it.", ["the build needs it."]),
        ("Fixes #1234\nthe cache was never flushed.", ["the cache was never flushed."]),
    ],
)
def test_of_a_reference_only_its_own_sentence_is_left_out(text: str, told: list[str]):
    assert sentences(text) == told
