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
from rum.surfaces.hooks.watchdog import LARGEST
from support.hooks import PATIENCE, SESSION, HookRunner, make_hook_runner, prompt, ran, samples, until
from support.secrets import TOKENS, UPPER


@pytest.fixture
def hooks(tmp_path: Path) -> HookRunner:
    return make_hook_runner(tmp_path)


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_an_event_is_written_to_the_spool_of_its_project(hooks: HookRunner, client: str):
    # Not the whole session: after the end of a turn the events are processed and leave the spool.
    sent = [{**payload, "cwd": str(hooks.work)} for payload in samples(client)[:5]]
    for payload in sent:
        hooks.send(payload, client)
    found = hooks.await_events(len(sent))
    assert {event["client"] for event in found} == {client}
    assert {event.get("project") for event in found} == {hooks.project().name}
    assert [path.parent for path in hooks.home.rglob("*.jsonl")] == [hooks.project() / "spool"]


def test_the_console_script_records_the_event(hooks: HookRunner):
    script = shutil.which("rum-hook", path=sysconfig.get_path("scripts"))
    assert script
    hooks.send(prompt(hooks.work), command=[script, "claude-code"])
    assert [event.get("text") for event in hooks.await_events(1)] == ["Fix the mean"]


def test_the_project_is_that_of_the_clients_folder(hooks: HookRunner, tmp_path: Path):
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    inner = tmp_path / "other" / "src"
    inner.mkdir()
    hooks.send(prompt(inner))
    hooks.await_events(1)
    registry = json.loads((hooks.home / "projects.json").read_text())
    assert [entry["root"] for entry in registry["projects"]] == [str(tmp_path / "other")]


