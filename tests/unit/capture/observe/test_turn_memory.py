"""A turn becomes a memory with intent, perception, actions and outcome, or none with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from rum.capture.events.event import INTERRUPTED
from rum.capture.observe.stories import stories_of
from rum.capture.observe.turn_memory import observe_turn
from rum.capture.observe.turns import Report
from support.captured_events import CRASH, Telling, failed_then_fixed


def said(telling: Telling) -> dict[str, Any]:
    (turn,) = telling.turns()
    found = observe_turn(turn).fields
    assert found is not None
    return found


def skip_reason(telling: Telling) -> str:
    found = observe_turn(telling.turns()[-1])
    assert found.fields is None
    return found.skip_reason


def results(memory: dict[str, Any]) -> list[tuple[str, bool | None]]:
    named = [
        (one.get("command") or one.get("diff_summary") or one["query"], one.get("result"))
        for one in memory["actions"]
    ]
    return [(name, result and result["success"]) for name, result in named]


def test_a_memory_records_the_failed_attempt_and_its_replacement():
    memory = said(failed_then_fixed(Telling()))
    assert (
        memory["intent"]["goal"] == "The mean of an empty list should be 0.0, but mean([]) crashes. Fix it."
    )
    assert memory["intent"]["task_type"] == "bug_fix"
    assert memory["perception"]["relevant_files"] == [{"path": "stats.py", "relevance": "read lines 1-9"}]
    assert results(memory) == [
        ("+        return 0.0", True),
        ("-    return sum(v)\n+    if v is None:", False),
        ("python3 check_stats.py", False),
        ("-    if v is None:\n+    if not v:", True),
        ("python3 check_stats.py", True),
    ]
    assert memory["actions"][1]["result"]["error"] == "ZeroDivisionError: division by zero in mean (stats.py)"
    assert memory["outcome"]["success"] is True
    assert memory["outcome"]["verified_by"] == {
        "type": "test",
        "command": "python3 check_stats.py",
        "result": "all checks passed",
    }
    (learned,) = memory["outcome"]["learnings"]
    assert "`if v is None:` failed (ZeroDivisionError" in learned
    assert "replaced by `if not v:`" in learned


def test_a_change_after_a_passing_check_is_not_a_failed_attempt():
    telling = Telling().prompt("Fix the mean").edit("a.py", "x = 1", "y = 2").run("pytest", "1 passed")
    memory = said(telling.edit("a.py", "y = 2", "z = 3").run("pytest", "1 passed").stop())
    assert [success for _, success in results(memory)] == [True, True, True, True]


@pytest.mark.parametrize(
    "back", ["git checkout -- a.py", "git restore a.py", "git stash", "git reset --hard"]
)
def test_a_change_reverted_after_a_failure_has_failed(back: str):
    telling = Telling().prompt("Fix the mean").edit("a.py", "x = 1", "y = 2").run("pytest", CRASH, 1)
    memory = said(telling.run(back).edit("b.py", "q", "r").run("pytest", "3 passed").stop())
    assert results(memory)[0][1] is False


def test_work_whose_check_fails_until_the_end_has_failed():
    telling = Telling().prompt("Fix the mean").edit("a.py", "x = 1", "y = 2").run("pytest", CRASH, 1)
    memory = said(telling.stop("It is done."))
    assert memory["outcome"]["success"] is False
    assert memory["outcome"]["failure_category"] == "test_failure"
    assert "ZeroDivisionError" in memory["outcome"]["failure_reason"]
    # The line is still there; what is wrong with it is not known.
    assert results(memory)[0] == ("-x = 1\n+y = 2", True)


def test_with_several_files_none_is_blamed():
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b").edit("b.py", "a", "b").run("pytest", CRASH, 1)
    assert [success for _, success in results(said(telling.stop()))] == [True, True, False]


def test_the_output_shows_a_failure_that_the_exit_code_hides():
    telling = (
        Telling().prompt("Fix it").edit("a.py", "a", "b").run("pytest | tail -2", "1 failed, 3 passed in 1s")
    )
    memory = said(telling.stop("All good!"))
    assert memory["outcome"]["success"] is False
    assert memory["outcome"]["verified_by"]["result"] == "1 failed, 3 passed"


@pytest.mark.parametrize(
    ("command", "output", "success"),
    [
        ("pytest -q", "log: 2 errors handled\n5 passed in 1s", True),
        ("npm test", "console.error 3 failed logins\nTests: 5 passed, 5 total", True),
        ("npm test 2>&1", "FAIL: a word in a fixture\nTests: 5 passed, 5 total", True),
        ("pytest -q -k 'a|b'", "log: 2 errors handled\n5 passed in 1s", True),
        ("pytest -q | tail -3", "2 errors\n5 passed in 1s", False),
        ("pytest -q; echo done", "1 failed, 5 passed", False),
        ("python check.py", "1 failed, 5 passed", False),
    ],
)
def test_a_good_exit_code_outweighs_single_words_of_the_output(command: str, output: str, success: bool):
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b").run(command, output)
    assert said(telling.stop())["outcome"]["success"] is success


def test_a_failure_fixed_by_other_means_is_no_failure():
    telling = Telling().prompt("Fix it").run("pytest", CRASH, 1).edit("a.py", "a", "b")
    assert said(telling.run("pytest", "4 passed").stop())["outcome"]["success"] is True


def test_without_a_check_the_last_words_count():
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b").stop("I could not make it work.")
    outcome = said(telling)["outcome"]
    assert (outcome["success"], outcome["failure_reason"]) == (False, "I could not make it work.")


def test_a_command_that_failed_last_is_a_failure():
    telling = Telling().prompt("Deploy it").run("deploy.sh", "Exit code 1\nfatal: no such remote", 1)
    outcome = said(telling.stop("Deployed."))["outcome"]
    assert (outcome["success"], outcome["failure_reason"]) == (False, "deploy.sh: fatal: no such remote")


@pytest.mark.parametrize(
    ("output", "category"),
    [
        ("Exit code 1\nModuleNotFoundError: No module named 'x'", "missing_dependency"),
        ("Exit code 1\nTypeError: bad operand", "type_error"),
        ("Exit code 1\nAssertionError: no", "test_failure"),
    ],
)
def test_the_failure_category_follows_from_the_error(output: str, category: str):
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b").run("pytest", output, 1).stop()
    assert said(telling)["outcome"]["failure_category"] == category


def test_an_interrupted_turn_is_partial():
    memory = said(Telling().prompt("Rename it").edit("a.py", "a", "b"))
    assert (memory["outcome"]["success"], memory["tags"]) == (False, ["partial", "unverified"])


def test_a_change_that_nothing_checked_is_unverified():
    done = "All done, the mean is right now."
    telling = Telling().prompt("Fix the mean").edit("a.py", "a", "b")
    assert said(telling.stop(done))["tags"] == ["unverified"]
    checked = Telling().prompt("Fix the mean").edit("a.py", "a", "b").run("pytest", "3 passed", 0)
    assert said(checked.stop(done))["tags"] == []


def test_a_turn_that_does_not_work_by_the_next_prompt_has_failed():
    telling = failed_then_fixed(Telling()).prompt("No, that still crashes for None.")
    first, _ = telling.turns()
    found = observe_turn(first).fields
    assert found is not None
    assert found["outcome"]["success"] is False
    assert found["outcome"]["failure_reason"].startswith("The user reported:")


def test_commits_are_recorded():
    telling = Telling().prompt("Add it").edit("a.py", "a", "b")
    telling.run("git add -A && git commit -m 'Add it'", "[main 1234abc] Add it\n 1 file changed").stop()
    (turn,) = telling.turns()
    found = observe_turn(turn)
    assert found.commit == "1234abc"
    assert found.fields is not None
    assert found.fields["perception"]["observations"][0]["what"] == "Committed 1234abc: Add it"


def test_small_talk_and_reading_make_no_memory():
    assert skip_reason(Telling().prompt("Thanks!").stop("You're welcome.")) == "nothing done"
    assert skip_reason(Telling().prompt("Open a.py").read("a.py").stop("Here.")) == "only looked around"


def test_an_investigation_with_a_conclusion_makes_a_memory():
    telling = Telling().prompt("How does the cache work?").read("a.py").read("b.py").read("c.py")
    memory = said(telling.stop("It keeps entries by key and drops the oldest one when full. " * 3))
    assert memory["intent"]["task_type"] == "investigation"
    assert memory["outcome"]["success"] is True
    assert [file["path"] for file in memory["perception"]["relevant_files"]] == ["a.py", "b.py", "c.py"]


def test_a_denied_call_is_ignored():
    telling = (
        Telling()
        .prompt("Fix it")
        .call(
            "edit",
            failed=True,
            output="The user doesn't want to proceed",
            files=[{"path": "a.py", "operation": "edit"}],
        )
    )
    assert skip_reason(telling.stop("Ok.")) == "nothing done"


@pytest.mark.parametrize(
    ("command", "code"),
    [("docker ps", 1), ("pgrep server", 1), ("curl -sf localhost:8000/health", 7), ("git diff --quiet", 1)],
)
def test_a_failing_query_command_is_no_failure(command: str, code: int):
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b").run(command, "", code)
    assert said(telling.stop())["outcome"]["success"] is True


@pytest.mark.parametrize(
    ("command", "code", "result"),
    [
        ("timeout 5 npm run dev", 124, None),
        ("npm run dev", 130, None),
        ("npm run dev", 137, None),
        ("make data", 143, None),
        ("docker compose up", 124, None),
        ("make data", 2, False),
    ],
)
def test_a_stopped_command_has_no_result(command: str, code: int, result: bool | None):
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b").run(command, "listening", code)
    memory = said(telling.stop())
    assert results(memory)[-1] == (command, result)
    assert memory["outcome"]["success"] is (result is None)


@pytest.mark.parametrize(
    "how", [{"source": INTERRUPTED}, {"output": "Exit code 137\n[Request interrupted by user for tool use]"}]
)
def test_an_interrupted_command_is_ignored(how: dict[str, Any]):
    telling = Telling().prompt("Start it").call("run", failed=True, command="npm run dev", exit=137, **how)
    assert skip_reason(telling.stop("Ok.")) == "nothing done"


def test_a_failed_edit_is_recorded_as_failed():
    telling = (
        Telling()
        .prompt("Fix it")
        .call(
            "edit",
            failed=True,
            output="String to replace not found in file.",
            files=[{"path": "a.py", "operation": "edit"}],
        )
    )
    memory = said(telling.edit("a.py", "a", "b").stop())
    assert memory["actions"][0]["result"] == {
        "success": False,
        "error": "String to replace not found in file.",
    }


def test_a_long_turn_keeps_the_most_important_actions():
    telling = Telling().prompt("Fix it")
    for number in range(150):
        telling.edit(f"f{number}.py", "a", "b").run(f"touch {number}")
    telling.run("pytest", CRASH, 1)
    memory = said(telling.stop())
    assert 50 < len(memory["actions"]) <= 60
    assert memory["actions"][-1]["command"] == "pytest"
    assert memory["actions"][0]["file_path"] == "f0.py"


def test_a_subagents_goal_is_its_prompt():
    telling = Telling().prompt("Do both")
    telling.call("agent", text="Mend the parser.").agent("a1").edit("p.py", "a", "b").stop("Mended.")
    main, sub = telling.agent("").stop().turns()
    assert (main.prompt, sub.prompt, sub.agent_type) == ("Do both", "Mend the parser.", "explorer")
    found = observe_turn(sub).fields
    assert found is not None
    assert found["intent"]["goal"] == "Mend the parser."


def test_memories_stored_by_the_agent_are_named():
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b")
    telling.add(
        "after", "c9", tool="rum", tool_name="mcp__rum__store", call="c9", memories=["mem_1", "mem_2"]
    ).stop()
    (turn,) = telling.turns()
    assert observe_turn(turn).stored == ("mem_1",)


@pytest.mark.parametrize(
    ("command", "is_made"),
    [
        ("echo '{}' | rum store", True),
        ("rum --project x store <<EOF\n{}\nEOF", True),
        ("rum recall store", False),
        ("echo store | rum recall x", False),
    ],
)
def test_a_memory_stored_on_the_command_line_is_named_too(command: str, is_made: bool):
    telling = Telling().prompt("Fix it").edit("a.py", "a", "b")
    telling.call("rum", command=command, memories=["mem_1"])
    assert observe_turn(telling.stop().turns()[0]).stored == (("mem_1",) if is_made else ())


def test_turns_without_ids_are_named_by_their_prompts():
    telling = Telling(client="gemini").prompt("Fix it", "").edit("a.py", "a", "b").stop()
    telling.prompt("Fix it", "").edit("b.py", "a", "b").stop()
    names = [turn.key.turn for turn in telling.turns()]
    assert len(set(names)) == 2
    assert [name.partition("-")[2] for name in names] == ["1", "2"]


@pytest.mark.parametrize(
    ("words", "is_learned"),
    [
        ("The limit is included now. The agent believed it comes from the environment; it does not.", False),
        ("The limit is included now. The agent found that it comes from the environment.", True),
    ],
)
def test_a_subagents_finding_is_learned_unless_the_agent_disputes_it(words: str, is_learned: bool):
    telling = Telling().prompt("ok(3) should be True").edit("s.py", "n < LIMIT", "n <= LIMIT").stop(words)
    (turn,) = telling.turns()
    report = Report("general-purpose", "Where does it come from?", "The limit is read from the environment.")
    fields = observe_turn(turn._replace(reports=(report,))).fields
    assert fields is not None
    learned = any("The limit is read from" in one for one in fields["outcome"]["learnings"])
    assert learned is is_learned
    assert any("The limit is read from" in one["what"] for one in fields["perception"]["observations"])


@pytest.mark.parametrize(
    ("said", "stories"),
    [("-v works; test_h is red until -h is there.", 1), ("-v works. Shall I add -h too?", 2)],
)
def test_an_agreement_goes_on_with_the_work_unless_it_answers_something(said: str, stories: int):
    telling = (
        Telling().prompt("main() should know -v and -h").edit("cli.py", "a", "if v: return 1").stop(said)
    )
    telling.prompt("good. next").edit("cli.py", "b", "if h: return 2").stop("-h works too.")
    assert len(stories_of(telling.turns())) == stories
