"""`rum link`, `history`, `restore`, `forget` and `purge`."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from rum import Rum
from support.projects import edited, keep
from surfaces.cli.running import JSON, Run
from surfaces.cli.terminal import needs_terminal, on_terminal


@pytest.fixture
def three(rum: Rum) -> list[str]:
    """Three memories; the first two have the tag `old`."""
    tags = [["old", "auth"], ["old"], []]
    return [
        rum.store(
            intent={"goal": f"Task {number}", "task_type": "other"},
            outcome={"success": True, "summary": f"Done {number}"},
            tags=tags[number],
        ).memory_id
        for number in range(3)
    ]


def remaining_goals(run: Run) -> int:
    return run("list", "--json").json["total"]


def test_the_same_link_is_created_once(run: Run, three: list[str]):
    first = run("link", three[0], "caused-by", three[1][-8:])
    again = run("link", three[0], "caused_by", three[1], "--json")
    assert first.out.startswith("Linked: link_")
    assert again.json == {"created": False, "link_id": first.out.split()[1]}
    assert run("link", three[1], "led_to", three[0]).out.startswith("Linked already: ")


def test_a_link_to_itself_and_an_unknown_link_type_are_refused(run: Run, stored: str):
    assert run("link", stored, "related_to", stored).code == 1
    wrong = run("link", stored, "besides", stored)
    assert wrong.code == 2
    assert "caused_by" in wrong.err


def test_history_shows_who_changed_what_and_restore_reverts_it(run: Run, rum: Rum, stored: str):
    run("update", stored, stdin={"outcome": {"summary": "Another"}, "tags": []})
    lines = [line.split("\t") for line in run("history", stored).out.splitlines()]
    assert [(line[0], line[3]) for line in lines] == [("1", "stored"), ("2", "outcome.summary, tags")]
    assert lines[1][2] == "owner"
    ran = run("restore", stored, "--version", "1")
    assert ran.out == f"{stored} is now version 3.\n"
    assert rum.show(stored).outcome.summary == JSON["outcome"]["summary"]
    assert run("history", stored, "--json").json == json.loads(msgspec.json.encode(rum.history(stored)))
    assert run("restore", stored, "--version", "9").code == 1


def test_forgetting_one_needs_no_confirmation(run: Run, three: list[str]):
    ran = run("forget", three[0][-8:])
    assert ran.code == 0
    assert ran.out.splitlines()[0].startswith("ok   Task 0 — Done 0")
    assert ran.out.splitlines()[1] == "Forgotten: 1 memory."
    assert remaining_goals(run) == 2
    assert run("show", three[0]).code == 1


def test_the_files_that_a_memory_mentions_are_not_named_as_forgotten(run: Run, rum: Rum):
    stored = keep(rum, "Fix the token", actions=edited("src/token.py"))
    assert run("forget", stored, "--dry-run", "--json").json["removed"]["files"] == 1
    assert "Forgotten: 1 memory." in run("forget", stored).out.splitlines()


@pytest.mark.parametrize(
    "command", [("forget",), ("facts", "forget"), ("useful",), ("verify", "--confirm")], ids=" ".join
)
def test_a_wrong_key_is_answered_with_the_nearest(run: Run, rum: Rum, command: tuple[str, ...]):
    rum.facts.set("session-length", "12 hours")
    ran = run(*command, "sesion-length")
    assert ran.code == 1
    assert "Did you mean `session-length`?" in ran.err


def test_forgetting_one_prints_the_json_of_the_api(run: Run, three: list[str]):
    dry = run("forget", three[0], "--dry-run", "--json").json
    assert (dry["id"], dry["forgotten"]) == (three[0], False)
    done = run("forget", three[0], "--purge", "--json").json
    assert (done["forgotten"], done["purged"]) == (True, True)


def test_a_dry_run_shows_what_would_be_deleted_and_changes_nothing(run: Run, three: list[str]):
    ran = run("forget", "--tag", "old", "--dry-run")
    assert ran.code == 0
    assert [line.split(" —")[0] for line in ran.out.splitlines()[:2]] == ["ok   Task 0", "ok   Task 1"]
    assert ran.out.splitlines()[2] == "Would forget: 2 memories."
    assert remaining_goals(run) == 3


@pytest.mark.parametrize("chosen", [["--all"], ["--tag", "old"], ["--before", "2100-01-01"]])
def test_bulk_deletion_needs_the_projects_name(run: Run, three: list[str], chosen: list[str]):
    ran = run("forget", *chosen, stdin=b"shop\n")
    assert (ran.code, ran.out) == (2, "")
    assert "--confirm shop" in ran.err
    assert "Task 0" in ran.err, "what would go is shown first"
    wrong = run("forget", *chosen, "--confirm", "shoe")
    assert (wrong.code, wrong.out) == (1, "")
    assert wrong.err.endswith("rum: The project's name is shop; nothing was forgotten.\n")
    assert remaining_goals(run) == 3


def test_several_ids_need_the_projects_name_too(run: Run, three: list[str]):
    assert run("forget", *three[:2]).code == 2
    assert remaining_goals(run) == 3
    ran = run("forget", *three[:2], "--confirm", "shop", "--json")
    assert [result["id"] for result in ran.json] == three[:2]
    assert remaining_goals(run) == 1


def test_the_same_id_twice_is_one_memory(run: Run, three: list[str]):
    assert run("forget", three[0], three[0][-8:]).code == 0
    assert remaining_goals(run) == 2


@pytest.mark.parametrize(
    ("chosen", "stay"),
    [
        (["--tag", "old"], 1),
        (["--tag", "old", "--tag", "auth"], 2),
        (["--all"], 0),
        (["--since", "1h"], 0),
        (["--before", "1h"], 3),
        (["--tag", "nothing"], 3),
        (["--agent-id", "nobody-else"], 3),
        (["--session-id", "another"], 3),
    ],
)
def test_a_filter_deletes_only_matching_memories(run: Run, three: list[str], chosen: list[str], stay: int):
    run("identity", "register", "--name", "nobody-else")
    ran = run("forget", *chosen, "--confirm", "shop")
    assert ran.code == 0
    assert remaining_goals(run) == stay


def test_all_memories_of_an_agent_are_deleted_by_its_name(run: Run, three: list[str]):
    run("store", "--agent", "developer", stdin=JSON)
    run("forget", "--agent-id", "developer", "--confirm", "shop")
    assert remaining_goals(run) == 3
    assert run("recall", "token", "--json").json["code"] == "NO_RESULTS"


def test_before_and_since_limit_the_time(run: Run, rum: Rum, three: list[str]):
    hour_ago = int(time.time()) - 3600
    ran = run(
        "forget", "--since", str(hour_ago), "--before", str(hour_ago + 60), "--confirm", "shop", "--json"
    )
    assert ran.json == []


def test_a_time_in_milliseconds_does_not_delete_everything(run: Run, three: list[str]):
    hour_ago = int(time.time() - 3600) * 1000
    assert run("forget", "--before", str(hour_ago), "--confirm", "shop").out == "Forgotten: nothing.\n"
    assert remaining_goals(run) == 3


def test_the_first_of_many_are_listed_and_the_rest_counted(run: Run, rum: Rum):
    for number in range(22):
        rum.store(
            intent={"goal": f"Task {number}", "task_type": "other"}, outcome={"success": True, "summary": "x"}
        )
    ran = run("forget", "--all")
    assert "and 2 more" in ran.err
    assert sum(line.startswith("ok   Task") for line in ran.err.splitlines()) == 20
    assert len(run("forget", "--all", "--dry-run").out.splitlines()) == 23


def test_an_agent_cannot_forget_memories_of_others_and_then_none_is_deleted(run: Run, three: list[str]):
    own = run("store", "--agent", "guest", stdin=JSON).id
    ran = run("forget", own, three[0], "--agent", "guest", "--confirm", "shop", "--json")
    assert ran.code == 1
    assert json.loads(ran.err.splitlines()[-1])["code"] == "PERMISSION_DENIED"
    assert remaining_goals(run) == 4
    assert run("forget", own, "--agent", "guest").code == 0


def test_the_owner_may_forget_an_agents_memory(run: Run):
    made = run("store", "--agent", "guest", stdin=JSON).id
    assert run("forget", made).code == 0


def test_after_a_purge_no_file_holds_the_text(run: Run, tmp_path: Path):
    made = run("store", "--goal", "xylophonist", "--type", "other", "--summary", "s", "--success").id
    run("forget", made)
    ran = run("purge")
    assert (ran.code, ran.out) == (0, "Purged.\n")
    assert "In the trash: 1 item" in ran.err, "the trash is left alone"
    assert run("trash", "empty", made).out == "Deleted for good: 1 memory.\n"
    assert run("purge", "--json").json == {"purged": True}
    files = [path for path in (tmp_path / "rum").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"xylophonist" in path.read_bytes()]


def test_the_trash_is_listed_restored_and_emptied(run: Run, three: list[str]):
    ran = run("forget", three[0])
    assert "`rum restore mem_" in ran.err
    run("facts", "set", "db", "sqlite")
    run("facts", "forget", "db")
    assert run("trash").out == run("trash", "list").out
    rows = [line.split("\t") for line in run("trash", "list").out.splitlines()]
    assert [row[1:] for row in rows] == [["fact", "db = sqlite", "db"], ["memory", "Task 0", three[0]]]
    assert run("trash", "list", "--ids", "-n", "1").out == "db\n"
    assert run("restore", three[0][-8:].upper()).out == f"Restored: memory {three[0]} — Task 0\n"
    assert remaining_goals(run) == 3
    refused = run("trash", "empty")
    assert (refused.code, "--confirm shop" in refused.err) == (2, True)
    assert run("trash", "empty", "--confirm", "shoe").code == 1
    assert run("trash", "empty", "--confirm", "shop").out == "Deleted for good: 1 fact.\n"
    assert run("trash", "list").err == "The trash is empty.\n"
    assert run("restore", "db").code == 1


def test_forget_all_covers_everything_and_restore_all_brings_it_back(run: Run, rum: Rum, three: list[str]):
    rum.facts.set("db", "sqlite")
    rum.rules.add("deploy", "Ask first")
    rum.layers.append("episodic", {"content": "It happened"})
    rum.chapters.create(memory_ids=three)
    rum.notes.add("Login", "It is behind the proxy.", "login")
    assert rum.notes.list().notes
    before = sorted(rum.export())
    ran = run("forget", "--all", "--confirm", "shop")
    for counted in ("3 memories", "1 fact", "1 rule", "1 event", "1 chapter"):
        assert counted in ran.out
    assert [json.loads(line)["kind"] for line in rum.export()] == [
        "rum-export",
        *["agent"] * len(rum.agents()),
    ]
    assert not list(Path(rum.project.directory).glob("notes-*.json")), "the index of the notes"
    assert rum.notes.list().notes, "the files stay"
    assert run("restore", "--all").out.count("Restored: ") == 7
    assert sorted(rum.export()) == before


def test_now_skips_the_trash(run: Run, three: list[str]):
    assert run("forget", three[0], "--now").err == ""
    assert run("trash", "list").out == ""


def test_importing_what_was_forgotten_says_so_and_restores_it_on_request(run: Run, three: list[str]):
    exported = run("export").out.encode()
    run("forget", "--all", "--confirm", "shop")
    ran = run("import", "-", stdin=exported)
    assert "Added 0 memories (3 forgotten)." in ran.out
    assert "`rum import FILE --restore`" in ran.err
    ran = run("import", "-", "--restore", stdin=exported)
    assert "Restored 3 items from the trash." in ran.out
    assert remaining_goals(run) == 3


@needs_terminal
@pytest.mark.parametrize(("typed", "there"), [("y", 3), ("n", 0), ("", 0)])
def test_a_terminal_asks_whether_to_bring_back_what_was_forgotten(
    run: Run, three: list[str], tmp_path: Path, typed: str, there: int
):
    file = tmp_path / "export.jsonl"
    run("export", str(file))
    run("forget", "--all", "--now", "--confirm", "shop")
    screen = on_terminal("import", str(file), wait_for="(y/N)", typed=typed)
    assert screen.code == 0
    assert remaining_goals(run) == there


@needs_terminal
@pytest.mark.parametrize(("typed", "code", "stay"), [("shop", 0, 0), ("yes", 1, 3), ("", 1, 3)])
def test_a_terminal_prompts_for_the_name(run: Run, three: list[str], typed: str, code: int, stay: int):
    screen = on_terminal("forget", "--all", wait_for="(shop):", typed=typed)
    assert screen.code == code
    assert "Task 2" in screen.text
    assert remaining_goals(run) == stay


def test_forgetting_what_does_not_exist_says_what_can_be_forgotten(run: Run):
    ran = run("forget", "nope")
    assert (ran.code, ran.out) == (1, "")
    assert "There is nothing `nope` to forget" in ran.err
    assert all(part in ran.err for part in ("memory", "last 8 characters", "key of a fact", "NAME#N"))