def test_worktrees_share_a_project(hooks: HookRunner, tmp_path: Path):
    git = ["git", "-C", str(hooks.work), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    hooks.send(prompt(hooks.work, turn="a"))
    hooks.send(prompt(tmp_path / "tree", turn="b"))
    assert len({event.get("project") for event in hooks.await_events(2)}) == 1


def test_a_deleted_folder_counts_as_the_folder_above(hooks: HookRunner):
    (hooks.work / ".rum").mkdir()
    hooks.send(prompt(hooks.work / "gone" / "deeper"))
    assert hooks.await_events(1)


@pytest.mark.parametrize("where", ["home", "/"])
def test_nothing_is_recorded_outside_of_projects(hooks: HookRunner, where: str):
    folder = hooks.work if where == "home" else Path("/")
    hooks.send(prompt(folder), env={"HOME": str(hooks.work)})
    assert list(hooks.home.rglob("*")) == []


@pytest.mark.parametrize(
    "sent",
    [b"", b"garbage", b"[]", b"null", b"{", b'{"a": ' * 50_000, b"\xff\xfe\x00", b'"text"', b"{}", b"3"],
)
def test_an_invalid_payload_prints_nothing(hooks: HookRunner, sent: bytes):
    hooks.send(sent)
    assert hooks.events() == []


def test_an_invalid_byte_is_replaced_and_the_event_recorded(hooks: HookRunner):
    sent = json.dumps(prompt(hooks.work, "Fix it")).encode().replace(b"Fix it", b"Fix \xff it")
    hooks.send(b"\xef\xbb\xbf" + sent)
    assert [event.get("text") for event in hooks.await_events(1)] == ["Fix \ufffd it"]


def test_unknown_clients_events_and_arguments_print_nothing(hooks: HookRunner):
    hooks.send(prompt(hooks.work), "nobody")
    hooks.send({**prompt(hooks.work), "hook_event_name": "Notification"})
    hooks.send(prompt(hooks.work), "--", command=[sys.executable, "-P", "-c", CALL_WITHOUT_ARGUMENTS])
    assert hooks.events() == []


CALL_WITHOUT_ARGUMENTS = "import sys; sys.argv = ['rum-hook']; import rum.surfaces.hooks.main as m; m.main()"


def test_a_huge_payload_is_recorded_without_its_content(hooks: HookRunner):
    payload = ran(hooks.work, "cat big", "x" * 20_000_000, call="huge")
    hooks.send(payload)
    (event,) = hooks.await_events(1)
    assert event.get("withheld") == "too large"
    assert (event["kind"], event.get("call")) == ("after", "huge")
    assert len(json.dumps(payload)) > LARGEST


@pytest.mark.skipif(os.name == "nt", reason="another process cannot read on there")
def test_another_process_continues_to_read_a_slow_payload(hooks: HookRunner):
    sent = json.dumps(ran(hooks.work, "make", "x" * 3000 + "\ndone")).encode()
    with hooks.start("claude-code") as hook:
        assert hook.stdin
        hook.stdin.write(sent[:2000])
        hook.stdin.flush()
        assert hook.wait(PATIENCE) == 0
        hook.stdin.write(sent[2000:])
    (event,) = hooks.await_events(1)
    assert event.get("output", "").endswith("\ndone")
    until(lambda: [muted.get("source") for muted in hooks.events(muted=True)] == ["after"])


def test_a_large_payload_is_recorded_shortened(hooks: HookRunner):
    hooks.send(ran(hooks.work, "pytest", "x" * 1_000_000 + "\n3 failed"))
    (event,) = hooks.await_events(1)
    assert event.get("output", "").endswith("\n3 failed")
    assert len(hooks.raw()) < 5000


def test_no_secret_reaches_the_spool(hooks: HookRunner):
    dice = random.Random(7)
    for number, (_, prefixes, letters, length) in enumerate(TOKENS[::6]):
        secret = prefixes.split()[0] + "".join(dice.choice(letters) for _ in range(length))
        sent = ran(hooks.work, f"deploy --token {secret}", f"used {secret}\n", call=f"c{number}")
        hooks.send({**sent, "prompt": secret})
        hooks.await_events(number + 1)
        assert secret.encode() not in hooks.raw()


def test_a_secret_in_a_session_id_is_in_no_file_name(hooks: HookRunner):
    secret = "AKIA" + "".join(random.Random(7).choice(UPPER) for _ in range(16))
    hooks.send({**prompt(hooks.work), "session_id": secret})
    hooks.await_events(1)
    assert secret.encode() not in hooks.raw()
    assert not [path for path in hooks.home.rglob("*") if secret.lower() in str(path).lower()]


def test_the_users_secret_patterns_are_redacted(hooks: HookRunner):
    hooks.home.mkdir()
    (hooks.home / "config.toml").write_text('redact_extra = ["ACME-[0-9]+"]')
    hooks.send(prompt(hooks.work, "Use ACME-123456"))
    assert [event.get("text") for event in hooks.await_events(1)] == ["Use [REDACTED:custom]"]


def test_private_text_and_ignored_paths_are_not_recorded(hooks: HookRunner):
    (hooks.work / ".rumignore").write_text("plans/\n")
    hooks.send(prompt(hooks.work, "Go <private>quietly</private> on"))
    hooks.send(ran(hooks.work, "cat plans/a.md", "the plan"))
    hooks.await_events(2)
    assert b"quietly" not in hooks.raw()
    assert b"plan" not in hooks.raw().replace(str(hooks.work).encode(), b"")


def test_nothing_is_recorded_while_paused(hooks: HookRunner):
    pause.pause(str(hooks.home), None, 0, None)
    hooks.send(prompt(hooks.work, turn="a"))
    end = int(time.time()) + 1
    pause.resume(str(hooks.home), None, end)
    until(lambda: time.time() >= end)
    hooks.send(prompt(hooks.work, turn="b"))
    assert [event.get("turn") for event in hooks.await_events(1)] == ["b"]


def test_with_unreadable_settings_only_kind_and_time_are_recorded(hooks: HookRunner):
    hooks.home.mkdir()
    (hooks.home / "config.toml").write_text("recall_limit = 'many'")
    hooks.send(prompt(hooks.work, "Fix the mean"))
    (event,) = hooks.await_events(1)
    assert (event["kind"], event["cwd"], event.get("withheld")) == (
        "prompt",
        str(hooks.work),
        "unredacted",
    )
    assert b"Fix" not in hooks.raw()
    (noted,) = problems.recent_problems(spool.unclaimed_folders(str(hooks.home)), event["at"])
    assert "recall_limit" in noted.what


def test_with_a_registry_of_a_newer_version_only_kind_and_time_are_recorded(hooks: HookRunner):
    hooks.home.mkdir()
    (hooks.home / "projects.json").write_text('{"version": 99, "projects": [], "places": {}}')
    hooks.send(prompt(hooks.work, "Fix the mean"))
    assert [event.get("withheld") for event in hooks.await_events(1)] == ["unredacted"]
    (noted,) = problems.recent_problems(spool.unclaimed_folders(str(hooks.home)), hooks.events()[0]["at"])
    assert "newer RUM" in noted.what


def test_another_process_processes_the_spool_at_the_end_of_a_turn(hooks: HookRunner):
    hooks.send({**prompt(hooks.work), "hook_event_name": "Stop", "prompt": None})
    until(lambda: any(hooks.home.glob("projects/*/spool/intake.started")))


def test_a_session_id_that_is_no_valid_file_name_is_accepted(hooks: HookRunner):
    hooks.send({**prompt(hooks.work), "session_id": "../../CON:*?"})
    assert [event["session"] for event in hooks.await_events(1)] == ["../../CON:*?"]
    assert len(list((hooks.project() / "spool").glob("con-*.jsonl"))) == 1


def test_the_session_id_of_the_samples_is_used_as_file_name():
    assert spool.file_name(SESSION) == SESSION
