"""The API of the page: lists in pages, one memory, knowledge, sessions, review, settings and errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest

from rum.app.calls import CALLS
from rum.store.activity import OfferRow
from rum.surfaces.web.route_table import ROUTES
from support.builders import make_draft, make_intent, make_outcome
from support.repositories import Repository
from surfaces.web.running import Web, running


def store(web: Web, goal: str = "Fix the login", success: bool = True, **more: object) -> str:
    outcome = make_outcome(success=success, **dict(more.pop("outcome", {})))
    return web.rum.store(intent=make_intent(goal), outcome=outcome, **more).memory_id


def edit(path: str) -> dict[str, str]:
    return {"type": "file_edit", "file_path": path}


def test_a_new_project_has_empty_lists_and_no_error(web: Web):
    for route in ROUTES:
        if route.method == "GET" and "{" not in route.path and route.path not in ("search", "content", "why"):
            answer = web.get(route.path)
            assert answer.status == 200, (route.path, answer.body)
            if route.path not in ("settings", "task_types") and "items" in answer.json:
                assert answer.json["items"] == []
    assert web.get("overview").json["memories"] == 0


def test_the_page_knows_who_asks(web: Web):
    me = web.get("me").json
    assert (me["role"], me["may_write"], me["may_review"], me["is_local"]) == ("owner", True, True, True)
    assert me["project"]["root"] == str(web.rum.project.root)


def test_the_timeline_is_read_page_by_page(web: Web):
    ids = [store(web, f"Work {number}", success=number % 3 > 0) for number in range(9)]
    assert [entry["id"] for entry in web.items("timeline?limit=2")] == ids[::-1]
    assert [entry["id"] for entry in web.items("timeline?limit=2&order=oldest")] == ids
    assert {entry["success"] for entry in web.items("timeline?outcome=failure&limit=2")} == {False}
    assert len(web.items("timeline?outcome=failure&limit=2")) == 3
    assert web.get("timeline?before=2020-01-01").json["items"] == []


def test_a_memory_stored_while_somebody_reads_on_changes_no_later_page(web: Web):
    ids = [store(web, f"Work {number}") for number in range(4)]
    first = web.get("timeline?limit=2").json
    store(web, "Newer work")
    second = web.get(f"timeline?limit=2&cursor={first['next']}").json
    assert [entry["id"] for entry in second["items"]] == [ids[1], ids[0]]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("timeline?limit=0", "limit"),
        ("timeline?limit=101", "limit"),
        ("timeline?limit=ten", "limit"),
        ("timeline?cursor=zzz", "cursor"),
        ("timeline?cursor=W10", "cursor"),
        ("timeline?since=yesterdayish", "since"),
        ("timeline?outcome=maybe", "outcome"),
        ("timeline?type=nothing", "type"),
        ("timeline?surprise=1", "surprise"),
        ("days?since=2000-01-01", "since"),
        ("offers?kind=nothing", "kind"),
        ("review?kind=nothing", "kind"),
        ("search?q=x&min_confidence=2", "min_confidence"),
        ("content", "path"),
    ],
)
def test_a_wrong_parameter_is_an_error_that_names_it_and_no_empty_list(web: Web, path: str, field: str):
    answer = web.get(path)
    assert (answer.status, answer.code) == (400, "INVALID_QUERY"), answer.body
    assert answer.json["error"]["details"]["field"] == field


@pytest.mark.parametrize(
    "path",
    [
        "timeline?agent=nobody",
        "memories/mem_nothing",
        "memories/mem_nothing/causes",
        "chapters/chap_nothing",
        "wisdom/wis_nothing",
        "notes/nothing",
        "facts/nothing/history",
        "rules/rule_nothing/history",
        "sessions/codex/nothing",
        "sessions/codex/nothing/events",
        "review/memory/mem_nothing",
        "files?path=nothing",
        "settings/nothing",
        "nothing",
        "calls/nothing",
    ],
)
def test_what_is_not_there_is_an_error(web: Web, path: str):
    answer = web.get(path)
    assert answer.status in (404, 405)
    assert answer.json["error"]["message"]


def test_search_answers_like_recall_and_does_not_count_as_use(web: Web):
    memory_id = store(web, "Refresh the token")
    found = web.get("search?q=token").json
    assert found["memories"][0]["id"] == memory_id
    assert found["memories"][0]["why"]
    assert web.get("search?q=token&outcome=failure").json["code"] == "NO_RESULTS"
    assert web.get("search").status == 400
    web.get(f"memories/{memory_id}")
    assert web.get(f"memories/{memory_id}").json["use"]["access_count"] == 0
    web.rum.recall("token")
    assert web.get(f"memories/{memory_id}").json["use"]["access_count"] == 1


def test_a_memory_is_shown_with_everything_around_it(web: Web, folder: Path):
    (folder / "work" / "a.py").write_text("x = 1\n")
    (folder / "work" / "b.py").write_text("y = 1\n")
    cause = store(web, "First try", success=False)
    memory_id = store(
        web, "Second try", actions=[edit("a.py"), edit("b.py"), edit("gone.py")], links={"caused_by": cause}
    )
    (folder / "work" / "b.py").write_text("y = 2\n")
    web.rum.update_memory(memory_id, tags=["later"])
    page = web.get(f"memories/{memory_id}").json
    assert page["memory"]["tags"] == ["later"]
    assert {file["path"]: file["state"] for file in page["files"]} == {
        "a.py": "same",
        "b.py": "changed",
        "gone.py": "unknown",
    }
    assert [(link["relation"], link["entry"]["id"]) for link in page["links"]] == [("caused_by", cause)]
    assert (page["versions"], page["may_change"]) == (2, True)
    history = web.get(f"memories/{memory_id}/history").json["items"]
    assert [(one["version"], one["current"], one["memory"].get("tags", [])) for one in history] == [
        (1, False, []),
        (2, True, ["later"]),
    ]


def test_a_memory_is_changed_restored_and_forgotten_like_on_the_command_line(web: Web):
    memory_id = store(web)
    changed = web.send("PATCH", f"memories/{memory_id}", {"outcome": {"summary": "Better"}})
    assert changed.json["memory"]["outcome"]["summary"] == "Better"
    assert web.send("POST", f"memories/{memory_id}/restore", {"version": 1}).status == 200
    assert web.rum.show(memory_id).outcome.summary == "It works"
    assert web.send("PATCH", f"memories/{memory_id}", {"outcome": {"sumary": "x"}}).code == "INVALID_QUERY"
    assert web.send("POST", f"memories/{memory_id}/forget").json["forgotten"] is True
    gone = web.get(f"memories/{memory_id}")
    assert (gone.status, gone.json["error"]["details"]["in_trash"]) == (404, True)
    assert [item["id"] for item in web.items("trash")] == [memory_id]
    assert web.send("POST", "trash/restore", {"id": memory_id}).json["restored"] is True
    assert web.get(f"memories/{memory_id}").status == 200


def test_causes_are_a_graph_with_every_link_between_shown_memories(web: Web):
    root = store(web, "Root")
    middle = store(web, "Middle", links={"caused_by": root})
    leaf = store(web, "Leaf", links={"caused_by": [middle, root]})
    graph = web.get(f"memories/{middle}/causes").json
    assert {node["entry"]["id"]: node["distance"] for node in graph["nodes"]} == {
        middle: 0,
        root: -1,
        leaf: 1,
    }
    assert {(edge["source"], edge["target"], edge["type"]) for edge in graph["edges"]} == {
        (middle, root, "caused_by"),
        (leaf, middle, "caused_by"),
        (leaf, root, "caused_by"),
    }
    assert graph["left_out"] == {"nodes": 0, "by_node": {}, "complete": True}
    only = web.get(f"memories/{middle}/causes?direction=causes").json
    assert {node["entry"]["id"] for node in only["nodes"]} == {middle, root}


def test_a_large_graph_says_what_it_left_out(web: Web):
    root = store(web, "Root")
    ids = [store(web, f"Effect {number}", links={"caused_by": root}) for number in range(12)]
    graph = web.get(f"memories/{root}/causes?max_nodes=5").json
    assert len(graph["nodes"]) == 5
    assert graph["left_out"] == {"nodes": 8, "by_node": {root: 8}, "complete": False}
    assert {edge["source"] for edge in graph["edges"]} < set(ids)
    assert web.get(f"memories/{root}/causes?max_nodes=61").status == 400


def test_a_memory_is_exported_as_markdown(web: Web):
    memory_id = store(
        web, "Fix *it*", success=False, outcome={"failure_reason": "No lock", "learnings": ["Lock first"]}
    )
    answer = web.get(f"memories/{memory_id}/markdown")
    assert answer.headers["content-type"].startswith("text/markdown")
    text = answer.body.decode()
    assert text.startswith("# Fix *it*\n")
    assert "**Why it failed:** No lock" in text
    assert "## Learned\n\n- Lock first\n" in text


def test_files_are_listed_by_folder_with_their_counts(web: Web):
    store(web, actions=[edit("src/a/x.py"), edit("README.md")])
    store(web, success=False, actions=[edit("src/a/x.py")])
    top = web.get("files").json
    assert [(one["name"], one["is_folder"], one["memories"], one["failures"]) for one in top["items"]] == [
        ("README.md", False, 1, 0),
        ("src", True, 2, 1),
    ]
    assert [one["path"] for one in web.items("files?limit=1")] == ["README.md", "src"]
    inside = web.get("files?path=src/a/").json
    assert (inside["path"], inside["items"][0]["name"], inside["is_folder"]) == ("src/a", "x.py", True)
    leaf = web.get("files?path=src/a/x.py").json
    assert (leaf["is_folder"], leaf["items"]) == (False, [])
    assert len(web.items("timeline?file=src/a&limit=1")) == 2
    here = leaf["here"]
    assert (here["name"], here["memories"], here["failures"], here["exact"]) == ("x.py", 2, 1, True)
    assert inside["here"]["memories"] == 2
    assert "here" not in top


def test_a_file_is_found_by_its_name_alone_and_among_several_one_is_chosen(web: Web):
    store(web, actions=[edit("src/a/x.py")])
    store(web, actions=[edit("src/b/deep/y.py")])
    store(web, actions=[edit("lib/y.py")])
    assert web.get("files?path=x.py").json["path"] == "src/a/x.py"
    assert web.get("files?path=deep").json["path"] == "src/b/deep"
    assert web.get("files?path=deep/y.py").json["path"] == "src/b/deep/y.py"
    for address in ("files?path=y.py", "timeline?file=y.py", "search?q=&file=y.py"):
        refused = web.get(address)
        assert (refused.status, refused.code) == (400, "INVALID_QUERY")
        assert refused.json["error"]["details"]["paths"] == ["lib/y.py", "src/b/deep/y.py"]
    assert [one["goal"] for one in web.items("timeline?file=x.py")] == ["Fix the login"]
    assert len(web.get("search?file=x.py").json["memories"]) == 1
    assert web.get("files?path=z.py").status == 404
    assert web.items("timeline?file=z.py") == []


def test_the_overview_counts_what_happened(web: Web):
    store(web, "Broken", success=False, actions=[edit("src/a/x.py")])
    left = store(web, "Done", actions=[edit("src/a/y.py")], outcome={"follow_up_needed": ["Write the docs"]})
    store(web, "Perhaps", tags=["unverified"])
    found = web.get("overview").json
    assert (found["memories"], len(found["recent"]), len(found["weeks"])) == (3, 3, 26)
    week = found["weeks"][-1]
    assert (week["success"], week["failure"], week["unverified"]) == (2, 1, 1)
    assert found["failing_files"][0]["path"] == "src/a/x.py"
    assert found["areas"] == [{"path": "src/a", "memories": 2, "failures": 1}]
    assert [(one["memory_id"], one["text"]) for one in found["follow_ups"]] == [(left, "Write the docs")]
    days = web.get("days").json["days"]
    assert [(day["success"], day["failure"], day["unverified"]) for day in days] == [(2, 1, 1)]
    assert web.items("timeline?outcome=unverified")[0]["labels"] == ["unverified"]


def test_notes_rules_and_facts_are_changed_in_place_with_their_history(web: Web):
    note = {"title": "Deploying", "content": "Wait for the queue.", "when_to_use": ["deploy"]}
    assert web.send("POST", "notes", note).json["created"] is True
    assert web.send("POST", "notes", {**note, "content": "And for the cache."}).json["id"] == "deploying#2"
    assert len(web.get("notes/deploying").json["entries"]) == 2
    assert web.send("POST", "notes/deploying%231/forget").status == 200
    assert web.items("notes")[0]["entries"] == 1
    rule = web.send("POST", "rules", {"condition": "deploy", "action": "Run the tests"}).json["id"]
    assert (
        web.send("PUT", f"rules/{rule}", {"condition": "deploy", "action": "Run all tests"}).json["version"]
        == 2
    )
    assert [one["action"] for one in web.items(f"rules/{rule}/history")] == ["Run the tests", "Run all tests"]
    assert [one["set_by_name"] for one in web.items("rules?q=all%20deploy")] == ["owner"]
    assert web.items("rules?q=nothing") == []
    assert web.send("PUT", "facts/build%2Fcommand", {"value": "make"}).json["key"] == "build/command"
    assert web.send("PUT", "facts/build%2Fcommand", {"value": "make all"}).json["version"] == 2
    assert [one["value"] for one in web.items("facts/build%2Fcommand/history")] == ["make", "make all"]
    assert [one["key"] for one in web.items("facts?prefix=build")] == ["build/command"]
    assert web.send("POST", "facts/build%2Fcommand/forget").status == 200
    assert web.items("facts") == []


def test_long_lists_of_facts_and_rules_are_read_page_by_page(web: Web):
    for number in range(7):
        web.rum.facts.set(f"key.{number}", "x")
        web.rum.rules.add(f"word{number} here", "y")
    assert [one["key"] for one in web.items("facts?limit=3")] == [f"key.{number}" for number in range(7)]
    assert len({one["id"] for one in web.items("rules?limit=3")}) == 7
    assert web.get("facts?limit=3").json["total"] == 7


def test_chapters_and_wisdom_come_with_evidence(web: Web):
    ids = [store(web, f"Lock {n}", outcome={"learnings": ["Take the lock first"]}) for n in range(3)]
    chapter = web.rum.chapters.create(memory_ids=ids, title="Locks", learnings=["Take the lock first"])
    wisdom = web.rum.wisdom.synthesize(chapter_ids=[chapter.chapter_id], min_chapters=1)
    page = web.get(f"chapters/{chapter.chapter_id}").json
    assert {entry["id"] for entry in page["members"]} == set(ids)
    claim = page["claims"][0]
    assert (claim["list"], claim["text"]) == ("learnings", "Take the lock first")
    assert set(claim["evidence"]["memory_ids"]) <= set(ids)
    assert [one["title"] for one in web.items("chapters?limit=1")] == ["Locks"]
    shown = web.get(f"wisdom/{wisdom.wisdom_id}").json
    assert shown["chapters"] == [{"id": chapter.chapter_id, "title": "Locks"}]
    assert [one["id"] for one in web.items("wisdom")] == [wisdom.wisdom_id]
    assert web.get(f"memories/{ids[0]}").json["chapters"] == [{"id": chapter.chapter_id, "title": "Locks"}]


def test_feedback_and_links_are_calls(web: Web):
    first, second = store(web, "One"), store(web, "Two")
    assert web.send("POST", "feedback", {"id": first, "useful": True}).json["usefulness"] > 0
    link = {"source_id": second, "target_id": first, "link_type": "caused_by"}
    assert web.send("POST", "links", link).json["created"] is True
    assert web.send("POST", "links", {**link, "link_type": "likes"}).code == "INVALID_QUERY"


def test_every_call_of_the_table_is_a_route(web: Web):
    assert {route.path for route in ROUTES} >= {f"calls/{name}" for name in CALLS}
    stored = web.send("POST", "calls/store", make_draft("Over HTTP"))
    assert web.send("POST", "calls/trace", {"memory_id": stored.json["memory_id"]}).json["chain"] == []
    assert web.send("POST", "calls/recall", {"nothing": 1}).code == "INVALID_QUERY"


def test_the_description_names_every_route_and_resolves(web: Web):
    description = web.get("openapi.json").json
    assert description["openapi"].startswith("3.1")
    assert set(description["paths"]) == {f"/api/v1/{route.path}" for route in ROUTES}
    text = json.dumps(description)
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in description["components"]["schemas"]
    timeline = description["paths"]["/api/v1/timeline"]["get"]["parameters"]
    assert {"cursor", "limit", "agent", "outcome"} <= {one["name"] for one in timeline}


def test_harmless_settings_are_changed_in_the_users_file_and_others_are_not(web: Web, folder: Path):
    store(web)
    config = folder / "home" / "config.toml"
    config.write_text("# mine\nrecall_limit = 4 # a comment\n")
    assert web.send("PUT", "settings/recall_limit", {"value": 9}).json["value"] == 9
    assert config.read_text() == "# mine\nrecall_limit = 9 # a comment\n"
    assert web.rum.settings.recall_limit == 9
    assert web.send("PUT", "settings/recall_limit", {"value": 1000}).code == "INVALID_QUERY"
    assert web.send("PUT", "settings/recall_limit", {"value": None}).json["origin"] == "default"
    for name, value in (("share", "all"), ("llm_url", "http://evil.example"), ("redact_allow", ["x"])):
        assert web.send("PUT", f"settings/{name}", {"value": value}).code == "PERMISSION_DENIED"
    rows = {row["name"]: row for row in web.items("settings")}
    assert rows["review"]["choices"] == ["off", "first"]
    assert (rows["embedder"]["origin"], rows["embedder"]["editable"]) == ("RUM_EMBEDDER", False)


def test_settings_that_change_meanwhile_are_seen(web: Web):
    assert web.get("sync").json["share"] == "none"
    config = Path(web.rum.settings.home) / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    before = config.read_text() if config.exists() else ""
    config.write_text(f'share = "tagged:team"\n{before}')
    config.chmod(0o600)
    assert web.get("sync").json["share"] == "tagged:team"
    assert {row["name"]: row["value"] for row in web.items("settings")}["share"] == "tagged:team"


def test_secret_settings_are_not_shown(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_LLM_KEY", "sk-secret-value")
    with running(folder) as web:
        answer = web.get("settings")
        assert b"sk-secret-value" not in answer.body
        assert {row["name"]: row for row in answer.json["items"]}["llm_key"]["value"] == "(set, not shown)"


def test_health_is_checked_through_files_of_its_own(web: Web):
    store(web)
    found = web.get("doctor").json
    assert found["healthy"] is True, found
    assert found["facts"]["project"] == web.rum.project.id


@pytest.fixture
def reviewed(folder: Path) -> Iterator[Web]:
    """A project in which extraction has proposed two facts and a rule."""
    with running(folder) as web:
        project = web.rum._project
        from rum.app.review.pending import (
            PendingFact,
            PendingMemory,
            PendingRule,
            propose_fact,
            propose_memory,
            propose_rule,
        )
        from rum.model.layers import Fact, Rule
        from support.builders import make_memory

        store(web, "Existing work on the login form", outcome={})
        agent = project.store.agents.all()[0].id
        now = int(time())
        for key in ("port", "host"):
            fact = Fact(key=key, value="8080", agent_id=agent, created_at=now)
            propose_fact(project, PendingFact(fact, "in the output"))
        rule = Rule(
            id="rule_00000000000000000000000001",
            condition="deploy",
            action="Test",
            agent_id=agent,
            created_at=now,
        )
        propose_rule(project, PendingRule(rule, "said"), "extraction")
        memory = make_memory("mem_pending", "Existing work on the login form", agent_id=agent)
        propose_memory(project, PendingMemory(memory=memory))
        yield web


def test_what_waits_is_listed_shown_and_decided_in_bulk(reviewed: Web):
    page = reviewed.get("review").json
    assert (page["total"], page["by_kind"]) == (4, {"fact": 2, "rule": 1, "memory": 1})
    assert len(reviewed.items("review?limit=1")) == 4
    assert [item["id"] for item in reviewed.items("review?kind=rule")] == ["rule_00000000000000000000000001"]
    shown = reviewed.get("review/fact/port").json
    assert (shown["content"], shown["evidence"]) == ({"key": "port", "value": "8080"}, ["in the output"])
    similar = reviewed.get("review/memory/mem_pending").json["similar"]
    assert [(one["pending"], one["goal"]) for one in similar] == [(False, "Existing work on the login form")]
    items = [{"kind": "fact", "id": "port"}, {"kind": "rule", "id": "rule_00000000000000000000000001"}]
    accepted = reviewed.send("POST", "review/accept", {"items": items}).json["items"]
    assert [one["verdict"] for one in accepted] == ["accepted", "accepted"]
    assert reviewed.rum.facts.show("port").value == "8080"
    rejected = reviewed.send("POST", "review/reject", {"items": [{"kind": "fact", "id": "host"}]})
    assert rejected.json["items"][0]["verdict"] == "rejected"
    merged = reviewed.send("POST", "review/memory/mem_pending/merge", {"into": similar[0]["id"]})
    assert merged.json["verdict"] == "merged"
    assert reviewed.get("review").json["total"] == 0


def test_nothing_is_decided_if_one_item_is_not_there(reviewed: Web):
    items = [{"kind": "fact", "id": "port"}, {"kind": "rule", "id": "rule_nothing"}]
    assert reviewed.send("POST", "review/accept", {"items": items}).status == 404
    assert reviewed.get("review").json["total"] == 4


def test_a_pending_item_is_edited_before_it_is_kept(reviewed: Web):
    answer = reviewed.send("POST", "review/fact/port/edit", {"changes": {"value": "9090"}})
    assert answer.json["verdict"] == "edited"
    assert reviewed.rum.facts.show("port").value == "9090"
    assert reviewed.send("POST", "review/fact/host/edit", {"changes": {"nothing": 1}}).status == 400


def test_a_session_shows_its_turns_and_what_was_offered_at_which_cost(web: Web):
    from rum.store.captured_events import CapturedEvent, TurnKey

    memory_id = store(web, "Warned of before")
    captured, now = web.rum._project.store.captured, time()
    prompt = {
        "id": "e",
        "client": "codex",
        "session": "s/1",
        "kind": "prompt",
        "at": now,
        "cwd": "/",
        "text": "Do <b>it</b>",
    }
    captured.add(
        [CapturedEvent("e1", TurnKey("codex", "s/1", "", "t1"), "prompt", now, json.dumps(prompt))], int(now)
    )
    rows = [
        OfferRow("o1", 0, one, "codex", "s/1", "t1", "", "warning", now, "Text", tokens=30)
        for one in (memory_id, "x")
    ]
    web.rum._project.store.activity.add_offers(rows)
    web.rum._project.store.activity.set_outcomes([rows[0]._replace(followed=True, success=True)])
    [session] = web.items("sessions?limit=1")
    assert (session["turns"], session["offers"], session["tokens"], session["followed"]) == (1, 1, 30, 1)
    assert session["about"] == "Do <b>it</b>"
    page = web.get("sessions/codex/s%2F1").json
    assert (page["turns"][0]["prompt"], page["turns"][0]["outcome"], page["tokens"]) == (
        "Do <b>it</b>",
        "open",
        30,
    )
    [event] = web.items("sessions/codex/s%2F1/events")
    assert (event["kind"], event["became"]) == ("prompt", "open")
    [offer] = web.items("sessions/codex/s%2F1/offers")
    assert offer["names"] == [{"id": memory_id, "goal": "Warned of before"}, {"id": "x"}]
    assert (offer["outcome"], offer["success"], offer["tokens"]) == ("followed", True, 30)
    assert len(web.items("offers?kind=warning")) == 1
    [of_memory] = web.items(f"memories/{memory_id}/offers")
    assert [one["id"] for one in of_memory["names"]] == [memory_id]
    assert web.get(f"memories/{memory_id}").json["use"]["followed"] == 1
    assert web.get("overview").json["tokens_by_day"][-1]["tokens"] == 30


def test_head_answers_without_a_body(web: Web):
    answer = web.request("HEAD", "/api/v1/me")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) > 0


def test_the_code_of_a_memory_is_shown_as_it_was_and_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    repository = Repository(tmp_path / "work")
    code = "import os\n\n\ndef gate(key):\n    if key is None:\n        raise ValueError\n    return key\n"
    repository.commit("Add the gate", {"gate.py": code, "other.py": "LIMIT = 10\nNAME = 'gate'\n"})
    with running(tmp_path) as web:
        seen = [{"what": "no key", "where": "gate.py:4-7"}, {"what": "limit", "where": "other.py:1-2"}]
        memory_id = store(web, perception={"observations": seen})
        repository.write("gate.py", code.replace("if key is None", "if not key"))
        repository.write("other.py", None)
        found = {one["path"]: one for one in web.items(f"memories/{memory_id}/anchors")}
        gate = found["gate.py"]
        assert (gate["state"], gate["place"], gate["place_now"]) == ("changed", "gate.py:4-7", "gate.py:4-7")
        assert gate["before"][1] == "    if key is None:"
        assert gate["after"][1] == "    if not key:"
        assert (found["other.py"]["state"], found["other.py"]["before"]) == (
            "gone",
            ["LIMIT = 10", "NAME = 'gate'"],
        )
        assert "after" not in found["other.py"]
        assert web.get(f"memories/{memory_id}").json["memory"]["freshness"] in ("changed", "gone")
