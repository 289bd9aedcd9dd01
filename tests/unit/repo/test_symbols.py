"""Functions and classes are found in the usual languages, also without the extra `symbols`."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.repo import grammars
from rum.repo.symbols import enclosing_symbol, named_symbol, symbols


@pytest.fixture(autouse=True)
def _without_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)  # importing it fails
    grammars.grammar.cache_clear()
    yield
    grammars.grammar.cache_clear()


PYTHON = """\
import os

@cache
def first(a):
    return a

class Box:
    async def open(self):
        def inner():
            pass
        return inner
"""
GO = """\
package main

func (s *Server) Run(addr string) error {
	if addr == "" {
		return nil
	}
	return nil
}

type Server struct {
	name string
}
"""
C = """\
int probe(int fd);

static int
probe_all(struct list *all,
          int flags)
{
	return 0;
}
"""
SCRIPT = """\
export async function load(url) {
  return fetch(url)
}
const limit = 5;
export const save = (a) => {
  return a;
};
"""
METHODS = """\
export class Cart extends Base {
  constructor(items = {}) {
    super(items);
    if (items) {
      describe('x', () => {
        run(items) ;
      });
    }
  }

  async total(
    currency,
    rounding,
  ) {
    return sum(
      currency,
      rounding,
    );
  }

  get size(): number {
    return 1;
  }

  *each() {
    wrap(function (one) {
      yield one;
    });
  }

  #secret(key: string): Map<string, number> {
    return key;
  }

  conflicts(names) {
    lookup(
      names,
    );
  }
}
"""
RUST = """\
pub(crate) fn parse<'a>(text: &'a str) -> Option<&'a str> {
    Some(text)
}

impl Parser {
    fn next(&mut self) {
    }
}

impl<'a> Iterator for Lines<'a> {
    fn new() -> Self {
    }
}
"""
CLOSURES = """\
func watch(done chan bool) {
	go func() {
		done <- true
	}()
}
"""
RUBY = """\
class Cart
  def total
    1
  end
end
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.py",
            PYTHON,
            {"first": (3, 5), "Box": (7, 11), "Box.open": (8, 11), "Box.open.inner": (9, 10)},
        ),
        ("a.go", GO, {"Run": (3, 8), "Server": (10, 12)}),
        ("a.c", C, {"probe_all": (4, 8)}),
        ("a.ts", SCRIPT, {"load": (1, 3), "save": (5, 7)}),
        (
            "a.ts",
            METHODS,
            {
                "Cart": (1, 40),
                "constructor": (2, 9),
                "total": (11, 19),
                "size": (21, 23),
                "each": (25, 29),
                "secret": (31, 33),
                "conflicts": (35, 39),
            },
        ),
        ("a.swift", "func total() {\n    repeated(3) {\n        add()\n    }\n}\n", {"total": (1, 5)}),
        ("a.go", CLOSURES, {"watch": (1, 5)}),
        (
            "a.rs",
            RUST,
            {"parse": (1, 3), "Parser": (5, 8), "next": (6, 7), "Lines": (10, 13), "new": (11, 12)},
        ),
        ("a.rb", RUBY, {"Cart": (1, 5), "total": (2, 4)}),
        ("broken.py", "def f(:\n    x\n\ny = 1\n", {"f": (1, 2)}),
    ],
)
def test_symbols_have_their_lines(path: str, text: str, expected: dict[str, tuple[int, int]]):
    assert {one.name: (one.first, one.last) for one in symbols(text, path)} == expected


def test_a_symbol_is_found_by_its_short_name_and_around_lines():
    found = symbols(PYTHON, "a.py")
    for name in ("open", "Box.open", "Box::open", "open()"):
        assert (symbol := named_symbol(found, name))
        assert symbol.name == "Box.open"
    assert named_symbol(found, "missing") is None
    assert (around := enclosing_symbol(found, 10, 10))
    assert around.name == "Box.open.inner"
    assert enclosing_symbol(found, 1, 3) is None


@given(
    st.text(alphabet=st.sampled_from("abc(){};=# \n\tdefclas*&"), max_size=400),
    st.sampled_from([".py", ".c", ".js"]),
)
def test_any_text_has_symbols_within_its_lines(text: str, ending: str):
    for one in symbols(text, f"a{ending}"):
        assert 1 <= one.first <= one.last <= max(1, len(text.splitlines()))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.c", ("a*" * 140 + ";\n") * 500),  # types and signs that could be split in many ways
        ("a.rs", "fn a() {\n" * 45_000),  # bodies that all overlap
        ("a.ts", ("const " * 49 + "\n") * 2000),
    ],
)
def test_hostile_files_take_bounded_time(path: str, text: str):
    begin = time.process_time()
    symbols(text, path)
    assert time.process_time() - begin < 3


def test_pointers_and_templates_belong_to_the_type_of_a_function():
    text = (
        "Map<Key*, Value&> *open_all(Gate **gates)\n{\n}\nchar*name(void)\n{\n}\nvoid f(int a,\n  int b);\n"
    )
    assert [one.name for one in symbols(text, "a.cpp")] == ["open_all", "name"]
