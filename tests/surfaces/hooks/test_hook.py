"""`rum-hook`, run as a client runs it."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from rum.capture.events import pause, problems, spool
from rum.surfaces.hooks.stdin import LARGEST
from support.hooks import PATIENCE, SESSION, Hooked, make_hooked, prompt, ran, samples, until
from support.secrets import TOKENS, UPPER


@pytest.fixture
def run_hook(tmp_path: Path) -> Hooked:
    return make_hooked(tmp_path)


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_an_event_is_written_to_the_spool_of_its_project(run_hook: Hooked, client: str):
    # The end of a turn would have them taken in.
    sent = [{**payload, "cwd": str(run_hook.work)} for payload in samples(client)[:5]]
    for payload in sent:
        run_hook.tell(payload, client)
    found = run_hook.await_events(len(sent))
    assert {event["client"] for event in found} == {client}
    assert {event.get("project") for event in found} == {run_hook.project().name}
    assert [path.parent for path in run_hook.home.rglob("*.jsonl")] == [run_hook.project() / "spool"]


def test_the_console_script_records_the_event(run_hook: Hooked):
    script = shutil.which("rum-hook", path=sysconfig.get_path("scripts"))
    assert script
    run_hook.tell(prompt(run_hook.work), command=[script, "claude-code"])
    assert [event.get("text") for event in run_hook.await_events(1)] == ["Fix the mean"]


def test_the_project_is_that_of_the_clients_folder(run_hook: Hooked, tmp_path: Path):
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    inner = tmp_path / "other" / "src"
    inner.mkdir()
    run_hook.tell(prompt(inner))
    run_hook.await_events(1)
    registry = json.loads((run_hook.home / "projects.json").read_text())
    assert [entry["root"] for entry in registry["projects"]] == [str(tmp_path / "other")]


def test_worktrees_share_a_project(run_hook: Hooked, tmp_path: Path):
    git = ["git", "-C", str(run_hook.work), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    run_hook.tell(prompt(run_hook.work, turn="a"))
    run_hook.tell(prompt(tmp_path / "tree", turn="b"))
    assert len({event.get("project") for event in run_hook.await_events(2)}) == 1


def test_a_deleted_folder_counts_as_the_folder_above(run_hook: Hooked):
    (run_hook.work / ".rum").mkdir()
    run_hook.tell(prompt(run_hook.work / "gone" / "deeper"))
    assert run_hook.await_events(1)


@pytest.mark.parametrize("where", ["home", "/"])
def test_nothing_is_recorded_outside_of_projects(run_hook: Hooked, where: str):
    folder = run_hook.work if where == "home" else Path("/")
    run_hook.tell(prompt(folder), env={"HOME": str(run_hook.work)})
    assert list(run_hook.home.rglob("*")) == []


@pytest.mark.parametrize(
    "sent",
    [b"", b"garbage", b"[]", b"null", b"{", b'{"a": ' * 50_000, b"\xff\xfe\x00", b'"text"', b"{}", b"3"],
)
def test_an_invalid_payload_prints_nothing(run_hook: Hooked, sent: bytes):
    run_hook.tell(sent)
    assert run_hook.events() == []


def test_an_invalid_byte_is_replaced_and_the_event_recorded(run_hook: Hooked):
    sent = json.dumps(prompt(run_hook.work, "Fix it")).encode().replace(b"Fix it", b"Fix \xff it")
    run_hook.tell(b"\xef\xbb\xbf" + sent)
    assert [event.get("text") for event in run_hook.await_events(1)] == ["Fix \ufffd it"]


def test_unknown_clients_events_and_arguments_print_nothing(run_hook: Hooked):
    run_hook.tell(prompt(run_hook.work), "nobody")
    run_hook.tell({**prompt(run_hook.work), "hook_event_name": "Notification"})
    run_hook.tell(prompt(run_hook.work), "--", command=[sys.executable, "-P", "-c", CALL_WITHOUT_ARGUMENTS])
    assert run_hook.events() == []


CALL_WITHOUT_ARGUMENTS = "import sys; sys.argv = ['rum-hook']; import rum.surfaces.hooks.main as m; m.main()"


def test_a_huge_payload_is_recorded_without_its_content(run_hook: Hooked):
    payload = ran(run_hook.work, "cat big", "x" * 20_000_000, call="huge")
    run_hook.tell(payload)
    (event,) = run_hook.await_events(1)
    assert event.get("withheld") == "too large"
    assert (event["kind"], event.get("call")) == ("after", "huge")
    assert len(json.dumps(payload)) > LARGEST


@pytest.mark.skipif(os.name == "nt", reason="another process cannot read on there")
def test_another_process_continues_to_read_a_slow_payload(run_hook: Hooked):
    sent = json.dumps(ran(run_hook.work, "make", "x" * 3000 + "\ndone")).encode()
    with run_hook.start("claude-code") as hook:
        assert hook.stdin
        hook.stdin.write(sent[:2000])
        hook.stdin.flush()
        assert hook.wait(PATIENCE) == 0
        hook.stdin.write(sent[2000:])
    (event,) = run_hook.await_events(1)
    assert event.get("output", "").endswith("\ndone")


def test_a_large_payload_is_recorded_shortened(run_hook: Hooked):
    run_hook.tell(ran(run_hook.work, "pytest", "x" * 1_000_000 + "\n3 failed"))
    (event,) = run_hook.await_events(1)
    assert event.get("output", "").endswith("\n3 failed")
    assert len(run_hook.raw()) < 5000


def test_no_secret_reaches_the_spool(run_hook: Hooked):
    dice = random.Random(7)
    for number, (_, prefixes, letters, length) in enumerate(TOKENS[::6]):
        secret = prefixes.split()[0] + "".join(dice.choice(letters) for _ in range(length))
        sent = ran(run_hook.work, f"deploy --token {secret}", f"used {secret}\n", call=f"c{number}")
        run_hook.tell({**sent, "prompt": secret})
        run_hook.await_events(number + 1)
        assert secret.encode() not in run_hook.raw()


def test_a_secret_in_a_session_id_is_in_no_file_name(run_hook: Hooked):
    secret = "AKIA" + "".join(random.Random(7).choice(UPPER) for _ in range(16))
    run_hook.tell({**prompt(run_hook.work), "session_id": secret})
    run_hook.await_events(1)
    assert secret.encode() not in run_hook.raw()
    assert not [path for path in run_hook.home.rglob("*") if secret.lower() in str(path).lower()]


def test_the_users_secret_patterns_are_redacted(run_hook: Hooked):
    run_hook.home.mkdir()
    (run_hook.home / "config.toml").write_text('redact_extra = ["ACME-[0-9]+"]')
    run_hook.tell(prompt(run_hook.work, "Use ACME-123456"))
    assert [event.get("text") for event in run_hook.await_events(1)] == ["Use [REDACTED:custom]"]


def test_private_text_and_ignored_paths_are_not_recorded(run_hook: Hooked):
    (run_hook.work / ".rumignore").write_text("plans/\n")
    run_hook.tell(prompt(run_hook.work, "Go <private>quietly</private> on"))
    run_hook.tell(ran(run_hook.work, "cat plans/a.md", "the plan"))
    run_hook.await_events(2)
    assert b"quietly" not in run_hook.raw()
    assert b"plan" not in run_hook.raw().replace(str(run_hook.work).encode(), b"")


def test_nothing_is_recorded_while_paused(run_hook: Hooked):
    pause.pause(str(run_hook.home), None, 0, None)
    run_hook.tell(prompt(run_hook.work, turn="a"))
    end = int(time.time()) + 1
    pause.resume(str(run_hook.home), None, end)
    until(lambda: time.time() >= end)
    run_hook.tell(prompt(run_hook.work, turn="b"))
    assert [event.get("turn") for event in run_hook.await_events(1)] == ["b"]


def test_with_unreadable_settings_only_kind_and_time_are_recorded(run_hook: Hooked):
    run_hook.home.mkdir()
    (run_hook.home / "config.toml").write_text("recall_limit = 'many'")
    run_hook.tell(prompt(run_hook.work, "Fix the mean"))
    (event,) = run_hook.await_events(1)
    assert (event["kind"], event["cwd"], event.get("withheld")) == (
        "prompt",
        str(run_hook.work),
        "unredacted",
    )
    assert b"Fix" not in run_hook.raw()
    (noted,) = problems.recent_problems(spool.unclaimed_folders(str(run_hook.home)), event["at"])
    assert "recall_limit" in noted.what


def test_with_a_registry_of_a_newer_version_only_kind_and_time_are_recorded(run_hook: Hooked):
    run_hook.home.mkdir()
    (run_hook.home / "projects.json").write_text('{"version": 99, "projects": [], "places": {}}')
    run_hook.tell(prompt(run_hook.work, "Fix the mean"))
    assert [event.get("withheld") for event in run_hook.await_events(1)] == ["unredacted"]
    (noted,) = problems.recent_problems(
        spool.unclaimed_folders(str(run_hook.home)), run_hook.events()[0]["at"]
    )
    assert "newer RUM" in noted.what


def test_another_process_processes_the_spool_at_the_end_of_a_turn(run_hook: Hooked):
    run_hook.tell({**prompt(run_hook.work), "hook_event_name": "Stop", "prompt": None})
    until(lambda: any(run_hook.home.glob("projects/*/spool/intake.started")))


def test_a_session_id_that_is_no_valid_file_name_is_accepted(run_hook: Hooked):
    run_hook.tell({**prompt(run_hook.work), "session_id": "../../CON:*?"})
    assert [event["session"] for event in run_hook.await_events(1)] == ["../../CON:*?"]
    assert len(list((run_hook.project() / "spool").glob("con-*.jsonl"))) == 1


def test_the_session_id_of_the_samples_is_used_as_file_name():
    assert spool.file_name(SESSION) == SESSION
