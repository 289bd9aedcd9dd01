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
def hooked(tmp_path: Path) -> Hooked:
    return make_hooked(tmp_path)


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_what_a_client_tells_lies_in_the_spool_of_its_project(hooked: Hooked, client: str):
    # The end of a turn would have them taken in.
    told = [{**payload, "cwd": str(hooked.work)} for payload in samples(client)[:5]]
    for payload in told:
        hooked.tell(payload, client)
    found = hooked.await_events(len(told))
    assert {event["client"] for event in found} == {client}
    assert {event.get("project") for event in found} == {hooked.project().name}
    assert [path.parent for path in hooked.home.rglob("*.jsonl")] == [hooked.project() / "spool"]


def test_the_console_script_does_the_same(hooked: Hooked):
    script = shutil.which("rum-hook", path=sysconfig.get_path("scripts"))
    assert script
    hooked.tell(prompt(hooked.work), command=[script, "claude-code"])
    assert [event.get("text") for event in hooked.await_events(1)] == ["Fix the mean"]


def test_the_project_is_that_of_the_folder_the_client_works_in(hooked: Hooked, tmp_path: Path):
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    inner = tmp_path / "other" / "src"
    inner.mkdir()
    hooked.tell(prompt(inner))
    hooked.await_events(1)
    registry = json.loads((hooked.home / "projects.json").read_text())
    assert [entry["root"] for entry in registry["projects"]] == [str(tmp_path / "other")]


