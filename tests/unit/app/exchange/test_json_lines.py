"""Everything out and in again as JSON lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rum import InvalidQuery, Rum
from rum.capture.git.ids import memory_id as commit_memory_id
from rum.model.ids import id_of
from rum.model.memory import Origin, OriginKind, RevertLink
from support.projects import Shop, edited, keep

Json = dict[str, Any]
HEADER: Json = {"kind": "rum-export", "format": 1}
AUTHOR: Json = {"type": "main", "project_id": "theirs", "created_at": 1, "last_active": 1}


@pytest.fixture
def elsewhere(shop: Shop) -> Rum:
    """Another installation's memory of the same folder."""
    return shop.open(home=shop.home.parent / "elsewhere")


def memory_line(memory_id: str = "mem_a", **more: Any) -> Json:
    memory: Json = {
        "id": memory_id,
        "agent_id": "agent_a",
        "project_id": "theirs",
        "session_id": "s",
        "created_at": 1000,
        "intent": {"goal": f"Goal of {memory_id}", "task_type": "other"},
        "outcome": {"success": True, "summary": "Done"},
    }
    return {"kind": "memory", "memory": memory | more}


def link_line(source: str, target: str, kind: str) -> Json:
    return {"kind": "link", "source_id": source, "target_id": target, "link_type": kind, "created_at": 5}


def lines(*given: Json) -> list[bytes]:
    return [json.dumps(line).encode() for line in (HEADER, *given)]


def filled(shop: Shop) -> Rum:
    """A memory in which everything that can be exported occurs."""
    rum = shop.open(session="s-1")
    main = rum.identity("register", name="developer")
    one = keep(rum, "Fix the login", tags=["x", "a"], actions=edited("b.py", "a.py"), importance=0.9)
    shop.clock.forward(60)
    rum.identity("register", type="subagent", parent_id=main.agent_id)
    two = keep(rum, "Fix it better", links={"supersedes": one, "caused_by": [one], "blocked_by": [one]})
    rum.identity("resume", agent_id=main.agent_id)
    shop.clock.forward(60)
    rum.update_memory(one, tags=["y"], outcome={"learnings": ["More"]})
    rum.link(one, two, "related_to")
    rum.show(one)
    return rum


def everything(rum: Rum) -> Json:
    ids = [json.loads(line)["memory"]["id"] for line in rum.export() if b'"kind":"memory"' in line]
    memories = {one: rum.show(one) for one in ids}
    agents = list(rum.agents())
    return {"memories": memories, "agents": agents, "history": [rum.history(one) for one in ids]}


def test_an_import_elsewhere_gives_the_same_memories_agents_links_and_history(
    shop: Shop, elsewhere: Rum
) -> None:
    rum = filled(shop)
    exported = list(rum.export())
    result = elsewhere.import_lines(exported)
    assert (result.added, result.unchanged, result.different, result.forgotten) == (2, 0, 0, 0)
    here, there = everything(rum), everything(elsewhere)
    assert there["history"] == here["history"]
    assert there["agents"] == here["agents"]
    for one, memory in here["memories"].items():
        other = there["memories"][one]
        assert {
            name for name in memory.__struct_fields__ if getattr(memory, name) != getattr(other, name)
        } <= {"project_id"}
    assert elsewhere.doctor().problems == []


def test_counts_that_were_not_written_down_yet_are_exported(shop: Shop, elsewhere: Rum) -> None:
    rum = filled(shop)
    elsewhere.import_lines(rum.export())
    [one, *_] = [line.id for line in shop.open(owner=True).list(sort="access_count").memories]
    assert elsewhere.show(one).access_count == 1


def test_an_import_into_the_same_project_changes_nothing(shop: Shop) -> None:
    rum = filled(shop)
    before = list(rum.export())
    result = rum.import_lines(before)
    assert (result.added, result.unchanged, result.different) == (0, 2, 0)
    assert list(rum.export()) == before


def test_what_differs_is_kept_as_it_was(shop: Shop) -> None:
    rum = filled(shop)
    changed = [line.replace(b"Fix the login", b"Fix the gate") for line in rum.export()]
    before = list(rum.export())
    assert rum.import_lines(changed).different == 1
    assert list(rum.export()) == before


