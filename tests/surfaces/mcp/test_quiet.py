"""When nobody asks anything for a while the application is told, once, and the session goes on."""

import time

import pytest


def wait_for(log, word: str, times: int) -> None:
    deadline = time.monotonic() + 30
    while not log.exists() or log.read_text().split("\n").count(word) < times:
        assert time.monotonic() < deadline, f"{word} was never told"
        time.sleep(0.005)


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("ECHO_IDLE_AFTER", "0.05")
    return tmp_path / "log"


def test_each_stretch_of_quiet_is_told_once(connect, log):
    client = connect(log=log)
    client.call("echo")
    wait_for(log, "idle", 1)
    time.sleep(0.3)
    client.call("echo")
    wait_for(log, "idle", 2)
    client.finish()
    told = log.read_text().split()
    assert told.count("idle") == 2
    assert told[-1] == "closed"


def test_before_the_first_call_there_is_nobody_to_tell(connect, log):
    client = connect(log=log)
    client.result("tools/list")
    time.sleep(0.3)
    client.finish()
    assert not log.exists()


def test_whatever_goes_wrong_then_the_next_question_is_answered(connect, log, monkeypatch):
    monkeypatch.setenv("ECHO_IDLE_CRASHES", "1")
    client = connect(log=log)
    client.call("echo")
    wait_for(log, "idle", 1)
    assert client.call("echo", word="still here")["structuredContent"] == {"word": "still here"}
    client.finish()
    assert "KeyError" in client.stderr()


def test_who_does_not_want_to_know_is_not_told(connect, log, monkeypatch):
    monkeypatch.setenv("ECHO_IDLE_AFTER", "0")
    client = connect(log=log)
    client.call("echo")
    time.sleep(0.3)
    client.finish()
    assert "idle" not in log.read_text().split()
