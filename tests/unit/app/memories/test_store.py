"""Storing, updating and linking."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, NotFound, Rum
from support.builders import NOON, make_draft
from support.projects import Shop, edited, keep


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *who, *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


@pytest.fixture
def checkout(shop: Shop) -> Shop:
    """A real repository with one commit in which `src/a.py` stands."""
    git(shop.folder, "init", "--quiet")
    (shop.folder / "src").mkdir()
    (shop.folder / "src" / "a.py").write_text("print('a')\n")
    git(shop.folder, "add", ".")
    git(shop.folder, "commit", "--quiet", "-m", "first")
    return shop


def blob(text: str) -> str:
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def nothing_kept(rum: Rum) -> bool:
    return rum.summary()["memories"] == 0


class TestStore:
    def test_a_memory_carries_who_when_and_in_which_session(self, shop: Shop) -> None:
        rum = shop.open(agent="ann", session="session-7")
        shop.clock.forward(5)
        stored = rum.store(**make_draft())
        memory = rum.show(stored.memory_id)
        assert (memory.created_at, memory.session_id) == (NOON + 5, "session-7")
        assert memory.agent_id == rum.identity("info", agent_id="ann").agent_id
        assert (memory.version, memory.updated_at, memory.importance) == (1, None, 0.5)
        assert stored.stored_at == NOON + 5

    def test_files_come_back_sorted_and_relative(self, rum: Rum, shop: Shop) -> None:
        stored = rum.store(
            **make_draft(
                actions=edited(str(shop.folder / "z.py"), "b/a.py"),
                perception={"observations": [{"what": "x", "where": "c.py:12"}]},
            )
        )
        assert stored.indexed_files == ["b/a.py", "c.py", "z.py"]

    def test_commit_branch_and_content_are_recorded(self, checkout: Shop) -> None:
        rum = checkout.open()
        memory = rum.show(keep(rum, actions=edited("src/a.py", "src/new.py")))
        assert memory.commit == git(checkout.folder, "rev-parse", "HEAD")
        assert memory.branch == "main"
        assert isinstance(memory.files, tuple)
        assert {file.path: file.content_hash for file in memory.files} == {
            "src/a.py": git(checkout.folder, "hash-object", "src/a.py"),
            "src/new.py": None,
        }

    def test_a_file_that_was_changed_but_not_committed_is_hashed_as_it_is(self, checkout: Shop) -> None:
        (checkout.folder / "src" / "a.py").write_text("print('b')\n")
        rum = checkout.open()
        memory = rum.show(keep(rum, actions=edited("src/a.py")))
        assert isinstance(memory.files, tuple)
        assert memory.files[0].content_hash == blob("print('b')\n")

    def test_without_a_repository_there_is_no_commit(self, rum: Rum) -> None:
        memory = rum.show(keep(rum, actions=edited("a.py")))
        assert (memory.commit, memory.branch) == (None, None)

    def test_tags_are_kept_once_and_in_order(self, rum: Rum) -> None:
        assert rum.show(keep(rum, tags=["b", "a", "b"])).tags == ("b", "a")

    def test_links_are_made_with_the_memory(self, rum: Rum) -> None:
        old = keep(rum)
        links = {"caused_by": [old], "related_to": old, "blocked_by": [old[-8:]]}
        new = keep(rum, "Later", links=links)
        assert rum.show(new).links == {"blocked_by": old, "caused_by": [old], "related_to": [old]}
        assert rum.show(old).links == {"blocks": [new], "led_to": [new], "related_to": [new]}

    @pytest.mark.parametrize(
        "wrong",
        [
            {"links": {"caused_by": ["mem_00000000000000000000000000"]}},
            {"tags": [1]},
            {"importance": 3},
            {"actions": [{"type": "file_edit", "file_path": "a", "details": {"file_path": "b"}}]},
            {"actions": edited("a\0b")},
            {"unknown": 1},
        ],
    )
    def test_what_is_refused_changes_nothing(self, rum: Rum, wrong: dict[str, Any]) -> None:
        with pytest.raises((InvalidQuery, NotFound)):
            rum.call("store", make_draft(**wrong))
        assert nothing_kept(rum)
        assert rum.agents() == []
        assert rum.store(**make_draft()).identity.action == "registered"  # type: ignore[union-attr]

    def test_half_a_character_is_cut_off(self, rum: Rum) -> None:
        kept = rum.call("store", make_draft("Cut an emoji \ud83d", "Whole \ud83d\ude00", tags=["a\udc00"]))
        memory = rum.show(kept.memory_id)  # type: ignore[attr-defined]
        assert (memory.intent.goal, memory.outcome.summary) == ("Cut an emoji ", "Whole 😀")
        assert memory.tags == ("a",)

    def test_near_duplicates_are_named_and_not_merged(self, rum: Rum) -> None:
        old = keep(rum, "Fix JWT token expiry causing logout", "Refresh works")
        keep(rum, "Write the manual", "Done")
        stored = rum.store(**make_draft("Fix JWT token expiry causing logouts", "Refresh works again"))
        assert isinstance(stored.similar, list)
        assert [one.id for one in stored.similar] == [old]
        assert 0.6 <= stored.similar[0].likeness <= 1
        assert rum.summary()["memories"] == 3

    def test_a_memory_unlike_all_others_has_no_similar(self, rum: Rum) -> None:
        keep(rum, "Fix JWT token expiry", "Refresh works")
        assert not rum.store(**make_draft("Paint the fence", "It is green")).similar


class TestUpdate:
    def test_id_and_creation_stay_and_the_update_is_dated(self, rum: Rum, shop: Shop) -> None:
        kept = keep(rum)
        shop.clock.forward(60)
        answer = rum.update_memory(kept, tags=["x"])
        assert (answer.memory_id, answer.updated_at) == (kept, NOON + 60)
        assert (answer.memory.id, answer.memory.created_at) == (kept, NOON)
        assert (answer.memory.updated_at, answer.memory.version) == (NOON + 60, 2)
        assert answer.memory == rum.show(kept)

    def test_words_and_files_are_found_as_they_are_now(self, rum: Rum) -> None:
        kept = keep(rum, "Fix the login", actions=edited("old.py"), tags=["old"])
        rum.update_memory(kept, intent={"goal": "Repair the gate"}, actions=edited("new.py"), tags=["new"])
        for old in ({"query": "login"}, {"file": "old.py"}, {"tags": ["old"]}):
            assert rum.recall(**old).memories == []
        for new in ({"query": "gate"}, {"file": "new.py"}, {"tags": ["new"]}):
            assert [memory.id for memory in rum.recall(**new).memories] == [kept]

    def test_links_are_added_and_never_removed(self, rum: Rum) -> None:
        one, two, kept = keep(rum, "One"), keep(rum, "Two"), keep(rum, "Three")
        rum.update_memory(kept, links={"caused_by": [one]})
        answer = rum.update_memory(kept, links={"caused_by": [two]})
        assert answer.memory.links == {"caused_by": sorted([one, two])}
        rum.update_memory(kept, links=None, tags=["x"])
        assert rum.show(kept).links == {"caused_by": sorted([one, two])}

    def test_the_answer_tells_how_often_the_memory_was_used(self, rum: Rum) -> None:
        kept = keep(rum)
        rum.show(kept)
        rum.settle()
        assert rum.update_memory(kept, tags=["x"]).memory.access_count == 1

    def test_a_file_keeps_the_content_it_had_when_it_was_first_named(self, checkout: Shop) -> None:
        rum = checkout.open()
        kept = keep(rum, actions=edited("src/a.py"))
        (checkout.folder / "src" / "a.py").write_text("print('later')\n")
        (checkout.folder / "src" / "b.py").write_text("print('new')\n")
        memory = rum.update_memory(kept, actions=edited("src/a.py", "src/b.py")).memory
        assert isinstance(memory.files, tuple)
        assert {file.path: file.content_hash for file in memory.files} == {
            "src/a.py": blob("print('a')\n"),
            "src/b.py": blob("print('new')\n"),
        }

    def test_paths_mean_the_same_from_wherever_it_is_updated(self, checkout: Shop) -> None:
        kept = keep(checkout.open(agent="ann"), actions=edited("a.py"))
        inside = checkout.open(agent="ann", path=checkout.folder / "src")  # in which there is an a.py
        memory = inside.update_memory(kept, tags=["x"]).memory
        assert isinstance(memory.files, tuple)
        assert [file.path for file in memory.files] == ["a.py"]

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({}, "memory_id"),
            ({"outcome": {"summary": None}}, "outcome.summary"),
            ({"intent": None}, "intent"),
            ({"outcome": {"lernings": ["x"]}}, "outcome.lernings"),
            ({"created_at": 1}, "created_at"),
            ({"intent": {"task_type": "x"}}, "intent.task_type"),
        ],
    )
    def test_what_is_refused_changes_nothing(self, rum: Rum, changes: Any, field: str) -> None:
        kept = keep(rum)
        with pytest.raises(InvalidQuery) as caught:
            rum.update_memory(kept, **changes)
        assert caught.value.details["field"] == field
        assert len(rum.history(kept)) == 1

    def test_a_bad_link_undoes_the_whole_update(self, rum: Rum) -> None:
        kept = keep(rum)
        with pytest.raises(NotFound):
            rum.update_memory(kept, tags=["x"], links={"caused_by": ["mem_00000000000000000000000000"]})
        assert (rum.show(kept).tags, rum.show(kept).version) == ((), 1)

    def test_an_id_is_needed(self, rum: Rum) -> None:
        with pytest.raises(InvalidQuery, match="memory_id"):
            rum.call("update_memory", {"tags": ["x"]})


class TestLink:
    def test_the_same_edge_twice_is_there_already(self, rum: Rum) -> None:
        one, other = keep(rum, "One"), keep(rum, "Other")
        first = rum.link(one, other, "caused_by")
        assert first.created
        for again in (rum.link(one, other, "caused_by"), rum.link(other, one, "led_to")):
            assert (again.created, again.link_id) == (False, first.link_id)

    def test_a_symmetric_link_is_one_from_both_ends(self, rum: Rum) -> None:
        one, other = keep(rum, "One"), keep(rum, "Other")
        first, second = rum.link(one, other, "related_to"), rum.link(other, one, "related_to")
        assert (first.created, second.created) == (True, False)
        assert first.link_id == second.link_id

    def test_both_ends_show_it(self, rum: Rum) -> None:
        one, other = keep(rum, "One"), keep(rum, "Other")
        rum.link(one, other, "caused_by")
        both = rum.recall(since=0, include_links=True).memories
        assert {memory.id: memory.links for memory in both} == {
            one: {"caused_by": [other]},
            other: {"led_to": [one]},
        }
        assert all(not memory.links for memory in rum.recall(since=0).memories)

    @pytest.mark.parametrize("kind", ["caused_by", "led_to", "related_to", "supersedes", "blocked_by"])
    def test_a_memory_is_not_linked_to_itself(self, rum: Rum, kind: str) -> None:
        kept = keep(rum)
        with pytest.raises(InvalidQuery, match="itself"):
            rum.link(kept, kept[-8:], kind)

    def test_an_unknown_end_is_not_found(self, rum: Rum) -> None:
        kept = keep(rum)
        for ends in ((kept, "mem_00000000000000000000000000"), ("nope", kept)):
            with pytest.raises(NotFound):
                rum.link(*ends, "related_to")

    def test_a_circle_of_replacements_is_refused(self, rum: Rum) -> None:
        one, two, three = (keep(rum, name) for name in ("One", "Two", "Three"))
        rum.link(two, one, "supersedes")
        rum.link(three, two, "supersedes")
        with pytest.raises(InvalidQuery, match="circle"):
            rum.link(one, three, "supersedes")
        assert not rum.show(three).superseded_by

    def test_anybody_may_link(self, shop: Shop) -> None:
        ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
        one, other = keep(ann, "One"), keep(ann, "Other")
        assert bob.link(one, other, "related_to").created
