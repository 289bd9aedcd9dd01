"""Titles and topics: words that memories share, as they wrote them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from rum.consolidate.chapters import titles
from rum.consolidate.chapters.members import by_time
from rum.consolidate.chapters.titles import LONGEST_TITLE, MOST_TOPICS
from rum.model.memory import Memory
from support.chapter_memories import LOGINS, make_work


def make_title(members: Sequence[Memory]) -> str:
    aims = titles.goals_of(by_time(members))
    return titles.make_title(aims, titles.find_headings(aims))


def topics_of(members: Sequence[Memory]) -> tuple[str, ...]:
    return tuple(heading.text for heading in titles.find_headings(titles.goals_of(by_time(members))))


def test_a_title_is_the_goal_that_says_most_about_what_they_share():
    assert make_title(LOGINS) == "Fix random logouts after token refresh"
    assert topics_of(LOGINS)[0] == "refresh tokens"


def test_a_title_has_neither_a_full_stop_nor_the_number_of_a_pull_request():
    assert make_title([make_work(1, "Rotate keys. (#12) (#345)")]) == "Rotate keys"
    assert make_title([make_work(1, "(#12)")]) == "(#12)"
    assert make_title([make_work(1, "Wait...")]) == "Wait..."


def test_verbs_are_no_topic_and_names_keep_their_spelling():
    members = [
        make_work(1, "Fix `curl_easy_perform()` on Windows"),
        make_work(2, "Refactor curl_easy_perform"),
        *(make_work(3 + n, goal) for n, goal in enumerate(["Fix typo", "Add more tests"] * 4)),
    ]
    assert make_title(members) == "Fix `curl_easy_perform()` on Windows"
    assert topics_of(members) == ("curl_easy_perform",)


def test_other_forms_of_a_verb_are_no_topic_either():
    goals = ("Added fallback signers", "Added a fallback for clocks", "Adding, fixing and using a fallback")
    assert topics_of([make_work(n, goal) for n, goal in enumerate(goals)]) == ("fallback",)


def test_tags_help_where_goals_share_little():
    members = [make_work(n, goal, tags=["oauth"]) for n, goal in enumerate(("Add login", "Drop cookies"))]
    assert topics_of(members) == ("oauth",)


def test_few_memories_that_share_one_word_are_named_by_their_goals():
    members = [
        make_work(1, "Rotate tokens"),
        make_work(2, "Test tokens of guests"),
        make_work(3, "Fix tokens"),
    ]
    assert make_title(members) == "Rotate tokens; Test tokens of guests"


def test_some_memories_that_share_single_words_are_named_by_the_goal_that_says_most():
    goals = (
        "Rotate tokens",
        "Expire cookies",
        "Show when tokens of mobile clients expire",
        "Sign mobile cookies",
    )
    members = [make_work(number, goal) for number, goal in enumerate(goals)]
    assert make_title(members) == "Show when tokens of mobile clients expire"


def test_a_phrase_takes_the_place_of_its_words():
    members = [make_work(1, "Fix memory leak in parser"), make_work(2, "Fix memory leaks in the reader")]
    assert topics_of(members) == ("memory leak",)


@pytest.mark.parametrize("goals", [["Alpha", "Beta"], ["..."], ["Only one here"]])
def test_where_nothing_is_shared_the_first_goal_is_the_title(goals: list[str]):
    assert make_title([make_work(number, goal) for number, goal in enumerate(goals)]) == goals[0]


def test_without_common_words_a_vague_goal_is_no_title():
    members = [make_work(1, "Polish"), make_work(2, "Show invoices of last year")]
    assert make_title(members) == "Show invoices of last year"


def test_topics_are_no_parts_of_each_other_and_phrases_have_only_blanks_within():
    goals = ("route-table: Use table=id' parameter", "route-table: Use table=id' parameter of route again")
    topics = topics_of([make_work(number, goal) for number, goal in enumerate(goals)])
    assert sorted(topics) == ["id", "parameter", "route-table"]


def test_titles_and_topics_are_bounded_and_do_not_depend_on_the_order():
    members = [
        make_work(n, f"{'wordy' * 30} part{n % 20} of thing{n % 13} and item{n % 7}") for n in range(60)
    ]
    shuffled = random.Random(1).sample(members, len(members))
    assert make_title(members) == make_title(shuffled)
    assert topics_of(members) == topics_of(shuffled)
    assert len(make_title(members)) <= LONGEST_TITLE
    assert len(topics_of(members)) <= MOST_TOPICS


def test_reverted_work_is_titled_by_its_own_subject():
    goals = ("new run debug docs", "revert run debug docs", "show run debug in docs")
    assert make_title([make_work(number, goal) for number, goal in enumerate(goals)]) == "new run debug docs"


def test_the_same_goal_over_and_over_is_the_title():
    assert make_title([make_work(number, "Rotate the signing keys") for number in range(9)]) == (
        "Rotate the signing keys"
    )


def test_a_title_of_many_is_made_of_their_goals():
    goals = ("Rotate the signing keys", "Show invoices of last year", "typo", "Polish")
    members = [make_work(number, goals[number % 4]) for number in range(12)]
    assert make_title(members) == "Rotate the signing keys; Show invoices of last year"


def test_the_goal_of_a_feature_is_the_title_before_those_of_its_tests_and_documents():
    members = [
        make_work(1, "Test the export of invoices", kind="test_write"),
        make_work(2, "Export invoices as PDF", kind="feature_add"),
        make_work(3, "Describe the export of invoices in the manual", kind="documentation"),
        make_work(4, "Fix typos in the manual of invoices", kind="documentation"),
    ]
    assert make_title(members) == "Export invoices as PDF"


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("#2447 Forward exceptions", "Forward exceptions"),
        ("fix(parser)!: keep line numbers (fixes #31) (#32)", "parser: keep line numbers"),
        ("feat: keep line numbers", "Keep line numbers"),
        (":pencil: Describe the exit codes", "Describe the exit codes"),
        ("docs: `shlex` on Windows", "docs: `shlex` on Windows"),
        ("tests: borg list --sort-by", "tests: borg list --sort-by"),
        ("parser: keep line numbers", "parser: keep line numbers"),
        ("Limit redirects. Closes #204", "Limit redirects"),
        ("fix:", "fix:"),
    ],
)
def test_what_only_sorts_a_commit_is_no_part_of_a_title(goal: str, title: str):
    assert make_title([make_work(1, goal)]) == title


@pytest.mark.parametrize(
    ("goals", "title"),
    [
        (
            ["Add tides support", "Add wind support", "Add depth of berths support"],
            "Add … support: tides, wind and depth of berths",
        ),
        (
            ["quay: overhaul", "quay: extra adjustments", "quay: more"],
            "quay: overhaul, extra adjustments and more",
        ),
        (
            [f"Check pump-{number}-of-the-dry-dock" for number in range(9)],
            "Check pump-0-of-the-dry-dock, pump-1-of-the-dry-dock and 7 more",
        ),
        (
            ["Move the crane", "Repair the north gate of the lock", "Paint it"],
            "Repair the north gate of the lock",
        ),
    ],
)
def test_goals_that_differ_in_few_words_are_one_title(goals: list[str], title: str):
    assert make_title([make_work(number, goal) for number, goal in enumerate(goals)]) == title
