"""`rum extract` and `rum tokens`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.language_models import ModelServer
from surfaces.cli.running import Run

RUN = {
    "agent": "debugger",
    "task": "The export is empty",
    "agentOutput": "Root cause: `filter()` fails because src/export.py drops rows. The app needs Node 18+.",
    "result": "failure",
    "error": "AssertionError: no rows",
}
YAML = """\
agent: debugger
task: The export is empty
result: failure
error: "AssertionError: no rows"
agentOutput: |
  Root cause: `filter()` fails because src/export.py drops rows. The app needs Node 18+.
"""
TITLE = "filter() fails because src/export.py drops rows"


def notes(project: Path) -> list[Path]:
    return list((project / ".rum" / "notes").glob("*.md"))


def test_a_run_in_json_on_stdin_is_stored_and_shown(run: Run, project: Path):
    ran = run("extract", stdin=RUN)
    assert ran.code == 0
    assert ran.out.startswith(
        f"{TITLE}\nnote: filter-fails-because-src-export-py-drops-rows#1\nkind: error\n"
    )
    assert "Stored fact node: 18+" in ran.out
    assert len(notes(project)) == 1


def test_a_run_in_a_yaml_file_gives_the_same_result(run: Run, project: Path):
    (project / "run.yaml").write_text(YAML)
    from_file = run("extract", "run.yaml", "--dry-run", "--json").json
    from_stdin = run("extract", "--dry-run", "--json", stdin=RUN).json
    from_yaml = run("extract", "-", "--dry-run", "--json", stdin=YAML.encode()).json
    for found in (from_file, from_stdin, from_yaml):
        found["frontmatter"].pop("discoveredAt")  # the clock goes on between them
    assert from_file == from_stdin == from_yaml
    assert from_file["memoryTitle"] == TITLE


def test_a_dry_run_stores_nothing(run: Run, project: Path):
    ran = run("extract", "--dry-run", stdin=RUN)
    assert "note: would be added" in ran.out
    assert "Would store fact node: 18+" in ran.out
    assert notes(project) == []
    assert run("facts", "list").out == ""


def test_what_is_not_stored_is_explained(run: Run):
    run("extract", stdin=RUN)
    ran = run("extract", stdin=RUN)
    assert ran.code == 0
    assert ran.out.startswith("No note: The output has what went wrong and why")
    assert "The note was not stored: duplicate of the note filter-fails-because" in ran.out
    assert "Skipped fact node: it is known already." in ran.out


def test_the_reason_for_no_note_is_printed(run: Run):
    ran = run("extract", stdin={**RUN, "agentOutput": "Done.", "error": None})
    assert ran.out == "No note: The output has only steps and plans.\n"


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (b"", "must hold one run"),
        (b"[1, 2]", "must hold one run"),
        (b"{", "is not JSON"),
        (b"a: [", "not valid YAML"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"agent: a\nagent: b", "agent"),
        (b"a: &x [1]\nb: *x", "alias"),
        (b'{"agent": "a"}', "`task` is required"),
        (b'{"agentt": "a"}', "Did you mean `agent`?"),
        (b'{"agentOutputs": "a"}', "Did you mean `agentOutput`?"),
        (b'{"agent": "a", "task": "b", "result": "success"}', "`agentOutput` is required"),
        (b'{"xyz": 1}', "Allowed: agent, agentOutput, error, existingMemories, result, task."),
        (b"{" + b'"a":{' * 5000, "nested too deeply"),
    ],
)
def test_an_invalid_run_is_refused(run: Run, project: Path, stdin: bytes, message: str):
    ran = run("extract", stdin=stdin)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert notes(project) == []


def test_a_missing_file_is_named(run: Run):
    ran = run("extract", "nowhere.yaml")
    assert ran.code == 1
    assert "nowhere.yaml" in ran.err


def test_a_failure_of_the_language_model_is_noted_on_stderr(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
):
    with ModelServer().serving() as server:
        for name, value in server.settings("anthropic", llm_key="key-123456").items():
            monkeypatch.setenv(name, value)
        server.script = ["nonsense"]
        ran = run("extract", stdin=RUN)
        counted = run("tokens")
    assert ran.code == 0
    assert "Extracted by rules, as the language model failed." in ran.err
    assert len(notes(project)) == 1
    assert counted.out.startswith("Language model: anthropic: some-model. Tokens today: 220 of 200000.\n")
    assert counted.out.splitlines()[1].endswith(": 2 requests, 200 tokens read, 20 written")
    assert "key-123456" not in ran.out + ran.err + counted.out + run("config").out


def test_no_tokens_are_counted_before_the_first_request(run: Run):
    assert run("tokens").out == "Language model: none. Tokens today: 0 of 200000.\n"
    assert run("tokens", "--json").json == {"model": None, "limit": 200_000, "today": 0, "days": {}}
