"""Where a hook's events belong is remembered, and found out anew as soon as anything speaks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rum.settings.trust import trust
from rum.surfaces.hooks import project
from rum.surfaces.hooks.project import HookProject, find_project

Told = tuple[str | None, str, str | None, tuple[str, ...], tuple[str, ...], str]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUM_HOME", str(tmp_path / "home"))
    git(tmp_path, "init", "-q", "work")
    (tmp_path / "work" / "src").mkdir()
    return tmp_path / "work"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)


def told(found: HookProject | None) -> Told:
    assert found is not None
    secrets = (found.redact_extra, found.redact_allow)
    return found.project, found.directory, found.root, *secrets, found.problem


def anew(folder: Path) -> Told:
    """What is found out where nothing is remembered."""
    shutil.rmtree(Path(os.environ["RUM_HOME"]) / "hooks")
    return told(find_project(str(folder)))


def init_inside(work: Path) -> None:
    git(work / "src", "init", "-q")


def mark_inside(work: Path) -> None:
    shutil.rmtree(work / ".git")
    (work / "src" / ".rum").mkdir()


def name_a_secret(work: Path) -> None:
    (Path(os.environ["RUM_HOME"]) / "config.toml").write_text('redact_extra = ["acme-[0-9]+"]\n')


def name_a_secret_here(work: Path) -> None:
    (work / ".rum").mkdir()
    (work / ".rum" / "config.toml").write_text('redact_extra = ["acme-[0-9]+"]\n')


def name_the_project_in_trust(work: Path) -> None:
    (work / ".rum").mkdir()
    (work / ".rum" / "config.toml").write_text('project = "shared"\n')
    find_project(str(work / "src"))
    trust(os.environ["RUM_HOME"], str(work))


def name_the_project(work: Path) -> None:
    os.environ["RUM_PROJECT"] = "elsewhere"


def put_another_in_its_place(work: Path) -> None:
    work.rename(work.parent / "moved")
    git(work.parent, "init", "-q", "other")
    git(work.parent / "other", "commit", "-q", "--allow-empty", "-m", "Begin")
    git(work.parent, "clone", "-q", "other", "work")
    (work / "src").mkdir()


def begin_a_history(work: Path) -> None:
    git(work, "commit", "-q", "--allow-empty", "-m", "Begin")


def add_a_remote(work: Path) -> None:
    git(work, "remote", "add", "origin", "git@example.org:team/work.git")


def damage_what_is_known(work: Path) -> None:
    for file in (Path(os.environ["RUM_HOME"]) / "hooks").iterdir():
        file.write_text('{"folder": "')


def forget_all_projects(work: Path) -> None:
    (Path(os.environ["RUM_HOME"]) / "projects.json").unlink()


CHANGES = [
    init_inside,
    mark_inside,
    name_a_secret,
    name_a_secret_here,
    name_the_project_in_trust,
    name_the_project,
    put_another_in_its_place,
    begin_a_history,
    add_a_remote,
    damage_what_is_known,
    forget_all_projects,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_after_any_change_it_is_as_if_nothing_were_remembered(
    work: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
):
    monkeypatch.delenv("RUM_PROJECT", raising=False)
    find_project(str(work / "src"))
    find_project(str(work / "src"))
    change(work)
    try:
        found = told(find_project(str(work / "src")))
        assert told(find_project(str(work / "src"))) == found == anew(work / "src")
    finally:
        os.environ.pop("RUM_PROJECT", None)


def test_a_project_that_did_not_change_is_found_out_once(work: Path, monkeypatch: pytest.MonkeyPatch):
    first = told(find_project(str(work / "src")))
    monkeypatch.setattr(project, "_look_up", None)
    assert told(find_project(str(work / "src"))) == first


def test_what_is_known_is_for_the_owner_alone(work: Path):
    find_project(str(work))
    folder = Path(os.environ["RUM_HOME"]) / "hooks"
    assert [path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())] == [0, 0]


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside of any checkout in which a client was started."""
    folder = tmp_path / "plain"
    (folder / "src" / "deep").mkdir(parents=True)
    monkeypatch.setenv("RUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    return folder


def test_outside_of_a_checkout_a_session_stays_in_the_project_it_was_started_in(plain: Path):
    assert told(find_project(str(plain / "src" / "deep"))) == told(find_project(str(plain)))


def test_a_checkout_below_or_beside_the_folder_is_a_project_of_its_own(plain: Path, tmp_path: Path):
    git(plain / "src", "init", "-q")
    (tmp_path / "plainer").mkdir()
    found = [
        told(find_project(str(path)))[0] for path in (plain, plain / "src" / "deep", tmp_path / "plainer")
    ]
    assert len(set(found)) == 3


def test_a_client_started_in_the_home_directory_works_where_it_goes(
    plain: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(plain))
    found = told(find_project(str(plain / "src")))
    assert found[2] == str(plain / "src")


def test_folders_are_not_remembered_without_end(work: Path):
    kept = Path(os.environ["RUM_HOME"]) / "hooks"
    kept.mkdir(parents=True)
    for number in range(520):
        old = kept / f"{number:08x}.json"
        old.write_text("{}")
        os.utime(old, (number, number))
    find_project(str(work))
    left = sorted(path.name for path in kept.iterdir())
    assert len(left) == 520 - 250 + 1
    assert f"{249:08x}.json" not in left


def test_no_key_or_token_of_the_environment_is_written_down(work: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_LLM_KEY", "correct-horse")
    monkeypatch.setenv("GIT_TOKEN", "battery-staple")
    find_project(str(work))
    (known,) = (Path(os.environ["RUM_HOME"]) / "hooks").iterdir()
    assert not any(secret in known.read_text() for secret in ("correct-horse", "battery-staple"))


def test_another_environment_is_another_thing_to_find_out(work: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_REDACT_EXTRA", "acme")
    first = told(find_project(str(work)))
    monkeypatch.setenv("RUM_REDACT_EXTRA", "zeta")
    assert told(find_project(str(work))) != first


def test_where_nothing_can_be_remembered_it_is_found_out_each_time(work: Path):
    (Path(os.environ["RUM_HOME"])).mkdir(exist_ok=True)
    (Path(os.environ["RUM_HOME"]) / "hooks").write_text("in the way")
    assert told(find_project(str(work))) == told(find_project(str(work)))
