"""Pausing capture."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum.capture.events import pause
from rum.model.errors import StorageError


def test_capture_is_not_paused_by_default(tmp_path: Path):
    assert not pause.is_paused(str(tmp_path), "p", 100)
    assert not pause.is_paused(str(tmp_path), None, 100)


def test_a_pause_holds_for_its_project_until_it_is_ended(tmp_path: Path):
    home = str(tmp_path / "home")
    pause.pause(home, "p", 100, None)
    assert pause.is_paused(home, "p", 100)
    assert not pause.is_paused(home, "q", 100)
    assert pause.is_paused(home, None, 100)
    assert pause.resume(home, "p", 200)
    assert not pause.is_paused(home, "p", 200)


def test_a_pause_ends_automatically(tmp_path: Path):
    pause.pause(str(tmp_path), "p", 100, 160)
    assert [pause.is_paused(str(tmp_path), "p", at) for at in (99, 100, 159.9, 160)] == [
        False,
        True,
        True,
        False,
    ]
    assert not pause.resume(str(tmp_path), "p", 200)


def test_a_pause_everywhere_is_not_ended_by_one_project(tmp_path: Path):
    pause.pause(str(tmp_path), None, 100, None)
    assert not pause.resume(str(tmp_path), "p", 110)
    assert pause.is_paused(str(tmp_path), "p", 120)
    assert pause.resume(str(tmp_path), None, 130)
    assert not pause.is_paused(str(tmp_path), "p", 140)


def test_past_pauses_are_stored(tmp_path: Path):
    pause.pause(str(tmp_path), "p", 100, None)
    pause.resume(str(tmp_path), "p", 200)
    pause.pause(str(tmp_path), "p", 300, 400)
    assert [pause.is_paused(str(tmp_path), "p", at) for at in (50, 150, 250, 350, 450)] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_pausing_again_changes_the_end(tmp_path: Path):
    pause.pause(str(tmp_path), "p", 100, None)
    pause.pause(str(tmp_path), "p", 110, 120)
    assert not pause.is_paused(str(tmp_path), "p", 130)
    assert [one["until"] for one in pause.pauses_now(str(tmp_path), "p", 115)] == [120]


@pytest.mark.parametrize("damaged", ["", "nonsense", "[]", '{"pauses": [{}]}', '{"pauses": 3}'])
def test_a_damaged_list_counts_as_a_pause_until_it_is_replaced(tmp_path: Path, damaged: str):
    (tmp_path / "paused.json").write_text(damaged)
    assert pause.is_paused(str(tmp_path), "p", 100)
    pause.resume(str(tmp_path), None, 100)
    assert not pause.is_paused(str(tmp_path), "p", 100)


def test_a_home_that_cannot_be_written_is_an_error(tmp_path: Path):
    (tmp_path / "home").write_text("")
    with pytest.raises(StorageError, match="Nothing was changed"):
        pause.pause(str(tmp_path / "home"), None, 100, None)
