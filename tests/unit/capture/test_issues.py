"""Issues exported from GitHub, in every form of export."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum import InvalidQuery
from rum.capture.issues import Comment, Issue, issues_in

AT = 1704164645

GH = {
    "number": 7,
    "title": "Gate open",
    "body": "It is.",
    "state": "CLOSED",
    "stateReason": "COMPLETED",
    "labels": [{"id": "x", "name": "bug", "color": "red"}],
    "author": {"login": "ann", "is_bot": False, "name": "Ann"},
    "createdAt": "2024-01-02T03:04:05Z",
    "closedAt": "2024-01-03T03:04:05Z",
    "comments": [{"author": {"login": "bob"}, "body": "Closed it.", "createdAt": "2024-01-03T03:04:05Z"}],
}
REST = {
    "number": 7,
    "title": "Gate open",
    "body": "It is.",
    "state": "closed",
    "state_reason": "completed",
    "labels": ["bug"],
    "user": {"login": "ann", "id": 5},
    "created_at": "2024-01-02T03:04:05Z",
    "comments": 1,
}
ISSUE = Issue(7, "Gate open", "It is.", False, "completed", ("bug",), "ann", False, AT, (), False)


def read(given: object) -> list[Issue]:
    return issues_in(json.dumps(given).encode())


def test_both_forms_of_an_export_give_the_same_issue():
    assert read([REST]) == [ISSUE]
    assert read([GH]) == [ISSUE._replace(comments=(Comment("bob", "Closed it."),))]


@pytest.mark.parametrize(
    "shape",
    [
        lambda one: [one],
        lambda one: one,
        lambda one: {"total_count": 1, "items": [one]},
        lambda one: {"issues": [one]},
        lambda one: [[one], [one]],
    ],
)
def test_an_issue_is_found_in_lists_and_search_results(shape: Any):
    assert read(shape(REST)) == [ISSUE]


def test_several_json_documents_in_one_file_are_read():
    page = json.dumps([REST])
    other = json.dumps([REST | {"number": 8}])
    for between in ("", "\n", "\n\n "):
        assert [one.number for one in issues_in(f"\ufeff{page}{between}{other}\n".encode())] == [7, 8]


def test_a_pull_request_is_recognised():
    assert read([REST | {"pull_request": {"url": "x"}}])[0].is_pull_request


def test_an_author_who_left_is_a_ghost():
    assert read([REST | {"user": None}])[0].by == "ghost"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", "no issues"),
        (b"[]", "no issues"),
        (b"nonsense", "not JSON"),
        (b'[{"number": 1', "not JSON"),
        (b"[" * 100_000, "not JSON: nested too deeply"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[5]", "Issue 1 is not an object"),
        (b'{"a": 1}', "`number` is required"),
        (json.dumps([REST, REST | {"title": 5}]).encode(), "Issue 2: `title`: expected str"),
        (json.dumps([REST | {"number": -1}]).encode(), "Issue 1: `number`"),
        (json.dumps([REST | {"number": 10**30}]).encode(), "Issue 1: `number`"),
        (json.dumps([REST | {"created_at": "yesterday"}]).encode(), "`createdAt` is not a time: 'yesterday'"),
        (json.dumps([REST | {"created_at": None}]).encode(), "`createdAt` is required"),
        (json.dumps([REST | {"labels": [{"name": 5}]}]).encode(), "Issue 1: `labels"),
    ],
)
def test_an_invalid_export_is_refused_with_advice(given: bytes, words: str):
    with pytest.raises(InvalidQuery) as refused:
        issues_in(given)
    assert words in refused.value.message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*REST, *GH, "x"]), inner),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_read_or_refused(given: object):
    try:
        found = read(given)
    except InvalidQuery:
        return
    assert found


@given(st.fixed_dictionaries({name: st.just(value) | json_values for name, value in GH.items()}))
def test_an_issue_with_anything_in_it_is_read_or_refused(given: dict[str, object]):
    try:
        found = read([given])
    except InvalidQuery:
        return
    assert found[0].number == given["number"]
