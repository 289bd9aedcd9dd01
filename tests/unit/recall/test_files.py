"""The meaning of a file pattern (a path, a folder, a glob, a bare name), and files that were renamed."""

from __future__ import annotations

import os
from typing import Any

import pytest

from rum import Rum
from rum.recall.files import MAX_GLOB, glob_match
from rum.recall.limits import EARLIER_NAME
from rum.store.sqlite.store import SqliteStore
from support.projects import Shop, edited, keep

PATHS = (
    "README.md",
    "src/app.py",
    "src/auth/interceptor.ts",
    "src/auth/login.ts",
    "src/auth/deep/er/token.ts",
    "src/authors/list.ts",
    "app/[id]/page.tsx",
    "app/i/page.tsx",
    "tests/auth/login.ts",
)


@pytest.fixture
def known(rum: Rum) -> dict[str, str]:
    """One memory for each path: id -> path."""
    return {keep(rum, f"Work number {n}", actions=edited(path)): path for n, path in enumerate(PATHS)}


def found(rum: Rum, known: dict[str, str], file: Any, **more: Any) -> set[str]:
    return {known[memory.id] for memory in rum.recall(file=file, limit=50, **more).memories}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("README.md", {"README.md"}),
        ("src/auth/login.ts", {"src/auth/login.ts"}),
        ("./src/auth/login.ts", {"src/auth/login.ts"}),
        ("src/auth/../app.py", {"src/app.py"}),
        ("src\\auth\\login.ts", {"src/auth/login.ts"}),
        ("src/auth/login.ts:12", {"src/auth/login.ts"}),
        ("src/auth/login.ts:12-20", {"src/auth/login.ts"}),
        ("src/auth", {"src/auth/interceptor.ts", "src/auth/login.ts", "src/auth/deep/er/token.ts"}),
        ("src/auth/", {"src/auth/interceptor.ts", "src/auth/login.ts", "src/auth/deep/er/token.ts"}),
        ("src/auth/*", {"src/auth/interceptor.ts", "src/auth/login.ts"}),
        ("src/auth/**", {"src/auth/interceptor.ts", "src/auth/login.ts", "src/auth/deep/er/token.ts"}),
        ("src/**/token.ts", {"src/auth/deep/er/token.ts"}),
        ("**/login.ts", {"src/auth/login.ts", "tests/auth/login.ts"}),
        ("*.md", {"README.md"}),
        ("*.py", {"src/app.py"}),
        ("src/*.ts", set()),
        ("src/auth/log?n.ts", {"src/auth/login.ts"}),
        ("src/auth/[il]*.ts", {"src/auth/interceptor.ts", "src/auth/login.ts"}),
        ("src/auth/[!i]*.ts", {"src/auth/login.ts"}),
        ("app/[id]/page.tsx", {"app/[id]/page.tsx"}),
        ("app/[di]/page.tsx", {"app/i/page.tsx"}),
        ("app/[id]", {"app/[id]/page.tsx"}),
        ("login.ts", {"src/auth/login.ts", "tests/auth/login.ts"}),
        ("authors", {"src/authors/list.ts"}),
        (["README.md", "src/app.py"], {"README.md", "src/app.py"}),
        (["README.md", "token.ts", "*.py"], {"README.md", "src/auth/deep/er/token.ts", "src/app.py"}),
        (["", "README.md"], {"README.md"}),
        (".", set(PATHS)),
        ("**", set(PATHS)),
        ("src/aut", set()),
        ("ogin.ts", set()),
        ("nothing.py", set()),
    ],
)
def test_a_pattern_finds_the_files_it_means(
    rum: Rum, known: dict[str, str], file: Any, expected: set[str]
) -> None:
    assert found(rum, known, file) == expected


def test_many_bare_names_are_looked_for_at_once(rum: Rum, known: dict[str, str]) -> None:
    reads: list[str] = []
    names = [*(f"unknown{number}.py" for number in range(20)), "login.ts", "authors", "app.py"]
    meant = {"src/auth/login.ts", "tests/auth/login.ts", "src/authors/list.ts", "src/app.py"}
    store = rum._caller.project.store
    assert isinstance(store, SqliteStore)
    store._rum.connection.set_trace_callback(reads.append)
    assert found(rum, known, names) == meant
    assert found(rum, known, names, query="elephant", min_confidence=0) == meant
    assert sum("DISTINCT p.key, f.file_path" in statement for statement in reads) == 2


