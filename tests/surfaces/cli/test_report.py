"""`rum report`: a page on stdout or in a file; only an earlier report is overwritten."""

from __future__ import annotations

from pathlib import Path

from surfaces.cli.running import FLAGS, Run


def test_a_page_of_markdown_is_printed(run: Run):
    run("store", *FLAGS)
    done = run("report")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("# Memory report: shop\n\n1 memory by 1 agent, on ")
    assert "| `src/auth.py` | 1 | 1 | " in done.out
    assert "- “Hold the lock until the token is written” – 1 memory, last " in done.out


def test_an_empty_report_says_how_to_begin(run: Run):
    done = run("report")
    assert done.code == 0
    assert "There are no memories yet." in done.out
    assert "No memories since 2020-01-01." in run("report", "--since", "2020-01-01").out


def test_json_has_the_figures_and_the_text(run: Run):
    run("store", *FLAGS)
    answer = run("report", "--json").json
    assert (answer["memories"], answer["successes"], answer["agents"][0]["memories"]) == (1, 0, 1)
    assert answer["text"] == run("report").out


def test_an_earlier_report_is_overwritten_but_no_other_file(run: Run, project: Path):
    run("store", *FLAGS)
    done = run("report", "--out", "page.md")
    assert (done.code, done.out) == (0, "page.md: 1 memories\n")
    first = (project / "page.md").read_text()
    assert first == run("report").out
    run("store", *FLAGS)
    assert run("report", "--out", "page.md", "--json").json == {"file": "page.md", "memories": 2}
    assert (project / "page.md").read_text() != first
    (project / "README.md").write_text("# Mine\n")
    refused = run("report", "--out", "README.md")
    assert refused.code == 1
    assert "README.md exists already and is not a report; nothing was changed." in refused.err
    assert (project / "README.md").read_text() == "# Mine\n"
    assert sorted(path.name for path in project.iterdir()) == ["README.md", "page.md"]


def test_a_file_that_cannot_be_written_is_an_error(run: Run, project: Path):
    gone = run("report", "--out", "no/such/folder/page.md")
    assert gone.code == 1
    assert "no/such/folder" in gone.err
    (project / "folder").mkdir()
    assert run("report", "--out", "folder").code == 2
    assert run("report", "--since", "whenever").code == 2


def test_no_escape_sequence_is_printed_or_written(run: Run, project: Path):
    run("store", "--goal", "Red \x1b[31malert\x07", "--type", "bug_fix", "--summary", "x", "--failure")
    run("report", "--out", "page.md")
    assert "\x1b" not in run("report").out + (project / "page.md").read_text()
