"""Idle work: called once for each period without requests."""

import gc
import time
from typing import NoReturn

import pytest

from rum.surfaces.mcp.main import listing
from rum.surfaces.mcp.protocol import Dispatcher
from rum.surfaces.mcp.server import Server


def wait_for(log, word: str, times: int) -> None:
    deadline = time.monotonic() + 30
    while not log.exists() or log.read_text().split("\n").count(word) < times:
        assert time.monotonic() < deadline, f"{word} was never told"
        time.sleep(0.005)


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("ECHO_IDLE_AFTER", "0.05")
    return tmp_path / "log"


def test_idle_is_called_once_for_each_idle_period(connect, log):
    client = connect(log=log)
    client.call("echo")
    wait_for(log, "idle", 1)
    time.sleep(0.3)
    client.call("echo")
    wait_for(log, "idle", 2)
    client.finish()
    lines = log.read_text().split()
    assert lines.count("idle") == 2
    assert lines[-1] == "closed"


def test_idle_is_not_called_before_the_first_call(connect, log):
    client = connect(log=log)
    client.result("tools/list")
    time.sleep(0.3)
    client.finish()
    assert not log.exists()


def test_after_an_error_in_idle_the_next_request_is_answered(connect, log, monkeypatch):
    monkeypatch.setenv("ECHO_IDLE_CRASHES", "1")
    client = connect(log=log)
    client.call("echo")
    wait_for(log, "idle", 1)
    assert client.call("echo", word="still here")["structuredContent"] == {"word": "still here"}
    client.finish()
    assert "KeyError" in client.stderr()


def test_idle_can_be_disabled(connect, log, monkeypatch):
    monkeypatch.setenv("ECHO_IDLE_AFTER", "0")
    client = connect(log=log)
    client.call("echo")
    time.sleep(0.3)
    client.finish()
    assert "idle" not in log.read_text().split()


def test_what_can_wait_is_done_in_a_pause(connect, log):
    client = connect(log=log)
    client.call("echo")
    wait_for(log, "settled", 1)
    client.finish()


def test_what_can_wait_is_not_put_off_by_many_messages(connect, log):
    client = connect(log=log)
    started = time.monotonic()
    while time.monotonic() - started < 1.5:
        client.call("echo")
    assert "settled" in log.read_text().split()
    client.finish()


def test_garbage_is_collected_again_after_the_first_answer():
    server = Server(Dispatcher(listing("all"), unexpected), 0, 1)
    gc.disable()
    try:
        server._settle()
        assert gc.isenabled()
    finally:
        gc.unfreeze()
        gc.enable()


def unexpected() -> NoReturn:
    raise AssertionError("no application is needed")
