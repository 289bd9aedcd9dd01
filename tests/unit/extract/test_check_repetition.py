"""Known content is not stored again; a correction is."""

from __future__ import annotations

import pytest

from rum.extract.check import corrects, find_repetition, known_text

LONG = """\
# The gateway
nginx closes idle websockets after 60s because proxy_read_timeout defaults to 60s.
Heartbeats must be sent more often than that. The value is set in ingress/values.yaml.

- The service listens on port 8080.
- Sessions are kept in Redis, with a lifetime of one day.
- Deployments run on Fridays, never before noon, and restart every worker of the gateway.
- Certificates are renewed by cert-manager; the issuer is called letsencrypt.
"""


def known(new: str, *old: str) -> str | None:
    """The name of what says the same: the number of an earlier text, the oldest being 0."""
    found = find_repetition(
        new, [known_text(str(number), text, (0, number)) for number, text in enumerate(old)]
    )
    return found.name if found else None


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Use port 8080 for the gateway.", "The gateway: use port 8080."),
        ("The pointer of tok_next() must not be freed.", "tok_next(): its pointer must never be freed."),
        ("The service listens on port 8080.", LONG),
        ("nginx closes idle websockets after 60s, as proxy_read_timeout defaults to that.", LONG),
        ("Certificates are renewed by cert-manager.", LONG),
        (LONG, LONG),
        ("Node 16 fails. Node 18 works.", "Node 16 fails. Node 18 works."),
        ("Tests run without a database.", "Tests run without a database. They need no network either."),
    ],
)
def test_a_repetition_of_an_earlier_text_is_found(new: str, old: str):
    assert known(new, "Something else entirely was said.", old) == "1"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Never use port 8080.", "Use port 8080."),
        ("Use port 8080.", "Never use port 8080."),
        ("Postgres 16", "Postgres 14"),
        ("Staging and production run Postgres 16 now.", "Staging and production run Postgres 14."),
        (
            "Staging runs Postgres 16, without pg_stat_kcache.",
            "Staging runs Postgres 14, with pg_stat_kcache for the dashboards.",
        ),
        ("The service listens on port 9090.", LONG),
        ("Deployments do not run on Fridays.", LONG),
        ("Sessions are no longer kept in Redis.", LONG),
        ("Keep tokens out of localStorage, never put tokens there.", "Keep tokens in localStorage."),
        ("Uploads are limited to 20 MB by the proxy.", "Uploads are limited to 10 MB by the proxy."),
        ("The cache isn't safe for threads.", "The cache is safe for threads."),
        ("Do run the migrations before the tests.", "Don't run the migrations before the tests."),
        ("Retries are capped at 3, with a pause of 20 s.", "Retries are capped at 3, with a pause of 5 s."),
    ],
)
def test_a_correction_in_similar_words_is_new(new: str, old: str):
    assert known(new, old) is None


def test_a_long_note_is_no_repetition_of_a_short_one():
    assert known(LONG, "The service listens on port 8080.") is None


def test_scattered_words_are_no_repetition():
    new = "Workers of the gateway must restart after certificates are renewed, or sessions in Redis are lost."
    assert known(new, LONG) is None


def test_a_text_that_adds_more_than_it_repeats_is_new():
    new = "The service listens on port 8080. It drops requests larger than a megabyte, and logs nothing then."
    assert known(new, LONG) is None


def test_returning_to_a_corrected_statement_is_new():
    earlier, later = "Production runs Postgres 14 everywhere.", "Production runs Postgres 16 everywhere."
    assert known(earlier, earlier, later) is None
    assert known(later, earlier, later) == "1"
    assert known(earlier, earlier, later, earlier) == "2"


def test_a_text_of_one_endless_sentence_is_compared():
    text = "the gateway " + "restarts the worker and then " * 30
    assert known(text, text) == "0"
    assert known(text, "Something else.") is None


@pytest.mark.parametrize("part", ["never port {}, ", "the worker {} is not idle. ", "a{} "])
def test_endless_texts_are_compared_in_bounded_time(part: str):
    one, other = ("".join(part.format(number) for number in range(at, at + 20_000)) for at in (0, 7))
    assert known(one, one) == "0"
    known(one, other)


@pytest.mark.parametrize("nothing", ["", "the of a", "```\n```", "# "])
def test_empty_texts_are_no_repetition(nothing: str):
    assert known(nothing, LONG, nothing) is None
    assert known(LONG, nothing) is None


@pytest.mark.parametrize(
    ("one", "other", "corrected"),
    [
        ("When deploying\nRun the slow tests", "When deploying\nDo not run the slow tests", True),
        ("When deploying\nRun the slow tests", "When deploying\nRun the slow tests twice", False),
        ("pool\nKeep 20 connections open", "pool\nKeep 10 connections open", True),
    ],
)
def test_a_rule_is_corrected_by_a_not_or_a_number(one: str, other: str, corrected: bool):
    assert corrects(known_text("", one), known_text("", other)) is corrected
