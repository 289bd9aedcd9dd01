"""What tells something: rules and causes before steps and talk."""

from __future__ import annotations

import pytest

from rum.consolidate.chapters.statements import (
    ENOUGH,
    is_rule,
    needs_context,
    sentence_weight,
)

TELLING = [
    "`memzero()` must not be passed a NULL pointer because that is undefined behavior.",
    "The root cause was that `target_runner()` used the wrong table.",
    "Turns out the cache name contains the arch already.",
    "OpenSSL 3.5.5 has an ABI mismatch that breaks powerpc64 builds.",
    "If a caller passes NULL, the function crashes, since it never checks `cb`.",
]
TALK = [
    "Add a test for this.",
    "Reported by Ann in the chat, thanks.",
    "Should we do this for `main()` too?",
    "Renamed the variable.",
    "As discussed, this will follow.",
    "The following table shows why:",
    "On Fedora 37 (at least), MFEX unit tests are failing because of deprecation warnings:",
    "This commit introduces the initial infrastructure required to allow other implementations.",
    "This patch adds more detailed debug logs on failures to ease debugging the actual cause.",
]


@pytest.mark.parametrize("sentence", TELLING)
def test_rules_causes_and_faults_tell_enough(sentence: str):
    assert sentence_weight(sentence) >= ENOUGH


@pytest.mark.parametrize("sentence", TALK)
def test_steps_questions_and_talk_do_not(sentence: str):
    assert sentence_weight(sentence) < ENOUGH


def test_a_rule_needs_no_story_around_it():
    assert is_rule("`memzero()` must not be passed a NULL pointer.")
    assert not is_rule("It must not be passed a NULL pointer.")
    assert not is_rule("Before this patch `memzero()` could be passed a NULL pointer, which must not be.")
    assert not is_rule("`memzero()` clears a buffer.")


def test_a_sentence_that_points_back_leans():
    assert needs_context("This led to `EAGAIN`.")
    assert needs_context("Otherwise it hangs.")
    assert not needs_context("Thistle.c hangs.")
