"""What checks prove and refute: the order of baselines, edits, checks and undoings decides."""

from __future__ import annotations

from typing import Any

import pytest

from rum.capture.observe.turn_memory import observe_turn
from support.captured_events import Telling


def memory_of(telling: Telling) -> dict[str, Any]:
    (turn,) = telling.stop().turns() if telling.events[-1]["kind"] != "stop" else telling.turns()
    found = observe_turn(turn).fields
    assert found is not None
    return found


def blamed(memory: dict[str, Any]) -> list[str]:
    """The lines that a memory says did not work."""
    return [
        line[1:].strip()
        for action in memory["actions"]
        if "file_path" in action and (action.get("result") or {}).get("success") is False
        for line in (action["diff_summary"] or "").splitlines()
        if line.startswith("+")
    ]


def red(*names: str, frames: str = "", error: str = "assert 1 == 2", passed: int = 2) -> str:
    """The output of pytest with failed tests."""
    failed = "\n".join(f"FAILED tests/test_kv.py::{name} - {error}" for name in names)
    total = f"{len(names)} failed, {passed} passed in 0.1s"
    return f"Exit code 1\n{frames}\nE   AssertionError: {error}\n{failed}\n{total}"


GREEN = "3 passed in 0.05s"


def test_a_check_before_the_edit_proves_nothing():
    telling = Telling().prompt("Allow touching slots").run("pytest -q", GREEN)
    memory = memory_of(telling.edit("slots.py", "return a <= b", "return a < b").stop("Done, strict now."))
    assert "verified_by" not in memory["outcome"]
    assert memory["tags"] == ["unverified"]
    assert memory["outcome"]["success"] is True


def test_an_edit_after_the_last_check_is_unverified():
    telling = Telling().prompt("Speed it up").edit("a.py", "x = 1", "x = fast(1)").run("pytest -q", GREEN)
    memory = memory_of(telling.edit("a.py", "y = 1", "y = fast(2)"))
    assert "verified_by" not in memory["outcome"]
    assert memory["tags"] == ["unverified"]


def test_an_edit_after_a_failed_check_takes_success_from_the_agents_words():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)").run("pytest", red("test_x"), 1)
    memory = memory_of(telling.edit("a.py", "x = get(1)", "x = get(2)").stop("It is fixed."))
    assert memory["outcome"]["success"] is True
    assert memory["tags"] == ["unverified"]
    assert "verified_by" not in memory["outcome"]


def test_prose_after_the_check_needs_none():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)").run("pytest", GREEN)
    memory = memory_of(telling.edit("CHANGELOG.md", "", "- x is right"))
    assert memory["outcome"]["verified_by"]["result"] == "3 passed"
    assert memory["tags"] == []


def test_what_failed_before_the_first_edit_is_not_held_against_the_work():
    telling = Telling().prompt("Add delete()").run("pytest -q", red("test_clock"), 1)
    telling.edit("kv.py", "", "def delete(self, key):\n    self.data.pop(key)")
    memory = memory_of(telling.run("pytest -q", red("test_clock", passed=4), 1).stop("Added delete()."))
    assert memory["outcome"]["success"] is True
    assert "failure_reason" not in memory["outcome"]
    assert memory["outcome"]["verified_by"]["result"] == "4 passed, 1 failed as before"
    assert blamed(memory) == []


@pytest.mark.parametrize(
    "commands",
    [
        ["git stash", "pytest -q", "git stash pop"],
        ["git stash -u && pytest -q; git stash pop"],
        ["git stash push -q; python -m pytest -q 2>&1 | tail -5; git stash pop -q"],
        ["git stash && pytest -q", "git stash pop"],
    ],
)
def test_what_fails_with_the_edits_stashed_away_was_there_before(commands: list[str]):
    telling = Telling().prompt("Add delete()")
    telling.edit("kv.py", "", "def delete(self, key):\n    self.data.pop(key)")
    telling.run("pytest -q", red("test_clock", passed=4), 1)
    for command in commands:
        code = 1 if command.endswith("pytest -q") else 0
        telling.run(command, red("test_clock") if "pytest" in command else "", code)
    memory = memory_of(telling.stop("Added delete(). test_clock fails without it too."))
    assert memory["outcome"]["success"] is True
    assert blamed(memory) == []
    assert memory["outcome"]["verified_by"]["result"] == "4 passed, 1 failed as before"


