"""Which project a folder belongs to, however its repository is checked out, moved or cloned."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.repo.project import all_projects, find_project, open_project
from rum.settings.load import load
from rum.settings.trust import trust
from support.machines import Machine


def test_two_worktrees_and_every_directory_in_them_are_one_project(machine: Machine):
    main = machine.repository("tool")
    (main / "src" / "deep").mkdir(parents=True)
    machine.git(main, "worktree", "add", "--quiet", "../tool-fix", "-b", "fix")
    first = machine.project(main)
    below = machine.project(main / "src" / "deep")
    other = machine.project(machine.work / "tool-fix")
    assert first.id == below.id == other.id
    assert first.name == "tool"
    assert (below.root, other.root) == (str(main), str(machine.work / "tool-fix"))


def test_a_clone_and_a_clone_of_the_clone_share_also_after_a_remote_is_added(machine: Machine):
    main = machine.repository("tool")
    clone = machine.clone(main, "clone")
    grandchild = machine.clone(clone, "grandchild")
    first = machine.project(grandchild)
    assert machine.project(clone).id == machine.project(main).id == first.id
    machine.git(main, "remote", "add", "origin", "git@example.org:team/tool.git")
    assert machine.project(main).id == first.id
    assert "remote:example.org/team/tool" in machine.project(main).keys
    machine.git(clone, "remote", "set-url", "origin", "https://example.org/team/tool")
    assert machine.project(clone).id == machine.project(grandchild).id == first.id
    assert machine.ids() == {first.id}


def test_a_shallow_clone_of_the_remote_shares_if_a_memory_knows_its_commit(machine: Machine):
    main = machine.repository("tool")
    machine.commit(main, "second")
    first = machine.project(main)
    machine.git(main, "remote", "add", "origin", "ssh://git@example.org:2222/team/tool.git")
    machine.project(main)
    for name in ("known", "unknown"):
        shallow = machine.clone(f"file://{main}", name, "--depth=1")
        machine.git(shallow, "remote", "set-url", "origin", "https://token:x@EXAMPLE.org/team/tool/")
    tip = machine.git(main, "rev-parse", "HEAD")
    known = open_project(str(machine.work / "known"), environ=machine.environ, commits=lambda folder: [tip])[
        1
    ]
    assert (known.id, known.question) == (first.id, None)
    unknown = machine.project(machine.work / "unknown")
    assert unknown.id != first.id
    assert unknown.question is not None
    assert f"`rum projects join {first.id}`" in unknown.question
    assert "shallow" in unknown.question
    assert "token" not in (machine.home / "projects.json").read_text()


def test_a_shallow_clone_of_a_file_url_is_followed_to_its_source(machine: Machine):
    main = machine.repository("tool")
    machine.commit(main, "second")
    shallow = machine.clone(f"file://{main}", "shallow", "--depth=1")
    assert machine.project(shallow).id == machine.project(main).id


def test_a_shallow_clone_is_not_identified_by_its_boundary_commit(machine: Machine):
    main = machine.repository("tool")
    machine.commit(main, "second")
    cut = machine.git(main, "rev-parse", "HEAD")
    shallow = machine.clone(f"file://{main}", "shallow", "--depth=1")
    machine.git(shallow, "remote", "set-url", "origin", "https://example.org/team/tool")
    project = machine.project(shallow)
    assert project.keys == ("remote:example.org/team/tool",)
    machine.git(shallow, "fetch", "--quiet", "--unshallow", f"file://{main}")
    whole = machine.project(shallow)
    assert whole.id == project.id
    assert f"root:{machine.git(main, 'rev-list', '--max-parents=0', 'HEAD')}" in whole.keys
    assert f"root:{cut}" not in whole.keys


def test_a_shallow_clone_keeps_its_project_when_the_remote_moves(machine: Machine):
    main = machine.repository("tool")
    machine.commit(main, "second")
    shallow = machine.clone(f"file://{main}", "shallow", "--depth=1")
    machine.git(shallow, "remote", "set-url", "origin", "https://example.org/old/tool")
    before = machine.project(shallow)
    machine.git(shallow, "remote", "set-url", "origin", "https://example.org/new/tool")
    after = machine.project(shallow)
    assert after.id == before.id
    assert {"remote:example.org/old/tool", "remote:example.org/new/tool"} <= set(after.keys)


def test_renaming_a_remote_changes_nothing(machine: Machine):
    main = machine.repository("tool")
    machine.git(main, "remote", "add", "origin", "https://example.org/team/tool")
    before = machine.project(main)
    machine.git(main, "remote", "rename", "origin", "upstream")
    assert machine.project(main) == before


def test_two_repositories_of_the_same_name_are_two_projects(machine: Machine):
    one = machine.project(machine.repository("a/tool"))
    two = machine.project(machine.repository("b/tool"))
    assert one.name == two.name == "tool"
    assert one.id != two.id
    assert not set(one.keys) & set(two.keys)


def test_a_remote_beside_origin_that_is_another_project_is_not_joined(machine: Machine):
    library = machine.repository("library")
    main = machine.repository("tool")
    machine.git(main, "remote", "add", "library", "../library")
    assert machine.project(main).id != machine.project(library).id


def test_a_remote_without_known_commits_joins_nothing_and_no_key_moves(machine: Machine):
    by_root = machine.project(machine.repository("tool"))
    other = machine.repository("other")
    machine.git(other, "remote", "add", "origin", "https://example.org/team/other")
    by_remote = machine.project(other)
    both = machine.clone(machine.work / "tool", "both")
    machine.git(both, "remote", "set-url", "origin", "https://example.org/team/other")
    new = machine.project(both)
    assert new.id not in (by_root.id, by_remote.id)
    assert new.question is not None
    assert by_remote.id in new.question
    keys = {project.id: project.keys for project in all_projects(str(machine.home))}
    assert keys == {by_root.id: by_root.keys, by_remote.id: by_remote.keys, new.id: by_root.keys}


def test_a_repository_keeps_its_memory_after_adding_another_projects_remote(machine: Machine):
    before = machine.project(machine.repository("tool"))
    other = machine.repository("other")
    machine.git(other, "remote", "add", "origin", "https://example.org/team/other")
    machine.project(other)
    machine.git(machine.work / "tool", "remote", "add", "origin", "https://example.org/team/other")
    assert machine.project(machine.work / "tool") == before


def test_a_moved_repository_stays_the_same_project(machine: Machine):
    before = machine.project(machine.repository("tool"))
    (machine.work / "tool").rename(machine.work / "renamed")
    after = machine.project(machine.work / "renamed")
    assert after.id == before.id
    assert (after.note, after.question) == (None, None)
    assert all_projects(str(machine.home))[0].root == str(machine.work / "renamed")


def test_the_first_commit_and_the_first_remote_add_keys_to_the_same_project(machine: Machine):
    path = machine.repository("tool", commit=False)
    empty = machine.project(path)
    assert [key.split("@")[0] for key in empty.keys] == [f"dir:{path}/.git"]
    machine.commit(path, "first")
    machine.git(path, "checkout", "--quiet", "-b", "work")
    committed = machine.project(path)
    machine.git(path, "remote", "add", "origin", "https://example.org/team/tool")
    shared = machine.project(path)
    assert empty.id == committed.id == shared.id
    assert [key.split(":")[0] for key in shared.keys] == ["dir", "root", "remote"]


def test_clones_of_a_bare_repository_share_once_it_has_commits(machine: Machine):
    machine.git(machine.work, "init", "--quiet", "--bare", "hub.git")
    one = machine.clone(machine.work / "hub.git", "one")
    two = machine.clone(machine.work / "hub.git", "two")
    machine.commit(one, "not pushed yet")
    assert machine.project(one).id != machine.project(two).id
    machine.git(one, "push", "--quiet", "origin", "main")
    three = machine.clone(machine.work / "hub.git", "three")
    four = machine.clone(machine.work / "hub.git", "four")
    assert machine.project(three).id == machine.project(four).id


def test_another_clone_at_the_path_of_a_removed_repository_is_another_project(machine: Machine):
    before = machine.project(machine.repository("tool"))
    other = machine.repository("other")
    shutil.rmtree(machine.work / "tool")
    after = machine.project(machine.clone(other, "tool"))
    assert after.id != before.id
    assert after.id == machine.project(other).id


@pytest.mark.parametrize("template", [[], ["--template="]])
def test_a_new_repository_at_the_path_of_a_removed_one_is_another_project(
    machine: Machine, template: list[str]
):
    path = machine.work / "tool"
    seen: set[str] = set()
    for turn in range(3):
        machine.git(machine.work, "init", "--quiet", *template, "tool")
        seen.add(machine.project(path).id)
        machine.commit(path, f"turn {turn}")
        seen.add(machine.project(path).id)
        assert len(seen) == turn + 1
        shutil.rmtree(path)


def test_a_replaced_repository_with_the_same_file_times_is_noticed(machine: Machine):
    one = machine.repository("one")
    two = machine.repository("two")
    for path in (one, two):
        os.utime(path / ".git" / "config", (1_000_000_000, 1_000_000_000))
        os.utime(path / ".git" / "description", (1_000_000_000, 1_000_000_000))
    assert (one / ".git/config").read_bytes() == (two / ".git/config").read_bytes()
    first, second = machine.project(one).id, machine.project(two).id
    one.rename(machine.work / "aside")
    two.rename(one)
    assert machine.project(one).id == second != first


def test_a_known_repository_is_resolved_without_running_git(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
):
    path = machine.repository("tool")
    machine.git(path, "remote", "add", "origin", "https://example.org/team/tool")
    known = machine.project(path)
    before = (machine.home / "projects.json").stat()
    monkeypatch.setenv("PATH", str(machine.work))
    code = """
        import sys
        from rum.repo.project import open_project
        print(open_project(sys.argv[1])[1].id)
        print({"subprocess", "tomllib", "hashlib", "typing"} & set(sys.modules))
    """
    environ = os.environ | machine.environ
    command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environ).stdout
    assert printed.split("\n")[:2] == [known.id, "set()"]
    assert (machine.home / "projects.json").stat().st_mtime_ns == before.st_mtime_ns


def test_a_directory_without_git_is_identified_by_its_path(machine: Machine):
    path = machine.work / "papers"
    path.mkdir()
    project = machine.project(path)
    assert project.keys == (f"dir:{path}",)
    assert machine.project(path) == project
    link = machine.work / "link"
    link.symlink_to(path)
    assert machine.project(link).id == project.id


def test_a_folder_below_a_rum_folder_belongs_to_that_project(machine: Machine):
    (machine.work / "papers" / ".rum").mkdir(parents=True)
    (machine.work / "papers" / "2024").mkdir()
    below = machine.project(machine.work / "papers" / "2024")
    assert below == machine.project(machine.work / "papers")
    assert below.root == str(machine.work / "papers")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_another_users_rum_folder_marks_no_project(machine: Machine):
    (machine.work / "shared" / ".rum").mkdir(parents=True)
    (machine.work / "shared" / "mine").mkdir()
    os.chown(machine.work / "shared" / ".rum", 65534, 65534)
    assert machine.project(machine.work / "shared" / "mine").root == str(machine.work / "shared" / "mine")


def test_rums_own_folder_marks_no_project(machine: Machine):
    (machine.work / "area" / "papers").mkdir(parents=True)
    environ = machine.environ | {"RUM_HOME": str(machine.work / "area" / ".rum")}
    (machine.work / "area" / ".rum").mkdir()
    project = open_project(str(machine.work / "area" / "papers"), environ=environ)[1]
    assert project.root == str(machine.work / "area" / "papers")


def test_a_moved_directory_is_not_guessed_but_can_be_joined(machine: Machine):
    old = machine.work / "old" / "papers"
    old.mkdir(parents=True)
    before = machine.project(old)
    (machine.work / "new").mkdir()
    old.rename(machine.work / "new" / "papers")
    moved = machine.project(machine.work / "new" / "papers")
    assert moved.id != before.id
    assert moved.question is not None
    assert f"`rum projects join {before.id}`" in moved.question
    assert machine.project(machine.work / "new" / "papers").question == moved.question

    adopted = machine.join(before.id, machine.work / "new" / "papers")
    assert adopted.id == before.id
    again = machine.project(machine.work / "new" / "papers")
    assert (again.id, again.question) == (before.id, None)
    assert machine.ids() == {before.id}
    old.mkdir(parents=True)
    assert machine.project(old).id != before.id


def test_with_two_candidates_for_a_moved_directory_none_is_chosen(machine: Machine):
    for name in ("a", "b"):
        (machine.work / name / "papers").mkdir(parents=True)
        machine.project(machine.work / name / "papers")
        shutil.rmtree(machine.work / name)
    (machine.work / "papers").mkdir()
    assert machine.project(machine.work / "papers").question is None


def test_adopting_keeps_a_project_that_has_memories_of_its_own(machine: Machine):
    old = machine.project(machine.repository("tool"))
    (machine.work / "papers").mkdir()
    mine = machine.project(machine.work / "papers")
    Path(mine.directory, "rum.db").write_bytes(b"memories")
    assert machine.join(old.id, machine.work / "papers").id == old.id
    assert machine.ids() == {old.id, mine.id}
    assert machine.project(machine.work / "papers", project=mine.id).id == mine.id
    assert machine.join(mine.id, machine.work / "papers").id == mine.id
    assert machine.project(machine.work / "papers").id == mine.id


def test_adopting_an_unknown_project_is_an_error_and_changes_nothing(machine: Machine):
    (machine.work / "papers").mkdir()
    before = machine.project(machine.work / "papers")
    with pytest.raises(NotFound):
        machine.join("papers-00000000", machine.work / "papers")
    assert machine.project(machine.work / "papers") == before


def test_git_init_in_a_known_directory_keeps_its_project(machine: Machine):
    path = machine.work / "papers"
    path.mkdir()
    before = machine.project(path)
    machine.git(path, "init", "--quiet")
    machine.commit(path, "first")
    after = machine.project(path)
    assert after.id == before.id
    assert after.keys[1].startswith("root:")


def test_a_repository_moved_to_the_path_of_a_known_directory_is_another_project(machine: Machine):
    path = machine.work / "papers"
    path.mkdir()
    before = machine.project(path)
    path.rename(machine.work / "aside")
    machine.repository("other").rename(path)
    assert machine.project(path).id != before.id


def test_a_clone_at_the_path_of_a_known_directory_is_another_project_with_a_note(machine: Machine):
    path = machine.work / "papers"
    path.mkdir()
    before = machine.project(path)
    clone = machine.clone(machine.repository("other"), "papers")
    machine.git(clone, "remote", "set-url", "origin", "https://example.org/team/other")
    after = machine.project(clone)
    assert after.id != before.id
    assert after.question is not None
    assert before.id in after.question


def test_sub_projects_are_projects_of_their_own(machine: Machine):
    main = machine.repository("mono")
    (main / ".rum").mkdir()
    (main / ".rum" / "config.toml").write_text('subprojects = ["services/api", "./services/web/"]')
    for name in ("services/api/src", "services/web", "services/apiary"):
        (main / name).mkdir(parents=True)
    whole = machine.project(main)
    api = machine.project(main / "services" / "api" / "src")
    web = machine.project(main / "services" / "web")
    assert len({whole.id, api.id, web.id}) == 3
    assert machine.project(main / "services" / "apiary").id == whole.id
    assert (api.name, api.root) == ("mono/services/api", str(main))
    assert [key.rpartition("#")[2] for key in api.keys] == ["services/api"]

    clone = machine.clone(main, "clone")
    (clone / ".rum").mkdir()
    shutil.copy(main / ".rum" / "config.toml", clone / ".rum")
    (clone / "services" / "api").mkdir(parents=True)
    assert machine.project(clone / "services" / "api").id == api.id


def test_the_home_directory_and_the_root_are_never_projects(machine: Machine):
    account = pytest.importorskip("pwd").getpwuid(os.getuid()).pw_dir
    for path in (machine.user, Path("/"), Path(account)):
        with pytest.raises(InvalidQuery, match=r"--project NAME.*RUM_PROJECT"):
            machine.project(path)
    assert not machine.home.exists()
    named = machine.project(machine.user, project="journal")
    assert (named.name, named.root, named.keys) == ("journal", None, ("name:journal",))


def test_a_directory_below_a_versioned_home_is_its_own_project(machine: Machine):
    machine.git(machine.user, "init", "--quiet")
    machine.commit(machine.user, "my dotfiles")
    (machine.user / "papers").mkdir()
    project = machine.project(machine.user / "papers")
    assert project.keys == (f"dir:{machine.user}/papers",)
    with pytest.raises(InvalidQuery):
        machine.project(machine.user)


def test_a_bare_repository_and_its_worktrees_are_one_project(machine: Machine):
    main = machine.repository("tool")
    machine.git(machine.work, "clone", "--quiet", "--bare", str(main), "hub.git")
    hub = machine.work / "hub.git"
    machine.git(hub, "worktree", "add", "--quiet", "../tree", "-b", "tree")
    tree = machine.project(machine.work / "tree")
    assert tree.id == machine.project(main).id
    environ = machine.environ | {"GIT_DIR": str(hub)}
    named = open_project(str(hub), environ=environ)[1]
    assert (named.id, named.root) == (tree.id, str(hub))


def test_a_submodule_is_the_project_of_its_own_repository(machine: Machine):
    library = machine.repository("library")
    main = machine.repository("tool")
    machine.git(main, "submodule", "--quiet", "add", str(library), "vendor/library")
    inner = machine.project(main / "vendor" / "library")
    assert inner.id == machine.project(library).id != machine.project(main).id
    assert inner.root == str(main / "vendor" / "library")


def test_a_project_can_be_named_by_id_by_directory_and_by_name(machine: Machine):
    tool = machine.project(machine.repository("tool"))
    other = machine.repository("other")
    assert machine.project(other, project=tool.id) == tool
    assert machine.project(other, project="../tool") == tool
    assert machine.project(other, project=str(machine.work / "tool")) == tool
    named = machine.project(other, project="shared memory")
    assert (named.name, named.root) == ("shared memory", str(other))
    assert named.id.startswith("shared-memory-")
    environ = machine.environ | {"RUM_PROJECT": "shared memory"}
    assert open_project(str(machine.work), environ=environ)[1].id == named.id
    with pytest.raises(InvalidQuery, match="no directory"):
        machine.project(other, project="./missing")


def test_a_name_selects_the_project_that_has_it(machine: Machine):
    tool = machine.project(machine.repository("tool"))
    (machine.work / "elsewhere").mkdir()
    for cwd in (machine.work / "tool", machine.work / "elsewhere", machine.user):
        assert machine.project(cwd, project="tool") == tool
    environ = machine.environ | {"RUM_PROJECT": "tool"}
    assert open_project(str(machine.work), environ=environ)[1] == tool
    assert machine.ids() == {tool.id}


def test_a_project_selected_by_name_uses_the_current_checkout_of_it(machine: Machine):
    tool = machine.project(machine.repository("tool"))
    clone = machine.clone(machine.work / "tool", "clone")
    machine.project(clone)
    here = machine.project(clone, project="tool")
    assert (here.id, here.root) == (tool.id, str(clone))


def test_an_ambiguous_name_is_an_error_that_lists_the_ids(machine: Machine):
    ids = sorted(machine.project(machine.repository(f"{folder}/tool")).id for folder in ("a", "b"))
    with pytest.raises(InvalidQuery, match="`tool`") as caught:
        machine.project(machine.work, project="tool")
    assert caught.value.details["candidates"] == ids
    assert all(one in caught.value.message for one in ids)
    assert machine.ids() == set(ids)
    assert machine.project(machine.work, project=ids[0]).id == ids[0]


def test_an_unknown_name_creates_a_project_and_says_so_once(machine: Machine):
    machine.project(machine.repository("shop"))
    new = machine.project(machine.work, project="shpo")
    assert new.note is not None
    assert "Project `shpo` did not exist" in new.note
    assert "new" in new.note
    assert "`rum projects`" in new.note
    again = machine.project(machine.work, project="shpo")
    assert (again.id, again.note) == (new.id, None)


def test_a_name_moves_to_the_project_that_adopted_its_folder(machine: Machine):
    (machine.work / "papers").mkdir()
    journal = machine.project(machine.user, project="journal")
    machine.join(journal.id, machine.work / "papers")
    tool = machine.project(machine.repository("tool"))
    machine.join(tool.id, machine.work / "papers")
    assert machine.ids() == {tool.id}
    assert machine.project(machine.user, project="journal").id == tool.id


def test_many_processes_that_name_a_new_project_at_once_create_one(machine: Machine):
    code = """
        import sys
        from rum.repo.project import open_project
        print(open_project(sys.argv[1], flags={"project": "journal"})[1].id)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(machine.work)]
    environ = os.environ | machine.environ
    running = [subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert {process.communicate()[0].strip() for process in running} == machine.ids()


def test_the_settings_are_those_of_the_named_directory(machine: Machine):
    tool = machine.repository("tool")
    (tool / ".rum").mkdir()
    (tool / ".rum" / "config.toml").write_text('notes_dir = "memories"')
    here = machine.repository("here")
    settings, project = open_project(str(here), flags={"project": str(tool)}, environ=machine.environ)
    assert (project.root, settings.root) == (str(tool), str(tool))
    assert settings.folder("notes_dir") == str(tool / "memories")


def test_a_repository_cannot_choose_another_project_until_it_is_trusted(machine: Machine):
    secret = machine.project(machine.repository("secret"))
    hostile = machine.repository("hostile")
    (hostile / ".rum").mkdir()
    config = hostile / ".rum" / "config.toml"
    config.write_text(f'project = "{secret.id}"')
    settings, project = open_project(str(hostile), environ=machine.environ)
    assert project.id != secret.id
    assert any("`project`" in warning and "rum trust" in warning for warning in settings.warnings)
    trust(str(machine.home), str(hostile))
    assert machine.project(hostile).id == secret.id
    config.write_text(f'project = "{secret.id}" # changed')
    assert machine.project(hostile).id == project.id


def test_directories_whose_configs_name_each_other_cause_no_endless_loop(machine: Machine):
    for here, there in (("a", "b"), ("b", "a")):
        (machine.work / here / ".rum").mkdir(parents=True)
        (machine.work / here / ".rum" / "config.toml").write_text(f'project = "../{there}"')
        trust(str(machine.home), str(machine.work / here))
    assert machine.project(machine.work / "a").keys == (f"dir:{machine.work}/a",)


def test_many_processes_in_a_new_repository_create_one_project(machine: Machine):
    path = machine.repository("tool")
    code = "import sys; from rum.repo.project import open_project; print(open_project(sys.argv[1])[1].id)"
    command = [sys.executable, "-c", code, str(path)]
    environ = os.environ | machine.environ
    running = [subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    printed = {process.communicate()[0].strip() for process in running}
    assert all(process.returncode == 0 for process in running)
    assert printed == machine.ids()
    assert len(printed) == 1


def test_many_processes_in_different_repositories_lose_no_project(machine: Machine):
    paths = [machine.repository(f"tool{number}") for number in range(8)]
    code = "import sys; from rum.repo.project import open_project; print(open_project(sys.argv[1])[1].id)"
    environ = os.environ | machine.environ
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)], env=environ, stdout=subprocess.PIPE, text=True
        )
        for path in paths
    ]
    printed = {process.communicate()[0].strip() for process in running}
    assert printed == machine.ids()
    assert len(printed) == len(paths)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_with_a_read_only_home_projects_are_found_and_nothing_is_written(machine: Machine):
    known = machine.repository("known")
    unknown = machine.repository("unknown")
    expected = machine.project(known)
    shutil.copytree(machine.home, machine.home.with_name("copy"))
    would_be = open_project(
        str(unknown), environ=machine.environ | {"RUM_HOME": str(machine.home.with_name("copy"))}
    )[1]
    code = """
        import os, subprocess, sys
        from rum.model.errors import StorageError
        from rum.repo.manage import join
        from rum.repo.project import open_project
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        for path in sys.argv[1:]:
            settings, project = open_project(path)
            print(project.id)
        try:
            join(project.id, sys.argv[1], settings, project)
        except StorageError as error:
            print(error.code)
    """
    files = sorted(machine.home.rglob("*"))
    for path in [machine.home, *files]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    closed = [path for path in machine.home.parents if not path.stat().st_mode & 0o001]
    for path in closed:
        path.chmod(0o711)
    try:
        command = [sys.executable, "-c", textwrap.dedent(code), str(known), str(unknown)]
        listed = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        environ = os.environ | machine.environ | listed
        done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False, cwd="/")
        assert done.stderr == ""
        assert done.stdout.split() == [expected.id, would_be.id, "STORAGE_ERROR"]
        assert sorted(machine.home.rglob("*")) == files
    finally:
        for path in [machine.home, *files, *closed]:
            path.chmod(0o700)


