"""A repository's history as memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum import InvalidQuery, Rum
from support.builders import NOON
from support.exports import memories
from support.projects import Shop, keep
from support.repositories import START, Repository, lines

SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.fixture
def repo(shop: Shop) -> Repository:
    return Repository(shop.folder)


def agents(rum: Rum) -> dict[str, str]:
    """Agents' ids by their names."""
    return {str(agent.name): agent.agent_id for agent in rum.agents()}


def test_a_commit_becomes_a_memory_of_all_five_layers_that_it_knows(repo: Repository, shop: Shop):
    repo.commit("Begin", {"src/http/gate.py": lines("def open():", *range(30)), "old.py": "1\n"})
    sha = repo.commit(
        "feat(gate): close at night\n\nBurglars came in.\n\nSigned-off-by: Bob <b@example.org>\nCloses #12\n",
        {"src/http/gate.py": lines("def open():", *range(28), "close()", 29), "old.py": None},
        author="Bob",
    )
    rum = shop.open()
    answer = rum.import_git()
    assert (answer.added, answer.unchanged, answer.skipped, answer.notes) == (2, 0, {}, [])
    memory = memories(rum)["feat(gate): close at night"]
    assert memory["intent"] == {
        "goal": "feat(gate): close at night",
        "task_type": "feature_add",
        "context": "Burglars came in.",
    }
    assert memory["outcome"] == {"success": True, "summary": f"{sha[:10]} by Bob: 2 files, +1 -2; closes #12"}
    assert memory["tags"] == ["gate", "http"]
    assert memory["actions"] == [
        {
            "type": "file_delete",
            "timestamp": START + 60,
            "details": {"file_path": "old.py"},
            "result": None,
        },
        {
            "type": "file_edit",
            "timestamp": START + 60,
            "details": {
                "file_path": "src/http/gate.py",
                "lines_affected": "30",
                "diff_summary": "in open",
            },
            "result": None,
        },
    ]
    blob = repo.git("hash-object", "src/http/gate.py")
    assert memory["files"] == [
        {"path": "old.py", "operation": "delete"},
        {"path": "src/http/gate.py", "operation": "edit", "content_hash": blob},
    ]
    assert (memory["commit"], memory["created_at"], memory["imported_at"]) == (sha, START + 60, NOON)
    assert memory["agent_id"] == agents(rum)["Bob"]
    assert memory["importance"] < 0.5


def test_it_is_found_like_any_other_memory(repo: Repository, shop: Shop):
    repo.commit("Close the gate at night", {"src/gate.py": "1\n"})
    rum = shop.open()
    rum.import_git()
    for question in ({"file": "src/gate.py"}, {"query": "gate night"}):
        found = rum.recall(**question, min_confidence=0.0).memories
        assert [memory.intent.goal for memory in found] == ["Close the gate at night"]


def test_a_second_import_brings_only_what_is_new(repo: Repository, shop: Shop):
    repo.commit("one", {"a": "1"})
    rum = shop.open()
    rum.import_git()
    before = list(rum.export())
    shop.clock.forward(100)
    again = rum.import_git()
    assert (again.added, again.unchanged, again.links) == (0, 1, 0)
    assert list(rum.export()) == before
    repo.commit("two", {"a": "2"})
    more = rum.import_git()
    assert (more.added, more.unchanged) == (1, 1)
    assert list(memories(rum)) == ["one", "two"]


def test_commits_of_one_second_stay_in_order(repo: Repository, shop: Shop):
    goals = [f"step {number}" for number in range(12)]
    for goal in goals:
        repo.commit(goal, {"a": goal}, at=START)
    rum = shop.open()
    rum.import_git()
    assert list(memories(rum)) == goals


def test_one_authors_commits_of_a_day_are_a_session(repo: Repository, shop: Shop):
    noon = START - START % 86400 + 43200
    told = [("a", "Ann", noon), ("b", "Ann", noon + 3600), ("c", "Bob", noon), ("d", "Ann", noon + 86400)]
    for name, author, at in told:
        repo.commit(name, {name: "1"}, author=author, at=at)
    rum = shop.open()
    rum.import_git()
    sessions = {goal: memory["session_id"] for goal, memory in memories(rum).items()}
    assert sessions["a"] == sessions["b"]
    assert len(set(sessions.values())) == 3