def test_two_runs_in_one_command_line_are_told_apart():
    telling = Telling().prompt("Add delete()").edit("kv.py", "", "def delete(self, key):\n    self.pop(key)")
    output = f"{red('test_clock').removeprefix('Exit code 1')}\nDropped refs/stash@{{0}}\n{GREEN}"
    telling.run("git stash; pytest -q; git stash pop; pytest -q", output)
    memory = memory_of(telling)
    assert memory["outcome"]["success"] is True
    assert memory["outcome"]["verified_by"]["result"] == "3 passed"


def test_a_new_failure_beside_an_old_one_is_held_against_the_work():
    telling = Telling().prompt("Add delete()").run("pytest -q", red("test_clock"), 1)
    telling.edit("kv.py", "", "def delete(self, key):\n    self.data.pop(key)")
    memory = memory_of(telling.run("pytest -q", red("test_clock", "test_get"), 1))
    assert memory["outcome"]["success"] is False


def test_the_error_that_was_to_be_fixed_is_held_against_the_edit():
    frames = 'Traceback (most recent call last):\n  File "/p/kv.py", line 8, in get\n    return self.d[k]\n'
    failure = red("test_get", frames=frames)
    telling = Telling().prompt("kv.get() fails, fix it").run("pytest -q", failure, 1)
    telling.edit(
        "kv.py", "def get(self, k):\n    return self.d[k]", "def get(self, k):\n    return self.d[k or 0]"
    )
    memory = memory_of(telling.run("pytest -q", failure, 1))
    assert memory["outcome"]["success"] is False


@pytest.mark.parametrize(
    "undoing",
    [
        ["git checkout -- rates.py", "pytest -q"],
        ["git checkout -- rates.py && pytest -q"],
        ["git checkout rates.py && pytest -q"],
        ["git restore rates.py; pytest -q | tail -1"],
        ["git stash && git stash drop && pytest -q"],
        ["git reset --hard HEAD && pytest -q"],
        ["cd /p && git checkout HEAD -- . && pytest -q"],
    ],
)
def test_work_that_was_undone_is_no_success(undoing: list[str]):
    telling = Telling().prompt("Make it faster")
    telling.edit("/p/rates.py", "def load(path):", "@lru_cache(maxsize=None)\ndef load(path):")
    telling.run("pytest -q", red("test_new_rates"), 1)
    for command in undoing:
        telling.run(command, GREEN if "pytest" in command else "")
    memory = memory_of(telling.stop("The tests pass again."))
    assert memory["outcome"]["success"] is False
    assert "verified_by" not in memory["outcome"]
    assert "undone" in memory["outcome"]["failure_reason"]
    assert blamed(memory) == ["@lru_cache(maxsize=None)"]


def test_work_undone_without_a_failing_check_is_a_failed_attempt_too():
    telling = Telling().prompt("Make it faster").edit("rates.py", "x = load()", "x = load_all()")
    telling.run("pytest -q", GREEN).run("python bench.py", "12.1 s")
    memory = memory_of(telling.run("git checkout -- rates.py").stop("It was not faster, so I took it back."))
    assert memory["outcome"]["success"] is False
    assert blamed(memory) == ["x = load_all()"]


def test_an_edit_that_puts_the_old_lines_back_undoes_the_first():
    telling = Telling().prompt("Make it faster").edit("rates.py", "x = load()", "x = load_all()")
    telling.run("pytest -q", red("test_x"), 1).edit("rates.py", "x = load_all()", "x = load()")
    memory = memory_of(telling.run("pytest -q", GREEN))
    assert memory["outcome"]["success"] is False
    assert blamed(memory) == ["x = load_all()"]
    assert "replaced by" not in str(memory["outcome"]["learnings"])


