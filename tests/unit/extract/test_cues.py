"""Sentences about constraints are distinguished from talk, steps and guesses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.extract.by_rules import find_by_rules
from rum.extract.cues import statement_kind
from rum.model.runs import FindingKind, FinishedRun

CONSTRAINTS = [
    "The importer must run before the indexer starts.",
    "Never call the destructor twice on the same handle.",
    "Always quote column names in migrations, because two of them are reserved words.",
    "The worker requires a running broker, otherwise it exits without a message.",
    "Date pickers only work with ISO strings.",
    "Don't rely on the order of keys in the export.",
    "Fonts have to be bundled since the sandbox has no network.",
    "The scheduler can't be restarted while a backup is running.",
    "Background jobs must not touch the session.",
    "Snapshots need at least two replicas.",
    "You have to regenerate the client after changing the schema.",
    "Turns out that the mailer cannot send attachments larger than a megabyte.",
    "I learned that invoices may not be deleted once they were sent.",
    "the staging cluster never gets the real customer data",
    "Avoid nested transactions, the pool has a single connection.",
    "Webhooks are only delivered once, so the handler must store them first.",
    "Translations can only be edited in the translation tool, never by hand.",
    "The gateway won't accept tokens of the old issuer.",
    "No more than three imports may run at the same time.",
]
CAUSES = [
    "The report is slow because every row is fetched one by one.",
    "Uploads fail when the name of the file has an umlaut in it.",
    "The emulator hangs unless hardware acceleration is switched on.",
    "Without the index on status the nightly report takes hours.",
    "Logins break after midnight since the clock of the container drifts.",
    "Mails are sent twice because both workers pick up the same job.",
]
NOTHING = [
    "I had to restart the server twice.",
    "We need to write more tests for the parser.",
    "You must be kidding about the deadline.",
    "This must have been a fluke of the network.",
    "I always run the tests before pushing to the branch.",
    "I never saw this warning in the console before.",
    "Never mind, it works now with the other branch.",
    "It should work now because the import is fixed.",
    "Don't worry about the warnings in the console.",
    "Please don't hesitate to ask for more details.",
    "I don't know why the second test failed.",
    "There must be a typo somewhere in the template.",
    "I only changed the title because you asked for it.",
    "It requires a few more changes.",
    "The review never took place as planned.",
    "Had to rebase because the main branch moved on.",
    "Always happy to help with the next one.",
    "I can't reproduce the crash on this machine.",
    "The file could not be found on the first try.",
    "Everything must be fine now with the build.",
    "The build never finished, so it was cancelled after an hour.",
    "We should always be careful with such changes.",
    "Must the old endpoint stay as it is?",
    "Next we have to look at the second service.",
    "All tests must pass.",
    "It might be that the cache must be cleared first.",
    "The ticket says the list must have a filter, so one was added.",
    "That is only a small change because the code was prepared for it.",
    "This can't be merged before the review is done.",
    "The cache had to be cleared before the second attempt.",
    "The diff is large because the whole file was formatted again.",
    "The first attempt failed because the machine was switched off.",
    "Somebody has to look at the layout of the second page.",
    "The list is longer now because two entries were added.",
    "You don't have to restart the worker for that.",
]


def found(text: str) -> FindingKind | None:
    return find_by_rules(FinishedRun(agent="a", task="Do it", agent_output=text, result="success")).kind


@pytest.mark.parametrize("text", CONSTRAINTS)
def test_a_constraint_in_plain_words_is_kept(text: str):
    assert statement_kind(text) is FindingKind.CONSTRAINT
    assert found(text) in (FindingKind.CONSTRAINT, FindingKind.PATTERN)


@pytest.mark.parametrize("text", CAUSES)
def test_a_cause_in_plain_words_is_kept(text: str):
    assert statement_kind(text) is FindingKind.ERROR
    assert found(text) is FindingKind.ERROR


@pytest.mark.parametrize("text", NOTHING)
def test_talk_steps_and_guesses_are_not_kept(text: str):
    assert found(text) is None


def test_many_learnings_make_one_note():
    run = FinishedRun(
        agent="a", task="Do it", agent_output="\n\n".join(["Done.", *CONSTRAINTS]), result="success"
    )
    finding = find_by_rules(run)
    assert finding.kind is FindingKind.CONSTRAINT
    assert [text for text in CONSTRAINTS if text not in finding.content] == []


@given(st.text())
def test_any_text_can_be_read(text: str):
    assert statement_kind(text) in (None, *FindingKind)
