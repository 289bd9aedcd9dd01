"""Facts: known to all agents of a project, corrected by any of them, with a history; forgotten for good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, NotFound, PermissionDenied, Rum
from support.builders import NOON
from support.projects import Shop


def test_a_fact_is_known_to_every_agent(shop: Shop) -> None:
    ann = shop.open(agent="ann")
    fact = ann.facts.set("dataset-format", "CSV with headers")
    assert (fact.key, fact.value, fact.version, fact.created_at) == (
        "dataset-format",
        "CSV with headers",
        1,
        NOON,
    )
    assert fact.timestamp == NOON * 1000
    assert shop.open(agent="bob").facts.get("dataset-format") == fact
    assert fact.agent_id == ann.identity("info").agent_id


def test_an_unknown_key_is_nothing_to_get_and_an_error_to_show(rum: Rum) -> None:
    rum.facts.set("Dataset-Format", "CSV")
    assert rum.facts.get("dataset-fromat") is None
    with pytest.raises(NotFound, match="Did you mean `Dataset-Format`") as caught:
        rum.facts.show("dataset-fromat")
    assert caught.value.details["nearest"] == "Dataset-Format"
    with pytest.raises(NotFound, match="No fact `zzz`"):
        rum.facts.history("zzz")


def test_a_wrong_key_gets_the_nearest_one_wherever_a_key_may_stand(rum: Rum) -> None:
    rum.facts.set("session-length", "12 hours")
    rum.notes.add("Release steps", "Tag first.", "release")
    near = "Did you mean `session-length`"
    with pytest.raises(NotFound, match=near) as caught:
        rum.forget("sesion-length", kind="fact")
    assert caught.value.details["nearest"] == "session-length"
    with pytest.raises(NotFound, match=near):
        rum.forget("sesion-length")
    with pytest.raises(NotFound, match=near):
        rum.feedback("sesion-length", useful=True)
    with pytest.raises(NotFound, match="Did you mean `release-steps`"):
        rum.feedback("release-step", useful=True)
    with pytest.raises(NotFound) as unlike:
        rum.forget("zzz", kind="fact")
    assert "characters" not in unlike.value.message
    with pytest.raises(NotFound, match="last 8 characters, or the key of a fact"):
        rum.forget("zzz")


def test_earlier_values_of_a_fact_are_its_history(shop: Shop) -> None:
    rum, owner = shop.open(agent="ann"), shop.open(owner=True)
    rum.facts.set("port", "80")
    shop.clock.forward(60)
    owner.facts.set("port", "8080")
    shop.clock.forward(60)
    now = rum.facts.set("port", "443")
    assert (now.version, now.created_at, now.updated_at) == (3, NOON, NOON + 120)
    ann, person = rum.identity("info").agent_id, owner.identity("info").agent_id
    told = [
        (one.version, one.value, one.changed_at, one.changed_by, one.current)
        for one in rum.facts.history("port")
    ]
    assert told == [
        (1, "80", NOON, ann, False),
        (2, "8080", NOON + 60, person, False),
        (3, "443", NOON + 120, ann, True),
    ]


def test_learning_the_same_again_says_that_it_still_holds(shop: Shop) -> None:
    rum = shop.open()
    rum.facts.set("port", "80")
    shop.clock.forward(60)
    again = rum.facts.set("port", "80")
    assert (again.version, again.updated_at, again.timestamp) == (1, NOON + 60, (NOON + 60) * 1000)
    assert len(rum.facts.history("port")) == 1


def test_facts_are_listed_by_prefix_the_one_changed_last_first(shop: Shop) -> None:
    rum = shop.open()
    for key in ("db.host", "ci", "db.port"):
        rum.facts.set(key, "x")
        shop.clock.forward(1)
    rum.facts.set("db.host", "y")
    assert [fact.key for fact in rum.facts.list()] == ["db.host", "db.port", "ci"]
    assert [fact.key for fact in rum.facts.list("db.", limit=1)] == ["db.host"]
    with pytest.raises(InvalidQuery, match="limit"):
        rum.facts.list(limit=0)


@pytest.mark.parametrize(
    ("key", "value"),
    [("", "x"), ("  ", "x"), ("a\nb", "x"), ("k" * 201, "x"), (5, "x"), ("k", 5), ("k", None)],
)
def test_what_is_no_fact_is_refused(rum: Rum, key: Any, value: Any) -> None:
    with pytest.raises(InvalidQuery):
        rum.facts.set(key, value)
    assert rum.facts.list() == []
    assert rum.agents() == []


def test_any_agent_corrects_a_fact_and_who_did_is_known(shop: Shop) -> None:
    ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
    ann.facts.set("port", "80")
    shop.clock.forward(60)
    corrected = bob.facts.set("port", "443")
    assert (corrected.value, corrected.version, corrected.updated_at) == ("443", 2, NOON + 60)
    assert ann.facts.get("port") == corrected
    by = [(one.value, one.changed_by) for one in ann.facts.history("port")]
    assert by == [("80", ann.identity("info").agent_id), ("443", bob.identity("info").agent_id)]


def test_any_agent_confirms_a_fact(shop: Shop) -> None:
    ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
    ann.facts.set("port", "80")
    shop.clock.forward(60)
    again = bob.facts.set("port", "80")
    assert (again.version, again.updated_at) == (1, NOON + 60)
    assert [one.changed_by for one in bob.facts.history("port")] == [ann.identity("info").agent_id]


def test_a_subagent_of_another_corrects_a_fact_too(shop: Shop) -> None:
    shop.open(agent="ann").facts.set("port", "80")
    child = shop.open()
    parent = shop.open().identity("register", name="lead").agent_id
    child.identity("register", type="subagent", parent_id=parent)
    assert child.facts.set("port", "443").version == 2


def test_correcting_a_fact_gives_no_right_to_forget_it(shop: Shop) -> None:
    shop.open(agent="ann").facts.set("port", "80")
    bob = shop.open(agent="bob")
    bob.facts.set("port", "443")
    for change in (
        lambda: bob.facts.forget("port"),
        lambda: bob.forget("port", dry_run=True),
        lambda: bob.layers.clear("semantic"),
    ):
        with pytest.raises(PermissionDenied, match="belongs to"):
            change()
    assert shop.open(agent="ann").facts.forget("port").removed == {"facts": 1, "versions": 1}


def test_an_imported_fact_may_be_changed_and_forgotten_by_a_main_agent(shop: Shop) -> None:
    shop.open(agent="ann").facts.set("port", "80")
    elsewhere = shop.open(home=shop.home.parent / "elsewhere", agent="bob")
    elsewhere.import_lines(shop.open().export())
    assert elsewhere.facts.set("port", "443").version == 2
    assert elsewhere.facts.forget("port").forgotten


def test_an_imported_fact_that_somebody_corrected_is_still_for_a_main_agent_to_forget(
    shop: Shop, tmp_path: Path
) -> None:
    (tmp_path / "semantic.json").write_text('[["port", {"key": "port", "value": "80"}]]')
    lead = shop.open(agent="lead")
    lead.import_layers(tmp_path)
    child = shop.open()
    child.identity("register", type="subagent", parent_id=lead.identity("info").agent_id)
    child.facts.set("port", "443")
    bob = shop.open(agent="bob")
    bob.facts.set("host", "localhost")
    assert bob.facts.forget("port").forgotten


@pytest.mark.parametrize("way", ["facts", "forget", "forget a fact"])
def test_a_forgotten_fact_goes_with_its_history_and_no_import_brings_it_back(shop: Shop, way: str) -> None:
    rum = shop.open()
    rum.facts.set("port", "80")
    rum.facts.set("port", "443")
    exported = list(rum.export())
    tried = rum.forget("port", dry_run=True)
    assert (tried.forgotten, tried.removed) == (False, {"facts": 1, "versions": 1})
    if way == "facts":
        result = rum.facts.forget("port")
    else:
        result = rum.forget("port", kind="fact" if way == "forget a fact" else None)
    assert (result.id, result.forgotten, result.removed) == ("port", True, {"facts": 1, "versions": 1})
    assert rum.facts.get("port") is None
    assert rum.facts.forgotten("port")
    layers = rum.import_lines(exported).layers
    assert layers
    assert (layers.added, layers.forgotten) == (0, 1)
    assert rum.facts.list() == []
    assert rum.facts.set("port", "1").version == 1


def test_a_purged_fact_is_in_no_file(shop: Shop) -> None:
    rum = shop.open()
    rum.facts.set("xylophone", "quagmire")
    rum.facts.set("xylophone", "zeppelin")
    assert rum.forget("xylophone", purge=True).purged is True
    rum.close()
    for path in shop.home.rglob("*"):
        if path.is_file():
            assert not [
                word for word in (b"xylophone", b"quagmire", b"zeppelin") if word in path.read_bytes()
            ]


def test_an_id_of_both_a_fact_and_an_event_needs_the_kind(rum: Rum) -> None:
    rum.facts.set("entry-1", "x")
    rum.layers.append("episodic", {"id": "entry-1", "content": "It happened"})
    with pytest.raises(InvalidQuery, match="fact entry-1 or event entry-1"):
        rum.forget("entry-1")
    with pytest.raises(InvalidQuery, match="one of memory"):
        rum.forget("entry-1", kind="poem")
    assert rum.forget("entry-1", kind="event").removed == {"events": 1}
    assert rum.forget("entry-1").removed == {"facts": 1, "versions": 0}


def test_a_secret_is_judged_by_the_key_it_stands_under(rum: Rum) -> None:
    assert rum.facts.set("db_password", "hunter2-Xk9!pQ").value == "[REDACTED:password]"
