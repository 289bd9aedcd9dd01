"""`rum export` and `rum import`: everything as JSON lines; other formats are subcommands.

What `rum import` imports, such as git history, is a table with one function that runs a row.
"""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import click
from msgspec import structs

from rum.app.exchange.chapters import ChapterImport
from rum.app.exchange.json_lines import ImportResult
from rum.app.exchange.layers import LayerImport
from rum.app.imports.batch import Imported
from rum.app.imports.notes import Written
from rum.app.imports.transcripts import TranscriptImport, by_folder, sessions
from rum.app.imports.typescript_rum import TypeScriptImport
from rum.app.project import damage
from rum.app.rum import Rum
from rum.model.errors import InvalidQuery, RumError
from rum.surfaces.cli.open_project import Output, open_rum, rum_command
from rum.surfaces.cli.options import Command, Group, Options, When, WholeNumber, command
from rum.surfaces.cli.output import ReportProgress, ask, note, print_lines, print_result, progress
from rum.surfaces.cli.record_input import read_source
from rum.surfaces.cli.views import View, count_of, text_view

Arguments = dict[str, Any]
Answer = Imported | ImportResult | LayerImport
Nouns = tuple[str, str]  # The noun for one imported thing and for several
MEMORIES: Nouns = ("memory", "memories")
LAYERS: Nouns = ("layer entry", "layer entries")
_CHAPTERS: Nouns = ("chapters and wisdom", "chapters and wisdom")

_NOT_ADDED = {
    "unchanged": "already present",
    "updated": "updated",
    "different": "changed here and not overwritten",
    "forgotten": "forgotten",
    "pending": "waiting for `rum review`",
}
_FOUND = {
    "agents": "agents",
    "failures": "failures",
    "links": "links",
    "rewritten": "rewritten",
    "cut": "too large to store every file",
}
_SESSIONS = {"sessions": "read", "known": "read before", "elsewhere": "of other projects"}
_MANY_PENDING = 200  # Number of memories without a vector from which a note is printed


@dataclass(frozen=True)
class Import:
    """One subcommand of `rum import`."""

    name: str
    help: str
    params: list[click.Parameter]
    run: Callable[[Rum, Arguments, ReportProgress], Answer]
    nouns: Nouns = MEMORIES
    title: str | None = "Importing"  # The title of the progress bar, if there is one
    notes: Callable[[Any], Iterable[str]] = lambda _: ()  # Notes about an answer, for stderr
    vectors: bool = False  # Whether it may import many memories, in batches, which have no vector yet


def import_command(row: Import) -> click.Command:
    """Make a command of a row of the table."""

    @click.pass_obj
    def run(options: Options, **arguments: Any) -> None:
        if arguments.pop("all_projects", False):
            answer = _import_all_projects(options, row.name, arguments["path"])
            print_result(options, answer, import_view)
            return
        if isinstance(arguments.get("file"), str):
            arguments["file"] = read_source(arguments["file"])
        with open_rum(options, arguments.get("path") if row.name == "git" else None) as rum:
            with progress(row.title, None, lines=row.vectors) as report_progress, _say_what_is_kept(row):
                answer = row.run(rum, arguments, report_progress)
            print_result(options, answer, lambda answer: import_view(answer, row.nouns))
            if not options.as_text:
                return
            for remark in row.notes(answer):
                note(remark)
            if row.vectors:
                note_missing_vectors(rum)

    return Command(row.name, callback=run, params=[*row.params], help=row.help)


@contextmanager
def _say_what_is_kept(row: Import) -> Generator[None]:
    """After Ctrl-C, say what happens to what was imported so far."""
    try:
        yield
    except KeyboardInterrupt:
        if row.vectors:
            note(f"Stopped. What was imported so far is kept; run `rum import {row.name}` again to go on.")
        raise


def _import_all_projects(options: Options, client: str, path: str | None) -> TranscriptImport:
    folders = by_folder(client, sessions(client, path))
    total, done, failed = sum(map(len, folders.values())), 0, 0
    answers: list[TranscriptImport] = []
    with progress("Reading sessions", total) as report_progress:
        for folder, found in folders.items():
            try:
                if os.path.isdir(folder):
                    as_owner = options.agent is None
                    with Rum.open(folder, client="cli", owner=as_owner, agent=options.agent) as rum:
                        answers.append(rum.import_transcripts(client, sessions=found))
                else:
                    # Opening it would create a project for a folder that no longer exists.
                    answers.append(TranscriptImport(skipped={"folder is gone": len(found)}))
            except RumError as error:
                # One folder without a project must not stop the import of the others.
                failed += len(found)
                note(f"{folder or 'Sessions without a folder'}: {error.message}")
            done += len(found)
            report_progress(done, total)
    return _sum(answers, failed)


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


