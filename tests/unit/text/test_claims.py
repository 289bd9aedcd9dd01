"""What counts as a contradiction, and what does not."""

from __future__ import annotations

import pytest

from rum.text.claim_comparison import contradict
from rum.text.claims import claims_in


def disagree(one: str, other: str) -> bool:
    found = [contradict(a, b) for a in claims_in(one) for b in claims_in(other)]
    swapped = [contradict(b, a) for a in claims_in(one) for b in claims_in(other)]
    assert found == swapped
    return any(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use JWT.", "Do not use JWT."),
        ("- Always wrap handlers in try/catch", "* Never wrap handlers in try/catch."),
        ("The API listens on port 8080", "The API now listens on port 9090."),
        ("Tests can run in parallel.", "Tests can't run in parallel anymore."),
        ("The **cache** is `safe` for threads", "The cache isn't safe for threads"),
        ("Sessions end after 30 minutes; then log in again.", "Sessions end after 60 minutes."),
        ("We pin react v17.0.2 in the lock file", "we pin React 18.2 in the lock file"),
    ],
)
def test_the_same_words_with_a_not_or_another_number_contradict(one: str, other: str):
    assert disagree(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use JWT.", "Use JWT!"),
        ("Use JWT.", "Use cookies."),
        ("Never use JWT.", "Do not use JWT."),
        ("Use JWT.", "Do not use JWT for sessions of the admin."),
        ("# Use JWT", "# Do not use JWT"),
        ("```\nuse jwt\n```", "```\nnot use jwt\n```"),
        ("| port 8080 | api | public |", "| port 9090 | api | public |"),
        ("Attempt 1 failed", "Attempt 2 failed"),  # too few words to tell
        ("1. Build the image first", "2. Build the image first"),
        ("It works", "It does not"),
        ("Attempt 1 failed with a timeout of the server", "Attempt 2 failed with a timeout of the server"),
        ("See line 45 of the parser module", "See line 60 of the parser module"),
        ("Tests pass on 3 of 4 machines here", "Tests pass on 4 of 4 machines here"),
        ("The API listens on a port", "The API listens on port 8080"),
        ("The API listens on port 8080", "The API listens on ports 8080 and 9090"),
    ],
)
def test_other_words_headings_code_and_counts_do_not_contradict(one: str, other: str):
    assert not disagree(one, other)


def test_statements_of_the_same_words_share_a_key():
    (one,), (other,) = claims_in("Use JWT."), claims_in("Don't use JWT")
    assert one.key == other.key != claims_in("Use cookies")[0].key


def test_paragraphs_are_no_statements_and_their_number_is_limited():
    assert claims_in("word " * 100) == []
    assert len(claims_in("Use the JWT.\n" * 1000)) == 200
