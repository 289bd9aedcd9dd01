"""`rum sync --with` a team server: as through git, with roles, and with what the team stores there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from rum.app.caller import Role
from rum.model.errors import InvalidQuery, PermissionDenied, StorageError
from rum.repo.shared_server import is_server
from support.teams import Machine, Team
from surfaces.http.running import WORK, Server, start

SYNC = {"do": "fetch"}


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    for name in list(os.environ):
        if name.startswith("RUM_"):
            monkeypatch.delenv(name)
    with ExitStack() as opened:
        yield Team(tmp_path, opened)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = start(tmp_path / "served" / "home", cwd=tmp_path)
    yield running
    assert running.stop() == 0


def member(team: Team, server: Server, name: str, role: Role = "writer") -> Machine:
    machine = team.machine(name)
    machine.set_share("all", server.create(name, role, per_minute=100_000))
    return machine


def test_machines_share_through_a_server(team: Team, server: Server):
    ann, bob = member(team, server, "ann"), member(team, server, "bob")
    first, second = ann.keep("Fix the login", tags=["auth"]), ann.keep("Test the login")
    ann.rum.link(second, first, "caused_by")
    ann.rum.facts.set("port", "80")
    sent = ann.sync(server.url)
    assert (sent.sent["memory"], sent.can_send) == (2, True)
    assert bob.sync(server.url).received["memory"] == 2
    assert [one.memory.id for one in bob.rum.trace(second).chain] == [first]
    assert ann.shared() == bob.shared()
    again = bob.sync(server.url)
    assert (again.received, again.sent) == ({}, {})
    # What agents store at the server is shared, and what was sent is found there.
    token = server.tokens["ann"]
    found = server.call("recall", token, memory_id=first).tool["memories"]
    assert found[0]["intent"]["goal"] == "Fix the login"
    stored = server.call("store", token, **WORK).tool["memory_id"]
    assert bob.sync(server.url).received["memory"] == 1
    assert bob.rum.show(stored).intent.goal == WORK["intent"]["goal"]


def test_both_of_two_edits_are_kept_and_only_the_first_sender_forgets(team: Team, server: Server):
    ann, bob = member(team, server, "ann"), member(team, server, "bob")
    kept = ann.keep("Fix the login")
    for machine in (ann, bob):
        machine.sync(server.url)
    bob.rum.update_memory(kept, outcome={"summary": "by Bob"})
    refused = bob.sync(server.url)
    assert "1 of the files" in str(refused.note)
    ann.sync(server.url)
    assert ann.rum.show(kept).outcome.summary == "Done: Fix the login"
    other = bob.keep("Paint the shed")
    bob.rum.link(other, kept, "related_to")
    bob.rum.forget(kept)
    bob.sync(server.url)
    ann.sync(server.url)
    assert ann.goals() == {"Fix the login", "Paint the shed"}
    ann.rum.update_memory(other, outcome={"summary": "by Ann"})
    assert "1 of the files" in str(ann.sync(server.url).note)
    ann.rum.forget(kept)
    assert ann.sync(server.url).buried == {"memory": 1}
    token = server.tokens["bob"]
    assert server.call("recall", token, memory_id=kept).tool["code"] == "NOT_FOUND"
    boss = member(team, server, "boss", "owner")
    boss.sync(server.url)
    boss.rum.update_memory(other, outcome={"summary": "by the owner"})
    boss.sync(server.url)
    bob.sync(server.url)
    assert bob.rum.show(other).outcome.summary == "by the owner"


def test_a_new_token_of_the_same_name_does_not_own_what_the_old_one_sent(team: Team, server: Server):
    ann = member(team, server, "ann")
    kept = ann.keep("Fix the login")
    ann.sync(server.url)
    from rum.app.access import AccessTokens

    AccessTokens(str(server.home)).revoke("ann")
    with pytest.raises(PermissionDenied, match="does not accept the token"):
        ann.sync(server.url)
    ann.set_share("all", server.create("ann"))
    ann.rum.update_memory(kept, outcome={"summary": "later"})
    assert "1 of the files" in str(ann.sync(server.url).note)


def test_a_reader_receives_and_says_so(team: Team, server: Server):
    ann, guest = member(team, server, "ann"), member(team, server, "guest", "reader")
    ann.keep("Fix the login")
    ann.sync(server.url)
    guest.keep("Mine")
    answer = guest.sync(server.url)
    assert (answer.received["memory"], answer.sent, answer.can_send) == (1, {}, False)
    assert "may only read" in str(answer.note)


def test_many_and_large_memories_are_sent_in_parts(team: Team, server: Server):
    ann, bob = member(team, server, "ann"), member(team, server, "bob")
    ids = [ann.keep(f"Goal {number}", outcome={"success": True, "summary": f"{number} " + "word " * 30_000})
           for number in range(12)]  # fmt: skip
    for one, other in pairwise(ids):
        ann.rum.link(other, one, "caused_by")
    ann.sync(server.url)
    bob.sync(server.url)
    assert bob.shared() == ann.shared()
    assert len(bob.rum.trace(ids[-1], max_depth=20).chain) == 11
    (month,) = (server.home / "audit").iterdir()
    said = [json.loads(line) for line in month.read_text().splitlines()]
    parts = [one for one in said if one["call"] == "sync"]
    assert len(parts) > 1
    assert {(one["name"], one["result"]) for one in parts} == {("ann", "ok")}


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"[]", b"{}", b'{"do": 1}', b'{"do": "x"}', b'{"do": "fetch", "x": 1}',
        b'{"do": "is_ancestor"}',
        b'{"do": "has", "state": "--output=x"}', b'{"do": "paths", "state": "HEAD"}',
        b'{"do": "read", "state": "' + b"0" * 40 + b'", "paths": ["../../access.json"]}',
        b'{"do": "read", "state": "' + b"0" * 40 + b'", "paths": ["senders/0/0/memory.x"]}',
        b'{"do": "publish", "added": [["../x", "{}"]]}',
        b'{"do": "publish", "added": [["memory/0/0/x.1.1.0000000000000000.json", "{}"]]}',
        b'{"do": "publish", "removed": ["senders/0/0/memory.x"]}',
        b"[" * 10_000,
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(server: Server, body: bytes):
    token = server.create("ann", "owner")
    answer = server.ask(path="/sync", body=body, token=token)
    assert answer.status == 400
    assert answer.json["error"]["code"] == "INVALID_QUERY"
    assert not any("Traceback" in line for line in server.complaints)


def test_nobody_syncs_without_a_token_or_with_another_project(server: Server):
    server.create("ann", "owner")
    assert server.ask(path="/sync", body=SYNC).status == 401
    assert server.ask(path="/sync", body=SYNC, token="rum_" + "0" * 64).status == 401
    assert server.ask(path="/sync/bank", body=SYNC, token=server.tokens["ann"]).status == 403
    assert server.ask(path="/sync", body=SYNC, token=server.tokens["ann"], Host="evil.example").status == 421
    assert server.ask("GET", "/sync", token=server.tokens["ann"]).status == 405


def test_two_projects_of_a_server_stay_apart(team: Team, server: Server):
    ann, cem = member(team, server, "ann"), team.machine("cem")
    cem.set_share("all", server.create("cem", "owner", "bank"))
    ann.keep("Fix the login")
    ann.sync(server.url)
    state = server.ask(path="/sync", body=SYNC, token=server.tokens["ann"]).json["state"]
    assert cem.sync(server.url).received == {}
    asked = {"do": "paths", "state": state}
    assert server.ask(path="/sync", body=asked, token=server.tokens["ann"]).json["paths"]
    assert server.ask(path="/sync", body=asked, token=server.tokens["cem"]).status == 400


def test_a_forged_tombstone_buries_nothing(team: Team, server: Server):
    from rum.app.sync.sync import tombstone_of
    from rum.model.sync import VersionName, digest_of

    ann, eve = member(team, server, "ann"), member(team, server, "eve")
    kept = ann.keep("Fix the login")
    ann.sync(server.url)
    own = eve.keep("Mine")
    eve.sync(server.url)
    bodies = ({"kind": "memory", "key": kept}, {"kind": "memory", "key": own})
    grave = tombstone_of(("memory", kept))
    for body in bodies:  # that of Ann's memory, and one that names Eve's own in it
        path = VersionName(*grave, 1, 2_000_000_000, digest_of(body)).path
        sent = {"do": "publish", "added": [[path, json.dumps({"id": "", "body": body})]]}
        assert server.ask(path="/sync", body=sent, token=server.tokens["eve"]).json["refused"] == 1
    state = server.ask(path="/sync", body=SYNC, token=server.tokens["eve"]).json["state"]
    every = server.ask(path="/sync", body={"do": "paths", "state": state}, token=server.tokens["eve"]).json[
        "paths"
    ]
    gone = {"do": "publish", "state": state, "removed": [path for path in every if kept in path]}
    server.ask(path="/sync", body=gone, token=server.tokens["eve"])
    ann.sync(server.url)
    assert ann.goals() == {"Fix the login", "Mine"}
    assert server.call("recall", server.tokens["ann"], memory_id=kept).tool["memories"]


def test_addresses_and_tokens_are_checked(team: Team, server: Server):
    ann = team.machine("ann")
    with pytest.raises(InvalidQuery, match="RUM_TOKEN"):
        ann.sync(server.url)
    ann.set_share("all", "rum_" + "0" * 64)
    with pytest.raises(PermissionDenied, match="401"):
        ann.sync(server.url)
    with pytest.raises(InvalidQuery, match="Use https"):
        ann.sync("http://memory.example.com/mcp")
    server.process.kill()
    server.process.wait()
    with pytest.raises(StorageError, match="Nothing is lost"):
        ann.sync(server.url)
    server.process.returncode = 0


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://memory.example.com/mcp", True),
        ("https://memory.example.com/mcp/shop", True),
        ("https://memory.example.com", True),
        ("https://example.com/rum/mcp/", True),
        ("https://github.com/acme/shop.git", False),
        ("https://github.com/acme/mcp.git", False),
        ("ssh://git@example.com/mcp", False),
        ("git@example.com:acme/mcp", False),
        ("/srv/mcp", False),
    ],
)
def test_a_server_is_told_from_a_git_repository_by_its_address(address: str, expected: bool):
    assert is_server(address) is expected
