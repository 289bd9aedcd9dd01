"""Several machines share one memory through a bare remote or a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from rum import Rum
from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.model.ids import new_id
from rum.model.memory import Origin, OriginKind
from rum.repo.shared_ref import SharedRef
from support.repositories import Repository
from support.teams import Machine, Team


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    for name in list(os.environ):
        if name.startswith("RUM_"):
            monkeypatch.delenv(name)
    with ExitStack() as opened:
        yield Team(tmp_path, opened)


def test_what_one_machine_stores_the_others_receive(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    kept = ann.keep("Fix the login", tags=["auth"])
    assert ann.sync().sent == {"memory": 1}
    received = bob.sync()
    assert received.received == {"memory": 1}
    assert bob.rum.show(kept).intent.goal == "Fix the login"
    again = bob.sync()
    assert (again.received, again.sent) == ({}, {})
    assert (ann.sync().received, ann.shared()) == ({}, bob.shared())


def test_many_large_files_are_read_from_the_ref(team: Team, tmp_path: Path):
    remote = tmp_path / "large.git"
    team.git("init", "--bare", "--quiet", str(remote))
    ref = SharedRef(str(tmp_path / "own.git"), str(remote), None)
    written = [(f"folder/{number}.json", b"%d " % number * 50_000) for number in range(50)]
    state = ref.publish(None, written, (), message="Add", sign=False)
    assert list(ref.read(state, [path for path, _ in written])) == written
    with pytest.raises(StorageError, match="lacks folder/none"):
        list(ref.read(state, ["folder/1.json", "folder/none", "folder/2.json"]))


def test_a_work_tree_and_its_repository_are_not_touched(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")

    def state(machine: Machine) -> tuple[str, ...]:
        git = Repository(machine.clone).git
        return git("status", "--porcelain"), git("for-each-ref"), git("count-objects", "-v")

    before = state(ann), state(bob)
    ann.keep("Fix the login")
    ann.sync()
    bob.sync()
    assert (state(ann), state(bob)) == before
    assert team.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", "refs/rum/memory"]


def test_what_was_reverted_before_the_first_sync_is_shared(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    repository = Repository(ann.clone)
    repository.commit("Keep users logged in for a day", {"token.py": "ttl = 86400"})
    reason = f"This reverts commit {repository.head()}.\n\nThe security tests allow one hour."
    repository.commit(f"Restore the short lifetime\n\n{reason}", {"token.py": "ttl = 3600"})
    ann.rum.import_git()
    ann.sync()
    bob.sync()
    [there], [here] = (
        one.rum.recall(file="token.py", failures_only=True, depth="outcome").memories for one in (ann, bob)
    )
    assert here.reverted_by
    assert here.reverted_by == there.reverted_by


def test_links_facts_rules_and_chapters_are_shared(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    first, second = ann.keep("Change the schema", tags=["db"]), ann.keep("Fix the import", tags=["db"])
    third = ann.keep("Test the import", tags=["db"])
    ann.rum.link(second, first, "caused_by")
    ann.rum.facts.set("database", "PostgreSQL 15")
    ann.rum.rules.add("migration", "Run the tests on a copy first")
    ann.rum.chapters.create(memory_ids=[first, second, third], title="The schema")
    ann.sync()
    bob.sync()
    assert [one.memory.id for one in bob.rum.trace(second).chain] == [first]
    assert [fact.value for fact in bob.rum.facts.list()] == ["PostgreSQL 15"]
    assert [rule.action for rule in bob.rum.rules.list()] == ["Run the tests on a copy first"]
    assert bob.rum.chapters.list().chapters[0].title == "The schema"
    assert ann.shared() == bob.shared()


def test_of_two_edits_the_later_one_is_in_force_and_both_are_kept(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    kept = ann.keep("Fix the login")
    ann.sync()
    bob.sync()
    team.clock.forward(10)
    ann.rum.update_memory(kept, outcome={"summary": "by Ann"})
    team.clock.forward(10)
    bob.rum.update_memory(kept, outcome={"summary": "by Bob"})
    ann.sync()
    assert bob.sync().conflicts == 1
    assert ann.sync().conflicts == 1
    assert ann.shared() == bob.shared()
    for machine in (ann, bob):
        versions = [one.memory["outcome"]["summary"] for one in machine.rum.history(kept)]
        assert versions == ["Done: Fix the login", "by Ann", "by Bob"]
        (item,) = machine.rum.review.list()
        assert (item.kind, item.id, item.proposed_by) == ("memory", kept, "sync")
    ann.rum.review.accept(kept)
    assert ann.rum.show(kept).outcome.summary == "by Ann"
    ann.sync()
    assert (bob.sync().conflicts, bob.rum.show(kept).outcome.summary) == (0, "by Ann")
    assert bob.rum.review.list() == []
    assert ann.shared() == bob.shared()


def test_an_edit_after_both_are_known_is_no_conflict(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    kept = ann.keep("Fix the login")
    ann.sync()
    bob.sync()
    bob.rum.update_memory(kept, outcome={"summary": "by Bob"})
    bob.sync()
    assert ann.sync().conflicts == 0
    ann.rum.update_memory(kept, outcome={"summary": "by Ann"})
    ann.rum.update_memory(kept, outcome={"summary": "by Bob"})  # the same words again
    ann.sync()
    assert bob.sync().conflicts == 0
    assert [one.memory["outcome"]["summary"] for one in bob.rum.history(kept)] == [
        "Done: Fix the login",
        "by Bob",
        "by Ann",
        "by Bob",
    ]


def test_facts_and_rules_in_conflict(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.rum.facts.set("port", "80")
    rule = ann.rum.rules.add("deploy", "Ask first")
    ann.sync()
    bob.sync()
    team.clock.forward(5)
    ann.rum.facts.set("port", "8080")
    ann.rum.rules.set(rule.id, "deploy", "Ask Ann first")
    team.clock.forward(5)
    bob.rum.facts.set("port", "443")
    ann.sync()
    assert bob.sync().conflicts == 1
    ann.sync()
    assert ann.shared() == bob.shared()
    assert [fact.value for fact in ann.rum.facts.list()] == ["443"]
    assert [rule.action for rule in bob.rum.rules.list()] == ["Ask Ann first"]
    bob.rum.review.accept("port")
    bob.sync()
    ann.sync()
    assert [fact.value for fact in ann.rum.facts.list()] == ["8080"]


def test_what_is_forgotten_is_forgotten_everywhere_and_stays_so(team: Team):
    ann, bob, cem = team.machine("ann"), team.machine("bob"), team.machine("cem")
    kept, other = ann.keep("Fix the login"), ann.keep("Paint the shed")
    ann.sync()
    bob.sync()
    cem.sync()
    cem.rum.update_memory(kept, outcome={"summary": "edited at the same time"})
    ann.rum.forget(kept)
    assert ann.sync().buried == {"memory": 1}
    assert bob.sync().forgotten == {"memory": 1}
    assert cem.sync().forgotten == {"memory": 1}
    for machine in (ann, bob, cem, ann):
        machine.sync()
        assert machine.goals() == {"Paint the shed"}
    assert "login" not in team.git("ls-tree", "-r", "refs/rum/memory")
    assert [item.id for item in bob.rum.trash.list()] == [kept]
    bob.rum.restore(kept)  # by Bob's own decision it stays with him
    bob.sync()
    ann.sync()
    assert bob.goals() == {"Fix the login", "Paint the shed"}
    assert ann.goals() == {"Paint the shed"}
    assert other


def test_a_fact_can_be_learned_again_after_it_was_forgotten(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.rum.facts.set("port", "80")
    ann.sync()
    bob.sync()
    team.clock.forward(5)
    ann.rum.facts.forget("port")
    ann.sync()
    assert bob.sync().forgotten == {"fact": 1}
    team.clock.forward(5)
    bob.rum.facts.set("port", "443")
    bob.sync()
    ann.sync()
    assert [fact.value for fact in bob.rum.facts.list()] == ["443"]
    assert [fact.value for fact in ann.rum.facts.list()] == ["443"]


def test_by_default_nothing_is_sent(team: Team):
    ann, bob = team.machine("ann", "none"), team.machine("bob")
    ann.keep("Mine alone")
    answer = ann.sync()
    assert answer.sent == {}
    assert "`share` is none" in str(answer.note)
    bob.keep("For all")
    bob.sync()
    assert ann.sync().received == {"memory": 1}
    assert bob.sync().received == {}
    ann.set_share("all")
    assert ann.sync().sent == {"memory": 1}
    assert bob.sync().received["memory"] == 1


def test_only_tagged_memories_leave(team: Team):
    ann, bob = team.machine("ann", "tagged:team"), team.machine("bob")
    shared, own = ann.keep("For all", tags=["team"]), ann.keep("Mine alone")
    ann.rum.link(shared, own, "caused_by")
    ann.rum.facts.set("port", "80")
    answer = ann.sync()
    assert (answer.sent["memory"], answer.kept_local) == (1, 2)
    bob.sync()
    assert bob.goals() == {"For all"}
    assert bob.rum.facts.list() == []
    assert own not in str(bob.shared())


def test_kept_leaves_out_what_was_captured_and_nobody_has_accepted(team: Team):
    ann, bob = team.machine("ann", "kept"), team.machine("bob")
    stored, seen = ann.keep("Fix the login"), new_id("memory")
    project = ann.rum._project
    captured = replace(project.memory(stored), id=seen, origin=Origin(OriginKind.TURN, "turn-1"))
    goal = replace(captured.intent, goal="Look around")
    with project.store.transaction():
        project.store.memories.add(replace(captured, intent=goal))
    ann.rum.link(stored, seen, "caused_by")
    answer = ann.sync()
    assert (answer.sent, answer.kept_local) == ({"memory": 1}, 1)
    bob.sync()
    assert bob.goals() == {"Fix the login"}
    assert seen not in team.git("grep", "--no-color", "-h", "", "refs/rum/memory")
    (ann.home / "config.toml").write_text('share = "kept"\nembedder = "none"\nreview = "first"\n')
    ann.rum = ann._opened.enter_context(Rum.open(ann.clone, home=ann.home, clock=team.clock, owner=True))
    assert ann.sync().sent["memory"] == 1
    bob.sync()
    assert bob.goals() == {"Fix the login", "Look around"}
    assert [one.memory.id for one in bob.rum.trace(stored).chain] == [seen]


def test_secrets_paths_of_the_machine_and_output_do_not_leave(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    action = {
        "type": "command_run",
        "command": "make",
        "result": {"success": True, "output_summary": "compiled in 3 s on ann-laptop"},
    }
    kept = ann.keep("Build it", actions=[action, {"type": "file_read", "file_path": "/etc/hosts"}])
    # As an earlier version of RUM, which did not know this kind of secret, would have stored it.
    with ann.rum._project.store.transaction():
        memory = ann.rum._project.memory(kept)
        leaked = replace(memory, outcome=replace(memory.outcome, summary="ghp_" + "a1B2" * 9))
        ann.rum._project.store.memories.replace(leaked)
    ann.sync()
    bob.sync()
    text = str(bob.shared())
    assert "ghp_" not in text
    assert "ann-laptop" not in text
    assert "/etc/hosts" not in str(bob.rum.show(kept).files)
    assert "ghp_" not in team.git("grep", "--no-color", "-h", "", "refs/rum/memory")
    assert ann.sync().sent == bob.sync().sent == {}


def test_a_remote_that_takes_nothing_is_read(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.keep("Fix the login")
    ann.sync()
    bob.keep("Mine")
    hook = team.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not for you >&2\nexit 1\n")
    hook.chmod(0o755)
    answer = bob.sync()
    assert answer.received["memory"] == 1
    assert (answer.can_send, answer.sent) == (False, {})
    assert "not for you" in str(answer.note)
    hook.unlink()
    assert bob.sync().sent == {"memory": 1}


def test_a_remote_that_cannot_be_reached_changes_nothing(team: Team):
    ann = team.machine("ann")
    ann.keep("Fix the login")
    team.remote.rename(team.folder / "away")
    with pytest.raises(StorageError, match="Nothing is lost"):
        ann.sync()
    (team.folder / "away").rename(team.remote)
    assert ann.sync().sent == {"memory": 1}


def test_a_ref_that_was_rewritten_or_deleted_is_filled_again(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.keep("Fix the login")
    ann.sync()
    bob.sync()
    first = team.git("rev-parse", "refs/rum/memory")
    kept = bob.keep("Paint the shed")
    bob.rum.update_memory(kept, outcome={"summary": "Blue"})
    bob.sync()
    team.git("update-ref", "refs/rum/memory", first)
    ann.keep("Water the plants")
    ann.sync()
    bob.sync()
    ann.sync()
    assert ann.goals() == bob.goals() == {"Fix the login", "Paint the shed", "Water the plants"}
    team.git("update-ref", "-d", "refs/rum/memory")
    bob.sync()
    new = team.machine("cem")
    new.sync()
    assert new.shared() == bob.shared() == ann.shared()


def test_two_histories_of_the_ref_are_united(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.keep("Fix the login")
    ann.sync()
    team.git("update-ref", "-d", "refs/rum/memory")
    bob.keep("Paint the shed")
    bob.sync()
    ann.sync()
    bob.sync()
    assert ann.goals() == bob.goals() == {"Fix the login", "Paint the shed"}


def test_a_dry_run_says_what_would_move_and_moves_nothing(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.keep("Fix the login")
    assert ann.sync(dry_run=True).sent == {"memory": 1}
    assert team.git("for-each-ref", "refs/rum") == ""
    ann.sync()
    bob.keep("Paint the shed")
    answer = bob.sync(dry_run=True)
    assert (answer.received["memory"], answer.sent) == (1, {"memory": 1})
    assert bob.goals() == {"Paint the shed"}


def test_a_shared_folder_does_the_same_without_git(team: Team):
    shared = team.folder / "shared"
    shared.mkdir()
    ann, bob = team.machine("ann"), team.machine("bob")
    kept = ann.keep("Fix the login")
    ann.sync(str(shared))
    bob.sync(str(shared))
    team.clock.forward(5)
    ann.rum.update_memory(kept, outcome={"summary": "by Ann"})
    bob.rum.update_memory(kept, outcome={"summary": "by Bob"})
    ann.sync(str(shared))
    assert bob.sync(str(shared)).conflicts == 1
    ann.sync(str(shared))
    assert ann.shared() == bob.shared()
    bob.rum.forget(kept)
    bob.sync(str(shared))
    assert ann.sync(str(shared)).forgotten == {"memory": 1}
    assert [path for path in shared.rglob("*.json") if "memory" in path.parts] == []


def test_tidy_syncs_where_that_is_automatic(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    ann.sync(auto=True)
    bob.sync(auto=True)
    ann.keep("Fix the login")
    assert ann.rum.tidy().synced == 1
    bob.rum.tidy()
    assert bob.goals() == {"Fix the login"}
    ann.sync(auto=False)
    ann.keep("Paint the shed")
    assert not ann.rum.tidy().synced
    assert bob.sync().received == {}


def test_errors_say_what_is_wrong(team: Team, tmp_path: Path):
    ann = team.machine("ann")
    with pytest.raises(InvalidQuery, match=r"no remote `upstream`\. It has: origin"):
        ann.sync(remote="upstream")
    with pytest.raises(NotFound, match="There is no folder"):
        ann.sync(str(tmp_path / "nowhere"))
    with pytest.raises(InvalidQuery, match="`with` or `remote`"):
        ann.sync("x", remote="origin")
    plain = tmp_path / "plain"
    plain.mkdir()
    with Rum.open(plain, home=ann.home) as rum, pytest.raises(InvalidQuery, match="no git repository"):
        rum.sync()


def test_files_that_are_no_items_are_ignored_and_newer_ones_tried_again(team: Team):
    ann, bob = team.machine("ann"), team.machine("bob")
    kept = ann.keep("Fix the login")
    ann.sync()
    tree = team.folder / "tree"
    team.origin.git("fetch", "--quiet", str(team.remote), "refs/rum/memory:refs/heads/shared")
    team.origin.git("worktree", "add", "--quiet", str(tree), "shared")
    work = Repository(tree)
    (path,) = (tree / "memory").rglob("*.json")
    content = json.loads(path.read_text())
    content["body"]["smell"] = "of roses"
    path.write_text(json.dumps(content))
    work.commit("Hostile and new", {"memory/0/0/evil.json": "{", "README": "hello"})
    work.git("push", "--quiet", str(team.remote), "HEAD:refs/rum/memory")
    answer = bob.sync()
    assert (answer.received.get("memory"), answer.skipped) == (None, 1)
    del content["body"]["smell"]
    path.write_text(json.dumps(content))
    work.commit("As before")
    work.git("push", "--quiet", str(team.remote), "HEAD:refs/rum/memory")
    assert bob.sync().received["memory"] == 1
    assert bob.rum.show(kept).intent.goal == "Fix the login"