def test_an_import_that_was_broken_off_is_completed_by_the_next(shop: Shop, elsewhere: Rum) -> None:
    exported = list(filled(shop).export())
    until = next(number for number, line in enumerate(exported) if b'"kind":"version"' in line)
    elsewhere.import_lines(exported[:until])
    elsewhere.import_lines(exported)
    other = shop.open(home=shop.home.parent / "third")
    other.import_lines(exported)
    assert everything(elsewhere)["history"] == everything(other)["history"]


def test_a_name_that_is_taken_is_given_a_tail(shop: Shop, elsewhere: Rum) -> None:
    elsewhere.identity("register", name="developer")
    elsewhere.import_lines(filled(shop).export())
    names = sorted(str(agent.name) for agent in elsewhere.agents() if agent.name)
    assert names[0] == "developer"
    assert names[1].startswith("developer-")


def test_a_child_older_than_its_parent_keeps_it(shop: Shop, elsewhere: Rum) -> None:
    rum = shop.open()
    shop.clock.forward(100)
    parent = rum.identity("register").agent_id
    shop.clock.forward(-100)
    child = rum.identity("register", type="subagent", parent_id=parent).agent_id
    elsewhere.import_lines(rum.export())
    assert elsewhere.identity("info", agent_id=child).parent_id == parent


def test_an_author_the_export_does_not_introduce_is_added(elsewhere: Rum) -> None:
    assert elsewhere.import_lines(lines(memory_line())).added == 1
    assert [agent.agent_id for agent in elsewhere.agents()] == ["agent_a"]


def test_blank_lines_do_not_matter(elsewhere: Rum) -> None:
    given = [b"", b"\n", *lines(memory_line()), b"  "]
    assert elsewhere.import_lines(given).added == 1


