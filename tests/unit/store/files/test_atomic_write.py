from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from rum.model.errors import InvalidQuery, StorageError
from rum.store.files.atomic_write import inside, locked, make_folder, read, replace
from support.processes import ask, end, make_place

HOLDER = """
import sys
from rum.store.files.atomic_write import locked

with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
print("let go", flush=True)
"""

COUNTER = """
import sys
from rum.store.files.atomic_write import locked, read, replace

path = sys.argv[1]
print("ready", flush=True)
sys.stdin.readline()
for _ in range(25):
    with locked(path):
        replace(path, b"%d" % (int(read(path, 100) or b"0") + 1))
print("done", flush=True)
"""

needs_links = pytest.mark.skipif(os.name == "nt", reason="making links takes a right that few have there")


def test_what_is_replaced_is_there_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    replace(str(path), b"one")
    replace(str(path), b"two\r\n")

    assert path.read_bytes() == b"two\r\n"
    assert os.listdir(tmp_path) == ["note.md"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions there")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "note.md"
    path.write_text("one")
    path.chmod(mode)
    replace(str(path), b"two")

    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_write_that_fails_changes_nothing_and_says_where(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)

    with pytest.raises(StorageError, match="Nothing was changed") as raised:
        replace(str(folder), b"text")

    assert raised.value.details["path"] == str(folder)
    assert os.listdir(tmp_path) == ["folder"]


def test_reading_gives_none_for_what_is_not_there_and_refuses_what_is_no_file_or_too_large(
    tmp_path: Path,
) -> None:
    (tmp_path / "large").write_bytes(b"x" * 101)

    assert read(str(tmp_path / "absent"), 100) is None
    assert read(str(tmp_path / "large" / "below"), 100) is None
    assert read(str(tmp_path / "large"), 101) == b"x" * 101
    with pytest.raises(StorageError, match="larger than"):
        read(str(tmp_path / "large"), 100)
    with pytest.raises(StorageError):
        read(str(tmp_path), 100)


def test_a_lock_keeps_another_process_out_for_as_long_as_it_is_held(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    path = str(tmp_path / "note.md")
    holder = place.start(HOLDER, path)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StorageError, match=r"Others have been writing to .*note\.md"), locked(path, 0.05):
            pass
        assert ask(holder) == "let go"
        with locked(path, 10):
            pass
    finally:
        end(holder)


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    path = str(tmp_path / "note.md")
    holder = place.start(HOLDER, path)
    try:
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
        with locked(path, 10):
            pass
    finally:
        end(holder)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed there")
def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    with locked(str(tmp_path / "note.md")):
        assert os.listdir(tmp_path) == [".note.md.lock"]
    assert os.listdir(tmp_path) == []


def test_processes_that_take_turns_lose_no_change(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    path = tmp_path / "count"
    counters = [place.start(COUNTER, path) for _ in range(4)]
    try:
        for counter in counters:
            assert counter.stdout.readline() == "ready\n"
        for counter in counters:
            counter.stdin.write("\n")
            counter.stdin.flush()
        for counter in counters:
            assert counter.stdout.readline() == "done\n", counter.stderr.read()
    finally:
        for counter in counters:
            end(counter)
    assert path.read_bytes() == b"100"


def test_threads_take_turns_too(tmp_path: Path) -> None:
    path = str(tmp_path / "count")

    def count() -> None:
        for _ in range(10):
            with locked(path):
                replace(path, b"%d" % (int(read(path, 100) or b"0") + 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(path, 100) == b"40"


def test_an_error_in_the_locked_block_is_passed_on_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match="my own"), locked(str(tmp_path / "note.md")):
        raise TimeoutError("my own")


def test_a_lock_in_a_folder_that_is_not_there_is_refused_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Nothing was changed"), locked(str(tmp_path / "no" / "note.md")):
        pass


@needs_links
def test_a_lock_does_not_make_a_file_where_a_link_points(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / ".note.md.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageError), locked(str(folder / "note.md")):
        pass
    assert not (tmp_path / "elsewhere").exists()


@needs_links
def test_a_link_that_leads_out_of_the_folder_is_refused_and_one_inside_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (tmp_path / "secret").write_text("key")
    (folder / "real.md").write_text("text")
    (folder / "out.md").symlink_to(tmp_path / "secret")
    (folder / "in.md").symlink_to("real.md")
    (folder / "up").symlink_to("..")

    assert inside(str(folder), str(folder / "in.md")) == os.path.realpath(folder / "real.md")
    assert inside(str(folder), str(folder / "new.md")) == os.path.join(os.path.realpath(folder), "new.md")
    for outside in ("out.md", "up/secret", "../secret", str(tmp_path / "secret"), "up", "."):
        with pytest.raises(InvalidQuery, match="leads out of"):
            inside(str(folder), os.path.join(folder, outside))


def test_a_folder_is_made_once_and_a_file_in_its_place_is_an_error(tmp_path: Path) -> None:
    make_folder(str(tmp_path / "a" / "b"))
    make_folder(str(tmp_path / "a" / "b"))
    (tmp_path / "file").write_text("")

    assert (tmp_path / "a" / "b").is_dir()
    with pytest.raises(StorageError):
        make_folder(str(tmp_path / "file" / "b"))
