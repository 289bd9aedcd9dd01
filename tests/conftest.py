"""Options for all tests."""

from __future__ import annotations

import sys
from collections.abc import Generator

import pytest

# Audit events of Python for starting a process.
_STARTS_PROCESS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec", "os.system"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="Skip a test as soon as it starts a process.")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        config.pluginmanager.register(_NoProcesses())


class _NoProcesses:
    """Skips a test in the moment it starts a process: starting them takes most of the time of all tests."""

    def __init__(self) -> None:
        self._in_test = False
        sys.addaudithook(self._audit)

    def _audit(self, event: str, _: tuple[object, ...]) -> None:
        if self._in_test and event in _STARTS_PROCESS:
            pytest.skip("starts a process")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self._in_test = True
        try:
            return (yield)
        finally:
            self._in_test = False
