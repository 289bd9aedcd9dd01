"""The offers that a hook prints and records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rum.capture.clients.detect import event_of
from rum.capture.events import spool
from rum.capture.events.event import from_line
from rum.inject.offers.text import NOTICE, Offer
from rum.surfaces.hooks.handle import MAX_CHARACTERS, can_answer, fitting_offers, print_offers
from support.hooks import prompt, samples

if TYPE_CHECKING:
    from rum.capture.events.event import Event

WARNING = Offer("warning", ("mem_" + "0" * 26,), "This was tried before.")


def event_sample(folder: Path, client: str = "claude-code") -> Event:
    event = event_of(prompt(folder), client, 1.5)
    assert event
    return event


def lines(folder: Path) -> list[Event | None]:
    return [from_line(line) for path in spool.spools(str(folder)) for line in spool.complete_lines(path)[0]]


def test_offers_are_recorded_and_printed_in_the_clients_format(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    print_offers(event_sample(tmp_path), [WARNING, Offer("file", (), "Look here.")], (str(tmp_path),))
    answer = json.loads(capfd.readouterr().out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    begin, notice, empty, *texts, end = answer["additionalContext"].splitlines()
    assert (begin[:13], notice, empty, end[:14]) == ("<rum-warning-", NOTICE, "", "</rum-warning-")
    assert texts == ["This was tried before.", "Look here."]
    (noted,) = lines(tmp_path)
    assert noted
    assert (noted["kind"], noted.get("turn")) == ("offered", "t1")
    assert noted.get("offers", [{}])[0] == {
        "kind": "warning",
        "memories": [*WARNING.memory_ids],
        "text": WARNING.text,
    }


def test_without_offers_nothing_is_printed_or_recorded(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    print_offers(event_sample(tmp_path), [], (str(tmp_path),))
    assert capfd.readouterr().out == ""
    assert lines(tmp_path) == []


def test_offers_that_cannot_be_recorded_are_not_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    (tmp_path / "file").write_text("")
    print_offers(event_sample(tmp_path), [WARNING], (str(tmp_path / "file"),))
    assert capfd.readouterr().out == ""


def test_offers_stay_within_the_clients_limit_and_are_never_cut():
    offers = [Offer("file", (), "x" * 1000) for _ in range(20)]
    assert fitting_offers(offers) == offers[:9]
    assert sum(len(offer.text) + 1 for offer in fitting_offers(offers)) <= MAX_CHARACTERS
    assert fitting_offers([Offer("file", (), "x" * (MAX_CHARACTERS + 1))]) == []


def test_a_client_that_runs_another_clients_hooks_gets_no_offer_twice(tmp_path: Path):
    codex = next(payload for payload in samples("codex") if payload["hook_event_name"] == "UserPromptSubmit")
    event = event_of(codex, "claude-code", 1.5)
    assert event
    assert not can_answer(event, "claude-code")
    assert can_answer(event, "codex")
    assert can_answer(event_sample(tmp_path), "claude-code")


def test_nothing_is_printed_at_events_whose_output_is_ignored(tmp_path: Path):
    stop = {**prompt(tmp_path), "hook_event_name": "Stop"}
    event = event_of(stop, "claude-code", 1.5)
    assert event
    assert not can_answer(event, "claude-code")