def test_a_created_file_that_is_deleted_again_is_undone():
    new = [{"path": "/p/cache.py", "operation": "create", "added": "class Cache:\n    size = 3"}]
    telling = Telling().prompt("Add a cache").call("write", files=new).run("pytest", red("test_x"), 1)
    memory = memory_of(telling.run("rm cache.py && pytest", GREEN))
    assert memory["outcome"]["success"] is False


def test_a_failed_checkout_undoes_nothing():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)").run("pytest", GREEN)
    telling.run("git checkout -- b.py", "Exit code 1\nerror: pathspec 'b.py' did not match", 1)
    memory = memory_of(telling.run("pytest", GREEN))
    assert memory["outcome"]["success"] is True


def test_committed_work_survives_a_checkout():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)").run("pytest", GREEN)
    telling.run("git commit -qam 'Fix it'", "[main 1234abc] Fix it").edit("a.py", "y = 1", "y = get(1)")
    memory = memory_of(telling.run("git checkout -- a.py").run("pytest", GREEN))
    assert memory["outcome"]["success"] is True
    assert blamed(memory) == ["y = get(1)"]


def test_a_reverted_commit_is_undone():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)")
    telling.run("git commit -qam 'Fix it'", "[main 1234abc] Fix it").run("pytest", red("test_x"), 1)
    memory = memory_of(telling.run("git revert --no-edit HEAD && pytest", GREEN))
    assert memory["outcome"]["success"] is False
    assert blamed(memory) == ["x = get(1)"]


def test_output_lines_for_debugging_are_no_attempt():
    telling = Telling().prompt("Why is x 0?").edit("a.py", "x = 1", "x = 1\nprint('x is', x)")
    telling.run("pytest", red("test_x"), 1).edit("a.py", "x = 1\nprint('x is', x)", "x = 1")
    telling.edit("a.py", "x = 1", "x = start()")
    memory = memory_of(telling.run("pytest", GREEN))
    assert memory["outcome"]["success"] is True
    assert blamed(memory) == []


def test_a_failure_in_one_function_is_not_blamed_on_an_edit_in_another():
    failure = red("test_get", frames="kv.py:9: in get\n    return self.data[key]\nE   KeyError: 'a'")
    telling = Telling().prompt("Add a delete() method")
    telling.edit("kv.py", "", "    def delete(self, key):\n        self.data.pop(key)")
    telling.run("pytest -q", failure, 1)
    telling.edit(
        "kv.py",
        "    def get(self, key):\n        return self.data[key]",
        "    def get(self, key):\n        return self.data.get(key)",
    )
    telling.edit("kv.py", "        self.data.pop(key)", "        self.data.pop(key, None)")
    memory = memory_of(telling.run("pytest -q", GREEN))
    assert blamed(memory) == []
    assert memory["outcome"]["success"] is True


def test_a_line_that_is_still_there_is_not_blamed():
    telling = Telling().prompt("Guard the mean")
    telling.edit("stats.py", "    return sum(v)", "    if v is None:\n        return 0.0\n    return sum(v)")
    telling.run("pytest", red("test_mean"), 1).edit("stats.py", "    if v is None:", "    if not v:")
    memory = memory_of(telling.run("pytest", GREEN))
    assert blamed(memory) == ["if v is None:"]


def test_a_line_left_in_a_red_file_is_not_blamed():
    telling = Telling().prompt("Add a delete() method")
    telling.edit("kv.py", "", "    def delete(self, key):\n        self.data.pop(key)")
    memory = memory_of(telling.run("pytest -q", red("test_get"), 1).stop("One test still fails."))
    assert memory["outcome"]["success"] is False
    assert blamed(memory) == []
    assert memory["outcome"]["learnings"] == []


