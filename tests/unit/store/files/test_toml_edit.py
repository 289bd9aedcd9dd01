"""A table or value is added to TOML text, changed and removed, and nothing else in it changes."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.store.files import toml_edit

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


KEYS = st.sampled_from([("model",), ("limit",), ("features", "hooks"), ("agents", "a b", "max")])
VALUES = st.one_of(st.text(max_size=8), st.integers(-9, 9), st.lists(st.text(max_size=4), max_size=2))


def value_at(text: str, path: tuple[str, ...]) -> object:
    table = toml_edit.table_at(text, path[:-1])
    return None if table is None else table.get(path[-1])


def comments(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").splitlines()
    return [line for line in lines if line.lstrip().startswith("#")]


@given(configs().filter(is_toml), KEYS, VALUES)
def test_a_value_is_set_and_nothing_else_changes(text: str, path: tuple[str, ...], value: object):
    new = toml_edit.set_value(text, path, value)
    assert value_at(new, path) == value
    assert comments(new) == comments(text)
    before, after = read(text), read(new)
    assert {name: after[name] for name in before if name != path[0]} == {
        name: before[name] for name in before if name != path[0]
    }
    gone = toml_edit.set_value(new, path, None)
    assert value_at(gone, path) is None
    assert comments(gone) == comments(text)


@given(configs().filter(is_toml), KEYS)
def test_removing_a_value_that_is_not_there_changes_nothing(text: str, path: tuple[str, ...]):
    if value_at(text, path) is None:
        assert toml_edit.set_value(text, path, None) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("limit = 1  # few\n", "limit = 7  # few\n"),
        ('"limit"=1\r\n# end\r\n', '"limit"=7\r\n# end\r\n'),
        ("limit = [\n  1, # one\n] # list\nnext = 1", "limit = 7 # list\nnext = 1"),
        ("# top\n", "# top\nlimit = 7\n"),
        ("a = 1\n\n# of b\n[b]\nlimit = 2\n", "a = 1\nlimit = 7\n\n# of b\n[b]\nlimit = 2\n"),
        ("[b]\nlimit = 2\n", "limit = 7\n\n[b]\nlimit = 2\n"),
        ('text = """\nlimit = 1\n"""', 'text = """\nlimit = 1\n"""\nlimit = 7\n'),
    ],
)
def test_comments_and_spacing_stay_when_a_value_is_set(before: str, after: str):
    assert toml_edit.set_value(before, ("limit",), 7) == after


@pytest.mark.parametrize(
    "before", ["[agents.dev]\nmax = 1\n", "agents.dev.max = 1\n", "[agents]\ndev.max = 1\n"]
)
def test_a_value_in_a_table_is_found_however_it_is_written(before: str):
    path = ("agents", "dev", "max")
    assert toml_edit.set_value(before, path, 7) == before.replace("1", "7")
    assert "max" not in toml_edit.set_value(before, path, None)


@pytest.mark.parametrize(
    "text", ["agents = { dev = { max = 1 } }\n", "agents = 1\n", "[[agents]]\nmax = 1\n"]
)
def test_a_value_that_is_written_unusually_is_not_edited(text: str):
    with pytest.raises(InvalidQuery, match="by hand"):
        toml_edit.set_value(text, ("agents", "dev", "max"), 7)