def test_progress_is_reported(elsewhere: Rum) -> None:
    seen: list[int] = []
    elsewhere.import_lines(lines(*(memory_line(f"mem_{n}") for n in range(450))), seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 451


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Not an export"),
        ([b"{"], "Line 1: not JSON"),
        ([b'{"kind": "memory"}'], "Line 1"),
        (lines(memory_line())[1:], "Not an export"),
        (lines({"kind": "rum-export", "format": 5}), "format 5"),
        ([*lines(memory_line()), b"nonsense"], "Line 3: not JSON"),
        (
            lines(memory_line(), {"kind": "memory", "memory": {"id": "x"}}),
            "Line 3: `memory.",
        ),
        (lines(memory_line(), memory_line("b", importance=7)), "Line 3: `memory.importance`"),
        (lines(memory_line(), memory_line("b", created_at=-5)), "Line 3: `memory.created_at`"),
        (lines(memory_line(), memory_line("b", created_at=10**30)), "Line 3: `memory.created_at`"),
        (
            lines(memory_line(), memory_line("b", intent={"goal": "g", "task_type": "x"})),
            "must be one of bug_fix",
        ),
        (lines(memory_line(), {"kind": "poem"}), "Line 3: `kind`"),
        (
            lines(
                memory_line(),
                {
                    "kind": "version",
                    "memory_id": "mem_a",
                    "version": 1,
                    "changed_at": 1,
                    "changed_by": "x",
                    "data": {"intent": 1},
                },
            ),
            "Line 3: `data",
        ),
    ],
)
def test_what_is_no_export_is_refused_whole(elsewhere: Rum, given: list[bytes], said: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        elsewhere.import_lines(given)
    assert said in caught.value.message
    assert caught.value.message.endswith(" Nothing was imported.")
    assert elsewhere.summary()["memories"] == 0


def test_links_that_cannot_be_are_left_out(elsewhere: Rum) -> None:
    given = [memory_line("mem_a"), memory_line("mem_b"), link_line("mem_a", "mem_b", "supersedes")]
    given += [
        link_line("mem_b", "mem_a", "supersedes"),
        link_line("mem_a", "mem_a", "related_to"),
        link_line("mem_a", "mem_unknown", "related_to"),
        link_line("mem_a", "mem_b", "led_to"),
    ]
    assert elsewhere.import_lines(lines(*given)).added == 2
    assert elsewhere.show("mem_a").links == {"led_to": ["mem_b"], "supersedes": "mem_b"}


def test_a_file_or_tag_named_twice_is_kept_once(elsewhere: Rum) -> None:
    files = [{"path": "a.py", "operation": "edit"}, {"path": "a.py", "operation": "read"}]
    elsewhere.import_lines(lines(memory_line(files=files, tags=["x", "x"])))
    memory = elsewhere.show("mem_a")
    assert isinstance(memory.files, tuple)
    assert (len(memory.files), memory.tags) == (1, ("x",))


def test_what_is_imported_is_found_like_any_other(elsewhere: Rum) -> None:
    files = [{"path": "src/a.py", "operation": "edit"}]
    elsewhere.import_lines(lines(memory_line(files=files, tags=["x"])))
    for question in ({"file": "src/a.py"}, {"tags": ["x"]}, {"query": "goal"}, {"before": 2000}):
        assert [memory.id for memory in elsewhere.recall(**question).memories] == ["mem_a"]


def test_an_older_export_brings_its_reverts_into_columns(elsewhere: Rum):
    bad, undo = "a1" * 20, "b2" * 20
    failed = {
        "success": False,
        "summary": f"{bad[:10]}: gate; reverted by {undo[:10]}",
        "failure_reason": "It crashes.",
    }
    bad_id, undo_id = commit_memory_id(bad, 1000), commit_memory_id(undo, 1000)
    told = [
        memory_line(bad_id, commit=bad, outcome=failed),
        memory_line(undo_id, commit=undo),
        link_line(undo_id, bad_id, "caused_by"),
    ]
    elsewhere.import_lines(lines(*told))
    shown, undoing = elsewhere.show(bad_id), elsewhere.show(undo_id)
    assert shown.outcome.summary == f"{bad[:10]}: gate"
    assert shown.reverted_by == RevertLink(undo_id, undo, reason="It crashes.")
    assert undoing.reverts == (RevertLink(bad_id, bad),)
    assert elsewhere.import_lines(lines(*told)).unchanged == 2


def test_origin_and_reverts_survive_an_export(shop: Shop, elsewhere: Rum):
    reverted = {"id": "mem_undo", "commit": "b2" * 20, "in_part": True, "reason": "It crashes."}
    told = memory_line(
        "mem_bad", origin={"kind": "issue", "reference": "7"}, reverted_by=reverted, reverts=[]
    )
    elsewhere.import_lines([json.dumps(one).encode() for one in ({**HEADER, "format": 4}, told)])
    own = shop.open()
    own.import_lines(list(elsewhere.export()))
    shown = own.show("mem_bad")
    assert shown.reverted_by == RevertLink("mem_undo", "b2" * 20, in_part=True, reason="It crashes.")
    assert shown.origin == Origin(OriginKind.ISSUE, "7")


def test_memories_of_an_older_export_get_the_origin_that_their_id_and_author_tell(elsewhere: Rum):
    sha, turn = "a1" * 20, id_of("mem", "turn claude-code s  t")
    authors = [
        {"kind": "agent", "agent": AUTHOR | {"id": f"agent_{client}", "client": client}}
        for client in ("github", "mcp-memory")
    ]
    ids = {
        commit_memory_id(sha, 1000): Origin(OriginKind.COMMIT, sha),
        turn: Origin(OriginKind.TURN),
        "mem_issue": Origin(OriginKind.ISSUE, "7"),
        "mem_peer": Origin(OriginKind.PEER, "mcp-memory"),
        "mem_own": Origin(OriginKind.AGENT),
    }
    own: dict[str, Json] = {
        commit_memory_id(sha, 1000): {"commit": sha},
        "mem_issue": {"agent_id": "agent_github", "session_id": "github_issue_7"},
        "mem_peer": {"agent_id": "agent_mcp-memory"},
    }
    elsewhere.import_lines(lines(*authors, *(memory_line(one, **own.get(one, {})) for one in ids)))
    assert {one: elsewhere.show(one).origin for one in ids} == ids