def test_the_line_that_carries_the_change_is_named():
    telling = Telling().prompt("Make it faster")
    telling.edit(
        "rates.py",
        "import json\n\n\ndef load(path):",
        "import functools\nimport json\n\n\n@functools.lru_cache(maxsize=None)\ndef load(path):",
    )
    telling.run("pytest", red("test_new_rates", error="20.0 == 30.0"), 1)
    telling.edit(
        "rates.py",
        "import functools\nimport json\n\n\n@functools.lru_cache(maxsize=None)\ndef load(path):",
        "import json\nimport os\n\n\ndef load(path):\n    if _seen.get(path) != os.stat(path).st_mtime:",
    )
    memory = memory_of(telling.run("pytest", GREEN))
    assert blamed(memory) == ["@functools.lru_cache(maxsize=None)"]
    (learning,) = memory["outcome"]["learnings"]
    assert learning.startswith("rates.py: `@functools.lru_cache(maxsize=None)` failed (")
    assert "replaced by `if _seen.get(path) != os.stat(path).st_mtime:`, and pytest passed" in learning


def test_a_flaky_test_blames_nothing():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)").run("pytest", red("test_net"), 1)
    memory = memory_of(
        telling.run("pytest", GREEN).edit("a.py", "x = get(1)", "x = get(2)").run("pytest", GREEN)
    )
    assert blamed(memory) == []


def test_a_passing_linter_does_not_clear_an_edit_of_a_failing_test():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)")
    telling.run("ruff check .", "All checks passed!").run("pytest", red("test_x"), 1)
    memory = memory_of(telling.edit("a.py", "x = get(1)", "x = fetch(1)").run("pytest", GREEN))
    assert blamed(memory) == ["x = get(1)"]


def test_a_failing_test_that_only_a_linter_followed_is_not_settled():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)").run("pytest", red("test_x"), 1)
    memory = memory_of(
        telling.edit("a.py", "x = get(1)", "x = fetch(1)").run("ruff check .", "All checks passed!")
    )
    assert "verified_by" not in memory["outcome"]
    assert memory["tags"] == ["unverified"]


def test_a_change_of_the_file_by_the_shell_counts_as_an_edit():
    telling = Telling().prompt("Rename it").edit("a.py", "x = 1", "x = get(1)").run("pytest", GREEN)
    memory = memory_of(telling.run("sed -i 's/get/fetch/' a.py"))
    assert memory["tags"] == ["unverified"]


def test_a_check_that_could_not_run_proves_and_refutes_nothing():
    telling = Telling().prompt("Fix it").edit("a.py", "x = 1", "x = get(1)")
    memory = memory_of(telling.run("pytest", "Exit code 127\nbash: pytest: command not found", 127))
    assert memory["outcome"]["success"] is True
    assert memory["tags"] == ["unverified"]


@pytest.mark.parametrize(
    ("old", "bad", "good"),
    [
        ("return total // size", "return total // size + 1", "return -(-total // size)"),
        ("return s.replace(' ', '-')", "return s.replace('  ', '-')", "return '-'.join(s.split())"),
        ("done()", "print(len(items))", "log(len(items))"),
    ],
)
def test_what_was_replaced_after_a_failed_check_did_not_work(old: str, bad: str, good: str):
    telling = Telling().prompt("Fix it").edit("a.py", old, bad).run("pytest -q || true", red("test_a"))
    memory = memory_of(telling.edit("a.py", bad, good).run("pytest -q || true", GREEN))
    assert blamed(memory) == [bad]
    assert memory["outcome"]["verified_by"]["result"] == "3 passed"


def test_an_error_that_was_printed_before_the_work_is_not_held_against_it():
    unused = "legacy.py:1: os imported but unused\nmake: *** [Makefile:5: lint] Error 1"
    telling = (
        Telling().prompt("cents() must round").run("make lint; make test", f"{unused}\nRan 1 test\n\nOK", 0)
    )
    telling.edit("money.py", "return int(x)", "return round(x)").run("make test", "Ran 1 test in 0.1s\n\nOK")
    memory = memory_of(telling.run("make lint", unused, 2).stop("cents() rounds."))
    assert memory["outcome"]["success"] is True
    assert memory["outcome"]["verified_by"]["command"] == "make test"


