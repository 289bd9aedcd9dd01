"""`rum web` as a program: its address, its end, the browser, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from surfaces.web.running import PATIENCE, ask

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and scripts as on POSIX")


def start(folder: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    """Start it as a user does, with Python's development mode: what stays open is printed."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
    own = {"RUM_HOME": str(folder / "home"), "RUM_EMBEDDER": "none", "PYTHONWARNINGS": "error"}
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-m", "rum", "web", *options],
        cwd=folder / "work",
        env=inherited | own | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def port_and_token(address: str) -> tuple[int, str]:
    port, _, token = address.strip().removeprefix("http://127.0.0.1:").partition("/?token=")
    return int(port), token


def test_the_first_line_is_the_address_and_ctrl_c_ends_it_with_nothing_left_open(folder: Path):
    process = start(folder, "--no-open", "--port", "0")
    port, token = port_and_token(process.stdout.readline())
    answer = ask(port, "GET", f"/?token={token}")
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert ask(port, "GET", "/api/v1/overview", Cookie=cookie).status == 200
    assert ask(port, "GET", "/api/v1/me", Cookie="rum=x").status == 401
    process.send_signal(signal.SIGINT)
    printed, complaints = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed) == (0, "")
    assert complaints == "Ctrl-C ends it.\n"  # no log, no token, and nothing that stayed open
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", port)) != 0


def test_it_ends_when_nobody_asks(folder: Path):
    program = "from rum.surfaces.web import main; from rum import Rum; import sys\n"
    program += "with Rum.open(owner=True) as rum: main.serve(rum, 0, print, open_browser=False, idle=0.2)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder / "work",
        env={**os.environ, "RUM_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("http://127.0.0.1:")


def test_a_taken_port_is_an_error_if_it_was_asked_for(folder: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(folder, "--no-open", "--port", str(port))
        printed, complaints = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed) == (1, "")
    assert f"Port {port} cannot be used" in complaints


def test_the_browser_is_opened_by_a_private_file_and_no_process_shows_the_token(folder: Path):
    seen = folder / "seen.txt"
    script = folder / "browser.sh"
    script.write_text(f'#!/bin/sh\necho "$@" > {seen}.part\nmv {seen}.part {seen}\n')
    script.chmod(0o700)
    process = start(folder, "--port", "0", BROWSER=str(script))
    try:
        _, token = port_and_token(process.stdout.readline())
        process.stderr.readline()
        while not seen.exists():
            assert process.poll() is None
        opened = seen.read_text().strip()
        assert token not in opened
        page = Path(opened.removeprefix("file://"))
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        assert token in page.read_text()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert not page.exists()


def test_other_commands_do_not_load_the_page():
    program = (
        "import sys, rum.app.rum, rum.surfaces.cli.commands, rum.surfaces.cli.memories.find; "
        "print([name for name in sys.modules if name.startswith(('rum.surfaces.web', 'rum.app.pages'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.strip() == "[]", done.stderr
