"""Spooled events become captured events, and finished turns become memories, exactly once."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rum import Rum
from rum.capture.clients.detect import event_of
from rum.capture.events import spool
from rum.capture.events.event import to_line
from rum.capture.events.pause import pause
from rum.model.answers import RetrievedMemory
from rum.settings.home import file_lock
from support.builders import make_intent, make_outcome
from support.captured_events import NOON, TRANSCRIPTS, Telling, failed_then_fixed
from support.hooks import samples
from support.projects import Shop

if TYPE_CHECKING:
    from rum.capture.events.event import Event

QUIET = 31 * 60


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = NOON + 60
    return shop.open(owner=True)


def leave(rum: Rum, events: list[Event], folder: str | None = None) -> None:
    """Leave events in the spool as hooks do."""
    for event in events:
        spool.append(folder or os.path.join(rum.project.directory, "spool"), event["session"], to_line(event))


def told(shop: Shop, **how: Any) -> Telling:
    return Telling(cwd=str(shop.folder), **how)


def memories(rum: Rum) -> list[RetrievedMemory]:
    found = [rum.show(one.id) for one in rum.list(limit=100).memories]
    return sorted(found, key=lambda one: (one.created_at, one.id))


def sampled(shop: Shop, client: str, session: str, at: float = 1794773756.0) -> list[Event]:
    """The recorded events of one session, as if they had been in the shop; their times fit the transcript."""
    whole = json.dumps(samples(client)).replace("/project", str(shop.folder))
    payloads = [one for one in json.loads(whole) if one["session_id"] == session]
    transcript = shop.folder.parent / "written.jsonl"
    source = (TRANSCRIPTS / f"{client}.jsonl").read_text().replace("/project", str(shop.folder))
    transcript.write_text(source)
    for one in payloads:
        one["transcript_path"] = str(transcript)
    found = [event_of(one, client, at + number / 4) for number, one in enumerate(payloads)]
    return [event for event in found if event]


SESSIONS = {
    "claude-code": "6b6c78ce-d1e6-47b2-a81e-7789ffe865a7",
    "codex": "01a1e0da-50b6-7c70-8455-a62e52fd2202",
}


@pytest.mark.parametrize("client", SESSIONS)
def test_a_recorded_session_becomes_one_memory_with_what_only_the_transcript_knows(shop: Shop, client: str):
    shop.clock.at = 1794773900.0
    rum = shop.open(owner=True)
    events = sampled(shop, client, SESSIONS[client])
    leave(rum, events)
    assert rum.take_in().memories == 1
    (memory,) = memories(rum)
    assert memory.intent.goal.startswith("The mean of an empty list should be 0.0")
    assert memory.outcome is not None
    assert memory.outcome.verified_by is not None
    assert memory.outcome.verified_by.command == "python3 check_stats.py"
    commands = [one for one in memory.actions or () if one.details.command]
    assert [one.result and one.result.success for one in commands] == [False, True]
    assert {file.path for file in memory.files or ()} == {"stats.py"}
    assert memory.session_id == SESSIONS[client]


def test_nothing_is_made_twice(shop: Shop, rum: Rum):
    events = failed_then_fixed(told(shop)).events
    leave(rum, events)
    first = rum.take_in()
    assert (first.memories, first.open) == (1, 0)
    before = memories(rum)
    leave(rum, events)
    assert rum.take_in() == rum.take_in()
    assert [(one.id, one.version) for one in memories(rum)] == [(one.id, 1) for one in before]
    assert rum.captured_events().total == len(events)


def test_the_last_message_is_taken_apart_and_found_by_any_of_its_words(shop: Shop, rum: Rum):
    last_words = (
        "## Fix\n\nThe pool checks `is_closed` in acquire().\n\n"
        "Root cause: closed connection reuse under load.\n\n"
        "I decided against a ping because it costs a round trip.\n\n"
        "## Next steps\n- add a metric\n\n> the ops channel calls it the zombie socket"
    )
    leave(rum, told(shop).prompt("Fix the flaky pool").edit("pool.py", "a", "b").stop(last_words).events)
    rum.take_in()
    (found,) = rum.recall(intent="zombie socket", depth="complete").memories
    assert found.outcome.summary == "The pool checks `is_closed` in acquire()."
    assert found.outcome.learnings == ("closed connection reuse under load",)
    assert found.outcome.follow_up_needed == ("add a metric",)
    assert found.outcome.full_text == last_words
    assert found.reasoning
    (other,) = found.reasoning.alternatives_considered
    assert (other.approach, other.why_rejected) == ("a ping", "it costs a round trip")
    (shorter,) = rum.recall(intent="closed connection reuse", depth="full").memories
    assert shorter.outcome.full_text == ""


def test_the_spool_is_empty_afterwards(shop: Shop, rum: Rum):
    leave(rum, failed_then_fixed(told(shop)).events)
    rum.take_in()
    assert os.listdir(os.path.join(rum.project.directory, "spool")) == []


def test_a_turn_that_goes_on_waits_until_it_was_quiet_for_long(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Fix the mean").edit("a.py", "a", "b")
    leave(rum, telling.events)
    done = rum.take_in()
    assert (done.memories, done.open) == (0, 1)
    shop.clock.forward(QUIET)
    assert rum.take_in().memories == 1
    assert memories(rum)[0].tags == ("partial", "unverified")


def test_the_next_prompt_ends_a_turn(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Fix the mean").edit("a.py", "a", "b").prompt("Now the median")
    leave(rum, telling.events)
    done = rum.take_in()
    assert (done.memories, done.open) == (1, 1)


def test_more_of_a_turn_completes_its_memory(shop: Shop, rum: Rum):
    telling = failed_then_fixed(told(shop))
    half = len(telling.events) - 3
    stopped = [
        *telling.events[:half],
        {**telling.events[-1], "at": telling.events[half - 1]["at"], "id": "early"},
    ]
    leave(rum, stopped)  # type: ignore[arg-type]
    rum.take_in()
    (before,) = memories(rum)
    leave(rum, telling.events[half:])
    assert rum.take_in().updated == 1
    (after,) = memories(rum)
    assert (after.id, after.version) == (before.id, 2)
    assert len(after.actions or ()) > len(before.actions or ())


@pytest.mark.parametrize("at_once", [True, False])
def test_a_turn_that_was_made_to_go_on_has_its_later_last_words(shop: Shop, rum: Rum, at_once: bool):
    telling = told(shop).prompt("Fix it").edit("a.py", "x", "y").stop("I think it is fixed.")
    if not at_once:
        leave(rum, telling.events)
        rum.take_in()
        telling.events.clear()
    leave(rum, telling.run("pytest", "3 passed").stop("It is fixed: y was the cause.").events)
    rum.take_in()
    (memory,) = memories(rum)
    assert memory.outcome.summary == "It is fixed: y was the cause."
    assert rum.take_in().updated == 0


def test_what_somebody_corrected_stays_as_it_is(shop: Shop, rum: Rum):
    telling = failed_then_fixed(told(shop))
    leave(rum, telling.events)
    rum.take_in()
    (memory,) = memories(rum)
    rum.update_memory(memory.id, outcome={"summary": "Mended by hand"})
    leave(rum, telling.edit("b.py", "c", "d").events[-2:])
    assert rum.take_in().updated == 0
    assert memories(rum)[0].outcome.summary == "Mended by hand"  # type: ignore[union-attr]


def test_a_forgotten_memory_takes_its_events_with_it_and_stays_away(shop: Shop, rum: Rum):
    telling = failed_then_fixed(told(shop))
    leave(rum, telling.events)
    rum.take_in()
    (memory,) = memories(rum)
    leave(rum, telling.edit("c.py", "secret plan", "done").events[-2:])
    removed = rum.forget(memory.id).removed
    assert removed["captured_events"] == len(telling.events)
    assert rum.captured_events().total == 0
    assert os.listdir(os.path.join(rum.project.directory, "spool")) == []
    leave(rum, telling.events)
    assert rum.take_in().memories == 0
    assert memories(rum) == []
    files = [path.read_bytes() for path in Path(rum.project.directory).rglob("*") if path.is_file()]
    assert rum.purge()
    assert not any(b"secret plan" in content for content in files if content.startswith(b"{"))


def test_a_restored_memory_has_its_events_again_and_later_ones_complete_it(shop: Shop, rum: Rum):
    telling = failed_then_fixed(told(shop))
    leave(rum, telling.events)
    rum.take_in()
    (memory,) = memories(rum)
    before = rum.captured_events()
    rum.forget(memory.id)
    assert rum.captured_events().total == 0
    rum.restore(memory.id)
    assert rum.captured_events() == before
    leave(rum, telling.edit("c.py", "a", "b").events[-2:])
    shop.clock.forward(3600)
    assert rum.take_in().updated == 1
    assert "c.py" in [file.path for file in memories(rum)[0].files or ()]


def test_events_go_two_weeks_after_they_became_a_memory(shop: Shop, rum: Rum):
    leave(rum, failed_then_fixed(told(shop)).events)
    rum.take_in()
    shop.clock.forward(13 * 86400)
    assert rum.take_in().dropped == 0
    shop.clock.forward(2 * 86400)
    assert rum.take_in().dropped > 0
    assert rum.captured_events().total == 0
    assert len(memories(rum)) == 1


def stored(rum: Rum, **more: Any) -> str:
    return rum.store(
        intent=make_intent("My own account"), outcome=make_outcome("I failed_then_fixed it"), **more
    ).memory_id


def stores(telling: Telling, memory_id: str) -> Telling:
    return telling.add(
        "after", "cs", tool="rum", tool_name="mcp__rum__store", call="cs", memories=[memory_id]
    )


def test_a_memory_that_the_agent_stored_itself_is_completed_and_no_other_is_made(shop: Shop, rum: Rum):
    own = stored(shop.open(client="claude-code"))
    telling = (
        told(shop)
        .prompt("Fix the mean")
        .read("stats.py")
        .edit("stats.py", "a", "b")
        .run("pytest", "3 passed")
    )
    leave(rum, stores(telling, own).stop().events)
    done = rum.take_in()
    assert (done.memories, done.completed) == (0, 1)
    (memory,) = memories(rum)
    assert (memory.id, memory.intent.goal) == (own, "My own account")
    assert [one.type for one in memory.actions or ()] == ["file_edit", "command_run"]
    assert memory.outcome is not None
    assert memory.outcome.summary == "I failed_then_fixed it"
    assert memory.outcome.verified_by is not None
    assert {file.path for file in memory.files or ()} == {"stats.py"}
    assert {one.session for one in rum.captured_events(memory=own).events} == {"s1"}
    rum.take_in()
    assert memories(rum)[0].version == memory.version


def test_actions_stored_by_the_agent_are_not_overwritten(shop: Shop, rum: Rum):
    actions = [{"type": "file_edit", "file_path": "stats.py", "diff_summary": "mine"}]
    own = stored(shop.open(client="claude-code"), actions=actions)
    telling = told(shop).prompt("Fix the mean").edit("stats.py", "a", "b").edit("other.py", "a", "b")
    leave(rum, stores(telling, own).stop().events)
    rum.take_in()
    (memory,) = memories(rum)
    assert [(one.details.file_path, one.details.diff_summary) for one in memory.actions or ()] == [
        ("stats.py", "mine"),
        ("other.py", "-a\n+b"),
    ]


def test_work_whose_memory_was_forgotten_makes_no_other(shop: Shop, rum: Rum):
    own = stored(shop.open(client="claude-code"))
    telling = told(shop).prompt("Fix the mean").edit("stats.py", "a", "b")
    rum.forget(own)
    leave(rum, stores(telling, own).stop().events)
    assert rum.take_in().forgotten == 1
    assert (memories(rum), rum.captured_events().total) == ([], 0)


def test_a_subagent_has_an_identity_of_its_own_and_its_work_is_linked(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Do both").call("agent", text="Mend the parser.")
    telling.agent("a1").edit("p.py", "a", "b").run("pytest", "1 passed").stop("Mended.")
    telling.agent("").edit("q.py", "a", "b").stop("Both done.")
    leave(rum, telling.events)
    assert rum.take_in().memories == 2
    by_goal = {one.intent.goal: one for one in memories(rum)}
    sub, main = by_goal["Mend the parser."], by_goal["Do both"]
    agents = {one.agent_id: one for one in rum.agents()}
    assert (agents[sub.agent_id or ""].name, agents[sub.agent_id or ""].parent_id) == (
        "explorer",
        main.agent_id,
    )
    assert main.links == {"caused_by": [sub.id]}


def test_the_same_kind_of_subagent_is_the_same_agent(shop: Shop, rum: Rum):
    for session in ("s1", "s2"):
        telling = told(shop, session=session).prompt("Do it").call("agent", text="Mend it.")
        telling.agent("a1").edit("p.py", "a", session).stop("Mended.").agent("").stop()
        leave(rum, telling.events)
    rum.take_in()
    assert len([one for one in rum.agents() if one.name == "explorer"]) == 1


def test_a_report_that_it_fails_makes_a_failure_of_what_was_done_before(shop: Shop, rum: Rum):
    telling = failed_then_fixed(told(shop))
    leave(rum, telling.events)
    rum.take_in()
    leave(rum, telling.prompt("No, that still crashes. Use a guard instead.").events[-1:])
    assert rum.take_in().updated == 1
    (memory,) = memories(rum)
    assert memory.outcome is not None
    assert memory.outcome.success is False
    assert "The user reported" in (memory.outcome.failure_reason or "")


def test_events_of_unclaimed_folders_are_processed(shop: Shop, rum: Rum):
    unclaimed = spool.unclaimed_folders(str(shop.home))[0]
    leave(rum, failed_then_fixed(told(shop)).events, unclaimed)
    leave(
        rum,
        failed_then_fixed(told(shop, session="s2")).events,
        spool.folders(str(shop.home), rum.project.id, "/nowhere")[1],
    )
    assert rum.take_in().memories == 2
    assert os.listdir(unclaimed) == []


def test_lines_that_can_be_kept_nowhere_else_stay_where_they_are(
    shop: Shop, rum: Rum, monkeypatch: pytest.MonkeyPatch
):
    unclaimed = spool.unclaimed_folders(str(shop.home))[0]
    leave(rum, failed_then_fixed(told(shop)).events, unclaimed)
    in_the_way = Path(rum.project.directory) / "spool"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("")
    (Path(unclaimed).parent / rum.project.id).write_text("")
    monkeypatch.setenv("TMPDIR", str(in_the_way))
    assert rum.take_in().events == 0
    in_the_way.unlink()
    assert rum.take_in().memories == 1
    assert os.listdir(unclaimed) == []


def test_one_event_of_an_unknown_project_keeps_its_whole_file_waiting(shop: Shop, rum: Rum):
    unclaimed = spool.unclaimed_folders(str(shop.home))[0]
    at = float(shop.clock())
    leave(rum, failed_then_fixed(told(shop, at=at)).events, unclaimed)
    leave(rum, Telling(cwd=str(shop.folder / "gone"), at=at).prompt("Fix it").events, unclaimed)
    assert rum.take_in().events == 0
    assert len(os.listdir(unclaimed)) == 1
    (shop.folder / "gone").mkdir()
    assert rum.take_in().memories == 1
    assert os.listdir(unclaimed) == []


def test_half_lines_and_strange_events_stop_nothing(shop: Shop, rum: Rum):
    folder = Path(rum.project.directory) / "spool"
    leave(rum, failed_then_fixed(told(shop)).events)
    strange = {"id": 1, "client": [], "session": {}, "kind": None, "at": "x", "cwd": 3}
    odd = {
        "id": "x",
        "client": "c",
        "session": "s",
        "kind": "after",
        "at": 1.0,
        "cwd": "/p",
        "files": [{"path": "\x00"}],
    }
    for line in (b"half a line", json.dumps(strange).encode(), json.dumps(odd).encode()):
        spool.append(str(folder), "other", line + b"\n")
    assert rum.take_in().memories == 1


def test_nothing_is_read_from_a_transcript_that_was_written_in_a_pause(shop: Shop):
    shop.clock.at = 1794773900.0
    rum = shop.open(owner=True)
    events = sampled(shop, "claude-code", SESSIONS["claude-code"])
    leave(rum, events)
    pause(str(shop.home), rum.project.id, 1794773700, 1794773800)
    rum.take_in()
    (memory,) = memories(rum)
    assert not any("if not values" in (one.details.diff_summary or "") for one in memory.actions or ())


def test_what_is_written_as_private_is_not_read_from_a_transcript(shop: Shop):
    shop.clock.at = 1794773900.0
    rum = shop.open(owner=True)
    events = sampled(shop, "claude-code", SESSIONS["claude-code"])
    written = shop.folder.parent / "written.jsonl"
    shutil.copy(written, shop.folder.parent / "copy.jsonl")
    written.write_text(written.read_text().replace("if not values:", "<private>if not values</private>"))
    leave(rum, [event for event in events if event["kind"] != "prompt"])
    rum.take_in()
    seen = json.dumps([one.what for one in rum.captured_events().events]) + json.dumps(
        [str(one) for one in memories(rum)]
    )
    assert "if not values" not in seen


def test_another_process_that_is_at_it_is_not_disturbed(shop: Shop, rum: Rum):
    leave(rum, failed_then_fixed(told(shop)).events)
    with file_lock(os.path.join(rum.project.directory, "intake.lock")):
        assert rum.take_in().busy
    assert rum.take_in().memories == 1
