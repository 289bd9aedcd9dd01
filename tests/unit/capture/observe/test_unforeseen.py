"""Cases for which no rule was written: what is not known is left out."""

from __future__ import annotations

from typing import Any

import pytest

from rum.capture.observe.goals import context_of, goal_of
from rum.capture.observe.guidance import guidance_in
from rum.capture.observe.last_message import read_last_message
from rum.capture.observe.messages import rejects
from rum.capture.observe.turn_memory import observe_turn
from rum.text.contrary import contrary
from support.captured_events import Telling

GREEN = "3 passed in 0.05s"
RED = "Exit code 1\nE   assert 1 == 2\nFAILED tests/test_kv.py::test_a - assert 1 == 2\n1 failed, 2 passed"
RED_TWO = RED.replace("1 failed", "FAILED tests/test_kv.py::test_b - assert 1 == 2\n2 failed")
IN_GET = 'Traceback (most recent call last):\n  File "/p/kv.py", line 9, in get\n    x\n' + RED


def fix() -> Telling:
    return Telling().prompt("Fix get").edit("kv.py", "a = 1", "a = 2")


def memory_of(telling: Telling, last_words: str = "Done.") -> dict[str, Any]:
    (turn,) = telling.stop(last_words).turns()
    found = observe_turn(turn).fields
    assert found is not None
    return found


def blamed(memory: dict[str, Any]) -> list[str]:
    failed = (one for one in memory["actions"] if "file_path" in one and not one["result"]["success"])
    lines = (line for one in failed for line in (one["diff_summary"] or "").splitlines())
    return [line[1:].strip() for line in lines if line.startswith("+")]


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("cd nope && pytest -q", "bash: cd: nope: No such file or directory", 1),
        ("npm ci && npm test", "npm error code ERESOLVE", 1),
        ("pytest -q > log 2>&1 &", "", 0),
        ("pytest -q >/dev/null || true", "", 0),
        ("pytest -q | head -5", "..F.", 0),
        ("pytest -q -k nothing", "5 deselected in 0.01s", 5),
        ("pytest -q", "3 skipped in 0.01s", 0),
        ("go test ./...", "?   \tx\t[no test files]", 0),
        ("python -m unittest", "Ran 0 tests in 0.000s\n\nOK", 0),
        ("timeout 60 pytest -q", "....", 124),
    ],
)
def test_a_check_that_tells_nothing_proves_and_refutes_nothing(command: str, output: str, code: int):
    memory = memory_of(fix().run(command, output, code))
    assert "verified_by" not in memory["outcome"]
    assert memory["tags"] == ["unverified"]


def test_a_check_in_a_container_counts():
    memory = memory_of(fix().run("docker compose run --rm app pytest -q", GREEN))
    assert memory["outcome"]["verified_by"]["result"] == "3 passed"


@pytest.mark.parametrize(
    "after",
    ["python - <<'X'\nopen('kv.py', 'w').write('x')\nX", "node -e \"fs.writeFileSync('kv.js', x)\""],
)
def test_a_script_that_writes_files_after_the_check_leaves_the_work_unverified(after: str):
    assert memory_of(fix().run("pytest -q", GREEN).run(after))["tags"] == ["unverified"]


@pytest.mark.parametrize(
    ("first", "then", "is_success"),
    [
        ("pytest -q tests/test_kv.py", "pytest -q tests/test_other.py", False),
        ("pytest -q", "npm test", False),
        ("pytest -q tests/test_kv.py", "pytest -q tests", True),
        ("pytest -q tests/test_kv.py", "make test", True),
        ("npx jest kv.test.ts", "npm test", True),
    ],
)
def test_a_failure_is_outweighed_only_by_a_check_that_covers_it(first: str, then: str, is_success: bool):
    memory = memory_of(fix().run(first, RED, 1).run(then, GREEN))
    assert memory["outcome"]["success"] is is_success


