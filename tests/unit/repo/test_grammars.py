"""With the extra `symbols`, functions and classes are those of the language's grammar."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.repo.symbols import enclosing_symbol, symbols

pytest.importorskip("tree_sitter", reason="the extra `symbols` is not installed")

C = """\
static int (*choose_gate(struct gate *gate))(void)
{
    return 0;
}

ngx_int_t
open_gate(struct gate
          *gate) {
    struct gate *next;
    return 0;
}

struct gate {
    int size;
};
"""
GO = """\
type Gate struct {
	size int
}

func (g *Gate) Open(
	key string,
) error {
	return each(func() error {
		return nil
	})
}
"""
JAVA = """\
class Gate<T> {
    @Override
    public <R extends Key> Map<String, R> open(
            List<R> keys) throws IOException {
        return run(() -> {
        });
    }

    abstract void close();
}
"""
RUST = """\
impl<'a> Iterator for Lines<'a> {
    fn next(&mut self) -> Option<Self::Item>
    where
        Self: Sized,
    {
        None
    }
}
"""
TYPESCRIPT = """\
export abstract class Gate {
  open = (key: string): void => {
  };
}
export type Key = {
  size: number;
};
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.c", C, {"choose_gate": (1, 4), "open_gate": (6, 11), "gate": (13, 15)}),
        ("a.go", GO, {"Gate": (1, 3), "Open": (5, 11)}),
        ("a.java", JAVA, {"Gate": (1, 10), "Gate.open": (2, 7), "Gate.close": (9, 9)}),
        ("a.rs", RUST, {"Lines": (1, 8), "Lines.next": (2, 7)}),
        ("a.ts", TYPESCRIPT, {"Gate": (1, 4), "Gate.open": (2, 3), "Key": (5, 7)}),
        ("a.jsx", "const Gate = () => (\n  <p/>\n);\n", {"Gate": (1, 3)}),
    ],
)
def test_symbols_are_exact(path: str, text: str, expected: dict[str, tuple[int, int]]):
    assert {one.name: (one.first, one.last) for one in symbols(text, path)} == expected


def test_a_file_with_errors_is_read_as_without_the_extra():
    assert [one.name for one in symbols("import a\n\nfunction open(key) {\n}\n", "a.js")] == ["open"]


def test_the_smallest_symbol_is_the_method():
    assert (found := enclosing_symbol(symbols(JAVA, "a.java"), 5, 5))
    assert found.name == "Gate.open"


@given(st.text(max_size=300), st.sampled_from(["c", "go", "java", "js", "rs", "ts", "tsx"]))
def test_any_text_has_symbols_within_its_lines(text: str, ending: str):
    for one in symbols(text, f"a.{ending}"):
        assert 1 <= one.first <= one.last <= text.count("\n") + 1


@pytest.mark.parametrize("text", ["{" * 300_000, "fn a() {\n" * 49_000, "impl A<" * 100_000])
def test_hostile_files_take_bounded_time(text: str):
    begin = time.process_time()
    symbols(text, "a.rs")
    assert time.process_time() - begin < 10


def test_the_names_of_deeply_nested_symbols_do_not_fill_the_memory():
    found = symbols("mod a {" * 20_000 + "}" * 20_000, "a.rs")
    assert 0 < len(found) < 1000
