"""The table of commands: name, module and one line of help, so that only the command that runs is loaded."""

from __future__ import annotations

import difflib
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from rum._version import __version__
from rum.surfaces.cli.options import Group

# Words for which the error about an unknown command suggests a command.
SYNONYMS = {"search": "recall", "find": "recall", "remember": "store"}
ALIASES = {"chapters": "chapter"}  # Other names of commands
COMPLETE = "_RUM_COMPLETE"  # The environment variable of shell completion


# The module of each command and its one-line help, by section and name. Importing every command to print one
# help would take longer than most commands run.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Remember": {
        "store": ("memories.store", "Store a finished piece of work."),
        "update": ("memories.store", "Correct or complete a memory."),
        "link": ("memories.store", "Link two memories."),
        "useful": ("memories.capture", "Mark a memory, note, rule, fact, chapter or wisdom as useful."),
        "useless": ("memories.capture", "Mark a memory, note, rule, fact, chapter or wisdom as useless."),
        "forget": ("memories.forget", "Move memories into the trash."),
        "trash": ("memories.forget", "List or delete what was forgotten."),
        "review": ("memories.review", "Decide about what was captured or extracted."),
        "purge": ("memories.forget", "Make deleted data unrecoverable."),
        "history": ("memories.find", "Show every version of a memory."),
        "restore": ("memories.forget", "Restore what was forgotten, or an earlier version."),
    },
    "Knowledge": {
        "journal": ("knowledge.journal", "Record discoveries, attempts and decisions of a session."),
        "note": ("knowledge.notes", "Manage notes in the repository."),
        "facts": ("knowledge.facts_and_rules", "Manage facts: keys and values."),
        "rules": ("knowledge.facts_and_rules", "Manage rules, and find those for a task."),
        "layers": ("knowledge.layers", "Manage layers: append, search and compact entries."),
        "chapter": ("knowledge.chapters", "Group related memories into chapters."),
        "wisdom": ("knowledge.chapters", "Combine chapters into insights, patterns and best practices."),
        "refresh": ("knowledge.chapters", "Update chapters and wisdom whose memories changed."),
        "extract": ("knowledge.brief", "Extract a note, facts and rules from a finished run."),
    },
    "Find": {
        "brief": ("knowledge.brief", "Summarise what matters to a task, for a prompt."),
        "recall": ("memories.find", "Find memories by file, words, tag, time and more."),
        "show": ("memories.find", "Show one memory with everything in it."),
        "trace": ("memories.find", "Show the causes or effects of a memory."),
        "why": ("memories.find", "Say why lines of code are as they are."),
        "verify": ("memories.find", "List memories, notes, facts and rules whose code has changed."),
        "list": ("memories.find", "List memories, newest first."),
        "tags": ("memories.find", "List the tags and how many memories have each."),
        "offers": ("memories.capture", "List offers to agents and their outcomes."),
        "events": ("memories.capture", "List captured events and what they became."),
        "stats": ("memories.review", "Count what was captured, offered, followed and reviewed."),
        "report": ("knowledge.brief", "Summarise the project's memory in Markdown."),
    },
    "Agents and settings": {
        "identity": ("upkeep.agents", "Register, resume or look up an agent."),
        "agents": ("upkeep.agents", "List the agents of this project."),
        "projects": ("upkeep.projects", "List the projects on this machine."),
        "tokens": ("upkeep.server", "Manage tokens for `rum serve`; show those used by language models."),
        "config": ("upkeep.config", "Show every setting and where it came from, or change one."),
        "trust": ("upkeep.config", "Trust this repository's settings."),
    },
    "Maintenance": {
        "pause": ("memories.capture", "Pause capture and offers."),
        "resume": ("memories.capture", "Resume capture and offers."),
        "doctor": ("upkeep.maintenance", "Check the project's memory for problems."),
        "tidy": ("upkeep.maintenance", "Run pending work, such as computing vectors."),
        "archive": ("upkeep.maintenance", "Archive old, rarely used memories."),
        "compact": ("knowledge.layers", "Replace a layer's older entries with one summary."),
        "reindex": ("upkeep.maintenance", "Rebuild the search index."),
        "backup": ("upkeep.maintenance", "Back up the memory to a file, or restore one."),
        "sync": ("upkeep.sync", "Share this memory through git, a folder or a team server."),
        "export": ("upkeep.exchange", "Export everything as JSON lines."),
        "import": ("upkeep.exchange", "Import an export, git history, sessions, issues or notes."),
    },
    "Connect": {
        "install": ("upkeep.install", "Connect the coding agents on this machine."),
        "uninstall": ("upkeep.install", "Disconnect coding agents."),
        "mcp": ("upkeep.install", "Serve the memory to an agent over MCP."),
        "serve": ("upkeep.server", "Serve memories to a team over HTTP."),
        "web": ("upkeep.server", "Open a page to look at the memory."),
        "hook": ("upkeep.install", "Handle a hook event of a client."),
        "completion": ("upkeep.install", "Print a shell completion script."),
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
        if cmd_name not in ALL:
            return None
        module = import_module(f"rum.surfaces.cli.{ALL[cmd_name][0]}")
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
                formatter.write_dl([(name, help) for name, (_, help) in entries.items()], col_max=12)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with what was typed."""
        names = [
            CompletionItem(name, help=help) for name, (_, help) in ALL.items() if name.startswith(incomplete)
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
