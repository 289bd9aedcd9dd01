"""Links between the imported commits of a history."""

from __future__ import annotations

import pytest

from support.exports import links, memories
from support.projects import Shop
from support.repositories import START, Repository


@pytest.fixture
def repo(shop: Shop) -> Repository:
    return Repository(shop.folder)


def test_a_fix_leads_to_its_cause(repo: Repository, shop: Shop):
    cause = repo.commit("Open the gate", {"gate": "1"})
    repo.commit("Paint it", {"paint": "1"})
    repo.commit(f"Close it\n\nFixes: {cause[:12]}", {"gate": "2"})
    repo.commit(
        f"Paint again\n\nAs in {repo.git('rev-parse', 'HEAD~1')[:9]} (Paint it, 2025-06-05).", {"paint": "2"}
    )
    repo.commit(f"Pick\n\n(cherry picked from commit {cause})", {"pick": "1"})
    rum = shop.open()
    assert rum.import_git().links == 3
    related = {frozenset((a, b)) for a, kind, b in links(rum) if kind == "related_to"}
    assert related == {frozenset(("Paint again", "Paint it")), frozenset(("Pick", "Open the gate"))}
    assert {(a, b) for a, kind, b in links(rum) if kind == "caused_by"} == {("Close it", "Open the gate")}
    (node,) = rum.trace(memories(rum)["Close it"]["id"]).chain
    assert node.memory.intent.goal == "Open the gate"


def test_a_reverted_commit_has_failed(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n"})
    undo = repo.revert(bad, "All tests fail with it.")
    rum = shop.open()
    answer = rum.import_git()
    assert (answer.added, answer.failures) == (3, 1)
    outcome = memories(rum)["Open the gate"]["outcome"]
    assert outcome == {
        "success": False,
        "summary": f"{bad[:10]} by Ann: gate, +1 -1",
        "failure_reason": "All tests fail with it.",
        "failure_category": "test_failure",
    }
    undone, undoing = memories(rum)["Open the gate"], memories(rum)['Revert "Open the gate"']
    reason = "All tests fail with it."
    assert undone["reverted_by"] == {"id": undoing["id"], "commit": undo, "reason": reason}
    assert undone["origin"] == {"kind": "commit", "reference": bad}
    assert undoing["reverts"] == [{"id": undone["id"], "commit": bad}]
    assert links(rum) == {('Revert "Open the gate"', "caused_by", "Open the gate")}
    assert memories(rum)['Revert "Open the gate"']["outcome"]["success"]
    (found,) = rum.recall(file="gate", failures_only=True).memories
    assert found.intent.goal == "Open the gate"


def test_a_revert_of_some_of_a_commits_files_is_one_in_part(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n", "wall": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n", "wall": "1\n"})
    undo = repo.commit(f"Close it\n\nThis reverts commit {bad} in part.", {"gate": "0\n"})
    rum = shop.open()
    rum.import_git()
    undone, undoing = memories(rum)["Open the gate"], memories(rum)["Close it"]
    assert (undone["reverted_by"]["commit"], undone["reverted_by"]["in_part"]) == (undo, True)
    assert undoing["reverts"] == [{"id": undone["id"], "commit": bad, "in_part": True}]
    assert undone["version"] == 1
    assert rum.import_git().updated == 0


