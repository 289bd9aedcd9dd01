"""Anchors find the code that they stand for, and say when it changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.model.anchors import (
    CHANGED,
    FRESH,
    GONE,
    MOVED,
    UNKNOWN,
    Anchor,
    Freshness,
    combine,
    decode,
    encode,
    place,
)
from rum.repo.anchors.check import check_anchor
from rum.repo.anchors.checkout import Checkout
from rum.repo.anchors.make import MAX_LINES, make_anchors
from rum.repo.anchors.source_file import SourceFile, normalised

CODE = '''import os

LIMIT = 10


class Gate:
    """A gate."""

    def open(self, key):
        if key is None:
            raise ValueError("no key")
        self.state = "open"
        return self.state

    def close(self):
        self.state = "closed"
        return self.state
'''
OPEN = (9, 13)  # the method `open`


def anchor_of(text: str, span: tuple[int, int], path: str = "gate.py") -> Anchor:
    [anchor] = make_anchors(SourceFile(text.encode(), path), [span], "c0ffee")
    return anchor


def check(anchor: Anchor, text: str, path: str = "gate.py") -> Freshness:
    return check_anchor(anchor, SourceFile(text.encode(), path), path)


def test_code_at_its_place_is_fresh() -> None:
    anchor = anchor_of(CODE, OPEN)
    found = check(anchor, CODE + "\n\nLAST = 1\n")
    assert (found.state, found.start, found.end) == (FRESH, 9, 13)
    assert anchor.symbol == "open"


def test_code_below_new_lines_has_moved() -> None:
    found = check(anchor_of(CODE, OPEN), "# new\nFIRST = 1\n" + CODE)
    assert found == Freshness(MOVED, "gate.py", 11, 15)


def test_comments_spacing_quotes_and_line_breaks_are_no_change() -> None:
    formatted = CODE.replace(
        'raise ValueError("no key")', "raise ValueError(\n                'no key',\n            )  # why not"
    )
    found = check(anchor_of(CODE, OPEN), formatted.replace("    def open", "    # opens it\n    def open"))
    assert (found.state, found.start, found.end) == (MOVED, 10, 16)


JOINED = CODE.replace(
    "def open(self, key):\n        if key is None:\n", "def open(self, key): if key is None:\n"
)


def test_code_that_begins_or_ends_within_a_line_after_formatting_is_no_change() -> None:
    assert check(anchor_of(CODE, (10, 13)), JOINED).state in (FRESH, MOVED)
    assert check(anchor_of(CODE, (6, 9)), JOINED).state in (FRESH, MOVED)
    changed = JOINED.replace("if key is None", "if not key")
    assert check(anchor_of(CODE, (10, 13)), changed).state == CHANGED
    assert check(anchor_of(CODE, (12, 12)), CODE.replace('"open"', '"opened"')).state != FRESH


def test_a_comment_with_quotes_is_left_out() -> None:
    code = 'open(key) // the user\'s `key`, see "gate"\n'
    assert normalised(code.encode(), "gate.js")[0] == [b"open(key)"]
    assert normalised(b'open("a // b") // then\n', "gate.js")[0] == [b'open("a//b")']
    assert normalised(b"fn open<'a>(key: &'a str) // it's open\n", "gate.rs")[0] != []


def test_one_changed_line_is_a_change() -> None:
    found = check(anchor_of(CODE, OPEN), CODE.replace("if key is None", "if not key"))
    assert (found.state, found.start, found.end, found.share) == (CHANGED, 9, 13, 0.2)


def test_a_line_added_inside_is_a_change() -> None:
    found = check(
        anchor_of(CODE, OPEN),
        CODE.replace("        return self.state", "        log()\n        return self.state", 1),
    )
    assert found.state == CHANGED


def test_a_rewritten_line_between_known_ones_is_changed_not_gone() -> None:
    found = check(anchor_of(CODE, (3, 3)), CODE.replace("LIMIT = 10", "SIZES = (1, 2)"))
    assert (found.state, found.share) == (CHANGED, 1.0)


def test_code_of_which_nothing_is_left_is_gone() -> None:
    lines = ["first = 1", "second = 2", "third = 3", "fourth = 4"]
    assert check(anchor_of("\n".join(lines), (2, 3)), "first = 1\nfourth = 4").state == GONE
    assert check(anchor_of("\n".join(lines), (3, 4)), "first = 1\nsecond = 2").state == GONE
    assert check(anchor_of("\n".join(lines), (2, 3)), "first = 1\nother()\nfourth = 4").state == CHANGED
    assert check(anchor_of(CODE, OPEN), "print(1)\n").state == GONE
    assert check(anchor_of(CODE, OPEN), "").state == GONE


def test_the_place_of_gone_code_is_the_one_it_had_and_not_in_the_file_of_today() -> None:
    assert check(anchor_of(CODE, OPEN), "print(1)\n", "door.py") == Freshness(GONE, "gate.py", *OPEN, 1.0)


def test_a_copy_elsewhere_is_not_the_deleted_code() -> None:
    text = CODE.replace(
        "        return self.state\n",
        "        return self.state\n\n    def peek(self):\n        return self.gone\n",
        1,
    )
    last = anchor_of(text, (20, 20))
    assert last.repeated  # `return self.state` stands in `open`, too
    without = text[: text.index("    def close")]
    assert check(last, without).state in (CHANGED, GONE)


def test_line_endings_do_not_matter() -> None:
    assert check(anchor_of(CODE, OPEN), CODE.replace("\n", "\r\n")).state == FRESH


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.js", "let url = 'http://x/y' // first\n", 'let url = "http://x/y"; // second\n'),
        ("a.c", "int a; /* one\n two */\nint b;\n", "int a; /* three\n four\n five */\nint b;\n"),
        ("a.rs", "/// Doc.\nfn a() {}\n", "/// Other.\nfn a() {}\n"),
        ("a.sql", "SELECT 1 -- one\n", "SELECT 1 -- it's two\n"),
        ("a.html", "<p>a</p> <!-- b -->\n", "<p>a</p>\n"),
        ("Dockerfile", "RUN make # build\n", "RUN make\n"),
        ("a.py", "call(a, \\\n  b)\n", "call(a,\n  b)\n"),
    ],
)
def test_comments_of_each_language_are_left_out(path: str, before: str, after: str) -> None:
    assert b"".join(normalised(before.encode(), path)[0]) == b"".join(normalised(after.encode(), path)[0])


def test_parentheses_around_the_only_parameter_of_an_arrow_are_no_change() -> None:
    def code(text: str, path: str) -> bytes:
        return b"".join(normalised(text.encode(), path)[0])

    assert code("all.map((one) => f(one), () => (a))\n", "a.ts") == code(
        "all.map(one => f(one), () => (a))\n", "a.ts"
    )
    assert code("f(one)\n", "a.ts") != code("f one\n", "a.ts")
    assert code("get({a}) => 1\n", "a.js") != code("get {a} => 1\n", "a.js")
    assert code("Some(one) => 1\n", "a.rs") != code("Some one => 1\n", "a.rs")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'tag = "# not a comment"\n'),
        ("a.js", "get('http://host/a')\n"),
        ("a.js", "files('src/**/*.js')\nmore('b/**/c')\n"),
        ("a.c", "#define A 1\n"),
        ("a.css", "#top { color: red }\n"),
    ],
)
def test_what_only_looks_like_a_comment_counts(path: str, line: str) -> None:
    code = b"".join(normalised(line.encode(), path)[0])
    assert len(code) >= len("".join(line.translate(str.maketrans("", "", ",;")).split()))


def test_a_whole_file_says_how_much_of_it_changed() -> None:
    lines = [f"value_{number} = compute({number})" for number in range(200)]
    anchor = anchor_of("\n".join(lines), (0, 0))
    assert len(anchor.lines) == 4 * MAX_LINES
    assert check(anchor, "\n\n".join(lines)).state == FRESH
    half = check(anchor, "\n".join(lines[:100]))
    assert half.state == CHANGED
    assert 0.45 <= half.share <= 0.55


def test_a_long_span_is_found_by_a_sample_of_its_lines() -> None:
    lines = [f"value_{number} = compute({number})" for number in range(400)]
    anchor = anchor_of("\n".join(lines), (101, 300))
    assert check(anchor, "\n".join(["first = 1", *lines])) == Freshness(MOVED, "gate.py", 102, 301)
    lines[202] = "value_202 = 0"  # not one of the sample
    assert check(anchor, "\n".join(lines)).state == CHANGED


def test_spans_without_code_and_binary_files_have_no_anchor() -> None:
    assert make_anchors(SourceFile(b"# only\n\n# comments\n", "a.py"), [(1, 3)]) == []
    assert make_anchors(SourceFile(b"a\0b\n" * 10, "a.bin"), [(1, 3)]) == []
    assert make_anchors(SourceFile(CODE.encode(), "gate.py"), [(500, 600)]) == []


@pytest.mark.parametrize(
    ("path", "text", "line", "symbol"),
    [
        ("a.go", "func (g *Gate) Open() error {\n\treturn nil\n}\n", 2, "Open"),
        ("a.rs", "impl Gate {\n    fn open(&self) {\n        run();\n    }\n}\n", 3, "open"),
        ("a.c", "static int open_gate(struct gate *g)\n{\n\tif (g)\n\t\treturn 1;\n}\n", 4, "open_gate"),
        ("a.ts", "export const open = (key: string) => {\n  run(key)\n}\n", 2, "open"),
        ("A.java", "class A {\n  void open(String key) {\n    run(key);\n  }\n}\n", 3, "open"),
        ("a.py", "if a:\n    run()\n", 2, ""),
    ],
)
def test_the_function_around_a_span_is_known(path: str, text: str, line: int, symbol: str) -> None:
    assert anchor_of(text, (line, line), path).symbol == symbol


def test_several_anchors_are_as_fresh_as_their_code_together() -> None:
    anchor = anchor_of(CODE, OPEN)
    fresh, changed = Freshness(FRESH, "a", 1, 2), Freshness(CHANGED, "b", 3, 4, 0.5)
    gone, unknown = Freshness(GONE, "c", 1, 1, 1.0), Freshness(UNKNOWN)
    assert combine([]) == combine([(anchor, unknown)]) == unknown
    assert combine([(anchor, fresh), (anchor, unknown)]) == fresh
    assert combine([(anchor, fresh), (anchor, changed)]) == changed._replace(share=0.25)
    assert combine([(anchor, fresh), (anchor, gone)]) == Freshness(CHANGED, "c", 1, 1, 0.5)
    assert combine([(anchor, gone), (anchor, gone)]).state == GONE


def test_places_are_written_as_people_write_them() -> None:
    assert [place("a.py", *span) for span in ((0, 0), (3, 3), (3, 9))] == ["a.py", "a.py:3", "a.py:3-9"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    git(tmp_path, "init", "-q")
    (tmp_path / "gate.py").write_text(CODE)
    git(tmp_path, "add", ".")
    return Checkout(str(tmp_path), str(tmp_path / ".git"))


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_a_file_is_read_again_only_when_it_changed(checkout: Checkout) -> None:
    [anchor] = checkout.anchors("gate.py", [OPEN])
    assert [one.state for one in checkout.check([anchor] * 3)] == [FRESH] * 3
    Path(checkout.root, "gate.py").write_text("# new\n" + CODE)
    assert [one.state for one in checkout.check([anchor])] == [MOVED]


def test_a_renamed_file_is_found_by_git_and_by_known_renames(checkout: Checkout) -> None:
    [anchor] = checkout.anchors("gate.py", [OPEN])
    git(Path(checkout.root), "mv", "gate.py", "door.py")
    assert checkout.check([anchor]) == [Freshness(MOVED, "door.py", 9, 13)]
    Path(checkout.root, "door.py").write_text("# new\n" + CODE)
    git(Path(checkout.root), "add", ".")
    assert checkout.check([anchor])[0].state == GONE
    names = {"gate.py": ["portal.py"], "portal.py": ["gate.py", "door.py"]}
    assert checkout.check([anchor], lambda _: names) == [Freshness(MOVED, "door.py", 10, 14)]


def test_what_cannot_be_compared_is_unknown(checkout: Checkout, tmp_path: Path) -> None:
    [anchor] = checkout.anchors("gate.py", [OPEN])
    outside = [anchor._replace(path=path) for path in ("../x.py", "/etc/passwd", "~/x.py", "", "a\0b", "..")]
    assert {one.state for one in checkout.check(outside)} == {UNKNOWN}
    assert checkout.anchors("../x.py", [(1, 2)]) == checkout.anchors("none.py", [(1, 2)]) == []
    file = tmp_path / "gate.py"
    file.write_bytes(b"\0" * 100)
    assert checkout.check([anchor])[0].state == UNKNOWN
    file.write_bytes(b"a = 1\n" * 2_000_000)
    assert checkout.check([anchor])[0].state == UNKNOWN
    file.unlink()
    assert checkout.check([anchor])[0].state == GONE
    os.mkdir(file)
    assert checkout.check([anchor])[0].state == UNKNOWN
    assert Checkout(str(tmp_path / "nowhere"), None).check([anchor])[0].state == UNKNOWN


def test_a_file_outside_a_sparse_checkout_is_not_gone(checkout: Checkout) -> None:
    [anchor] = checkout.anchors("gate.py", [OPEN])
    git(Path(checkout.root), "update-index", "--skip-worktree", "gate.py")
    Path(checkout.root, "gate.py").unlink()
    assert checkout.check([anchor])[0].state == UNKNOWN


statements = st.builds(
    "{} = call_{}({})".format,
    st.from_regex(r"[a-z]{3,9}", fullmatch=True),
    st.integers(0, 999),
    st.integers(),
)
programs = st.lists(statements, min_size=4, max_size=60, unique=True)


@given(programs, st.data())
def test_moved_code_is_found_where_it_is(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    above = data.draw(st.lists(st.sampled_from(["", "# note", "other = 0"]), max_size=9))
    anchor = anchor_of("\n".join(lines), (start, end))
    shift = len(above)
    found = check(anchor, "\n".join([*above, *lines]))
    assert (found.start, found.end) == (start + shift, end + shift)
    assert found.state == (MOVED if shift else FRESH)


@given(programs, st.data())
def test_a_changed_line_is_never_fresh(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    anchor = anchor_of("\n".join(lines), (start, end))
    lines[data.draw(st.integers(start, end)) - 1] = "rewritten = True"
    assert check(anchor, "\n".join(lines)).state in (CHANGED, GONE)


@given(st.binary(max_size=300), st.binary(max_size=300), st.sampled_from(["a.py", "a.c", "a.html", "a"]))
def test_any_file_can_be_compared_with_any_other(old: bytes, new: bytes, path: str) -> None:
    for anchor in make_anchors(SourceFile(old, path), [(0, 0), (1, 1), (2, 9)]):
        found = check_anchor(anchor, SourceFile(new, path), path)
        assert found.state in (FRESH, MOVED, CHANGED, GONE)
        assert 0 <= found.share <= 1


@given(st.lists(st.tuples(st.text(), st.binary(max_size=200)), max_size=4))
def test_anchors_are_read_as_they_were_written(files: list[tuple[str, bytes]]) -> None:
    anchors = [
        one
        for path, data in files
        for one in make_anchors(SourceFile(data, path), [(0, 0), (1, 3)], "c0ffee")
    ]
    assert decode(encode(anchors)) == anchors


@given(st.binary())
def test_damaged_anchors_are_none(data: bytes) -> None:
    assert isinstance(decode(data), list)
    assert decode(encode([anchor_of(CODE, OPEN)])[:-1]) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.c", " /*" * 300_000),
        ("a.html", " <!--" * 200_000),
        ("a.py", " # it's" * 100_000 + "'"),
        ("a.js", "a\n" * 300_000),
        ("a.py", "  " * 400_000 + "def"),
        ("a.c", "a(" * 200_000),
    ],
)
def test_hostile_files_are_compared_in_linear_time(path: str, text: str) -> None:
    for anchor in make_anchors(SourceFile(text.encode(), path), [(1, 5), (0, 0)]):
        assert check(anchor, text[2:] + "\n" + text[:500], path).state in (FRESH, MOVED, CHANGED, GONE)
