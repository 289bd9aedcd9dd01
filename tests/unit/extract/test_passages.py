"""An agent's text is split into passages, without program output, in bounded time for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.extract.passages import MAX_OUTPUT, Passage, is_noise, passages
from rum.text.sentences import split_sentences


def told(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in passages(text)]


@pytest.mark.parametrize(
    "line",
    [
        "$ npm test",
        "2026-01-23T10:31:02.113Z INFO  [http] GET /health 200 1ms",
        "[ERROR] connection reset",
        "npm WARN deprecated inflight@1.0.6: This module is not supported",
        "added 1423 packages, and audited 1424 packages in 38s",
        "tests/test_api.py ........................                                [  7%]",
        "============================= 312 passed in 14.21s =============================",
        "Tests:       48 passed, 48 total",
        "    at renderUser (/app/dist/main.js:1:48213)",
        '  File "/app/main.py", line 3, in <module>',
        "TypeError: Cannot read properties of undefined (reading 'id')",
        "drwxr-xr-x  9 dev dev 4096 Jan 23 10:30 .",
        "@@ -10,7 +10,7 @@ export function name(u: User) {",
        " => [4/6] RUN npm ci                                          21.7s",
        "building [html]: targets for 12 source files that are out of date",
        "Downloading https://example.com/a.whl (3.2 MB)",
    ],
)
def test_output_of_programs_is_noise(line: str):
    assert is_noise(line)


@pytest.mark.parametrize(
    "line",
    [
        "The docs live in docs/source.",
        "Running the tests needs Docker.",
        "Errors are returned, never thrown.",
        "- `src/auth/` contains authentication (JWT-based)",
        "1. Always wrap in try/catch",
        "Info about users is kept in `accounts`.",
        "Building on this, we chose FTS5.",
        "At least one test fails on Windows.",
        "10 MB is the limit of the gateway.",
    ],
)
def test_prose_is_no_noise(line: str):
    assert not is_noise(line)


def test_prose_is_split_into_sentences():
    assert split_sentences("It fails, e.g. on Windows. See v1.2.3 of foo.bar. `x` is set. No more.") == [
        "It fails, e.g. on Windows.",
        "See v1.2.3 of foo.bar.",
        "`x` is set.",
        "No more.",
    ]


def test_lines_of_one_sentence_are_joined():
    assert told("The pool is\nexhausted.\n\nThen it hangs.") == [
        ("sentence", "The pool is exhausted."),
        ("sentence", "Then it hangs."),
    ]


def test_items_rows_and_code_are_distinguished_and_keep_their_heading():
    items = "- `a/` holds users. It is old.\n- b\n"
    text = f"## Layout\n\n{items}\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```py\ncode()\n```\n"
    assert [(one.kind, one.text, one.heading) for one in passages(text)] == [
        ("item", "`a/` holds users.", "Layout"),
        ("more", "It is old.", "Layout"),
        ("item", "b", "Layout"),
        ("item", "x | y", "Layout"),
        ("item", "1 | 2", "Layout"),
        ("code", "code()", "Layout"),
    ]


def test_a_line_above_a_list_is_its_heading():
    assert passages("Stack:\n- Python\n- Django\n") == [
        Passage("Python", "Stack", 0, "item"),
        Passage("Django", "Stack", 0, "item"),
    ]


def test_prose_between_output_is_kept():
    text = "$ make\nRunning Sphinx v7\nbuild succeeded\n\nThe theme is in docs/_static.\n\n$ ls\n"
    assert told(text) == [("sentence", "The theme is in docs/_static.")]


def test_a_diff_has_no_passages():
    assert told("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old words here\n+new words here\n") == []


def test_the_start_and_end_of_a_very_long_text_are_read():
    found = told("First words.\n\n" + "middle. " * MAX_OUTPUT + "\n\nLast words.")
    assert found[0] == ("sentence", "First words.")
    assert found[-1] == ("sentence", "Last words.")
    assert sum(len(text) for _, text in found) <= MAX_OUTPUT + 10


@given(st.text(alphabet=st.sampled_from("aA.:-#|`~*\n 1\t>$"), max_size=300))
def test_any_text_is_split_and_nothing_is_invented(text: str):
    for one in passages(text):
        for word in one.text.replace("|", " ").split():
            assert word in text