def test_a_damaged_registry_is_backed_up_rebuilt_and_reported(machine: Machine):
    tool = machine.project(machine.repository("tool"))
    named = machine.project(machine.user, project="journal")
    registry = machine.home / "projects.json"
    registry.write_text('{"version": 1, "projects": [')
    found = machine.project(machine.work / "tool")
    assert found.id == tool.id
    assert found.note is not None
    assert "projects.json.corrupt-1" in found.note
    assert (machine.home / "projects.json.corrupt-1").read_text() == '{"version": 1, "projects": ['
    assert machine.ids() == {tool.id, named.id}
    assert machine.project(machine.work / "tool").note is None
    assert machine.project(machine.user, project="journal").id == named.id
    registry.write_bytes(b"\xff\x00")
    assert machine.project(machine.work / "tool").id == tool.id
    assert (machine.home / "projects.json.corrupt-2").exists()


def test_a_missing_registry_is_rebuilt(machine: Machine):
    tool = machine.project(machine.repository("tool"))
    (machine.home / "projects" / tool.id / "project.json").write_text("broken")
    other = machine.project(machine.repository("other"))
    (machine.home / "projects.json").unlink()
    assert machine.project(machine.work / "other").id == other.id
    assert machine.ids() == {tool.id, other.id}


def test_a_registry_of_a_newer_version_is_not_changed(machine: Machine):
    machine.project(machine.repository("tool"))
    registry = machine.home / "projects.json"
    registry.write_text(json.dumps({"version": 2, "something": "new"}))
    with pytest.raises(StorageError, match="newer"):
        machine.project(machine.work / "tool")
    assert json.loads(registry.read_text())["version"] == 2


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_everything_is_readable_by_its_owner_only(machine: Machine):
    machine.home.mkdir(mode=0o755)
    machine.project(machine.repository("tool"))
    for path in [machine.home, *machine.home.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    machine.home.chmod(0o755)
    machine.project(machine.work / "tool")
    assert machine.home.stat().st_mode & 0o777 == 0o700


def test_git_runs_nothing_of_a_hostile_repository(machine: Machine):
    path = machine.repository("hostile")
    trap = machine.work / "trapped"
    head = machine.git(path, "rev-parse", "HEAD")
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.gitProxy", "credential.helper"):
        machine.git(path, "config", key, f"touch {trap}; true")
    machine.git(path, "config", "remote.origin.url", "ssh://example.invalid/tool")
    machine.git(path, "config", "remote.origin.promisor", "true")
    machine.git(path, "config", "extensions.partialClone", "origin")
    machine.git(path, "config", "core.repositoryFormatVersion", "1")
    (path / ".git" / "objects" / head[:2] / head[2:]).unlink()
    subprocess.run(["git", "rev-list", "HEAD"], cwd=path, capture_output=True, check=False)
    assert trap.exists(), "an unguarded git springs the trap"
    trap.unlink()
    assert machine.project(path).keys == ("remote:example.invalid/tool",)
    assert not trap.exists()


def test_settings_for_another_folder_can_be_passed_directly(machine: Machine):
    path = machine.repository("tool")
    settings = load(str(path), environ=machine.environ)
    assert find_project(str(path), settings) == machine.project(path)
