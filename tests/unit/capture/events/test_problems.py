"""Problems of hooks are recorded and reported later."""

from __future__ import annotations

from pathlib import Path

from rum.capture.events import problems
from rum.capture.events.problems import RECENT, Problem


def test_problems_are_counted_and_the_latest_comes_first(tmp_path: Path):
    places = (str(tmp_path / "spool"),)
    for at, what in ((100, "full"), (110, "locked"), (120, "full")):
        problems.record_problem(places, what, at)
    assert problems.recent_problems(places, 130) == [Problem("full", 120, 2), Problem("locked", 110, 1)]


def test_old_problems_are_no_longer_reported_and_can_be_deleted(tmp_path: Path):
    places = (str(tmp_path),)
    problems.record_problem(places, "full", 100)
    assert problems.recent_problems(places, 100 + RECENT) == []
    problems.delete_problems(places, 101)
    assert list(tmp_path.iterdir()) == []


def test_a_problem_is_reported_once_and_again_when_it_recurs(tmp_path: Path):
    places = (str(tmp_path), str(tmp_path / "other"))
    assert problems.report_once(places, 100) is None
    problems.record_problem(places, "the disk was full", 100)
    told = problems.report_once(places, 110)
    assert told
    assert "the disk was full" in told
    assert problems.report_once(places, 120) is None
    problems.record_problem(places, "the disk was full", 130)
    assert problems.report_once(places, 140)


def test_reports_are_remembered_in_any_writable_folder(tmp_path: Path):
    places = (str(tmp_path / "own"), str(tmp_path / "beside"))
    problems.record_problem(places, "full", 100)
    assert problems.report_once(places, 110)
    problems.record_problem(places, "full", 120)
    (tmp_path / "own" / "trouble.told").rename(tmp_path / "old")
    (tmp_path / "own" / "trouble.told").mkdir()  # so that it can be noted beside it only
    assert problems.report_once(places, 130)
    (tmp_path / "own" / "trouble.told").rmdir()
    (tmp_path / "old").rename(tmp_path / "own" / "trouble.told")
    assert problems.report_once(places, 140) is None


def test_the_next_folder_is_used_if_one_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_text("")
    places = (str(tmp_path / "file"), str(tmp_path / "ok"))
    problems.record_problem(places, "full", 100)
    assert [one.what for one in problems.recent_problems(places, 100)] == ["full"]


def test_the_size_of_a_log_is_limited(tmp_path: Path):
    for at in range(2000):
        problems.record_problem((str(tmp_path),), "x" * 1000, at)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 20_000


def test_the_valid_lines_of_a_damaged_file_are_read(tmp_path: Path):
    problems.record_problem((str(tmp_path),), "full", 100)
    (path,) = tmp_path.iterdir()
    path.write_bytes(b'{"at": \xff\n[]\n' + path.read_bytes() + b'{"at": "x", "what": 1}\n{"half')
    assert [one.what for one in problems.recent_problems((str(tmp_path),), 100)] == ["full"]
