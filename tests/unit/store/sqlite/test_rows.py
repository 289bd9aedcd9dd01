"""Packed layers are unpacked byte for byte, take less space, and damage is detected."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.store.tables.rows import FORM, packed, unpacked

# What a column of JSON can hold: no half characters, no NUL, and no line end outside an escape.
texts = st.text(st.characters(exclude_categories=("Cs",)))
layers = st.lists(st.dictionaries(texts, texts, max_size=3).map(json.dumps), min_size=5, max_size=5)


@given(layers, texts, texts)
def test_layers_come_back_as_they_were(given_layers: list[str], goal: str, summary: str):
    assert unpacked(FORM, packed(given_layers, goal, summary), goal, summary) == given_layers


def test_an_ordinary_memory_takes_less_than_a_third():
    goal = "Fix JWT token expiry causing logout"
    summary = "The refresh now works, and nobody is logged out at random any more"
    told = [
        f'{{"goal":"{goal}","task_type":"bug_fix","context":"Users are logged out after an hour"}}',
        '{"observations":[{"what":"No refresh in the interceptor","where":"src/auth/interceptor.ts"}]}',
        '{"approach_chosen":"Refresh in the interceptor","why_chosen":"Other interceptors retry as well"}',
        '[{"type":"file_edit","timestamp":1705432800,"details":{"file_path":"src/auth/interceptor.ts",'
        '"lines_affected":"45-89"},"result":null}]',
        f'{{"success":true,"summary":"{summary}","learnings":["Check the refresh token too"]}}',
    ]
    assert 3 * len(packed(told, goal, summary)) < sum(map(len, told))


def test_blobs_of_every_earlier_format_can_be_read():
    blob = bytes.fromhex("78f93787174bab26ce8662a55a00372b0e67")
    assert unpacked(1, blob, "g", "s") == ["{}", "{}", "{}", "[]", '{"success":true,"summary":"s"}']


@pytest.mark.parametrize(
    "harm",
    [lambda blob: blob[:-1], lambda blob: b"", lambda blob: b"x" + blob, lambda blob: blob[:9] + b"?" * 9],
)
def test_a_damaged_blob_is_no_text(harm: Callable[[bytes], bytes]):
    blob = packed(['{"goal":"a goal"}', "{}", "{}", "[]", "{}"], "a goal", "a summary")
    with pytest.raises(ValueError, match=r"\w"):
        unpacked(FORM, harm(blob), "a goal", "a summary")


def test_a_blob_of_another_row_is_no_text():
    with pytest.raises(ValueError, match=r"\w"):
        unpacked(FORM, packed(["{}"] * 5, "one", "row"), "another", "row")


def test_a_blob_of_a_newer_form_is_left_to_a_newer_rum():
    with pytest.raises(ValueError, match="newer RUM"):
        unpacked(FORM + 1, b"", "", "")
