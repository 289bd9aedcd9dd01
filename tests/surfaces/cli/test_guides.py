"""Import of other tools' knowledge, and export to AGENTS.md."""

from __future__ import annotations

from pathlib import Path

from surfaces.cli.running import Run


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
