"""Options for all tests."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator

import hypothesis
import pytest

from support import postgres
from support.quick_stores import quick_stores

# Audit events of Python for starting a process.
_STARTS_PROCESS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec", "os.system"}

# On a busy machine any example may be slow. Properties share the store of their test on purpose.
hypothesis.settings.register_profile(
    "patient",
    hypothesis.settings.default,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("patient")

# Temporary files are in memory where there is room, as a busy disk makes every test wait.
_MEMORY = "/dev/shm"


def _usable(folder: str) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    executable = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return executable and shutil.disk_usage(folder).free > 2 << 30


if "TMPDIR" not in os.environ and _usable(_MEMORY):
    os.environ["TMPDIR"] = _MEMORY
    tempfile.tempdir = None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="Skip a test as soon as it starts a process, and try fewer examples of each property.",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests marked `both_stores` on files and on PostgreSQL."""
    if metafunc.definition.get_closest_marker("both_stores"):
        metafunc.fixturenames.insert(0, "backend")
        metafunc.parametrize("backend", ["files", "postgres"], indirect=True)


@pytest.fixture
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store of the settings: files, or the database that all tests of the run share."""
    if request.param == "postgres":
        if request.config.getoption("--quick"):
            pytest.skip("starts a server")
        monkeypatch.setenv("RUM_STORE", postgres.dsn())
    return request.param


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        config.pluginmanager.register(_NoProcesses())
        config.pluginmanager.register(_FewExamples())


@pytest.fixture(autouse=True, scope="module")
def cheap_files(request: pytest.FixtureRequest) -> Iterator[None]:
    """Without it, a third of the time goes into new stores and into waiting for the disk."""
    if {"unit", "properties"}.isdisjoint(request.path.parts):
        yield
        return
    with quick_stores():
        yield


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


class _FewExamples:
    """Limits the examples of each property, also where a test names a number: `make test` tries them all."""

    MOST = 10

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        test = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)
        if test is None or not hypothesis.is_hypothesis_test(test):
            return
        # Hypothesis has no public way to change the settings of a test that has its own.
        name = "_hypothesis_internal_use_settings"
        chosen = getattr(test, name, hypothesis.settings.default)
        setattr(test, name, hypothesis.settings(chosen, max_examples=min(chosen.max_examples, self.MOST)))
