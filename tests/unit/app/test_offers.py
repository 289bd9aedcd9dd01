"""Offers, their outcomes, and their effect on the ranking."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rum import InvalidQuery, NotFound, Rum
from rum.capture.events import spool
from rum.capture.events.event import event_id, to_line
from rum.inject.offers import offers_for
from rum.model.answers import OfferView
from support.captured_events import CRASH, NOON, Telling, failed_then_fixed
from support.projects import Shop, keep
from support.repositories import Repository

if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.inject.offers.text import Offer

DAY = 86_400


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = NOON + 60
    return shop.open(owner=True)


def leave(rum: Rum, telling: Telling) -> None:
    """Let hooks see a session: each event is answered, and what is said is noted as hooks note it."""
    folder = os.path.join(rum.project.directory, "spool")
    for event in telling.events:
        spool.append(folder, event["session"], to_line(event))
        said = offers_for(event, rum.project.directory, rum.project.root)
        if said:
            spool.append(folder, event["session"], to_line(_noted(event, said)))


def _noted(event: Event, said: list[Offer]) -> Event:
    offers = [{"kind": one.kind, "memories": [*one.memory_ids], "text": one.text} for one in said]
    named = event_id(event["client"], event["session"], "offered", event["id"])
    same = {
        name: event.get(name) for name in ("client", "session", "at", "cwd", "turn", "call") if name in event
    }
    return {**same, "id": named, "kind": "offered", "offers": offers}  # pyright: ignore[reportReturnType]


def learned(shop: Shop, rum: Rum) -> str:
    """A first session that tries what fails, then what works; its memory."""
    leave(rum, failed_then_fixed(Telling(cwd=str(shop.folder))))
    assert rum.take_in().memories == 1
    (memory,) = rum.list().memories
    return memory.id


def again(shop: Shop, session: str = "s2", at: float = NOON + DAY) -> Telling:
    """A later session that is about to try the same, in words that call up no earlier work."""
    shop.clock.at = at + 60
    telling = Telling(cwd=str(shop.folder), session=session, at=at)
    telling.prompt("Go on where we stopped yesterday")
    return telling.edit("stats.py", "    return sum(v)", "    if v is None:\n        return 0.0")


def warnings(rum: Rum) -> list[OfferView]:
    return rum.offers(kind="warning").offers


def test_a_warning_that_is_followed_speaks_for_its_memory(shop: Shop, rum: Rum):
    memory = learned(shop, rum)
    telling = again(shop).run("python3 check_stats.py", CRASH, 1)
    telling.edit("stats.py", "    if v is None:", "    if not v:")
    leave(rum, telling.run("python3 check_stats.py", "all checks passed").stop())
    rum.take_in()
    (warned,) = warnings(rum)
    assert (warned.memory_id, warned.outcome, warned.success) == (memory, "followed", True)
    assert "`if v is None:` (ZeroDivisionError" in warned.text
    assert "Worked instead: `if not v:`" in warned.text
    assert warned.usefulness > 0
    assert warned.why == "the agent was about to repeat what failed"


def test_a_warning_of_what_works_now_is_contradicted(shop: Shop, rum: Rum):
    learned(shop, rum)
    leave(rum, again(shop).run("python3 check_stats.py", "all checks passed").stop("It works."))
    rum.take_in()
    (warned,) = warnings(rum)
    assert (warned.outcome, warned.usefulness < 0) == ("contradicted", True)


def followed_in_a_commit(shop: Shop, repository: Repository) -> tuple[Rum, str]:
    """Work that follows a warning and is committed; the memory's usefulness counts it as a success."""
    rum = shop.open(owner=True)
    learned(shop, rum)
    telling = again(shop).run("python3 check_stats.py", CRASH, 1)
    telling.edit("stats.py", "    if v is None:", "    if not v:")
    sha = repository.commit("Fix the mean", {"stats.py": "if not v:\n"})
    telling.run("python3 check_stats.py", "all checks passed")
    telling.run("git commit -am 'Fix the mean'", f"[main {sha[:7]}] Fix the mean\n 1 file changed")
    leave(rum, telling.stop())
    rum.take_in()
    (warned,) = warnings(rum)
    assert warned.outcome == "followed"
    return rum, sha


