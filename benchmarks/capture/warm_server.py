"""The process from which `rum` and `rum-hook` are forked: one JSON request and one JSON answer per line."""

from __future__ import annotations

import json
import os
import sys
import tempfile

# Loaded here, so that no fork has to.
import rum.embed.choose
import rum.inject.offers
import rum.surfaces.cli.commands  # noqa: F401
from rum.__main__ import main as run_command
from rum.surfaces.hooks import handle, watchdog
from rum.surfaces.hooks.main import run as run_hook


def _serve() -> None:
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            program, arguments, folder, env, given = json.loads(line)
            with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output:
                source.write(given.encode())
                source.seek(0)
                child = os.fork()
                if child == 0:
                    _become(program, arguments, folder, env, source.fileno(), output.fileno())
                os.waitpid(child, 0)
                output.seek(0)
                answers.write(json.dumps(output.read().decode("utf-8", "replace")) + "\n")
                answers.flush()


def _start_nothing(*_arguments: object, **_options: object) -> None:
    pass


def _become(
    program: str, arguments: list[str], folder: str, env: dict[str, str], source: int, output: int
) -> None:
    try:
        os.environ.clear()
        os.environ.update(env)
        os.chdir(folder)
        os.dup2(source, 0)
        os.dup2(output, 1)
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        # New objects: the old one holds lines of the server's own input.
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        if program == "rum":
            sys.argv = ["rum", *arguments]
            run_command()
        else:
            handle.start_intake = _start_nothing  # the player has the events taken in itself
            if program == "unhurried hook":
                watchdog.Watchdog.start = _start_nothing
            run_hook(arguments)
    finally:
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    _serve()
