"""`rum completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

import sys

import click
from click.shell_completion import ShellComplete, get_completion_class

from rum.surfaces.cli.commands import COMPLETE
from rum.surfaces.cli.options import command


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a shell completion script.

    For bash: `eval "$(rum completion bash)"` in ~/.bashrc; likewise for zsh in ~/.zshrc.
    For fish: `rum completion fish > ~/.config/fish/completions/rum.fish`.
    """
    maker = get_completion_class(shell)
    assert maker is not None
    # Not the class's own `source`: for bash it runs bash, to look at its version.
    sys.stdout.write(ShellComplete.source(maker(ctx.find_root().command, {}, "rum", COMPLETE)))