@pytest.mark.parametrize(("output", "is_proven"), [(RED_TWO, False), (RED, True)])
def test_a_part_of_what_failed_that_passes_proves_only_that_part(output: str, is_proven: bool):
    telling = fix().run("pytest -q", output, 1).edit("kv.py", "a = 2", "a = 3")
    memory = memory_of(telling.run("pytest -q tests/test_kv.py::test_a", "1 passed in 0.01s"))
    assert ("verified_by" in memory["outcome"]) is is_proven


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = compute(1, 2)", "x = compute(\n    1,\n    2,\n)"),
        ("x = get('a')", 'x = get("a")'),
        ("x = get(1)", "def f():\n    x = get(1)"),
    ],
)
def test_a_line_that_was_only_formatted_or_moved_is_not_blamed(before: str, after: str):
    telling = Telling().prompt("Fix get").edit("kv.py", "", before).run("pytest -q", RED, 1)
    telling.edit("kv.py", before, "" if "def" in after else after)
    telling.edit("kv.py", "return 1", after if "def" in after else "return 2")
    memory = memory_of(telling.run("pytest -q", GREEN))
    assert blamed(memory) == []
    assert memory["outcome"]["success"] is True


def test_of_two_replaced_changes_only_the_one_that_the_error_names_is_blamed():
    telling = Telling().prompt("Fix get").edit("kv.py", "a", "def delete(k):\n    d.pop(k)")
    telling.edit("kv.py", "b", "def get(k):\n    return d[k]").run("pytest -q", IN_GET, 1)
    telling.edit("kv.py", "return d[k]", "return d.get(k)").edit("kv.py", "d.pop(k)", "d.pop(k, None)")
    assert blamed(memory_of(telling.run("pytest -q", GREEN))) == ["return d[k]"]


@pytest.mark.parametrize(
    ("path", "added", "instead"),
    [
        ("README.md", "new text", ""),
        ("tests/test_kv.py", "assert get() == 2", "assert get() == 3"),
        ("kv.py", "log.info('x')", ""),
        ("a.py", "retries = 3", "RETRIES = 3"),  # the error is in kv.py, which is changed too
    ],
)
def test_prose_tests_output_and_other_files_are_not_blamed(path: str, added: str, instead: str):
    telling = Telling().prompt("Fix get").edit(path, "", added).run("pytest -q", IN_GET, 1)
    telling.edit(path, added, instead).edit("kv.py", "return 1", "return 2").run("pytest -q", GREEN)
    assert blamed(memory_of(telling)) == []


def test_an_import_that_went_with_its_use_in_another_edit_is_not_blamed():
    telling = Telling().prompt("Cache get").edit("kv.py", "import os", "import os\nimport functools")
    telling.edit("kv.py", "def get(k):", "@functools.cache\ndef get(k):").run("pytest -q", RED, 1)
    telling.edit("kv.py", "@functools.cache\ndef get(k):", "def get(k):")
    telling.edit("kv.py", "import os\nimport functools", "import os").run("pytest -q", GREEN)
    assert blamed(memory_of(telling)) == ["@functools.cache"]


def test_a_commit_of_the_turn_that_is_reverted_by_its_name_is_undone():
    telling = fix().run("git commit -am x", "[main abc1234] x").run("git revert --no-edit abc1234")
    memory = memory_of(telling)
    assert memory["outcome"]["success"] is False
    assert memory["outcome"]["learnings"] == ["kv.py: `a = 2` was undone by `git revert --no-edit abc1234`"]


@pytest.mark.parametrize(
    ("prompt", "last_words", "is_success"),
    [
        ("why is get() slow", "It is slow because of the regex.", True),
        ("can we drop the lock?", "No, two threads write at once.", True),
        ("drop the lock", "Two threads write at once, so I put it back.", False),
        ("why is get() slow", "I could not find the cause.", False),
    ],
)
def test_an_edit_that_was_taken_back_fails_a_task_but_answers_a_question(
    prompt: str, last_words: str, is_success: bool
):
    telling = Telling().prompt(prompt).edit("kv.py", "with lock:", "if True:")
    memory = memory_of(telling.run("git checkout -- kv.py").run("pytest -q", GREEN), last_words)
    assert memory["outcome"]["success"] is is_success


@pytest.mark.parametrize(
    "prompt",
    [
        "No, don't do it now, do it after the release",
        "don't touch config.py, I'm editing it",
        "oh wonderful, another try/except. just what we needed",
        "can we always use the same port? I mean for this test",
        "always log the request id in this handler",
        "we don't need the retry any more, remove it",
        "use asyncio instead of threads",
        "never again",
        "as of now the build fails",
        "every time you click save it crashes",
        "no errors in the log, but it hangs",
        "the tooltip shows up, everywhere",
        "before you commit it, run the tests",
        "as I said, the button is red",
        "new users should get an email",
        "my colleague said 'never use ORM', what do you think?",
    ],
)
def test_what_is_over_with_the_task_is_no_wish(prompt: str):
    assert guidance_in(prompt, follows_work=True) == []


