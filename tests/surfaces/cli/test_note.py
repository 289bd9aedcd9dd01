"""`rum note` and `rum import notes`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fences import inside
from surfaces.cli.running import Run

AUTH = ["note", "add", "Auth module", "--when", "auth|login", "--importance", "high", "--tag", "auth"]


def notes(project: Path) -> Path:
    return project / ".rum" / "notes"


def test_an_entry_is_added_from_an_option_a_file_or_stdin(run: Run, project: Path):
    (project / "text.md").write_text("From a file.")
    assert run(*AUTH, "--content", "As an option.").out == "auth-module#1\n.rum/notes/auth-module.md\n"
    assert run(*AUTH, "--file", "text.md").out.startswith("auth-module#2\n")
    assert run(*AUTH, stdin=b"\xef\xbb\xbfFrom stdin.").out.startswith("auth-module#3\n")
    shown = run("note", "show", "auth-module", "--json").json
    assert [one["content"] for one in shown["entries"]] == ["As an option.", "From a file.", "From stdin."]


@pytest.mark.parametrize(
    ("more", "code", "word"),
    [
        (["--content", "a", "--file", "b"], 2, "not both"),
        (["--importance", "urgent"], 2, "urgent"),
        (["--content", "---\ntitle: x\n---"], 1, "code fence"),
    ],
)
def test_an_invalid_entry_is_explained(run: Run, project: Path, more: list[str], code: int, word: str):
    ran = run(*AUTH, *more)
    assert (ran.code, ran.out) == (code, "")
    assert word in ran.err
    assert not notes(project).exists()


def test_a_note_needs_when_to_use(run: Run):
    ran = run("note", "add", "A", "--content", "b")
    assert ran.code == 2
    assert "--when" in ran.err


def test_notes_are_listed_one_per_line(run: Run):
    run(*AUTH, "--content", "Text.")
    run("note", "add", "Old", "--when", "x", "--content", "y", "--superseded-by", "auth-module")
    first, second = run("note", "list").out.splitlines()
    assert first.split("\t")[:3] == ["auth-module", "high", "1"]
    assert second.split("\t")[4:] == ["Old", "superseded by auth-module"]
    assert run("note", "list", "--json").json["notes"][0]["tags"] == ["auth"]


def test_no_notes_is_no_error(run: Run):
    ran = run("note", "list")
    assert (ran.code, ran.out, ran.err) == (
        0,
        "",
        "No memory here yet: nothing is stored for shop.\nNo notes yet.\n",
    )
    ran = run("note", "match", "--task", "anything")
    assert (ran.code, ran.out) == (0, "")
    assert "No note matches" in ran.err


def test_broken_files_and_remarks_are_reported_with_the_list(run: Run, project: Path):
    run(*AUTH, "--content", "Text.")
    (notes(project) / "bad.md").write_text("---\ntitle: [\n---\n")
    (notes(project) / "odd.md").write_text("---\ntitle: Odd\nimportance: urgent\n---\n")
    ran = run("note", "list")
    assert len(ran.out.splitlines()) == 2
    assert "Skipped: " in ran.err
    assert "bad.md, line 3" in ran.err
    assert "odd.md, line 3: `importance` should be one of" in ran.err
    assert "odd.md, line 2: `whenToUse` is missing" in ran.err
    assert "line 3: `importance` should be one of" in run("note", "show", "odd").out
    doctor = run("doctor")
    assert (doctor.code, doctor.out.count("remark: ")) == (1, 2)
    assert "remark: .rum/notes/odd.md, line 3: `importance` should be" in doctor.out


def test_a_misleading_pattern_is_remarked_on(run: Run):
    added = run("note", "add", "A", "--when", r"\bauth\b", "--content", "b")
    assert (added.code, added.out) == (0, "a#1\n.rum/notes/a.md\n")
    assert "not a regular expression" in added.err


def test_the_text_for_a_prompt_is_printed_unchanged(run: Run):
    run(*AUTH, "--content", "Use JWT.\n\n    indented\n\x1b[31mred")
    _, _, text = inside(run("note", "match", "--task", "login page").out).partition("\n\n")
    assert text == (
        "## Background Knowledge from Previous Runs\n\n"
        "### Auth module\n*Importance: HIGH*\n*Discovered by: owner*\n\nUse JWT.\n\n    indented\n[31mred"
    )


def test_explain_shows_the_points_of_each_note(run: Run):
    run(*AUTH, "--content", "Use JWT.", "--discovered-by", "auth")
    ran = run("note", "match", "--task", "the auth module", "--plan", "p", "--agent", "auth", "--explain")
    assert ran.out.splitlines() == [
        "80 Auth module [auth-module#1]",
        "match: literal: auth|login",
        "points:",
        "  - 25: importance high",
        "  - 10: discovered less than 24 hours ago",
        "  - 20: 2 of 2 words of the title in the task",
        "  - 15: 1 of 1 tags are the agent's",
        "  - 10: discovered by the same agent",
    ]


def test_omitted_notes_are_counted(run: Run):
    for title in ("A", "B"):
        run("note", "add", title, "--when", "auth", "--content", "x")
    assert "1 of 2; raise --max for more." in run("note", "match", "--task", "auth", "--max", "1").err


def test_a_note_is_shown_with_its_history(run: Run):
    run(*AUTH, "--content", "Use JWT.", "--related", "gone")
    run(*AUTH, "--content", "Do not use JWT.")
    out = run("note", "show", "auth-module").out
    assert "Auth module [auth-module#1] earlier" in out
    assert "Auth module [auth-module#2]\n" in out
    assert "related, but missing: gone" in out
    assert "  - Do not use JWT. — auth-module#1: Use JWT." in out
    assert run("note", "show", "nothing").code == 1


def test_entries_are_forgotten_by_id_in_any_order(run: Run):
    for text in ("one", "two", "three"):
        run(*AUTH, "--content", text)
    assert run("forget", "auth-module").code == 1
    ran = run("forget", "auth-module#1", "auth-module#2", "--confirm", "shop")
    assert (ran.code, ran.out) == (0, "Forgotten: 2 entries.\n")
    assert [one["content"] for one in run("note", "show", "auth-module", "--json").json["entries"]] == [
        "three"
    ]
    assert run("forget", "auth-module#1").code == 0
    assert run("note", "list").out == ""


def test_notes_of_another_folder_are_imported(run: Run, project: Path, tmp_path: Path):
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "good.md").write_text("---\ntitle: Good\nwhenToUse: a\n---\n\nYes.\n")
    (folder / "bad.md").write_text("---\ntitle: [\n---\n")
    ran = run("import", "notes", str(folder))
    assert ran.code == 0
    assert ran.out.startswith("Added 1 entry in ")
    assert "bad.md" in ran.err
    assert "1 already present" in run("import", "notes", str(folder)).out
    assert run("import", "notes", "nowhere").code == 1
