"""`rum import claude-code`, `codex` and `gemini`: what these clients wrote down of sessions, as memories."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import click
from msgspec import structs

from rum.app.imports.transcripts import TranscriptImport, by_folder, sessions
from rum.app.rum import Rum
from rum.model.errors import RumError
from rum.surfaces.cli.imports.import_view import counts, taken, tell_of_vectors
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, Command
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import View, said

_HELP = """Make memories of {name}'s earlier sessions.

Of those that are about this project, or with --all-projects of all, each in the project of its folder. PATH
is a transcript or a folder of them, instead of where {name} keeps its own. What was imported or seen by hooks
before is not taken twice, and what was forgotten stays forgotten: run it again at any time.
"""


def _command(client: str, name: str) -> click.Command:
    @click.command(client, cls=Command, help=_HELP.format(name=name))
    @click.argument("path", required=False, type=click.Path())
    @click.option("--all-projects", is_flag=True, help="Sessions of all projects, each in its own.")
    @click.pass_obj
    def run(asked: Asked, path: str | None, all_projects: bool) -> None:
        if all_projects:
            _everywhere(asked, client, path)
            return
        with opened(asked) as rum:
            with progress("Reading sessions", None) as tell:
                answer = rum.import_transcripts(client, path, progress=tell)
            say(asked.json, answer, _taken)
            if not asked.json:
                tell_of_vectors(rum)

    return run


def _everywhere(asked: Asked, client: str, path: str | None) -> None:
    folders = by_folder(client, sessions(client, path))
    total, done = sum(map(len, folders.values())), 0
    answers: list[TranscriptImport] = []
    lost = 0
    with progress("Reading sessions", total) as tell:
        for folder, found in folders.items():
            try:
                answers.append(_in_folder(asked, client, folder, found))
            except RumError as error:
                lost += len(found)
                note(f"{folder or 'Sessions that do not say where they were'}: {error.message}")
            done += len(found)
            tell(done, total)
    say(asked.json, _sum(answers, lost), _taken)


def _in_folder(asked: Asked, client: str, folder: str, found: list[list[str]]) -> TranscriptImport:
    if not os.path.isdir(folder):
        return TranscriptImport(skipped={"folder is gone": len(found)})
    with Rum.open(folder, client="cli", owner=asked.agent is None, agent=asked.agent) as rum:
        return rum.import_transcripts(client, sessions=found)


def _sum(answers: list[TranscriptImport], lost: int) -> TranscriptImport:
    counted, skipped = Counter[str](), Counter[str]()
    seconds = 0.0
    for answer in answers:
        told: dict[str, Any] = structs.asdict(answer)
        skipped.update(told.pop("skipped"))
        seconds += told.pop("seconds")
        counted.update(told)
    if lost:
        skipped["no project"] += lost
    return TranscriptImport(**counted, skipped=dict(skipped), seconds=round(seconds, 1))


def _taken(answer: TranscriptImport) -> View:
    told = counts(
        {"read": answer.sessions, "read before": answer.known, "of other projects": answer.elsewhere}
    )
    links = said(f"Found: links {answer.links}.") if answer.links else []
    return [
        *taken(answer),
        *links,
        *(said(f"Sessions: {told}.") if told else said("No sessions were found.")),
    ]


CLIENTS = [
    _command("claude-code", "Claude Code"),
    _command("codex", "Codex"),
    _command("gemini", "Gemini CLI"),
]
"""A command for each client whose transcripts can be read."""
