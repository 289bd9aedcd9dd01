"""A run: its prompt, steps, outcome, exceptions and identity."""

from __future__ import annotations

import re
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, PermissionDenied, Rum
from rum.model.journal import Kind
from rum.text.tokens import estimate_tokens
from support.projects import Shop
from support.runs import FILE, TASK, attempts, ended_by, memory_of


@pytest.fixture
def rum(shop: Shop) -> Rum:
    return shop.open(session="monday")


class TestPrompt:
    def test_it_is_the_systems_words_the_task_and_the_plan_where_nothing_is_known(self, rum: Rum):
        with rum.run(agent="developer", task=TASK, plan="1. Look", system="You write code.") as run:
            assert run.prompt == f"You write code.\n\n## Task\n\n{TASK}\n\n## Plan\n\n1. Look"
            assert run.brief.text == ""

    def test_it_holds_the_brief_with_matching_rules_and_the_journal(self, rum: Rum):
        rum.rules.add("login|logout", "run the slow tests")
        rum.notes.add("Tokens", "They live for an hour.", "token")
        with rum.run(agent="developer", task=TASK) as run:
            run.discovery("api_surface", "There is a refresh() already")
            prompt = run.prompt
        for line in ("run the slow tests", "They live for an hour.", "[api_surface] There is a refresh()"):
            assert line in prompt
        assert re.search(rf"</background-knowledge-\w+>\n\n## Task\n\n{TASK}\Z", prompt)

    def test_it_is_within_the_budget_asked_for(self, rum: Rum):
        for number in range(20):
            rum.facts.set(f"token {number}", "a value of some length " * 5)
        with rum.run(agent="developer", task=TASK, tokens=150) as run:
            assert 0 < run.brief.tokens <= 150

    def test_files_that_were_touched_count_as_at_hand(self, rum: Rum):
        with rum.run(agent="developer", task="Rename it", files=[FILE]) as run:
            run.fail("An import cycle", "build_failure")
        with rum.run(agent="tester", task="Something else entirely") as other:
            assert "An import cycle" not in other.prompt
            other.step("Opened it", file=FILE, action="file_read")
            assert "An import cycle" in other.prompt

    def test_the_next_run_of_the_agent_gets_the_failures_of_this_session(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.fail("Clocks differ", "logic_error")
        with rum.run(agent="developer", task="Paint the shed") as run:
            assert f"- {TASK}: Clocks differ" in run.prompt


class TestOutcome:
    def test_a_success_is_remembered_with_all_five_layers(self, rum: Rum):
        with rum.run(
            agent="developer", task=TASK, plan="1. Look", task_type="bug_fix", tags=["auth"], files=[FILE]
        ) as run:
            run.discovery(
                "codebase_structure", "All in src/auth", importance="high", related_files=["src/auth"]
            )
            run.discovery("code_pattern", "Middleware returns 401")
            run.discovery("failure_cause", "The clocks of both differ")
            why = {
                "reasoning": "It is simple",
                "alternatives": [{"name": "OAuth", "reason": "too broad"}, "Keys"],
            }
            run.decision("architectural", "Use JWT", **why)
            with run.attempt("Retry at once", approach="in the interceptor") as attempt:
                attempt.fail("An endless loop", lessons="Leave the endpoint out")
            run.step("Leave it out", file=FILE)
            run.step("Run the tests", command="npm test", output="14 passed")
            run.succeed(
                "Tokens are refreshed",
                learnings=["Leave the endpoint out"],
                follow_ups=["Watch it"],
                verified_by={"type": "test", "command": "npm test", "result": "14 passed"},
            )
        memory = memory_of(rum, run)
        assert (memory.intent.goal, memory.intent.context, memory.tags) == (TASK, "1. Look", ("auth",))
        assert memory.intent.task_type == "bug_fix"
        assert [(one.what, one.where, one.significance) for one in memory.perception.observations] == [
            ("All in src/auth", "src/auth", "codebase structure, high")
        ]
        assert memory.perception.patterns_noticed == ("Middleware returns 401",)
        assert memory.perception.anomalies == ("The clocks of both differ",)
        assert (memory.reasoning.approach_chosen, memory.reasoning.why_chosen) == ("Use JWT", "It is simple")
        assert [(one.approach, one.why_rejected) for one in memory.reasoning.alternatives_considered] == [
            ("OAuth", "too broad"),
            ("Keys", ""),
            ("Retry at once", "An endless loop"),
        ]
        assert [one.type.value for one in memory.actions] == ["file_edit", "command_run"]
        assert {file.path: file.operation for file in memory.files}[FILE] == "edit"
        outcome = memory.outcome
        assert (outcome.success, outcome.summary) == (True, "Tokens are refreshed")
        assert outcome.learnings == ("Leave the endpoint out",)
        assert outcome.follow_up_needed == ("Watch it",)
        assert outcome.verified_by.command == "npm test"

    def test_a_failure_is_remembered_with_reason_and_category(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.fail(
                "Clocks differ", "incorrect_assumption", summary="Given up", learnings=["Ask the server"]
            )
        outcome = memory_of(rum, run).outcome
        assert (outcome.success, outcome.summary) == (False, "Given up")
        assert (outcome.failure_reason, outcome.failure_category) == ("Clocks differ", "incorrect_assumption")
        assert rum.recall(query="clocks", failures_only=True).memories[0].id == run.memory_id

    def test_what_was_done_in_part_is_no_success_and_has_a_tag(self, rum: Rum):
        with rum.run(agent="developer", task=TASK, tags=["auth"]) as run:
            run.partial("Half of it works", reason="No time", category="other", follow_ups=["The other half"])
        memory = memory_of(rum, run)
        assert not memory.outcome.success
        assert memory.tags == ("auth", "partial")
        assert memory.outcome.failure_reason == "No time"
        assert attempts(rum)[-1]["result"] == "partial"

    def test_the_last_word_counts(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.fail("Not yet")
            run.succeed("Now it works")
        assert memory_of(rum, run).outcome.success

    @pytest.mark.parametrize(
        ("error", "category"),
        [
            (ValueError("bad"), "runtime_error"),
            (AssertionError("2 != 3"), "test_failure"),
            (TypeError("no"), "type_error"),
            (ModuleNotFoundError("jwt"), "missing_dependency"),
            (SyntaxError("oops"), "build_failure"),
            (SystemExit(3), "other"),
        ],
    )
    def test_an_exception_is_remembered_as_a_failure_and_raised_again(
        self, rum: Rum, error: BaseException, category: str
    ):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(type(error)) as raised:
            ended_by(error, run, lambda: run.succeed("Too early to say"))
        assert raised.value is error
        outcome = memory_of(rum, run).outcome
        assert not outcome.success
        assert outcome.failure_category == category
        assert str(outcome.failure_reason).startswith(type(error).__name__)
        assert "(in ended_by, runs.py:" in str(outcome.failure_reason)
        assert attempts(rum)[-1]["result"] == "failure"

    def test_a_program_that_ends_well_has_not_failed(self, rum: Rum):
        with pytest.raises(SystemExit), rum.run(agent="developer", task=TASK) as run:
            raise SystemExit(0)
        assert memory_of(rum, run).outcome.success
        assert memory_of(rum, run).tags == ("unverified",)

    def test_the_loops_own_reason_stands_when_an_exception_follows_it(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(RuntimeError):
            ended_by(RuntimeError("stop"), run, lambda: run.fail("Clocks differ", "logic_error"))
        assert memory_of(rum, run).outcome.failure_reason == "Clocks differ"

    def test_secrets_in_an_exception_are_not_kept(self, shop: Shop, rum: Rum):
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        with pytest.raises(ValueError, match=secret), rum.run(agent="developer", task=TASK) as run:
            raise ValueError(f"401 for {secret}")
        assert "401 for" in str(memory_of(rum, run).outcome.failure_reason)
        rum.close()
        kept = [path for base in (shop.home, shop.folder) for path in base.rglob("*") if path.is_file()]
        assert [path for path in kept if secret.encode() in path.read_bytes()] == []

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda run: run.fail("x", "bad_luck"), "category"),
            (lambda run: run.succeed(""), "summary"),
            (lambda run: run.succeed("x", learning=["y"]), "learnings"),
            (lambda run: run.discovery("gossip", "x"), "type"),
            (lambda run: run.decision("architectural", None), "description"),
            (lambda run: run.step("x", action="file_eat"), "action"),
            (lambda run: run.step(" "), "description"),
            (lambda run: run.step(None), "description"),
            (lambda run: run.fail(ValueError("x")), "JSON"),
            (lambda run: run.step("x", file="a\nb"), "path"),
            (lambda run: run.attempt("x", artifacts="none"), "artifacts"),
            (lambda run: run.attempt("x", id="mine"), "id"),
            (lambda run: run.set_context(blockers="none"), "blockers"),
            (lambda run: run.set_context(), "current_plan_step"),
        ],
    )
    def test_what_is_wrong_is_refused_at_once_and_is_no_failure_of_the_task(
        self, rum: Rum, wrong: Any, named: str
    ):
        with rum.run(agent="developer", task=TASK) as run:
            with pytest.raises(InvalidQuery, match=named):
                wrong(run)
            run.succeed("It worked all the same")
        memory = memory_of(rum, run)
        assert (memory.outcome.success, memory.outcome.summary) == (True, "It worked all the same")
        assert memory.reasoning.alternatives_considered == ()
        assert memory.actions == ()
        assert run.problems == []
        assert [(one["description"], one["result"]) for one in attempts(rum)] == [(TASK, "success")]
        assert "The journal" not in rum.journal(agent="developer").prompt()

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            ({"agent": "", "task": TASK}, "agent"),
            ({"agent": "a\nb", "task": TASK}, "agent"),
            ({"agent": "a", "task": " "}, "task"),
            ({"agent": "a", "task": TASK, "file": ["x"]}, "files"),
            ({"agent": "a", "task": TASK, "task_type": "magic"}, "task_type"),
        ],
    )
    def test_a_run_needs_somebody_and_something_to_do(self, rum: Rum, given: Any, named: str):
        with pytest.raises(InvalidQuery, match=named):
            rum.run(**given)


