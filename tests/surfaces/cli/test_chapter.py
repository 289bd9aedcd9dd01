"""`rum chapter`, `rum wisdom` and `rum refresh`."""

from __future__ import annotations

from typing import Any

import pytest

from rum import Rum
from surfaces.cli.running import Run

TALES: list[dict[str, Any]] = [
    {"goal": "Fix JWT token expiry", "learning": "Always handle refresh token expiry too"},
    {"goal": "Queue requests while refreshing", "learning": "A queue prevents races"},
    {"goal": "Rotate the keys", "learning": "Key caches must be flushed before rotation"},
]


@pytest.fixture
def ids(rum: Rum) -> list[str]:
    return [
        rum.store(
            intent={"goal": tale["goal"], "task_type": "bug_fix"},
            outcome={"success": True, "summary": "It works", "learnings": [tale["learning"]]},
            tags=["auth"],
        ).memory_id
        for tale in TALES
    ]


def _keep(rum: Rum, goal: str, *paths: str) -> str:
    return rum.store(
        intent={"goal": goal, "task_type": "feature_add"},
        outcome={"success": True, "summary": "Done"},
        actions=[{"type": "file_edit", "file_path": path} for path in paths],
    ).memory_id


@pytest.fixture
def chapters(rum: Rum, ids: list[str]) -> list[str]:
    return [rum.chapters.create(memory_ids=one).chapter_id for one in (ids[:2], ids[1:])]


def test_a_chapter_is_created_listed_and_shown(run: Run, ids: list[str]):
    made = run("chapter", "create", *ids, "--title", "Tokens", "--learning", "Handle refresh token expiry")
    assert made.code == 0, made.err
    assert made.out.startswith("Tokens [chapter_")
    assert f"Handle refresh token expiry (1: {ids[0][-8:]})" in made.out
    listed = run("chapters", "list", "--tag", "auth", "--since", "7d", "--limit", "3")
    chapter = run("chapter", "list", "--json").json["chapters"][0]["id"]
    assert listed.out == f"Tokens: 3 memories [{chapter[-8:]}]\n"
    shown = run("chapter", "show", chapter[-8:].upper())
    assert all(one in shown.out for one in ids)
    assert run("chapter", "show", chapter, "--json").json["memory_ids"] == ids


def test_notes_and_hints_go_to_stderr(run: Run, ids: list[str]):
    made = run("chapter", "create", "--tag", "auth", "--json").json
    assert (made["origin"], made["memory_count"]) == ("auto", 3)
    assert run("chapter", "forget", made["chapter_id"]).out == "Forgotten: 1 chapter, 3 members.\n"
    refused = run("chapter", "create", "--tag", "auth")
    assert refused.code == 1
    assert "was forgotten" in refused.err
    again = run("chapter", "create", *ids)
    assert "it was made again" in again.err
    few = run("chapter", "create", "--tag", "auth", "--tag", "nowhere", "--min-memories", "2")
    assert (few.code, "There are no memories with all the tags auth, nowhere" in few.err) == (1, True)
    assert "`--min-memories`" in few.err
    unnamed = run("chapter", "create")
    assert (unnamed.code, "`ID`" in unnamed.err, "`--tag`" in unnamed.err) == (2, True, True)
    for command in ((), ("--tag", "nowhere")):
        error = run("wisdom", "synthesize", *command).err
        assert "`--" in error
        assert "chapter_ids" not in error
        assert "min_chapters" not in error
    assert "no chapters yet" not in run("chapter", "list", "--tag", "nowhere").err


def test_wisdom_is_created_found_and_shown(run: Run, chapters: list[str]):
    assert "synthesize" in run("wisdom", "recall").err
    made = run("wisdom", "synthesize", *chapters, "--practice", "Flush key caches before rotation")
    assert made.code == 0, made.err
    assert "Flush key caches before rotation (1: " in made.out
    found = run("wisdom", "recall", "token", "expiry", "--tag", "auth", "--chapters", "--json").json
    [wisdom] = found["wisdom"]
    assert wisdom["chapter_ids"] == chapters
    shown = run("wisdom", "show", wisdom["id"])
    assert all(one in shown.out for one in chapters)
    assert "confidence" in run("wisdom", "recall", "token", "expiry").out
    assert "nothing about this" in run("wisdom", "recall", "zebra").err
    assert run("wisdom", "forget", wisdom["id"], "--dry-run").out == "Would forget: 1 wisdom, 2 sources.\n"
    assert run("wisdom", "forget", wisdom["id"], "--purge").out.startswith("Forgotten: 1 wisdom")


