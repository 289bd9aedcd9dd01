"""How a run ends: with an outcome, without one, or by a wrong call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast

import pytest

from rum import InvalidQuery, NotFound, Rum
from rum.app.runs.run import Run
from support.projects import Shop
from support.runs import FILE, TASK, attempts, ended_by, memory_of


@pytest.fixture
def rum(shop: Shop) -> Rum:
    return shop.open(session="monday")


def wrongly(run: Run) -> Any:
    """A run as somebody takes it who does not look at what it has."""
    return run


class TestMisuse:
    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            (lambda run: run.fail("x", "bad_luck"), "InvalidQuery: failure: `category` must be one of"),
            (lambda run: wrongly(run).succeed(), "TypeError: rum.Run.succeed() missing"),
            (lambda run: wrongly(run).step("x", fiel="y"), "InvalidQuery: step: there is no field `fiel`"),
            (lambda run: wrongly(run).attempt("x").fail(), "TypeError: rum.Attempt.fail() missing"),
            (lambda run: wrongly(run).sucede("x"), "AttributeError: 'Run' object has no attribute 'sucede'"),
        ],
    )
    def test_a_wrong_call_that_ends_the_run_is_recorded_as_such(
        self, rum: Rum, wrong: Callable[[Run], Any], words: str
    ):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises((InvalidQuery, TypeError, AttributeError)) as raised:
            ended_by_call(run, wrong)
        assert words in str(raised.value) or words.partition(": ")[2] in str(raised.value)
        memory = memory_of(rum, run)
        assert memory.outcome.summary.startswith("Broken off by a wrong call of RUM, not by the task: ")
        assert words in str(memory.outcome.failure_reason)
        assert memory.outcome.failure_category == "other"
        assert memory.tags == ("partial", "unverified")
        assert attempts(rum)[0]["result"] == "partial"
        assert "Recently Failed" not in rum.journal(agent="developer").prompt()

    def test_a_wrong_call_leaves_nothing_for_others_to_read(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(InvalidQuery):
            ended_by_call(run, lambda run: run.fail("x", "bad_luck"))
        assert run.extracted is not None
        assert not run.extracted.should_create_memory
        assert not rum.notes.list().notes

    def test_what_was_found_out_before_a_wrong_call_is_kept_without_it(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        learned = "`refreshToken()` must not be called twice, because the server takes a token only once."
        with pytest.raises(InvalidQuery):
            ended_by_call(
                run, lambda run: (run.discovery("failure_cause", learned), run.fail("x", "bad_luck"))
            )
        assert run.extracted is not None
        assert run.extracted.content == learned

    def test_an_outcome_set_before_it_stays(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(InvalidQuery):
            ended_by_call(run, lambda run: (run.succeed("Done"), run.step(" ")))
        assert memory_of(rum, run).outcome.summary == "Done"
        assert memory_of(rum, run).outcome.success

    def test_trouble_of_rums_own_is_no_failure_of_the_task_either(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(NotFound):
            ended_by_call(run, lambda _: rum.show("mem_01h455vb4pex5vsknk084sn02q"))
        assert memory_of(rum, run).outcome.summary.startswith("Broken off by RUM, not by the task: NotFound")

    def test_a_type_error_of_the_loops_own_is_its_own(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(TypeError):
            ended_by_call(run, lambda _: len(wrongly(run).task + 5))
        assert memory_of(rum, run).outcome.failure_category == "type_error"
        assert memory_of(rum, run).outcome.summary.startswith("Stopped by TypeError")

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda rum: rum.notes.add(nonsense=1),
            lambda rum: rum.facts.set("only a key"),
            lambda rum: rum.rules.add(),
            lambda rum: rum.journal(agent="developer").discovery(),
            lambda rum: rum.layers.append(),
            lambda rum: rum.chapters.create(1, 2, 3),
            lambda rum: rum.wisdom.create(1, 2, 3),
            lambda rum: rum.show(),
            lambda rum: rum.export(1, 2, 3),
            lambda rum: rum.nots,
            lambda rum: rum.recall(intent="x").answer,
            lambda rum: Rum.open("a", "b", "c"),
        ],
    )
    def test_a_wrong_call_of_anything_else_of_rums_is_one_too(self, rum: Rum, wrong: Callable[[Any], Any]):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises((InvalidQuery, TypeError, AttributeError)):
            ended_by_call(run, lambda _: wrong(rum))
        summary = memory_of(rum, run).outcome.summary
        assert summary.startswith("Broken off by a wrong call of RUM, not by the task: ")

    @pytest.mark.parametrize("name", ["go", "step", "succeed"])
    def test_a_wrong_call_of_a_class_of_the_same_name_is_a_failure_of_the_task(self, rum: Rum, name: str):
        exec(f"class Run:\n    def {name}(self): pass", theirs := dict[str, Any]())
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(TypeError, match=rf"^Run\.{name}\(\) takes 1 positional"):
            ended_by_call(run, lambda _: getattr(theirs["Run"](), name)("x"))
        assert memory_of(rum, run).outcome.summary.startswith("Stopped by TypeError")
        assert memory_of(rum, run).tags == ()

    def test_an_attribute_that_something_of_the_loops_own_lacks_is_its_failure(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(AttributeError):
            ended_by_call(run, lambda run: wrongly(run.task).sucede)
        assert memory_of(rum, run).outcome.summary.startswith("Stopped by AttributeError")

    def test_any_other_exception_of_a_call_counts_as_a_wrong_call(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(TypeError):
            ended_by_call(run, lambda _: rum.notes.import_from(cast("Any", 5)))
        memory = memory_of(rum, run)
        assert memory.outcome.summary.startswith("Broken off by a wrong call of RUM")

    def test_an_exception_of_the_loops_own_callback_is_the_loops_failure(self, rum: Rum):
        def lines() -> Iterator[bytes]:
            raise ValueError("no such file")
            yield b""

        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(ValueError, match="no such file"):
            ended_by_call(run, lambda _: rum.import_lines(lines()))
        assert memory_of(rum, run).outcome.summary.startswith("Stopped by ValueError")

    def test_a_wrong_call_within_an_attempt_does_not_fail_the_attempt(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            with pytest.raises(InvalidQuery), run.attempt("Retry it") as attempt:
                run.step("x", action="file_eat")
            assert attempt.entry.get("result") is None
            attempt.succeed("Works")
            run.succeed("Done")
        assert memory_of(rum, run).reasoning.alternatives_considered == ()
        assert [(one["description"], one["result"]) for one in attempts(rum)] == [("Retry it", "success")]

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda attempt: attempt.fail(ValueError("x")),
            lambda attempt: attempt.succeed(5),
            lambda attempt: attempt.partial("x", lessons=["a"]),
            lambda attempt: attempt.complete("great"),
        ],
    )
    def test_what_is_wrong_with_the_end_of_an_attempt_is_refused_at_once(
        self, rum: Rum, wrong: Callable[[Any], None]
    ):
        with rum.run(agent="developer", task=TASK) as run:
            attempt = run.attempt("Retry it")
            with pytest.raises(InvalidQuery):
                wrong(attempt)
            assert attempt.entry == {"description": "Retry it"}
            run.succeed("Works")
        assert run.problems == []
        assert attempts(rum)[0]["result"] == "success"


def ended_by_call(run: Run, call: Callable[[Run], Any]) -> None:
    """A run in which something is called that raises."""
    with run:
        call(run)


CALLS: dict[str, Callable[[Run], Any]] = {
    "discovery": lambda run: run.discovery("data_model", "x"),
    "decision": lambda run: run.decision("skip", "x"),
    "attempt": lambda run: run.attempt("x"),
    "step": lambda run: run.step("x", file=FILE),
    "set_context": lambda run: run.set_context(blockers=["x"]),
    "succeed": lambda run: run.succeed("x"),
    "fail": lambda run: run.fail("x"),
    "partial": lambda run: run.partial("x"),
    "child": lambda run: run.child(agent="tester", task="x"),
    "enter": lambda run: run.__enter__(),
}


class TestItsJournal:
    def test_what_is_old_in_it_is_archived_when_a_run_ends(self, shop: Shop, rum: Rum):
        with rum.run(agent="developer", task=TASK, extract=False) as run:
            run.discovery("data_model", "Old")
            shop.clock.forward(5 * 3600)
            run.discovery("data_model", "New")
            assert [one["content"] for one in rum.journal(agent="developer").entries("discovery")] == [
                "Old",
                "New",
            ]
            run.succeed("Works")
        journal = rum.journal(agent="developer")
        assert [one["content"] for one in journal.entries("discovery")] == ["New"]
        assert [one["result"] for one in journal.entries("attempt")] == ["success"]
        assert run.problems == []

    def test_an_attempt_that_goes_on_for_hours_is_still_there_to_be_ended(self, shop: Shop, rum: Rum):
        with rum.run(agent="developer", task=TASK, extract=False) as run:
            for number in range(8):
                run.discovery("data_model", f"Found {number}")
                shop.clock.forward(3600)
            run.succeed("Works")
        assert run.problems == []
        assert len(rum.journal(agent="developer").entries("discovery")) < 8
        assert len(memory_of(rum, run).perception.observations) == 8

    def test_a_long_task_is_cut_there_and_whole_in_the_memory(self, rum: Rum):
        task = "Refresh it. " * 10_000
        with rum.run(agent="developer", task=task, extract=False) as run:
            run.step("Look at it. " * 10_000)
            run.succeed("It works. " * 10_000)
        assert run.problems == []
        (entry,) = attempts(rum)
        assert len(str(entry)) < 10_000
        assert memory_of(rum, run).intent.goal == task


class TestBeforeAndAfter:
    @pytest.mark.parametrize("name", CALLS)
    def test_a_call_after_the_end_is_refused_and_writes_nothing(self, shop: Shop, rum: Rum, name: str):
        with rum.run(agent="developer", task=TASK) as run:
            run.succeed("Works")
        before = everything(shop, rum, run)
        with pytest.raises(InvalidQuery, match=r"This run is over.*nothing was written"):
            CALLS[name](run)
        assert everything(shop, rum, run) == before

    @pytest.mark.parametrize("name", ["succeed", "fail", "partial"])
    def test_so_is_one_of_an_attempt(self, shop: Shop, rum: Rum, name: str):
        with rum.run(agent="developer", task=TASK) as run:
            attempt = run.attempt("Retry it")
            run.succeed("Works")
        before = everything(shop, rum, run)
        with pytest.raises(InvalidQuery, match="This run is over"):
            getattr(attempt, name)("x")
        assert everything(shop, rum, run) == before

    @pytest.mark.parametrize("name", [name for name in CALLS if name != "enter"])
    def test_a_call_before_the_beginning_says_how_to_begin(self, shop: Shop, rum: Rum, name: str):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(InvalidQuery, match=r"has not started.*with rum\.run"):
            CALLS[name](run)
        assert not (shop.folder / ".rum").exists()

    def test_a_prompt_can_be_had_from_the_beginning_on(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(InvalidQuery, match="has not started"):
            _ = run.prompt
        with run:
            within = run.prompt
        assert TASK in within
        assert TASK in run.prompt

    def test_a_run_that_could_not_be_stored_is_over_too(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(ValueError, match="mine"):
            ended_by(ValueError("mine"), run, rum.close)
        with pytest.raises(InvalidQuery, match="This run is over"):
            run.succeed("x")

    def test_a_child_that_ends_after_its_parent_is_tied_to_it_all_the_same(self, rum: Rum):
        with ExitStack() as late:
            with rum.run(agent="lead", task=TASK) as lead:
                child = late.enter_context(lead.child(agent="tester", task="Test it"))
                lead.succeed("Done")
            child.succeed("Late")
        assert memory_of(rum, lead).links == {"caused_by": [child.memory_id]}


def everything(shop: Shop, rum: Rum, run: Run) -> tuple[object, ...]:
    """All that a run leaves behind."""
    files = {path: path.read_bytes() for path in (shop.folder / ".rum").rglob("*") if path.is_file()}
    memory = memory_of(rum, run)
    told = (memory.outcome, memory.actions, memory.perception, memory.reasoning, memory.links, memory.version)
    return files, told, len(rum.layers.get_episodic_memory()), len(rum.list().memories)


class Stopped(BaseException):
    """What some libraries raise to have work stop."""


INTERRUPTIONS = [KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit(), Stopped("enough")]


class TestInterrupted:
    @pytest.mark.parametrize("error", INTERRUPTIONS, ids=repr)
    def test_it_is_no_failure_of_the_task(self, rum: Rum, error: BaseException):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(type(error)):
            ended_by(error, run, lambda: run.step("Read it"))
        memory = memory_of(rum, run)
        assert memory.outcome.summary.startswith(f"Interrupted by {type(error).__name__}")
        assert "(in ended_by, runs.py:" in str(memory.outcome.failure_reason)
        assert memory.outcome.failure_category == "other"
        assert memory.tags == ("partial", "unverified")
        assert attempts(rum)[0]["result"] == "partial"
        assert "Recently Failed" not in rum.journal(agent="developer").prompt()

    def test_an_outcome_set_before_it_stays(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(KeyboardInterrupt):
            ended_by(KeyboardInterrupt(), run, lambda: run.succeed("Done"))
        assert memory_of(rum, run).outcome.summary == "Done"
        assert memory_of(rum, run).tags == ()

    def test_an_attempt_that_was_interrupted_has_not_failed(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            with pytest.raises(asyncio.CancelledError), run.attempt("Retry it"):
                raise asyncio.CancelledError
            run.attempt("Retry once").succeed("Works")
            run.succeed("Done")
        assert [(one["result"], one.get("output")) for one in attempts(rum)] == [
            ("partial", "Interrupted by CancelledError"),
            ("success", "Works"),
        ]
        assert memory_of(rum, run).reasoning.alternatives_considered == ()

    def test_an_attempt_within_which_the_program_ended_well_has_worked(self, rum: Rum):
        with pytest.raises(SystemExit), rum.run(agent="developer", task=TASK) as run, run.attempt("Do it"):
            raise SystemExit(0)
        assert memory_of(rum, run).outcome.success
        assert attempts(rum)[0]["result"] == "success"

    def test_no_note_is_made_of_it(self, rum: Rum):
        run = rum.run(agent="developer", task=TASK)
        with pytest.raises(KeyboardInterrupt):
            ended_by(KeyboardInterrupt(), run, lambda: None)
        assert rum.notes.list().notes == []


class TestWithoutAWord:
    def test_it_is_stored_with_its_last_action_and_an_unknown_outcome(self, rum: Rum):
        with rum.run(agent="planner", task=TASK, tags=["auth"]) as run:
            run.decision("implementation", "Two steps are enough")
        memory = memory_of(rum, run)
        assert memory.outcome.summary == "Two steps are enough (outcome unknown)"
        assert memory.outcome.success
        assert memory.outcome.verified_by is None
        assert memory.tags == ("auth", "unverified")
        (entry,) = attempts(rum, "planner")
        assert (entry["result"], entry["status"]) == ("success", "unverified")
        assert rum.layers.get_episodic_memory()[-1].content.startswith("planner ended: Two steps")

    def test_where_nothing_was_done_either_it_says_so(self, rum: Rum):
        with rum.run(agent="planner", task=TASK) as run:
            pass
        assert memory_of(rum, run).outcome.summary == ("Ended without an error (outcome unknown)")

    def test_a_word_is_enough_to_be_no_longer_unverified(self, rum: Rum):
        with rum.run(agent="planner", task=TASK) as run:
            run.succeed("Planned")
        assert memory_of(rum, run).tags == ()
        assert "status" not in attempts(rum, "planner")[0]

    def test_the_parent_of_a_failed_child_has_not_succeeded(self, rum: Rum):
        with rum.run(agent="lead", task=TASK) as lead, lead.child(agent="tester", task="Test it") as child:
            child.fail("Charged twice", "logic_error")
        memory = memory_of(rum, lead)
        assert not memory.outcome.success
        assert memory.outcome.failure_reason == "Run of tester failed (Test it): Charged twice"
        assert memory.outcome.failure_category == "logic_error"
        assert memory.tags == ("partial", "unverified")
        assert attempts(rum, "lead")[0]["result"] == "partial"

    def test_a_child_that_raised_and_was_caught_has_failed_too(self, rum: Rum):
        with rum.run(agent="lead", task=TASK) as lead:
            child = lead.child(agent="tester", task="Test it")
            with pytest.raises(AssertionError):
                ended_by(AssertionError("2 != 3"), child, lambda: None)
        assert not memory_of(rum, lead).outcome.success
        assert memory_of(rum, lead).outcome.failure_category == "test_failure"

    def test_a_child_that_worked_when_it_was_done_again_has_not_failed(self, rum: Rum):
        with rum.run(agent="lead", task=TASK) as lead:
            with lead.child(agent="tester", task="Test it") as child:
                child.fail("Charged twice")
            with lead.child(agent="tester", task="Test it") as child:
                child.succeed("Charged once")
        assert memory_of(rum, lead).outcome.success

    def test_what_the_parent_says_counts_more_than_its_children(self, rum: Rum):
        with rum.run(agent="lead", task=TASK) as lead:
            with lead.child(agent="tester", task="Test it") as child:
                child.fail("Charged twice")
            lead.succeed("Not needed")
        assert memory_of(rum, lead).outcome.success

    @pytest.mark.parametrize(
        ("work", "reason"),
        [
            (lambda run: run.attempt("Retry it").fail("Endless"), "Attempt failed (Retry it): Endless"),
            (
                lambda run: run.attempt("Retry it").partial("Half"),
                "Attempt was done in part (Retry it): Half",
            ),
            (
                lambda run: run.step("Run the tests", command="npm test", success=False, error="1 failed"),
                "Step failed (Run the tests): 1 failed",
            ),
        ],
    )
    def test_what_went_wrong_last_is_no_success(self, rum: Rum, work: Callable[[Run], None], reason: str):
        with rum.run(agent="developer", task=TASK) as run:
            work(run)
        memory = memory_of(rum, run)
        assert not memory.outcome.success
        assert memory.outcome.failure_reason == reason
        assert memory.tags == ("partial", "unverified")

    def test_a_problem_that_was_fixed_later_no_longer_counts(self, rum: Rum):
        with rum.run(agent="developer", task=TASK) as run:
            run.attempt("Retry it").fail("Endless")
            run.step("Run the tests", success=False)
            run.attempt("Retry once").succeed("Works")
            run.step("Run the tests", success=True)
        assert memory_of(rum, run).outcome.success
