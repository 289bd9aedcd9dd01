"""What goes with a forgotten memory, and what keeps it from coming back."""

from __future__ import annotations

import pytest

from rum import NotFound, Rum
from rum.store.records import Revision
from support.builders import make_intent, make_outcome
from support.projects import Shop, edited, keep


def test_a_memory_goes_with_all_that_hung_on_it(rum: Rum) -> None:
    other = keep(rum, "Other")
    kept = keep(rum, tags=["x"], actions=edited("a.py", "b.py"), links={"caused_by": [other]})
    rum.update_memory(kept, importance=0.7)
    answer = rum.forget(kept)
    assert (answer.id, answer.forgotten) == (kept, True)
    assert answer.removed == {"memories": 1, "files": 2, "links": 1, "versions": 1}
    for question in ({"query": "login"}, {"file": "a.py"}, {"tags": ["x"]}):
        assert rum.recall(**question).memories == []
    for call in (rum.show, rum.history, rum.trace, rum.forget):
        with pytest.raises(NotFound):
            call(kept)
    assert rum.show(other).links == {}
    assert rum.doctor().problems == []


def test_a_dry_run_tells_what_would_go_and_removes_nothing(rum: Rum) -> None:
    kept = keep(rum, actions=edited("a.py"))
    answer = rum.forget(kept, dry_run=True)
    assert (answer.forgotten, answer.removed["files"]) == (False, 1)
    assert rum.show(kept)
    assert rum.forget(kept).removed == answer.removed


def test_what_it_superseded_counts_again(rum: Rum) -> None:
    old = keep(rum, "Fix the login")
    new = keep(rum, "Fix the login better", links={"supersedes": old})
    rum.forget(new)
    [memory] = rum.recall(query="login").memories
    assert memory.id == old
    assert not memory.superseded_by


def test_a_memory_superseded_twice_stays_superseded_while_one_successor_remains(rum: Rum) -> None:
    old = keep(rum, "Fix the login")
    newer = [keep(rum, f"Gate {n}", links={"supersedes": old}) for n in range(2)]
    rum.forget(newer[0])
    assert rum.recall(query="login").memories == []
    assert rum.show(old).superseded_by == (newer[1],)


def test_it_does_not_come_back_by_an_import(rum: Rum) -> None:
    kept = keep(rum, tags=["x"])
    lines = list(rum.export())
    rum.forget(kept)
    result = rum.import_lines(lines)
    assert (result.added, result.forgotten) == (0, 1)
    assert rum.recall(tags=["x"]).memories == []


def test_nor_under_another_id(rum: Rum) -> None:
    kept = keep(rum)
    lines = [line.replace(kept.encode(), b"mem_other") for line in rum.export()]
    rum.forget(kept)
    assert rum.import_lines(lines).forgotten == 1


def test_nor_as_it_was_before_it_was_edited(rum: Rum) -> None:
    kept = keep(rum)
    lines = [line.replace(kept.encode(), b"mem_other") for line in rum.export()]
    rum.update_memory(kept, intent={"goal": "Another goal"}, outcome={"learnings": ["Something new"]})
    rum.update_memory(kept, tags=["x"])
    rum.forget(kept)
    assert rum.import_lines(lines).forgotten == 1


def test_a_version_that_cannot_be_read_does_not_keep_it_from_going(rum: Rum) -> None:
    kept = keep(rum)
    rum._caller.project.store.history.add(
        "memory", kept, Revision(0, 1, "agent_x", ('{"intent": "of another RUM"}',))
    )
    assert rum.forget(kept).removed["versions"] == 1


def test_but_it_may_be_stored_again(rum: Rum) -> None:
    rum.forget(keep(rum))
    again = keep(rum)
    assert [memory.id for memory in rum.recall(query="login").memories] == [again]


def test_purging_leaves_its_words_in_no_file(rum: Rum, shop: Shop) -> None:
    words = ("xylophone", "quagmire", "zeppelin", "bumblebee.py")
    draft = {"intent": make_intent(words[0]), "outcome": make_outcome(words[1]), "tags": [words[2]]}
    kept = rum.store(**draft, actions=edited(words[3])).memory_id
    rum.update_memory(kept, outcome={"learnings": [words[0]]})
    rum.recall(query=words[0])
    rum.settle()
    assert rum.forget(kept, purge=True).purged is True
    rum.close()
    for path in shop.home.rglob("*"):
        if path.is_file():
            assert not [word for word in (*words, kept) if word.encode() in path.read_bytes()], path
