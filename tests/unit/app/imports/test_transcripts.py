"""Sessions that clients wrote down become memories: each turn once, in its own project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rum import InvalidQuery, NotFound, Rum
from rum.capture.clients.detect import event_of
from rum.capture.events import spool
from rum.capture.events.event import to_line
from support.captured_events import TRANSCRIPTS
from support.hooks import samples
from support.projects import Shop

AFTER = 1794780000.0
TASK = "Write the changelog entry."
CLAUDE = "6b6c78ce-d1e6-47b2-a81e-7789ffe865a7"


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose home is empty."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "user"))
    return tmp_path / "user"


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = AFTER
    return shop.open(owner=True)


def write(user: Path, client: str, folder: Path, name: str = "rollout-1") -> Path:
    """A recorded session, where the client keeps it, as if it had been about a folder."""
    places = {
        "claude-code": (f".claude/projects/-shop/{CLAUDE}.jsonl", "claude-code.jsonl"),
        "codex": (f".codex/sessions/2026/11/15/{name}.jsonl", "codex.jsonl"),
        "gemini": (".gemini/tmp/shop/chats/session-1.json", "gemini.json"),
    }
    where, source = places[client]
    path = user / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((TRANSCRIPTS / source).read_text().replace("/project", str(folder)))
    if client == "gemini":
        (path.parent.parent / ".project_root").write_text(str(folder))
    return path


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_a_second_import_adds_nothing(user: Path, shop: Shop, rum: Rum, client: str):
    path = write(user, client, shop.folder)
    first = rum.import_transcripts(client)
    assert (first.added, first.sessions) == (1, 1)
    second = rum.import_transcripts(client)
    assert (second.added, second.known, second.sessions) == (0, 1, 0)
    os.utime(path, (1, 1))
    third = rum.import_transcripts(client)
    assert (third.added, third.unchanged, third.sessions) == (0, 1, 1)
    (memory,) = rum.list().memories
    assert {file.path for file in rum.show(memory.id).files or ()} == {"stats.py"}


def test_what_hooks_saw_is_not_imported_again(user: Path, shop: Shop, rum: Rum):
    write(user, "claude-code", shop.folder)
    payloads = json.loads(json.dumps(samples("claude-code")).replace("/project", str(shop.folder)))
    for number, payload in enumerate(payloads):
        event = event_of(payload, "claude-code", 1794773756.0 + number / 10)
        if event and event["session"] == CLAUDE:
            spool.append(os.path.join(rum.project.directory, "spool"), CLAUDE, to_line(event))
    assert rum.take_in().memories == 1
    (before,) = rum.list().memories
    answer = rum.import_transcripts("claude-code")
    assert answer.added == 0
    assert [one.id for one in rum.list().memories] == [before.id]


def fork(path: Path, name: str, prompt: str) -> Path:
    """What Claude Code makes of a session that is forked: all of it again, and what is new."""
    copy, old = path.with_name(f"{name}.jsonl"), path.read_text().replace(CLAUDE, name)
    records = [json.loads(line) for line in old.splitlines()]
    for record in records:
        if "promptId" in record:
            record["promptId"] = f"p-{name}"
    new = {"sessionId": name, "cwd": records[-1]["cwd"], "timestamp": "2026-11-15T16:00:01Z"}
    asked = {"type": "user", "uuid": f"u-{name}", "promptId": f"p-{name}", "message": {"content": prompt}}
    words = [{"type": "text", "text": "It is fixed."}]
    said = {"type": "assistant", "message": {"content": words, "stop_reason": "end_turn"}}
    edit = {"file_path": f"{new['cwd']}/new.py", "old_string": "1", "new_string": "2"}
    called = [{"type": "tool_use", "id": f"c-{name}", "name": "Edit", "input": edit}]
    call = {"type": "assistant", "message": {"content": called, "stop_reason": "tool_use"}}
    results = [{"type": "tool_result", "tool_use_id": f"c-{name}", "content": "done"}]
    result = {"type": "user", "promptId": f"p-{name}", "message": {"content": results}}
    records += [{**new, **one} for one in (asked, call, result, said)]
    copy.write_text("".join(json.dumps(record) + "\n" for record in records))
    return copy


def test_a_fork_of_a_session_brings_only_what_is_new(user: Path, shop: Shop, rum: Rum):
    first = write(user, "claude-code", shop.folder)
    second = fork(first, "11111111-d1e6-47b2-a81e-7789ffe865a7", "Round the mean in new.py to two digits.")
    fork(second, "99999999-d1e6-47b2-a81e-7789ffe865a7", "Take the median in new.py instead.")
    assert rum.import_transcripts("claude-code").added == 3
    goals = {memory.intent.goal: memory for memory in (rum.show(one.id) for one in rum.list().memories)}
    assert len(goals) == 3
    assert {file.path for file in goals["Take the median in new.py instead."].files or ()} == {"new.py"}
    assert {file.path for file in goals["Round the mean in new.py to two digits."].files or ()} == {"new.py"}


def test_a_subagent_of_codex_is_imported_with_its_task_and_tied_to_who_called_it(
    user: Path, shop: Shop, rum: Rum
):
    above, own = "01a1e494-2724-77b0-9f36-c57e5c9a8b26", "01a1e494-2931-7802-bc93-b8c9f8a20184"
    turns = {above: "01a1e494-27b1-77b3-9677-f0ec8280d508", own: "01a1e494-2948-7df1-8127-c3833c865f7a"}

    def called(name: str, given: dict[str, str]) -> list[tuple[str, dict[str, str]]]:
        call = {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": name}
        output = {"type": "function_call_output", "call_id": name, "output": "Exit code: 0"}
        return [("response_item", call), ("response_item", output)]

    def rollout(thread: str, prompt: str, calls: list[tuple[str, dict[str, str]]], second: int) -> None:
        done = {"type": "task_complete", "turn_id": turns[thread], "last_agent_message": f"Done by {thread}."}
        lines = [
            ("session_meta", {"id": thread, "session_id": above, "cwd": str(shop.folder)}),
            ("event_msg", {"type": "task_started", "turn_id": turns[thread]}),
            ("event_msg", {"type": "user_message", "message": prompt}),
            *calls,
            ("event_msg", done),
        ]
        path = user / f".codex/sessions/2026/11/15/rollout-2026-11-15T20-15-0{second}-{thread}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        at = f"2026-11-15T20:15:0{second}Z"
        records = ({"timestamp": at, "type": kind, "payload": told} for kind, told in lines)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))

    failed_then_fixed = called("exec_command", {"cmd": "sed -i s/a/b/ label.py"})
    rollout(above, "Mend the label.", [*called("spawn_agent", {"message": TASK}), *failed_then_fixed], 1)
    rollout(own, "", called("exec_command", {"cmd": "echo entry >> CHANGELOG.md"}), 2)
    answer = rum.import_transcripts("codex")
    assert (answer.added, answer.sessions, answer.links) == (2, 1, 1)
    assert {one.intent_goal for one in rum.list().memories} == {
        "Mend the label.",
        "Write the changelog entry.",
    }
    assert rum.import_transcripts("codex").known == 1


def test_after_its_events_are_gone_a_turn_is_left_as_it_is(user: Path, shop: Shop, rum: Rum):
    path = write(user, "claude-code", shop.folder)
    rum.import_transcripts("claude-code")
    (before,) = rum.list().memories
    shop.clock.forward(30 * 86400)
    rum.take_in()
    os.utime(path, (1, 1))
    assert rum.import_transcripts("claude-code").unchanged == 1
    assert rum.show(before.id).version == 1


def test_what_was_forgotten_stays_forgotten(user: Path, shop: Shop, rum: Rum):
    path = write(user, "codex", shop.folder)
    rum.import_transcripts("codex")
    (memory,) = rum.list().memories
    rum.forget(memory.id)
    os.utime(path, (1, 1))
    answer = rum.import_transcripts("codex")
    assert (answer.added, answer.forgotten) == (0, 1)
    assert rum.list().memories == []


def test_sessions_of_other_projects_stay_out_unless_they_are_named(
    user: Path, shop: Shop, rum: Rum, tmp_path: Path
):
    other = tmp_path / "other"
    other.mkdir()
    path = write(user, "codex", other)
    assert rum.import_transcripts("codex").elsewhere == 1
    assert rum.import_transcripts("codex", path).elsewhere == 1
    assert rum.import_transcripts("codex", sessions=[[str(path)]]).added == 1
    assert {one.name for one in (tmp_path / "rum" / "projects").iterdir()} == {rum.project.id}


def test_a_named_file_whose_folder_is_gone_is_taken_here(user: Path, rum: Rum, tmp_path: Path):
    path = write(user, "codex", tmp_path / "gone")
    assert rum.import_transcripts("codex").elsewhere == 1
    assert rum.import_transcripts("codex", path).added == 1


def test_a_turn_that_goes_on_is_left_for_later(user: Path, shop: Shop, rum: Rum):
    path = write(user, "codex", shop.folder)
    whole = path.read_text().splitlines()
    path.write_text("\n".join(line for line in whole if "task_complete" not in line) + "\n")
    shop.clock.at = 1794773800.0
    first = rum.import_transcripts("codex")
    assert (first.added, first.skipped) == (0, {"not over": 1})
    path.write_text("\n".join(whole) + "\n")
    assert rum.import_transcripts("codex").added == 1


def test_an_import_that_was_broken_off_is_completed_by_the_next(user: Path, shop: Shop, rum: Rum):
    for number in range(4):
        path = write(user, "codex", shop.folder, f"rollout-{number}")
        path.write_text(path.read_text().replace("01a1e0da-50b6", f"01a1e0da-000{number}"))

    def stop(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rum.import_transcripts("codex", progress=stop)
    answer = rum.import_transcripts("codex")
    assert (answer.known, answer.sessions, answer.added) == (2, 2, 2)
    assert rum.list().total == 4


def test_secrets_and_private_text_do_not_come_in(user: Path, shop: Shop, rum: Rum):
    path = write(user, "codex", shop.folder)
    secret = "ghp_" + "a1B2" * 9
    said = path.read_text().replace(
        "mean([]) crashes.", f"mean([]) crashes with {secret}. <private>my name</private>"
    )
    path.write_text(said)
    rum.import_transcripts("codex")
    (memory,) = rum.list().memories
    whole = str(rum.show(memory.id))
    assert "[private]" in whole
    assert secret not in whole
    assert "my name" not in whole


def test_an_unknown_client_or_path_is_refused(rum: Rum, tmp_path: Path):
    with pytest.raises(InvalidQuery, match="claude-code, codex, gemini"):
        rum.import_transcripts("cursor")
    with pytest.raises(NotFound, match="nowhere"):
        rum.import_transcripts("codex", tmp_path / "nowhere")


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_what_the_user_said_in_a_transcript_is_a_rule(user: Path, shop: Shop, rum: Rum, client: str):
    path = write(user, client, shop.folder)
    words = "Always run check_stats.py before you stop."
    path.write_text(path.read_text().replace("crashes. Fix it.", f"crashes. Fix it. {words}"))
    rum.import_transcripts(client)
    assert [(rule.action, rule.source) for rule in rum.rules.list()] == [(words, "user")]
    rum.rules.forget(rum.rules.list()[0].id)
    os.utime(path, (AFTER, AFTER))
    rum.import_transcripts(client)
    assert rum.rules.list() == []


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini"])
def test_a_session_to_review_is_pending_and_once_rejected_not_made_again(
    user: Path, shop: Shop, client: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_REVIEW", "first")
    path, rum = write(user, client, shop.folder), shop.open(owner=True)
    answer = rum.import_transcripts(client)
    assert (answer.added, answer.pending) == (0, 1)
    os.utime(path, (1, 1))
    rum.import_transcripts(client)
    (item,) = rum.review.list()
    assert rum.list().memories == []
    rum.review.reject(item.id)
    os.utime(path, (2, 2))
    rum.import_transcripts(client)
    assert rum.review.list() == []
    assert rum.list().memories == []