def test_a_name_that_a_path_has_twice_means_it_once(rum: Rum) -> None:
    kept = keep(rum, actions=edited("docs/api/docs/index.md"))
    for more in ({}, {"query": "index"}):
        answer = rum.recall(file=["docs", "index.md"], **more)
        assert ([memory.id for memory in answer.memories], answer.total_matches) == ([kept], 1)


def test_an_absolute_path_is_made_relative(rum: Rum, shop: Shop, known: dict[str, str]) -> None:
    assert found(rum, known, str(shop.folder / "src" / "app.py")) == {"src/app.py"}
    assert found(rum, known, shop.folder / "README.md") == {"README.md"}
    assert found(rum, known, str(shop.folder)) == set(PATHS)


def test_a_path_is_meant_from_the_root_also_in_a_subfolder(
    shop: Shop, rum: Rum, known: dict[str, str]
) -> None:
    (shop.folder / ".rum").mkdir()
    (shop.folder / "src" / "auth").mkdir(parents=True)
    (shop.folder / "src" / "auth" / "login.ts").touch()
    inside = shop.open(path=shop.folder / "src")
    assert found(inside, known, "src/app.py") == {"src/app.py"}
    assert found(inside, known, "auth/login.ts") == {"src/auth/login.ts"}


def test_a_path_outside_of_the_project_stays_absolute(rum: Rum, shop: Shop) -> None:
    kept = keep(rum, actions=edited("/etc/hosts", "../sibling/x.py"))
    outside = os.path.realpath(shop.folder.parent / "sibling" / "x.py")
    [memory] = rum.recall(file="/etc/hosts", depth="full").memories
    assert memory.id == kept
    assert isinstance(memory.files, tuple)
    assert {file.path for file in memory.files} == {"/etc/hosts", outside}
    assert [m.id for m in rum.recall(file=outside).memories] == [kept]
    assert rum.recall(file=".").memories == []


def test_a_file_named_literally_is_certain_and_a_bare_name_less_so(rum: Rum, known: Any) -> None:
    assert rum.recall(file="src/app.py").confidence == 1.0
    assert rum.recall(file="src/*.py").confidence == 1.0
    assert rum.recall(file="src").confidence == 1.0
    assert 0.5 < rum.recall(file="app.py").confidence < 1.0


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("auth/login.ts", {"src/auth/login.ts", "tests/auth/login.ts"}),
        ("deep/er/token.ts", {"src/auth/deep/er/token.ts"}),
        ("deep/er", {"src/auth/deep/er/token.ts"}),
        ("uth/login.ts", set[str]()),
        ("login.ts/auth", set[str]()),
        ("/auth/login.ts", set[str]()),
    ],
)
def test_the_end_of_a_path_is_as_good_as_a_bare_name(
    rum: Rum, known: dict[str, str], file: str, expected: set[str]
) -> None:
    assert found(rum, known, file) == expected
    if expected:
        assert rum.recall(file=file).confidence == rum.recall(file="token.ts").confidence
        assert found(rum, known, file, query="work number") >= expected


def test_the_newest_memory_of_a_file_comes_first(rum: Rum, shop: Shop) -> None:
    ids = []
    for number in range(4):
        shop.clock.forward(60)
        ids.append(keep(rum, f"Round {number}", actions=edited("a.py")))
    assert [memory.id for memory in rum.recall(file="a.py").memories] == ids[::-1]


def test_a_memory_of_many_files_does_not_crowd_out_the_others(rum: Rum, shop: Shop) -> None:
    old = [keep(rum, f"Small change {n}", actions=edited(f"src/f{n}.py")) for n in range(4)]
    shop.clock.forward(60)
    big = keep(rum, "Rename everything", actions=edited(*(f"src/f{n}.py" for n in range(300))))
    answer = rum.recall(file="src")
    assert {memory.id for memory in answer.memories} == {big, *old}
    assert answer.total_matches == 5


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a/**", "a", True),
        ("**/a", "a", True),
        ("a/*", "a/b/c", False),
        ("a/*/c", "a/b/c", True),
        ("*", "a/b", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].py", "x/b.py", True),
        ("[a-c]x", "bx", True),
        ("[]]x", "]x", True),
        ("A.py", "a.py", False),
        ("a.py", "axpy", False),
        ("a/**/**/b", "a/b", True),
        ("**/**", "x", True),
    ],
)
def test_globs(pattern: str, path: str, fits: bool) -> None:
    assert glob_match(pattern, path) is fits


