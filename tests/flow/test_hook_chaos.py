"""Hooks in every kind of failure: the client notices nothing, and no event is lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rum import Rum
from rum.capture.events import problems, spool
from rum.capture.events.event import from_line
from rum.settings.home import file_lock
from support.hooks import HookRunner, make_hook_runner, prompt, ran, until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the trouble is made with POSIX's means")


@pytest.fixture
def hooks(tmp_path: Path) -> HookRunner:
    """A project with one memory."""
    places = make_hook_runner(tmp_path)
    with Rum.open(places.work, home=places.home) as rum:
        rum.store(
            intent={"goal": "Begin", "task_type": "other"}, outcome={"success": True, "summary": "Begun"}
        )
    return places


# Everything is loaded before, as nobody need not be able to read this interpreter's modules.
AS_NOBODY = """
import json, rum.capture.clients.claude_code, rum.capture.events.problems
import rum.surfaces.hooks.handle
from rum.surfaces.hooks.main import run
from support.processes import become_nobody
become_nobody()
run(["claude-code"])
"""


def folders(hooks: HookRunner) -> tuple[str, ...]:
    return spool.folders(str(hooks.home), hooks.project().name, str(hooks.project()))


def recorded_problems(hooks: HookRunner) -> list[str]:
    return [one.what for one in problems.recent_problems(folders(hooks), time.time())]


def test_a_hook_does_not_wait_for_a_locked_database(hooks: HookRunner):
    locks = [sqlite3.connect(hooks.project() / name) for name in ("rum.db", "activity.db")]
    for lock in locks:
        lock.execute("PRAGMA locking_mode = EXCLUSIVE")
        lock.execute("BEGIN EXCLUSIVE")
    try:
        for number in range(3):
            hooks.send(prompt(hooks.work, turn=str(number)))
        assert len(hooks.await_events(3)) >= 3
    finally:
        for lock in locks:
            lock.close()


@pytest.mark.parametrize("damage", ["deleted", "corrupted", "project deleted", "home deleted"])
def test_a_missing_or_damaged_database_stops_no_hook(hooks: HookRunner, damage: str):
    if damage == "corrupted":
        for name in ("rum.db", "activity.db"):
            (hooks.project() / name).write_bytes(b"no database " * 1000)
    elif damage == "deleted":
        for path in hooks.project().glob("*.db*"):
            path.unlink()
    else:
        shutil.rmtree(hooks.home if damage == "home deleted" else hooks.project())
    hooks.send(prompt(hooks.work))
    assert [event.get("text") for event in hooks.await_events(1)] == ["Fix the mean"]


def test_events_go_to_the_home_folder_if_the_project_is_not_writable(hooks: HookRunner):
    (hooks.project() / "spool").write_text("in the way")
    hooks.send(prompt(hooks.work))
    (event,) = hooks.await_events(1)
    assert [path.parent for path in hooks.home.rglob("*.jsonl")] == [Path(folders(hooks)[1])]
    assert event.get("project") == hooks.project().name
    until(lambda: bool(recorded_problems(hooks)))
    assert "events were saved in" in recorded_problems(hooks)[0]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="root can become somebody else")
def test_events_go_to_the_temporary_folder_if_the_home_is_read_only(hooks: HookRunner):
    for path in [hooks.home, *hooks.home.rglob("*")]:
        os.chown(path, 65534, 65534)
        path.chmod(0o500 if path.is_dir() else 0o400)
    for path in (hooks.work, hooks.temporary):
        os.chown(path, 65534, 65534)
    for path in (hooks.work, *hooks.work.parents):
        if path.stat().st_uid == os.geteuid() and path != Path("/tmp"):
            path.chmod(path.stat().st_mode | 0o055)
    command = [sys.executable, "-c", AS_NOBODY]
    hooks.send(
        prompt(hooks.work), command=command, env={"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    )
    hooks.await_events(1)
    (folder,) = [path.parent for path in hooks.temporary.rglob("*.jsonl")]
    assert (folder.name, folder.parent.parent) == (hooks.project().name, hooks.temporary)
    assert folder.stat().st_mode & 0o077 == 0


def no_room() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_hook_is_silent_on_a_full_disk(hooks: HookRunner):
    hooks.send(prompt(hooks.work), first=no_room)
    assert hooks.events() == []
    hooks.send(prompt(hooks.work, turn="after"))
    assert [event.get("turn") for event in hooks.await_events(1)] == ["after"]


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[HookRunner]:
    """A home on its own disk, which is full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(disk)]
    if sys.platform != "linux" or os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a tiny disk")
    try:
        yield make_hook_runner(tmp_path)._replace(home=disk / "home")
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_events_go_to_the_temporary_folder_if_the_disk_is_full(full_disk: HookRunner):
    full_disk.send(prompt(full_disk.work, turn="a"))
    full_disk.await_events(1)
    with (full_disk.home / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            pass
    for number in range(4):
        full_disk.send(ran(full_disk.work, "pytest", "o" * 1900, call=f"long-{number}"))
    until(lambda: len(whole(full_disk)) == 5)
    assert any(full_disk.temporary.rglob("*.jsonl"))
    (full_disk.home / "filler").unlink()
    full_disk.send(prompt(full_disk.work, turn="b"))
    until(lambda: len(whole(full_disk)) == 6)


def whole(hooks: HookRunner) -> set[str]:
    """The ids of the events in complete lines; the last line may be cut by the full disk."""
    found = [from_line(line) for line in hooks.raw().split(b"\n")]
    return {event["id"] for event in found if event and event["kind"] != "muted"}


def test_a_killed_hook_leaves_only_complete_lines(hooks: HookRunner):
    payload = json.dumps(prompt(hooks.work)).encode()
    for delay in (0, 0.02, 0.05, 0.08, 0.12):
        hook = hooks.start()
        hook.stdin.write(payload[: len(payload) // 2] if delay == 0 else payload)
        hook.stdin.flush()
        if delay:
            hook.stdin.close()
        time.sleep(delay)
        hook.send_signal(signal.SIGKILL)
        hook.wait()
        hook.stdout.close()
        hook.stderr.close()
        if delay == 0:
            hook.stdin.close()
    hooks.send(prompt(hooks.work, turn="last"))
    until(lambda: "last" in [event.get("turn") for event in hooks.events()])


def test_a_hook_ends_even_if_the_client_never_closes_stdin(hooks: HookRunner):
    hook = hooks.start()
    hook.stdin.write(b'{"session_id": "s", ')
    hook.stdin.flush()
    assert hook.wait(60) == 0
    assert (hook.stdout.read(), hook.stderr.read()) == (b"", b"")
    for stream in (hook.stdin, hook.stdout, hook.stderr):
        stream.close()


def test_slow_work_is_finished_by_another_process(hooks: HookRunner, tmp_path: Path):
    other = tmp_path / "unknown"
    other.mkdir()
    # A new project has to be registered, and somebody else holds the registry.
    with file_lock(str(hooks.home / "projects.json.lock")):
        hooks.send(prompt(other, "Wait for it"))
        assert hooks.events() == []
    (event,) = hooks.await_events(1)
    assert event.get("text") == "Wait for it"


def test_a_closed_stdout_is_no_error(hooks: HookRunner):
    hook = hooks.start()
    hook.stdout.close()
    hook.stderr.close()
    hook.stdin.write(json.dumps(prompt(hooks.work)).encode())
    hook.stdin.close()
    assert hook.wait(60) == 0
    hooks.await_events(1)


@pytest.mark.slow
def test_two_hooks_at_once_lose_and_mix_no_lines(hooks: HookRunner):
    for number in range(50):
        pair = [hooks.start() for _ in range(2)]
        for which, hook in enumerate(pair):
            payload = ran(hooks.work, "pytest", f"{number} " * 300, call=f"{number}-{which}")
            hook.stdin.write(json.dumps(payload).encode())
            hook.stdin.close()
        for hook in pair:
            assert hook.wait(60) == 0
            assert (hook.stdout.read(), hook.stderr.read()) == (b"", b"")
            hook.stdout.close()
            hook.stderr.close()
    calls = [event.get("call") for event in hooks.await_events(100)]
    assert sorted(set(calls)) == sorted(f"{number}-{which}" for number in range(50) for which in range(2))
    # On a busy machine a hook and the one that goes on for it may both have written: intake keeps one.
    assert max(Counter(calls).values()) <= 2