def test_noise_is_left_out_and_counted(repo: Repository, shop: Shop):
    base = repo.commit("Begin", {"a": "1"})
    repo.git("checkout", "--quiet", "-b", "side", base)
    repo.commit("On the side", {"side": "1"})
    repo.git("checkout", "--quiet", "main")
    repo.merge("side")
    repo.commit("Bump left-pad", {"deps": "1"}, author="dependabot[bot]")
    repo.commit("Bump version to 1.2.3", {"setup.py": "1.2.3"})
    repo.commit("Lock", {"poetry.lock": "1"})
    repo.commit("Run again")
    rum = shop.open()
    answer = rum.import_git()
    assert answer.skipped == {"bot": 1, "empty": 1, "lock_file": 1, "merge": 1, "release": 1}
    assert set(memories(rum)) == {"Begin", "On the side"}
    assert rum.import_git().skipped == {}


def test_secrets_and_addresses_stay_outside(repo: Repository, shop: Shop):
    repo.commit("Begin", {"a": "1"})
    bad = repo.commit(f"Use {SECRET}\n\nlogin with {SECRET}", {f"{SECRET}.txt": f"{SECRET}\n"}, author=SECRET)
    repo.revert(bad, f"{SECRET} is out")
    rum = shop.open()
    rum.import_git()
    for file in (shop.home / "projects").rglob("*.db*"):
        assert SECRET.encode() not in file.read_bytes()
        assert b"example.org" not in file.read_bytes()
    assert sum("[REDACTED:" in goal for goal in memories(rum)) == 2


def test_what_was_forgotten_does_not_come_back(repo: Repository, shop: Shop):
    repo.commit("Keep", {"a": "1"})
    repo.commit("Forget", {"b": "1"})
    rum = shop.open(owner=True)
    rum.import_git()
    rum.forget(memories(rum)["Forget"]["id"])
    assert rum.import_git().added == 0
    again = rum.import_git(paths=".")  # reads everything once more
    assert (again.added, again.forgotten) == (0, 1)
    assert list(memories(rum)) == ["Keep"]


def forgotten(repo: Repository, shop: Shop) -> Rum:
    """A memory in which a commit was imported and forgotten."""
    repo.commit("Begin", {"a": "1"})
    repo.commit("Forget\n\nIt is private.", {"b": "1"})
    rum = shop.open(owner=True)
    rum.import_git()
    rum.forget(memories(rum)["Forget"]["id"])
    return rum


def test_nor_when_it_was_rebased(repo: Repository, shop: Shop):
    rum = forgotten(repo, shop)
    before = repo.head()
    repo.git("commit", "--quiet", "--amend", "--no-edit", GIT_COMMITTER_DATE=f"{START + 5000} +0000")
    assert repo.head() != before
    answer = rum.import_git()
    assert (answer.added, answer.forgotten) == (0, 1)
    assert list(memories(rum)) == ["Begin"]


def test_nor_when_it_was_rebased_and_changed_something_else_as_well(repo: Repository, shop: Shop):
    rum = forgotten(repo, shop)
    repo.write("c", "1")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--amend", "-m", "Forget")
    assert rum.import_git().forgotten == 1


def test_nor_when_it_was_edited_before_and_rebased_after(repo: Repository, shop: Shop):
    repo.commit("Begin", {"a": "1"})
    repo.commit("Forget\n\nIt is private.", {"b": "1"})
    rum = shop.open(owner=True)
    rum.import_git()
    private = memories(rum)["Forget"]["id"]
    rum.update_memory(private, intent={"goal": "Say it otherwise"})
    rum.update_memory(private, intent={"goal": "Say it a third way"}, tags=["private"])
    rum.forget(private)
    repo.git("commit", "--quiet", "--amend", "--no-edit", GIT_COMMITTER_DATE=f"{START + 5000} +0000")
    answer = rum.import_git()
    assert (answer.added, answer.forgotten) == (0, 1)
    assert list(memories(rum)) == ["Begin"]