def import_view(answer: Answer, nouns: Nouns = MEMORIES) -> View:
    """The number of things added, what happened to the others, and what else was found."""
    view = _added_view(answer, nouns)
    if isinstance(answer, ImportResult):
        view += _added_view(answer.layers, LAYERS) if answer.layers else []
    if isinstance(answer, ImportResult | TypeScriptImport) and answer.chapters:
        view += _added_view(answer.chapters, _CHAPTERS, getattr(answer, "dry_run", False))
    if isinstance(answer, ImportResult) and answer.restored:
        view += text_view(f"Restored {count_of(answer.restored, 'item')} from the trash.")
    if isinstance(answer, Imported):
        skipped = sorted(answer.skipped.items(), key=lambda reason: -reason[1])
        view += _counts_view("Skipped", {name.replace("_", " "): count for name, count in skipped})
        view += _counts_view("Found", _counts(answer, _FOUND))
    if isinstance(answer, TranscriptImport):
        view += _counts_view("Sessions", _counts(answer, _SESSIONS)) or text_view("No sessions found.")
    return view


def _added_view(answer: Answer | ChapterImport, nouns: Nouns, dry_run: bool = False) -> View:
    dry_run = dry_run or getattr(answer, "dry_run", False)
    time = f" in {answer.seconds} s" if isinstance(answer, Imported) and not dry_run else ""
    others = ", ".join(f"{count} {words}" for words, count in _counts(answer, _NOT_ADDED).items() if count)
    verb = "Would add" if dry_run else "Added"
    return text_view(f"{verb} {count_of(answer.added, *nouns)}{time}{f' ({others})' if others else ''}.")


def _counts(answer: object, names: dict[str, str]) -> dict[str, int]:
    return {words: getattr(answer, name, 0) for name, words in names.items()}


def _counts_view(title: str, counts: dict[str, int]) -> View:
    """The counts that are not zero, each after its name."""
    text = ", ".join(f"{words} {count}" for words, count in counts.items() if count)
    return text_view(f"{title}: {text}.") if text else []


def note_missing_vectors(rum: Rum) -> None:
    """Print how to compute vectors if many memories have none yet."""
    pending = rum.pending
    if pending >= _MANY_PENDING:
        note(
            f"{pending} memories have no vector yet and are found by words only. "
            "`rum tidy --wait` computes vectors now; else the next recall starts it in the background."
        )


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
        are read, existing memories are not changed, and forgotten ones stay forgotten. Ctrl-C keeps what was
        imported so far. Afterwards `rum tidy` and idle servers import new commits (setting import_git).
        """,
        [
            _PATH,
            click.Option(["--since"], type=When(), metavar="WHEN", help="Only commits since this time."),
            click.Option(
                ["--max", "max_commits"],
                type=WholeNumber(min=1),
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
        "typescript-rum",
        """Import the database of the TypeScript RUM.

        FILE is its database or the folder of it, usually ~/.rum/projects/NAME. It is only read. Memories,
        links, agents, chapters, wisdom and access counts are imported with their ids. Existing ones are not
        changed, and forgotten ones stay forgotten: you can run it again at any time.
        """,
        [
            click.Argument(["path"], metavar="FILE", type=click.Path()),
            click.Option(["--dry-run"], is_flag=True, help="Only count; import nothing."),
        ],
        lambda rum, arguments, report_progress: rum.import_typescript_rum(
            **arguments, progress=report_progress
        ),
        notes=lambda answer: (f"Damaged, so read in part: `{table}`." for table in answer.damaged),
        vectors=True,
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


class ExchangeGroup(Group):
    """A group with a subcommand for each other format; any other argument is a file of JSON lines."""

    lines: click.Command  # The command for such a file

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named subcommand, or else the command for JSON lines."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "", self.lines, args


@click.group("export", cls=ExchangeGroup, invoke_without_command=True, subcommand_metavar="[FILE|COMMAND]")
@click.pass_context
def export_group(ctx: click.Context) -> None:
    """Export everything as JSON lines.

    To FILE, which must not exist yet, or to stdout. Includes all agents, memories, versions, links, facts,
    rules and events.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(export_lines, file=None)


