from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, RumError, StorageError
from rum.model.journal import format_timestamp
from rum.store.files.yaml import load
from support.journals import HEADER, whole
from support.projects import Shop

SESSIONS = Path(".rum", "sessions")


def put(shop: Shop, *place: str, text: str) -> Path:
    path = shop.folder.joinpath(*place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_the_file_is_at_the_returned_path_and_ignored_by_git(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    journal.attempt("x")

    assert Path(journal.path) == shop.folder / SESSIONS / "s1" / "developer" / "agent-memory.yaml"
    assert (shop.folder / SESSIONS / ".gitignore").read_text().endswith("\n*\n")
    assert sorted(os.listdir(shop.folder / SESSIONS / "s1")) == ["developer", "metadata.yaml"]
    assert os.listdir(shop.folder / SESSIONS / "s1" / "developer") == ["agent-memory.yaml"]


def test_an_existing_sessions_folder_gets_no_gitignore(shop: Shop) -> None:
    put(shop, ".rum", "sessions", "mine.txt", text="x")
    shop.open().journal("s1", "developer").attempt("x")
    assert not (shop.folder / SESSIONS / ".gitignore").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../up",
        "..",
        ".",
        "/etc",
        "a/b",
        "a\\b",
        ".hidden",
        "a.",
        " a",
        "C:x",
        "NUL",
        "x.yaml",
        "a\x00",
        "a" * 200,
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(shop: Shop, name: str) -> None:
    rum = shop.open(agent="developer")
    with pytest.raises(InvalidQuery, match="cannot name a session"):
        rum.journal(name, "developer").attempt("x")
    with pytest.raises(InvalidQuery, match="cannot name an agent"):
        rum.journal("s1", name).attempt("x")
    assert list(shop.folder.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="making links takes a right that few have there")
@pytest.mark.parametrize("place", ["s1", "s1/developer", "s1/developer/agent-memory.yaml"])
def test_a_link_that_leads_out_of_the_folder_is_not_followed(shop: Shop, place: str) -> None:
    outside = shop.folder.parent / "outside"
    (outside / "developer").mkdir(parents=True)
    secret = outside / "agent-memory.yaml"
    secret.write_text(HEADER)
    (outside / "developer" / "agent-memory.yaml").write_text(HEADER)
    link = shop.folder / SESSIONS / place
    link.parent.mkdir(parents=True)
    link.symlink_to(secret if place.endswith("yaml") else outside if place == "s1" else outside / "developer")

    with pytest.raises(InvalidQuery, match="leads out of"):
        shop.open().journal("s1", "developer").attempt("x")
    assert secret.read_text() == HEADER
    assert (outside / "developer" / "agent-memory.yaml").read_text() == HEADER


@pytest.mark.skipif(os.name == "nt", reason="making links takes a right that few have there")
def test_a_link_in_place_of_a_sessions_journal_is_not_followed_and_stops_nobody(shop: Shop) -> None:
    outside = shop.folder.parent / "outside.yaml"
    outside.write_text(whole())
    link = shop.folder / SESSIONS / "s1" / "agent-memory.yaml"
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    rum = shop.open()
    journal = rum.journal("s1", "developer")
    journal.attempt("x")
    assert Path(journal.path) == link.parent / "developer" / "agent-memory.yaml"
    assert outside.read_text() == whole()
    assert "leads out of" in rum.journals.arbiter("s1")


BROKEN = {
    "no YAML": HEADER + 'discoveries:\n  - id: "a\n',
    "no UTF-8": HEADER.encode() + b"note: \xff\n",
    "too large": HEADER + "note: " + "x" * 9 * 1024 * 1024 + "\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_journal_of_the_session_itself_stops_only_whose_it_is(shop: Shop, text: str | bytes) -> None:
    path = put(shop, ".rum", "sessions", "s1", "agent-memory.yaml", text="")
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(data)
    rum = shop.open()
    rum.journal("s1", "tester").attempt("Try it")
    rum.journal("s1", "tester").context(blockers=["no key"])
    assert rum.journals.agents("s1") == ["developer", "tester"]
    arbiter = rum.journals.arbiter("s1")
    assert "**developer**: the journal cannot be read: .rum/sessions/s1/agent-memory.yaml" in arbiter
    assert "**tester**: Last attempt (in_progress) - Try it" in arbiter
    with pytest.raises(RumError, match=re.escape(str(path))):
        rum.journal("s1", "developer").attempt("Mine")
    assert path.read_bytes() == data
    assert sorted(os.listdir(path.parent)) == ["agent-memory.yaml", "metadata.yaml", "tester"]
    assert "no key" in rum.brief(task="Something", session="s1", agent="tester").text


def test_a_broken_journal_without_an_agent_is_reported_and_blocks_no_other(shop: Shop) -> None:
    put(shop, ".rum", "sessions", "s1", "agent-memory.yaml", text="x: [\n")
    rum = shop.open()
    rum.journal("s1", "tester").attempt("Try it")
    arbiter = rum.journals.arbiter("s1")
    assert "**(nobody)**: the journal cannot be read: .rum/sessions/s1/agent-memory.yaml, line" in arbiter
    assert "**tester**: Last attempt (in_progress) - Try it" in arbiter
    assert [(one.valid, len(one.problems)) for one in rum.journals.validate("s1")] == [(False, 1), (True, 0)]


def test_a_broken_journal_of_one_agent_stops_neither_the_arbiter_nor_the_others(shop: Shop) -> None:
    rum = shop.open()
    put(shop, ".rum", "sessions", "s1", "planner", "agent-memory.yaml", text=HEADER + "decisions: [\n")
    rum.journal("s1", "tester").attempt("Try it")
    lines = rum.journals.arbiter("s1").splitlines()
    (planner,) = [line for line in lines if line.startswith("**planner**")]
    assert "the journal cannot be read: .rum/sessions/s1/planner/agent-memory.yaml, line" in planner
    assert str(shop.folder) not in planner
    assert "**tester**: Last attempt (in_progress) - Try it" in lines
    assert rum.journals.sessions()[0].agents == ["planner", "tester"]


def test_unwritable_session_metadata_is_reported_and_the_entry_is_kept(shop: Shop) -> None:
    (shop.folder / SESSIONS / "s1" / "metadata.yaml").mkdir(parents=True)
    journal = shop.open().journal("s1", "developer")
    answer = journal.attempt("x")
    assert [entry["id"] for entry in journal.entries("attempt")] == [answer.id]


def test_a_journal_directly_in_its_session_is_used_in_place(shop: Shop) -> None:
    (shop.folder / ".rum").mkdir()
    (shop.folder / ".rum" / "config.toml").write_text('sessions_dir = ".rawko/sessions"\n')
    others = {
        name: put(shop, ".rawko", "sessions", "s1", name, text="theirs: [\n")
        for name in ("context.yaml", "conversation.yaml", "plan.yaml", "metadata.yaml")
    }
    path = put(shop, ".rawko", "sessions", "s1", "agent-memory.yaml", text=whole())
    rum = shop.open()
    rum.journal("s1", "developer").attempt("Measure it")
    shop.open(owner=True).journal("s1").decision("skip", "No mail")
    rum.journal("s1", "tester").attempt("Try a million rows")

    value: Any = load(path.read_text(), "file")
    assert [entry["description"] for entry in value["attempts"]][-1] == "Measure it"
    assert value["decisions"][-1]["description"] == "No mail"
    assert {name: other.read_text() for name, other in others.items()} == dict.fromkeys(others, "theirs: [\n")
    assert sorted(os.listdir(path.parent)) == sorted([*others, "agent-memory.yaml", "tester"])
    assert rum.journals.arbiter("s1").splitlines()[6:8] == [
        "**developer**: Last attempt (in_progress) - Measure it",
        "**tester**: Last attempt (in_progress) - Try a million rows",
    ]
    (view,) = rum.journals.sessions()
    assert (view.session, view.agents, view.counts["discoveries"]) == ("s1", ["developer", "tester"], 4)


def test_a_session_is_described_in_its_metadata(shop: Shop) -> None:
    rum = shop.open()
    start = format_timestamp(shop.clock.at)
    rum.journal("s1", "developer", task="Export as CSV").attempt("x")
    shop.clock.forward(60)
    rum.journal("s1", "tester").discovery("data_model", "y")
    rum.journal("s1", "tester").context(currentPlanStep=1)
    path = shop.folder / SESSIONS / "s1" / "metadata.yaml"
    assert load(path.read_text(), "file") == {
        "version": "1",
        "schema": "session-metadata",
        "session": "s1",
        "task": "Export as CSV",
        "start": start,
        "end": format_timestamp(shop.clock.at),
        "agents": ["developer", "tester"],
        "counts": {"discoveries": 1, "attempts": 1, "decisions": 0},
    }
    path.write_text("# mine\n" + path.read_text() + "mood: good\n")
    rum.journal("s1", "tester").decision("skip", "z")
    assert path.read_text().startswith("# mine\n")
    assert load(path.read_text(), "file")["mood"] == "good"  # type: ignore[index]
    assert rum.journals.sessions()[0].counts == {"discoveries": 1, "attempts": 1, "decisions": 1}


def test_sessions_come_latest_first_and_one_that_cannot_be_read_does_no_harm(shop: Shop) -> None:
    rum = shop.open()
    for number, name in enumerate(("a", "b", "c")):
        put(shop, ".rum", "sessions", name, "agent-memory.yaml", text=HEADER if name != "b" else "x: [\n")
        os.utime(shop.folder / SESSIONS / name / "agent-memory.yaml", (number, number + 5))
    put(shop, ".rum", "sessions", "notes.txt", text="")
    put(shop, ".rum", "sessions", "empty", "plan.yaml", text="")

    views = rum.journals.sessions()
    assert [view.session for view in views] == ["c", "b", "a"]
    assert "cannot be read" in views[1].task
    assert rum.journals.latest() == "c"


def test_the_arbiter_sees_agents_without_attempts_and_archived_attempts(shop: Shop) -> None:
    rum = shop.open()
    rum.journal("s1", "planner").decision("skip", "x")
    history = "history:\n  - archivedAt: 2026-02-14T09:15:05Z\n    counts: {attempts: 1}\n    entries:\n"
    history += (
        "      - {id: attempt-001, title: Try rows, result: success}\n      - {id: decision-001, title: y}\n"
    )
    put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=HEADER + history)
    assert rum.journals.arbiter("s1").splitlines()[6:8] == [
        "**developer**: Last attempt (success) - Try rows",
        "**planner**: no attempts yet",
    ]


def test_the_agent_is_the_caller_unless_it_is_named(shop: Shop) -> None:
    assert shop.open(agent="tester").journal("s1").agent == "tester"
    rum = shop.open(client="some/client")
    assert rum.journal("s1").agent == "some-client"
    rum.identity("register", name="planner")
    assert rum.journal("s1").agent == "planner"
    rum.journal("s2", "solo").attempt("x")
    owner = shop.open(owner=True)
    assert owner.journal("s2").agent == "solo"
    with pytest.raises(InvalidQuery, match="Give the agent whose journal"):
        owner.journal("s1")


def test_a_session_is_the_one_that_goes_on_unless_it_is_named(shop: Shop) -> None:
    rum = shop.open(session="mine", agent="a")
    assert rum.journal().session == "mine"
    other = shop.open(agent="a")
    other.use_session("client:7/8")
    assert other.journal().session == "client-7-8"


def test_without_a_folder_for_sessions_it_says_so(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop.folder / ".rum").mkdir()
    (shop.folder / ".rum" / "config.toml").write_text('sessions_dir = ""\n')
    with pytest.raises(InvalidQuery, match="no folder for journals") as raised:
        shop.open().journal("s1", "a")
    assert raised.value.details["field"] == "sessions_dir"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_where_nothing_can_be_written_it_is_still_read(shop: Shop) -> None:
    path = put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=whole())
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    journal = shop.open().journal("s1", "developer")
    assert "Key Discoveries" in journal.prompt()
    with pytest.raises(StorageError, match="Nothing was changed"):
        journal.attempt("x")
