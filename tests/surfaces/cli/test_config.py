"""`rum config set` and `unset` edit the right file and keep what people wrote in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from surfaces.cli.running import Run


@pytest.fixture
def own(project: Path) -> Path:
    """The user's own config file, which does not exist yet."""
    return project.parent / "rum" / "config.toml"


@pytest.fixture
def shared(project: Path) -> Path:
    """The repository's config file, with a comment."""
    (project / ".rum").mkdir()
    file = project / ".rum" / "config.toml"
    file.write_text('# of the team\nnotes_dir = "notes"  # since May\n')
    return file


def effective(run: Run, key: str) -> object:
    return run("config", "--json").json[key]["value"]


def test_a_setting_is_set_in_the_users_own_file_and_comments_stay(run: Run, own: Path):
    ran = run("config", "set", "recall_limit", "8")
    assert (ran.code, ran.out) == (0, f"`recall_limit` is set to 8 in {own}.\n")
    own.write_text(f"# mine\n{own.read_text()}# end\n")
    run("config", "set", "recall_limit", "9")
    run("config", "set", "redact_allow", "one, two")
    run("config", "set", "agents.developer.max_injected", "3")
    assert own.read_text() == (
        '# mine\nrecall_limit = 9\nredact_allow = ["one", "two"]\n# end\n\n'
        "[agents.developer]\nmax_injected = 3\n"
    )
    assert (effective(run, "recall_limit"), effective(run, "agents.developer.max_injected")) == (9, 3)
    assert run("config", "unset", "recall_limit").code == 0
    assert effective(run, "recall_limit") == 5
    assert own.read_text().startswith("# mine\nredact_allow")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_the_users_own_file_is_readable_only_by_its_owner(run: Run, own: Path):
    run("config", "set", "llm", "ollama")
    assert stat.S_IMODE(own.stat().st_mode) == 0o600


def test_a_link_to_the_users_own_file_stays_a_link(run: Run, own: Path, tmp_path: Path):
    target = tmp_path / "dotfiles.toml"
    target.write_text("# kept elsewhere\n")
    own.parent.mkdir()
    own.symlink_to(target)
    run("config", "set", "recall_limit", "8")
    assert own.is_symlink()
    assert target.read_text() == "# kept elsewhere\nrecall_limit = 8\n"


def test_the_repositorys_file_takes_only_harmless_settings(run: Run, shared: Path, own: Path):
    assert run("config", "set", "notes_dir", "docs/notes", "--scope", "project").code == 0
    run("config", "set", "agents.developer.specialties", '["auth"]', "--scope", "project")
    assert shared.read_text() == (
        '# of the team\nnotes_dir = "docs/notes"  # since May\n\n[agents.developer]\nspecialties = ["auth"]\n'
    )
    before = shared.read_bytes()
    for key, value in [
        ("recall_limit", "9"),
        ("notes_dir", "/elsewhere"),
        ("llm_key", "k"),
        ("project", "x"),
    ]:
        refused = run("config", "set", key, value, "--scope", "project")
        assert (refused.code, refused.out) == (1, "")
        assert "--scope user" in refused.err
    assert shared.read_bytes() == before
    assert not own.exists()
    run("config", "unset", "notes_dir", "--scope", "project")
    assert effective(run, "notes_dir") == ".rum/notes"


def test_a_source_that_overrides_the_file_is_named(run: Run, shared: Path, monkeypatch: pytest.MonkeyPatch):
    ran = run("config", "set", "notes_dir", "mine")
    assert (ran.code, effective(run, "notes_dir")) == (0, "notes")
    assert f"set by {shared}" in ran.err
    monkeypatch.setenv("RUM_RECALL_LIMIT", "3")
    assert "RUM_RECALL_LIMIT" in run("config", "set", "recall_limit", "8").err


def test_a_trusted_file_stays_trusted_after_the_users_own_change(run: Run, shared: Path):
    shared.write_text("rate_limit = 50\n")
    run("trust", "--yes")
    run("config", "set", "notes_dir", "notes", "--scope", "project")
    assert (effective(run, "rate_limit"), effective(run, "notes_dir")) == (50, "notes")


def test_an_untrusted_file_does_not_become_trusted_by_a_change(run: Run, shared: Path):
    shared.write_text("rate_limit = 50\n")
    run("config", "set", "notes_dir", "notes", "--scope", "project")
    assert effective(run, "rate_limit") == 0


def test_nothing_is_written_through_a_link_out_of_the_repository(run: Run, project: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".rum").symlink_to(outside)
    refused = run("config", "set", "notes_dir", "notes", "--scope", "project")
    assert refused.code == 1
    assert not list(outside.iterdir())


def test_a_key_for_a_service_is_read_from_standard_input_and_not_shown(run: Run, own: Path):
    ran = run("config", "set", "llm_key", stdin=b"sk-very-private\n")
    assert ran.code == 0
    assert "private" not in ran.out + ran.err
    assert own.read_text() == 'llm_key = "sk-very-private"\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["recal_limit", "5"], "Did you mean `recall_limit`?"),
        (["recall_limit", "many"], "a whole number from 1 to 100"),
        (["agents.developer.max", "5"], "agents.developer.max_injected"),
        (["home", "/x"], "RUM_HOME"),
    ],
)
def test_a_wrong_key_or_value_changes_nothing(run: Run, own: Path, arguments: list[str], message: str):
    ran = run("config", "set", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert not own.exists()


def test_a_mistake_that_stops_every_command_can_be_mended(run: Run, own: Path):
    own.parent.mkdir()
    own.write_text('recall_limit = "many"\nrate_limit = "few"\n')
    assert run("list").code == 1
    assert run("config", "unset", "recall_limit").code == 0
    assert run("config", "set", "rate_limit", "7").code == 0
    assert own.read_text() == "rate_limit = 7\n"
    assert run("config").code == 0


def test_a_file_that_is_not_toml_is_not_edited(run: Run, own: Path):
    own.parent.mkdir()
    own.write_text("recall_limit = \n")
    refused = run("config", "set", "rate_limit", "7")
    assert refused.code == 1
    assert "Nothing was changed" in refused.err
    assert own.read_text() == "recall_limit = \n"
