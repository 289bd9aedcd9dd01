"""Every requirement in the table of conformance names tests that exist and are run."""

from __future__ import annotations

from pathlib import Path

import pytest

import conformance


def test_every_requirement_has_tests_that_exist():
    assert conformance.problems(conformance.requirements(conformance.documents())) == []


def test_every_named_test_is_collected(request: pytest.FixtureRequest):
    """Where the whole suite is collected, pytest's own list is compared."""
    collected = {item.nodeid.removeprefix("tests/").split("[")[0] for item in request.session.items}
    files = {node.split("::")[0] for node in collected}
    names = {(node.split("::")[0], node.rsplit("::", 1)[-1]) for node in collected}
    for row in conformance.requirements(conformance.documents()):
        for test in row.tests:
            file, _, name = test.partition("::")
            if name and file in files and len(files) > 100:
                assert (file, name) in names, f"{row.id}: {test} is not collected"


def requirement(*tests: str) -> conformance.Requirement:
    return conformance.Requirement("schema.id", "It has an id", tests)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([requirement()], "schema.id has no test."),
        ([requirement("test_one.py::test_no")], "schema.id: there is no test test_one.py::test_no."),
        ([requirement("test_none.py::test_yes")], "schema.id: there is no test test_none.py::test_yes."),
        ([requirement("test_none.py")], "schema.id: there is no test test_none.py."),
        ([requirement("other.py::test_yes")], "schema.id: there is no test other.py::test_yes."),
        ([requirement("test_one.py::test_e2e")], "schema.id: there is no test test_one.py::test_e2e."),
        ([requirement("test_one.py::test_yes")] * 2, "schema.id is listed twice."),
    ],
)
def test_what_is_not_proved_is_reported(tmp_path: Path, rows: list[conformance.Requirement], problem: str):
    code = "import pytest\ndef test_yes(): ...\n@pytest.mark.e2e\ndef test_e2e(): ...\n"
    for name in ("test_one.py", "other.py"):
        (tmp_path / name).write_text(code)
    assert conformance.problems(rows, tmp_path) == [problem]


def test_a_test_in_a_class_counts(tmp_path: Path):
    (tmp_path / "test_one.py").write_text("class TestIt:\n    def test_yes(self): ...\n")
    assert conformance.problems([requirement("test_one.py::test_yes", "test_one.py")], tmp_path) == []


def test_interfaces_follow_from_the_tests():
    row = requirement("surfaces/mcp/test_tools.py", "flow/test_depths.py", "surfaces/cli/test_find.py")
    assert conformance.interfaces(row) == ["MCP", "Python", "CLI"]