@pytest.mark.parametrize(
    "prompt",
    ["ok but please stop adding comments to every line", "non, on n'utilise jamais de print ici"],
)
def test_a_wish_is_found_after_other_words_and_in_other_languages(prompt: str):
    assert [one.text for one in guidance_in(prompt, follows_work=True)] == [prompt]


def test_a_correction_about_the_whole_project_is_lasting():
    said = "please don't. nobody formats money by hand in this codebase, it goes through format()"
    assert guidance_in(said, follows_work=True)[0].is_lasting


def test_a_word_that_takes_back_a_wish_is_marked_as_such():
    (found,) = guidance_in("Scratch that, double quotes are fine after all")
    assert found.is_reversal


@pytest.mark.parametrize("prompt", ["No. That's exactly right.", "no, no, it's good"])
def test_a_no_that_agrees_rejects_nothing(prompt: str):
    assert not rejects(prompt)


@pytest.mark.parametrize(
    ("later", "earlier", "is_contrary"),
    [
        ("answer in English again", "answer in German from now on", True),
        ("don't add docstrings to tests", "always add docstrings", False),
        ("commit to main is fine for docs", "never commit to main", False),
        ("use px everywhere in the css", "use rem for all sizes in the css, never px", True),
        ("from now on commit messages in English", "commit messages in German, always", True),
        ("from now on use tabs in js", "from now on use tabs in python", False),
        ("line length is 120 now", "line length is 100, always", True),
        ("desde hoy los mensajes de commit en inglés", "los mensajes de commit en español, siempre", True),
        ("Actually let's go back to yarn", "from now on use pnpm, not yarn", True),
    ],
)
def test_an_exception_does_not_supersede(later: str, earlier: str, is_contrary: bool):
    assert contrary(later, earlier) is is_contrary


def test_a_guess_is_no_cause_and_a_denied_cause_comes_with_the_right_one():
    assert read_last_message("It might be due to DNS.").causes == ()
    assert read_last_message("It might be due to DNS.").assumptions == ("It might be due to DNS",)
    found = read_last_message("It was not because of the cache. It's the clock.")
    assert found.causes[-1] == "It's the clock"


def test_options_are_not_what_was_done():
    options = (
        "Options:\n1. Use Redis: fast.\n2. Use a dict: simple.\n\nI went with 2 because there is one process."
    )
    found = read_last_message(options)
    assert "Redis" not in found.summary
    assert found.chosen == "I went with 2 (Use a dict: simple)"


def test_what_was_tried_in_vain_is_an_alternative():
    found = read_last_message(
        "It is gone.\n\nWhat did not work:\n- a retry: doubled orders\n\nNow it has a key."
    )
    assert found.alternatives == (("a retry", "doubled orders"),)
    assert found.summary == "It is gone. Now it has a key."
    assert read_last_message("Split it.\n\n## Why not Redis?\nIt needs a server.").alternatives == (
        ("Redis", "It needs a server"),
    )


@pytest.mark.parametrize(
    "remark",
    ["If you want, I could also add caching.", "You could also move this.", "I'd recommend an index later."],
)
def test_an_optional_remark_is_neither_done_nor_left(remark: str):
    found = read_last_message(f"Fixed the parser. {remark}")
    assert (found.summary, found.left) == ("Fixed the parser.", ())


def test_optional_next_steps_are_marked_as_such():
    found = read_last_message("Fixed.\n\nNext steps (optional):\n- add caching")
    assert found.left == ("Optional: add caching",)


TWO = "Two ways:\n\n1. Log a warning.\n2. Raise a ConfigError.\n\nI would take the second."


@pytest.mark.parametrize(
    ("prompt", "said", "goal"),
    [
        ("ok go with the second one", TWO, "Notice unknown keys (Raise a ConfigError)"),
        ("2", TWO, "Notice unknown keys (Raise a ConfigError)"),
        ("option 1 please", TWO, "Notice unknown keys (Log a warning)"),
        ("die zweite", TWO, "Notice unknown keys (Raise a ConfigError)"),
        ("why?", "", "Notice unknown keys (why?)"),
        ("You are an expert. Don't hallucinate. Add paging", "", "Add paging"),
        ("plan first and take your time, then add paging to the list", "", "add paging to the list"),
        ("@@ -1 +1 @@\n-a\n+b\napply this patch to x.py", "", "apply this patch to x.py"),
    ],
)
def test_a_goal_says_what_short_words_refer_to(prompt: str, said: str, goal: str):
    assert goal_of(prompt, "Notice unknown keys", said) == goal