@rum_command("layers", export_group)
@click.argument("folder", metavar="DIR", type=click.Path())
def export_layers(rum: Rum, folder: str) -> Output:
    """Export facts, rules and events as layer files.

    To episodic.json, semantic.json and procedural.json in DIR, which must not have any of them yet.
    """
    counts = rum.export_layers(folder)
    words = ", ".join(f"{name} {count}" for name, count in counts.items())
    return Output({"dir": folder, "entries": counts}, f"{folder}: {words}")


@rum_command("agents-md", export_group)
@click.argument("file", required=False, type=click.Path())
def export_guide(rum: Rum, file: str | None) -> Output:
    """Write rules, facts and the best notes to AGENTS.md.

    Writes one section between two marks, at the end of FILE or where it was; the rest of FILE is unchanged.
    """
    answer = rum.export_guide(file)
    return Output(answer, _guide_view)


def _guide_view(answer: Written) -> View:
    counts = f"rules {answer.rules}, facts {answer.facts}, notes {answer.notes}"
    return text_view(f"{answer.file}: {counts}{'' if answer.changed else '; nothing changed'}.")


@command("lines")
@click.argument("file", required=False, type=click.Path())
def export_lines(options: Options, file: str | None) -> None:
    """Export everything as JSON lines."""
    with open_rum(options) as rum:
        if file is None:
            print_lines(rum.export(_warn_damaged))
            return
        if os.path.exists(file):
            raise InvalidQuery(f"{file} exists already; choose another file.", field="file")
        with progress("Exporting", None) as report_progress:
            count = _write_whole(file, rum.export(_warn_damaged), report_progress)
    print_result(options, {"file": file, "lines": count}, f"{file}: {count} lines")


def _warn_damaged(memory_id: str) -> None:
    note(damage(memory_id))


def _write_whole(file: str, lines: Iterable[bytes], report_progress: Callable[[int], None]) -> int:
    """Write a file that appears only when it is complete and that only its owner can read."""
    folder, name = os.path.split(file)
    part = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.part")
    count = 0
    try:
        # An export holds everything that is remembered: only its owner may read it.
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "wb") as out:
            for count, line in enumerate(lines, start=1):
                out.write(line + b"\n")
                report_progress(count)
        os.replace(part, file)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(part)
        if isinstance(error, OSError) and error.filename == part:
            error.filename = file
        raise
    return count


@click.group("import", cls=ExchangeGroup, invoke_without_command=True, subcommand_metavar="FILE|COMMAND")
@click.pass_context
def import_group(ctx: click.Context) -> None:
    """Import an export, git history, sessions, issues or notes.

    FILE holds the JSON lines of `rum export`; - is stdin. The whole file is checked before anything is
    written. Existing items are not changed. What was forgotten here is left out; --restore brings it back.
    Vectors are not exported; they are computed again.
    """
    if ctx.invoked_subcommand is None:
        known = ", ".join(import_group.commands)
        raise click.UsageError(f"Give a FILE, - for stdin, or a command: {known}.", ctx)


for row in IMPORTS:
    import_group.add_command(import_command(row))


@command("lines")
@click.argument("file")
@click.option("--restore", is_flag=True, help="Also bring back what was forgotten here.")
def import_lines(options: Options, file: str, restore: bool) -> None:
    """Import an export of RUM."""
    lines = io.BytesIO(read_source(file)).readlines()
    with open_rum(options) as rum:
        with progress("Importing", len(lines)) as report_progress:
            answer = rum.import_lines(lines, report_progress, restore=restore)
        if options.as_text and not restore and answer.all_forgotten and sys.stdin.isatty():
            left = count_of(answer.all_forgotten, "item")
            question = f"Forgotten here, so left out: {left} of this export. Bring them back? (y/N)"
            if ask(question).lower() in ("y", "yes"):
                answer = rum.import_lines(lines, restore=True)
        print_result(options, answer, import_view, notes=[answer.hint] if answer.hint else [])
        if options.as_text:
            note_missing_vectors(rum)


export_group.lines = export_lines
import_group.lines = import_lines
