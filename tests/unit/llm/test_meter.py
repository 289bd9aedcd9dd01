"""Tokens are counted by day and project across processes, and the limit is enforced."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rum.llm.base import CannotComplete, LimitReached
from rum.llm.meter import FILE, MAX_DAYS, Meter, TokenUsage
from support.builders import HandClock

MIDNIGHT = 1_750_032_000  # 2025-06-16


def meter(home: Path, project: str = "shop", limit: int = 1000, clock: HandClock | None = None) -> Meter:
    return Meter(str(home), project, limit, clock or HandClock(MIDNIGHT))


def spend(one: Meter, read: int, written: int) -> None:
    day = one.reserve(read, written)
    one.settle(day, TokenUsage(1, read, written), TokenUsage(1, read, written))


def test_usage_is_counted_by_day_and_project(tmp_path: Path):
    clock = HandClock(MIDNIGHT)
    spend(meter(tmp_path, "shop", clock=clock), 100, 10)
    spend(meter(tmp_path, "shop", clock=clock), 100, 10)
    spend(meter(tmp_path, "blog", clock=clock), 5, 1)
    clock.forward(86_400)
    spend(meter(tmp_path, "shop", clock=clock), 7, 3)
    assert meter(tmp_path).days() == {
        "2025-06-16": {"shop": TokenUsage(2, 200, 20), "blog": TokenUsage(1, 5, 1)},
        "2025-06-17": {"shop": TokenUsage(1, 7, 3)},
    }
    assert meter(tmp_path, clock=clock).today() == 10


def test_the_limit_is_for_all_projects_together(tmp_path: Path):
    spend(meter(tmp_path, "shop"), 600, 100)
    with pytest.raises(LimitReached) as caught:
        meter(tmp_path, "blog").reserve(300, 1)
    assert "300 are left" in caught.value.message
    assert caught.value.details["retry_after"] == 86_400
    assert caught.value.code == "RATE_LIMITED"
    meter(tmp_path, "blog").reserve(300, 0)


def test_what_is_reserved_counts_until_it_is_settled(tmp_path: Path):
    first = meter(tmp_path)
    day = first.reserve(500, 400)
    with pytest.raises(LimitReached):
        meter(tmp_path).reserve(100, 100)
    first.settle(day, TokenUsage(1, 500, 400), TokenUsage(1, 50, 40))
    meter(tmp_path).reserve(100, 100)
    assert meter(tmp_path).today() == 290


def test_an_answer_after_midnight_counts_for_the_day_of_its_request(tmp_path: Path):
    clock = HandClock(MIDNIGHT - 10)
    one = meter(tmp_path, clock=clock)
    day = one.reserve(500, 400)
    clock.forward(20)
    one.settle(day, TokenUsage(1, 500, 400), TokenUsage(1, 50, 40))
    assert one.days() == {"2025-06-15": {"shop": TokenUsage(1, 50, 40)}}


def test_old_days_are_dropped(tmp_path: Path):
    clock = HandClock(MIDNIGHT)
    for _ in range(MAX_DAYS + 5):
        spend(meter(tmp_path, clock=clock), 1, 1)
        clock.forward(86_400)
    days = list(meter(tmp_path).days())
    assert len(days) == MAX_DAYS
    assert days == sorted(days)
    assert days[0] == "2025-06-21"


@pytest.mark.skipif(os.name == "nt", reason="permissions are other there")
def test_the_file_of_counts_is_private(tmp_path: Path):
    spend(meter(tmp_path / "new" / "home"), 1, 1)
    assert stat.S_IMODE((tmp_path / "new" / "home" / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"days": 3}', '{"days": {"x": {"y": {"read": "1"}}}}', "\xff" * 10]
)
def test_an_unreadable_file_of_counts_stops_all_requests(tmp_path: Path, content: str):
    (tmp_path / FILE).write_text(content, encoding="latin-1")
    with pytest.raises(CannotComplete, match="is invalid"):
        meter(tmp_path).reserve(1, 1)
    assert (tmp_path / FILE).read_text(encoding="latin-1") == content


def test_counts_of_a_newer_version_are_not_changed(tmp_path: Path):
    content = json.dumps({"version": 2, "days": {}})
    (tmp_path / FILE).write_text(content)
    with pytest.raises(CannotComplete, match="another version"):
        meter(tmp_path).reserve(1, 1)
    assert (tmp_path / FILE).read_text() == content


def test_parallel_processes_respect_the_limit(tmp_path: Path):
    program = (
        "import sys\n"
        "from rum.llm.base import LimitReached\n"
        "from rum.llm.meter import Meter\n"
        "meter = Meter(sys.argv[1], 'shop', 1000, lambda: 1_750_032_000)\n"
        "taken = 0\n"
        "for _ in range(20):\n"
        "    try:\n"
        "        meter.reserve(10, 10)\n"
        "        taken += 1\n"
        "    except LimitReached:\n"
        "        pass\n"
        "print(taken)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    taken = [int(one.communicate()[0]) for one in running]
    assert sum(taken) == 50
    assert meter(tmp_path).today() == 1000


def test_without_counting_no_request_is_allowed(tmp_path: Path):
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(CannotComplete, match="no language model is used"):
        meter(tmp_path / "home").reserve(1, 1)
