"""`rum recall`, `show`, `trace`, `list` and `tags`, also for scripts (`--ids`, `--quiet`)."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rum import Rum
from rum.surfaces.cli.main import main
from support.repositories import Repository
from surfaces.cli.running import FLAGS, JSON, Run

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


def as_json(answer: object) -> Any:
    return json.loads(msgspec.json.encode(answer))


def store(rum: Rum, goal: str, success: bool = True, **more: object) -> str:
    outcome = {"success": success, "summary": f"Done: {goal}"}
    return rum.store(
        intent={"goal": goal, "task_type": "other"},
        outcome=outcome,
        **more,  # type: ignore[arg-type]
    ).memory_id


def test_recall_prints_one_line_per_memory(run: Run, stored: str):
    ran = run("recall", "token", "refresh")
    day = time.strftime("%Y-%m-%d")
    told = "The lock was held too short (Only the request was guarded)"
    line = f"FAIL Fix the race in token refresh — {told} [{stored[-8:]} {day}]"
    assert (ran.code, ran.out.rpartition(" ")[0], ran.err) == (0, line, "")


def test_recall_prints_the_json_of_the_api(run: Run, rum: Rum, stored: str):
    for depth in ("summary", "outcome", "reasoning", "full", "complete"):
        printed = run("recall", "token", "--depth", depth, "--links", "--json").json
        rum.use_session("another")  # as every command is one; what this session made lately would weigh
        answer = as_json(rum.recall(query="token", depth=depth, include_links=True))
        if depth == "complete":  # which tells how often it was asked for, and that is once more each time
            for one in (printed, answer):
                one["memories"][0]["access_count"] = one["memories"][0]["last_accessed"] = one[
                    "token_estimate"
                ] = 0
        assert printed == answer


def test_json_in_a_pipe_is_one_compact_line(run: Run, stored: str):
    out = run("recall", "token", "--json").out
    assert out.endswith("}\n")
    assert len(out.splitlines()) == 1
    assert '": ' not in out


def test_every_option_of_recall_is_passed_on(run: Run, rum: Rum, stored: str):
    agent = rum.agents()[0].agent_id
    other = store(rum, "Paint the fence", tags=["garden"])
    fits = [
        ["--memory-id", stored[-8:]],
        ["--file", "src/auth.py"],
        ["--file", "src/", "--file", "nowhere.py"],
        ["--intent", "fix token refresh"],
        ["--type", "bug-fix"],
        ["--agent-id", agent, "--tag", "auth"],
        ["--failures-only"],
        ["--tag", "auth", "--since", "1h"],
        ["--tag", "auth", "--before", str(int(time.time()) + 60)],
        ["token", "--strategy", "auto", "--min-confidence", "0", "--limit", "1"],
    ]
    for flags in fits:
        found = run("recall", "--json", *flags).json["memories"]
        assert [memory["id"] for memory in found] == [stored], flags
    for flags in (["--success-only"], ["--tag", "garden"], ["fence"]):
        assert run("recall", "--json", *flags).json["memories"][0]["id"] == other


@pytest.mark.parametrize(
    "flags",
    [
        ["--since", "0", "--before", "1d"],
        ["--session-id", "another", "token"],
        ["--agent-id", "nobody", "token"],
    ],
)
def test_filters_exclude(run: Run, stored: str, flags: list[str]):
    ran = run("recall", "--json", *flags)
    assert ran.json["code"] == "NO_RESULTS"


def test_no_results_print_a_hint_and_are_no_error(run: Run, stored: str):
    ran = run("recall", "zebra")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("No matches by words, and most memories have no vector yet")
    run("tidy", "--wait")
    assert run("recall", "zebra").err.startswith("No matches.")
    assert len(ran.err.splitlines()) == 1
    in_json = run("recall", "zebra", "--json")
    assert (in_json.json["memories"], in_json.err) == ([], "")


@pytest.mark.parametrize(
    ("arguments", "proposed"),
    [
        (["token", "--success-only"], "without --success-only (1 found)"),
        (["token", "--before", "2020-01-01"], "without --before (1 found)"),
        (["token", "--type", "refactor"], "without --type (1 found)"),
        (["token", "--strategy", "exact"], "--strategy auto (1 found)"),
        (["token", "--max-tokens", "1"], "nothing fits in --max-tokens 1"),
        (["--memory-id", "ID", "--success-only"], "ask for --memory-id alone"),
        (["--tag", "auth"], "--superseded (1 found)"),
    ],
)
def test_a_hint_names_the_options_of_the_command(
    run: Run, rum: Rum, stored: str, arguments: list[str], proposed: str
):
    if "--tag" in arguments:
        store(rum, "Paint the fence", links={"supersedes": stored})
    printed = [stored if one == "ID" else one for one in arguments]
    ran = run("recall", *printed)
    assert (ran.code, ran.out) == (0, "")
    assert proposed in ran.err
    assert proposed in run("recall", *printed, "--json").json["hint"]


@pytest.mark.parametrize("arguments", [[], ["--limit", "3"], [""], ["--success-only", "--failures-only"]])
def test_an_invalid_question_is_explained_with_the_names_of_options(run: Run, arguments: list[str]):
    error_text = run("recall", *arguments).err
    assert "--failures-only" in error_text
    assert "_only" not in error_text
    assert ("WORDS, --file, --symbol, --intent, --memory-id, --type, " in error_text) == (
        "--success-only" not in arguments
    )


def test_semantic_search_without_an_embedder_names_the_setting(
    run: Run, stored: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    ran = run("recall", "--strategy", "semantic", "token")
    assert (ran.code, ran.out) == (0, "")
    assert "the setting embedder is none (by RUM_EMBEDDER); set it to builtin" in ran.err


class Watching(io.RawIOBase):
    """A pipe whose reader checks, when output arrives, how often memories were used so far."""

    def __init__(self, activity: Path) -> None:
        super().__init__()
        self.activity = activity
        self.seen: list[int] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        self.seen.append(self.uses())
        return memoryview(data).nbytes

    def uses(self) -> int:
        with closing(sqlite3.connect(self.activity)) as db:
            return db.execute("SELECT coalesce(sum(times), 0) FROM uses").fetchone()[0]


@pytest.mark.parametrize("command", ["recall token", "show ID", "trace ID"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_answer_is_printed_before_its_use_is_recorded(
    stored: str, rum: Rum, command: str, form: list[str], monkeypatch: pytest.MonkeyPatch
):
    pipe = Watching(Path(rum.project.directory, "activity.db"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(pipe), encoding="utf-8"))
    assert main([*command.replace("ID", stored).split(), *form]) == 0
    assert pipe.seen
    assert set(pipe.seen) == {0}
    assert pipe.uses() == 1


def test_a_pipe_gets_the_confidence_unless_it_is_certain(run: Run, stored: str):
    found = run("recall", "token", "--json").json["memories"][0]["confidence"]
    assert 0 < found < 0.99
    line = f" [{stored[-8:]} {time.strftime('%Y-%m-%d')}]"
    assert run("recall", "token").out.endswith(f"{line} {found:.2f}\n")
    assert run("recall", "--file", "src/auth.py").out.endswith(f"{line}\n")


def test_ids_can_be_written_in_upper_case(run: Run, rum: Rum, stored: str):
    other = store(rum, "Rotate the token")
    tail = stored[-8:].upper()
    assert run("show", stored.upper(), "--json").json["id"] == stored
    for command in ("recall --memory-id ID", "trace ID", "forget ID --dry-run"):
        assert stored[-8:] in run(*command.replace("ID", tail).split()).out
    assert run("update", tail, stdin={"memory_id": stored, "tags": ["x"]}).code == 0
    assert run("history", tail).out.count("\n") == 2
    assert run("restore", tail, "--version", "1").code == 0
    assert run("link", other.upper(), "caused_by", tail).code == 0
    assert run("update", other, "--related-to", tail).code == 0
    assert rum.show(other).links == {"caused_by": [stored], "related_to": [stored]}
    assert run("show", "NOSUCHMEMORY").code == 1


def test_an_imported_id_in_upper_case_is_found(run: Run, stored: str):
    foreign = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    lines = run("export").out.replace(stored, foreign).encode()
    assert run("--project", "other", "import", "-", stdin=lines).code == 0
    for name in (foreign, foreign[-8:]):
        assert run("--project", "other", "show", name, "--json").json["id"] == foreign


def test_a_note_says_how_to_get_more_results(run: Run, rum: Rum):
    for number in range(7):
        store(rum, f"Rotate the token, part {number}")
    assert run("recall", "--tag", "x").err.startswith("No matches")
    assert run("recall", "--since", "1h").err == "5 of 7; raise --limit for more.\n"
    assert run("recall", "--since", "1h", "--limit", "2").err == "2 of 7; raise --limit for more.\n"
    assert run("recall", "--since", "1h", "--limit", "7").err == ""
    # A search by words counts matches with too little confidence to be shown, too: "The 2 best of 7".
    assert run("recall", "token", "--limit", "2").err == "The 2 best of 7; raise --limit for more.\n"
    sure = run("recall", "token", "--limit", "1", "--json").json["confidence"]
    store(rum, "Paint the token fence of the neighbour with green paint and a large brush in the afternoon")
    notes = run("recall", "rotate the token, part 3", "--limit", "50", "--min-confidence", f"{sure:.3f}").err
    assert notes.endswith(" of 8 reach the minimum confidence; lower --min-confidence for more.\n")


def test_superseded_memories_are_shown_on_request(run: Run, rum: Rum, stored: str):
    newer = store(rum, "Hold the token lock longer", links={"supersedes": stored})
    assert stored[-8:] not in run("recall", "token").out
    both = run("recall", "token", "--superseded").out
    assert newer[-8:] in both
    assert stored[-8:] in both


def test_with_a_depth_a_pipe_gets_a_block_per_memory(run: Run, rum: Rum, stored: str):
    store(rum, "Rotate the token")
    out = run("recall", "token", "--depth", "full").out
    first, second = out.split("\n\n")
    for block in (first, second):
        assert block.splitlines()[0].endswith("]")
    assert "learnings:\n  - Hold the lock until the token is written\n" in out
    assert "tags: auth\n" in out
    assert "  - src/auth.py (edit)\n" in out


@pytest.mark.parametrize("command", ["show", "recall --depth outcome --memory-id", "trace --depth outcome"])
def test_the_agent_of_a_memory_is_shown_by_name(run: Run, command: str):
    run("--agent", "Ada Byron", "store", "--goal", "x", "--type", "other", "--success", "--summary", "y")
    (ada,), (one,) = run("agents", "--json").json, run("list", "--json").json["memories"]
    assert f"\nagent_id: {ada['agent_id']} (Ada Byron)\n" in run(*command.split(), one["id"]).out


def test_memories_omitted_by_max_tokens_are_counted_on_stderr(run: Run, rum: Rum):
    for number in range(5):
        store(rum, f"Rotate the token, part {number}")
    ran = run("recall", "token", "--max-tokens", "150")
    assert 0 < len(ran.out.splitlines()) < 5
    assert "omitted" in ran.err


def test_show_prints_every_field_once_or_the_json_of_the_api(run: Run, rum: Rum, stored: str):
    out = run("show", stored[-8:]).out
    assert out.splitlines()[0] == f"FAIL Fix the race in token refresh [{stored}]"
    for field in ("task_type: bug_fix", "context: Users log out", "importance: 0.8", "version: 1"):
        assert out.count(field + "\n") == 1
    answer = run("show", stored, "--json").json
    assert answer.keys() == as_json(rum.show(stored)).keys()
    assert run("show", stored, "--depth", "outcome", "--json").json == as_json(rum.show(stored, "outcome"))


def test_every_layer_of_a_memory_is_readable(run: Run, rum: Rum):
    made = rum.store(
        intent=JSON["intent"],
        outcome={
            "success": True,
            "summary": "Two lines\nof summary",
            "verified_by": {"type": "test", "command": "pytest -q", "result": "12 passed"},
        },
        perception={
            "observations": [{"what": "A race", "where": "src/a.py:4", "significance": "It is the cause"}]
        },
        reasoning={"alternatives_considered": [{"approach": "A queue", "why_rejected": "Too slow"}]},
        actions=[
            {"type": "command_run", "command": "pytest", "result": {"success": False, "error": "1 failed"}},
        ],
    ).memory_id
    out = run("show", made).out
    assert "summary: Two lines\n    of summary\n" in out
    assert "verified_by: test — pytest -q — 12 passed\n" in out
    assert "  - A race — src/a.py:4 — It is the cause\n" in out
    assert "  - A queue — Too slow\n" in out
    assert "  - command_run pytest: failed 1 failed\n" in out


def test_trace_prints_a_tree_with_each_memory_below_its_cause(run: Run, rum: Rum):
    origin = store(rum, "Origin")
    left, right = (store(rum, name, links={"led_to": origin}) for name in ("Left", "Right"))
    under_left, under_right = store(rum, "Under left"), store(rum, "Under right")
    rum.link(left, under_left, "caused_by")
    rum.link(right, under_right, "caused_by")
    lines = run("trace", origin, "--max-depth", "5").out.splitlines()
    goals = [(len(line) - len(line.lstrip()), line.partition("ok ")[2].partition(" —")[0]) for line in lines]
    assert goals[0] == (0, "Origin")
    assert set(goals) == {(0, "Origin"), (2, "Left"), (2, "Right"), (4, "Under left"), (4, "Under right")}
    assert goals.index((4, "Under left")) == goals.index((2, "Left")) + 1
    assert goals.index((4, "Under right")) == goals.index((2, "Right")) + 1
    assert all(line.strip().startswith("caused_by ok ") for line in lines[1:])


def test_trace_shows_causes_or_effects_or_the_json_of_the_api(run: Run, rum: Rum, stored: str):
    cause, effect = store(rum, "Cause"), store(rum, "Effect")
    rum.link(stored, cause, "caused_by")
    rum.link(stored, effect, "led_to")
    out = run("trace", stored, "--direction", "both").out
    assert "  caused_by ok Cause" in out
    assert "  led_to ok Effect" in out
    printed = run("trace", stored, "--direction", "effects", "--depth", "reasoning", "--json").json
    assert printed == as_json(rum.trace(stored, direction="effects", depth="reasoning"))
    assert (
        "summary: Done: Effect\n" in run("trace", stored, "--direction", "effects", "--depth", "outcome").out
    )


def test_trace_says_that_the_other_direction_has_memories(run: Run, rum: Rum, stored: str):
    rum.link(stored, store(rum, "Effect"), "led_to")
    assert (
        "1 effect known too; trace with the direction `effects`."
        in (found := run("trace", stored)).out + found.err
    )
    assert "known too" not in (found := run("trace", stored, "--direction", "effects")).out + found.err
    assert "known too" not in (found := run("trace", stored, "--direction", "both")).out + found.err


def test_list_prints_newest_first_or_the_json_of_the_api(run: Run, rum: Rum, stored: str):
    later = store(rum, "Later")
    lines = run("list").out.splitlines()
    assert [line[-9:-1] for line in lines] == [later[-8:], stored[-8:]]
    assert run("list", "--json").json == as_json(rum.list())
    assert run("list", "--sort", "importance", "--limit", "1", "--json").json == as_json(
        rum.list(sort="importance", limit=1)
    )


def test_list_filters_by_time(run: Run, stored: str):
    assert run("list", "--before", "1h").err == "No memories.\n"
    assert stored[-8:] in run("list", "--since", "1h").out
    assert run("list", "--since", "1h", "--before", "2100-01-01", "--json").json["total"] == 1


def test_tags_are_listed_with_counts_of_memories(run: Run, rum: Rum):
    assert run("tags").err == "No tags yet.\nNo memory here yet: nothing is stored for shop.\n"
    store(rum, "One", tags=["auth", "jwt"])
    store(rum, "Two", tags=["jwt"])
    assert run("tags").out == "jwt\t2\nauth\t1\n"
    expected = [{"tag": "jwt", "memories": 2}, {"tag": "auth", "memories": 1}]
    assert run("tags", "--json").json == expected == as_json(rum.tags())


def test_list_counts_what_it_omits(run: Run, rum: Rum):
    for number in range(3):
        store(rum, f"Number {number}")
    ran = run("list", "--limit", "2")
    assert len(ran.out.splitlines()) == 2
    assert ran.err == "2 of 3.\n"


def test_an_empty_list_prints_nothing_to_a_pipe(run: Run):
    ran = run("list")
    assert (ran.code, ran.out, ran.err) == (
        0,
        "",
        "No memories.\nNo memory here yet: nothing is stored for shop.\n",
    )


def test_list_as_an_agent_shows_its_own_memories(run: Run, stored: str):
    made = run("store", "--agent", "developer", stdin=JSON).id
    found = run("list", "--agent", "developer", "--json").json["memories"]
    assert [memory["id"] for memory in found] == [made]
    assert run("list", "--json").json["total"] == 2


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


def test_memories_with_one_text_are_one_line_that_counts_them(run: Run, rum: Rum):
    ids = {store(rum, "Fix a typo") for _ in range(3)}
    ran = run("recall", "fix", "typo")
    [line] = ran.out.splitlines()
    assert line.endswith("(and 2 similar)")
    assert ran.err == "Of memories with the same goal only one is shown; --similar shows them all.\n"
    everyone = run("recall", "fix", "typo", "--similar", "--ids")
    assert (set(everyone.out.split()), everyone.err) == (ids, "")


def test_why_indents_the_reason_below_its_commit(run: Run, project: Path):
    repository = Repository(project)
    repository.commit("Add a port\n\nThe proxy needs one.", {"port.py": "PORT = 80\n"})
    assert run("why", "port.py:1").out.splitlines()[1:] == [
        f"Line 1: Add a port [{repository.head()[:10]}, 2025-06-05, Ann]",
        "  The proxy needs one.",
    ]


def test_verify_without_anything_to_compare_says_so(run: Run, project: Path):
    repository = Repository(project)
    repository.commit("Add a port", {"port.py": "PORT = 80\n"})
    run("import", "git")
    assert run("verify").out == (
        "Nothing to compare: no memory, note, fact or rule here names code. "
        "Commits and failures are left out: they stay true.\n"
    )


def test_verify_of_a_file_that_nothing_names_says_so(run: Run, project: Path):
    Repository(project).commit("Add a port", {"port.py": "PORT = 80\n"})
    run("rules", "add", "*", "Keep `port.py:1` as it is")
    ran = run("verify", "prot.py")
    assert ran.out == (
        "Nothing that is compared with the code names `prot.py`, and there is no such file. "
        "Did you mean port.py?\n"
    )
    both = run("verify", "port.py", "prot.py")
    assert "Compared 1 item with the code: none went stale." in both.out
    assert "names `prot.py`" in both.err
