"""A table is added to TOML text and removed, and nothing else in it changes."""

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
        "# a line \u2028[mcp_servers.rum]\n",
        "quoted = 'x\u0085[mcp_servers.rum]' # '[\n",
        'quotes = """"[mcp_servers.rum]"""""\n',
        'escaped = "\\"[" # "\n',
        "inline = { a = [1, 2], b = '}' }\n",
    ]
)


@st.composite
def configs(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(["", "\ufeff"])) + "".join(draw(st.lists(PIECES, max_size=8, unique=True)))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def read(text: str) -> dict[str, object]:
    return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))


def is_toml(text: str) -> bool:
    try:
        read(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(configs().filter(is_toml))
def test_a_table_is_appended_and_removed_without_a_trace(text: str):
    new = toml_edit.add_table(text, PATH, ENTRY)
    assert new.startswith(text)
    assert toml_edit.table_at(new, PATH) == ENTRY
    left = toml_edit.remove_table(new, PATH)
    assert read(left) == read(text)
    assert left.rstrip("\r\n") == text.rstrip("\r\n")


@given(configs().filter(is_toml))
def test_a_text_without_the_table_is_not_changed(text: str):
    assert toml_edit.remove_table(text, PATH) == text


@pytest.mark.parametrize("after", ["# mine\n", "\n# mine\n\n# and more", "\n[next] # mine\n"])
def test_text_below_the_table_stays(after: str):
    text = '[a]\nb = 1\n\n[mcp_servers.rum]\ncommand = "rum"\n# of the table\nargs = ["mcp"]\n'
    assert toml_edit.remove_table(text + after, PATH) == "[a]\nb = 1\n" + after


def test_a_table_after_a_byte_order_mark_is_found():
    assert toml_edit.remove_table(toml_edit.add_table("\ufeff", PATH, ENTRY), PATH) == "\ufeff"


def test_many_tables_are_parsed_in_linear_time():
    """Each header used to parse the whole text before it, which took minutes."""
    text = "".join(f'[projects."/home/ada/{n}"]\ntrust_level = "trusted"\n\n' for n in range(5000))
    assert toml_edit.remove_table(toml_edit.add_table(text, PATH, ENTRY), PATH) == text


def test_the_next_table_stays_with_its_comments():
    text = (
        '[mcp_servers.rum]\ncommand = "rum"\n[mcp_servers.rum.env]\nA = "b"\n\n# of the next\n[next]\na = 1\n'
    )
    assert toml_edit.remove_table(text, PATH) == "\n# of the next\n[next]\na = 1\n"


@pytest.mark.parametrize(
    "text", ["mcp_servers = { rum = { command = 'rum' } }\n", "mcp_servers.rum.command = 'rum'\n"]
)
def test_an_entry_that_is_not_its_own_table_is_refused(text: str):
    with pytest.raises(InvalidQuery, match=r"\[mcp_servers\.rum\]"):
        toml_edit.remove_table(text, PATH)


def test_invalid_toml_is_refused_with_its_position():
    with pytest.raises(InvalidQuery, match="line 2"):
        toml_edit.parse("a = 1\nb == 2\n")