def test_a_new_error_beside_one_that_was_there_is_held_against_the_work():
    unused = "legacy.py:1: os imported but unused\n"
    end = "make: *** [Makefile:5: lint] Error 1"
    telling = Telling().prompt("cents() must round").run("make lint; make test", f"{unused}{end}\nOK", 0)
    telling.edit("money.py", "return int(x)", "import os\nreturn round(x)")
    memory = memory_of(telling.run("make lint", f"{unused}money.py:1: os imported but unused\n{end}", 2))
    assert memory["outcome"]["success"] is False


def test_lines_replaced_after_a_wish_are_known_with_the_users_words():
    telling = Telling().prompt("stamp() soll die Zeit liefern").edit("log.py", 'return ""', "return now()")
    telling.stop("Fertig.").prompt("So geht das nicht: Zeiten stehen bei uns grundsätzlich in UTC im Log.")
    telling.edit("log.py", "return now()", "return now(UTC)").stop("Fertig.")
    first = observe_turn(telling.turns()[0]).fields
    assert first is not None
    (edit,) = (action for action in first["actions"] if "file_path" in action)
    assert edit["result"]["success"] is False
    assert edit["result"]["error"].startswith("replaced after the user said: “So geht das nicht")
    assert "rejected" not in first["tags"]


def test_a_red_test_of_another_part_is_not_held_against_the_work():
    output = (
        'Traceback (most recent call last):\n  File "tests/test_geo.py", line 9, in test_d\nAssertionError: 1'
    )
    telling = Telling().prompt("The subject should say Hello").edit("mail.py", '"Hi "', '"Hello "')
    telling.run("pytest -q", f"{output}\n1 failed, 1 passed in 0.1s", 1).stop("It says Hello.")
    (turn,) = telling.turns()
    for text, succeeds in (
        ("from geo import dist", True),
        ("from mail import subject", False),
        (None, False),
    ):
        found = observe_turn(turn, lambda path, text=text: text).fields
        assert found is not None
        assert found["outcome"]["success"] is succeeds
        assert "verified_by" not in found["outcome"] or not succeeds


@pytest.mark.parametrize(
    ("output", "code", "succeeds"),
    [
        ("Exit code 127\nbash: docker: command not found", 127, True),
        ("Exit code 1\ncurl: (6) Could not resolve host: registry.example.org", 1, True),
        ("Exit code 1\nKeyError: 'port'", 1, False),
    ],
)
def test_a_last_command_that_could_not_run_here_is_no_failure_of_the_work(
    output: str, code: int, succeeds: bool
):
    telling = Telling().prompt("Use port 81").edit("app.yml", "port: 80", "port: 81")
    memory = memory_of(telling.run("docker compose up", output, code).stop("The port is 81."))
    assert memory["outcome"]["success"] is succeeds
    assert ("unverified" in memory["tags"]) is succeeds


@pytest.mark.parametrize(
    ("command", "output", "code", "is_proven"),
    [
        ("sed -i 's/a/b/' pay.py && pytest -q", "3 passed in 1s", 0, True),
        ("pytest -q && sed -i 's/a/b/' pay.py", "3 passed in 1s", 0, False),
        ("cat > pay.py <<'EOF'\nx = 1\nEOF\npytest -q", "3 passed in 1s", 0, True),
        ("sed -i 's/a/b/' pay.py && pytest -q", "1 failed in 1s", 1, False),
    ],
)
def test_a_check_proves_what_the_same_command_line_wrote_before_it(
    command: str, output: str, code: int, is_proven: bool
):
    telling = Telling().prompt("Rename a to b").run(command, output, code).stop("Renamed.")
    fields = observe_turn(telling.turns()[0]).fields
    assert fields is not None
    assert ("verified_by" in fields["outcome"] and fields["outcome"]["success"]) is is_proven
    assert fields["outcome"]["success"] is (code == 0)
