"""The table of commands: name, module and one line of help, so that only the command that runs is loaded."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

from rum._version import __version__
from rum.surfaces.cli.options import Group

# Words for which the error about an unknown command suggests a command.
SYNONYMS = {"search": "recall", "find": "recall", "remember": "store"}
ALIASES = {"chapters": "chapter"}  # Other names of commands
COMPLETE = "_RUM_COMPLETE"  # The environment variable of shell completion


class Entry(NamedTuple):
    """The module of a command and its one-line help."""

    module: str
    help: str


# Importing every command to print one help would take longer than most commands run.
SECTIONS: dict[str, dict[str, Entry]] = {
    "Remember": {
        "store": Entry("memories.store", "Store a finished piece of work."),
        "update": Entry("memories.store", "Correct or complete a memory."),
        "link": Entry("memories.store", "Link two memories."),
        "useful": Entry("memories.capture", "Mark a memory as useful."),
        "useless": Entry("memories.capture", "Mark a memory as useless."),
        "forget": Entry("memories.forget", "Delete memories permanently."),
        "purge": Entry("memories.forget", "Make forgotten data unrecoverable."),
        "history": Entry("memories.find", "Show every version of a memory."),
        "restore": Entry("memories.store", "Restore an earlier version of a memory."),
    },
    "Knowledge": {
        "journal": Entry("knowledge.journal", "Record discoveries, attempts and decisions of a session."),
        "note": Entry("knowledge.notes", "Manage notes in the repository."),
        "facts": Entry("knowledge.facts_and_rules", "Manage facts: keys and values."),
        "rules": Entry("knowledge.facts_and_rules", "Manage rules, and find those for a task."),
        "layers": Entry("knowledge.layers", "Manage layers: append, search and compact entries."),
        "chapter": Entry("knowledge.chapters", "Group related memories into chapters."),
        "wisdom": Entry("knowledge.chapters", "Combine chapters into insights, patterns and best practices."),
        "refresh": Entry("knowledge.chapters", "Update chapters and wisdom whose memories changed."),
        "extract": Entry("knowledge.brief", "Extract a note, facts and rules from a finished run."),
    },
    "Find": {
        "brief": Entry("knowledge.brief", "Summarise what matters to a task, for a prompt."),
        "recall": Entry("memories.find", "Find memories by file, words, tag, time and more."),
        "show": Entry("memories.find", "Show one memory with everything in it."),
        "trace": Entry("memories.find", "Show the causes or effects of a memory."),
        "list": Entry("memories.find", "List memories, newest first."),
        "tags": Entry("memories.find", "List the tags and how many memories have each."),
        "offers": Entry("memories.capture", "List offers to agents and their outcomes."),
        "events": Entry("memories.capture", "List captured events and what they became."),
        "report": Entry("knowledge.brief", "Summarise the project's memory in Markdown."),
    },
    "Agents and settings": {
        "identity": Entry("upkeep.settings", "Register, resume or look up an agent."),
        "agents": Entry("upkeep.settings", "List the agents of this project."),
        "projects": Entry("upkeep.settings", "List the projects on this machine."),
        "tokens": Entry("upkeep.maintenance", "Show tokens used by language models, by day and project."),
        "config": Entry("upkeep.settings", "Show every setting and where it came from."),
        "trust": Entry("upkeep.settings", "Trust this repository's settings."),
    },
    "Maintenance": {
        "pause": Entry("memories.capture", "Pause capture and offers."),
        "resume": Entry("memories.capture", "Resume capture and offers."),
        "doctor": Entry("upkeep.maintenance", "Check the project's memory for problems."),
        "tidy": Entry("upkeep.maintenance", "Run pending work, such as computing vectors."),
        "archive": Entry("upkeep.maintenance", "Archive old, rarely used memories."),
        "compact": Entry("knowledge.layers", "Replace a layer's older entries with one summary."),
        "reindex": Entry("upkeep.maintenance", "Rebuild the search index."),
        "backup": Entry("upkeep.maintenance", "Back up the memory to a file."),
        "export": Entry("upkeep.exchange", "Export everything as JSON lines."),
        "import": Entry("upkeep.exchange", "Import an export, git history, sessions, issues or notes."),
    },
    "Connect": {
        "install": Entry("upkeep.install", "Connect the coding agents on this machine."),
        "uninstall": Entry("upkeep.install", "Disconnect coding agents."),
        "mcp": Entry("upkeep.help_and_completion", "Serve the memory to an agent over MCP."),
        "hook": Entry("upkeep.help_and_completion", "Handle a hook event of a client."),
        "completion": Entry("upkeep.help_and_completion", "Print a shell completion script."),
    },
}
ALL = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class LazyGroup(Group):
    """The commands of the table, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order of the table."""
        return list(ALL)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load the module of a command and return the command."""
        entry = ALL.get(cmd_name)
        if entry is None:
            return None
        module = import_module(f"rum.surfaces.cli.{entry.module}")
        return next(
            value
            for value in vars(module).values()
            if isinstance(value, click.Command) and value.name == cmd_name
        )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of that name; the error for an unknown name suggests a similar one."""
        name = args[0] = ALIASES.get(args[0], args[0])
        if name not in ALL and not ctx.resilient_parsing:
            similar = SYNONYMS.get(name) or next(iter(difflib.get_close_matches(name, ALL, n=1)), None)
            hint = f" Did you mean `{similar}`?" if similar else ""
            raise click.UsageError(f"There is no command `{name}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands by section."""
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.help) for name, entry in entries.items()], col_max=12)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with what was typed."""
        names = [
            CompletionItem(name, help=entry.help)
            for name, entry in ALL.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    "rum",
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="rum", message="%(prog)s %(version)s")
@click.pass_context
def root(ctx: click.Context) -> None:
    """RUM: a memory for coding agents that survives the session."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
