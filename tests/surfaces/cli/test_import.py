"""`rum import` of git histories, issues and other tools' knowledge, and export to AGENTS.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rum import Rum
from support.repositories import Repository, fast_history
from support.typescript_rum import write_database
from surfaces.cli.running import Run

ISSUES = json.dumps([{"number": 1, "title": "Gate open", "createdAt": "2024-01-02T03:04:05Z"}]).encode()


@pytest.fixture
def repo(project: Path) -> Repository:
    """A repository in the project's folder with a commit, its revert, and commits to skip."""
    repo = Repository(project)
    repo.commit("Begin", {"gate": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n"})
    repo.revert(bad, "It crashes.")
    repo.commit("Bump left-pad", {"deps": "1"}, author="dependabot[bot]")
    return repo


def test_git_history_is_imported_and_counted(repo: Repository, run: Run, rum: Rum):
    ran = run("import", "git")
    first, *rest = ran.out.splitlines()
    assert re.fullmatch(r"Added 3 memories in \d+\.\d s\.", first)
    assert rest == ["Skipped: bot 1.", "Found: failures 1, links 1."]
    assert (ran.code, ran.err) == (0, "")
    assert rum.list().total == 3
    again, *_ = run("import", "git").out.splitlines()
    assert re.fullmatch(r"Added 0 memories in \d+\.\d s \(3 already present\)\.", again)


def test_forgotten_and_updated_memories_are_counted(repo: Repository, run: Run, rum: Rum):
    run("import", "git")
    rum.forget(next(one.id for one in rum.list().memories if one.intent_goal == "Begin"))
    repo.revert(repo.git("log", "-1", "--format=%H", "--grep=^Revert"), "It was needed.")
    output = run("import", "git").out.splitlines()[0]
    assert output.startswith("Added 1 memory in ")
    assert output.endswith(" s (2 already present, 2 updated).")
    output = run("import", "git", "--paths", ".").out.splitlines()[0]  # reads everything once more
    assert output.endswith(" s (3 already present, 1 forgotten).")


def test_after_a_large_import_a_note_says_how_to_compute_vectors(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
):
    fast_history(project, [f"Work {number}".encode() for number in range(200)])
    output = run("import", "git", "--dry-run")
    assert (output.out, output.err) == (
        "Would add 200 memories.\n",
        "No memory here yet: nothing is stored for shop.\n",
    )
    output = run("import", "git")
    assert output.err.startswith("200 memories have no vector yet")
    assert "rum tidy --wait" in output.err
    assert run("import", "git", "--json").err == ""
    run("export", "all.jsonl")
    assert "200 memories have no vector yet" in run("--project", "copy", "import", "all.jsonl").err
    assert run("--project", "copy", "import", "all.jsonl", "--json").err == ""
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    assert run("import", "git").err == ""


def test_json_has_every_count(repo: Repository, run: Run):
    answer = run("import", "git", "--json").json
    assert answer.pop("seconds") >= 0
    assert answer == {
        "added": 3,
        "unchanged": 0,
        "updated": 0,
        "different": 0,
        "forgotten": 0,
        "failures": 1,
        "links": 1,
        "rewritten": 0,
        "cut": 0,
        "skipped": {"bot": 1},
        "dry_run": False,
        "notes": [],
    }


def test_options_select_commits(repo: Repository, run: Run, rum: Rum):
    assert run("import", "git", "--dry-run").out.startswith("Would add 3 memories.")
    assert run("import", "git", "--max", "1", "--json").json["added"] == 1
    assert run("import", "git", "--since", "2100-01-01", "--json").json["added"] == 0
    assert run("import", "git", "--paths", "deps", "--json").json["skipped"] == {"bot": 1}
    assert rum.list().total == 1


def test_another_repository_is_imported_into_its_own_project(run: Run, rum: Rum, tmp_path: Path):
    other = Repository(tmp_path / "other")
    other.commit("Elsewhere", {"a": "1"})
    assert run("import", "git", str(other.root)).code == 0
    assert rum.list().total == 0
    assert run("--project", str(other.root), "list", "--json").json["total"] == 1


def test_without_a_repository_there_is_nothing_to_import(run: Run):
    ran = run("import", "git")
    assert (ran.code, ran.out) == (1, "")
    assert "is not in a git repository" in ran.err


def test_notes_go_to_stderr(project: Path, run: Run):
    Repository(project)
    ran = run("import", "git")
    assert (ran.code, ran.err) == (
        0,
        "There are no commits here yet.\nNo memory here yet: nothing is stored for shop.\n",
    )


@pytest.mark.parametrize("arguments", [["--max", "0"], ["--since", "soon"], ["--nonsense"], ["a", "b"]])
def test_a_wrong_command_line_is_refused(repo: Repository, run: Run, arguments: list[str]):
    assert run("import", "git", *arguments).code == 2


def test_issues_are_imported_from_a_file_or_stdin(project: Path, run: Run):
    (project / "issues.json").write_bytes(ISSUES)
    ran = run("import", "github-issues", "issues.json")
    assert ran.out.startswith("Added 1 memory in ")
    assert run("import", "github-issues", "-", "--json", stdin=ISSUES).json["unchanged"] == 1


@pytest.mark.parametrize(
    ("stdin", "words"), [(b"{", "not JSON"), (b"[]", "no issues"), (b'[{"number": 1}]', "`title`")]
)
def test_invalid_issues_are_refused(run: Run, rum: Rum, stdin: bytes, words: str):
    ran = run("import", "github-issues", "-", stdin=stdin)
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    assert rum.list().total == 0


def test_a_missing_file_is_named(run: Run):
    ran = run("import", "github-issues", "missing.json")
    assert ran.code == 1
    assert "missing.json" in ran.err


def test_guides_are_imported_as_notes_once(run: Run, project: Path):
    (project / "CLAUDE.md").write_text("# Build\n\nRun make.\n\n# Tests\n\nUse pytest.\n")
    (project / "MEMORY.md").write_text("# build\n\nRun  make.\n")
    assert run("import", "agents-md", "CLAUDE.md", "MEMORY.md", "--json").json["added"] == 2
    assert run("import", "agents-md", "CLAUDE.md", "MEMORY.md", "--json").json["unchanged"] == 3
    assert "Use pytest." in run("note", "show", "tests").out


def test_a_forgotten_note_is_not_imported_again(run: Run, project: Path):
    (project / "AGENTS.md").write_text("# Build\n\nRun make.\n")
    run("import", "agents-md", "AGENTS.md")
    assert run("forget", "build#1").code == 0
    assert run("import", "agents-md", "AGENTS.md", "--json").json["forgotten"] == 1


def test_a_missing_file_changes_nothing(run: Run, project: Path):
    (project / "AGENTS.md").write_text("# Build\n\nRun make.\n")
    ran = run("import", "agents-md", "AGENTS.md", "GONE.md")
    assert ran.code == 1
    assert "GONE.md" in ran.err
    assert run("note", "list").out == ""


def test_a_graph_is_imported_as_linked_memories_once(run: Run):
    graph = (
        b'{"type":"entity","name":"Ada","entityType":"person","observations":["Speaks Spanish"]}\n'
        b'{"type":"entity","name":"Acme","entityType":"company","observations":["Makes anvils"]}\n'
        b'{"type":"relation","from":"Ada","to":"Acme","relationType":"works_at"}\n'
    )
    answer = run(
        "import",
        "mcp-memory",
        "-",
        stdin=graph,
    ).out
    assert "Added 2 memories" in answer
    assert "links 1" in answer
    again = run("import", "mcp-memory", "-", "--json", stdin=graph).json
    assert (again["added"], again["unchanged"], again["links"]) == (0, 2, 0)
    more = graph.replace(b'["Makes anvils"]', b'["Makes anvils", "Closed in May"]')
    assert run("import", "mcp-memory", "-", "--json", stdin=more).json["updated"] == 1
    assert "Acme" in run("recall", "closed in may").out


def test_the_database_of_the_typescript_rum_is_imported(run: Run, project: Path):
    database = write_database(project / "shop.rum.db")
    assert run("import", "typescript-rum", str(database), "--dry-run").out.splitlines() == [
        "Would add 3 memories.",
        "Would add 3 chapters and wisdom.",
    ]
    first, *rest = run("import", "typescript-rum", str(database)).out.splitlines()
    assert first.startswith("Added 3 memories in ")
    assert rest == ["Added 3 chapters and wisdom.", "Found: agents 2, links 3."]
    again = run("import", "typescript-rum", str(project), "--json").json
    assert (again["added"], again["unchanged"], again["chapters"]["unchanged"]) == (0, 3, 3)
    assert (
        "Never refresh tokens without a lock" in run("recall", "cache login tokens", "--depth", "outcome").out
    )
    ran = run("import", "typescript-rum", "missing.db")
    assert (ran.code, ran.out) == (1, "")
    assert "missing.db" in ran.err


def test_export_writes_one_section_and_changes_nothing_else(run: Run, project: Path):
    file = project / "AGENTS.md"
    file.write_bytes(b"# Mine\r\n\r\nWords.\r\n")
    run("facts", "set", "ci.python", "3.11 <!-- rum-knowledge: end --> only")
    run("rules", "add", "a release is made", "bump the version")
    assert run("export", "agents-md", "--json").json["changed"]
    text = file.read_bytes().decode()
    assert text.startswith("# Mine\r\n\r\nWords.\r\n")
    assert "ci.python: 3.11" in text
    assert "- When a release is made: bump the version" in text
    assert text.count("<!-- rum-knowledge: end -->") == 1
    assert not run("export", "agents-md", "--json").json["changed"]
    assert file.read_bytes().decode() == text
    run("facts", "set", "ci.python", "3.12")
    run("export", "agents-md")
    assert "3.12" in file.read_text()
    assert "3.11" not in file.read_text()
    assert run("import", "agents-md", "AGENTS.md", "--json").json["added"] == 1
