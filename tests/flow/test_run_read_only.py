"""A run in which nothing can be written: the prompt is there, the work continues, losses are reported."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.processes import Place, make_place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")

WORKER = """
import sys, tempfile, warnings
from support.processes import become_nobody
from rum import Rum

def work(rum, fail):
    with rum.run(agent="developer", task="Refresh the token", files=["src/a.py"]) as run:
        print("Clocks differ" in run.prompt)
        run.discovery("data_model", "Users have tokens")
        run.attempt("One way").fail("No")
        run.step("Edit it", file="src/a.py")
        if fail:
            raise ValueError("mine")
        run.succeed("Works")
    print(run.memory_id)

# What is imported late must be imported before root's rights are gone.
with tempfile.TemporaryDirectory() as scratch, Rum.open(scratch, home=scratch + "/home") as rum:
    work(rum, False)
become_nobody()
with Rum.open() as rum, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    work(rum, False)
    print(len(caught), "The memory was not stored" in str(caught[0].message))
    try:
        work(rum, True)
    except ValueError as error:
        print(error, "The memory was not stored" in error.__notes__[0])
"""


@pytest.fixture
def place() -> Iterator[Place]:
    folder = Path(tempfile.mkdtemp(prefix="rum-test-"))
    folder.chmod(0o755)
    yield make_place(folder)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


def seal(*folders: Path) -> None:
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)


def test_a_run_continues_if_nothing_can_be_written(place: Place):
    with (
        place.open(agent="developer") as rum,
        rum.run(agent="developer", task="It", files=["src/a.py"]) as run,
    ):
        run.fail("Clocks differ", "logic_error")
    seal(place.home, place.work)
    first, *told = place.run(WORKER)
    assert first == "False"
    assert told[1:] == ["True", "None", "1 True", "True", "mine True"]
