"""`--ids` and `--quiet`: output for scripts and pipes."""

from __future__ import annotations

import re

import pytest

from rum import Rum
from surfaces.cli.running import FLAGS, Run

RULE = re.compile(r"rule_[0-9a-z]{26}")


@pytest.fixture
def memories(rum: Rum) -> list[str]:
    """Two memories with a tag, the second caused by the first; newest last."""
    found: list[str] = []
    for goal in ("Cache the token", "Refresh the token early"):
        found.append(
            rum.store(
                intent={"goal": goal, "task_type": "bug_fix"},
                outcome={"success": True, "summary": "Done"},
                tags=["auth"],
                links={"caused_by": found[-1:]},
            ).memory_id
        )
    return found


def lines(run: Run, *arguments: str) -> list[str]:
    """The lines that a command prints; it must succeed and print nothing to stderr."""
    ran = run(*arguments)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.splitlines()


def test_listed_memories_are_printed_as_whole_ids(run: Run, memories: list[str]):
    assert sorted(lines(run, "list", "--ids")) == sorted(memories)
    assert len(lines(run, "list", "--ids", "--limit", "1")) == 1
    assert sorted(lines(run, "recall", "token", "--ids")) == sorted(memories)
    assert lines(run, "recall", "zebra", "--ids") == []
    assert lines(run, "trace", memories[1], "--ids") == memories[::-1]


def test_other_lists_are_printed_as_ids_keys_and_names(run: Run, rum: Rum, memories: list[str]):
    chapter = rum.chapters.create(memory_ids=memories).chapter_id
    wisdom = rum.wisdom.synthesize(chapter_ids=[chapter], min_chapters=1).wisdom_id
    rule = rum.rules.add("deploy", "Ask first").id
    rum.facts.set("ci", "make check")
    rum.notes.add("Token Lifetime", "Tokens live for an hour.", ["token"])
    assert lines(run, "tags", "--ids") == ["auth"]
    assert lines(run, "agents", "--ids") == [agent.agent_id for agent in rum.agents()]
    assert lines(run, "projects", "--ids") == [rum.project.id]
    assert lines(run, "chapter", "list", "--ids") == [chapter]
    assert lines(run, "wisdom", "recall", "--ids") == [wisdom]
    assert lines(run, "rules", "list", "--ids") == [rule]
    assert lines(run, "rules", "match", "--task", "Deploy it", "--ids") == [rule]
    assert lines(run, "facts", "list", "--ids") == ["ci"]
    assert lines(run, "note", "list", "--ids") == ["token-lifetime"]
    assert lines(run, "note", "match", "--task", "Change the token", "--ids") == ["token-lifetime#1"]


def test_a_quiet_command_prints_the_id_and_no_remarks(run: Run, rum: Rum):
    (bug,) = lines(run, "store", "--quiet", *FLAGS)
    (again,) = lines(run, "store", "-q", *FLAGS)
    assert {bug, again} == {memory.id for memory in rum.list().memories}
    assert lines(run, "update", bug, "--quiet", "--importance", "0.9") == [bug]
    (link,) = lines(run, "link", again, "caused_by", bug, "--quiet")
    assert link.startswith("link_")
    (chapter,) = lines(run, "chapter", "create", bug, again, "--quiet")
    assert chapter == rum.chapters.list().chapters[0].id
    (wisdom,) = lines(run, "wisdom", "synthesize", chapter, "--min-chapters", "1", "--quiet")
    assert wisdom == rum.wisdom.recall().wisdom[0].id
    assert lines(run, "note", "add", "Tokens", "--when", "token", "--content", "They end.", "-q") == [
        "tokens#1"
    ]
    (rule,) = lines(run, "rules", "add", "*", "Ask first", "--quiet")
    assert RULE.fullmatch(rule)
    (agent,) = lines(run, "identity", "register", "--name", "ada", "--quiet")
    assert agent.startswith("agent_")


def test_a_quiet_command_prints_no_note_about_a_new_project(run: Run):
    assert len(lines(run, "--project", "elsewhere", "store", "--quiet", *FLAGS)) == 1


def test_a_quiet_command_still_reports_errors(run: Run):
    ran = run("update", "unknown0", "--quiet", "--importance", "0.9")
    assert (ran.code, ran.out) == (1, "")
    assert "unknown0" in ran.err


def test_json_wins_over_quiet_and_excludes_ids(run: Run):
    assert "memory_id" in run("store", "--quiet", "--json", *FLAGS).json
    for arguments in (("list", "--ids", "--json"), ("--json", "list", "--ids")):
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "Use either --json or --ids." in ran.err