def test_what_a_failed_check_refutes_is_not_said():
    memory = memory_of(fix().run("pytest -q", RED, 1), "Get returns 2 now, all tests are green.")
    assert memory["outcome"]["summary"] == "Changed kv.py; pytest -q: 1 failed, 2 passed"
    memory = memory_of(
        fix().run("pytest -q", RED, 1), "It returns 2. All tests pass. test_a is red as before."
    )
    assert memory["outcome"]["summary"] == "It returns 2. test_a is red as before."


def test_a_claim_of_a_subagent_that_the_agent_disputes_is_no_learning():
    telling = Telling().prompt("Why do reports time out after 5 s? Fix it.").agent("a1").read("settings.py")
    telling.stop("`APP_TIMEOUT` is never read; the timeout is a constant.").agent("")
    telling.edit("client.py", "return DEFAULT", "return TIMEOUT")
    said = "The explorer said that `APP_TIMEOUT` is never read, but that is wrong. The cause was `DEFAULT`."
    memory = observe_turn(telling.stop(said).turns()[0]).fields
    assert memory
    assert memory["outcome"]["learnings"] == ["The cause was `DEFAULT`"]


@pytest.mark.parametrize("path", ["requirements.txt", "CMakeLists.txt", "config/limits.txt"])
def test_a_text_that_programs_read_is_no_prose(path: str):
    telling = Telling().prompt("Bump it").edit(path, "a==1", "a==2").run("make check", "FAIL: a", 2)
    telling.run("git checkout . && make check", "OK")
    memory = memory_of(telling, "It is back at 1.")
    assert not memory["outcome"]["success"]
    assert "verified_by" not in memory["outcome"]
    assert blamed(memory) == ["a==2"]


def test_a_choice_with_a_limit_keeps_the_limit():
    said = "A. Cache users.\nB. Use a prepared statement and a cache.\nC. A replica.\n\nI'd take B."
    goal = goal_of("B, but without the cache", "Find() is slow", said)
    assert (
        goal
        == "Find() is slow (Use a prepared statement and a cache; the user said: “B, but without the cache”)"
    )


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        ("why is it pinned? can we drop it?", "why is it pinned? can we drop it?"),
        ("add() subtracts, lol. fix", "add() subtracts. fix"),
        ("that's cheating :) fix the code", "that's cheating. fix the code"),
        ("what if we used uuid7? just asking", "what if we used uuid7?"),
        ("So geht das nicht: Zeiten stehen in UTC", "So geht das nicht: Zeiten stehen in UTC"),
    ],
)
def test_a_question_stays_one_and_laughter_goes(prompt: str, goal: str):
    assert goal_of(prompt) == goal


def test_the_last_run_of_all_tests_proves_more_than_one_of_them():
    telling = fix().run("pytest -q", RED, 1).run("pytest -q tests/test_kv.py::test_a", "1 passed in 0.1s")
    memory = memory_of(telling.run("pytest -q", GREEN))
    assert memory["outcome"]["verified_by"]["command"] == "pytest -q"


def test_a_cause_that_the_result_speaks_against_is_no_learning():
    said = "The cause was the missing lock. It returns 2 now."
    assert memory_of(fix(), said)["outcome"]["learnings"] == ["The cause was the missing lock"]
    assert memory_of(fix().run("pytest -q", RED, 1), said)["outcome"]["learnings"] == []
    telling = fix().stop(said).prompt("no, that still crashes").edit("kv.py", "a = 2", "a = 3").stop("Now?")
    first = observe_turn(telling.turns()[0]).fields
    assert first
    assert "The cause was the missing lock" not in first["outcome"]["learnings"]


def test_thanks_with_a_smiley_are_no_context():
    assert context_of("peux-tu arrondir resume() à une décimale ? merci d'avance :)") == ""


def test_an_answer_is_not_proved_by_what_ran_beside_it():
    telling = Telling().prompt("why is everything compiled again?").run("make", "gcc -c a.c")
    memory = memory_of(telling, "Every object depends on version.h, which gets a new date at each run. " * 3)
    assert "verified_by" not in memory["outcome"]
