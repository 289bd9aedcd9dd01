"""The task in a prompt: its goal, context and type, and prompts that continue earlier work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.goals import (
    GOAL,
    PromptKind,
    context_of,
    goal_of,
    is_continuation,
    offer_in,
    read_prompt,
    split_pasted,
    task_type,
)
from rum.capture.observe.messages import without_client_tags

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/worker.py", line 14, in <module>
    main()
  File "/srv/app/worker.py", line 5, in pick_queue
    return settings["queue"]["name"]
KeyError: 'queue'
"""
ERROR = "KeyError: 'queue' in pick_queue (worker.py)"


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
    ("prompt", "goal"),
    [
        ("ultrathink. why is the build slow?", "why is the build slow?"),
        ("think hard about this. I'd like you to split the parser", "split the parser"),
        ("Now add the tests", "add the tests"),
        (
            "hey claude, could you please have a look at @src/app.py and add logging? thanks!",
            "have a look at src/app.py and add logging",
        ),
        ("um so basically i want you to uh add a dark mode toggle", "add a dark mode toggle"),
        ("/plan add oauth login to the admin page", "add oauth login to the admin page"),
        (
            "hey! hope you're well :) think hard about this one please. shorten() must not cut words",
            "shorten() must not cut words",
        ),
        (
            "### Describe the bug\nparse() crashes on 1.2.0rc1\n\n### Checklist\n- [x] I searched the issues",
            "parse() crashes on 1.2.0rc1",
        ),
        ("quick q: where does the tenant come from?", "where does the tenant come from?"),
        ("/fix-issue 123", "fix-issue 123"),
        (
            "the daily report takes 90s. make it faster pls",
            "the daily report takes 90s. make it faster",
        ),
        (
            "A couple of things:\n- the header is misaligned\n- the login button does nothing\nthanks",
            "the header is misaligned; the login button does nothing",
        ),
        (
            "1. rename foo to bar\n2. add a test for it\n3. update the changelog",
            "rename foo to bar; add a test for it; update the changelog",
        ),
        ("请帮我修复登录页面的崩溃问题", "修复登录页面的崩溃问题"),
        ("Kannst du bitte die Tests reparieren?", "die Tests reparieren"),
        ("peux-tu corriger le bug du panier ?", "corriger le bug du panier"),
    ],
)
def test_a_goal_is_the_task_without_pleasantries_and_modes(prompt: str, goal: str):
    assert goal_of(prompt) == goal


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        (
            f"users are reporting the following in prod, can you take a look?\n\n{TRACEBACK}",
            f"users are reporting in prod: {ERROR}",
        ),
        (
            f"getting this on the new box:\n\n{TRACEBACK}\nit should use the default queue",
            f"getting this on the new box: {ERROR}; it should use the default queue",
        ),
        (TRACEBACK, ERROR),
        (
            "npm test fails:\n\nFAIL src/a.test.js\n  ● adds\n    TypeError: x is not a function\n"
            "      at add (src/a.js:3:4)\n",
            "npm test fails: TypeError: x is not a function in add (a.js)",
        ),
        (
            "any idea?\n2026-11-01 12:00:01 ERROR worker: connection refused to db:5432",
            "worker: connection refused to db:5432",
        ),
        ('the config\n{\n "a": 1,\n "b": [1]\n}\nmake b optional', "the config; make b optional"),
    ],
)
def test_of_a_pasted_text_the_goal_names_only_the_error(prompt: str, goal: str):
    assert goal_of(prompt) == goal


def test_a_pasted_error_makes_the_task_a_bug_fix():
    assert task_type(f"getting this on the new box:\n\n{TRACEBACK}") == "bug_fix"


def test_typed_and_pasted_lines_are_told_apart():
    typed, pasted = split_pasted(f"It dies:\n{TRACEBACK}\nPlease use a default.")
    assert "queue" not in typed
    assert pasted.endswith("KeyError: 'queue'")


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("commit it", "record"),
        ("great, commit and push it please", "record"),
        ("commit this with the message 'Add retry'", "record"),
        ("thx", "record"),
        ("提交吧", "record"),
        ("go on", "go_on"),
        ("try again", "go_on"),
        ("继续", "go_on"),
        ("mach weiter", "go_on"),
        ("yes, do it", "answer"),
        ("はい、お願いします", "answer"),
        ("csv then. do it", "answer"),
        ("and now the tests", "next_step"),
        ("same for refunds.py", "next_step"),
        ("continue where we left off", "resume"),
        ("let's finish yesterday's work", "resume"),
        ("fix the login", "task"),
        ("no, use the other one", "task"),
        ("Commit messages should be checked by a hook. Add one to the repository, with tests.", "task"),
        ("continue the migration to postgres in the billing service, table by table, with tests", "task"),
    ],
)
def test_what_a_prompt_is_in_the_conversation(prompt: str, kind: str):
    assert read_prompt(prompt).kind == kind


def test_a_short_reply_answers_a_question_of_the_agent():
    asked = "Both are easy. Do you want csv or json?"
    assert read_prompt("csv", asked) == (PromptKind.ANSWER, "csv")
    assert read_prompt("csv") == (PromptKind.TASK, "")
    assert read_prompt("fix the login first", asked).kind == PromptKind.TASK
    assert (
        goal_of("csv", "add an export to the report page", asked) == "add an export to the report page (csv)"
    )


def test_an_agreed_proposal_is_the_goal():
    proposed = "The endpoint works. Shall I also add a --json flag to the CLI?"
    assert offer_in(proposed) == "add a --json flag to the CLI"
    assert goal_of("yes, do it", "add the endpoint", proposed) == "add a --json flag to the CLI"
    assert task_type("yes, do it", "why is it slow?", proposed) == "feature_add"
    context = context_of("yes, do it", "add the endpoint", proposed)
    assert context.startswith("After: add the endpoint Asked “The endpoint works. Shall I")


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("修复登录页面的崩溃问题", "bug_fix"),
        ("为什么构建这么慢？看看", "investigation"),
        ("füge eine Option --json hinzu", "feature_add"),
        ("Benenne die Klasse Foo in Bar um", "refactor"),
        ("corrige le bug dans le panier", "bug_fix"),
        ("añade un botón de exportar", "feature_add"),
        ("добавь кнопку экспорта", "feature_add"),
        ("ログイン画面のバグを直して", "bug_fix"),
    ],
)
def test_the_task_type_is_known_in_other_languages(prompt: str, kind: str):
    assert task_type(prompt) == kind


@given(st.text(max_size=500), st.text(max_size=200), st.text(max_size=200))
def test_any_prompt_has_a_goal_of_one_line(prompt: str, earlier: str, said: str):
    goal = goal_of(prompt, earlier, said)
    assert len(goal) <= GOAL + 3
    assert "\n" not in goal
    context_of(prompt, earlier, said)
    task_type(prompt, earlier, said)


@pytest.mark.parametrize("sign", [" ", ".", ":", "ok ", "the following ", "> x\n", "@a/", "好"])
def test_a_long_prompt_is_read_in_linear_time(sign: str):
    assert len(goal_of(sign * 10_000)) <= GOAL
