"""What a command does to changes made before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.observe.undoing import Effect, effect_of, files_written, is_file_named
from rum.text.shell import chain, segments


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git checkout -- src/a.py", Effect("restore", ("src/a.py",))),
        ("git checkout src/a.py", Effect("restore", ("src/a.py",))),
        ("git checkout HEAD -- .", Effect("restore")),
        ("git checkout main -- a.py", Effect("restore", ("a.py",), with_commits=True)),
        ("git -C web checkout -f", Effect("restore")),
        ("git checkout -b other", None),
        ("git restore src/a.py", Effect("restore", ("src/a.py",))),
        ("git restore --source=HEAD~1 a.py", Effect("restore", ("a.py",), with_commits=True)),
        ("git restore -s main a.py", Effect("restore", ("a.py",), with_commits=True)),
        ("git restore --staged src/a.py", None),
        ("git reset --hard", Effect("restore", with_new_files=True)),
        ("git reset --hard HEAD~1", Effect("restore", with_commits=True, with_new_files=True)),
        ("git reset HEAD~1", None),
        ("git stash", Effect("stash")),
        ("git stash -u", Effect("stash", with_new_files=True)),
        ("git stash push -- a.py", Effect("stash", ("a.py",))),
        ("git stash pop", Effect("unstash")),
        ("git stash drop", Effect("drop")),
        ("git stash list", None),
        ("git revert --no-edit HEAD", Effect("revert", commits=("HEAD",))),
        ("git commit -m x", Effect("commit")),
        ("git clean -fd", Effect("delete")),
        ("git apply -R x.diff", Effect("restore", with_new_files=True)),
        ("rm -f a.py", Effect("delete", ("a.py",))),
        ("cp a.py.bak a.py", Effect("restore", ("a.py",))),
        ("cp a.py a.py.bak", None),
        ("hg revert a.py", Effect("restore", ("a.py",))),
        ("git status", None),
        ("pytest", None),
    ],
)
def test_commands_that_undo_or_keep_changes_are_recognised(command: str, expected: Effect | None):
    (words,) = segments(command)
    assert effect_of(words) == expected


@pytest.mark.parametrize(
    ("path", "name", "same"),
    [
        ("/p/src/a.py", "src/a.py", True),
        ("src/a.py", "/p/src/a.py", True),
        ("/p/src/a.py", "./src", True),
        ("/p/src/a.py", "src/*.py", True),
        ("/p/src/ba.py", "a.py", False),
        ("main.py", "main", False),
    ],
)
def test_a_name_in_a_command_means_a_file_or_its_folder(path: str, name: str, same: bool):
    assert is_file_named(path, name) is same


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sed -i 's/a/b/' src/a.py", ["src/a.py"]),
        ("sed -n 1,3p a.py", []),
        ("cat > src/a.py <<'EOF'\nx > y.py\nEOF", ["src/a.py"]),
        ("echo x | tee a.toml", ["a.toml"]),
        ("pytest > out.log 2>&1", []),
        ("echo 'x > y.py'", []),
        ("make > /tmp/x.py", []),
    ],
)
def test_files_that_a_command_writes_are_found(command: str, files: list[str]):
    assert files_written(command) == files


@given(st.text(alphabet=st.sampled_from("ab \"'\\;&|<>\n$(){}-/.git stash"), max_size=400))
def test_any_command_line_can_be_read(command: str):
    assert all(effect_of(words) is None or effect_of(words) for words in segments(command))
    assert all(files_written(command))


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("cat > a.txt <<EOF && pytest\nrm b.py\nEOF\nmake", ["cat", "pytest", "make"]),
        ("cat <<'A' <<-B\nrm 1\nA\nrm 2\n\tB\nmake", ["cat", "make"]),
        ("cat <<A\nA\nmake", ["cat", "make"]),
        ("make; cat <<A\nrm 1", ["make", "cat"]),
        ("echo $((1 << 2))\nmake", ["echo"]),
    ],
)
def test_the_text_of_a_here_document_is_no_command(line: str, programs: list[str]):
    assert [words[0] for _, words in chain(line)] == programs


@pytest.mark.parametrize("hostile", ["<<a\n" * 40_000, "cat <<a" + "\n<<b" * 40_000, "<< " * 40_000])
def test_many_here_documents_take_linear_time(hostile: str):
    assert len(chain(hostile)) <= 1
