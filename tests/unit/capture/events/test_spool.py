"""The spool: lines are appended whole, read whole, and removed without a loss."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.events import spool
from support.processes import make_place

ADDING = """
import sys
from rum.capture.events import spool
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(count):
    spool.append(folder, "shared", f'"{name}-{number}"\\n'.encode())
"""


def kept(folder: Path) -> list[bytes]:
    found: list[bytes] = []
    for path in spool.spools(str(folder)):
        found += spool.complete_lines(path)[0]
    return found


def test_lines_are_read_in_their_order(tmp_path: Path):
    for number in range(3):
        spool.append(str(tmp_path / "a" / "spool"), "s", b"%d\n" % number)
    (path,) = spool.spools(str(tmp_path / "a" / "spool"))
    assert spool.complete_lines(path) == ([b"0", b"1", b"2"], os.path.getsize(path))


def test_reading_continues_from_an_offset(tmp_path: Path):
    spool.append(str(tmp_path), "s", b"one\n")
    (path,) = spool.spools(str(tmp_path))
    _, end = spool.complete_lines(path)
    spool.append(str(tmp_path), "s", b"two\n")
    assert spool.complete_lines(path, end)[0] == [b"two"]


def test_reading_is_limited_to_a_number_of_bytes(tmp_path: Path):
    for number in range(100):
        spool.append(str(tmp_path), "s", b"%d\n" % number)
    (path,) = spool.spools(str(tmp_path))
    found: list[bytes] = []
    offset, end = 0, -1
    while offset != end:
        end = offset
        lines, offset = spool.complete_lines(path, offset, 50)
        found += lines
    assert found == [b"%d" % number for number in range(100)]


def test_an_incomplete_line_does_not_damage_the_next(tmp_path: Path):
    spool.append(str(tmp_path), "s", b"one\n")
    (path,) = spool.spools(str(tmp_path))
    with open(path, "ab") as file:
        file.write(b'\n{"half')
    assert spool.complete_lines(path)[0] == [b"one"]
    spool.append(str(tmp_path), "s", b"two\n")
    assert spool.complete_lines(path)[0] == [b"one", b'{"half', b"two"]


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
def test_only_the_owner_can_read(tmp_path: Path):
    folder = tmp_path / "spool"
    spool.append(str(folder), "s", b"x\n")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600]


@pytest.mark.skipif(os.name == "nt", reason="makes links")
def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.write_text("")
    folder = tmp_path / "spool"
    folder.mkdir(mode=0o700)
    (folder / "s.jsonl").symlink_to(outside)
    with pytest.raises(OSError, match=r"."):
        spool.append(str(folder), "s", b"x\n")
    assert outside.read_text() == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe")
def test_a_pipe_in_place_of_a_file_does_not_block(tmp_path: Path):
    tmp_path.chmod(0o700)
    os.mkfifo(tmp_path / "s.jsonl")
    with pytest.raises(OSError, match=r"."):
        spool.append(str(tmp_path), "s", b"x\n")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(tmp_path: Path):
    theirs = tmp_path / "spool"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 65534, 65534)
    assert spool.write_line((str(theirs), str(tmp_path / "mine")), "s", b"x\n")[0] == str(tmp_path / "mine")
    assert list(theirs.iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a folder away")
def test_nothing_is_read_from_a_folder_of_another_user(tmp_path: Path):
    theirs = tmp_path / "spool"
    spool.append(str(theirs), "s", b"x\n")
    os.chown(theirs, 65534, 65534)
    assert spool.spools(str(theirs)) == []


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
def test_nothing_is_read_from_a_folder_that_others_can_write(tmp_path: Path):
    folder = tmp_path / "spool"
    spool.append(str(folder), "s", b"x\n")
    folder.chmod(0o777)
    assert spool.spools(str(folder)) == []
    folder.chmod(0o755)
    assert kept(folder) == [b"x"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes a pipe and a link")
def test_pipes_and_links_are_not_read(tmp_path: Path):
    outside = tmp_path / "outside.txt"
    outside.write_text("x\n")
    folder = tmp_path / "spool"
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "link.jsonl").symlink_to(outside)
    assert spool.spools(str(folder)) == []


def test_a_full_file_is_followed_by_another(tmp_path: Path):
    line = b"x" * (spool.MAX_LINE - 1) + b"\n"
    count = spool.MAX_FILE // len(line) + 2
    for _ in range(count):
        spool.append(str(tmp_path), "s", line)
    assert len(spool.spools(str(tmp_path))) == 2
    assert len(kept(tmp_path)) == count


def test_a_line_that_is_too_long_is_refused(tmp_path: Path):
    with pytest.raises(spool.TooMuch):
        spool.append(str(tmp_path), "s", b"x" * spool.MAX_LINE + b"\n")


def test_the_next_folder_is_used_if_one_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("")
    where, problem = spool.write_line((str(tmp_path / "file"), str(tmp_path / "ok")), "s", b"x\n")
    assert where == str(tmp_path / "ok")
    assert isinstance(problem, OSError)
    assert spool.write_line((str(tmp_path / "file"),), "s", b"x\n")[0] is None


def test_folders_of_two_homes_and_projects_differ():
    places = {
        folder
        for home in ("/a", "/b")
        for project in ("p", "q")
        for folder in spool.folders(home, project, f"{home}/projects/{project}")
    }
    assert len(places) == 12


@given(st.text(min_size=0, max_size=200))
def test_any_session_has_a_valid_file_name(session: str):
    name = spool.file_name(session)
    assert 0 < len(name) <= 80
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")


def test_sessions_that_differ_only_in_case_have_different_files():
    names = ["a", "A", "a/b", "a\\b", "a:b", "../a", "con", "CON", "", " ", ".", "6b6c78ce-d1e6-47b2-a81e"]
    assert len({spool.file_name(name) for name in names}) == len(names)
    assert spool.file_name("con") != "con"


def test_a_processed_file_is_removed(tmp_path: Path):
    spool.append(str(tmp_path), "s", b"one\n")
    (path,) = spool.spools(str(tmp_path))
    _, end = spool.complete_lines(path)
    assert spool.remove(path, end)
    assert spool.spools(str(tmp_path)) == []


def test_lines_written_meanwhile_are_kept(tmp_path: Path):
    spool.append(str(tmp_path), "s", b"one\n")
    (path,) = spool.spools(str(tmp_path))
    _, end = spool.complete_lines(path)
    spool.append(str(tmp_path), "s", b"two\n")
    assert not spool.remove(path, end)
    assert b"two" in kept(tmp_path)


def test_an_incomplete_line_does_not_prevent_removal(tmp_path: Path):
    spool.append(str(tmp_path), "s", b"one\n")
    (path,) = spool.spools(str(tmp_path))
    with open(path, "ab") as file:
        file.write(b'\n{"half')
    assert spool.remove(path, spool.complete_lines(path)[1])


def test_no_line_is_lost_while_files_are_processed_and_removed(tmp_path: Path):
    place = make_place(tmp_path)
    folder = tmp_path / "spool"
    adding = [place.start(ADDING, folder, name, 300) for name in ("a", "b")]
    found: set[bytes] = set()
    over = threading.Event()

    def take_in() -> None:
        while True:
            last = over.is_set()
            for path in spool.spools(str(folder)):
                lines, end = spool.complete_lines(path)
                found.update(lines)
                spool.remove(path, end)
            if last and not spool.spools(str(folder)):
                return

    taking = threading.Thread(target=take_in)
    taking.start()
    for process in adding:
        _, complaints = process.communicate()
        assert (process.returncode, complaints) == (0, "")
    over.set()
    taking.join()
    assert found == {f'"{name}-{number}"'.encode() for name in "ab" for number in range(300)}