class TestJournal:
    def test_a_run_begins_as_an_attempt_and_ends_as_one(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            assert [(one["description"], one["result"]) for one in attempts(rum)] == [(TASK, "in_progress")]
            run.step("Leave it out", file=FILE)
            run.step("Run the tests", command="npm test", success=False)
            run.succeed("Works", learnings=["One", "Two"])
        (entry,) = attempts(rum)
        assert entry["commands"] == ["Leave it out", "Run the tests"]
        assert entry["artifacts"] == [{"path": FILE, "action": "edit", "status": "success"}]
        assert (entry["result"], entry["output"], entry["lessons"]) == ("success", "Works", "One\nTwo")

    def test_its_attempts_are_stored_one_by_one(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            with run.attempt("Retry at once", approach="a loop") as first:
                run.step("Write the loop", file=FILE)
                first.fail("Endless", lessons="Count")
            with pytest.raises(KeyError), run.attempt("Retry by key"):
                raise KeyError("order")
            with run.attempt("Retry once"):
                pass
            run.succeed("Once is enough")
        told = [(one["description"], one["result"]) for one in attempts(rum)]
        assert told == [("Retry at once", "failure"), ("Retry by key", "failure"), ("Retry once", "success")]
        assert attempts(rum)[0]["commands"] == ["Write the loop"]
        assert attempts(rum)[1]["error"] == "KeyError: 'order'"

    def test_a_run_that_ends_differently_from_its_last_attempt_adds_one(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.attempt("Retry at once").fail("Endless")
            run.succeed("It was never needed")
        assert "**developer**: Last attempt (success) - " + TASK in rum.journals.arbiter("monday")

    def test_an_attempt_that_is_left_open_ends_as_the_run_does(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.attempt("Retry at once")
            run.fail("No time", "other")
        (entry,) = attempts(rum)
        assert (entry["result"], entry["error"]) == ("failure", "No time")

    def test_the_current_state_of_the_agent_is_recorded(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.set_context(current_plan_step=2, blockers=["no key"])
            assert "- Step: 2\n- Blockers: no key" in run.prompt

    def test_it_is_valid_whatever_was_put_into_it(self, rum: Rum):
        odd = "a: b\n- [x] {\t'\"#\u2028 \U0001f600 ---\n..."
        with rum.run(agent="developer", task=odd) as run:
            run.discovery("data_model", odd, related_files=[odd])
            run.decision("skip", odd, reasoning=odd, alternatives=[odd, {"name": odd}])
            run.attempt(odd, approach=odd).fail(odd, lessons=odd)
            run.step(odd, command=odd, output=odd, error=odd)
            run.succeed(odd, learnings=[odd])
        assert rum.journal(agent="developer").validate().problems == []
        assert run.problems == []

    def test_hundreds_of_steps_keep_a_readable_entry(self, rum: Rum):
        with rum.run(agent="developer", task=TASK, extract=False) as run:
            for number in range(60):
                run.step(f"Step {number}", command="true")
        assert len(attempts(rum)[0]["commands"]) == 50
        assert attempts(rum)[0]["commands"][-1] == "Step 59"
        assert len(memory_of(rum, run).actions) == 60

    def test_without_a_folder_for_journals_a_run_is_remembered_all_the_same(self, shop: Shop):
        shop.home.mkdir()
        (shop.home / "config.toml").write_text('sessions_dir = ""\n')
        rum = shop.open()
        with rum.run(agent="developer", task=TASK) as run:
            run.discovery("data_model", "Users have tokens")
            run.attempt("One way").fail("No")
            run.succeed("Works")
        assert run.problems == []
        assert memory_of(rum, run).outcome.success
        assert not (shop.folder / ".rum" / "sessions").exists()


class TestWhoseItIs:
    def test_an_agent_is_registered_once_and_resumed_after_that(self, shop: Shop):
        first = shop.open()
        with first.run(agent="developer", task=TASK) as run:
            pass
        with shop.open().run(agent="developer", task=TASK) as again:
            pass
        assert run.agent_id == again.agent_id
        assert first.identity("info", name="developer").memory_count == 2

    def test_a_child_run_has_its_own_identity_below_its_parents(self, rum: Rum):
        with rum.run(agent="lead", task=TASK) as lead:
            with lead.child(agent="tester", task="Test it") as run:
                run.succeed("3 tests pass")
            assert run.session == lead.session
            lead.succeed("Done")
        tester = rum.identity("info", name="tester")
        assert (tester.type, tester.parent_id) == ("subagent", lead.agent_id)
        assert memory_of(rum, run).agent_id == tester.agent_id
        assert memory_of(rum, lead).agent_id == lead.agent_id
        assert memory_of(rum, lead).links == {"caused_by": [run.memory_id]}

    def test_children_and_parents_share_what_they_know(self, rum: Rum):
        with rum.run(agent="lead", task=TASK, files=[FILE]) as lead:
            with lead.child(agent="developer", task="Retry it", files=[FILE]) as run:
                run.fail("Charged twice", "logic_error")
            assert "Charged twice" in lead.prompt
            with lead.child(agent="tester", task="Test it", files=[FILE]) as other:
                assert "Charged twice" in other.prompt

    def test_children_may_run_side_by_side(self, rum: Rum):
        with rum.run(agent="lead", task=TASK, extract=False) as lead:

            def work(number: int) -> str | None:
                with lead.child(agent=f"worker-{number}", task=f"Part {number}") as run:
                    run.discovery("data_model", f"Found by {number}")
                    run.step("Edit it", file=f"src/{number}.py")
                    run.succeed(f"Part {number} is done")
                assert run.problems == []
                return run.memory_id

            with ThreadPoolExecutor(4) as pool:
                memories = list(pool.map(work, range(8)))
        assert sorted(memory_of(rum, lead).links["caused_by"]) == sorted(map(str, memories))
        for number, memory_id in enumerate(memories):
            agent = rum.identity("info", name=f"worker-{number}")
            assert (agent.parent_id, agent.memory_count) == (lead.agent_id, 1)
            assert rum.show(str(memory_id)).agent_id == agent.agent_id
            (found,) = rum.journal(agent=f"worker-{number}").entries(Kind.DISCOVERY)
            assert found["content"] == f"Found by {number}"

    def test_a_run_may_be_of_a_session_of_its_own(self, rum: Rum):
        with (
            rum.run(agent="lead", task=TASK, session="tuesday") as lead,
            lead.child(agent="tester", task="It") as run,
        ):
            run.discovery("data_model", "Seen on Tuesday")
            assert "Seen on Tuesday" in run.prompt
        assert memory_of(rum, run).session_id == memory_of(rum, lead).session_id == "tuesday"
        assert rum.journals.agents("tuesday") == ["lead", "tester"]

    def test_a_parent_may_correct_what_its_child_remembers_and_not_the_other_way_round(
        self, shop: Shop, rum: Rum
    ):
        with rum.run(agent="lead", task=TASK) as lead, lead.child(agent="tester", task="Test it") as child:
            pass
        shop.open(agent="lead").update_memory(str(child.memory_id), tags=["checked"])
        assert memory_of(rum, child).tags == ("checked",)
        with pytest.raises(PermissionDenied):
            shop.open(agent="tester").update_memory(str(lead.memory_id), tags=["mine"])

    def test_the_identity_of_the_caller_stays_the_same(self, shop: Shop):
        rum = shop.open(agent="planner")
        rum.store(intent={"goal": "Plan", "task_type": "other"}, outcome={"success": True, "summary": "Yes"})
        with rum.run(agent="developer", task=TASK):
            pass
        assert rum.identity("info").name == "planner"

    def test_a_person_may_run_an_agent_which_is_then_no_owner(self, shop: Shop):
        owner = shop.open(owner=True)
        with owner.run(agent="developer", task=TASK) as run:
            pass
        assert memory_of(owner, run).agent_id == owner.identity("info", name="developer").agent_id


class TestWhatLasts:
    def test_lasting_knowledge_is_drawn_from_it_once(self, rum: Rum):
        with rum.run(agent="developer", task="Set up the session store") as run:
            run.succeed(
                "The store is up",
                output="The session store requires Redis 7 because older versions have no GETEX command.",
            )
            assert rum.notes.list().notes == []
        assert run.extracted is not None
        assert run.extracted.should_create_memory
        (note,) = rum.notes.list().notes
        assert note.discovered_by == "developer"
        assert rum.facts.show("redis").value == "7"

    def test_it_can_be_left_out(self, rum: Rum):
        with rum.run(agent="developer", task=TASK, extract=False) as run:
            run.succeed("Up", output="The session store requires Redis 7 because older ones have no GETEX.")
        assert run.extracted is None
        assert rum.notes.list().notes == []

    def test_beginning_and_end_are_kept_as_events_the_end_with_its_result(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.fail("Clocks differ", "logic_error")
        first, last = rum.layers.get_episodic_memory()
        assert first.content == f"developer started: {TASK}"
        assert last.content == "developer failed: Clocks differ"
        assert last.metadata is not None
        assert (last.metadata["memoryId"], last.metadata["result"]) == (run.memory_id, "failure")

    def test_events_have_a_summary_of_the_prompt_without_what_memory_put_into_it(self, rum: Rum):
        rum.facts.set("token lifetime", "an hour, as the gateway has it")
        with rum.run(agent="developer", task=f"{TASK}\n" + "x" * 10_000, system="You write code.") as run:
            prompt = run.prompt
            run.succeed("y" * 10_000)
        assert "as the gateway has it" in prompt
        events = rum.layers.get_episodic_memory()
        text = repr(events)
        assert "as the gateway has it" not in text
        assert events[0].metadata is not None
        assert events[0].metadata["prompt"].splitlines()[0] == "You write code."
        assert events[0].metadata["prompt"].splitlines()[1].startswith(f"Task: {TASK} xxx")
        assert len(text) < 5_000
        assert events[-1].metadata is not None
        assert events[-1].metadata["promptTokens"] == estimate_tokens(prompt)


class Unspeakable(Exception):
    """An exception that cannot even be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class TestTrouble:
    def test_an_exception_without_words_is_raised_again_and_remembered(self, rum: Rum):
        with pytest.raises(Unspeakable), rum.run(agent="developer", task=TASK) as run, run.attempt("It"):
            raise Unspeakable
        assert str(memory_of(rum, run).outcome.failure_reason).startswith("Unspeakable")

    def test_a_memory_that_was_closed_too_early_does_not_hide_the_callers_exception(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(ValueError, match="mine") as raised:
            ended_by(ValueError("mine"), run, rum.close)
        assert run.memory_id is None
        assert "RUM" in "".join(traceback.format_exception(raised.value))

    def test_an_unwritable_journal_blocks_nothing_and_is_reported(self, shop: Shop, rum: Rum):
        (shop.folder / ".rum").mkdir()
        (shop.folder / ".rum" / "sessions").write_text("in the way")
        run = rum.run(agent="developer", task=TASK)
        with ExitStack() as stack:
            stack.enter_context(pytest.warns(RuntimeWarning, match="The journal was not written"))
            stack.enter_context(run)
            run.discovery("data_model", "Users have tokens")
            run.step("Do it", file=FILE)
            run.succeed("Works")
        assert run.problems
        memory = memory_of(rum, run)
        assert memory.perception.observations[0].what == "Users have tokens"
        assert Path(shop.folder / ".rum" / "sessions").read_text() == "in the way"

    def test_trouble_is_noted_on_the_callers_exception_where_there_is_one(self, shop: Shop, rum: Rum):
        (shop.folder / ".rum").mkdir()
        (shop.folder / ".rum" / "sessions").write_text("in the way")
        with pytest.raises(ValueError, match="mine") as raised, rum.run(agent="developer", task=TASK) as run:
            raise ValueError("mine")
        assert "The journal was not written" in raised.value.__notes__[0]
        assert memory_of(rum, run).outcome.failure_category == "runtime_error"

    def test_an_agent_whose_name_is_no_folders_is_remembered_without_a_journal(self, rum: Rum):
        with pytest.warns(RuntimeWarning, match="journal"), rum.run(agent="a/b", task=TASK) as run:
            run.succeed("Works")
        assert memory_of(rum, run).outcome.success


class TestTold:
    """What a run's words are, from which knowledge is drawn."""

    def test_a_decision_and_its_reason_are_one_sentence(self, rum: Rum):
        with rum.run(agent="developer", task="Choose the store of sessions") as run:
            run.decision(
                "implementation", "Sessions live in Redis.", reasoning="The cookies cannot be revoked"
            )
            run.succeed("Done")
        assert run.extracted is not None
        assert run.extracted.kind == "decision"
        assert run.extracted.memory_title == "Sessions live in Redis"
        assert (
            run.extracted.content == "Decision: Sessions live in Redis, because the cookies cannot be revoked"
        )

    def test_a_plan_that_names_nothing_leaves_no_note(self, rum: Rum):
        plan = "Up to three tries in the client, then a test with a gateway that loses its first answer."
        with rum.run(agent="planner", task="Plan how to retry payments") as run:
            run.decision("implementation", plan, reasoning="One place is enough")
            run.succeed("The plan stands")
        assert run.extracted is not None
        assert not run.extracted.should_create_memory
