"""Sentences of prose, without pasted output and code."""

from __future__ import annotations

import pytest

from rum.text.sentences import LONGEST_TEXT, is_prose, prose_sentences, split_sentences


def test_wrapped_lines_are_joined_and_paragraphs_are_not():
    text = "The cache is shared by\nall workers. It must be\nlocked.\n\nTests need a server."
    assert prose_sentences(text) == [
        "The cache is shared by all workers.",
        "It must be locked.",
        "Tests need a server.",
    ]


def test_items_of_a_list_are_sentences_of_their_own():
    text = "Also:\n- drop the cache\n- keep the lock,\n  it is cheap\n2. test both"
    assert prose_sentences(text) == ["Also:", "drop the cache", "keep the lock, it is cheap", "test both"]


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
    assert prose_sentences(f"It leaks memory.\n\n{left_out}\n\nSo it is freed.") == [
        "It leaks memory.",
        "So it is freed.",
    ]


def test_a_sentence_that_begins_like_a_reference_is_kept():
    assert prose_sentences("See how the parser treats quotes before changing it.") != []
    assert prose_sentences("Found by reading the code that only one of both paths frees the buffer.") != []


def test_abbreviations_and_versions_end_no_sentence():
    text = "Some tools, e.g. Clang 3.2, fail. Others do not."
    assert prose_sentences(text) == ["Some tools, e.g. Clang 3.2, fail.", "Others do not."]


def test_only_the_beginning_of_a_huge_text_is_read():
    assert sum(map(len, prose_sentences("word " * 100_000))) <= LONGEST_TEXT


@pytest.mark.parametrize(
    "line", ["see https://example.org", "== 0x3f ++ %% $$ {} [] <>", "----- 12345 ====="]
)
def test_addresses_and_program_output_are_distinguished_from_prose(line: str):
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
def test_a_reference_removes_only_its_own_sentence(text: str, told: list[str]):
    assert prose_sentences(text) == told


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('He said "stop." Then it stopped.', ['He said "stop."', "Then it stopped."]),
        (
            "See No. 5 of the list. Is it? No. Then not.",
            ["See No. 5 of the list.", "Is it?", "No.", "Then not."],
        ),
        ("One line\nanother one", ["One line", "another one"]),
        (
            "Use e.g. pnpm 9.1, i.e. not npm. /etc is read.",
            ["Use e.g. pnpm 9.1, i.e. not npm.", "/etc is read."],
        ),
        ("no. use tabs", ["no. use tabs"]),
        ("", []),
    ],
)
def test_abbreviations_and_names_end_no_sentence(text: str, parts: list[str]):
    assert split_sentences(text) == parts


def test_sentences_may_begin_in_lower_case():
    assert split_sentences("no. use tabs, e.g. here. always", any_case=True) == [
        "no.",
        "use tabs, e.g. here.",
        "always",
    ]
    assert split_sentences("use tabs; never spaces", semicolons=True) == ["use tabs;", "never spaces"]
