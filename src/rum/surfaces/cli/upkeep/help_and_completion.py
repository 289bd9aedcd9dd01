"""`rum completion`, and the help texts of `rum mcp` and `rum hook`, which run without this command line."""

from __future__ import annotations

import sys

import click
from click.shell_completion import ShellComplete, get_completion_class

from rum.capture.clients.detect import CLIENTS
from rum.surfaces.cli.commands import COMPLETE, root
from rum.surfaces.cli.options import Options, command


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(_options: Options, shell: str) -> None:
    """Print a shell completion script.

    For bash: `eval "$(rum completion bash)"` in ~/.bashrc; likewise for zsh in ~/.zshrc.
    For fish: `rum completion fish > ~/.config/fish/completions/rum.fish`.
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    # Not the class's own `source`: for bash it starts bash to check its version.
    sys.stdout.write(ShellComplete.source(completion_class(root, {}, "rum", COMPLETE)))


@command("mcp")
@click.option("--tools", type=click.Choice(["all", "core"]), expose_value=False, help="Which tools to offer.")
def mcp(_options: Options) -> None:
    """Serve the memory to an agent over MCP."""
    raise click.UsageError("Put `mcp` first and its options after it: `rum mcp [OPTIONS]`.")


# The server answers in its own protocol only.
mcp.params = [param for param in mcp.params if param.name != "json"]


@command("hook")
@click.argument("client", type=click.Choice(CLIENTS), expose_value=False)
def hook(_options: Options) -> None:
    """Handle a hook event of a client.

    Clients run it, as `rum-hook CLIENT` or `rum hook CLIENT`. It prints context for the agent, or nothing;
    the exit code is always 0.
    """
    raise click.UsageError("Use `rum hook CLIENT` without options.")


# It answers in the client's format only, about the folder that the client names.
hook.params = [param for param in hook.params if param.name == "client"]
