"""Prompts, last words, and corrections in prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.guidance import guidance_in
from rum.capture.observe.messages import gave_up, rejects, reports_failure


@pytest.mark.parametrize(
    "said",
    [
        "I could not make it work.",
        "The tests still fail.",
        "I was unable to reproduce it.",
        "Unable to reproduce the crash.",
        "I changed the query, but couldn't get the index used.",
        "Sorry. We can't fix this without the schema.",
        "The crash could not be reproduced.",
        "I added a retry. That did not help.",
    ],
)
def test_words_of_failure_are_recognised(said: str):
    assert gave_up(said)


@pytest.mark.parametrize(
    "said",
    [
        "It works now.",
        "The parser could not read BOMs; that is fixed.",
        "Done, all tests pass.",
        "Fixed the login. Users can't log in twice anymore.",
        "The parser could not handle tabs; now it handles tabs.",
        "Renamed it everywhere. I couldn't find any other caller.",
        "Added a guard so that division can't fail to report.",
        "I added the option. Note that it cannot be combined with --all.",
        "It validates the input and cannot be made to crash.",
        "Root cause: could not connect before the pool was ready. It waits for the pool.",
    ],
)
def test_a_failure_that_was_overcome_is_no_failure(said: str):
    assert not gave_up(said)


@pytest.mark.parametrize(
    "prompt",
    [
        "No, that's not it",
        "No.",
        "no, use fmean instead",
        "Wrong file!",
        "That's not what I asked for",
        "revert that please",
        "undo",
    ],
)
def test_rejections_are_recognised(prompt: str):
    assert rejects(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "No problem, next: add tests",
        "Now add the tests",
        "Notes are missing",
        "No further changes there. Now add a test.",
        "No, that's fine. Now add a test.",
        "No, thanks. Next the docs",
        "no that works",
        "No tests exist for this. Add some.",
        "That's not all: also add docs",
        "That is not bad at all, now the docs",
        "Undo is missing in the editor, add it",
        "Revert the migration test to use sqlite too",
        "Wrong passwords should show an error; add that",
    ],
)
def test_other_prompts_are_no_rejections(prompt: str):
    assert not rejects(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "no, that still crashes with KeyError",
        "still failing",
        "it's still broken",
        "nope, it does not work",
        "That didn't help.",
        "that's not fixed",
        "same error",
        "no that breaks the tests",
        "geht immer noch nicht",
        "还是报错",
    ],
)
def test_a_report_that_it_does_not_work_is_no_rejection(prompt: str):
    assert reports_failure(prompt)
    assert not rejects(prompt)


@pytest.mark.parametrize(
    "prompt", ["I get it, thanks", "I see. Now add docs", "The login page fails on Safari"]
)
def test_other_prompts_report_no_failure(prompt: str):
    assert not reports_failure(prompt)


@given(st.text(max_size=500), st.text(max_size=200))
def test_any_message_can_be_read(prompt: str, earlier: str):
    guidance_in(prompt, follows_work=bool(earlier), undoes=earlier > prompt)
    rejects(prompt)
    gave_up(prompt)
