"""Memories are compared with the code: from `store`, capture and import to every answer that shows them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rum import InvalidQuery, Rum
from rum.app.freshness import changes
from rum.app.freshness.anchors import make_missing
from rum.inject.offers import offers_for
from rum.model.layers import USER
from rum.store.activity import OfferRow
from support.hooks import SESSION, make_hook_runner, prompt, ran, until
from support.offers import make_event
from support.projects import edited, keep
from support.repositories import Repository

GATE = """import os

LIMIT = 10


def open_gate(key):
    if key is None:
        raise ValueError("no key")
    return os.path.join("gates", key)


def close_gate(key):
    return key.strip().lower()
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "work")
    found.commit("Add the gate", {"gate.py": GATE})
    return found


@pytest.fixture
def rum(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    with Rum.open(repository.root, home=tmp_path / "home", owner=True) as opened:
        yield opened


def about(where: str) -> dict[str, Any]:
    return {"perception": {"observations": [{"what": "it refuses a missing key", "where": where}]}}


def fresh(rum: Rum, memory_id: str) -> tuple[Any, ...]:
    found = rum.show(memory_id)
    return found.freshness or None, found.code_at or None, found.code_changed or None


def test_a_stored_memory_follows_its_code(rum: Rum, repository: Repository):
    kept = keep(rum, **about("gate.py:6-9"))
    assert fresh(rum, kept) == ("fresh", None, None)
    repository.write("gate.py", "# The gate\nFIRST = 1\n" + GATE)
    assert fresh(rum, kept) == ("moved", "gate.py:8-11", None)
    repository.write("gate.py", GATE.replace("if key is None", "if not key"))
    assert fresh(rum, kept) == ("changed", "gate.py:6-9", 0.25)
    repository.write("gate.py", GATE.replace('("no key")', "('no key')  # quotes and comments do not count"))
    assert fresh(rum, kept) == ("fresh", None, None)
    repository.git("mv", "gate.py", "door.py")
    repository.write("door.py", GATE)
    repository.git("add", "--all")
    assert fresh(rum, kept) == ("moved", "door.py:6-9", None)
    repository.write("door.py", None)
    repository.git("add", "--all")
    assert fresh(rum, kept) == ("gone", "gate.py:6-9", None)


def test_a_restored_memory_is_still_compared_with_its_code(rum: Rum, repository: Repository):
    kept = keep(rum, **about("gate.py:6-9"))
    repository.write("gate.py", GATE.replace("if key is None", "if not key"))
    rum.forget(kept)
    rum.restore(kept)
    assert fresh(rum, kept) == ("changed", "gate.py:6-9", 0.25)


def test_every_answer_says_how_fresh_a_memory_is(rum: Rum, repository: Repository):
    old = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    new = keep(rum, "Close the gate", links={"caused_by": old}, **about("gate.py#L12-L13"))
    plain = keep(rum, "Write the manual")
    repository.write("gate.py", GATE.replace("if key is None", "if not key"))
    found = {one.id: one for one in rum.recall(query="key gate manual", limit=9, min_confidence=0).memories}
    assert {one: found[one].freshness or None for one in (old, new, plain)} == {
        old: "changed",
        new: "fresh",
        plain: None,
    }
    assert found[old].full_summary == "It works (code changed since)"
    traced = rum.trace(new)
    assert (traced.origin.freshness, traced.chain[0].memory.freshness) == ("fresh", "changed")
    listed = {one.id: one.freshness or None for one in rum.list().memories}
    assert listed == {old: "changed", new: "fresh", plain: None}


def test_only_fresh_memories_can_be_asked_for(rum: Rum, repository: Repository):
    old = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    new = keep(rum, "Close the gate with a key", **about("gate.py:12-13"))
    keep(rum, "Write the manual about keys")
    repository.write("gate.py", "\n" + GATE.replace("if key is None", "if not key"))
    assert [one.id for one in rum.recall(query="key gate", fresh_only=True, limit=1).memories] == [new]
    rum.forget(new)
    nothing = rum.recall(query="key gate", fresh_only=True)
    assert (nothing.memories, nothing.code) == ([], "NO_RESULTS")
    assert "fresh_only" in str(nothing.hint)
    assert old in [one.id for one in rum.recall(query="key gate").memories]


def test_of_reverted_work_only_the_revert_is_told(rum: Rum, repository: Repository):
    repository.commit("Refuse an empty key", {"gate.py": GATE.replace("if key is None", "if not key")})
    repository.git("revert", "--no-edit", "HEAD")
    rum.import_git()
    [memory] = rum.recall(query="Refuse an empty key", failures_only=True).memories
    assert memory.freshness == "changed"
    assert "reverted" in memory.full_summary
    assert "code" not in memory.full_summary


def test_an_update_that_names_new_lines_is_compared_with_them(rum: Rum, repository: Repository):
    kept = keep(rum)
    assert fresh(rum, kept) == (None, None, None)
    rum.update_memory(kept, **about("gate.py:6-9"))
    repository.write("gate.py", GATE.replace("if key is None", "if not key"))
    assert fresh(rum, kept)[0] == "changed"


def test_a_file_without_lines_says_how_much_of_it_changed(rum: Rum, repository: Repository):
    kept = keep(rum, perception={"relevant_files": [{"path": "gate.py"}]})
    assert fresh(rum, kept)[0] == "fresh"
    repository.write("gate.py", GATE.replace("LIMIT = 10", "LIMIT = 20"))
    state, place, share = fresh(rum, kept)
    assert (state, place) == ("changed", "gate.py")
    assert 0 < share < 0.3


def test_commits_are_tied_to_the_lines_they_changed(rum: Rum, repository: Repository):
    fixed = GATE.replace("if key is None", "if not key")
    repository.commit("Refuse an empty key", {"gate.py": fixed})
    repository.commit("Say where gates are", {"README.md": "Gates are in gates/.\n"})
    rum.import_git()
    memories = {
        one.intent.goal: one for one in rum.recall(query="key gate gates", limit=9, min_confidence=0).memories
    }
    assert {goal: one.freshness for goal, one in memories.items()} == {
        "Add the gate": "changed",
        "Refuse an empty key": "fresh",
        "Say where gates are": "fresh",
    }
    repository.write("gate.py", "\n\n" + fixed.replace("LIMIT = 10", "LIMIT = 99"))
    assert fresh(rum, memories["Refuse an empty key"].id) == ("moved", "gate.py:9", None)


def test_anchors_are_made_again_from_the_commits(rum: Rum, repository: Repository, tmp_path: Path):
    rum.import_git()
    lines = list(rum.export())
    with Rum.open(repository.root, home=tmp_path / "other", owner=True) as other:
        other.import_lines(lines)
        [imported] = other.recall(query="Add the gate").memories
        assert imported.freshness or None is None
        assert make_missing(other._project, 9) == 1
        assert make_missing(other._project, 9) == 0
        assert fresh(other, imported.id)[0] == "fresh"


def test_what_was_stored_here_is_not_looked_at_again(rum: Rum):
    keep(rum)
    keep(rum, **about("gate.py:6-9"))
    assert make_missing(rum._project, 9) == 0


def test_without_a_checkout_nothing_is_said(rum: Rum, repository: Repository, tmp_path: Path):
    rum.import_git()
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    name = rum.summary()["project_id"]
    with Rum.open(tmp_path, project=name, home=tmp_path / "home", owner=True) as elsewhere:
        assert elsewhere.recall(query="Add the gate").memories[0].freshness or None is None


def test_a_captured_edit_is_tied_to_the_code_as_it_was_at_the_end_of_the_turn(tmp_path: Path):
    hooks = make_hook_runner(tmp_path)
    repository = Repository(hooks.work)
    repository.commit("Add the gate", {"gate.py": GATE})
    new = GATE.replace("    if key is None:\n", "    if not key or not key.strip():\n")
    repository.write("gate.py", new)
    payload = {
        "session_id": SESSION,
        "cwd": str(hooks.work),
        "prompt_id": "t1",
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_use_id": "c1",
        "tool_response": {},
        "tool_input": {
            "file_path": str(hooks.work / "gate.py"),
            "old_string": "    if key is None:",
            "new_string": "    if not key or not key.strip():",
        },
    }
    hooks.output(prompt(hooks.work, "Refuse a blank key."))
    hooks.output(payload)
    hooks.output(ran(hooks.work, "pytest", "3 passed", "c4"))
    hooks.output(
        {**payload, "hook_event_name": "Stop", "last_assistant_message": "Blank keys are refused now."}
    )

    def states() -> list[Any]:
        with Rum.open(hooks.work, home=hooks.home, owner=True) as rum:
            return [(one.freshness, one.code_at or None) for one in rum.recall(file="gate.py").memories]

    until(lambda: bool(states()))
    assert states() == [("fresh", None)]
    repository.write("gate.py", "# first\n" + new)
    assert states() == [("moved", "gate.py:8")]
    repository.write("gate.py", GATE)
    assert [state for state, _ in states()] == ["changed"]


def test_paths_that_lead_out_of_the_repository_are_not_read(rum: Rum, tmp_path: Path):
    (tmp_path / "secret.py").write_text("TOKEN = 1\n")
    kept = keep(
        rum,
        **about("../secret.py:1"),
        actions=[{"type": "file_edit", "file_path": str(tmp_path / "secret.py")}],
    )
    assert fresh(rum, kept) == (None, None, None)
    assert "TOKEN" not in json.dumps([line.decode() for line in rum.export()])


REWRITTEN = GATE.replace("if key is None", "if not key")


def test_verify_lists_what_went_stale_by_file_and_commit(rum: Rum, repository: Repository):
    stale = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    gone = keep(rum, "Close the gate", **about("gate.py:12-13"))
    keep(rum, "Keep the limit", **about("gate.py:1-3"))
    keep(rum, "Try another way", outcome={"success": False, "summary": "No"}, **about("gate.py:6-9"))
    assert (rum.verify().checked, rum.verify().files) == (3, [])
    repository.commit("Add a manual", {"README.md": "Gates.\n"})
    by = repository.commit(
        "Refuse an empty key", {"gate.py": REWRITTEN.partition("\n\n\ndef close")[0] + "\n"}
    )
    answer = rum.verify()
    assert (answer.checked, answer.stale, [file.path for file in answer.files]) == (3, 2, ["gate.py"])
    found = {memory.id: memory for memory in answer.files[0].memories}
    assert (found[stale].freshness, found[stale].code_at, found[stale].code_changed) == (
        "changed",
        "gate.py:6-9",
        0.25,
    )
    assert found[gone].freshness == "gone"
    assert {one.since.commit for one in found.values() if one.since} == {by}
    assert rum.verify("README.md").stale == 0
    assert rum.verify("gate.py", limit=1).stale == 2


def test_verify_of_a_file_that_nothing_names_says_so_and_which_files_are_like_it(
    rum: Rum, repository: Repository
):
    keep(rum, "Keep the limit", **about("gate.py:1-3"))
    repository.write("manual.txt", "Gates.\n")
    unknown = "Nothing that is compared with the code names"
    wrong = rum.verify("gtae.py")
    assert (wrong.checked, wrong.hint) == (
        0,
        f"{unknown} `gtae.py`, and there is no such file. Did you mean gate.py?",
    )
    assert rum.verify("manual.txt").hint == f"{unknown} `manual.txt`."
    assert rum.verify("gate.py", "manual.txt").hint == f"{unknown} `manual.txt`."
    for known in ((), ("gate.py",), (".",)):
        assert (rum.verify(*known).checked, bool(rum.verify(*known).hint)) == (1, False)


def test_verify_says_that_imported_memories_have_yet_to_be_tied_to_code(
    rum: Rum, repository: Repository, tmp_path: Path
):
    keep(rum, "Keep the limit", **about("gate.py:1-3"))
    exported = [*rum.export()]
    with Rum.open(repository.root, home=tmp_path / "other", owner=True) as other:
        other.import_lines(exported)
        untied = "Some memories are not tied to their code yet: run `rum tidy`."
        assert other.verify().hint == untied
        assert str(other.verify("gate.py").hint).endswith(f"names `gate.py`. {untied}")
        other.tidy()
        assert (other.verify("gate.py").checked, bool(other.verify("gate.py").hint)) == (1, False)


def test_changes_that_are_not_committed_have_no_commit(rum: Rum, repository: Repository):
    keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    repository.write("gate.py", REWRITTEN)
    [memory] = rum.verify().files[0].memories
    assert (bool(memory.since), memory.uncommitted) == (False, True)


def test_neither_the_commit_that_brought_the_code_nor_one_that_formats_it_changed_it(
    rum: Rum, repository: Repository
):
    added = GATE + "\n\ndef lock_gate(key):\n    return key + 'x'\n"
    repository.write("gate.py", added)
    kept = keep(rum, "Lock the gate", **about("gate.py:16-17"))
    repository.commit("Lock the gate", {"gate.py": added})
    repository.commit("Format", {"gate.py": added.replace("key + 'x'", 'key + "x"')})
    by = repository.commit("Lock twice", {"gate.py": added.replace("key + 'x'", 'key + "xx"')})
    repository.commit("Lower the limit", {"gate.py": added.replace("'x'", '"xx"').replace("10", "9")})
    [memory] = rum.verify().files[0].memories
    assert (memory.id, memory.since and memory.since.commit) == (kept, by)


def test_the_commit_that_removed_code_is_named_not_others_of_the_file(rum: Rum, repository: Repository):
    kept = keep(rum, "Close the gate", **about("gate.py:12-13"))
    repository.commit("Lower the limit", {"gate.py": GATE.replace("10", "9")})
    by = repository.commit("Leave the gate open", {"gate.py": GATE.partition("\n\n\ndef close")[0] + "\n"})
    repository.commit("Lower it again", {"gate.py": GATE.partition("\n\n\ndef close")[0].replace("10", "8")})
    [memory] = rum.verify().files[0].memories
    assert (memory.id, memory.freshness, memory.since and memory.since.commit) == (kept, "gone", by)


def test_answers_name_the_commit_once_git_was_asked(rum: Rum, repository: Repository):
    kept = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    by = repository.commit("Refuse an empty key, too", {"gate.py": REWRITTEN})
    assert not rum.show(kept).code_since
    rum.tidy()
    since = str(rum.show(kept).code_since)
    assert since.startswith(by[:10])
    assert since.endswith("Refuse an empty key, too")
    assert rum.recall(query="missing key", depth="outcome").memories[0].code_since == since
    repository.git("reset", "-q", "--hard", "HEAD^")
    repository.write("gate.py", REWRITTEN.replace("LIMIT", "MOST"))
    assert not rum.show(kept).code_since


def test_a_commit_is_named_on_one_line_and_without_secrets(rum: Rum, repository: Repository, tmp_path: Path):
    kept = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    secret = "ghp_" + "a1B2c3D4e5" * 4
    message = f"Refuse an empty key with {secret} </user> {'word ' * 200}"
    repository.commit(message, {"gate.py": REWRITTEN})
    [stale] = rum.verify().files[0].memories
    rum.tidy()
    for said in (str(rum.show(kept).code_since), stale.since.subject if stale.since else ""):
        assert "Refuse an empty key with" in said
        assert secret not in said
        assert "</user>" not in said
        assert len(said) < 300
    [path] = (tmp_path / "home").rglob("changes-*.json")
    assert secret not in path.read_text()


def test_a_change_that_was_taken_back_is_not_named_for_a_later_one(rum: Rum, repository: Repository):
    kept = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    for message, content in (("Rewrite", REWRITTEN), ("Go back", GATE)):
        repository.commit(message, {"gate.py": content})
        rum.tidy()
    by = repository.commit("Raise another error", {"gate.py": GATE.replace("ValueError", "TypeError")})
    rum.tidy()
    assert str(rum.show(kept).code_since).startswith(by[:10])


def test_changes_that_are_not_committed_do_not_keep_others_from_being_named(
    rum: Rum, repository: Repository, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(changes, "MAX_ASKED", 1)
    names = ["one.py", "two.py", "three.py"]
    repository.commit("Add gates", dict.fromkeys(names, GATE))
    kept = [keep(rum, f"Refuse a missing key in {name}", **about(f"{name}:6-9")) for name in names]
    repository.commit("Rewrite the second", {"two.py": REWRITTEN})
    repository.write("one.py", REWRITTEN)
    repository.write("three.py", REWRITTEN)
    for _ in names:
        rum.tidy()
    since = [str(rum.show(one).code_since or "")[22:] for one in kept]
    assert since == ["", "Rewrite the second", ""]


@pytest.mark.parametrize("damage", ["", "[]", '{"head": 1, "changes": [2]}', "keys", "time"])
def test_a_damaged_file_of_changes_names_no_commit(
    rum: Rum, repository: Repository, tmp_path: Path, damage: str
):
    kept = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    repository.commit("Refuse an empty key, too", {"gate.py": REWRITTEN})
    rum.tidy()
    assert rum.show(kept).code_since
    [path] = (tmp_path / "home").rglob("changes-*.json")
    whole = json.loads(path.read_text())
    change = ["x", 10**18, "", ""] if damage == "time" else ["x", None]
    whole["changes"] = dict.fromkeys(whole["changes"], change)
    path.write_text(json.dumps(whole) if damage in ("keys", "time") else damage)
    assert not rum.show(kept).code_since
    assert fresh(rum, kept)[0] == "changed"


def test_code_that_a_commit_moved_to_another_file_is_found_there(
    rum: Rum, repository: Repository, tmp_path: Path
):
    kept = keep(rum, "Close the gate", **about("gate.py:12-13"))
    begin, _, end = GATE.partition("\n\n\ndef close")
    repository.commit("Split the gate", {"gate.py": begin + "\n", "door.py": "# The door\ndef close" + end})
    assert fresh(rum, kept)[0] == "gone"
    rum.tidy()
    assert fresh(rum, kept) == ("moved", "door.py:2-3", None)
    assert rum.verify().stale == 0
    repository.write("door.py", "\n")
    assert fresh(rum, kept)[0] == "gone"


def test_what_is_stated_of_changed_code_counts_less_but_no_failure_does(rum: Rum, repository: Repository):
    """The confidence of what was tried, and of what a commit did, stays: it is still true."""
    rum.import_git()
    old = keep(rum, "Open the gate with a key", **about("gate.py:6-9"))
    new = keep(rum, "Open the gate with a key card", **about("gate.py:1-3"))
    failed = keep(
        rum, "Open the gate with a hook", outcome={"success": False, "summary": "No"}, **about("gate.py:6-9")
    )
    question = {"query": "open the gate with a key", "min_confidence": 0, "include_similar": True}

    def sure() -> dict[str, float]:
        answer = rum.recall(**question)
        assert [one.confidence for one in answer.memories] == sorted(
            (one.confidence for one in answer.memories), reverse=True
        )
        return {one.id: one.confidence for one in answer.memories}

    before = sure()
    repository.commit("Open another way", {"gate.py": GATE.replace("if key is None", "if not key")})
    some = sure()
    repository.commit("Open no more", {"gate.py": "import os\n\nLIMIT = 10\n"})
    after = sure()
    assert before[old] > some[old] > after[old] > 0
    assert {one: before[one] for one in before if one != old} == {
        one: after[one] for one in after if one != old
    }
    assert {new, failed} < after.keys()
    [told] = [one.why for one in rum.recall(explain=True, **question).memories if one.id == old]
    assert any("of its code changed since" in line for line in told or ())


def test_near_misses_say_that_the_code_changed(rum: Rum, repository: Repository):
    for number in range(9):
        keep(rum, f"Oil hinge number {number} of the wicket")
    keep(rum, "Refuse a missing key of the gate", **about("gate.py:6-9"))
    repository.write("gate.py", REWRITTEN)
    answer = rum.recall(query="key cutting machines in the workshop of a locksmith", min_confidence=0.9)
    assert any("(code changed since)" in one.text for one in answer.near or ())


def test_a_confirmed_memory_is_compared_with_the_new_code(rum: Rum, repository: Repository):
    kept = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    repository.write("gate.py", "\n" + REWRITTEN)
    assert rum.confirm(kept[-10:]).confirmed == [kept]
    assert fresh(rum, kept) == ("fresh", None, None)
    repository.write("gate.py", "\n" + GATE)
    assert fresh(rum, kept)[0] == "changed"
    rum.feedback(kept, useful=True, still_true=True)
    assert fresh(rum, kept)[0] == "fresh"
    repository.write("gate.py", None)
    with pytest.raises(InvalidQuery, match="Nothing is left"):
        rum.confirm(kept)
    with pytest.raises(InvalidQuery, match="names no code"):
        rum.confirm(keep(rum))


def test_a_brief_says_which_work_is_about_changed_code(rum: Rum, repository: Repository):
    keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    keep(
        rum,
        "Accept an empty key",
        outcome={"success": False, "summary": "Broke the door", "failure_reason": "the door jams"},
        **about("gate.py:6-9"),
    )
    text = rum.brief(task="Refuse a missing key", file=["gate.py"]).text
    assert "Refuse a missing key:" in text
    assert "changed since" not in text
    repository.write("gate.py", REWRITTEN)
    text = rum.brief(task="Refuse a missing key", file=["gate.py"]).text
    assert "Refuse a missing key (code changed since):" in text
    assert "Accept an empty key (code changed since):" in text


NOTE = "`open_gate` in gate.py refuses a missing key, see gate.py:6-9."


def add_texts(rum: Rum) -> str:
    """A note, a fact and a rule about the same lines; returns the rule's id."""
    rum.notes.add("Opening gates", NOTE, "gate|open")
    rum.facts.set("gate.missing_key", "refused in gate.py#open_gate")
    return rum.rules.add("gate", "Refuse a missing key as gate.py:6-9 does").id


def states(rum: Rum) -> dict[Any, Any]:
    """What each interface says of the code of the note, the fact and the rule."""
    [note], [fact], [rule] = rum.notes.list().notes, rum.facts.list(), rum.rules.list()
    [matched] = rum.notes.match("open the gate").notes
    learned = rum.call("learn", {"action": "list"})
    paged = rum.pages.facts().items + rum.pages.rules().items + rum.pages.notes().items
    shown = [
        *(note, fact, rule, matched, rum.notes.show("opening-gates"), rum.facts.show(fact.key)),
        *(rum.rules.show(rule.id), *rum.rules.match("open the gate"), *learned.facts, *learned.rules, *paged),
    ]
    return {one.freshness or None: (one.code_at or None, one.code_changed or None) for one in shown}


def test_notes_facts_and_rules_follow_the_code_that_they_name(rum: Rum, repository: Repository):
    keep(rum)
    rule = add_texts(rum)
    assert states(rum) == {"fresh": (None, None)}
    repository.write("gate.py", "# gates\n" + GATE)
    assert states(rum) == {"moved": ("gate.py:7-10", None)}
    by = repository.commit("Refuse an empty key", {"gate.py": REWRITTEN})
    assert states(rum) == {"changed": ("gate.py:6-9", 0.25)}
    found = {one.kind: one for one in rum.verify().files[0].memories}
    assert {kind: one.id for kind, one in found.items()} == {
        "note": "opening-gates",
        "fact": "gate.missing_key",
        "rule": rule,
    }
    assert {one.since.commit for one in found.values() if one.since} == {by}
    assert found["note"].summary == NOTE
    rum.feedback("opening-gates", useful=True, still_true=True)
    assert rum.confirm("gate.missing_key", rule).confirmed == ["gate.missing_key", rule]
    assert states(rum) == {"fresh": (None, None)}
    repository.write("gate.py", None)
    assert list(states(rum)) == ["gone"]
    with pytest.raises(InvalidQuery, match="Nothing is left"):
        rum.confirm("opening-gates")


def test_prompts_say_which_notes_facts_and_rules_are_about_changed_code(rum: Rum, repository: Repository):
    keep(rum)
    add_texts(rum)
    task = "Open the gate with a missing key"
    assert "changed since" not in rum.brief(task=task, file=["gate.py"]).text
    repository.write("gate.py", REWRITTEN)
    text = rum.brief(task=task, file=["gate.py"]).text
    assert "*Code changed since: gate.py:6-9*" in text
    assert "refused in gate.py#open_gate (code changed since)" in text
    assert "as gate.py:6-9 does (code changed since)" in text
    assert "*Code changed since: gate.py:6-9*" in rum.notes.match("open the gate").text


def test_a_text_that_names_a_file_is_stale_only_when_most_of_the_file_changed(
    rum: Rum, repository: Repository
):
    keep(rum)
    rum.facts.set("gates", "are in gate.py")
    assert rum.facts.show("gates").freshness == "fresh"
    repository.write("gate.py", REWRITTEN)
    assert not rum.facts.show("gates").freshness
    repository.write("gate.py", "import os\n\n\ndef shut():\n    return None\n")
    assert rum.facts.show("gates").freshness == "changed"


def test_texts_that_were_written_elsewhere_are_compared_with_the_code_of_their_time(
    rum: Rum, repository: Repository
):
    keep(rum)
    at = int(repository.git("log", "-1", "--format=%ct"))
    rum.notes.add("Opening gates", NOTE, "gate|open", discovered_at=at)
    repository.commit("Refuse an empty key", {"gate.py": REWRITTEN}, at=at + 100)
    assert not rum.notes.show("opening-gates").freshness
    rum.tidy()
    assert rum.notes.show("opening-gates").freshness == "changed"
    path = repository.root / rum.notes.show("opening-gates").path
    path.write_text(path.read_text().replace("refuses a missing key", "refuses an empty key, too"))
    assert not rum.notes.show("opening-gates").freshness
    rum.tidy()
    assert rum.notes.show("opening-gates").freshness == "fresh"


def test_a_forgotten_text_leaves_no_anchors(rum: Rum, tmp_path: Path):
    keep(rum)
    add_texts(rum)
    rum.forget("gate.missing_key", kind="fact", now=True)
    rum.forget("opening-gates#1", kind="note", now=True)
    [database] = (tmp_path / "home" / "projects").glob("*/rum.db")
    with sqlite3.connect(database) as opened:
        names = [name for (name,) in opened.execute("SELECT name FROM text_anchors")]
    assert [name.partition("_")[0] for name in names] == ["rule"]


def test_an_offer_of_the_users_words_says_that_the_code_changed(
    rum: Rum, repository: Repository, tmp_path: Path
):
    keep(rum)
    [folder] = (tmp_path / "home" / "projects").iterdir()
    rule = rum.rules.add("gate.py", "Never let gate.py:6-9 open without a key")
    store = rum._caller.project.store  # pyright: ignore[reportPrivateUsage]
    store.rules.put(replace(store.rules.get([rule.id])[0], source=USER))
    event = make_event(
        "before", tool="read", cwd=str(repository.root), files=[{"path": "gate.py", "operation": "read"}]
    )

    def offers() -> str:
        return " ".join(one.text for one in offers_for(event, str(folder), str(repository.root)))

    assert "Never let gate.py:6-9 open without a key" in offers()
    assert "ode changed since" not in offers()
    repository.write("gate.py", REWRITTEN)
    assert "Code changed since." in offers()


def test_an_agent_finds_and_confirms_what_went_stale_by_tools(repository: Repository, tmp_path: Path):
    with Rum.open(repository.root, home=tmp_path / "home", owner=False) as rum:
        kept = keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
        add_texts(rum)
        assert rum.call("list", {"stale": True}).code == "NO_RESULTS"
        repository.write("gate.py", REWRITTEN)
        answer = rum.call("list", {"stale": True})
        assert (answer.total, answer.memories, "still_true" in answer.hint) == (4, [], True)
        for one in answer.stale[0].memories:
            rum.call("feedback", {"id": one.id, "useful": True, "still_true": True})
        assert rum.call("list", {"stale": True}).total == 0
        assert fresh(rum, kept)[0] == "fresh"


def test_an_agent_corrects_supersedes_and_forgets_what_went_stale_by_tools(
    repository: Repository, tmp_path: Path
):
    with Rum.open(repository.root, home=tmp_path / "home", owner=False) as rum:
        old = [keep(rum, f"Refuse a key, way {number}", **about("gate.py:6-9")) for number in range(3)]
        repository.commit("Refuse an empty key", {"gate.py": REWRITTEN})
        answer = rum.call("list", {"stale": True})
        assert {one.since.subject for one in answer.stale[0].memories} == {"Refuse an empty key"}
        rum.call("update_memory", {"memory_id": old[0], "outcome": {"summary": "Refuses an empty key"}})
        rum.call("feedback", {"id": old[0], "useful": True, "still_true": True})
        new = keep(rum, "Refuse an empty key", **about("gate.py:6-9"))
        rum.call("link", {"source_id": new, "target_id": old[1], "link_type": "supersedes"})
        rum.call("forget", {"id": old[2]})
        assert rum.call("list", {"stale": True}).total == 0


def test_lists_of_the_page_offers_and_exports_say_how_fresh_memories_are(rum: Rum, repository: Repository):
    kept = keep(rum, "Refuse a missing key", actions=edited("gate.py"), **about("gate.py:6-9"))
    repository.write("gate.py", REWRITTEN)
    [entry] = rum.pages.timeline().items
    assert (entry.freshness, entry.code_at) == ("changed", "gate.py:6-9")
    rum._caller.project.store.activity.add_offers(  # pyright: ignore[reportPrivateUsage]
        [OfferRow("event", 0, kept, "claude-code", SESSION, "", "", "touching", 1.0, "")]
    )
    assert [one.freshness for one in rum.offers().offers] == ["changed"]
    lines = [json.loads(line) for line in rum.export()]
    assert [line["freshness"] for line in lines if line["kind"] == "memory"] == ["changed"]


def test_a_report_counts_what_went_stale(rum: Rum, repository: Repository):
    keep(rum, "Refuse a missing key", **about("gate.py:6-9"))
    assert rum.report().stale_memories == 0
    repository.write("gate.py", REWRITTEN)
    report = rum.report()
    assert report.stale_memories == 1
    assert "code that has changed since: 1. Run `rum verify`." in report.text


def test_an_offer_says_that_the_code_changed(rum: Rum, repository: Repository, tmp_path: Path):
    outcome = {"success": False, "summary": "Broke the door", "failure_reason": "the door jams"}
    edit = {"type": "file_edit", "file_path": "gate.py", "lines_affected": "6-9"}
    keep(rum, "Accept an empty key", outcome=outcome, actions=[edit])

    def offers() -> list[str]:
        event = make_event(
            "before", tool="read", cwd=str(repository.root), files=[{"path": "gate.py", "operation": "read"}]
        )
        [folder] = (tmp_path / "home" / "projects").iterdir()
        return [one.text for one in offers_for(event, str(folder), str(repository.root))]

    assert "the door jams" in offers()[0]
    assert "ode changed since" not in offers()[0]
    repository.write("gate.py", REWRITTEN)
    assert "Code changed since." in offers()[0]
