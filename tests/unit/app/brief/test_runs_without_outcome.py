"""Runs with an unknown outcome in a brief: no solution and no warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rum import Rum
from rum.app.runs.run import Run
from rum.model.runs import Brief
from support.builders import make_intent, make_outcome
from support.projects import Shop, edited, keep

TASK = "Refresh the login token"
FILE = "src/auth/refresh.ts"
FAILED = "Failed Before"


def failed(rum: Rum, goal: str, reason: str, **more: Any) -> str:
    outcome = make_outcome(
        "It did not work", success=False, failure_reason=reason, failure_category="logic_error"
    )
    return rum.store(intent=make_intent(goal), outcome=outcome, **more).memory_id


def ran(
    rum: Rum, task: str, work: Callable[[Run], object] = lambda run: run.step("Read it", file=FILE)
) -> str:
    """A run whose end nobody spoke of; its memory."""
    with rum.run(agent="developer", task=task, files=[FILE], extract=False) as run:
        work(run)
    assert run.memory_id is not None
    return run.memory_id


def broken_off(
    rum: Rum, error: BaseException | None, wrong: Callable[[Run], object] = lambda _: None
) -> None:
    """A run that an exception ends, after something was done in it."""

    def work(run: Run) -> None:
        run.step("Change it", file=FILE)
        wrong(run)
        if error is not None:
            raise error

    with pytest.raises(BaseException):  # noqa: B017, PT011 (any of them)
        ran(rum, TASK, work)


def taken(brief: Brief, kind: str) -> list[str]:
    return [one.id for one in brief.taken or [] if one.kind == kind]


class TestNoSolution:
    def test_a_run_of_the_same_goal_has_solved_nothing(self, shop: Shop, rum: Rum):
        failed(rum, TASK, "Clocks differ", actions=edited(FILE))
        shop.clock.forward(60)
        ran(rum, TASK)
        assert "Clocks differ" in rum.brief(task=TASK, file=FILE).text
        assert "Solved later" not in rum.brief(task=TASK, file=FILE).text

    def test_nor_has_one_that_a_failure_led_to(self, shop: Shop, rum: Rum):
        first = failed(rum, "Refresh early", "Clocks differ", actions=edited(FILE))
        shop.clock.forward(60)
        keep(rum, "Try the other clock", "Read it", tags=["unverified"], links={"caused_by": [first]})
        assert "Solved later" not in rum.brief(task=TASK, file=FILE).text

    def test_a_run_marked_as_successful_counts_as_a_success(self, shop: Shop, rum: Rum):
        failed(rum, TASK, "Clocks differ", actions=edited(FILE))
        shop.clock.forward(60)
        ran(rum, TASK, lambda run: run.succeed("By the server's clock"))
        assert "Solved later: By the server's clock" in rum.brief(task=TASK, file=FILE).text


class TestNothingDone:
    @pytest.mark.parametrize("goal", ["Add the monitoring for JWT", "add jwt"])
    def test_a_follow_up_stays_open(self, shop: Shop, rum: Rum, goal: str):
        left = keep(rum, "Add JWT", outcome=make_outcome(follow_up_needed=["Add monitoring"]))
        shop.clock.forward(60)
        ran(rum, goal)
        assert taken(rum.brief(task="Add monitoring"), "follow_up") == [f"{left}#1"]

    def test_so_does_what_work_is_blocked_by(self, rum: Rum):
        blocker = keep(rum, "Get a key for the gateway", "Asked for it", tags=["unverified"])
        failed(rum, "Charge cards", "Waiting", links={"blocked_by": blocker})
        assert "Blocked by: Get a key for the gateway" in rum.brief(task="Charge cards").text


class TestNoWarning:
    def test_work_that_a_wrong_call_of_rum_broke_off(self, rum: Rum):
        broken_off(rum, None, lambda run: run.fail("x", "bad_luck"))
        brief = rum.brief(task=TASK, file=FILE)
        assert FAILED not in brief.text
        assert taken(brief, "failure") == []

    @pytest.mark.parametrize("error", [KeyboardInterrupt(), GeneratorExit()])
    def test_work_that_was_interrupted(self, rum: Rum, error: BaseException):
        broken_off(rum, error)
        assert FAILED not in rum.brief(task=TASK, file=FILE).text

    def test_what_went_wrong_in_a_run_that_did_not_say_how_it_ended_is_earlier_work(self, rum: Rum):
        memory_id = ran(rum, TASK, lambda run: run.step("Run the tests", file=FILE, success=False))
        brief = rum.brief(task=TASK, file=FILE)
        assert taken(brief, "failure") == []
        assert taken(brief, "memory") == [memory_id]
        assert f"- {TASK} (unverified): Step failed (Run the tests)" in brief.text

    def test_a_success_that_nobody_spoke_of_is_marked_whatever_its_length(self, rum: Rum):
        ran(rum, TASK, lambda run: run.decision("implementation", "Keep two clocks apart " * 40))
        text = rum.brief(task=TASK).text
        assert f"- {TASK} (unverified): Keep two clocks apart" in text
        assert "(outcome unknown" not in text

    def test_failures_are_listed_regardless_of_later_interrupted_runs(self, shop: Shop, rum: Rum):
        failed(rum, "Refresh early", "Clocks differ", actions=edited(FILE))
        shop.clock.forward(60)
        for number in range(25):
            tags = ["partial", "unverified"]
            failed(rum, f"Task {number}", "Interrupted", tags=tags, actions=edited(FILE))
        text = rum.brief(task=TASK, file=FILE).text
        assert "Clocks differ" in text
        assert "Interrupted" not in text
