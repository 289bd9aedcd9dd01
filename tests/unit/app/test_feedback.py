"""Feedback on notes, facts, rules, chapters and wisdom, and what it changes in briefs."""

from __future__ import annotations

import pytest

from rum import InvalidQuery, NotFound, Rum
from support.captured_events import NOON, Telling
from support.projects import Shop, keep
from unit.app.test_offers import leave

DAY = 86_400
TASK = "Change the login session"


def note(rum: Rum, title: str, content: str = "Sessions end at night, as the deploy rotates the key.") -> str:
    return rum.notes.add(title, content, "session").id.partition("#")[0]


def taken(rum: Rum, kind: str, task: str = TASK) -> list[str]:
    brief = rum.brief(task=task)
    assert isinstance(brief.taken, list)
    return [one.id for one in brief.taken if one.kind == kind]


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = NOON
    return shop.open(owner=True)


def test_everything_that_is_remembered_can_be_rated(rum: Rum):
    slug = note(rum, "Sessions end early")
    note(rum, "Sessions end early", "They end at night and at noon, since the key is rotated twice.")
    rum.facts.set("redis", "7.2")
    rule = rum.rules.add("session", "Always log out first")
    memories = [keep(rum, f"Fix the login {number}") for number in range(3)]
    chapters = [rum.chapters.create(memory_ids=[one], title=f"About {one}").chapter_id for one in memories]
    wisdom = rum.wisdom.synthesize(chapter_ids=chapters).wisdom_id
    rated = [
        ("note", slug, slug),
        ("note", f"{slug}#1", slug),
        ("fact", "redis", "redis"),
        ("rule", rule.id[-8:], rule.id),
        ("chapter", chapters[0], chapters[0]),
        ("wisdom", wisdom, wisdom),
        ("memory", memories[0][-8:], memories[0]),
    ]
    for kind, name, whole in rated:
        answer = rum.feedback(name, useful=True)
        assert (answer.kind, answer.id, answer.usefulness) == (kind, whole, 0.33)


def test_one_name_for_two_things_needs_their_kind(rum: Rum):
    slug = note(rum, "Redis")
    rum.facts.set(slug, "7.2")
    with pytest.raises(InvalidQuery, match="give its `kind`"):
        rum.feedback(slug, useful=True)
    assert rum.feedback(slug, useful=True, kind="fact").kind == "fact"
    assert rum.feedback(slug, useful=False, kind="note").usefulness == -0.33
    with pytest.raises(InvalidQuery, match="must be one of"):
        rum.feedback(slug, useful=True, kind="event")
    with pytest.raises(NotFound):
        rum.feedback("nothing-like-it", useful=True)


def test_feedback_moves_notes_rules_and_facts_in_a_brief_and_being_shown_does_not(rum: Rum):
    first, second = note(rum, "Session keys"), note(rum, "Session names", "Session names are hashed.")
    rules = [rum.rules.add("session", action).id for action in ("Log it", "Test it")]
    for key in ("login session limit", "session login time"):
        rum.facts.set(key, "30")
    before = taken(rum, "note"), taken(rum, "rule"), taken(rum, "fact")
    assert (taken(rum, "note"), taken(rum, "rule"), taken(rum, "fact")) == before
    assert sorted(before[1]) == sorted(rules)
    for kind, shown in zip(("note", "rule", "fact"), before, strict=True):
        rum.feedback(shown[0], useful=False, kind=kind)
        assert taken(rum, kind) == shown[::-1]
    assert {first, second} == {one.partition("#")[0] for one in before[0]}


def test_a_brief_is_recorded_as_an_offer_and_fetching_speaks_for_it(shop: Shop, rum: Rum):
    slug = note(rum, "Session keys")
    rum.facts.set("login session", "30 minutes")
    agent = shop.open(agent="ann")
    agent.brief(task=TASK)
    assert {(one.memory_id, one.outcome) for one in rum.offers().offers} == {
        (f"note:{slug}", "nothing"),
        ("fact:login session", "nothing"),
    }
    agent.notes.show(slug)
    agent.notes.show(slug)
    (fetched,) = [one for one in rum.offers().offers if one.outcome == "fetched"]
    assert (fetched.memory_id, fetched.usefulness > 0) == (f"note:{slug}", True)
    assert [(one.kind, one.offered, one.fetched) for one in rum.offers().figures] == [("brief", 2, 1)]


def test_what_was_not_offered_is_not_fetched(shop: Shop, rum: Rum):
    slug = note(rum, "Session keys")
    shop.open(agent="ann").notes.show(slug)
    rum.brief(task=TASK)  # a person's brief is no offer to an agent
    assert rum.offers().offers == []


def test_a_rule_is_followed_when_its_command_was_run(shop: Shop, rum: Rum):
    telling = Telling(cwd=str(shop.folder), session="s1").prompt(
        "Always run `make schema` after a model changes"
    )
    leave(rum, telling.stop("Noted."))
    rum.take_in()
    (rule,) = rum.rules.list()
    shop.clock.at = NOON + DAY
    telling = Telling(cwd=str(shop.folder), session="s2", at=NOON + DAY)
    telling.add("start", source="startup").prompt("Add a column to the model")
    leave(rum, telling.edit("model.py", "a", "b").run("make schema", "written").stop("Added the column."))
    rum.take_in()
    (offer,) = rum.offers(kind="guidance").offers
    assert (offer.memory_id, offer.outcome) == (rule.id, "followed")


def test_an_old_note_whose_files_are_gone_says_so_until_it_is_confirmed(shop: Shop, rum: Rum):
    (shop.folder / "src").mkdir()
    slug = note(rum, "Session keys", "Session keys are made in src/keys.py, not in lib/other.py.")
    assert "outdated" not in rum.brief(task=TASK).text
    shop.clock.at += 31 * DAY
    before = rum.brief(task=TASK)
    assert "Perhaps outdated: src/keys.py no longer exists" in before.text
    rum.feedback(slug, useful=True)
    assert "outdated" not in rum.brief(task=TASK).text
    shop.clock.at += 31 * DAY
    assert "outdated" in rum.brief(task=TASK).text
    (shop.folder / "src" / "keys.py").write_text("")
    assert "outdated" not in rum.brief(task=TASK).text


def test_a_newer_fact_or_word_of_the_user_contradicts_a_note(shop: Shop, rum: Rum):
    slug = note(rum, "Session store", "The session store runs on Redis 6.2. Session keys must be hashed.")
    rum.facts.set("redis", "6.2")
    shop.clock.at += DAY
    assert "Contradicted" not in rum.brief(task=TASK).text
    points = rum.brief(task=TASK).taken
    rum.facts.set("redis", "7.2")
    text = rum.brief(task=TASK)
    assert "Contradicted by (fact redis, 2027-01-16): redis = 7.2" in text.text
    assert isinstance(points, list)
    assert isinstance(text.taken, list)
    assert text.taken[0].points < points[0].points
    assert [one.says for one in rum.notes.show(slug).contradictions or ()] == ["redis = 7.2"]
    telling = Telling(cwd=str(shop.folder), session="s1", at=shop.clock.at)
    leave(rum, telling.prompt("From now on session keys must not be hashed.").stop("Noted."))
    rum.take_in()
    assert "session keys must not be hashed" in rum.brief(task=TASK).text.partition("Contradicted by")[2]


def test_forgetting_for_good_deletes_the_feedback(rum: Rum):
    rum.facts.set("redis", "7.2")
    rum.feedback("redis", useful=True)
    rum.forget("redis", now=True)
    rum.facts.set("redis", "7.4")
    assert rum.feedback("redis", useful=True).usefulness == 0.33
