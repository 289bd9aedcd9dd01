"""Repositories that pose as another project, each made by a function from a victim's repository."""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

from support.machines import Machine

REMOTE = "https://example.org/bank/vault"
SECRET = "The secret of the vault"

Attack = Callable[[Machine, Path], Path]


def make_victim(machine: Machine) -> Path:
    """A repository with a remote, two commits and a memory."""
    path = machine.repository("vault")
    machine.commit(path, "second")
    machine.git(path, "remote", "add", "origin", REMOTE)
    machine.remember(path, SECRET)
    return path


def claim_remote(machine: Machine, path: Path, url: str = REMOTE) -> None:
    machine.git(path, "config", "remote.origin.url", url)


def bare_form(folder: Path, config: str) -> None:
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(config)


def committed_bare_folder(machine: Machine, victim: Path) -> Path:
    """A clone that holds, as committed files, what looks like a bare repository with the victim's remote."""
    upstream = machine.repository("theirs")
    fake = upstream / "fixtures" / "repo"
    bare_form(fake, f'[core]\n\tbare = true\n[remote "origin"]\n\turl = {REMOTE}\n')
    (fake / "objects" / "keep").write_text("")
    (fake / "refs" / "keep").write_text("")
    machine.git(upstream, "add", ".")
    machine.git(upstream, "commit", "--quiet", "-m", "fixtures")
    return machine.clone(upstream, "hostile") / "fixtures" / "repo"


