"""Warnings about captured work: they come when a failed change is repeated, and only then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rum.capture.observe.turn_memory import observe_turn
from rum.inject.offers import warning
from rum.inject.offers.context import OfferContext
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory
from support.captured_events import Telling

if TYPE_CHECKING:
    from rum.capture.events.event import Event

GREEN = "3 passed in 0.1s"
RED = "Exit code 1\nE   AssertionError: assert 20.0 == 30.0\nFAILED t.py::test_new - assert\n1 failed in 0.1s"
CACHE = "import functools\n\n\n@functools.lru_cache(maxsize=None)\ndef load(path):"


def warned(folder: Path, *tellings: Telling, **now: Any) -> str:
    """The warning before an edit (`path`, `added`, `removed`) or a command, after some captured turns."""
    store = SqliteStore(str(folder))
    try:
        for number, telling in enumerate(tellings):
            for which, turn in enumerate(telling.turns()):
                fields = observe_turn(turn).fields
                assert fields is not None
                own = ("type", "timestamp", "result")
                actions = [
                    {
                        **{name: action.get(name) for name in own},
                        "details": {name: value for name, value in action.items() if name not in own},
                    }
                    for action in fields["actions"]
                ]
                add_memory(
                    store,
                    f"mem_{number}_{which}",
                    actions=actions,
                    outcome=fields["outcome"],
                    tags=fields["tags"],
                    session_id=f"earlier {number}",
                    created_at=NOON + number,
                )
    finally:
        store.close()
    event: Event = {
        "id": "now",
        "client": "claude-code",
        "session": "now",
        "kind": "before",
        "at": NOON + 99,
        "cwd": str(folder),
    }
    if "command" in now:
        event["tool"], event["command"] = "run", now["command"]
    else:
        event["tool"] = "edit"
        event["files"] = [
            {
                "path": now["path"],
                "operation": "edit",
                "added": now["added"],
                "removed": now.get("removed", ""),
            }
        ]
    return "".join(offer.text for offer in warning.offers(OfferContext(event, str(folder), str(folder))))


def stale_cache() -> Telling:
    """A cache that fails, and what worked instead."""
    telling = Telling(at=NOON - 1000).prompt("Make it faster").edit("rates.py", "def load(path):", CACHE)
    telling.run("pytest -q", RED, 1)
    telling.edit(
        "rates.py", CACHE, "import os\n\n\ndef load(path):\n    if seen[path] != os.stat(path).st_mtime:"
    )
    return telling.run("pytest -q", GREEN).stop()


def test_the_repeated_change_is_named_with_what_worked_instead(tmp_path: Path):
    text = warned(
        tmp_path, stale_cache(), path="rates.py", removed="import json", added=f"import json\n{CACHE}"
    )
    assert "`@functools.lru_cache(maxsize=None)`" in text
    assert "20.0 == 30.0" in text
    assert "Worked instead: `if seen[path] != os.stat(path).st_mtime:`" in text


@pytest.mark.parametrize(
    "added",
    [
        "import functools\nimport json",
        "def load(path):\n    if seen[path] != os.stat(path).st_mtime:\n        pass",
    ],
)
def test_neither_the_import_beside_it_nor_what_worked_is_warned_of(added: str, tmp_path: Path):
    assert warned(tmp_path, stale_cache(), path="rates.py", added=added) == ""


@pytest.mark.parametrize(
    "added",
    [
        "    return slug.replace( '--', \"-\" )",
        "    words = [slug.replace('--', '-') for slug in slugs]",
        "def clean(slug):\n    slug = slug.lower()\n    return slug.replace('--', '-')\n\n\nsize = 3",
    ],
)
def test_a_failed_line_is_recognised_in_other_clothes(added: str, tmp_path: Path):
    bad = "    return slug.replace('--', '-')"
    telling = Telling().prompt("Clean it").edit("slug.py", "    return slug", bad).run("pytest", RED, 1)
    telling.edit("slug.py", bad, "    return '-'.join(slug)")
    assert warned(tmp_path, telling.run("pytest", GREEN).stop(), path="slug.py", added=added)


@pytest.mark.parametrize(("check", "is_silent"), [(False, False), (True, True)])
def test_only_a_proven_success_silences_a_warning(check: bool, is_silent: bool, tmp_path: Path):
    again = Telling(session="s2").prompt("Cache it after all")
    again.edit("rates.py", "def load(path):", CACHE)
    again = (again.run("pytest -q", GREEN) if check else again).stop("The cache works.")
    text = warned(tmp_path, stale_cache(), again, path="rates.py", added=CACHE)
    assert (text == "") is is_silent


def one_line_left_red() -> Telling:
    """The only edit of a turn, with which the test fails; it stays."""
    telling = Telling().prompt("The timeout is a minute").edit("cache.py", "    return 30", "    return 61")
    return telling.run("pytest -q", RED, 1).stop("It is 61 now, but the test still fails.")


def test_an_edit_with_which_the_test_failed_is_warned_of_when_it_is_made_again(tmp_path: Path):
    (tmp_path / "cache.py").write_text("def timeout():\n    return 30\n")
    again = {"path": "cache.py", "removed": "    return 30", "added": "    return 61"}
    assert "`return 61`" in warned(tmp_path, one_line_left_red(), **again)


@pytest.mark.parametrize(
    "before", ["Exit code 1\nFAILED t.py::test_new - assert\n1 failed in 0.1s", "1 passed in 0.1s"]
)
def test_an_edit_is_not_suspected_of_what_failed_without_it(before: str, tmp_path: Path):
    telling = Telling().prompt("The timeout is a minute; test_new is red").run("pytest -q", before, 1)
    telling.edit("cache.py", "    return 30", "    return 61").run("pytest -q", RED, 1)
    text = warned(tmp_path, telling.stop("Still red."), path="cache.py", added="    return 61")
    assert (text == "") is ("failed" in before)


def test_neither_of_two_edits_is_suspected(tmp_path: Path):
    telling = Telling().prompt("The timeout is a minute").edit("cache.py", "    return 30", "    return 61")
    telling.edit("cache.py", "SIZE = 1", "SIZE = 2").run("pytest -q", RED, 1).stop("Still red.")
    assert warned(tmp_path, telling, path="cache.py", added="    return 61") == ""


def test_a_test_before_the_bad_edit_silences_nothing(tmp_path: Path):
    again = Telling(session="s2").prompt("Cache it after all").run("pytest -q", GREEN)
    again.edit("rates.py", "def load(path):", CACHE).stop("The cache works.")
    assert warned(tmp_path, stale_cache(), again, path="rates.py", added=CACHE)


def test_undone_work_is_warned_of(tmp_path: Path):
    telling = Telling().prompt("Faster").edit("a.py", "rows = load()", "rows = load_all(batch=500)")
    telling.run("pytest", RED, 1).run("git checkout -- a.py && pytest", GREEN).stop("Back to green.")
    assert "load_all" in warned(tmp_path, telling, path="a.py", added="rows = load_all(batch=500)")


def test_a_line_that_stayed_is_not_warned_of(tmp_path: Path):
    telling = (
        Telling()
        .prompt("Add delete")
        .edit("kv.py", "", "    def delete(self, key):\n        del self.data[key]")
    )
    telling.run("pytest", RED, 1).stop("One test still fails.")
    assert (
        warned(
            tmp_path, telling, path="kv.py", added="    def delete(self, key):\n        del self.data[key]"
        )
        == ""
    )


def test_a_command_that_is_not_found_is_warned_of_though_another_start_works(tmp_path: Path):
    telling = Telling().prompt("Test it").edit("a.py", "x = 1", "x = get(1)")
    telling.run("pytest -q", "Exit code 127\nbash: pytest: command not found", 127)
    telling.run("python3 -m pytest -q", GREEN).stop()
    assert "Worked instead: `python3 -m pytest -q`" in warned(tmp_path / "a", telling, command="pytest -q")
    assert warned(tmp_path / "b", telling, command="python -m pytest -q") == ""


@pytest.mark.parametrize(("added", "is_warned"), [("(n.count || 1)", True), ("(n.count ?? 1)", False)])
def test_an_edit_within_a_line_that_puts_the_mistake_back_is_warned_of(
    added: str, is_warned: bool, tmp_path: Path
):
    bad, good = (
        f"return items.reduce((sum, n) => sum + n.price * (n.count {sign} 1), 0)" for sign in ("||", "??")
    )
    telling = Telling().prompt("Count one").edit("cart.js", "return 0", bad).run("npx jest", RED, 1)
    telling.edit("cart.js", bad, good).run("npx jest", "Tests:       3 passed, 3 total").stop()
    now = good.replace("(n.count ?? 1)", "n.count")
    (tmp_path / "cart.js").write_text(f"function total(items) {{\n  {now}\n}}\n")
    told = warned(tmp_path, telling, path="cart.js", added=added, removed="n.count")
    assert bool(told) is is_warned


def set_default() -> Telling:
    bad, good = "    return self.data.setdefault(key, None)", "    return self.data.get(key)"
    telling = Telling().prompt("Make get safe").edit("kv.py", "    return self.data[key]", bad)
    return telling.run("pytest -q", RED, 1).edit("kv.py", bad, good).run("pytest -q", GREEN).stop()


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/self.data.get(key)/self.data.setdefault(key, None)/' kv.py",
        "cat > kv.py <<'X'\nclass KV:\n    def get(self, key):\n"
        "        return self.data.setdefault(key, None)\nX",
        "python - <<'X'\np = Path('kv.py')\n"
        "p.write_text(p.read_text().replace('.get(key)', '.setdefault(key, None)'))\nX",
    ],
)
def test_a_mistake_that_a_command_writes_is_warned_of(command: str, tmp_path: Path):
    (tmp_path / "kv.py").write_text("class KV:\n    def get(self, key):\n        return self.data.get(key)\n")
    assert "Tried before" in warned(tmp_path, set_default(), command=command)


def test_a_mistake_in_another_format_is_warned_of_but_not_in_another_function(tmp_path: Path):
    broken = "    return self.data.setdefault(\n        key,\n        None,\n    )"
    assert "Tried before" in warned(tmp_path / "a", set_default(), path="kv.py", added=broken)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "kv.py").write_text(
        "class KV:\n    def get(self, key):\n        return self.data.get(key)\n\n"
        "    def ensure(self, key):\n        pass\n"
    )
    added = "        return self.data.setdefault(key, None)"
    assert warned(tmp_path / "b", set_default(), path="kv.py", added=added, removed="        pass") == ""


def test_a_missing_program_is_warned_of_whatever_it_is_to_do(tmp_path: Path):
    telling = (
        Telling().prompt("Start it").run("docker-compose up -d", "docker-compose: command not found", 127)
    )
    telling.run("docker compose up -d", "Started").stop()
    assert "Worked instead" in warned(tmp_path, telling, command="docker-compose up --build")


def test_a_program_that_failed_in_the_projects_code_is_not_warned_of(tmp_path: Path):
    crash = (
        "Exit code 1\nTraceback (most recent call last):\n  File \"/p/app.py\", line 1, in f\nKeyError: 'X'"
    )
    telling = Telling().prompt("Run it").run("python app.py", crash, 1).stop("It fails.")
    assert warned(tmp_path, telling, command="python app.py") == ""


def test_a_check_started_with_another_setting_is_the_right_one(tmp_path: Path):
    missing = "Exit code 2\nE   ModuleNotFoundError: No module named 'api'\n1 error in 0.05s"
    telling = (
        Telling().prompt("Add a route").edit("src/api.py", "x", "y = 1").run("pytest -q tests", missing, 2)
    )
    telling.run("PYTHONPATH=src pytest -q tests", GREEN).stop()
    told = warned(tmp_path / "a", telling, command="git status; pytest -q tests")
    assert "Worked instead: `PYTHONPATH=src pytest -q tests`" in told
    assert warned(tmp_path / "b", telling, command="PYTHONPATH=src pytest -q tests/test_api.py") == ""


@pytest.mark.parametrize("removed", ["", "class KV:"])
def test_a_line_that_is_in_the_file_by_now_is_not_warned_of(removed: str, tmp_path: Path):
    there = "    def get(self, key):\n        return self.data.setdefault(key, None)\n"
    (tmp_path / "kv.py").write_text(f"class KV:\n{there}")
    assert warned(tmp_path, set_default(), path="kv.py", added=f"class KV2:\n{there}", removed=removed) == ""


def test_a_rejected_line_that_was_put_back_is_not_warned_of(tmp_path: Path):
    telling = Telling().prompt("Retry the call").edit("pay.py", "call()", "retry(call, times=5, wait=2)")
    telling.stop("It retries.").prompt("no, use with_retry from lib")
    telling.edit("pay.py", "retry(call, times=5, wait=2)", "with_retry(call)")
    telling.edit("pay.py", "with_retry(call)", "retry(call, times=5, wait=2)").stop("There is no with_retry.")
    assert warned(tmp_path, telling, path="pay.py", added="retry(call, times=5, wait=2)") == ""


def test_a_mistyped_option_is_known_with_another_value(tmp_path: Path):
    telling = (
        Telling(at=NOON - 1000)
        .prompt("Draw")
        .run(
            "python draw.py --form round",
            "usage: draw.py [-h] [--shape S]\ndraw.py: error: unrecognized arguments: --form round",
            2,
        )
    )
    telling.run("python draw.py --shape round", "drawn").stop("Drawn.")
    assert "--shape round" in warned(tmp_path, telling, command="python draw.py --form square")
    assert not warned(tmp_path, command="python draw.py --shape square")


def test_a_failed_edit_is_known_under_the_new_name_of_its_file(tmp_path: Path):
    renaming = (
        Telling(at=NOON - 500).prompt("Rename it").run("git mv rates.py tariffs.py", "").stop("Renamed.")
    )
    found = warned(
        tmp_path, stale_cache(), renaming, path="tariffs.py", added=CACHE, removed="def load(path):"
    )
    assert "Tried before and failed" in found


def test_what_failed_is_known_with_other_names_if_it_replaces_what_worked(tmp_path: Path):
    telling = (
        Telling(at=NOON - 1000).prompt("Drop repeats").edit("d.py", "return items", "return list(set(items))")
    )
    telling.run("pytest -q", RED, 1).edit(
        "d.py", "return list(set(items))", "return list(dict.fromkeys(items))"
    )
    telling.run("pytest -q", GREEN).stop("The order is kept.")
    right = "def f(items):\n    return list(dict.fromkeys(items))"
    renamed = "def f(values):\n    return list(set(values))"
    assert "Tried before and failed" in warned(tmp_path, telling, path="d.py", added=renamed, removed=right)
    assert not warned(tmp_path, path="d.py", added="    return list(set(values))", removed="    pass")
    extended = right.replace("items)", "items, start)")
    assert not warned(tmp_path, path="d.py", added=extended, removed=right)


def test_a_variable_that_a_command_needs_is_not_forgotten(tmp_path: Path):
    telling = Telling(at=NOON - 1000).prompt("Start it").run("python serve.py", "APP_ENV is not set", 1)
    telling.run("APP_ENV=dev python serve.py", "serving").stop("It serves.")
    assert "APP_ENV=dev python serve.py" in warned(tmp_path, telling, command="python serve.py")
    assert not warned(tmp_path, command="APP_ENV=prod python serve.py")


def test_what_worked_elsewhere_in_the_file_silences_no_warning(tmp_path: Path):
    (tmp_path / "cache.go").write_text("return &Cache{m: make(map[string]string)}\nc.m[k] = v\n")
    telling = Telling(at=NOON - 1000).prompt("Fix the panic")
    telling.edit("cache.go", "c.m[k] = v", "mu.Lock()\ndefer mu.Unlock()\nc.m[k] = v")
    telling.run("make test", RED, 1).run("git checkout cache.go")
    telling.edit("cache.go", "return &Cache{}", "return &Cache{m: make(map[string]string)}")
    telling.run("make test", GREEN).stop("It was never allocated.")
    added = "mu.Lock()\ndefer mu.Unlock()\nc.m[k] = v"
    assert "mu.Lock()" in warned(tmp_path, telling, path="cache.go", added=added, removed="c.m[k] = v")