@pytest.mark.parametrize(
    "hostile",
    ["*a" * 500 + "b", "**/" * 340 + "x", "a*/**/" * 170 + "x", "[" * 1000, "?" * 1000, "*/" * 500, "(a+)+$"],
)
def test_a_hostile_glob_is_answered_like_any_other(rum: Rum, hostile: str) -> None:
    path = "/".join(["a" * 40] * 20)  # with backtracking a match against this would not end
    for number in range(50):
        keep(rum, f"Work {number}", actions=edited(f"{path}/{number}"))
    assert rum.recall(file=hostile, min_confidence=0).code == "NO_RESULTS"


def test_a_pattern_too_long_for_a_glob_is_taken_for_a_name(rum: Rum) -> None:
    name = "src/" + "x" * MAX_GLOB + "*"
    kept = keep(rum, actions=edited(name, name[:-1] + "y"))
    other = keep(rum, "Other", actions=edited(name[:-1] + "y"))
    assert [memory.id for memory in rum.recall(file=name).memories] == [kept]
    assert other not in [memory.id for memory in rum.recall(file=name).memories]


@pytest.fixture
def moved(shop: Shop) -> tuple[Rum, str, str, str]:
    """A file that was worked on, renamed, and worked on again."""
    rum, made = shop.open(), list[str]()
    for goal, actions in (
        ("Begin the parser", edited("src/old.py")),
        ("Move the parser", [{"type": "command_run", "command": "git mv src/old.py src/new.py"}]),
        ("Mend the parser", edited("src/new.py")),
        ("Begin another", edited("src/old.py")),
    ):
        made.append(keep(rum, goal, actions=actions))
        shop.clock.forward(60)
    before, move, after, _ = made
    return rum, before, move, after


def answer(rum: Rum, **asked: Any) -> list[tuple[str, float]]:
    return [(one.id, one.confidence) for one in rum.recall(**asked).memories]


def test_earlier_names_come_after_the_present_one(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    assert answer(rum, file="src/new.py") == [(after, 1.0), (before, EARLIER_NAME)]
    told = rum.recall(file="src/new.py", explain=True)
    assert (told.total_matches, told.query_strategy_used) == (2, "exact")
    assert [one.why for one in told.memories] == [
        ["exact match"],
        ["touched the file when it had another name"],
    ]


def test_the_earlier_name_finds_what_bore_it(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    found = dict(answer(rum, file="src/old.py"))
    assert found[before] == 1.0
    assert after not in found


def test_several_files_and_a_limit_keep_the_order(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    assert answer(rum, file=["src/new.py", "src/none.py"]) == [(after, 1.0), (before, EARLIER_NAME)]
    assert answer(rum, file="src/new.py", limit=1) == [(after, 1.0)]


def test_a_file_that_has_no_memory_of_its_own_is_found_by_its_earlier_name(shop: Shop):
    rum = shop.open()
    before = keep(rum, "Begin", actions=edited("old.py"))
    shop.clock.forward(60)
    keep(rum, "Move", actions=[{"type": "command_run", "command": "mv old.py new.py"}])
    assert answer(rum, file="new.py") == [(before, EARLIER_NAME)]
    assert [one for one, _ in answer(rum, file="new.py", query="begin")] == [before]


def test_with_words_the_earlier_work_counts_as_work_on_the_file(moved: tuple[Rum, str, str, str]):
    rum, before, _, after = moved
    found = [one for one, _ in answer(rum, file="src/new.py", query="parser", min_confidence=0)]
    assert {before, after} <= set(found)
    signals = {
        one.id: " ".join(one.why)
        for one in rum.recall(file="src/new.py", query="begin the parser", explain=True).memories
    }
    assert "touched the requested files" in signals[before]
