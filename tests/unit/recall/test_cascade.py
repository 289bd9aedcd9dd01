"""Which levels of the cascade run, what they find, and the confidence of each result."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery, Rum
from rum.model.answers import RecallResult
from rum.recall.limits import RESPELT
from support.builders import NOON
from support.projects import Shop, edited, keep


def ids(answer: RecallResult) -> list[str]:
    return [memory.id for memory in answer.memories]


def test_an_id_is_looked_up_and_certain(rum: Rum) -> None:
    kept = keep(rum)
    answer = rum.recall(memory_id=kept)
    assert (ids(answer), answer.query_strategy_used, answer.confidence) == ([kept], "exact", 1.0)
    assert answer.total_matches == 1


def test_the_tail_of_an_id_is_enough(rum: Rum) -> None:
    kept = keep(rum)
    keep(rum, "Something else")
    assert ids(rum.recall(memory_id=kept[-8:])) == [kept]
    assert ids(rum.recall(memory_id=f"mem_{kept[-10:]}")) == [kept]


@pytest.mark.parametrize(
    ("question", "level"),
    [
        ({"file": "a.py"}, "exact"),
        ({"task_type": "bug_fix"}, "exact"),
        ({"task_type": "bug_fix", "tags": ["x"], "success_only": True}, "exact"),
        ({"tags": ["x"]}, "structural"),
        ({"success_only": True}, "structural"),
        ({"since": 1}, "structural"),
        ({"before": NOON * 2}, "structural"),
        ({"query": "login"}, "pattern"),
        ({"intent": "login", "tags": ["x"]}, "pattern"),
    ],
)
def test_each_kind_of_question_has_its_level(rum: Rum, question: dict[str, Any], level: str) -> None:
    kept = keep(rum, actions=edited("a.py"), tags=["x"])
    answer = rum.recall(**question)
    assert (ids(answer), answer.query_strategy_used) == ([kept], level)
    assert (answer.confidence == 1.0) is (level != "pattern")


def test_words_are_not_looked_for_when_none_were_asked(rum: Rum) -> None:
    keep(rum)
    assert rum.recall(file="b.py").query_strategy_used == "exact"
    assert rum.recall(tags=["unknown"]).query_strategy_used == "structural"
    assert rum.recall(task_type="refactor").query_strategy_used == "exact"
    assert rum.recall(query="zebra").query_strategy_used == "pattern"
    assert rum.recall(query="zebra", file="b.py").query_strategy_used == "exact+pattern"
    assert rum.recall(query="zebra", strategy="exact").query_strategy_used == "none"


def test_the_levels_that_contributed_are_named(rum: Rum) -> None:
    by_file = keep(rum, "Rewrite the parser", actions=edited("a.py"))
    by_words = keep(rum, "Login page loses the session")
    answer = rum.recall(file="a.py", query="login session", min_confidence=0)
    assert set(ids(answer)) == {by_file, by_words}
    assert answer.query_strategy_used == "exact+pattern"


def test_the_next_level_does_not_run_when_enough_was_found(rum: Rum) -> None:
    keep(rum, "One", actions=edited("src/cart.py"))
    keep(rum, "Two", actions=edited("src/cart_test.py"))
    enough = rum.recall(file="src/cart.py", task_type="bug_fix", limit=1)
    assert (enough.query_strategy_used, enough.total_matches) == ("exact", 1)
    more = rum.recall(file="src/cart.py", task_type="bug_fix", limit=2)
    assert (more.query_strategy_used, more.total_matches) == ("exact+pattern", 2)


def test_the_same_kind_of_task_on_a_neighbouring_file_is_similar(rum: Rum) -> None:
    here = keep(rum, "Here", actions=edited("src/auth/token.py"))
    next_door = keep(rum, "There", actions=edited("src/auth/token_store.py"))
    keep(rum, "Another thing in that folder", actions=edited("src/auth/session.py"))
    keep(rum, "Far away", actions=edited("docs/token.md"))
    answer = rum.recall(file="src/auth/token.py", task_type="bug_fix")
    assert ids(answer) == [here, next_door]
    assert answer.memories[0].confidence == 1.0
    assert answer.memories[1].confidence < answer.memories[0].confidence
    assert ids(rum.recall(file="src/auth/token.py")) == [here]
    assert ids(rum.recall(file="src/auth/token.py", task_type="bug_fix", strategy="exact")) == [here]


def test_words_count_even_if_a_file_has_enough_memories(rum: Rum, shop: Shop) -> None:
    elsewhere = keep(rum, "Login loses the session", actions=edited("old/login.py"))
    within = keep(rum, "Session of the login expires", actions=edited("app.py"))
    for number in range(30):
        shop.clock.forward(60)
        keep(rum, f"Unrelated change {number}", actions=edited("app.py"))
    answer = rum.recall(file="app.py", query="login session")
    assert ids(answer)[:2] == [within, elsewhere]


def test_a_file_and_words_together_are_surer_than_each_alone(rum: Rum) -> None:
    both = keep(rum, "Fix login session", actions=edited("a.py"))
    words = keep(rum, "Fix login session of admins too", actions=edited("b.py"))
    file = keep(rum, "Rename things", actions=edited("a.py"))
    answer = rum.recall(file="a.py", query="login session", min_confidence=0)
    assert ids(answer)[0] == both
    assert set(ids(answer)) == {both, words, file}
    assert answer.memories[0].confidence > answer.memories[1].confidence


def test_exact_looks_at_files_and_filters_only(rum: Rum) -> None:
    kept = keep(rum, actions=edited("a.py"), tags=["x"])
    assert ids(rum.recall(query="login", strategy="exact")) == []
    assert ids(rum.recall(query="login", file="a.py", strategy="exact")) == [kept]


@pytest.mark.parametrize("filters", [{"tags": ["x"]}, {"task_type": "bug_fix"}, {"success_only": True}])
def test_exact_ranks_what_passes_the_filters_by_the_words(rum: Rum, shop: Shop, filters: Any) -> None:
    login = keep(rum, "Fix the login", tags=["x"])
    shop.clock.forward(60)
    other = keep(rum, "Fix the parser", tags=["x"])
    answer = rum.recall(query="login", strategy="exact", min_confidence=0, **filters)
    assert ids(answer) == [login, other]
    assert answer.memories[1].confidence < answer.memories[0].confidence


def test_an_unknown_strategy_is_refused_with_those_there_are(rum: Rum) -> None:
    with pytest.raises(InvalidQuery) as caught:
        rum.recall(query="login", strategy="telepathy")
    assert caught.value.details["field"] == "strategy"
    assert set(caught.value.details["allowed"]) == {"auto", "exact", "semantic"}


def test_the_answer_is_ordered_by_confidence(rum: Rum) -> None:
    keep(rum, "Fix token refresh in the auth interceptor")
    keep(rum, "Token cleanup")
    keep(rum, "Refresh the docs")
    keep(rum, "Repair token refresh")
    answer = rum.recall(query="token refresh", min_confidence=0)
    confidences = [memory.confidence for memory in answer.memories]
    assert confidences == sorted(confidences, reverse=True)
    assert answer.confidence == confidences[0]
    assert all(0 < confidence < 1 for confidence in confidences)


def test_weak_matches_are_given_only_when_asked_for(rum: Rum) -> None:
    kept = keep(rum, "Rewrite the parser of configuration files")
    for number in range(5):
        keep(rum, f"Unrelated {number} migrate invoices export ledger")
    weak = "parser migration of unicorn zebra giraffe elephant hippopotamus invoices"
    assert kept not in ids(rum.recall(query=weak))
    assert kept in ids(rum.recall(query=weak, min_confidence=0, limit=10))


def test_only_what_is_certain_passes_a_threshold_of_one(rum: Rum) -> None:
    kept = keep(rum, "Fix the login", actions=edited("src/a.py"))
    assert ids(rum.recall(query="fix the login", min_confidence=1)) == []
    assert ids(rum.recall(file="a.py", min_confidence=1)) == []
    assert ids(rum.recall(file="src/a.py", min_confidence=1)) == [kept]
    assert ids(rum.recall(memory_id=kept, min_confidence=1)) == [kept]


def test_recency_and_importance_break_a_tie(rum: Rum, shop: Shop) -> None:
    old = keep(shop.open(), "Fix login of admins")
    shop.clock.forward(90 * 86400)
    new = keep(shop.open(), "Fix login of guests")
    important = keep(shop.open(), "Fix login of robots", importance=1.0)
    assert ids(rum.recall(query="fix login", min_confidence=0)) == [important, new, old]


def test_among_equals_the_newest_comes_first(shop: Shop) -> None:
    for name in ("admins", "guests", "robots", "actors", "pilots"):
        keep(shop.open(), f"Fix login of {name}")
        shop.clock.forward(60)
    answer = shop.open().recall(query="fix login", min_confidence=0)
    assert answer.memories[0].intent.goal == "Fix login of pilots"


def test_asking_for_the_words_of_a_goal_gives_that_memory_first(rum: Rum) -> None:
    for number in range(20):
        keep(rum, f"Refresh token handling number {number}", "token refresh " * 20)
    kept = keep(rum, "Refresh token handling")
    assert ids(rum.recall(query="Refresh token handling"))[0] == kept


def test_also_among_many_that_say_the_words_more_often(rum: Rum) -> None:
    kept = keep(rum, "Refresh the token")
    for _ in range(100):
        keep(rum, "Refresh token refresh token refresh token", "Refresh token", tags=["token"])
    assert ids(rum.recall(query="refresh the token"))[0] == kept


def test_a_long_goal_repeated_comes_before_one_that_says_more(rum: Rum, shop: Shop) -> None:
    words = [f"alpha{number}beta" for number in range(60)]
    kept = keep(shop.open(), " ".join(words))
    said = " ".join(f"more{number}" for number in range(200))
    keep(shop.open(), " ".join([*words, "again"]), said, actions=edited(*(f"{word}.py" for word in words)))
    keep(rum, f"{' '.join(words)} now", said, actions=edited(*(f"{word}.py" for word in words)))
    assert ids(rum.recall(query=" ".join(words)))[0] == kept


def test_a_memory_without_common_words_is_not_returned(rum: Rum) -> None:
    wanted = keep(rum, "Fix the login")
    other = keep(rum, "Paint the gate")
    keep(rum, "Mow the lawn", links={"caused_by": [wanted]})
    assert ids(rum.recall(query="fix the login")) == [wanted]
    assert ids(rum.recall(query="login")) == [wanted]
    assert ids(rum.recall(query="gate")) == [other]


def test_a_misspelt_word_is_forgiven(rum: Rum) -> None:
    kept = keep(rum, "Fix the authentication interceptor")
    for wrong in ("interceptro", "interceptir", "intreceptor", "interceptorr", "nterceptor"):
        answer = rum.recall(query=wrong)
        assert ids(answer) == [kept], wrong
        assert answer.confidence < rum.recall(query="interceptor").confidence


def test_a_misspelt_word_is_forgiven_beside_one_that_others_hold(rum: Rum, shop: Shop) -> None:
    kept = keep(shop.open(), "Fix the interceptor")
    for goal in ("Paint the gate", "Mow the lawn", "Repair the login", "Feed the cat", "Water the rose"):
        keep(rum, goal)
    assert kept in ids(rum.recall(query="login interceptro", min_confidence=0))


def test_a_match_by_typo_correction_alone_has_a_low_confidence(rum: Rum) -> None:
    kept = keep(rum, "Fix the authentication interceptor")
    assert rum.recall(query="interceptor").confidence > RESPELT
    for alone in ("interceptro", "authentcation interceptro"):
        answer = rum.recall(query=alone, min_confidence=0)
        assert (ids(answer), answer.confidence <= RESPELT) == ([kept], True)
    assert rum.recall(query="authentication interceptro").confidence > RESPELT


@pytest.mark.parametrize("asked", ["#5004", "issue 5004", "gh-5004", "5004"])
def test_an_unknown_number_is_not_taken_for_another(rum: Rum, asked: str) -> None:
    keep(rum, "Pass the error to the 500 handler", summary="Closes #500, see #504")
    assert rum.recall(query=asked, min_confidence=0).memories == []


def test_a_long_question_of_unknown_words_is_answered(rum: Rum) -> None:
    keep(rum)
    assert rum.recall(query=" ".join(f"wrd{number:04d}xyz" for number in range(900))).code == "NO_RESULTS"


def test_a_question_of_stop_words_finds_only_a_goal_that_says_just_that(rum: Rum) -> None:
    keep(rum, "Fix the login", summary="It was the clock")
    same = keep(rum, "What is this for", summary="Nobody knows")
    assert rum.recall(query="the").memories == []
    assert ids(rum.recall(query="what is this for")) == [same]


def test_a_rare_word_is_enough_beside_words_that_no_memory_holds(rum: Rum) -> None:
    for number in range(30):
        keep(rum, f"Add page {number} to the guide", summary="Written")
    wanted = keep(rum, "Pin terraform", summary="The provider recreated the database")
    answer = rum.recall(query="terraform keeps replacing database")
    assert ids(answer)[:1] == [wanted]
    assert rum.recall(query="kubernetes ingress timeout").memories == []
