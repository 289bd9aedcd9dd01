"""Whose a note is: the name of who wrote it, which is the same wherever an agent is named."""

from __future__ import annotations

import pytest

from rum import PermissionDenied, Rum
from support.projects import Shop


def noted(rum: Rum, title: str = "Auth module", content: str = "Use JWT in all of it.") -> str:
    return rum.notes.add(title, content, "auth|login").id


def discoverers(shop: Shop) -> list[str]:
    return [one.discovered_by for one in shop.open(owner=True).notes.list().notes]


def points(rum: Rum) -> float:
    (note,) = rum.notes.match("Change the login").notes
    return note.points["discoverer"]


@pytest.mark.parametrize("how", [{"agent": "planner"}, {"client": "codex"}, {}])
def test_an_agent_forgets_the_note_that_it_has_just_written(shop: Shop, how: dict[str, str]):
    rum = shop.open(**how)
    assert rum.notes.forget(noted(rum)).forgotten
    again = noted(rum, content="Keys are made anew each day.")
    assert shop.open(**how).notes.forget(again).forgotten


def test_an_agent_that_registered_itself_is_the_author_regardless_of_the_settings(shop: Shop):
    rum = shop.open(agent="lead")
    rum.identity("register", name="tester")
    noted(rum)
    assert discoverers(shop) == ["tester"]
    assert rum.notes.forget("auth-module#1").forgotten


@pytest.mark.parametrize("other", [{"agent": "tester"}, {"client": "cursor"}])
def test_another_one_does_not(shop: Shop, other: dict[str, str]):
    noted(shop.open(client="codex"))
    noted(shop.open(**other), "Other", "Something else is here.")
    with pytest.raises(PermissionDenied):
        shop.open(**other).notes.forget("auth-module#1")


def test_a_client_is_not_taken_for_the_agent_of_its_name(shop: Shop):
    noted(shop.open(agent="codex", client="cli"))
    unnamed = shop.open(client="codex")
    noted(unnamed, "Other", "Something else is here.")
    with pytest.raises(PermissionDenied):
        unnamed.notes.forget("auth-module#1")


def test_an_agent_without_a_name_is_called_as_its_client_everywhere(shop: Shop):
    rum = shop.open(client="codex", session="monday")
    rum.identity("register")
    noted(rum)
    assert discoverers(shop) == ["codex"]
    assert points(rum) == 10
    shop.open(agent="tester", session="monday").journal().discovery("code_pattern", "Not theirs")
    journal = rum.journal()
    assert journal.agent == "codex"
    journal.discovery("code_pattern", "Theirs")
    assert "Theirs" in rum.brief(task="Change the login").text
    assert "Not theirs" not in rum.brief(task="Change the login").text


def test_no_file_holds_the_id_of_an_agent(shop: Shop):
    rum = shop.open(client="codex", session="monday")
    agent_id = rum.identity("register").agent_id
    noted(rum)
    rum.journal().discovery("code_pattern", "Theirs")
    files = [path for path in (shop.folder / ".rum").rglob("*") if path.is_file()]
    assert len(files) >= 2
    assert [path for path in files if agent_id in path.read_text()] == []


def test_a_person_is_no_agent(shop: Shop):
    owner = shop.open(owner=True)
    noted(owner)
    assert discoverers(shop) == ["owner"]
    assert points(owner) == 0
    assert owner.agents() == []