def test_worktrees_share_a_project(hooked: Hooked, tmp_path: Path):
    git = ["git", "-C", str(hooked.work), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    hooked.tell(prompt(hooked.work, turn="a"))
    hooked.tell(prompt(tmp_path / "tree", turn="b"))
    assert len({event.get("project") for event in hooked.await_events(2)}) == 1


def test_a_folder_that_is_gone_counts_as_the_one_above(hooked: Hooked):
    (hooked.work / ".rum").mkdir()
    hooked.tell(prompt(hooked.work / "gone" / "deeper"))
    assert hooked.await_events(1)


@pytest.mark.parametrize("where", ["home", "/"])
def test_where_no_project_can_be_nothing_is_kept(hooked: Hooked, where: str):
    folder = hooked.work if where == "home" else Path("/")
    hooked.tell(prompt(folder), env={"HOME": str(hooked.work)})
    assert list(hooked.home.rglob("*")) == []


@pytest.mark.parametrize(
    "told",
    [b"", b"garbage", b"[]", b"null", b"{", b'{"a": ' * 50_000, b"\xff\xfe\x00", b'"text"', b"{}", b"3"],
)
def test_garbage_is_met_with_silence(hooked: Hooked, told: bytes):
    hooked.tell(told)
    assert hooked.events() == []


def test_a_byte_that_is_no_utf_8_costs_no_more_than_itself(hooked: Hooked):
    told = json.dumps(prompt(hooked.work, "Fix it")).encode().replace(b"Fix it", b"Fix \xff it")
    hooked.tell(b"\xef\xbb\xbf" + told)
    assert [event.get("text") for event in hooked.await_events(1)] == ["Fix \ufffd it"]


def test_unknown_clients_events_and_arguments_are_met_with_silence(hooked: Hooked):
    hooked.tell(prompt(hooked.work), "nobody")
    hooked.tell({**prompt(hooked.work), "hook_event_name": "Notification"})
    hooked.tell(prompt(hooked.work), "--", command=[sys.executable, "-P", "-c", CALL_WITHOUT_ARGUMENTS])
    assert hooked.events() == []


CALL_WITHOUT_ARGUMENTS = "import sys; sys.argv = ['rum-hook']; import rum.surfaces.hooks.main as m; m.main()"


def test_a_huge_payload_is_noted_without_its_content(hooked: Hooked):
    payload = ran(hooked.work, "cat big", "x" * 20_000_000, call="huge")
    hooked.tell(payload)
    (event,) = hooked.await_events(1)
    assert event.get("withheld") == "too large"
    assert (event["kind"], event.get("call")) == ("after", "huge")
    assert len(json.dumps(payload)) > LARGEST


@pytest.mark.skipif(os.name == "nt", reason="another process cannot read on there")
def test_what_comes_too_slowly_is_read_on_by_another_process(hooked: Hooked):
    told = json.dumps(ran(hooked.work, "make", "x" * 3000 + "\ndone")).encode()
    with hooked.start("claude-code") as hook:
        assert hook.stdin
        hook.stdin.write(told[:2000])
        hook.stdin.flush()
        assert hook.wait(PATIENCE) == 0
        hook.stdin.write(told[2000:])
    (event,) = hooked.await_events(1)
    assert event.get("output", "").endswith("\ndone")


def test_a_large_payload_is_kept_in_short(hooked: Hooked):
    hooked.tell(ran(hooked.work, "pytest", "x" * 1_000_000 + "\n3 failed"))
    (event,) = hooked.await_events(1)
    assert event.get("output", "").endswith("\n3 failed")
    assert len(hooked.raw()) < 5000


def test_no_secret_reaches_the_spool(hooked: Hooked):
    dice = random.Random(7)
    for number, (_, prefixes, letters, length) in enumerate(TOKENS[::6]):
        secret = prefixes.split()[0] + "".join(dice.choice(letters) for _ in range(length))
        told = ran(hooked.work, f"deploy --token {secret}", f"used {secret}\n", call=f"c{number}")
        hooked.tell({**told, "prompt": secret})
        hooked.await_events(number + 1)
        assert secret.encode() not in hooked.raw()


def test_a_session_named_by_a_secret_names_no_file(hooked: Hooked):
    secret = "AKIA" + "".join(random.Random(7).choice(UPPER) for _ in range(16))
    hooked.tell({**prompt(hooked.work), "session_id": secret})
    hooked.await_events(1)
    assert secret.encode() not in hooked.raw()
    assert not [path for path in hooked.home.rglob("*") if secret.lower() in str(path).lower()]


def test_what_the_user_calls_a_secret_is_one(hooked: Hooked):
    hooked.home.mkdir()
    (hooked.home / "config.toml").write_text('redact_extra = ["ACME-[0-9]+"]')
    hooked.tell(prompt(hooked.work, "Use ACME-123456"))
    assert [event.get("text") for event in hooked.await_events(1)] == ["Use [REDACTED:custom]"]


def test_private_text_and_ignored_paths_are_not_kept(hooked: Hooked):
    (hooked.work / ".rumignore").write_text("plans/\n")
    hooked.tell(prompt(hooked.work, "Go <private>quietly</private> on"))
    hooked.tell(ran(hooked.work, "cat plans/a.md", "the plan"))
    hooked.await_events(2)
    assert b"quietly" not in hooked.raw()
    assert b"plan" not in hooked.raw().replace(str(hooked.work).encode(), b"")


def test_while_it_is_paused_nothing_is_kept(hooked: Hooked):
    pause.pause(str(hooked.home), None, 0, None)
    hooked.tell(prompt(hooked.work, turn="a"))
    end = int(time.time()) + 1
    pause.resume(str(hooked.home), None, end)
    until(lambda: time.time() >= end)
    hooked.tell(prompt(hooked.work, turn="b"))
    assert [event.get("turn") for event in hooked.await_events(1)] == ["b"]


def test_with_settings_that_cannot_be_read_only_kind_and_time_are_kept(hooked: Hooked):
    hooked.home.mkdir()
    (hooked.home / "config.toml").write_text("recall_limit = 'many'")
    hooked.tell(prompt(hooked.work, "Fix the mean"))
    (event,) = hooked.await_events(1)
    assert (event["kind"], event["cwd"], event.get("withheld")) == ("prompt", str(hooked.work), "unredacted")
    assert b"Fix" not in hooked.raw()
    (noted,) = problems.recent_problems(spool.unclaimed_folders(str(hooked.home)), event["at"])
    assert "recall_limit" in noted.what


def test_with_a_registry_of_a_newer_version_only_kind_and_time_are_kept(hooked: Hooked):
    hooked.home.mkdir()
    (hooked.home / "projects.json").write_text('{"version": 99, "projects": [], "places": {}}')
    hooked.tell(prompt(hooked.work, "Fix the mean"))
    assert [event.get("withheld") for event in hooked.await_events(1)] == ["unredacted"]
    (noted,) = problems.recent_problems(spool.unclaimed_folders(str(hooked.home)), hooked.events()[0]["at"])
    assert "newer RUM" in noted.what


def test_the_end_of_a_turn_has_the_spool_taken_in_by_another_process(hooked: Hooked):
    hooked.tell({**prompt(hooked.work), "hook_event_name": "Stop", "prompt": None})
    until(lambda: any(hooked.home.glob("projects/*/spool/intake.started")))


def test_a_name_of_no_file_system_is_a_session_too(hooked: Hooked):
    hooked.tell({**prompt(hooked.work), "session_id": "../../CON:*?"})
    assert [event["session"] for event in hooked.await_events(1)] == ["../../CON:*?"]
    assert len(list((hooked.project() / "spool").glob("con-*.jsonl"))) == 1


def test_the_session_of_the_samples_is_a_file_name():
    assert spool.file_name(SESSION) == SESSION
