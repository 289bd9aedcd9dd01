"""How many notes an agent gets by its own YAML file, and whose a note is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum import PermissionDenied, Rum
from support.projects import Shop


def write(shop: Shop, name: str, text: str, folder: str = ".rum/agents") -> None:
    path: Path = shop.folder / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def full(rum: Rum) -> Rum:
    for importance in ("low", "medium", "high", "critical"):
        for n in range(3):
            rum.notes.add(f"{importance} {n}", "text", "auth", importance=importance, tags=[importance])
    return rum


def given(rum: Rum, agent: str | None = "developer") -> list[str]:
    return [one.id for one in rum.notes.match("auth", agent=agent).notes]


YAML = (
    'name: developer\nmemory:\n  maxInjected: 2           # a comment\n  minImportance: "high"\nother: [1]\n'
)


def test_the_yaml_form_is_read(full: Rum, shop: Shop):
    write(shop, "developer.yaml", YAML)
    assert given(full) == ["critical-0#1", "critical-1#1"]
    assert len(given(full, "tester")) == len(given(full, None)) == 5


@pytest.mark.parametrize("name", ["developer.yml", "Developer.yaml", "another-name.yaml"])
def test_a_file_is_known_by_its_name_or_the_name_in_it(full: Rum, shop: Shop, name: str):
    write(shop, "a-first.yaml", "memory: {maxInjected: 0}")
    write(shop, name, YAML)
    assert len(given(full)) == 2


def test_specialties_weigh(full: Rum, shop: Shop):
    write(shop, "developer.yaml", "memory:\n  specialties: [high]\n  maxInjected: 1\n")
    assert given(full) == ["high-0#1"]


@pytest.mark.parametrize("field", ["specialties", "capabilities"])
def test_what_an_agent_says_of_itself_weighs_too(full: Rum, field: str):
    full.identity("register", name="developer", **{field: ["high"]})  # pyright: ignore[reportArgumentType]
    assert given(full)[0] == given(full, None)[0] == "high-0#1"
    assert given(full, "tester")[0] == "critical-0#1"


def test_the_table_in_the_configuration_counts_where_both_speak(full: Rum, shop: Shop):
    write(shop, "developer.yaml", YAML)
    write(shop, "config.toml", "[agents.developer]\nmax_injected = 1\n", ".rum")
    assert given(shop.open()) == ["critical-0#1"]
    write(shop, "config.toml", "[agents.developer]\nmin_importance = 'low'\nmax_injected = 50\n", ".rum")
    assert len(given(shop.open())) == 12


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("memory: {maxInjected: many}", "whole number"),
        ("memory: {maxInjected: 51}", "whole number"),
        ("memory: {minImportance: urgent}", "one of low"),
        ("memory: {specialties: x}", "list of strings"),
        ("memory: [", "not valid YAML"),
        ("a: &x 1", "anchor"),
    ],
)
def test_invalid_settings_are_reported_and_ignored(full: Rum, shop: Shop, text: str, word: str):
    write(shop, "developer.yaml", text)
    found = full.notes.match("auth", agent="developer")
    assert len(found.notes) == 5
    told = (found.broken or [])[0]
    assert told.file == "developer.yaml"
    assert word in told.problem


@pytest.mark.parametrize("text", ["", "just text", "memory: none", "[1, 2]", "memory:\n"])
def test_other_yaml_says_nothing(full: Rum, shop: Shop, text: str):
    write(shop, "developer.yaml", text)
    assert len(given(full)) == 5


def test_the_folder_is_a_setting(full: Rum, shop: Shop, monkeypatch: pytest.MonkeyPatch):
    write(shop, "developer.yaml", YAML, ".rawko/agents")
    monkeypatch.setenv("RUM_AGENTS_DIR", ".rawko/agents")
    assert len(given(shop.open())) == 2
    monkeypatch.setenv("RUM_AGENTS_DIR", "")
    assert len(given(shop.open())) == 5


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