def test_but_other_work_does(repo: Repository, shop: Shop):
    rum = forgotten(repo, shop)
    at = START + 60
    repo.commit("Another goal in the same second", {"b": "2"}, at=at)
    repo.commit("Forget", {"b": "3"}, at=at, author="Bob")
    repo.commit("Forget", {"b": "4"}, at=at + 1)
    assert rum.import_git().added == 3


def test_nor_in_an_export_of_another_machine(repo: Repository, shop: Shop, tmp_path: Path):
    rum = forgotten(repo, shop)
    repo.git("commit", "--quiet", "--amend", "--no-edit", GIT_COMMITTER_DATE=f"{START + 5000} +0000")
    elsewhere = shop.open(home=tmp_path / "elsewhere")
    elsewhere.import_git()
    answer = rum.import_lines(list(elsewhere.export()))
    assert (answer.added, answer.forgotten) == (0, 1)


def test_a_very_large_commit_is_kept_in_part_and_says_so(repo: Repository, shop: Shop):
    repo.commit("Begin", {f"f{number:03}.py": lines(*range(number)) for number in range(1, 131)})
    rum = shop.open()
    assert rum.import_git().cut == 1
    memory = memories(rum)["Begin"]
    assert len(memory["actions"]) == len(memory["files"]) == 100
    assert "130 files" in memory["outcome"]["summary"]
    assert "the 100 largest kept here" in memory["outcome"]["summary"]


def test_a_commit_without_a_message_is_described_by_its_files(repo: Repository, shop: Shop):
    repo.commit("", {"a.py": "1", "b.py": "1"})
    rum = shop.open()
    rum.import_git()
    assert list(memories(rum)) == ["Add a.py and 1 more"]


def test_a_clock_that_was_ahead_makes_no_memory_of_tomorrow(repo: Repository, shop: Shop):
    repo.commit("From tomorrow", {"a": "1"}, at=NOON + 10**6)
    rum = shop.open()
    rum.import_git()
    assert memories(rum)["From tomorrow"]["created_at"] == NOON


def test_a_memory_stored_at_a_commit_is_not_the_commit(repo: Repository, shop: Shop):
    repo.commit("Commit", {"a": "1"})
    rum = shop.open()
    keep(rum, "Stored")
    assert rum.import_git().added == 1
    assert set(memories(rum)) == {"Stored", "Commit"}


def test_an_author_is_an_agent_that_nobody_can_be(repo: Repository, shop: Shop):
    repo.commit("one", {"a": "1"}, author="Ann Lee")
    repo.commit("two", {"a": "2"}, author="ann  lee")
    repo.commit("three", {"a": "3"}, author="a/b@example.org")
    rum = shop.open(agent="worker")
    keep(rum, "Mine")
    rum.import_git()
    assert set(agents(rum)) == {"worker", "Ann Lee", "a-b"}
    with pytest.raises(InvalidQuery, match="imported author"):
        rum.identity("resume", name="Ann Lee")


def test_the_agent_active_last_is_listed_first(repo: Repository, shop: Shop):
    for number, author in enumerate(("Ann", "Bob", "Cy", "Ann")):
        repo.commit(f"c{number}", {"a": str(number)}, author=author)
    rum = shop.open()
    rum.import_git()
    assert list(agents(rum)) == ["Ann", "Cy", "Bob"]


def test_a_name_that_is_taken_gets_a_tail(repo: Repository, shop: Shop):
    repo.commit("one", {"a": "1"}, author="developer")
    rum = shop.open(agent="developer")
    keep(rum, "Mine")
    rum.import_git()
    first, second = sorted(agents(rum))
    assert first == "developer"
    assert second.startswith("developer-")


def test_an_export_and_an_import_of_the_same_history_agree(repo: Repository, shop: Shop):
    cause = repo.commit("one", {"a": "1"})
    repo.commit(f"two\n\nFixes: {cause}", {"a": "2"})
    rum = shop.open()
    rum.import_git()
    elsewhere = shop.open(home=shop.home.parent / "elsewhere")
    elsewhere.import_lines(rum.export())
    answer = elsewhere.import_git()
    assert (answer.added, answer.unchanged, answer.links) == (0, 2, 0)