@pytest.fixture
def repository(shop: Shop) -> Repository:
    shop.clock.at = NOON + 60
    repository = Repository(shop.folder)
    repository.commit("Begin", {"stats.py": "return sum(v)\n"})
    return repository


def test_work_that_stays_speaks_for_what_it_followed(shop: Shop, repository: Repository):
    rum, _ = followed_in_a_commit(shop, repository)
    (before,) = warnings(rum)
    shop.clock.at += DAY * 2
    rum.tidy()
    (kept,) = warnings(rum)
    assert kept.outcome == "followed, kept"
    assert kept.usefulness > before.usefulness > 0
    counts = rum.stats().offers["warning"]
    assert (counts["followed"], counts["kept"], counts["undone"]) == (1, 1, 0)


def test_nothing_is_said_of_work_where_its_commits_cannot_be_looked_up(shop: Shop, repository: Repository):
    rum, _ = followed_in_a_commit(shop, repository)
    shop.clock.at += DAY * 2
    git = shop.folder / ".git"
    git.rename(shop.folder / "away")
    rum._project._git = None
    rum.tidy()
    assert warnings(rum)[0].outcome == "followed"
    (shop.folder / "away").rename(git)
    rum.tidy()
    assert warnings(rum)[0].outcome == "followed, kept"
    git.rename(shop.folder / "away")
    rum._project._git = None
    rum.tidy()
    assert warnings(rum)[0].outcome == "followed, kept"


def test_work_that_is_reverted_later_speaks_against_what_it_followed(shop: Shop, repository: Repository):
    rum, sha = followed_in_a_commit(shop, repository)
    printed = repository.git("revert", "--no-edit", sha)
    shop.clock.at += DAY
    telling = Telling(cwd=str(shop.folder), session="s3", at=NOON + DAY * 2)
    telling.prompt("the new mean has to go, empty lists must raise")
    leave(rum, telling.run(f"git revert --no-edit {sha}", printed).stop("Reverted."))
    rum.take_in()
    undone = next(one for one in warnings(rum) if one.session == "s2")
    assert undone.outcome == "followed, undone"
    assert undone.usefulness < 0
    assert rum.stats().offers["warning"]["undone"] == 1


def test_being_shown_counts_for_nothing(shop: Shop, rum: Rum):
    learned(shop, rum)
    leave(rum, again(shop).stop("I gave up; it failed."))
    rum.take_in()
    assert [(one.outcome, one.usefulness) for one in warnings(rum)] == [("nothing", 0.0)]


def test_a_check_that_fails_again_is_nothing_that_worked(shop: Shop, rum: Rum):
    learned(shop, rum)
    leave(rum, again(shop).run("python3 check_stats.py", CRASH, 1).stop("It does not work; I stop here."))
    rum.take_in()
    assert [(one.outcome, one.success) for one in warnings(rum)] == [("nothing", False)]


def test_an_offer_is_fetched_when_its_memory_is_asked_for(shop: Shop, rum: Rum):
    memory = learned(shop, rum)
    telling = again(shop).call("rum", memories=[memory])
    leave(rum, telling.stop("I gave up; it failed."))
    rum.take_in()
    assert [one.outcome for one in warnings(rum)] == ["fetched"]


def test_what_was_offered_and_asked_for_is_named_among_the_events(shop: Shop, rum: Rum):
    memory = learned(shop, rum)
    telling = again(shop).call("rum", memories=[memory]).call("rum")
    leave(rum, telling.stop("I gave up; it failed."))
    rum.take_in()
    seen = [(one.kind, one.what) for one in rum.captured_events(session="s2").events]
    assert ("offered", f"warning {memory[-8:]}") in seen
    assert [what for kind, what in seen if kind == "after" and what.startswith("rum")] == [
        "rum",
        f"rum: {memory[-8:]}",
    ]


