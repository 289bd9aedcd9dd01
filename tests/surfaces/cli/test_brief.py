"""`rum brief`: the text for a prompt, or JSON with details."""

from __future__ import annotations

from pathlib import Path

from support.fences import inside
from surfaces.cli.running import FLAGS, Run

TASK = ("--task", "Fix the token refresh")


def test_only_the_text_for_a_prompt_is_printed(run: Run):
    run("store", *FLAGS)
    run("facts", "set", "token", "JWT → RS256")
    done = run("brief", *TASK, "--file", "src/auth.py")
    assert (done.code, done.err) == (0, "")
    assert inside(done.out).endswith("- token: JWT → RS256")
    assert "- Fix the race in token refresh: Only the request was guarded (race_condition)" in done.out
    assert run("brief", *TASK, "--file", "src/auth.py").out == done.out


def test_the_task_may_be_given_without_its_option(run: Run):
    run("facts", "set", "token", "JWT → RS256")
    assert run("brief", "Fix the", "token refresh").out == run("brief", *TASK).out != ""
    both = run("brief", "Fix it", *TASK)
    assert (both.code, both.err) == (1, "rum: Give the task once: as TASK or with --task.\n")


def test_nothing_is_printed_if_nothing_is_known(run: Run):
    done = run("brief", *TASK)
    assert (done.code, done.out) == (0, "")
    assert done.err == "No memory here yet: nothing is stored for shop.\nNothing is known about this yet.\n"


def test_without_arguments_the_error_names_what_to_give(run: Run):
    assert run("brief").err == (
        "No memory here yet: nothing is stored for shop.\n"
        "No open follow-ups. Name a task or a file to get what is known about it.\n"
    )


def test_json_lists_the_included_items_with_points_and_tokens(run: Run):
    run("facts", "set", "token", "JWT")
    answer = run("brief", *TASK, "--json").json
    (taken,) = answer["taken"]
    assert taken == {
        "kind": "fact",
        "id": "token",
        "points": 40.0,
        "tokens": taken["tokens"],
        "shortened": False,
    }
    assert answer["text"] == run("brief", *TASK).out
    assert 0 < taken["tokens"] < answer["tokens"] < 600


def test_the_token_limit_is_kept_and_omitted_items_are_counted(run: Run):
    for number in range(9):
        run("facts", "set", f"token {number}", "a value of some length " * 4)
    done = run("brief", *TASK, "--tokens", "120")
    assert "more did not fit; raise --tokens to include them." in done.err
    assert run("brief", *TASK, "--tokens", "120", "--json").json["tokens"] <= 120
    none = run("brief", *TASK, "--tokens", "9")
    assert (none.code, none.out) == (0, "")
    assert "Nothing fits in 9 tokens" in none.err
    assert run("brief", *TASK, "--tokens", "0").code == 2


def test_the_brief_is_for_the_named_agent_and_session(run: Run):
    entry = ("--session", "monday", "--agent", "developer")
    run("journal", "add", "discovery", "--type", "code_pattern", "--content", "Seen", *entry)
    assert "- [code_pattern] Seen" in run("brief", *TASK, *entry).out
    assert run("brief", *TASK, "--session", "monday", "--agent", "tester").out == ""


def test_a_broken_note_is_reported_and_the_rest_is_printed(run: Run, project: Path):
    run("note", "add", "Tokens", "--when", "token", "--content", "They live for an hour.")
    (project / ".rum/notes/broken.md").write_text("---\ntitle: [\n---\nx\n")
    done = run("brief", *TASK)
    assert "They live for an hour." in done.out
    assert "broken.md" in done.err
