"""One process at a time has the lease; the others learn which, and get it when that one ends."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rum.app.upkeep.tidy import LockHolder, lease
from support.processes import ask, end, make_place

HOLDER = """
import os, sys
from rum.app.upkeep.tidy import lease

with lease(sys.argv[1], 0, 77) as other:
    print(os.getpid() if other is None else "taken", flush=True)
    sys.stdin.readline()
"""


def test_the_lease_is_free_for_the_first_and_again_afterwards(tmp_path: Path):
    for _ in range(2):
        with lease(str(tmp_path), 0, 5) as other:
            assert other is None


def test_a_second_one_learns_who_has_it_and_since_when(tmp_path: Path):
    process = make_place(tmp_path).start(HOLDER, tmp_path)
    try:
        assert process.stdout
        pid = int(process.stdout.readline())
        with lease(str(tmp_path), 0, 99) as other:
            assert other == LockHolder(pid, 77)
        with lease(str(tmp_path), 0.05, 99) as other:
            assert other == LockHolder(pid, 77)
    finally:
        end(process)


def test_the_lease_ends_with_its_process_in_any_case(tmp_path: Path):
    process = make_place(tmp_path).start(HOLDER, tmp_path)
    assert process.stdout
    process.stdout.readline()
    end(process)
    with lease(str(tmp_path), 0, 99) as other:
        assert other is None


def test_a_waiting_process_gets_the_lease_when_the_other_is_done(tmp_path: Path):
    process = make_place(tmp_path).start(HOLDER, tmp_path)
    assert process.stdout
    process.stdout.readline()
    teller = threading.Timer(0.2, lambda: ask(process))
    teller.start()
    try:
        with lease(str(tmp_path), 60, 99) as other:
            assert other is None
    finally:
        teller.join()
        end(process)


@pytest.mark.parametrize("written", [b"", b" ", b" {", b"\xff" * 50, b' {"pid": "x"}'])
def test_a_holder_that_cannot_be_read_is_still_a_holder(tmp_path: Path, written: bytes):
    process = make_place(tmp_path).start(HOLDER, tmp_path)
    try:
        assert process.stdout
        process.stdout.readline()
        (tmp_path / "tidy.lock").write_bytes(written)
        with lease(str(tmp_path), 0, 99) as other:
            assert other == LockHolder()
    finally:
        end(process)


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX")
def test_nobody_else_can_read_it(tmp_path: Path):
    with lease(str(tmp_path), 0, 5):
        assert (tmp_path / "tidy.lock").stat().st_mode & 0o077 == 0


def test_an_error_in_the_work_lets_go_of_it(tmp_path: Path):
    with pytest.raises(TimeoutError, match="of the work"), lease(str(tmp_path), 0, 5):
        raise TimeoutError("of the work")
    with lease(str(tmp_path), 0, 5) as other:
        assert other is None
