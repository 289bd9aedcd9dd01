"""The cache of projects for hooks, and the changes that invalidate it."""

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

ProjectFields = tuple[str | None, str, str | None, tuple[str, ...], tuple[str, ...], str]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUM_HOME", str(tmp_path / "home"))
    git(tmp_path, "init", "-q", "work")
    (tmp_path / "work" / "src").mkdir()
    return tmp_path / "work"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)


def fields_of(found: HookProject | None) -> ProjectFields:
    assert found is not None
    secrets = (found.redact_extra, found.redact_allow)
    return found.project, found.directory, found.root, *secrets, found.problem


def look_up_without_cache(folder: Path) -> ProjectFields:
    """The fields of the project, with an empty cache."""
    shutil.rmtree(Path(os.environ["RUM_HOME"]) / "hooks")
    return fields_of(find_project(str(folder)))


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


def damage_the_cache(work: Path) -> None:
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
    damage_the_cache,
    forget_all_projects,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_any_change_invalidates_the_cache(
    work: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
):
    monkeypatch.delenv("RUM_PROJECT", raising=False)
    find_project(str(work / "src"))
    find_project(str(work / "src"))
    change(work)
    try:
        found = fields_of(find_project(str(work / "src")))
        assert fields_of(find_project(str(work / "src"))) == found == look_up_without_cache(work / "src")
    finally:
        os.environ.pop("RUM_PROJECT", None)


def test_an_unchanged_project_is_looked_up_once(work: Path, monkeypatch: pytest.MonkeyPatch):
    first = fields_of(find_project(str(work / "src")))
    monkeypatch.setattr(project, "_look_up", None)
    assert fields_of(find_project(str(work / "src"))) == first


def test_only_the_owner_can_read_the_cache(work: Path):
    find_project(str(work))
    folder = Path(os.environ["RUM_HOME"]) / "hooks"
    assert [path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())] == [0, 0]


@pytest.fixture
def start_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside of any checkout in which a client was started."""
    folder = tmp_path / "plain"
    (folder / "src" / "deep").mkdir(parents=True)
    monkeypatch.setenv("RUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    return folder


def test_outside_of_a_checkout_a_session_stays_in_its_start_folder(start_folder: Path):
    assert fields_of(find_project(str(start_folder / "src" / "deep"))) == fields_of(
        find_project(str(start_folder))
    )


def test_a_checkout_below_or_beside_the_start_folder_is_its_own_project(start_folder: Path, tmp_path: Path):
    git(start_folder / "src", "init", "-q")
    (tmp_path / "plainer").mkdir()
    found = [
        fields_of(find_project(str(path)))[0]
        for path in (start_folder, start_folder / "src" / "deep", tmp_path / "plainer")
    ]
    assert len(set(found)) == 3


def test_a_client_started_in_the_home_directory_uses_its_current_folder(
    start_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(start_folder))
    found = fields_of(find_project(str(start_folder / "src")))
    assert found[2] == str(start_folder / "src")


def test_the_cache_is_limited(work: Path):
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


def test_no_key_or_token_of_the_environment_is_cached(work: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_LLM_KEY", "correct-horse")
    monkeypatch.setenv("GIT_TOKEN", "battery-staple")
    find_project(str(work))
    (known,) = (Path(os.environ["RUM_HOME"]) / "hooks").iterdir()
    assert not any(secret in known.read_text() for secret in ("correct-horse", "battery-staple"))


def test_another_environment_invalidates_the_cache(work: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_REDACT_EXTRA", "acme")
    first = fields_of(find_project(str(work)))
    monkeypatch.setenv("RUM_REDACT_EXTRA", "zeta")
    assert fields_of(find_project(str(work))) != first


def test_without_a_writable_cache_the_project_is_looked_up_each_time(work: Path):
    (Path(os.environ["RUM_HOME"])).mkdir(exist_ok=True)
    (Path(os.environ["RUM_HOME"]) / "hooks").write_text("in the way")
    assert fields_of(find_project(str(work))) == fields_of(find_project(str(work)))
