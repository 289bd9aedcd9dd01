"""Hostile repositories with random additions: none reads or writes another project's memory."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from chaos.figures import Figures
from rum import RumError
from rum.repo.project import all_projects
from support.hostile_repositories import ATTACKS, SECRET, make_victim
from support.machines import Machine


def try_repositories(folder: Path, rng: random.Random, rounds: int, figures: Figures) -> None:
    """Build a hostile repository each round, add to it, and use it as a person would."""
    for number in range(rounds):
        place = folder / str(number)
        place.mkdir(parents=True)
        machine = Machine(place)
        victim = make_victim(machine)
        attack = rng.choice(ATTACKS)
        hostile = attack(machine, victim)
        added = rng.sample(_ADDITIONS, rng.randrange(3))
        for add in added:
            _try_to_add(add, hostile, victim)
        what = ", ".join((attack.__name__, *(add.__name__.strip("_") for add in added)))
        _check(machine, victim, hostile, what, figures)
        figures.count("hostile repositories")
        shutil.rmtree(place)


def _check(machine: Machine, victim: Path, hostile: Path, what: str, figures: Figures) -> None:
    known = machine.project(victim).id
    before = {one.id: one.keys for one in all_projects(str(machine.home))}[known]
    try:
        machine.remember(hostile, "Planted")
        if SECRET in machine.goals(hostile):
            figures.fault("foreign memory", f"{what}: it reads the victim's memory")
    except (RumError, OSError):
        figures.count("hostile repositories refused")
    if machine.goals(victim) != [SECRET]:
        figures.fault("foreign memory", f"{what}: it wrote into the victim's memory")
    after = {one.id: one.keys for one in all_projects(str(machine.home))}[known]
    if after != before:
        figures.fault("foreign memory", f"{what}: the victim's keys changed from {before} to {after}")


def _try_to_add(add: Callable[[Path, Path], None], hostile: Path, victim: Path) -> None:
    """Add something to the git folder of a hostile repository, if it has one of its own."""
    git = hostile / ".git"
    if git.is_dir() and not git.is_symlink() and not (git / "config").is_symlink():
        add(git, victim / ".git")


def _borrow_objects(git: Path, victim: Path) -> None:
    (git / "objects" / "info").mkdir(parents=True, exist_ok=True)
    (git / "objects" / "info" / "alternates").write_text(f"{victim}/objects\n")


def _name_a_common_folder(git: Path, victim: Path) -> None:
    (git / "commondir").write_text(f"{victim}\n")


def _include_a_config(git: Path, victim: Path) -> None:
    with (git / "config").open("a") as file:
        file.write(f"[include]\n\tpath = {victim}/config\n")


def _name_a_work_tree(git: Path, victim: Path) -> None:
    with (git / "config").open("a") as file:
        file.write(f"[core]\n\tworktree = {victim.parent}\n")


def _copy_refs(git: Path, victim: Path) -> None:
    shutil.copytree(victim / "refs", git / "refs", dirs_exist_ok=True)


def _break_the_config(git: Path, _victim: Path) -> None:
    with (git / "config").open("ab") as file:
        file.write(b'[remote "x\n\xff\x00url = \n')


_ADDITIONS = [
    _borrow_objects,
    _name_a_common_folder,
    _include_a_config,
    _name_a_work_tree,
    _copy_refs,
    _break_the_config,
]
