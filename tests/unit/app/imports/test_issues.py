"""Exported issues as memories."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rum import InvalidQuery, Rum
from support.builders import NOON
from support.exports import links, memories
from support.projects import Shop
from support.repositories import Repository

SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


def issue(number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "number": number,
        "title": f"Gate {number} is open",
        "body": "Burglars came in.",
        "state": "OPEN",
        "author": {"login": "ann"},
        "createdAt": "2024-01-02T03:04:05Z",
        "labels": [{"name": "bug"}],
        "comments": [],
        **more,
    }


def comment(body: str, login: str = "bob") -> dict[str, Any]:
    return {"author": {"login": login}, "body": body}


def closed(number: int = 1, **more: Any) -> dict[str, Any]:
    return issue(number, state="CLOSED", stateReason="COMPLETED", **more)


def take(rum: Rum, *issues: dict[str, Any]) -> Any:
    return rum.import_issues(json.dumps(issues).encode())


def test_a_closed_issue_is_work_that_was_done(rum: Rum):
    take(rum, closed(comments=[comment("I saw it too", "cy"), comment("Closed it.\nReally.")]))
    memory = memories(rum)["Gate 1 is open"]
    assert memory["intent"]["task_type"] == "bug_fix"
    assert memory["intent"]["context"] == "Burglars came in."
    assert memory["outcome"] == {"success": True, "summary": "#1 closed: Closed it. Really."}
    assert memory["perception"]["observations"] == [
        {"what": "I saw it too", "significance": "said by cy"},
        {"what": "Closed it.\nReally.", "significance": "said by bob"},
    ]
    assert memory["tags"] == ["issue", "bug"]
    assert (memory["created_at"], memory["imported_at"]) == (1704164645, NOON)
    assert [agent.name for agent in rum.agents()] == ["ann"]


def test_an_open_issue_is_still_to_be_done(rum: Rum):
    take(rum, issue())
    outcome = memories(rum)["Gate 1 is open"]["outcome"]
    assert outcome == {
        "success": False,
        "summary": "#1 is still open",
        "follow_up_needed": ["Resolve #1"],
    }


def test_an_open_issue_is_nothing_that_was_tried_in_vain(rum: Rum):
    take(rum, issue())
    text = rum.brief(task="Close gate 1, which is open").text
    assert "Gate 1 is open" in text
    assert "Failed Before" not in text
    take(rum, closed())
    assert memories(rum)["Gate 1 is open"]["tags"] == ["issue", "bug"]


def test_an_issue_that_nobody_will_do_has_failed(rum: Rum):
    take(rum, closed() | {"stateReason": "NOT_PLANNED", "comments": [comment("Gates are out of scope.")]})
    outcome = memories(rum)["Gate 1 is open"]["outcome"]
    assert outcome["success"] is False
    assert outcome["summary"] == "#1 closed as not planned: Gates are out of scope."
    assert outcome["failure_reason"] == "Gates are out of scope."


def test_the_same_export_changes_nothing(rum: Rum, shop: Shop):
    take(rum, issue(1), closed(2))
    before = list(rum.export())
    shop.clock.forward(60)
    answer = take(rum, issue(1), closed(2))
    assert (answer.added, answer.unchanged) == (0, 2)
    assert list(rum.export()) == before


def test_an_issue_that_went_on_is_brought_up_to_date(rum: Rum):
    take(rum, issue())
    answer = take(rum, closed(comments=[comment("Done.")]))
    assert (answer.added, answer.updated) == (0, 1)
    memory = memories(rum)["Gate 1 is open"]
    assert (memory["version"], memory["outcome"]["success"]) == (2, True)
    assert take(rum, closed(comments=[comment("Done."), comment("Thanks!")])).updated == 1


def test_what_somebody_changed_here_stays(shop: Shop):
    rum = shop.open(owner=True)
    take(rum, issue())
    rum.update_memory(memories(rum)["Gate 1 is open"]["id"], outcome={"summary": "We know better"})
    assert take(rum, closed()).different == 1
    assert memories(rum)["Gate 1 is open"]["outcome"]["summary"] == "We know better"


def test_what_was_forgotten_stays_forgotten(shop: Shop):
    rum = shop.open(owner=True)
    take(rum, issue())
    rum.forget(memories(rum)["Gate 1 is open"]["id"])
    assert take(rum, issue()).forgotten == 1
    assert memories(rum) == {}


def test_pull_requests_and_bots_are_left_out(rum: Rum):
    answer = take(
        rum,
        issue(1, pull_request={}),
        issue(2, author={"login": "renovate[bot]"}),
        issue(3, author={"login": "helper", "is_bot": True}),
        issue(4),
    )
    assert (answer.added, answer.skipped) == (1, {"bot": 2, "pull_request": 1})


def test_issues_that_speak_of_each_other_are_linked(rum: Rum):
    answer = take(rum, issue(1, body="Like #2, not a#3 and not #99"), issue(2), issue(3))
    assert answer.links == 1
    ((one, kind, other),) = links(rum)
    assert ({one, other}, kind) == ({"Gate 1 is open", "Gate 2 is open"}, "related_to")


@pytest.mark.parametrize("issues_first", [True, False])
def test_a_commit_is_caused_by_the_issue_it_closes(shop: Shop, issues_first: bool):
    repo = Repository(shop.folder)
    repo.commit("Close the gate\n\nFixes #1", {"gate": "1"})
    rum = shop.open()
    steps = [lambda: take(rum, closed(1)), rum.import_git]
    for step in steps if issues_first else reversed(steps):
        step()
    assert links(rum) == {("Close the gate", "caused_by", "Gate 1 is open")}


def test_many_comments_are_kept_in_part(rum: Rum):
    take(rum, closed(comments=[comment(f"word {number} " + "x" * 5000) for number in range(50)]))
    seen = memories(rum)["Gate 1 is open"]["perception"]["observations"]
    assert len(seen) == 21
    assert seen[10]["what"] == "(30 more comments)"
    assert max(len(one["what"]) for one in seen) <= 800


def test_secrets_and_what_nobody_sees_stay_outside(rum: Rum, shop: Shop):
    take(
        rum, closed(body=f"<!-- template -->{SECRET}\x1b[31m\u202e", comments=[comment(f"use {SECRET}\x00")])
    )
    memory = memories(rum)["Gate 1 is open"]
    assert memory["intent"]["context"].startswith("[REDACTED:")
    for file in (shop.home / "projects").rglob("*.db*"):
        assert SECRET.encode() not in file.read_bytes()
    assert "\\u001b" not in json.dumps(memory)


def test_half_a_character_is_dropped(rum: Rum):
    rum.import_issues(b'[{"number": 1, "title": "a \\ud83d b", "createdAt": "2024-01-02T03:04:05Z"}]')
    assert list(memories(rum)) == ["a b"]


def test_an_issue_without_words_has_its_number(rum: Rum):
    take(rum, issue(title=" \x00 ", body=None))
    assert list(memories(rum)) == ["Issue #1"]


def test_nothing_is_written_when_one_issue_is_wrong(rum: Rum):
    with pytest.raises(InvalidQuery, match="Issue 2"):
        take(rum, issue(1), {"number": "two"})
    assert memories(rum) == {}