def test_a_later_revert_updates_the_memory_and_keeps_its_earlier_version(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n"})
    rum = shop.open()
    rum.import_git()
    known = memories(rum)["Open the gate"]["id"]
    repo.revert(bad, "It crashes.")
    answer = rum.import_git()
    assert (answer.added, answer.updated, answer.failures, answer.unchanged) == (1, 1, 1, 2)
    memory = memories(rum)["Open the gate"]
    assert (memory["id"], memory["version"], memory["outcome"]["failure_reason"]) == (known, 2, "It crashes.")
    old, new = rum.history(known)
    assert old.memory["outcome"]["success"] is True
    assert new.changed_by == "git"
    assert rum.import_git().updated == 0


def test_a_reverted_and_reapplied_commit_is_successful_again(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    good = repo.commit("Open the gate", {"gate": "1\n"})
    undo = repo.revert(good, "It crashes.")
    rum = shop.open()
    rum.import_git()
    before = memories(rum)["Open the gate"]
    repo.revert(undo, "It was the roof.")
    assert rum.import_git().updated == 2
    now = memories(rum)
    assert now["Open the gate"]["outcome"] == {
        "success": True,
        "summary": before["outcome"]["summary"],
    }
    assert (before["reverted_by"]["commit"], now["Open the gate"]["reverted_by"]) == (undo, None)
    assert now['Revert "Open the gate"']["outcome"]["failure_reason"] == "It was the roof."


def test_a_commit_reverted_twice_fails_for_the_last_reason(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n"})
    undo = repo.revert(bad, "It crashes.")
    rum = shop.open()
    rum.import_git()
    repo.revert(undo, "It was the roof.")
    last = repo.commit(
        f'Revert "Open the gate"\n\nThis reverts commit {bad}.\n\nIt is slow.', {"gate": "2\n"}
    )
    rum.import_git()
    memory = memories(rum)["Open the gate"]
    outcome = memory["outcome"]
    assert (outcome["success"], outcome["failure_reason"]) == (False, "It is slow.")
    assert memory["reverted_by"]["commit"] == last


def test_a_failure_set_by_a_person_stays_when_a_revert_is_reverted(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n"})
    rum = shop.open(owner=True)
    rum.import_git()
    known = memories(rum)["Open the gate"]["id"]
    said = {"success": False, "summary": "It never worked", "failure_reason": "The key was wrong"}
    rum.update_memory(known, outcome=said)
    repo.revert(repo.revert(bad, "It crashes."), "It was the roof.")
    rum.import_git()
    outcome = memories(rum)["Open the gate"]["outcome"]
    assert {name: outcome[name] for name in said} == said


def test_what_a_person_says_of_a_revert_stands(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    bad = repo.commit("Open the gate", {"gate": "1\n"})
    rum = shop.open(owner=True)
    rum.import_git()
    repo.revert(bad, "It crashes.")
    rum.import_git()
    known = memories(rum)["Open the gate"]["id"]
    rum.update_memory(known, outcome={"success": True, "summary": "It was right", "failure_reason": None})
    repo.commit("More", {"more": "1"})
    rum.import_git()
    assert rum.show(known).outcome.summary == "It was right"


def test_a_reverted_commit_of_a_bot_is_imported(repo: Repository, shop: Shop):
    repo.commit("Begin", {"deps": "0"})
    bumped = repo.commit("Bump left-pad", {"deps": "1"}, author="renovate[bot]")
    repo.revert(bumped, "It broke the build.")
    rum = shop.open()
    rum.import_git()
    assert memories(rum)["Bump left-pad"]["outcome"]["failure_category"] == "build_failure"


def test_links_are_made_when_the_second_end_arrives(repo: Repository, shop: Shop):
    cause = repo.commit("Cause", {"a": "1"})
    repo.commit(f"Effect\n\nFixes: {cause}", {"a": "2"})
    rum = shop.open()
    assert rum.import_git(max_commits=1).links == 0
    assert rum.import_git().links == 1
    assert links(rum) == {("Effect", "caused_by", "Cause")}


def test_a_rebased_commit_takes_the_place_of_what_it_was(repo: Repository, shop: Shop):
    base = repo.commit("Begin", {"a": "1"})
    repo.commit("Work", {"b": "1"})
    rum = shop.open()
    rum.import_git()
    repo.git("commit", "--quiet", "--amend", "-m", "Work, better told")
    repo.git("tag", "start", base)
    assert rum.import_git().rewritten == 1
    found = rum.recall(file="b").memories
    assert [memory.intent.goal for memory in found] == ["Work, better told"]
    assert len(rum.recall(file="b", include_superseded=True).memories) == 2


def test_another_branch_is_no_rewriting(repo: Repository, shop: Shop):
    base = repo.commit("Begin", {"a": "1"})
    work = repo.commit("Work", {"b": "1"})
    rum = shop.open()
    rum.import_git()
    repo.git("checkout", "--quiet", "-b", "side", base)
    repo.git("cherry-pick", "-x", work, GIT_COMMITTER_DATE=f"{START + 5000} +0000")
    answer = rum.import_git()
    assert (answer.added, answer.rewritten, answer.skipped) == (0, 0, {"copy": 1})
    assert len(rum.recall(file="b").memories) == 1


def test_work_reverted_in_part_by_its_words_has_not_failed(repo: Repository, shop: Shop):
    repo.commit("Begin", {"gate": "0\n"})
    work = repo.commit("Open the gate", {"gate": "1\n"})
    undo = repo.commit(f"Close it at night\n\nPartial revert of {work}, burglars came in.", {"gate": "2\n"})
    rum = shop.open()
    assert rum.import_git().failures == 0
    memory = memories(rum)["Open the gate"]
    assert memory["outcome"]["success"]
    assert (memory["reverted_by"]["commit"], memory["reverted_by"]["in_part"]) == (undo, True)
    assert "burglars" in memory["reverted_by"]["reason"]
    (line,) = [
        one for one in rum.recall(query="open the gate").memories if one.intent.goal == "Open the gate"
    ]
    assert f"; reverted in part by {undo[:10]}: Partial revert of" in line.full_summary
    assert f"reverted in part by {undo[:10]}" in rum.brief(task="open the gate").text


@pytest.mark.parametrize("at_once", [True, False])
def test_a_revert_without_an_id_is_recognised_by_what_it_undoes(repo: Repository, shop: Shop, at_once: bool):
    repo.commit("Begin", {"gate": "0\n", "wall": "0\n"})
    repo.commit("Open the gate", {"gate": "1\n"})
    repo.commit("Paint", {"wall": "1\n"})
    rum = shop.open()
    if not at_once:
        rum.import_git()
    repo.commit("Revert the gate change, it is not safe", {"gate": "0\n"})
    repo.commit("Revert to white", {"wall": "0\n"})
    rum.import_git()
    found = memories(rum)
    assert not found["Open the gate"]["outcome"]["success"]
    assert found["Paint"]["outcome"]["success"]
    assert found["Revert the gate change, it is not safe"]["reverts"][0]["id"] == found["Open the gate"]["id"]
