"""The effect of a command line, judged by its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.steps import files_read, looks_only
from rum.text.shell import segments


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat a.py | head -5",
        "git status && git diff",
        "rg foo src 2>/dev/null",
        "sed -n '1,20p' a.py",
        "",
    ],
)
def test_reading_commands_change_nothing(command: str):
    assert looks_only(command)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "echo x > a.txt",
        "cat <<EOF > a.txt",
        "sed -i s/a/b/ a.py",
        "git commit -m x",
        "find . -delete",
        "pytest",
        "git stash",
    ],
)
def test_other_commands_may_change_something(command: str):
    assert not looks_only(command)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat src/a.py src/b.py", [("src/a.py", None), ("src/b.py", None)]),
        ("sed -n '10,20p' src/a.py", [("src/a.py", "10-20")]),
        ("head -5 README.md | wc", [("README.md", None)]),
        ("grep x a.py", []),
    ],
)
def test_files_printed_by_a_shell_count_as_read(command: str, files: list[tuple[str, str | None]]):
    read = [file for words in segments(command) for file in files_read(words)]
    assert [(file["path"], file.get("lines")) for file in read] == files


@given(st.text(alphabet=st.sampled_from("ab \"'\\;&|<>\n$(){}-/."), max_size=400))
def test_any_command_line_can_be_split(command: str):
    assert all(all(words) for words in segments(command))
    looks_only(command)
