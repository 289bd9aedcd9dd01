"""A brief has the note meant for a task also when the task is worded otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.note_tasks import measured, note_tasks
from support.projects import Shop, open_shop


@pytest.mark.parametrize(
    ("name", "least"), [("known", 0.6), ("second", 0.6), ("independent", 0.4), ("situations", 0.7)]
)
def test_most_tasks_worded_otherwise_get_their_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, least: float
):
    with open_shop(tmp_path) as shop:
        monkeypatch.setenv("RUM_EMBEDDER", "builtin")
        found = measured(shop.open(), note_tasks(name))
        monkeypatch.setenv("RUM_EMBEDDER", "none")
    assert found.share >= least, found
    assert found.wrong_share <= 0.12, found


def test_without_an_embedder_only_patterns_match(shop: Shop):
    rum = shop.open()
    rum.notes.add("Sessions end early", "Users are logged out at night.", "session")
    assert rum.brief(task="Fix the session").taken
    assert not rum.brief(task="People must sign in again").taken
