"""What is forgotten is in the trash: nothing answers from there; it comes back whole, or goes for good."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery, NotFound, PermissionDenied, Rum
from rum.app.memories.forget import KEPT
from rum.store.packed_vectors import pack
from support.builders import make_intent, make_outcome
from support.embedders import word_vector
from support.projects import Shop, edited, keep

DAY = 86400


def exported(rum: Rum) -> list[bytes]:
    return sorted(rum.export())


def anything(rum: Rum) -> list[Any]:
    """All that any question about the login answers."""
    offered = rum.brief(task="Fix the login", file="a.py").text
    return [
        *rum.recall(query="login", min_confidence=0, include_superseded=True).memories,
        *rum.list(limit=100).memories,
        *(line for line in rum.export() if b"login" in line),
        *([offered] if "login" in offered.replace("Fix the login", "") else []),
        *rum.tags(),
    ]


@pytest.fixture
def kept(rum: Rum) -> str:
    """A memory with everything that can belong to one."""
    cause = keep(rum, "The cause", "Found")
    one = keep(
        rum, "Fix the login", "Works", tags=["x"], actions=edited("a.py"), links={"caused_by": [cause]}
    )
    rum.update_memory(one, importance=0.7)
    keep(rum, "Later", "Done", links={"supersedes": one})
    rum.feedback(one, useful=True)
    rum.recall(query="login", include_superseded=True)
    rum.settle()
    return one


def test_a_restored_memory_is_what_it_was(rum: Rum, kept: str) -> None:
    before, history = exported(rum), rum.history(kept)
    answer = rum.forget(kept)
    assert answer.in_trash_until
    restored = rum.restore(kept[-8:])
    assert (restored.id, restored.kind, restored.restored) == (kept, "memory", True)
    assert exported(rum) == before
    assert rum.history(kept) == history
    assert rum.recall(file="a.py", include_superseded=True).memories[0].id == kept
    assert rum.recall(tags=["x"], include_superseded=True).memories[0].id == kept
    assert rum.trash.list() == []
    assert rum.doctor().problems == []


def test_nothing_answers_from_the_trash(rum: Rum) -> None:
    one = keep(rum, "Fix the login", "The login works", tags=["x"], actions=edited("a.py"))
    assert anything(rum)
    rum.forget(one)
    assert anything(rum) == []
    for call in (rum.show, rum.history, rum.trace, lambda id: rum.update_memory(id, importance=1)):
        with pytest.raises(NotFound, match="is in the trash: `rum restore"):
            call(one)
    with pytest.raises(NotFound):
        rum.link(one, keep(rum, "Another"), "related_to")


def test_its_vector_comes_back_and_missing_ones_are_queued(rum: Rum) -> None:
    one, store = keep(rum), rum._caller.store
    store.vectors.adopt("model-a", 1)
    store.vectors.put("model-a", [(one, 1, pack(word_vector("login", 64)))])
    rum.forget(one)
    assert store.vectors.nearest("model-a", word_vector("login", 64), 5).live == []
    store.vectors.adopt("model-b", 1)
    rum.restore(one)
    assert len(store.vectors.nearest("model-a", word_vector("login", 64), 5).live) == 1
    assert (store.vectors.counts("model-a").pending, store.vectors.counts("model-b").pending) == (0, 1)
    assert rum.doctor().problems == []


def test_links_between_two_in_the_trash_come_back_in_any_order(rum: Rum) -> None:
    for order in (0, 1):
        a = keep(rum, f"A {order}")
        b = keep(rum, f"B {order}", links={"supersedes": a})
        before = exported(rum)
        rum.forget(a)
        rum.forget(b)
        for one in (a, b) if order else (b, a):
            rum.restore(one)
        assert exported(rum) == before
        assert rum.show(a).superseded_by == (b,)


def test_an_import_does_not_bring_it_back_before_it_is_restored(rum: Rum) -> None:
    one = keep(rum)
    lines = list(rum.export())
    rum.forget(one)
    result = rum.import_lines(lines)
    assert (result.added, result.forgotten) == (0, 1)
    assert "left out: 1" in str(result.hint)
    rum.restore(one)
    assert rum.import_lines(lines).unchanged == 1


def test_the_same_after_it_was_deleted_for_good_and_an_import_can_lift_that(rum: Rum) -> None:
    one = keep(rum)
    lines = list(rum.export())
    rum.forget(one, now=True)
    assert rum.trash.list() == []
    assert rum.import_lines(lines).forgotten == 1
    result = rum.import_lines(lines, restore=True)
    assert (result.added, result.forgotten, result.restored) == (1, 0, 0)
    assert rum.show(one)


def test_importing_an_export_after_forgetting_everything_restores_everything(rum: Rum) -> None:
    keep_everything(rum)
    lines = list(rum.export())
    before = sorted(lines)
    for item in everything(rum):
        rum.forget(item[1], kind=item[0])
    result = rum.import_lines(lines)
    assert result.all_forgotten == len(before) - len(list(rum.export()))
    assert result.added == 0
    restored = rum.import_lines(lines, restore=True)
    assert restored.restored == result.all_forgotten
    assert restored.hint is not result.hint
    assert sorted(rum.export()) == before
    assert rum.trash.list() == []


def keep_everything(rum: Rum) -> None:
    keep_story(rum)
    rum.facts.set("db", "sqlite")
    rum.rules.add("deploy", "Ask first")
    rum.layers.append("episodic", {"content": "Something happened"})


def keep_story(rum: Rum) -> list[str]:
    """Memories, a chapter of them, and wisdom of that."""
    said = (
        "Cookies must be signed",
        "Sessions expire at midnight",
        "Proxies strip the header",
        "Tokens rotate",
    )
    ids = [
        rum.store(
            intent=make_intent(f"Login {n}"),
            outcome=make_outcome("It works", learnings=[text]),
            tags=["auth"],
        ).memory_id
        for n, text in enumerate(said)
    ]
    chapters = [rum.chapters.create(memory_ids=some).chapter_id for some in (ids, ids[1:])]
    rum.wisdom.synthesize(chapter_ids=chapters)
    return ids


def everything(rum: Rum) -> list[tuple[str, str]]:
    """The kind and id of all that can be forgotten, what is made of others first."""
    store = rum._caller.store
    groups = [("wisdom", one.id) for page in store.wisdom.pages() for one in page]
    groups += [("chapter", one.id) for page in store.chapters.pages() for one in page]
    memories = [("memory", one.id) for page in store.memories.pages() for one in page]
    facts = [("fact", fact.key) for fact in rum.facts.list()]
    rules = [("rule", rule.id) for rule in rum.rules.list()]
    events = [("event", event.id) for page in store.events.pages() for event in page]
    return [*groups, *memories, *facts, *rules, *events]


def test_a_fact_comes_back_with_its_history_unless_it_was_set_again(rum: Rum) -> None:
    rum.facts.set("db", "mysql")
    rum.facts.set("db", "sqlite")
    history = rum.facts.history("db")
    rum.facts.forget("db")
    assert (rum.facts.get("db"), rum.facts.forgotten("db")) == (None, True)
    rum.restore("db")
    assert (rum.facts.history("db"), rum.facts.forgotten("db")) == (history, False)
    rum.facts.forget("db")
    rum.facts.set("db", "postgres")
    with pytest.raises(InvalidQuery, match="A fact `db` is here already"):
        rum.restore("db")
    rum.facts.forget("db")
    assert rum.restore("db").label == "db = postgres", "the last forgotten one"
    assert [item.label for item in rum.trash.list()] == ["db = sqlite"]


def test_a_rule_comes_back_with_its_history(rum: Rum) -> None:
    rule = rum.rules.add("deploy", "Ask first")
    rum.rules.set(rule.id, "deploy|release", "Ask twice")
    before = exported(rum)
    rum.rules.forget(rule.id)
    assert rum.rules.list() == []
    assert rum.brief(task="deploy").text == ""
    rum.restore(rule.id)
    assert exported(rum) == before


def test_an_event_comes_back(rum: Rum) -> None:
    event = rum.layers.append("episodic", {"content": "The login broke"})
    before = exported(rum)
    rum.forget(event.id)
    assert rum.layers.search("episodic", "login") == []
    rum.restore(event.id)
    assert exported(rum) == before


def test_an_entry_of_a_note_comes_back_in_its_place(rum: Rum, shop: Shop) -> None:
    for number in range(3):
        rum.notes.add("Login", f"Statement number {number} about the login.", "login")
    file = shop.folder / ".rum" / "notes" / "login.md"
    before = file.read_bytes()
    for order in ((1,), (2,), (3,), (3, 2, 1), (1, 1, 1)):
        for n in order:
            rum.forget(f"login#{n}")
        for _ in order:
            item = rum.trash.list()[0]
            rum.restore(item.id)
        assert file.read_bytes() == before, order


def test_a_note_that_cannot_be_written_is_not_in_the_trash(
    rum: Rum, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    rum.notes.add("Login", "It is behind the proxy.", "login")

    def fail(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr("os.unlink", fail)
    with pytest.raises(Exception, match="read-only"):
        rum.forget("login#1")
    monkeypatch.undo()
    assert rum.trash.list() == []
    assert rum.notes.show("login")


def test_no_secret_of_a_note_gets_into_the_trash(rum: Rum, shop: Shop) -> None:
    rum.notes.add("Login", "It is behind the proxy.", "login")
    file = shop.folder / ".rum" / "notes" / "login.md"
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file.write_text(file.read_text() + f"\nThe token is {secret}.\n")
    rum.forget("login#1")
    assert secret.encode() not in rum._caller.store.trash.find("login#1")[0].data


def test_only_who_may_forget_may_restore(shop: Shop) -> None:
    with shop.open(agent="ann") as ann:
        one = keep(ann)
        ann.forget(one)
    with shop.open(agent="bob") as bob:
        for call in (bob.restore, bob.trash.empty):
            with pytest.raises(PermissionDenied):
                call(one)
    with shop.open(owner=True) as owner:
        assert owner.trash.list()[0].forgotten_by.startswith("agent_")
        owner.restore(one)


def test_after_thirty_days_it_is_deleted_for_good(shop: Shop) -> None:
    with shop.open(owner=True) as rum:
        one = keep(rum, "Fix the login")
        lines = list(rum.export())
        rum.feedback(one, useful=True)
        until = rum.forget(one).in_trash_until
        [item] = rum.trash.list()
        assert (item.id, item.kind, item.label, item.until) == (one, "memory", "Fix the login", until)
        shop.clock.forward(KEPT)
        rum.tidy(0)
        assert len(rum.trash.list()) == 1
        shop.clock.forward(1)
        rum.tidy(0)
        assert rum.trash.list() == []
        assert rum._caller.store.activity.usefulness([one]) == {}
        with pytest.raises(NotFound, match=r"no `.*` in the trash"):
            rum.restore(one)
        assert rum.import_lines(lines).forgotten == 1


def test_any_forgetting_deletes_what_has_expired(shop: Shop) -> None:
    with shop.open(owner=True) as rum:
        one, two = keep(rum, "One"), keep(rum, "Two")
        rum.forget(one)
        shop.clock.forward(KEPT + 1)
        rum.forget(two)
        assert [item.id for item in rum.trash.list()] == [two]


def test_emptying_deletes_some_or_all_for_good(rum: Rum) -> None:
    ids = [keep(rum, f"Task {n}") for n in range(3)]
    rum.facts.set("db", "sqlite")
    for one in (*ids, "db"):
        rum.forget(one)
    assert rum.trash.empty(ids[0]).removed == {"memories": 1}
    assert rum.trash.empty(kind="fact").deleted == 1
    assert [item.id for item in rum.trash.list(1)] == [ids[2]]
    assert rum.forget(ids[1], now=True).removed == {"memories": 1}
    assert rum.trash.empty().deleted == 1
    assert rum.trash.empty().deleted == 0
    with pytest.raises(NotFound):
        rum.trash.empty(ids[0])


def test_purging_what_is_in_the_trash_leaves_its_words_in_no_file(rum: Rum, shop: Shop) -> None:
    one = keep(rum, "xylophone", "quagmire", tags=["zeppelin"])
    rum.forget(one)
    assert rum.forget(one, purge=True).purged is True
    rum.close()
    for path in shop.home.rglob("*"):
        if path.is_file():
            assert not [
                word for word in (b"xylophone", b"quagmire", b"zeppelin") if word in path.read_bytes()
            ]


def test_a_restored_memory_is_in_its_chapter_and_wisdom_again(rum: Rum) -> None:
    ids = keep_story(rum)
    before = exported(rum)
    for forgotten in (ids[:1], ids[1:3], ids):
        for one in forgotten:
            rum.forget(one)
        assert exported(rum) != before
        for one in reversed(forgotten):
            rum.restore(one)
        assert exported(rum) == before, forgotten


def test_in_another_order_they_are_marked_for_a_refresh(rum: Rum) -> None:
    ids = keep_story(rum)
    for one in ids[:2]:
        rum.forget(one)
    assert rum.restore(ids[0]).renew
    rum.restore(ids[1])
    rum.refresh()
    assert {*ids[:2]} <= {
        one for page in rum._caller.store.chapters.pages() for group in page for one in group.memory_ids
    }


def test_the_tool_restores_too(rum: Rum) -> None:
    one = keep(rum)
    assert rum.call("forget", {"id": one}).forgotten
    assert rum.call("forget", {"id": one, "restore": True}).restored
    with pytest.raises(InvalidQuery, match="`restore` goes with"):
        rum.call("forget", {"id": one, "restore": True, "now": True})


def test_a_project_that_stores_nothing_has_an_empty_trash_and_is_not_created(shop: Shop) -> None:
    with shop.open(owner=True) as rum:
        assert rum.trash.list() == []
        assert not rum.project.exists