def test_a_dry_run_writes_nothing(repo: Repository, shop: Shop):
    repo.commit("one", {"a": "1"})
    rum = shop.open()
    answer = rum.import_git(dry_run=True)
    assert (answer.added, answer.dry_run) == (1, True)
    assert memories(rum) == {}


def test_a_dry_run_says_what_a_run_would_add_and_leave_out(repo: Repository, shop: Shop):
    repo.commit("Begin", {"a": "1"})
    repo.commit("Forgotten", {"a": "2"})
    rum = shop.open(owner=True)
    rum.import_git()
    rum.forget(memories(rum)["Forgotten"]["id"])
    repo.commit("v1.0", {"a": "3"})
    repo.commit("Nothing")
    repo.commit("Lock", {"poetry.lock": "1"})
    repo.commit("Work", {"a": "4"})
    would, did = rum.import_git(dry_run=True), rum.import_git()
    assert (would.added, would.unchanged, would.forgotten) == (1, 1, 0)
    assert would.skipped == {"empty": 1, "lock_file": 1, "release": 1}
    assert (did.added, did.unchanged, did.forgotten, did.skipped) == (1, 1, 0, would.skipped)


@pytest.mark.parametrize("length", [7, 10, 12, 40])
@pytest.mark.parametrize("strategy", ["auto", "exact"])
def test_a_commit_is_found_by_its_id(repo: Repository, shop: Shop, length: int, strategy: str):
    sha = repo.commit("Open the gate", {"a": "1"})
    repo.commit(f"Mend it\n\nFollow-up to {sha}", {"a": "2"})
    rum = shop.open()
    rum.import_git()
    keep(rum, f"Stored where {sha} is talked about")
    for asked in (sha[:length], sha[:length].upper()):
        answer = rum.recall(query=asked, strategy=strategy)
        assert answer.query_strategy_used.startswith("exact")
        certain = [one.intent.goal for one in answer.memories if one.confidence == 1]
        assert certain == ["Open the gate"] == [answer.memories[0].intent.goal]


def test_an_id_that_no_commit_has_is_never_found_by_meaning(repo: Repository, shop: Shop):
    repo.commit("Open the gate", {"a": "1"})
    rum = shop.open()
    rum.import_git()
    rum.tidy()
    for question in ({"query": "0" * 9 + "f"}, {"query": "0" * 39 + "f", "strategy": "semantic"}):
        assert rum.recall(**question, min_confidence=0).memories == []


def test_a_rewritten_commit_is_found_by_its_old_id(repo: Repository, shop: Shop):
    old = repo.commit("Open the gate", {"a": "1"})
    rum = shop.open()
    rum.import_git()
    repo.git("commit", "--quiet", "--amend", "-m", "Open the gate")
    repo.git("reflog", "expire", "--expire=now", "--all")
    assert rum.import_git().rewritten == 1
    assert rum.recall(query=old).confidence == 1


def test_progress_is_reported_until_the_end(repo: Repository, shop: Shop):
    for number in range(3):
        repo.commit(f"c{number}", {"a": str(number)})
    told: list[tuple[int, int]] = []
    shop.open().import_git(progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 0), (0, 3), (3, 3)]


def test_a_commit_is_found_by_the_pull_request_that_brought_it_in(repo: Repository, shop: Shop):
    repo.commit("Begin", {"a": "1"})
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit("Add a lock", {"b": "1"})
    repo.git("checkout", "--quiet", "main")
    repo.commit("Paint (#43324)", {"c": "1"})
    repo.git(
        "merge",
        "--no-ff",
        "-m",
        "Merge pull request #43325 from ann/gate\n\nClose at night\n\nBurglars.",
        "side",
    )
    rum = shop.open()
    rum.import_git()
    assert (
        memories(rum)["Add a lock"]["intent"]["context"] == "Pull request #43325: Close at night\n\nBurglars."
    )
    for number, goal in (("#43325", "Add a lock"), ("#43324", "Paint (#43324)")):
        assert [one.intent.goal for one in rum.recall(query=number).memories] == [goal]
