"""The page that lists what RUM promises and the tests that prove it, from `tests/data/conformance`."""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TABLES = "tests/data/conformance"
ORDER = ("schema", "api", "notes", "journal", "layers")
# Through which interface the tests of a folder speak; the first that fits counts.
INTERFACES = (
    ("surfaces/mcp/", "MCP"),
    ("surfaces/cli/", "CLI"),
    ("surfaces/hooks/", "hooks"),
    ("unit/store/files/", "files"),
    ("unit/model/", "model"),
    ("unit/text/", "model"),
    ("unit/inject/", "model"),
    ("unit/consolidate/", "model"),
    ("unit/extract/", "model"),
    ("unit/recall/", "Python"),
    ("store/", "store"),
    ("migrations/", "store"),
    ("", "Python"),
)
_COLUMNS = 4


class Requirement(NamedTuple):
    """Something RUM promises: its id, the statement, the tests that prove it, what differs and why."""

    id: str
    statement: str
    tests: tuple[str, ...]
    differs: str = ""


class Section(NamedTuple):
    """Requirements under a heading."""

    title: str
    rows: tuple[Requirement, ...]


class Document(NamedTuple):
    """All requirements of one specification."""

    title: str
    about: str
    sections: tuple[Section, ...]


def documents(folder: Path = ROOT / TABLES) -> list[Document]:
    """The tables in the order of the page."""
    return [_document(tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))) for name in ORDER]


def _document(table: dict[str, Any]) -> Document:
    sections = tuple(
        Section(one["title"], tuple(_requirement(row) for row in one["rows"])) for one in table["section"]
    )
    return Document(table["title"], table["about"], sections)


def _requirement(row: list[str]) -> Requirement:
    if not 2 <= len(row) <= _COLUMNS:
        raise ValueError(f"{row[0]} needs an id, a statement, tests, and perhaps what differs.")
    _, _, tests, differs = [*row, "", ""][:_COLUMNS]
    return Requirement(row[0], row[1], tuple(tests.split()), differs)


def requirements(tables: list[Document]) -> list[Requirement]:
    """All requirements."""
    return [row for table in tables for section in table.sections for row in section.rows]


@cache
def tests_in(file: Path) -> frozenset[str]:
    """The tests that pytest collects in a file, as far as its text tells; those of `make e2e` are none."""
    if not file.is_file():
        return frozenset()
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not any("mark.skip(" in mark or "e2e" in mark for mark in map(ast.unparse, node.decorator_list))
    )


def problems(rows: list[Requirement], tests: Path = ROOT / "tests") -> list[str]:
    """What is wrong: ids that are used twice, requirements without a test, and tests that do not exist."""
    twice = [name for name, count in Counter(row.id for row in rows).items() if count > 1]
    found = [f"{name} is listed twice." for name in twice]
    for row in rows:
        if not row.tests:
            found.append(f"{row.id} has no test.")
        for test in row.tests:
            file, _, name = test.partition("::")
            known = tests_in(tests / file) if Path(file).name.startswith("test_") else frozenset[str]()
            if not known or (name and name not in known):
                found.append(f"{row.id}: there is no test {test}.")
    return found


def interfaces(row: Requirement) -> list[str]:
    """Through which interfaces a requirement is tested."""
    names = [next(name for prefix, name in INTERFACES if test.startswith(prefix)) for test in row.tests]
    return list(dict.fromkeys(names))


def conformance_page() -> str:
    """The page; ValueError if a requirement is not tested."""
    tables = documents()
    rows = requirements(tables)
    if wrong := problems(rows):
        raise ValueError("\n".join(wrong))
    different = sum(bool(row.differs) for row in rows)
    counts = Counter(name for row in rows for name in interfaces(row))
    through = ", ".join(f"{count} through {name}" for name, count in counts.most_common())
    parts = [
        f"""# Conformance

<!-- Made by `make generate` from {TABLES}: change it there. -->

RUM fulfils five specifications. Each requirement has an id, the tests that prove it, and the interfaces
through which these tests go: MCP, the command line (CLI), hooks, Python, files in the repository, the store,
or the model alone (validation, scores, texts), which all interfaces share. `make generated` fails if a
requirement has no test, or if a test does not exist. Tests are named without `tests/`.

{len(rows)} requirements: {through}. {different} differ on purpose.
"""
    ]
    for table in tables:
        parts.append(f"## {table.title}\n\n{table.about}\n")
        for section in table.sections:
            lines = ["| id | requirement | through | tests |", "|---|---|---|---|"]
            lines += [_line(row) for row in section.rows]
            parts.append(f"### {table.title}: {section.title}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _line(row: Requirement) -> str:
    differs = f" **Differs:** {row.differs}" if row.differs else ""
    tests = "<br>".join(f"`{test.replace('::', ' ')}`" for test in row.tests)
    statement = row.statement.replace("|", "\\|")
    return f"| `{row.id}` | {statement}.{differs} | {', '.join(interfaces(row))} | {tests} |"
