"""Words about a file, a prompt, a kind of task and a new session: within their tokens and their fence."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.events import problems, spool
from rum.capture.events.event import to_line
from rum.inject.offers import UNLIMITED, OfferLimits, offers_for
from rum.inject.offers.text import MAX_TOKENS, offer
from rum.model.memory import Origin, OriginKind, RevertLink
from rum.store.sqlite.store import SqliteStore
from rum.text.tokens import estimate_tokens
from support.builders import NOON, add_memory, make_file, make_intent, make_outcome
from support.offers import LATER, SESSION, edited, make_event, offered

READ: dict[str, Any] = {"tool": "read", "files": [{"path": "/work/auth.py", "operation": "read"}]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(str(tmp_path))
    yield store
    store.close()


def note_offers(folder: Path, *offers: dict[str, Any]) -> None:
    spool.append(str(folder / "spool"), SESSION, to_line(make_event("offered", offers=list(offers))))


def test_touching_a_file_brings_what_failed_there(store: SqliteStore, tmp_path: Path):
    tried = edited("auth.py", "+verify(token, leeway=0)", "ExpiredSignatureError")
    add_memory(store, "mem_1", actions=[tried], files=[make_file("auth.py")])
    (offer,) = offered(make_event("before", **READ), tmp_path)
    said = "auth.py: `verify(token, leeway=0)` failed here on 2025-06-15 (ExpiredSignatureError)."
    assert offer.text == f"{said} More: recall memory_id=mem_1."


def test_a_failure_that_worked_later_is_not_offered(store: SqliteStore, tmp_path: Path):
    tried = edited("auth.py", "+verify(token, leeway=0)", "ExpiredSignatureError")
    add_memory(store, "mem_1", actions=[tried], files=[make_file("auth.py")])
    again = edited("auth.py", "+verify(token, leeway=0)", at=NOON + 10)
    add_memory(store, "mem_2", actions=[again], files=[make_file("auth.py")])
    assert offered(make_event("before", **READ), tmp_path) == []


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"outcome": make_outcome(learnings=["Clocks differ"])}, "learned: Clocks differ"),
        ({"outcome": make_outcome(success=False, failure_reason="No key")}, "failed: No key"),
        (
            {"reasoning": {"approach_chosen": "Use JWT", "why_chosen": "no sessions"}},
            "decided: Use JWT, as no sessions",
        ),
        (
            {
                "reasoning": {
                    "alternatives_considered": [{"approach": "a ping", "why_rejected": "it costs time"}]
                },
                "outcome": make_outcome(learnings=["Clocks differ."]),
            },
            "decided against a ping, as it costs time. Learned: Clocks differ",
        ),
        ({}, None),
    ],
)
def test_touching_a_file_brings_what_was_learned_or_decided(
    store: SqliteStore, tmp_path: Path, told: dict[str, Any], said: str | None
):
    add_memory(store, "mem_1", files=[make_file("auth.py")], **told)
    found = [offer.text for offer in offered(make_event("before", **READ), tmp_path)]
    assert found == (
        [f"auth.py, 2025-06-15, Fix the login: {said}. More: recall memory_id=mem_1."] if said else []
    )


def test_what_failed_in_a_file_is_told_although_the_session_began_with_its_memory(
    store: SqliteStore, tmp_path: Path
):
    tried = edited("auth.py", "+verify(token, leeway=0)", "ExpiredSignatureError")
    add_memory(store, "mem_1", actions=[tried], files=[make_file("auth.py")])
    note_offers(tmp_path, {"kind": "session", "memories": ["mem_1"]})
    assert len(offered(make_event("before", **READ), tmp_path)) == 1
    note_offers(tmp_path, {"kind": "touching", "memories": ["mem_1"]})
    assert offered(make_event("before", **READ), tmp_path) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("Like earlier work: Fix the login: Done.", 1), ("Learned lately: Clocks differ.", 0), ("", 0)],
)
def test_what_was_learned_is_told_at_the_file_unless_an_offer_has_said_it(
    store: SqliteStore, tmp_path: Path, text: str, number: int
):
    learned = make_outcome(learnings=["Clocks differ."])
    add_memory(store, "mem_1", files=[make_file("auth.py")], outcome=learned)
    note_offers(tmp_path, {"kind": "intent", "memories": ["mem_1"], "text": text})
    assert len(offered(make_event("before", **READ), tmp_path)) == number


def test_a_failure_on_a_file_comes_before_a_later_learning(store: SqliteStore, tmp_path: Path):
    failed = make_outcome(success=False, failure_reason="No key")
    add_memory(store, "mem_1", files=[make_file("auth.py")], outcome=failed)
    learned = make_outcome(learnings=["Clocks differ"])
    add_memory(store, "mem_2", files=[make_file("auth.py")], outcome=learned, created_at=NOON + 1)
    (offer,) = offered(make_event("before", **READ), tmp_path)
    assert "failed: No key" in offer.text


def test_a_file_that_was_only_read_has_nothing_to_say(store: SqliteStore, tmp_path: Path):
    told = make_outcome(learnings=["Clocks differ"])
    add_memory(store, "mem_1", files=[make_file("auth.py", "read")], outcome=told)
    assert offered(make_event("before", **READ), tmp_path) == []


def test_the_number_of_offers_per_session_is_limited(store: SqliteStore, tmp_path: Path):
    add_memory(
        store, "mem_1", files=[make_file("auth.py")], outcome=make_outcome(learnings=["Clocks differ"])
    )
    note_offers(
        tmp_path, *({"kind": "intent", "memories": [f"mem_{n}x"]} for n in range(UNLIMITED.per_session))
    )
    assert offered(make_event("before", **READ), tmp_path) == []


def prompt(text: str) -> Any:
    return make_event("prompt", text=text)


def test_a_prompt_like_earlier_work_brings_it(store: SqliteStore, tmp_path: Path):
    told = make_outcome("Widened the leeway", learnings=["Phones run late"])
    add_memory(store, "mem_1", "Repair the refresh of expired login tokens", outcome=told)
    for number in range(30):
        add_memory(store, f"mem_other{number}", f"Paint the shed number {number}")
    (offer,) = offered(prompt("Please repair the refresh of expired login tokens"), tmp_path)
    assert offer.kind == "intent"
    assert offer.text == (
        "Like earlier work (2025-06-15, worked): Repair the refresh of expired login tokens: "
        "Widened the leeway. Learned: Phones run late. More: recall memory_id=mem_1."
    )
    assert offered(prompt("Write a letter to the town hall about parking"), tmp_path) == []
    assert offered(prompt("yes, go on"), tmp_path) == []


SIZE = "0d6ae06701 by Ann: token.py, +1 -1"
TOLD_WHY = "The security tests allow one hour."


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (
            {
                "outcome": make_outcome(SIZE, success=False, failure_reason=f"{TOLD_WHY} Sorry for that."),
                "reverted_by": RevertLink("mem_2", "98df81ea3c" + "0" * 30, reason=TOLD_WHY),
            },
            f"failed, reverted by 98df81ea3c): Keep users logged in for a day: {TOLD_WHY} More:",
        ),
        (
            {"outcome": make_outcome("Half", success=False, failure_reason=TOLD_WHY)},
            f"failed): Keep users logged in for a day: {TOLD_WHY} More:",
        ),
        (
            {
                "outcome": make_outcome(SIZE),
                "origin": Origin(OriginKind.COMMIT, "0d6ae06701"),
                "intent": {
                    **make_intent("Keep users logged in for a day"),
                    "context": "Phones lose their session after an hour. They ask again.\n\nRefs: #3",
                },
            },
            "Keep users logged in for a day: Phones lose their session after an hour. More:",
        ),
    ],
)
def test_a_prompt_like_earlier_work_brings_the_reason_and_not_its_size(
    store: SqliteStore, tmp_path: Path, known: dict[str, Any], said: str
):
    add_memory(store, "mem_1", "Keep users logged in for a day", **known)
    for number in range(30):
        add_memory(store, f"mem_other{number}", f"Paint the shed number {number}")
    (offer,) = offered(prompt("Please keep the users logged in for a day"), tmp_path)
    assert said in offer.text
    assert "Ann" not in offer.text


def test_a_task_like_several_earlier_ones_brings_how_they_went(store: SqliteStore, tmp_path: Path):
    for number, success in enumerate((True, False, True)):
        goal = f"Upgrade the payment gateway client to version {number}"
        add_memory(store, f"mem_{number}", goal, outcome=make_outcome("done", success=success))
    for number in range(30):
        add_memory(store, f"mem_other{number}", f"Paint the shed number {number}")
    found = offered(prompt("Upgrade the payment gateway client to version 4"), tmp_path)
    note_offers(tmp_path, *({"kind": one.kind, "memories": [*one.memory_ids]} for one in found))
    assert all(estimate_tokens(one.text) <= 100 for one in found)
    assert {one.kind for one in found} <= {"intent", "task"}
    assert found


def start(source: str = "startup") -> Any:
    return make_event("start", source=source)


def test_a_session_begins_with_what_was_left_undone_and_learned(store: SqliteStore, tmp_path: Path):
    undone = make_outcome(
        "Half", success=False, failure_reason="No time", follow_up_needed=["Write the test"]
    )
    add_memory(store, "mem_1", "Fix the login", outcome=undone)
    add_memory(store, "mem_2", "Tidy", outcome=make_outcome(learnings=["Clocks differ"]), created_at=NOON + 1)
    said = [offer.text for offer in offered(start(), tmp_path)]
    unfinished = "Left unfinished on 2025-06-15: Fix the login. Why: No time. To do: Write the test."
    assert said == [
        f"{unfinished} More: recall memory_id=mem_1.",
        "Learned lately: Clocks differ. More: recall memory_id=mem_2.",
    ]


def test_a_session_does_not_begin_with_the_same_memory_twice(store: SqliteStore, tmp_path: Path):
    undone = make_outcome("Half", follow_up_needed=["Write the test"], learnings=["Clocks differ"])
    add_memory(store, "mem_1", "Fix the login", outcome=undone)
    (offer,) = offered(start(), tmp_path)
    assert offer.text.startswith("Left to do on 2025-06-15: Write the test. It is from: Fix the login.")
    assert offered(start("resume"), tmp_path) == []


def test_what_was_done_since_is_not_unfinished(store: SqliteStore, tmp_path: Path):
    add_memory(store, "mem_1", "Fix the login", outcome=make_outcome(success=False, failure_reason="No time"))
    add_memory(store, "mem_2", "Fix the login", created_at=NOON + 1)
    assert offered(start(), tmp_path) == []


def test_a_session_begins_with_the_commits_since(store: SqliteStore, tmp_path: Path):
    root = tmp_path / "work"
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    asked = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    add_memory(store, "mem_1", commit=asked.stdout.strip())
    assert offers_for(start(), str(tmp_path), str(root)) == []
    for subject in ("Add a shed", "Paint the shed"):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", subject], check=True)
    (offer,) = offers_for(start(), str(tmp_path), str(root))
    short = asked.stdout[:9]
    said = f"Commits since RUM last saw work here ({short}): 2, the last Add a shed; Paint the shed."
    assert offer.text == said


def test_after_compaction_the_session_gets_its_context_again(store: SqliteStore, tmp_path: Path):
    changed = {"tool": "edit", "files": [{"path": "/work/auth.py", "operation": "edit", "added": "x = 1"}]}
    for event in (make_event("prompt", text="Fix the login"), make_event("after", **changed)):
        spool.append(str(tmp_path / "spool"), SESSION, to_line(event))
    (offer,) = offered(start("compact"), tmp_path)
    assert offer.text == "Before compaction: asked “Fix the login”; changed auth.py."


def test_trouble_with_events_of_an_unknown_project_is_offered_too(tmp_path: Path):
    folder = tmp_path / "projects" / "shop"
    SqliteStore(str(folder)).close()
    problems.record_problem(spool.unclaimed_folders(str(tmp_path)), "The settings cannot be read", LATER - 60)
    (offer,) = offered(make_event("start", source="startup"), folder)
    assert "The settings cannot be read" in offer.text


def test_trouble_is_offered_once(store: SqliteStore, tmp_path: Path):
    problems.record_problem((str(tmp_path / "spool"),), "The disk is full", LATER - 60)
    (offer,) = offered(start(), tmp_path)
    assert (offer.kind, "The disk is full" in offer.text) == ("trouble", True)
    assert offered(start(), tmp_path) == []


def test_an_archived_memory_is_offered_when_its_file_is_touched(store: SqliteStore, tmp_path: Path):
    reasoning = {"approach_chosen": "Use JWT", "why_chosen": "no sessions"}
    add_memory(store, "mem_1", files=[make_file("auth.py")], reasoning=reasoning)
    add_memory(store, "mem_2", files=[make_file("auth.py")])
    assert store.archive.put(["mem_1", "mem_2"], NOON) == 2
    (offer,) = offered(make_event("before", **READ), tmp_path)
    said = "auth.py, 2025-06-15, Fix the login: decided: Use JWT, as no sessions"
    assert offer.text == f"{said}. More: recall memory_id=mem_1."


def test_a_prompt_like_archived_work_brings_it(store: SqliteStore, tmp_path: Path):
    told = make_outcome("Widened the leeway", learnings=["Phones run late"])
    add_memory(store, "mem_1", "Repair the refresh of expired login tokens", outcome=told)
    for number in range(30):
        add_memory(store, f"mem_other{number}", f"Paint the shed number {number}")
    store.archive.put(["mem_1"], NOON)
    (offer,) = offered(prompt("Please repair the refresh of expired login tokens"), tmp_path)
    assert (offer.kind, offer.memory_ids) == ("intent", ("mem_1",))
    assert "Widened the leeway. Learned: Phones run late." in offer.text


def test_what_was_archived_early_still_begins_a_session(store: SqliteStore, tmp_path: Path):
    add_memory(store, "mem_1", outcome=make_outcome(learnings=["Clocks differ"]))
    store.archive.put(["mem_1"], NOON)
    said = [offer.text for offer in offered(start(), tmp_path)]
    assert said == ["Learned lately: Clocks differ. More: recall memory_id=mem_1."]


def test_a_damaged_archive_silences_only_what_is_in_it(store: SqliteStore, tmp_path: Path):
    told = make_outcome(learnings=["Clocks differ"])
    for name in ("mem_1", "mem_2"):
        add_memory(store, name, files=[make_file("auth.py")], outcome=told)
    store.archive.put(["mem_2"], NOON)
    with closing(sqlite3.connect(tmp_path / "rum.db")) as db:
        db.execute("UPDATE archived SET data = x'00'")
        db.commit()
    assert [one.memory_ids for one in offered(make_event("before", **READ), tmp_path)] == [("mem_1",)]


@pytest.mark.parametrize(
    ("undone", "files"),
    [
        (make_outcome("Half", success=False, failure_reason="No time"), ["auth.py"]),
        (make_outcome("Half", follow_up_needed=["web/mail.py is not done yet"]), ["login.py"]),
    ],
)
def test_work_whose_files_were_changed_with_success_since_may_be_finished(
    store: SqliteStore, tmp_path: Path, undone: Any, files: list[str]
):
    add_memory(store, "mem_1", "Fix the login", outcome=undone, files=[make_file(path) for path in files])
    assert [offer.memory_ids for offer in offered(start(), tmp_path)] == [("mem_1",)]
    later = {"files": [make_file("auth.py"), make_file("web/mail.py")], "created_at": NOON + 1}
    add_memory(store, "mem_2", "Move everything to logging", **later)
    assert offered(start(), tmp_path) == []


LONGEST = "Tried before and failed in {1} on 2026-01-01: `{0}` ({2}). Worked instead: `{3}`."


@pytest.mark.parametrize(
    "text", ["修复登录页面在空列表情况下崩溃的问题" * 9, "é~ß" * 60, "word " * 200, "🙂" * 300]
)
def test_an_offer_in_any_script_stays_within_its_tokens(text: str):
    found = offer("warning", ["mem_1"], LONGEST, (text,) * 4, "recall memory_id=abcdefgh")
    assert estimate_tokens(found.text) <= MAX_TOKENS
    assert "recall memory_id=abcdefgh" in found.text


def test_a_part_loses_whole_sentences_first():
    why = "The pool reuses closed connections. " + "This sentence says more about it than fits. " * 9
    found = offer("touching", [], "{0}: {1}.", ("Fix the pool.", why), "recall memory_id=abcdefgh")
    assert found.text.startswith("Fix the pool: The pool reuses closed connections. This sentence says more")
    assert "than fits. More: recall" in found.text


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("Why is the build slow?", "Why is the build slow? It is cached."),
        ("Fix the build.:", "Fix the build: It is cached."),
    ],
)
def test_no_sign_follows_another(goal: str, text: str):
    assert offer("touching", [], "{0}: {1}.", (goal, "It is cached.")).text == text


@given(st.lists(st.text(max_size=300), min_size=4, max_size=4))
def test_any_parts_fit(parts: list[str]):
    assert (
        estimate_tokens(offer("warning", [], LONGEST, parts, "recall memory_id=abcdefgh").text) <= MAX_TOKENS
    )


@pytest.mark.parametrize(
    ("limits", "is_offered"),
    [
        (OfferLimits(kinds=("touching",)), True),
        (OfferLimits(kinds=("warning", "session")), False),
        (OfferLimits(kinds=()), False),
        (OfferLimits(min_age=1), True),
        (OfferLimits(min_age=1.5), False),
        (OfferLimits(min_memories=1), True),
        (OfferLimits(min_memories=2), False),
        (OfferLimits(per_session=0), False),
    ],
)
def test_settings_limit_offers(store: SqliteStore, tmp_path: Path, limits: OfferLimits, is_offered: bool):
    told = make_outcome(learnings=["Clocks differ"])
    add_memory(store, "mem_1", files=[make_file("auth.py")], outcome=told)
    assert bool(offers_for(make_event("before", **READ), str(tmp_path), "/work", limits)) is is_offered


def test_after_an_offer_the_next_waits_for_the_cooldown_but_a_warning_does_not(
    store: SqliteStore, tmp_path: Path
):
    add_memory(
        store, "mem_1", files=[make_file("auth.py")], outcome=make_outcome(learnings=["Clocks differ"])
    )
    note_offers(tmp_path, {"kind": "intent", "memories": ["mem_2"]})
    limits, later = OfferLimits(cooldown=10), LATER + 9 * 60
    assert offers_for(make_event("before", at=later, **READ), str(tmp_path), "/work", limits) == []
    assert offers_for(make_event("before", at=later + 61, **READ), str(tmp_path), "/work", limits)
    tried = edited("auth.py", "+verify(token, leeway=0, algorithms=['HS256'])", "ExpiredSignatureError")
    add_memory(store, "mem_3", actions=[tried], files=[make_file("auth.py")])
    again = {
        "path": "/work/auth.py",
        "operation": "edit",
        "added": "verify(token, leeway=0, algorithms=['HS256'])",
    }
    repeated = make_event("before", tool="edit", files=[again], at=later)
    assert [one.kind for one in offers_for(repeated, str(tmp_path), "/work", limits)] == ["warning"]