def committed_bare_folder_with_commondir(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    fake = path / "fixtures" / "repo"
    bare_form(fake, "")
    (fake / "commondir").write_text(str(victim / ".git"))
    return fake


def planted_commondir(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    (path / ".git" / "commondir").write_text(f"{victim}/.git\n")
    return path


def git_file_naming_the_repository(machine: Machine, victim: Path) -> Path:
    path = machine.work / "hostile"
    path.mkdir()
    (path / ".git").write_text(f"gitdir: {victim}/.git\n")
    return path


def git_file_naming_a_worktree(machine: Machine, victim: Path) -> Path:
    machine.git(victim, "worktree", "add", "--quiet", "../vault-fix", "-b", "fix")
    path = machine.work / "hostile"
    path.mkdir()
    (path / ".git").write_text(f"gitdir: {victim}/.git/worktrees/vault-fix\n")
    return path


def git_file_naming_a_submodule(machine: Machine, victim: Path) -> Path:
    parent = machine.repository("parent")
    machine.git(parent, "submodule", "--quiet", "add", str(victim), "vault")
    path = machine.repository("hostile") / "vault"
    path.mkdir()
    (path / ".git").write_text(f"gitdir: {parent}/.git/modules/vault\n")
    return path


def own_worktree_form_around_the_victim(machine: Machine, victim: Path) -> Path:
    """A git dir of the attacker's own whose `commondir` names the victim's, with a matching back link."""
    path = machine.work / "hostile"
    git_dir = path / "meta" / "worktrees" / "x"
    git_dir.mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
    (git_dir / "commondir").write_text(f"{victim}/.git\n")
    (git_dir / "gitdir").write_text(f"{path}/.git\n")
    (path / ".git").write_text(f"gitdir: {git_dir}\n")
    return path


def separate_git_dir_of_the_victim(machine: Machine, victim: Path) -> Path:
    """The victim keeps its git dir elsewhere; the attacker's folder names that, too."""
    machine.git(victim, "init", "--quiet", "--separate-git-dir", str(machine.work / "kept"))
    machine.project(victim)
    path = machine.work / "hostile"
    path.mkdir()
    (path / ".git").write_text(f"gitdir: {machine.work}/kept\n")
    return path


def linked_git(machine: Machine, victim: Path) -> Path:
    path = machine.work / "hostile"
    path.mkdir()
    (path / ".git").symlink_to(victim / ".git")
    return path


def git_with_linked_parts(machine: Machine, victim: Path) -> Path:
    """A `.git` directory whose objects, refs and config are links to the victim's."""
    path = machine.repository("hostile", commit=False)
    for name in ("objects", "refs", "config", "HEAD"):
        part = path / ".git" / name
        shutil.rmtree(part) if part.is_dir() else part.unlink()
        part.symlink_to(victim / ".git" / name)
    return path


def tampered_config(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    claim_remote(machine, path)
    return path


def tampered_config_of_a_known_repository(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    machine.project(path)
    claim_remote(machine, path)
    return path


def fork_that_shares_the_root(machine: Machine, victim: Path) -> Path:
    path = machine.clone(victim, "hostile")
    machine.git(path, "remote", "set-url", "origin", "https://example.org/mallory/vault")
    return path


def fork_with_the_victim_as_upstream(machine: Machine, victim: Path) -> Path:
    path = fork_that_shares_the_root(machine, victim)
    machine.git(path, "remote", "add", "upstream", REMOTE)
    return path


def fork_without_a_remote(machine: Machine, victim: Path) -> Path:
    path = machine.clone(victim, "hostile")
    machine.git(path, "remote", "remove", "origin")
    return path


def borrowed_objects(machine: Machine, victim: Path) -> Path:
    """The victim's remote, and `alternates` that name the victim's object store."""
    path = tampered_config(machine, victim)
    (path / ".git/objects/info/alternates").write_text(f"{victim}/.git/objects\n")
    return path


def forged_objects(machine: Machine, victim: Path) -> Path:
    """The victim's remote, and files that have the names of the victim's commits."""
    path = tampered_config(machine, victim)
    content = b"tree " + b"0" * 40 + b"\nauthor A <a> 0 +0000\ncommitter A <a> 0 +0000\n\nx\n"
    for sha in machine.git(victim, "rev-list", "--all").split():
        file = path / ".git/objects" / sha[:2] / sha[2:]
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(b"commit %d\0" % len(content) + content))
    return path


def objects_borrowed_in_two_steps(machine: Machine, victim: Path) -> Path:
    """`alternates` that name a store within the repository, whose own name the victim's."""
    path = tampered_config(machine, victim)
    between = path / "store"
    (between / "info").mkdir(parents=True)
    (between / "info/alternates").write_text(f"{victim}/.git/objects\n")
    (path / ".git/objects/info/alternates").write_text("../../store\n")
    return path


def replaced_objects(machine: Machine, victim: Path) -> Path:
    """The victim's remote, and a commit of its own in place of each of the victim's."""
    path = tampered_config(machine, victim)
    own = machine.git(path, "rev-parse", "HEAD").strip()
    folder = path / ".git/refs/replace"
    folder.mkdir(parents=True)
    for sha in machine.git(victim, "rev-list", "--all").split():
        (folder / sha).write_text(f"{own}\n")
    return path


def objects_fetched_when_asked_for(machine: Machine, victim: Path) -> Path:
    """A partial clone of the victim's remote, for which git is told to ask the victim's folder."""
    path = tampered_config(machine, victim)
    machine.git(victim, "config", "uploadpack.allowAnySHA1InWant", "true")
    machine.git(victim, "config", "uploadpack.allowFilter", "true")
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "tree:0"),
        (f"url.{victim}.insteadOf", REMOTE),
    ):
        machine.git(path, "config", key, value)
    return path


def config_of_a_work_tree(machine: Machine, victim: Path) -> Path:
    """The victim's remote in the config of a single work tree, beside borrowed objects."""
    path = machine.repository("hostile")
    machine.git(path, "config", "extensions.worktreeConfig", "true")
    machine.git(path, "config", "--worktree", "remote.origin.url", REMOTE)
    (path / ".git/objects/info/alternates").write_text(f"{victim}/.git/objects\n")
    return path


def archive_with_a_local_origin(machine: Machine, victim: Path) -> Path:
    """An archive with a `.git` whose origin is the path of a repository on this machine."""
    made = machine.repository("made")
    claim_remote(machine, made, str(victim))
    with tarfile.open(machine.work / "hostile.tar", "w") as archive:
        archive.add(made, "hostile")
    shutil.rmtree(made)
    with tarfile.open(machine.work / "hostile.tar") as archive:
        archive.extractall(machine.work, filter="tar")
    return machine.work / "hostile"


def archive_with_a_local_origin_and_borrowed_objects(machine: Machine, victim: Path) -> Path:
    path = archive_with_a_local_origin(machine, victim)
    (path / ".git/objects/info/alternates").write_text(f"{victim}/.git/objects\n")
    return path


def included_config(machine: Machine, victim: Path) -> Path:
    """A config that includes the victim's, always and on a condition."""
    path = machine.repository("hostile")
    machine.git(path, "config", "include.path", f"{victim}/.git/config")
    machine.git(path, "config", f"includeIf.gitdir:{path}/.path", f"{victim}/.git/config")
    return path


def work_tree_of_the_victim(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    machine.git(path, "config", "core.worktree", str(victim))
    return path


def submodule_that_claims_the_remote(machine: Machine, victim: Path) -> Path:
    library = machine.repository("library")
    path = machine.repository("hostile")
    machine.git(path, "submodule", "--quiet", "add", str(library), "vault")
    claim_remote(machine, path / "vault")
    return path / "vault"


def submodule_with_a_foreign_git_file(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    (path / "vault").mkdir()
    (path / "vault" / ".git").write_text(f"gitdir: ../../{victim.name}/.git\n")
    return path / "vault"


def worktree_of_a_hostile_repository(machine: Machine, victim: Path) -> Path:
    path = tampered_config(machine, victim)
    machine.git(path, "worktree", "add", "--quiet", str(machine.work / "hostile-fix"), "-b", "fix")
    return machine.work / "hostile-fix"


def nested_repository(machine: Machine, victim: Path) -> Path:
    outer = machine.repository("outer")
    inner = outer / "vendor" / "vault"
    inner.mkdir(parents=True)
    machine.git(inner, "init", "--quiet")
    machine.commit(inner, "inner")
    claim_remote(machine, inner)
    return inner


def sparse_checkout(machine: Machine, victim: Path) -> Path:
    path = tampered_config(machine, victim)
    machine.git(path, "sparse-checkout", "set", "--no-cone", "/*")
    return path


def shallow_file_of_the_victim(machine: Machine, victim: Path) -> Path:
    """A `shallow` file that names the victim's commit, as if it were the boundary of a clone."""
    path = tampered_config(machine, victim)
    (path / ".git/shallow").write_text(machine.git(victim, "rev-parse", "HEAD") + "\n")
    return path


def head_of_the_victim(machine: Machine, victim: Path) -> Path:
    """HEAD and a branch name the victim's commit, which is not there."""
    path = tampered_config(machine, victim)
    (path / ".git/refs/heads/main").write_text(machine.git(victim, "rev-parse", "HEAD") + "\n")
    return path


def environment_file(machine: Machine, victim: Path) -> Path:
    """A committed `.envrc` with GIT_DIR, which nothing reads."""
    path = machine.repository("hostile")
    for name in (".envrc", ".env"):
        (path / name).write_text(f"export GIT_DIR={victim}/.git\nexport RUM_PROJECT=vault\n")
    return path


def config_that_names_the_project(machine: Machine, victim: Path) -> Path:
    path = machine.repository("hostile")
    (path / ".rum").mkdir()
    (path / ".rum" / "config.toml").write_text('project = "vault"\n')
    return path


def folder_of_the_same_name(machine: Machine, victim: Path) -> Path:
    (machine.work / "elsewhere" / "vault").mkdir(parents=True)
    return machine.work / "elsewhere" / "vault"


ATTACKS = [
    committed_bare_folder,
    committed_bare_folder_with_commondir,
    planted_commondir,
    git_file_naming_the_repository,
    git_file_naming_a_worktree,
    git_file_naming_a_submodule,
    own_worktree_form_around_the_victim,
    separate_git_dir_of_the_victim,
    linked_git,
    git_with_linked_parts,
    tampered_config,
    tampered_config_of_a_known_repository,
    fork_that_shares_the_root,
    fork_with_the_victim_as_upstream,
    fork_without_a_remote,
    borrowed_objects,
    objects_borrowed_in_two_steps,
    replaced_objects,
    objects_fetched_when_asked_for,
    config_of_a_work_tree,
    forged_objects,
    archive_with_a_local_origin,
    archive_with_a_local_origin_and_borrowed_objects,
    included_config,
    work_tree_of_the_victim,
    submodule_that_claims_the_remote,
    submodule_with_a_foreign_git_file,
    worktree_of_a_hostile_repository,
    nested_repository,
    sparse_checkout,
    shallow_file_of_the_victim,
    head_of_the_victim,
    environment_file,
    config_that_names_the_project,
    folder_of_the_same_name,
]