def test_taking_in_twice_counts_once(shop: Shop, rum: Rum):
    learned(shop, rum)
    telling = again(shop).run("python3 check_stats.py", CRASH, 1)
    telling.edit("stats.py", "    if v is None:", "    if not v:")
    telling.run("python3 check_stats.py", "all checks passed").stop()
    leave(rum, telling)
    rum.take_in()
    before = rum.offers()
    leave(rum, telling)
    rum.take_in()
    assert rum.offers() == before
    assert [(one.kind, one.offered) for one in before.figures if one.kind == "warning"] == [("warning", 1)]


def test_doctor_counts_what_was_offered_in_a_turn_that_goes_on(shop: Shop, rum: Rum):
    learned(shop, rum)
    before = rum.doctor().facts["hooks"]
    telling = again(shop)
    leave(rum, telling)
    during = rum.doctor().facts["hooks"]
    assert during["offered"] == before["offered"] + 1
    leave(rum, telling.stop())
    rum.take_in()
    assert rum.doctor().facts["hooks"]["offered"] == during["offered"]


def test_the_words_go_after_two_weeks_and_the_rest_stays(shop: Shop, rum: Rum):
    learned(shop, rum)
    leave(rum, again(shop).stop("I gave up; it failed."))
    rum.take_in()
    leave(rum, again(shop, "s3", NOON + 30 * DAY).stop("I gave up; it failed."))
    rum.take_in()
    assert [bool(one.text) for one in warnings(rum)] == [True, False]


def test_what_is_forgotten_was_never_offered(shop: Shop, rum: Rum):
    memory = learned(shop, rum)
    leave(rum, again(shop).stop())
    rum.feedback(memory, useful=True)
    rum.forget(memory)
    rum.take_in()
    assert rum.offers(limit=1000).offers == []
    folder = rum.project.directory
    assert all("if v is None" not in line for line in _kept(rum, "offered")), folder


def _kept(rum: Rum, kind: str) -> list[str]:
    return [str(one) for one in rum.captured_events(kind=kind).events]


def test_feedback_moves_a_memory_among_its_equals_and_says_so(shop: Shop, rum: Rum):
    ids = [keep(rum, f"Paint the garden shed {colour}") for colour in ("red", "teal", "blue")]
    rum = shop.open(owner=True, session="another")
    plain = [one.id for one in rum.recall(query="garden shed paint", limit=3).memories]
    last = plain[-1]
    assert rum.feedback(last, useful=True).usefulness == pytest.approx(0.33, abs=0.01)
    found = rum.recall(query="garden shed paint", limit=3, explain=True).memories
    assert found[0].id == last
    assert "proved useful when it was offered (+0.13)" in (found[0].why or [])
    assert all("proved" not in line for one in found[1:] for line in one.why or [])
    rum.feedback(last, useful=False)
    assert rum.recall(query="garden shed paint", limit=3).memories[-1].id == last
    assert set(plain) == set(ids)


def test_each_voice_counts_once(shop: Shop):
    memory = keep(shop.open(agent="ann"))
    for _ in range(3):
        shop.open(owner=True).feedback(memory, useful=True)
    assert shop.open(owner=True).feedback(memory, useful=True).usefulness == pytest.approx(0.33, abs=0.01)
    assert shop.open(agent="ann").feedback(memory, useful=True).usefulness == pytest.approx(0.5)
    assert shop.open(agent="ann").feedback(memory, useful=False).usefulness == 0


def test_an_invalid_query_is_refused_with_the_reason(rum: Rum):
    with pytest.raises(NotFound):
        rum.feedback("mem_nobody", useful=True)
    with pytest.raises(InvalidQuery, match="one of warning"):
        rum.offers(kind="advice")
    assert rum.offers().hint


def test_what_was_offered_is_listed_before_the_turn_is_over(shop: Shop, rum: Rum):
    memory_id = learned(shop, rum)
    leave(rum, again(shop))
    (offer,) = rum.offers(kind="warning").offers
    assert offer.memory_id == memory_id
    assert not rum.offers().hint  # which says that there are none
    assert rum.offers(kind="warning", session="another").offers == []
