"""Prompts, last words, and corrections in prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.corrections import corrections_in
from rum.capture.observe.messages import (
    GOAL,
    gave_up,
    goal_of,
    is_continuation,
    rejects,
    summary_of,
    task_type,
    without_client_tags,
)


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("The mean of an empty list should be 0.0, but mean([]) crashes. Fix it.", "bug_fix"),
        ("Add a --json option to the list command", "feature_add"),
        ("Refactor the parser into two files", "refactor"),
        ("Write tests for the router", "test_write"),
        ("How does the cache deal with restarts?", "investigation"),
        ("Make the search faster", "optimization"),
        ("Update the README", "documentation"),
        ("Bump the requests dependency to 3.0", "dependency_update"),
        ("Fix the SQL injection in login", "security_fix"),
        ("Set up the CI pipeline", "configuration"),
    ],
)
def test_the_task_type_follows_from_the_words_of_a_prompt(prompt: str, kind: str):
    assert task_type(prompt) == kind


def test_a_prompt_without_cue_words_has_no_task_type():
    assert task_type("hmm") is None


def test_the_goal_is_the_start_of_the_prompt_without_the_clients_additions():
    prompt = "<system-reminder>x</system-reminder>Please fix it. It loops.\n\n```\ntrace\n```\nAnd more."
    assert goal_of(prompt) == "fix it. It loops. And more."
    assert (
        without_client_tags("<command-name>/review</command-name> <command-args>api</command-args>")
        == "/review   api"
    )


def test_a_long_prompt_is_cut_at_a_word():
    goal = goal_of("word " * 200)
    assert len(goal) <= GOAL
    assert goal.endswith("word…")


@pytest.mark.parametrize("prompt", ["yes", "Ok, go ahead.", "continue", "do it", "thanks!"])
def test_a_prompt_to_continue_has_the_goal_of_the_previous_one(prompt: str):
    assert is_continuation(prompt)
    assert goal_of(prompt, "Fix the login.").startswith("Fix the login.")
    assert task_type(prompt, "Fix the login.") == "bug_fix"


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
        "no that breaks the tests",
        "Nope, still broken",
        "Wrong file!",
        "That's not what I asked for",
        "That didn't work",
        "It still fails with the same error",
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
    ("prompt", "action"),
    [
        ("No, use httpx instead of requests.", "Use httpx instead of requests"),
        ("Always run the linter before you commit.", "Always run the linter before you commit"),
        ("don't touch the generated files", "Don't touch the generated files"),
        ("From now on write commit messages in English.", "From now on write commit messages in English"),
    ],
)
def test_a_correction_is_a_candidate_for_a_rule(prompt: str, action: str):
    (one,) = corrections_in(prompt, "Add a client for the API")
    assert one.action == action
    assert one.id.startswith("rule_")


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the login.",
        "yes",
        "Should we always retry?",
        "No problem.",
        "I don't know why it fails.",
        "Use the new API.",
    ],
)
def test_a_prompt_without_a_correction_gives_no_candidate(prompt: str):
    assert corrections_in(prompt, "Add a client for the API") == []


def test_the_same_correction_is_the_same_candidate():
    told = [
        corrections_in(prompt, before)
        for prompt, before in (("Never force-push.", "a b"), ("never force-push", ""))
    ]
    assert told[0][0].id == told[1][0].id


@given(st.text(max_size=500), st.text(max_size=200))
def test_any_message_can_be_read(prompt: str, earlier: str):
    assert len(goal_of(prompt, earlier)) <= GOAL + 40
    assert "\n" not in summary_of(prompt)
    corrections_in(prompt, earlier)
    task_type(prompt, earlier)
    rejects(prompt)
    gave_up(prompt)


def test_a_summary_keeps_the_agents_first_words():
    assert summary_of("Now it returns 0.0.") == "Now it returns 0.0."
    assert goal_of("Now add the tests") == "add the tests"
