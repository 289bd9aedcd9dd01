"""A table goes into config.toml and out again, and nothing else in the text moves."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.surfaces.install import toml_edit

PATH = ("mcp_servers", "rum")
ENTRY = {"command": 'C:\\a "b"\\python.exe', "args": ["-P", "mcp"]}

PIECES = st.sampled_from(
    [
        'model = "o5"\n',
        "# a comment\n",
        "\n",
        '[mcp_servers.other]\ncommand = "x" # run\n',
        "[[profiles]]\nname = 'a'\n",
        'text = """\n[mcp_servers.rum]\nnot a table\n"""\n',
        "list = [\n  [1],\n  [2],\n]\n",
        "[mcp_servers.\"rum.two\"]\ncommand = 'x'\n",
        "[ features ]\nhooks = true\n",
    ]
)


@st.composite
def configs(draw: st.DrawFn) -> str:
    text = "".join(draw(st.lists(PIECES, max_size=6, unique=True)))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def read(text: str) -> dict[str, object]:
    return tomllib.loads(text.replace("\r\n", "\n"))


def is_toml(text: str) -> bool:
    try:
        read(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(configs().filter(is_toml))
def test_a_table_goes_in_at_the_end_and_out_without_a_trace(text: str):
    new = toml_edit.put(text, PATH, ENTRY)
    assert new.startswith(text)
    assert toml_edit.table_at(new, PATH) == ENTRY
    left = toml_edit.drop(new, PATH)
    assert read(left) == read(text)
    assert left.rstrip("\r\n") == text.rstrip("\r\n")


def test_what_stands_after_it_stays_with_its_comments():
    text = (
        '[mcp_servers.rum]\ncommand = "rum"\n[mcp_servers.rum.env]\nA = "b"\n\n# of the next\n[next]\na = 1\n'
    )
    assert toml_edit.drop(text, PATH) == "\n# of the next\n[next]\na = 1\n"


@pytest.mark.parametrize(
    "text", ["mcp_servers = { rum = { command = 'rum' } }\n", "mcp_servers.rum.command = 'rum'\n"]
)
def test_what_is_no_table_of_its_own_is_refused(text: str):
    with pytest.raises(InvalidQuery, match=r"\[mcp_servers\.rum\]"):
        toml_edit.drop(text, PATH)


def test_what_is_no_toml_is_refused_with_its_place():
    with pytest.raises(InvalidQuery, match="line 2"):
        toml_edit.parse("a = 1\nb == 2\n")
