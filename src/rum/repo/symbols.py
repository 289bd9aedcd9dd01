"""Where a function or class stands in a source file.

Exact for Python, and with the extra `symbols` for JavaScript, TypeScript, Go, Rust, Java and C; else by what
looks like a declaration.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rum.repo.grammars import grammar_symbols
from rum.text.lexicon import word_set

MAX_LINES = 50_000  # Of a file that is searched for symbols
_MAX_BODY = 3000  # Lines of a symbol
_MAX_SCANNED = 2_000_000  # Lines of all bodies together, as those of a hostile file all overlap
_PYTHON = (".py", ".pyi")
_ALWAYS_KEYWORD = (".go", ".rs")  # Nothing is declared without a keyword
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_NAME = r"[A-Za-z_$][\w$]*"
_MODIFIERS = (
    r"export|default|pub(?:\([\w: ]*\))?|async|static|abstract|final|public|private|protected|internal|"
    r"unsafe|extern|virtual|override|open|inline|const|data|sealed|partial"
)
_KEYWORDS = (
    r"def|class|interface|trait|struct|enum|union|type|module|namespace|impl|fn|func|function|fun|sub|proc|"
    r"object|record|macro_rules!|\#\s*define|const|let|var"
)
# A declaration with a keyword: `def f`, `func (r *T) F`, `class C`, `const f =`, `#define F`.
_KEYWORD = re.compile(
    rf"^(?P<indent>\s*)(?:(?:{_MODIFIERS})\s+)*(?:{_KEYWORDS})\s*\*?\s+"
    rf"(?:\([^)]{{0,80}}\)\s*)?(?P<name>{_NAME})"
)
# Of Rust, the type that has the methods, not the trait.
_IMPL = re.compile(
    rf"^(?P<indent>\s*)(?:unsafe\s+)?impl\b(?:<[^{{;]{{0,120}}>)?\s+(?:[^{{;]{{1,120}}\sfor\s+)?&?(?P<name>{_NAME})"
)
# A function of C and its relatives: a name before parentheses at the start of a line, and no `;` after them.
# A `*` is part of a type only before a sign, as in `Map<Key*>`: a line can be read in one way alone.
_TYPE = r"[A-Za-z_][\w:<>,\[\]]*(?:[*&]+[:<>,\[\]][\w:<>,\[\]]*)*"
_FUNCTION = re.compile(rf"^(?P<indent>\s*)(?:{_TYPE}[\s*&]+){{0,6}}(?P<name>~?{_NAME})\s*\([^;]*$")
# A method of JavaScript: like a call, but for the brace after its parentheses.
_METHOD = re.compile(rf"^(?P<indent>\s+)(?:(?:static|async)\s+)*[*#]?\s*(?P<name>(?!function\b){_NAME})\s*\(")
_METHOD_BODY = re.compile(r"\)\s*(?::[^=;]*)?\{\s*(?://.*)?$")
_NO_FUNCTION = word_set(
    "if for while switch return catch elif else sizeof defined do try with case throw new await yield"
)
_BINDING = re.compile(r"\b(?:const|let|var)\b")
_BINDS_FUNCTION = re.compile(r"=>|\bfunction\b|=\s*\(|\bclass\b")


class Symbol(NamedTuple):
    """A function or class: its name (of a method, with that of the class) and its lines, from 1 on."""

    name: str
    first: int
    last: int


def symbols(text: str, path: str) -> list[Symbol]:
    """The functions and classes of a file, outer ones before inner ones."""
    if text.count("\n") > MAX_LINES:
        return []
    if path.endswith(_PYTHON):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        else:
            return list(_python_symbols(tree, ""))
    exact = grammar_symbols(text, path)
    return list(_declared(text.splitlines(), path)) if exact is None else [Symbol(*one) for one in exact]


def named_symbol(found: Sequence[Symbol], name: str) -> Symbol | None:
    """The symbol with this name, with or without that of its class."""
    wanted = name.replace("::", ".").removesuffix("()")
    exact = (one for one in found if one.name == wanted)
    return next(exact, None) or next(
        (one for one in found if one.name.rpartition(".")[2] == wanted.rpartition(".")[2]), None
    )


def enclosing_symbol(found: Sequence[Symbol], first: int, last: int) -> Symbol | None:
    """The smallest symbol that contains all these lines."""
    around = [one for one in found if one.first <= first and last <= one.last]
    return min(around, key=lambda one: one.last - one.first, default=None)


def _python_symbols(node: ast.AST, outer: str) -> Iterator[Symbol]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}" if outer else child.name
            first = min((child.lineno, *(one.lineno for one in child.decorator_list)))
            yield Symbol(name, first, child.end_lineno or child.lineno)
            yield from _python_symbols(child, name)
        elif isinstance(child, ast.stmt):
            yield from _python_symbols(child, outer)


def _declared(lines: Sequence[str], path: str) -> Iterator[Symbol]:
    left = _MAX_SCANNED
    is_script, has_keyword = path.endswith(_SCRIPT), path.endswith(_ALWAYS_KEYWORD)
    for number, line in enumerate(lines):
        if len(line) > 300 or left < 0:
            continue
        method = _METHOD.match(line) if is_script else None
        if method and not _opens_body(lines, number, method):
            method = None
        declared = _IMPL.match(line) or _KEYWORD.match(line)
        if not (found := method or declared or (None if has_keyword else _FUNCTION.match(line))):
            continue
        before = line[: found.start("name")].split()
        if not before and found["indent"] and not method:
            continue  # A call; a declaration at the start of a line may stand alone
        if (found is not declared and not _NO_FUNCTION.isdisjoint((found["name"], *before))) or (
            _BINDING.search(line) and not _BINDS_FUNCTION.search(line)
        ):
            continue
        last, scanned = _end(lines, number, len(found["indent"]))
        left -= scanned
        if last is not None:
            yield Symbol(found["name"], number + 1, last + 1)


def _opens_body(lines: Sequence[str], start: int, found: re.Match[str]) -> bool:
    """Whether the parentheses of what may be a method or a call are followed by a body."""
    last = lines[start]
    if last.count("(") > last.count(")"):
        closing = f"{found['indent']})"
        last = next((one for one in lines[start + 1 : start + 40] if one.startswith(closing)), "")
    return bool(_METHOD_BODY.search(last)) and len(last) <= 300


def _end(lines: Sequence[str], start: int, indent: int) -> tuple[int | None, int]:
    """The last line of a declaration's body, and how many lines were read to find it.

    It is found by the body's braces, or else by its indentation; None without a body.
    """
    depth, opened = 0, False
    for number in range(start, min(start + _MAX_BODY, len(lines))):
        line = lines[number]
        if not opened and number > start + 8:
            break
        if not opened and (";" in line.split("//")[0] and "{" not in line):
            is_whole = number == start and re.search(r"=>|=|define|type", line)
            return (start if is_whole else None), number - start
        depth += line.count("{") - line.count("}")
        opened = opened or "{" in line
        if opened and depth <= 0:
            return number, number - start
    if opened:
        return None, _MAX_BODY
    last = start
    for number in range(start + 1, min(start + _MAX_BODY, len(lines))):
        line = lines[number]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent:
                # Ruby and its relatives close with a word.
                return (number if re.match(r"\s*(?:end|fi|done)\b", line) else last), number - start
            last = number
    return last, _MAX_BODY