def test_refreshing_shows_a_diff(run: Run, rum: Rum, ids: list[str], chapters: list[str]):
    wisdom = rum.wisdom.synthesize(chapter_ids=chapters).wisdom_id
    assert run("refresh").out == "Nothing is stale.\n"
    rum.update_memory(ids[2], outcome={"learnings": ["Caches forget keys only on restart"]})
    assert "stale" in run("chapter", "list").out
    tried = run("refresh", "--dry-run")
    assert "- learnings: Key caches must be flushed before rotation\n" in tried.out
    assert "+ learnings: Caches forget keys only on restart\n" in tried.out
    assert f"because {ids[2]} was changed\n" in tried.out
    assert "would be updated" in tried.out
    assert run("chapter", "refresh", "--dry-run").out in tried.out
    done = run("refresh", chapters[1])
    assert " updated\n" in done.out
    assert [one["id"] for one in run("refresh", "--json").json["refreshed"]] == [wisdom]
    assert run("wisdom", "refresh", wisdom).out.splitlines()[-1] == "unchanged"
    assert run("refresh", "chapter_unknown00").code == 1


def test_no_suggestions_are_reported(run: Run, ids: list[str]):
    assert "No suggestions" in run("chapter", "suggest").err
    assert run("chapters", "suggest", "--limit", "3", "--json").json == []


def test_a_suggested_group_has_goals_and_ids_to_create_it(run: Run, rum: Rum):
    for number in range(40):
        _keep(rum, f"Everyday item {number} of part{number % 7}", f"src/part{number % 7}/file{number}.py")
    story = [
        _keep(rum, f"{deed} webhook signatures", "src/hooks/send.py", "src/hooks/sign.py")
        for deed in ("Send", "Check", "Rotate", "Retry", "Log", "Test")
    ]
    shown = run("chapter", "suggest", "--limit", "1").out
    assert "memories:\n  - Send webhook signatures\n" in shown
    assert "  - and 1 more\n" in shown
    tails = next(line for line in shown.splitlines() if line.startswith("ids: ")).split()[1:]
    assert tails == [one[-8:] for one in story]
    assert run("chapter", "create", *tails).code == 0


def test_forgetting_a_memory_names_the_chapters_that_become_stale(
    run: Run, ids: list[str], chapters: list[str]
):
    output = run("forget", ids[0])
    assert output.out.endswith(f"update with `rum refresh`: {chapters[0]}\n")
    assert run("forget", ids[1], "--dry-run", "--json").json["renew"] == chapters
    assert run("forget", ids[1], "--json").json["renew"] == chapters[1:]  # the first one went with it


def test_chapters_and_wisdom_are_forgotten_by_id(run: Run, chapters: list[str]):
    assert "Forgotten: 1 chapter, 2 members." in run("forget", chapters[0]).out
    assert run("chapter", "list", "--json").json["total"] == 1


def test_recall_shows_chapters_and_wisdom_after_the_memories(run: Run, chapters: list[str]):
    found = run("recall", "refresh", "token", "expiry")
    *memories, chapter = found.out.splitlines()
    assert "Fix JWT token expiry" in memories[0]
    assert chapter.startswith("chapter: ")


def test_escape_sequences_are_removed(run: Run, rum: Rum, ids: list[str]):
    evil = "\x1b[31mred\x07"
    rum.chapters.create(memory_ids=ids, summary=evil, learnings=[evil], tags=[evil])
    for command in (("chapter", "list"), ("chapter", "show"), ("recall", "red", "token")):
        shown = rum.chapters.list().chapters[0].id
        output = run(*command, *([shown] if command[1] == "show" else []))
        assert "\x1b" not in output.out + output.err
        assert "\x07" not in output.out + output.err


def test_an_import_counts_chapters_and_wisdom(run: Run, chapters: list[str]):
    exported = run("export").out.encode()
    assert "Added 0 chapters and wisdom (2 already present)." in run("import", "-", stdin=exported).out


def test_only_matching_claims_of_wisdom_are_shown(run: Run, chapters: list[str]):
    claims = ("--insight", "Handle refresh token expiry", "--practice", "Flush key caches before rotation")
    run("wisdom", "synthesize", *chapters, *claims)
    output = run("wisdom", "recall", "flush", "key", "caches").out
    assert "Flush key caches before rotation (1: " in output
    assert "Handle refresh token expiry" not in output
    assert "\nmore: 1 (rum wisdom show " in output


def test_a_forgotten_chapter_is_reported_and_created_again_on_request(run: Run, ids: list[str]):
    made = run("chapter", "create", "--tag", "auth", "--json").json["chapter_id"]
    run("chapter", "forget", made)
    output = run("chapter", "create", "--tag", "auth").err
    assert len(output.splitlines()) == 1
    assert "`--again`" in output
    again = run("chapter", "create", "--tag", "auth", "--again")
    assert again.code == 0
    assert "made again" in again.err


def test_hints_name_commands_and_a_group_without_a_command_prints_help(run: Run):
    assert "`rum chapter create` makes one" in run("chapter", "list").err
    assert "`rum wisdom synthesize` makes it" in run("wisdom", "recall").err
    alone = run("chapter")
    assert alone.code == 2
    assert (alone.out + alone.err).count("Usage:") == 1
