"""Any answer of a model becomes a valid value or an error."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.llm.client import InvalidAnswer, json_schema, parse_answer


class Inner(msgspec.Struct):
    words: list[str]


class Form(msgspec.Struct):
    kind: Literal["one", "two"]
    inner: Inner | None = None


def same(value: object) -> object:
    return value


@given(st.text())
def test_any_text_gives_a_value_or_an_error(text: str):
    with suppress(InvalidAnswer):
        assert isinstance(parse_answer(text, Form, same), Form)


@given(st.builds(Form, st.sampled_from(["one", "two"]), st.none() | st.builds(Inner, st.lists(st.text()))))
def test_a_valid_answer_is_found_in_other_text(form: Form):
    text = msgspec.json.encode(form).decode()
    assert parse_answer(f"Sure!\n```json\n{text}\n```\nDone.", Form, same) == form


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("{}", "`kind` is required"),
        ('{"kind": "three"}', "must be one of one, two"),
        ('{"kind": "one", "inner": {"words": [1]}}', "inner.words"),
        ('{"kind": "\\ud800"}', "JSON"),
        ('{"kind": NaN}', "JSON"),
    ],
)
def test_an_error_names_the_problem(said: str, complaint: str):
    with pytest.raises(InvalidAnswer) as caught:
        parse_answer(said, Form, same)
    assert complaint in str(caught.value)


def test_a_schema_is_complete():
    schema = json_schema(Form)
    assert "$" not in json.dumps(schema)
    assert schema["properties"]["inner"]["anyOf"][0]["properties"]["words"]["items"] == {"type": "string"}
