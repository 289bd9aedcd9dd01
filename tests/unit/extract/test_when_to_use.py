"""The patterns of a note match its own subject and no other tasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.extract.by_rules import find_by_rules
from rum.extract.entities import is_common, is_vague
from rum.extract.when_to_use import distinctive_names, task_pattern, topic_pattern, when_to_use
from rum.model.fields import parse
from rum.model.runs import FinishedRun
from rum.text.patterns import Text, best, compiled
from support.labelled_runs import labelled

COMMON = [
    "result",
    "Results",
    "error",
    "files",
    "tests",
    "value",
    "config",
    "handler",
    "token",
    "request",
    "payment",
    "json",
]
OTHER_TASKS = [
    "Fix the bug in the result list",
    "Add a test for the config file",
    "Update the error message of the request handler",
    "Improve the performance of the server",
    "Rename the function that returns a value",
    "Write the docs for the new command",
]


def matches(patterns: tuple[str, ...], task: str) -> bool:
    return best(list(map(compiled, patterns)), Text(task)) is not None


@pytest.mark.parametrize("word", COMMON)
def test_a_lone_common_word_is_no_pattern_however_it_is_written(word: str):
    for text in (f"The `{word}` is cached", f"the {word.title()} type is frozen", f"see {word}.py", word):
        found = when_to_use(text, f"{text}.", "Do it")
        parts = [part for pattern in found for part in pattern.split("|")]
        assert word.lower() not in [part.strip() for part in parts]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`refreshToken()` is called twice by src/auth/interceptor.ts", ["refreshtoken", "interceptor.ts"]),
        ("The pool of billing_db is too small for CartReducer", ["billing_db", "cartreducer"]),
        ("It needs a key for Stripe and one for Amazon Pay", ["stripe", "amazon pay"]),
        ("React 19 cannot be used with @hello-pangea/dnd", ["react", "@hello-pangea/dnd"]),
        ("Never change config.py or index.ts or README.md", []),
        ("The Result of a Handler is a Value", []),
        ("Use `a|b`, `x*` and `two words`", []),
        ("Wrote 4 of them and told 3 others; Chose 2", []),
    ],
)
def test_specific_names_are_distinguished_from_common_words(text: str, names: list[str]):
    found = distinctive_names(text)
    assert [name for name in names if name not in found] == []
    if not names:
        assert found == []


@pytest.mark.parametrize(
    ("task", "pattern"),
    [
        ("Do it", ""),
        ("Fix the bug", ""),
        ("Add a test", ""),
        ("Update the docs", "update.*docs"),
        ("Add webhooks", "add.*webhooks"),
        ("Set up the project", ""),
        ("Users are logged out at random", "logged.*random"),
        ("Handle a missing customer", "missing.*customer"),
        (
            "Umlauts vanish from Kyrgyz invoices overnight",
            "When the task is about: Umlauts vanish from Kyrgyz invoices overnight",
        ),
    ],
)
def test_a_task_with_words_of_its_own_gives_a_pattern(task: str, pattern: str):
    assert task_pattern(task) == pattern
    assert not pattern or matches((pattern,), task)


@pytest.mark.parametrize(
    ("title", "task", "pattern"),
    [
        (
            "Redeliveries of webhooks are signed with the tenant's salt",
            "Add webhooks",
            "When the task is about: webhooks redeliveries signed salt",
        ),
        (
            "Images can only be built with kaniko",
            "Build the image in CI",
            "",
        ),
        ("React 19 can't be used yet", "Upgrade React", ""),
        ("The cache fails when it is loaded twice", "Mend the session", ""),
        ("Add it", "Do it", ""),
    ],
)
def test_title_and_task_give_a_pattern_if_they_are_specific_enough(title: str, task: str, pattern: str):
    assert topic_pattern(title, task) == pattern


@pytest.mark.parametrize("task", OTHER_TASKS)
def test_no_note_of_a_labelled_run_matches_other_tasks(task: str):
    wrong: list[tuple[str, tuple[str, ...]]] = []
    for case in labelled("known"):
        finding = find_by_rules(parse(case.run, FinishedRun, "run"))
        if finding.title and matches(finding.when_to_use, task):
            wrong.append((case.name, finding.when_to_use))
    assert wrong == []


def test_every_note_of_a_labelled_run_has_patterns():
    for case in labelled("known"):
        finding = find_by_rules(parse(case.run, FinishedRun, "run"))
        assert bool(finding.when_to_use) == bool(finding.title)


def test_common_words_are_recognised_in_every_form():
    assert is_common("Tests")
    assert is_common("tested")
    assert is_vague("results")
    assert not is_common("webhook")


@given(st.text(), st.text(), st.text())
def test_any_text_gives_valid_patterns(title: str, content: str, task: str):
    for pattern in when_to_use(title, content, task):
        assert pattern.strip()
        assert len(when_to_use(title, content, task)) <= 3
