"""`rum import git`, `notes`, `codex` and so on: a table of what can be imported, and one way to run it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import click
from msgspec import structs

from rum.app.imports.transcripts import TranscriptImport, by_folder, sessions
from rum.app.rum import Rum
from rum.model.errors import RumError
from rum.surfaces.cli.imports.import_view import (
    LAYERS,
    MEMORIES,
    Answer,
    Nouns,
    import_view,
    note_missing_vectors,
)
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Command, Options
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.progress import ReportProgress, progress
from rum.surfaces.cli.times import When

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Import:
    """One subcommand of `rum import`."""

    name: str
    help: str
    params: list[click.Parameter]
    run: Callable[[Rum, Arguments, ReportProgress], Answer]
    nouns: Nouns = MEMORIES
    title: str | None = "Importing"
    """The title of the progress bar, if there is one."""
    notes: Callable[[Any], Iterable[str]] = lambda _: ()
    """What to say of an answer on stderr."""
    vectors: bool = False
    """Whether it may leave many memories without a vector."""


def import_command(form: Import) -> click.Command:
    """A row of the table as a command."""

    @click.pass_obj
    def run(options: Options, **arguments: Any) -> None:
        if arguments.pop("all_projects", False):
            answer = _import_all_projects(options, form.name, arguments["path"])
            print_result(options.json, answer, import_view)
            return
        if isinstance(arguments.get("file"), str):
            arguments["file"] = _read(arguments["file"])
        with open_rum(options, arguments.get("path") if form.name == "git" else None) as rum:
            answer = _run(form, rum, arguments)
            print_result(options.json, answer, lambda answer: import_view(answer, form.nouns))
            if options.json:
                return
            for remark in form.notes(answer):
                note(remark)
            if form.vectors:
                note_missing_vectors(rum)

    return Command(form.name, callback=run, params=[*form.params], help=form.help)


def _run(form: Import, rum: Rum, arguments: Arguments) -> Answer:
    if form.title is None:
        return form.run(rum, arguments, lambda done, total=None: None)  # noqa: ARG005
    with progress(form.title, None) as report_progress:
        return form.run(rum, arguments, report_progress)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    with open(file, "rb") as source:
        return source.read()


def _import_all_projects(options: Options, client: str, path: str | None) -> TranscriptImport:
    folders = by_folder(client, sessions(client, path))
    total, done, failed = sum(map(len, folders.values())), 0, 0
    answers: list[TranscriptImport] = []
    with progress("Reading sessions", total) as report_progress:
        for folder, found in folders.items():
            try:
                answers.append(_import_folder(options, client, folder, found))
            except RumError as error:
                failed += len(found)
                note(f"{folder or 'Sessions without a folder'}: {error.message}")
            done += len(found)
            report_progress(done, total)
    return _sum(answers, failed)


def _import_folder(options: Options, client: str, folder: str, found: list[list[str]]) -> TranscriptImport:
    if not os.path.isdir(folder):
        return TranscriptImport(skipped={"folder is gone": len(found)})
    with Rum.open(folder, client="cli", owner=options.agent is None, agent=options.agent) as rum:
        return rum.import_transcripts(client, sessions=found)


def _sum(answers: list[TranscriptImport], failed: int) -> TranscriptImport:
    counts, skipped = Counter[str](), Counter[str]()
    seconds = 0.0
    for answer in answers:
        fields: dict[str, Any] = structs.asdict(answer)
        skipped.update(fields.pop("skipped"))
        seconds += fields.pop("seconds")
        counts.update(fields)
    if failed:
        skipped["no project"] += failed
    return TranscriptImport(**counts, skipped=dict(skipped), seconds=round(seconds, 1))


_PATH = click.Argument(["path"], required=False, type=click.Path())
_FILE = click.Argument(["file"])
_FOLDER = click.Argument(["folder"], metavar="DIR", type=click.Path())


def _transcripts(client: str, name: str) -> Import:
    return Import(
        client,
        f"""Import {name}'s earlier sessions as memories.

        Imports the sessions of this project, or with --all-projects all of them, each into the project of
        its folder. PATH is a transcript or a folder of transcripts (default: where {name} stores them).
        Sessions already imported or captured by hooks are skipped, and forgotten ones stay forgotten: you
        can run it again at any time.
        """,
        [
            _PATH,
            click.Option(
                ["--all-projects"],
                is_flag=True,
                help="Import the sessions of all projects, each into its own.",
            ),
        ],
        lambda rum, arguments, report_progress: rum.import_transcripts(
            client, arguments["path"], progress=report_progress
        ),
        title="Reading sessions",
        vectors=True,
    )


IMPORTS: list[Import] = [
    Import(
        "git",
        """Import a repository's git history as memories.

        PATH is the repository (default: the current one). You can run it again at any time: only new commits
        are read, existing memories are not changed, and forgotten ones stay forgotten.
        """,
        [
            _PATH,
            click.Option(["--since"], type=When(), metavar="WHEN", help="Only commits since this time."),
            click.Option(
                ["--max", "max_commits"],
                type=click.IntRange(min=1),
                metavar="N",
                help="Only the newest N commits.",
            ),
            click.Option(
                ["--paths"], multiple=True, metavar="PATH", help="Only commits that touch this path (repeat)."
            ),
            click.Option(["--dry-run"], is_flag=True, help="Only count; import nothing."),
        ],
        lambda rum, arguments, report_progress: rum.import_git(**arguments, progress=report_progress),
        notes=lambda answer: answer.notes,
        vectors=True,
    ),
    Import(
        "github-issues",
        """Import exported issues as memories.

        FILE holds the JSON of `gh issue list --json ...` or of GitHub's REST API; - is stdin. The whole file
        is checked before anything is written. Issues changed since the last import are updated.
        """,
        [_FILE],
        lambda rum, arguments, report_progress: rum.import_issues(arguments["file"], report_progress),
        vectors=True,
    ),
    Import(
        "notes",
        """Import the notes of another folder.

        DIR holds Markdown files with frontmatter. Each entry is appended unchanged to the note of its
        title. Entries that exist already or were forgotten are skipped.
        """,
        [click.Argument(["folder"], metavar="DIR")],
        lambda rum, arguments, _: rum.notes.import_from(arguments["folder"]),
        nouns=("entry", "entries"),
        title=None,
        notes=lambda answer: (f"Skipped: {broken.problem}" for broken in answer.broken),
    ),
    Import(
        "agents-md",
        """Import CLAUDE.md, AGENTS.md, MEMORY.md and similar files as notes.

        Creates a note for each heading, down to the third level. Notes that exist already or were forgotten
        are skipped. The files are not changed.
        """,
        [click.Argument(["files"], metavar="FILE...", nargs=-1, required=True, type=click.Path())],
        lambda rum, arguments, _: rum.import_guides(*arguments["files"]),
        nouns=("note", "notes"),
        title=None,
        notes=lambda answer: (f"Skipped: {broken.file}: {broken.problem}" for broken in answer.broken),
    ),
    Import(
        "mcp-memory",
        """Import the graph of the MCP reference memory server as memories.

        FILE holds its JSON lines (memory.json or memory.jsonl); - is stdin. The whole file is checked before
        anything is written. Entities become memories with their observations; related ones are linked.
        """,
        [_FILE],
        lambda rum, arguments, report_progress: rum.import_graph(arguments["file"], report_progress),
    ),
    Import(
        "layers",
        """Import layer files.

        DIR holds episodic.json, semantic.json or procedural.json, such as .rlm-data/memory. The files
        are checked before anything is written. Existing entries are not changed.
        """,
        [_FOLDER],
        lambda rum, arguments, _: rum.import_layers(arguments["folder"]),
        nouns=LAYERS,
        title=None,
    ),
    _transcripts("claude-code", "Claude Code"),
    _transcripts("codex", "Codex"),
    _transcripts("gemini", "Gemini CLI"),
]
